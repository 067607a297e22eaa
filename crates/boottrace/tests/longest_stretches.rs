// SPDX-License-Identifier: MIT
//! What no rule judged: the longest stretch, whose a silence is, what a page's marks are not. Logs made up for each class.

mod reading;

use std::fmt::Write as _;

use boottrace::costs::CostKind;
use boottrace::facts::boot::stage::StageEvent;
use reading::{boots, ms, read};

fn longest(log: &str) -> Option<(i64, u32, u32)> {
    let stretch = boots(log).pop()?.longest?;
    Some((stretch.duration_ns / 1_000_000, stretch.after_line, stretch.before_line))
}

#[test]
fn a_stretch_that_no_cost_tells_of() {
    // Across what is left out.
    let cut = "[    3.100000] frob: ready\n[    3.200000] quux0: bad frame\n...\n[   93.200000] quux0: bad frame\n";
    assert_eq!(longest(cut), Some((90_000, 2, 4)));
    // A silence that is told is none.
    let told = "[    1.100000] frob: ready\n[    1.900000] quux0: up\n[    1.950000] quux1: up\n";
    assert_eq!(longest(told).filter(|(ms, ..)| *ms > 100), None);
}

#[test]
fn behind_a_shutdown_nothing_is_the_boots() {
    let log = "[    5.000000] systemd[1]: Started frob.service.\n[    6.000000] systemd-shutdown[1]: Rebooting.\n\
        [   96.000000] INFO: task kworker/0:1:11 blocked for more than 62 seconds.\n";
    assert!(boots(log)[0].costs.iter().all(|cost| cost.kind != CostKind::StatedTime));
    assert_eq!(longest(log).filter(|(ms, ..)| *ms > 1_000), None);
}

#[test]
fn a_clock_that_falls_is_another() {
    let log = "[   33.500000] frob: from another boot\n[    9.100000] frob0: found\n[    9.200000] frob1: found\n\
        [   14.200000] frob1: ready\n";
    let boot = boots(log).pop().unwrap();
    assert_eq!((boot.gaps[0].after_line, boot.gaps[0].before_line), (3, 4));
}

#[test]
fn lines_with_one_stamp_are_no_silence() {
    let log = "[    9.100000] frob0: found\n[    9.100000] frob1: found\n[    9.400000] frob1: ready\n";
    assert_eq!(boots(log)[0].gaps[0].after_line, 2);
}

#[test]
fn a_client_between_two_stamps_is_user_spaces() {
    let log = "[    4.100000] quux0: Link is Down\nudhcpc: started, v1.36.1\nudhcpc: broadcasting discover\n\
        udhcpc: no lease, forking to background\n[   13.100000] frob: late\n";
    let boot = boots(log).pop().unwrap();
    let cost = boot.costs.iter().max_by_key(|cost| cost.cost_ns).unwrap();
    assert_eq!(
        (cost.kind, cost.cost_ns, cost.at_most),
        (CostKind::NetworkConfiguration, Some(9_000_000_000), true)
    );
    assert!(boot
        .stages
        .iter()
        .any(|stage| stage.event == StageEvent::UserSpaceStart && stage.line == Some(2)));
}

#[test]
fn marks_of_a_page_are_no_lines_of_a_boot() {
    let end = |log: &str| boots(log).pop().unwrap().end.unwrap().line;
    for mark in ["}}}", "```", "...", "</pre>"] {
        let log = format!("[    1.000000] frob: a\n[    2.000000] frob: b\n{mark}\nMy frob does not start.\n");
        assert_eq!(end(&log), 2, "{mark}");
    }
    let log = "[    2.000000] systemd[1]: Inserted module 'frob'\n...\n[    3.000000] systemd[1]: Created slice quux.slice.\n";
    let boot = boots(log).pop().unwrap();
    assert_eq!(ms(&boot, StageEvent::UserSpaceStart), Some(2_000));
    let basis = boot
        .stages
        .iter()
        .find(|stage| stage.event == StageEvent::RcScripts)
        .unwrap();
    assert!(
        basis.basis.starts_with("scripts or services of init had started"),
        "{}",
        basis.basis
    );
}

#[test]
fn a_start_that_stalls_is_no_running_system() {
    let log = "[  OK  ] Reached target Frob.\n         Starting Quux...\n[  OK  ] Started Quux.\n\
        [  301.500000] nfs: server 192.0.2.7 not responding, still trying\n";
    assert_eq!(read(log).boots().count(), 1);
}

#[test]
fn a_supplier_is_named_for_the_device_alone() {
    let log = "[   10.100000] probe of 12ab0000.quux with driver frob-quux returned -517 after 6 usecs\n\
        [   10.200000] platform 12ab0000.quux: deferred probe pending: platform: wait for supplier /soc/frob/ldo9\n";
    let boot = boots(log).pop().unwrap();
    assert_eq!(boot.deferred.devices[0].suppliers, ["/soc/frob/ldo9"]);
}

#[test]
fn waits_inside_a_wait_and_its_rounds() {
    let mut log = String::from("[    2.000000] quux0: attached PHY\n");
    for n in 0..4 {
        let (at, left) = (12 + 10 * n, 110 - 10 * n);
        writeln!(log, "[   {at:2}.000000] Waiting up to {left} more seconds for network.").unwrap();
    }
    log += "[   52.000000] Sending DHCP requests ...... timed out!\n[   92.000000] IP-Config: Retrying forever (NFS root)...\n\
        [   92.500000] Sending DHCP requests ...... timed out!\n[  132.000000] IP-Config: Retrying forever (NFS root)...\n";
    let boot = boots(&log).pop().unwrap();
    let timed: Vec<_> = boot
        .costs
        .iter()
        .filter(|cost| cost.cost_ns.is_some_and(|ns| ns > 1_000_000_000))
        .collect();
    assert_eq!(
        timed.iter().map(|cost| cost.kind).collect::<Vec<_>>(),
        [CostKind::NetworkConfiguration, CostKind::Silence][..timed.len()]
    );
    assert_eq!(timed[0].cost_ns, Some(120_000_000_000));
    assert!(timed[0].evidence.contains("2 attempts"), "{}", timed[0].evidence);
}

#[test]
fn a_silence_that_ends_in_a_failure_names_it() {
    let log = "[    5.100000] sd 7:0:0:0: [sdx] Attached SCSI disk\n[   35.100000] quux quux-4: Failed reset at the end (03)\n\
        [   35.110000] quux quux-4: Failed! (03)\n";
    let boot = boots(log).pop().unwrap();
    let cost = boot.costs.iter().max_by_key(|cost| cost.cost_ns).unwrap();
    assert!(
        cost.title.contains("before line 2, `quux quux-4: Failed reset"),
        "{}",
        cost.title
    );
}

#[test]
fn a_letter_below_a_log_is_no_line_of_it() {
    let log = "U-Boot 2030.01 (Jan 01 2030 - 00:00:00 +0000)\n\nDRAM:  512 MiB\nCard did not respond to voltage select! : -110\n\n\
        Thanks for the board, and for all that I could learn of it.\n";
    let boot = boots(log).pop().unwrap();
    assert_eq!(boot.end.unwrap().line, 4);
    let initramfs = "[    2.700000] frob 4.vop: ready\n[   13.000000] platform 5.mmc: deferred probe pending\n\
        Begin: Waiting for root file system ... Begin: Running /scripts/local-block ... done.\ndone.\n\
        Gave up waiting for root file system device.  Common problems:\nALERT!  /dev/sdx does not exist.  Dropping to a shell!\n(initramfs)\n";
    assert!(boots(initramfs).pop().unwrap().end.unwrap().line >= 6);
}

#[test]
fn a_small_read_is_not_the_largest_of_a_loader_without_a_clock() {
    let log =
        "U-Boot 2030.01 (Jan 01 2030 - 00:00:00 +0000)\n\nDRAM:  512 MiB\nCard did not respond to voltage select!\n\
        3136 bytes read in 3 ms (1020.5 KiB/s)\nCard did not respond to voltage select!\n";
    let boot = boots(log).pop().unwrap();
    assert!(boot
        .costs
        .iter()
        .any(|cost| cost.cost_ns.is_none() && cost.title.contains("did not respond")));
}

#[test]
fn a_cut_name_of_a_device_is_left_as_it_is() {
    let log = "[ TIME ] Timed out waiting for device dev-d\u{2026}99-4067-fcff2.\n[DEPEND] Dependency failed for frob.mount - /frob.\n";
    let titles: Vec<String> = read(log)
        .boots()
        .flat_map(|boot| &boot.costs)
        .map(|cost| cost.title.clone())
        .collect();
    assert!(titles.iter().all(|title| !title.contains("99/4067")), "{titles:?}");
}

#[test]
fn what_a_person_says_of_a_log_is_no_wait_of_it() {
    let log = "Here's a log where it gets stuck, with `FROB_FLAGS=0x3f`\n```\n\nU-Boot 2030.01 (Jan 01 2030 - 00:00:00 +0000)\n\n\
        DRAM:  512 MiB\n```\n";
    assert!(boots(log)
        .iter()
        .flat_map(|boot| &boot.costs)
        .all(|cost| !cost.title.contains("stuck")));
}

#[test]
fn two_ports_of_usb_are_two_devices() {
    let log = "[14.868] usb 1-3: device not accepting address 3, error -108\n[14.868] usb 2-1: device not accepting address 3, error -108\n";
    let found = read(log);
    let text = serde_json::to_string(&found).unwrap();
    assert!(!text.contains("it says so 2 times"), "{text}");
}

#[test]
fn an_expedited_stall_is_told() {
    let log = "[  OK  ] Started Frob.\n         Starting Quux...\n\
        [   27.200000] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: { 0-... } 6 jiffies s: 85 root: 0x1/.\n\
        [  OK  ] Finished Quux.\n";
    let boot = boots(log).pop().unwrap();
    assert!(
        boot.costs.iter().any(|cost| cost.title.contains("stall")),
        "{:?}",
        boot.costs
    );
}

#[test]
fn a_late_disk_counts_and_an_idle_daemon_does_not() {
    let boot = "[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n[    1.000000] frob: ready\n\
                [    2.000000] Run /init as init process\n[    2.100000] quux: ready\n";
    // A cost that tells of it says more than a sentence.
    let late = |line: &str| {
        let log = format!("{boot}[   40.100000] {line}\n");
        let costs = &boots(&log)[0].costs;
        let told = costs.iter().find(|cost| cost.lines == [4, 5]);
        let told = told.and_then(|cost| Some((cost.cost_ns? / 1_000_000, 4, 5)));
        told.or_else(|| longest(&log))
    };
    assert_eq!(late("sd 3:0:0:0: [sdq] Attached SCSI disk"), Some((38_000, 4, 5)));
    assert_eq!(late("quux0: link becomes ready"), Some((38_000, 4, 5)));
    let of_a_daemon = |found: Option<(i64, u32, u32)>| found.filter(|(ms, ..)| *ms > 10_000);
    assert_eq!(of_a_daemon(late("healthd: battery l=50")), None);
    assert_eq!(of_a_daemon(late("ata_frob: debug words")), None);
    // A system that is up is idle for as long as it likes.
    let hours = format!("{boot}[  940.100000] sd 3:0:0:0: [sdq] Attached SCSI disk\n");
    assert_eq!(of_a_daemon(longest(&hours)), None);
}

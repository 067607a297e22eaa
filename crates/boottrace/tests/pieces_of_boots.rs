// SPDX-License-Identifier: MIT
//! Pieces that people paste: systemd's own lines, lines that somebody chose, systems that had booted before, other inits.
//! Logs made up for each class of fault.

mod reading;

use boottrace::costs::CostKind;
use boottrace::facts::boot::end::EndKind;
use boottrace::facts::boot::failure::Outcome;
use boottrace::facts::boot::stage::{StageEvent, UseSign};
use boottrace::readers::formats::Format;
use boottrace::{analyze, Document, Options, Part};
use reading::{boots, ms, read};

const S: i64 = 1_000_000_000;

fn kinds(log: &str) -> Vec<(CostKind, Option<i64>)> {
    let found = boots(log);
    let costs = found.iter().flat_map(|boot| &boot.costs);
    costs.map(|cost| (cost.kind, cost.cost_ns.map(|ns| ns / S))).collect()
}

#[test]
fn a_start_job_alone_is_a_wait() {
    for line in [
        "[ ***  ] A start job is running for /dev/disk/by-uuid/12-34 (3min 20s / no limit)",
        "[***   ] Job dev-sdb2.device/start running (3min 20s / 5min)",
        "[    **] (1 of 2) Job dev-sdb2.device/start running (3min 20s / 5min)",
    ] {
        assert_eq!(kinds(line), [(CostKind::DeviceWait, Some(200))], "{line}");
    }
    assert_eq!(
        kinds("[ ***  ] A start job is running for Wait for Network (1min 1s / no limit)"),
        [(CostKind::UnitStart, Some(61))]
    );
    assert!(boots("[ ***  ] A stop job is running for Session 2 (20s / 1min 30s)").is_empty());
}

#[test]
fn a_name_that_systemd_cut_is_told_whole() {
    let log = "[    8.000001] EXT4-fs (sda1): re-mounted\n\
               \u{20}        Starting Wait for Network to be Configured...\n\
               [***   ] (1 of 2) A start job is running for\u{2026}to be Configured (40s / 2min)\r\
               [   21.500000] audit: type=1130\n\
               [  OK  ] Started Load Kernel Modules.\n";
    let found = boots(log);
    let unit = found[0]
        .costs
        .iter()
        .find(|cost| cost.kind == CostKind::UnitStart)
        .unwrap();
    assert!(
        unit.title.contains("`Wait for Network to be Configured`"),
        "{}",
        unit.title
    );
    // No longer than the stamps allow.
    assert_eq!(unit.cost_ns.map(|ns| ns / 1_000_000), Some(13_499), "{}", unit.evidence);
    assert!(unit.evidence.contains("40.000 s"), "{}", unit.evidence);
}

#[test]
fn devices_that_do_not_come() {
    let log = "[   30.000000] vcc: disabling\n\
               [ TIME ] Timed out waiting for device /dev/sdc1.\n\
               [DEPEND] Dependency failed for /data.\n\
               [ TIME ] Timed out waiting for device dev-sdd1.device - /dev/sdd1.\n";
    assert_eq!(boots(log)[0].outcome, Outcome::UserSpace);
    assert_eq!(kinds(log), [(CostKind::DeviceWait, None)]);
    let dated = "Mar 02 10:00:01 host kernel: usb 1-1: Product: Stick\n\
                 Mar 02 10:00:01 host kernel: clocksource: Switched to clocksource tsc\n\
                 Mar 02 10:01:31 host systemd[1]: dev-sdc1.device: Job dev-sdc1.device/start timed out.\n\
                 Mar 02 10:01:31 host systemd[1]: Timed out waiting for device /dev/sdc1.\n";
    assert_eq!(kinds(dated), [(CostKind::DeviceWait, Some(90))]);
}

fn units(log: &str) -> Vec<Part> {
    read(log)
        .parts
        .into_iter()
        .filter(|part| matches!(part, Part::Units(_)))
        .collect()
}

#[test]
fn a_units_own_lines_tell_how_long_it_took() {
    let log = "Mar 02 10:00:01 host systemd[1]: Starting Wait for udev To Complete Device Initialization...\n\
               Mar 02 10:02:02 host systemd[1]: systemd-udev-settle.service: Main process exited, code=exited\n\
               Mar 02 10:02:02 host systemd[1]: Failed to start Wait for udev To Complete Device Initialization.\n";
    assert!(boots(log).is_empty());
    let found = units(log);
    let [Part::Units(report)] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(report.costs[0].cost_ns, Some(121 * S));
    assert_eq!(report.costs[0].kind, CostKind::UdevSettle);
    let quick = "Mar 02 10:00:01 host systemd[1]: Starting Web Server...\n\
                 Mar 02 10:00:01 host systemd[1]: Started Web Server.\n";
    assert!(units(quick).is_empty() && boots(quick).is_empty());
}

#[test]
fn lines_that_somebody_chose_are_no_boot() {
    let chosen = [
        "host:~$ dmesg | grep mmc\n[    1.100000] mmc0: SDHCI controller\n[  300.100000] mmc0: new card\n",
        "# dmesg -l err\n[    1.100000] x: failed\n[   90.100000] y: failed\n",
        "[    1.100000] a: b\n$ sudo dmesg | tail -2\n[  99.100000] c: d\n",
    ];
    for log in chosen {
        let document = read(log);
        let other: Vec<&str> = document
            .parts
            .iter()
            .filter_map(|part| match part {
                Part::NotABoot(part) => Some(part.what.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!((document.boots().count(), other), (0, vec!["excerpt"]), "{log}");
    }
    let all = "$ dmesg\n[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n[    1.100000] Run /init as init process\n";
    assert_eq!(boots(all).len(), 1);
}

#[test]
fn nothing_is_silent_where_lines_were_left_out() {
    let log = |between: &str| {
        format!(
            "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n[    1.000000] a: b\n{between}[    5.000000] c: d\n\
             [    5.100000] Run /init as init process\n"
        )
    };
    assert_eq!(boots(&log(""))[0].gaps[0].duration_ns, 4 * S);
    for between in ["...\n", "[...]\n", "<snip>\n", "```\n```\n"] {
        let found = boots(&log(between));
        assert!(found[0].gaps.iter().all(|gap| gap.duration_ns < S), "{between}");
    }
}

#[test]
fn a_session_and_a_snapshot_end_what_is_judged() {
    let session = "[   10.000000] random: dbus-daemon: uninitialized urandom read (12 bytes read)\n\
                   [   12.000000] random: gdm: uninitialized urandom read (16 bytes read)\n\
                   [   99.000000] random: crng init done\n";
    let found = boots(session);
    assert_eq!(found[0].outcome, Outcome::UserSpace);
    assert!(found[0].gaps.iter().all(|gap| gap.duration_ns <= 2 * S));
    let restored = "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n\
                    [    0.300000] Run /init as init process\n\
                    [    0.400000] x: ready\n\
                    [   55.000000] random: crng reseeded due to virtual machine fork\n\
                    box login: \n";
    let found = boots(restored);
    assert!(found[0].gaps.iter().all(|gap| gap.duration_ns < S));
    assert_eq!(found[0].end.as_ref().map(|end| end.kind), Some(EndKind::Restored));
    assert_eq!(ms(&found[0], StageEvent::FirstUse), None);
}

#[test]
fn random_numbers_that_a_start_script_waits_for() {
    let log = "Sun Jun  2 22:00:01 2024 kern.notice kernel: [    5.000000] random: jshn: uninitialized urandom read (4 bytes read)\n\
               Sun Jun  2 22:00:01 2024 daemon.notice procd: /etc/rc.d/S11keys: Generating\n\
               Sun Jun  2 22:03:01 2024 kern.notice kernel: [  185.000000] random: crng init done\n";
    assert!(
        kinds(log).contains(&(CostKind::RandomNumberWait, Some(180))),
        "{:?}",
        kinds(log)
    );
}

#[test]
fn android_says_when_it_can_be_used() {
    let log = "[    0.000000] Linux version 4.9.1 (a@b) (clang) #1\n\
               [    3.000000] Freeing unused kernel memory: 8192K\n\
               [    9.000000] init: starting service 'zygote'...\n\
               [   20.000000] init: processing action (sys.boot_completed=1) from (/init.rc:700)\n\
               [   90.000000] healthd: battery none chg=au\n";
    let found = boots(log);
    assert_eq!(ms(&found[0], StageEvent::FirstUse), Some(20_000));
    let stage = found[0]
        .stages
        .iter()
        .find(|stage| stage.event == StageEvent::FirstUse)
        .unwrap();
    assert_eq!(stage.shown_by, Some(UseSign::BootCompleted));
    assert!(found[0].gaps.iter().all(|gap| gap.start_ns < 20 * S));
    let used_before = "[    0.000000] Linux version 4.9.1 (a@b) (clang) #1\n\
                       [    3.000000] init: starting service 'zygote'...\n\
                       [   66.000000] healthd: battery none chg=au\n\
                       1|shell@phone:/ $ \nshell@phone:/ $ \n";
    assert_eq!(ms(&boots(used_before)[0], StageEvent::FirstUse), None);
}

#[test]
fn other_inits_without_a_kernel() {
    for log in [
        "- runit: enter stage: /etc/runit/1\n=> Mounting pseudo-filesystems...\nvoid login: \n",
        "   OpenRC 0.52 is starting up Gentoo Linux (x86_64)\n * Mounting /proc ...\n",
        "INIT: version 2.96 booting\nStarting hotplug events dispatcher\n",
        "Finit v4.7\n[ OK ] Starting camera\n",
    ] {
        let found = boots(log);
        assert_eq!((found.len(), found[0].outcome), (1, Outcome::UserSpace), "{log}");
    }
    assert!(boots("- runit: enter stage: /etc/runit/3\n").is_empty());
}

#[test]
fn a_hypervisor_behind_a_daemons_lines_starts_a_boot() {
    let log = "May 02 11:20:00 host systemd[1]: Starting LSB: Xen daemons...\n\
               May 02 11:20:00 host systemd[1]: Failed to start LSB: Xen daemons.\n\n\
               (XEN) Xen version 4.8.3 (Debian) (user@host)\n\
               (XEN) Bootloader: GRUB\n";
    let document = read(log);
    assert_eq!(document.boots().map(|boot| boot.from_line).collect::<Vec<_>>(), [4]);
}

fn detected(bytes: &[u8]) -> Document {
    analyze("x", bytes, &Options::default()).unwrap()
}

#[test]
fn a_journal_in_verbose_form() {
    let entry = |n: u32, us: u64, message: &str| {
        format!(
            "Mon 2021-08-23 21:08:5{n}.476108 PDT [s=ac8c;i={n};b=5431e1;m={us:x};t=56f2f5b66ce6f;x=20cb]\n    \
             _TRANSPORT=kernel\n    PRIORITY=5\n    _SOURCE_MONOTONIC_TIMESTAMP={us}\n    MESSAGE={message}\n"
        )
    };
    let log = format!(
        "{}{}",
        entry(1, 0, "Linux version 5.1.0 (a@b) (gcc) #1 SMP"),
        entry(2, 1_430_621, "Run /init as init process")
    );
    let document = detected(log.as_bytes());
    assert_eq!(document.detected, Format::JournalExport);
    let boot = document.boots().next().unwrap();
    assert_eq!(ms(boot, StageEvent::UserSpaceStart), Some(1430));
}

#[test]
fn a_boot_loaders_program_is_no_boot() {
    let image: Vec<u8> = (0..300)
        .flat_map(|n| format!("U-Boot 2024.01\0Error %d in block {n}\n\0Starting kernel ...\n\0").into_bytes())
        .collect();
    let document = detected(&image);
    assert_eq!((document.detected, document.parts.len()), (Format::Foreign, 0));
}

#[test]
fn a_piece_of_the_kernels_log_still_tells_what_it_waits_for() {
    let piece = |end: &str| {
        format!(
            "[    4.000000] r8169 0000:03:00.0: Direct firmware load for a/b.fw failed with error -2\n\
             [    4.000100] r8169 0000:03:00.0: Falling back to sysfs fallback for: a/b.fw\n\
             {end}"
        )
    };
    let waited = piece("[   64.500000] r8169 0000:03:00.0: unable to load firmware patch a/b.fw (-110)\n");
    assert_eq!(kinds(&waited), [(CostKind::FirmwareFile, Some(60))]);
    let plugged = piece("[ 7300.000000] usb 1-1: new high-speed USB device number 2\n");
    assert_eq!(kinds(&plugged), []);
}

// SPDX-License-Identifier: MIT
//! What may not be said of a text: each once was, of a text that shows the contrary.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::failure::FailureKind;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::Part;
use reading::{boots, ms, read, unit_reports};

/// All costs of all parts.
fn costs(text: &str) -> Vec<Cost> {
    let of = |part: &Part| match part {
        Part::Boot(boot) => boot.costs.clone(),
        Part::Units(report) => report.costs.clone(),
        _ => Vec::new(),
    };
    read(text).parts.iter().flat_map(of).collect()
}

fn no_boots(text: &str) -> Vec<String> {
    let other = |part: &Part| match part {
        Part::NotABoot(part) => Some(part.what.clone()),
        _ => None,
    };
    read(text).parts.iter().filter_map(other).collect()
}

#[test]
fn an_account_broken_behind_a_time_has_its_user_space_and_its_sum() {
    let text = "$ systemd-analyze\n Startup finished in 7.100s (firmware) + 6.200s (loader) + 15.300s (kernel) + 1min 14.400s\n \
                (userspace) = 1min 43.000s\n12.500s frob.service\n 3.500s quux.service\n";
    let document = read(text);
    let startup = unit_reports(&document)[0].startup.clone().unwrap();
    assert_eq!(startup.total_ns, Some(103_000_000_000));
    assert!(
        startup.parts.contains(&("userspace".to_owned(), 74_400_000_000)),
        "{startup:?}"
    );
    // Without the rest, the hanging time is nobody's sum.
    let document = read(&text.replace(" (userspace) = 1min 43.000s\n", ""));
    assert_eq!(unit_reports(&document)[0].startup.as_ref().unwrap().total_ns, None);
}

#[test]
fn a_longer_account_in_the_same_row_of_a_table_is_known() {
    let text =
        "Before | After\n--- | ---\nStartup finished in 6.100s (kernel) + 12.200s (userspace) = 18.300s | Startup \
                finished in 7.100s (kernel) + 52.800s (userspace) = 59.900s\n";
    let document = read(text);
    assert_eq!(unit_reports(&document)[0].longer_unread, Some(3));
}

#[test]
fn stamps_of_one_devices_lines_tell_how_long_it_says_so() {
    let text =
        "$ dmesg | grep ata9\n[    0.700100] ata9: SATA max UDMA/133 abar m8192@0xde400000 port 0xde400180 irq 16\n\
                [    7.000200] ata9: link is slow to respond, please be patient (ready=0)\n\
                [   10.800300] ata9: softreset failed (device not ready)\n\
                [   60.500400] ata9: softreset failed (device not ready)\n";
    let cost = costs(text)
        .into_iter()
        .find(|cost| cost.kind == CostKind::SataLink)
        .unwrap();
    assert_eq!(cost.stamps_span(), Some("53.500 s"), "{}", cost.evidence);
    assert!(!cost.evidence.contains("no time for it"));
}

#[test]
fn a_young_kernel_that_sets_devices_up_is_no_running_system() {
    let disk = "(initramfs) [  217.400100] ata2: port failed to respond (30 secs, Status 0x80)\n\
                [  247.500200] ata2: port failed to respond (30 secs, Status 0x80)\n\
                [  338.100300] ata2: port failed to respond (30 secs, Status 0x80)\n";
    assert!(no_boots(disk).is_empty(), "{:?}", no_boots(disk));
    let link = |name: &str, ns: &str| format!("[  {ns}] IPv6: ADDRCONF(NETDEV_CHANGE): {name}: link becomes ready\n");
    let three = [
        link("wlan0", "146.600100"),
        link("wlan1", "298.400200"),
        link("wlan1-1", "300.100300"),
    ]
    .concat();
    assert!(no_boots(&three).is_empty());
    // One that comes again says nothing of a start.
    let one = [
        link("wlan0", "146.600100"),
        link("wlan0", "298.400200"),
        link("wlan0", "300.100300"),
    ]
    .concat();
    assert_eq!(no_boots(&one), ["running-system"]);
}

const KERNEL: &str = "[    0.000000] Linux version 5.15.0 (a@b) (gcc) #1\n[    0.080000] Trying to unpack rootfs image as \
                      initramfs...\n[    0.860000] Freeing initrd memory: 65856K\n[    0.920000] Run /init as init process\n";

#[test]
fn a_target_reached_inside_the_initramfs_starts_no_scripts() {
    let ram = format!(
        "{KERNEL}[    0.930000] systemd[1]: systemd 239 running in system mode. (+PAM)\n\
         [    0.931000] systemd[1]: Running in initial RAM disk.\n[    0.990000] systemd[1]: Reached target Swap.\n\
         [   90.000000] dracut-initqueue[400]: Warning: dracut-initqueue timeout - starting timeout scripts\n"
    );
    assert_eq!(ms(&boots(&ram)[0], StageEvent::RcScripts), None);
    let real = format!(
        "{ram}[   95.000000] systemd[1]: Switching root.\n[   96.000000] systemd[1]: systemd 239 running in system mode. \
         (+PAM)\n[   97.000000] systemd[1]: Created slice system-getty.slice.\n"
    );
    assert_eq!(ms(&boots(&real)[0], StageEvent::RcScripts), Some(97_000));
}

#[test]
fn the_line_that_ends_a_silence_is_not_what_took_the_time() {
    for (line, kind) in [
        (
            "tg3 0005:09:00.0 eth7: Link is up at 1000 Mbps, full duplex",
            CostKind::NetworkLink,
        ),
        (
            "F2FS-fs (loop7): Mounted with checkpoint version = 3d07f56a",
            CostKind::FileSystemMount,
        ),
        ("PM: Image not found (code -22)", CostKind::ResumeDeviceWait),
    ] {
        let text = format!("{KERNEL}[    1.000000] frob: first\n[    4.000000] {line}\n[    4.001000] quux: next\n");
        let found = costs(&text).into_iter().find(|cost| cost.kind == kind);
        let title = found.map(|cost| cost.title).unwrap_or_default();
        assert!(title.starts_with("nothing is printed "), "{line}: {title}");
    }
}

#[test]
fn what_follows_a_sleep_is_not_the_boots() {
    let text = format!(
        "{KERNEL}[    1.000000] systemd[1]: systemd 239 running in system mode. (+PAM)\n\
         [    1.500000] systemd[1]: Started Frob.\n[   39.500000] PM: suspend entry (s2idle)\n\
         [   41.600000] PM: suspend exit\n[   50.000000] frob 1-1: timed out\n[   61.000000] IP-Config: eth0 hardware address \
         00:11:22:33:44:55 mtu 1500 DHCP\n[   63.000000] IP-Config: no response after 2 secs - giving up\n"
    );
    let late = |cost: &Cost| cost.lines.iter().any(|line| *line > 7);
    let found: Vec<Cost> = costs(&text).into_iter().filter(late).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn settings_comments_and_notes_are_no_waits() {
    for text in [
        "I modified its file so that it is going to\ntimeout after 1 second.\n",
        "I set the service to timeout after 1 second.\n",
        "static const struct frob {\n\tu32 wait; /* msecs\n\ttimeout } */\n",
        "What the course expects:\n\n- Shows timeout logged.\n",
    ] {
        assert!(costs(text).is_empty(), "{text}: {:?}", costs(text));
    }
}

#[test]
fn what_is_printed_behind_a_prompt_ends_no_silence() {
    let text = format!(
        "{KERNEL}[    1.000000] systemd[1]: systemd 239 running in system mode. (+PAM)\n\
         [    1.500000] systemd[1]: Started Frob.\n[  OK  ] Reached target Login Prompts.\n\n\
         box login: [   13.300000] frob: unsigned\n"
    );
    let long = |cost: &Cost| cost.cost_ns.is_some_and(|ns| ns > 10_000_000_000);
    assert!(!costs(&text).iter().any(long), "{:?}", costs(&text));
}

#[test]
fn an_initcall_whose_line_a_mail_broke_did_return() {
    let text = "[    0.000000] Linux version 5.15.0 (a@b) (gcc) #1\n[    1.750000] calling  frob_init+0x0/0x40 @ 1\n\
                [   38.120000] initcall\nfrob_init+0x0/0x40 returned 0 after\n36376321 usecs\n";
    let boots = boots(text);
    assert!(!boots[0].kernel.initcalls.is_empty());
    let kinds: Vec<_> = boots[0].failures.iter().map(|failure| failure.kind).collect();
    assert!(!kinds.contains(&FailureKind::NeverReturned), "{kinds:?}");
}

const SYSTEMD: &str = "Oct  7 01:17:00 box kernel: Linux version 6.1.7 (a@b) (gcc 12) #1 SMP\n\
                       Oct  7 01:17:01 box kernel: Run /sbin/init as init process\n\
                       Oct  7 01:17:02 box systemd: Starting Quux database...\n\
                       Oct  7 01:17:03 box systemd: Starting Set time of frobs...\n";

/// The costs of units' starts, in seconds.
fn units(text: &str) -> Vec<(String, i64)> {
    let of_units = costs(text).into_iter().filter(|cost| cost.kind == CostKind::UnitStart);
    let seconds = |cost: Cost| (cost.title, cost.cost_ns.unwrap_or(0) / 1_000_000_000);
    of_units.map(seconds).collect()
}

#[test]
fn a_step_of_the_clock_is_no_time_of_a_unit() {
    let ended = "Oct  7 01:17:16 box systemd: Started Set time of frobs.\n\
                 Oct  7 01:17:16 box systemd: Started Quux database.\n";
    let told = |words: &str| format!("{SYSTEMD}Oct  7 01:17:16 box {words}\n{ended}");
    let whole = units(&told("frobd[77]: ready"));
    assert!(whole.iter().any(|(_, s)| *s == 14), "{whole:?}");
    // Nobody says by how much: nothing is known.
    assert_eq!(units(&told("systemd: Time has been changed")), []);
    let less = units(&told("ntpdate[77]: step time server 10.7.7.7 offset 9.900000 sec"));
    assert_eq!(less.iter().map(|(_, s)| *s).collect::<Vec<_>>(), [4, 3], "{less:?}");
}

#[test]
fn a_list_of_pairs_and_what_repeats_are_no_silence() {
    let pairs = "It took 1.7 s:\n[    3.100000] frob2: no link\n[    4.800000] frob3: link failed\nIt took 1.6 s:\n\
                 [    5.700000] frob4: no link\n[    7.300000] frob5: link failed\nIt took 1.5 s:\n\
                 [    9.100000] frob7: no link\n[   10.600000] frob8: link failed\n";
    let ends: Vec<Vec<u32>> = costs(pairs).into_iter().map(|cost| cost.lines).collect();
    assert!(!ends.contains(&vec![3, 5]) && !ends.contains(&vec![6, 8]), "{ends:?}");
    let cut = "[    1.339000] libata version 3.00 loaded.\n[    1.354000] ata1: SATA max UDMA/133 irq 64\n\
               [    2.389000] ata1: SATA link down (SStatus 0 SControl 0)\n-- repeats --\n\
               [    9.669000] ata8: failed to resume link (SControl 0)\n";
    assert!(costs(cut).iter().all(|cost| cost.lines != [3, 5]));
}

#[test]
fn what_stands_in_a_silence_is_said() {
    let boot = |inside: &str| {
        format!(
            "[    0.000000] Linux version 6.1.7 (a@b) (gcc 12) #1 SMP\n[    1.364000] Freeing unused kernel memory: 244K\n\
             [    2.166000] init: Console is alive\n[    3.995000] IPv6: ADDRCONF(NETDEV_UP): eth7: link is not ready\n{inside}\
             [    6.091000] eth7: link up (100Mbps/Full duplex)\n[    6.095000] jffs2: notice: complete\n\
             [    6.195000] mount_root: switching to jffs2 overlay\n"
        )
    };
    let longest = |text: &str| costs(text).into_iter().max_by_key(|cost| cost.cost_ns).unwrap().title;
    assert!(longest(&boot("")).starts_with("nothing is printed before the network link"));
    let failsafe = longest(&boot("Press the [f] key and hit [enter] to enter failsafe mode\n"));
    assert_eq!(failsafe, "OpenWrt waits for the key of its failsafe mode");
    let waits = longest(&boot("Waiting for the quuxes...\n"));
    assert!(waits.contains("`Waiting for the quuxes...`"), "{waits}");
    let other = longest(&boot("Quux client 4.2\n"));
    assert!(other.starts_with("nothing is printed with a stamp before"), "{other}");
}

#[test]
fn a_record_of_the_audit_alone_is_no_boot() {
    let page =
        "# Slow\n\nIt takes 90 seconds to reboot.\n\n```shell\n[Aug 7 04:18] audit: type=1400 audit(1700000007.4:7): \
                apparmor=\"STATUS\" operation=\"profile_load\" name=\"frob\" pid=7\n```\n";
    assert!(boots(page).is_empty());
    assert_eq!(no_boots(page), ["running-system"]);
}

#[test]
fn a_mails_subject_is_no_wait_and_a_loaders_count_is_told() {
    let mail = "From: A <a@b>\nSubject: Re: [PATCH v7] frob: Extend deferred probe timeout\n\nNo idea.\n";
    assert!(costs(mail).iter().all(|cost| cost.kind != CostKind::DeviceTimeout));
    let loader = "U-Boot 2031.01 (Jan 01 2031 - 00:00:00 +0000)\nStarting kernel ...\n\nuboot time: 1700000 us\n\
                  [    0.000000] Linux version 6.1.7 (a@b) (gcc 12) #1 SMP\n[    0.010000] CPU: frob\n";
    let told = costs(loader)
        .into_iter()
        .find(|cost| cost.kind == CostKind::FirmwareStep);
    assert_eq!(told.and_then(|cost| cost.cost_ns), Some(1_700_000_000));
}

#[test]
fn an_account_without_its_signs_has_all_its_parts() {
    let document = read(
        "systemd-analyze time Startup finished in 1.200s (kernel) 3.400s (initrd) 12.300s (userspace) = 16.900s\n",
    );
    let startup = unit_reports(&document)[0].startup.clone().unwrap();
    assert_eq!(
        (startup.parts.len(), startup.total_ns),
        (3, Some(16_900_000_000)),
        "{startup:?}"
    );
}

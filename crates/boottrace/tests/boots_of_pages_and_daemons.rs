// SPDX-License-Identifier: MIT
//! Boots in pages that explain a log, in logs that daemons wrote, and in journals of other languages. Logs made up for each
//! class of fault.

mod reading;

use std::fmt::Write;

use boottrace::facts::boot::stage::StageEvent;
use boottrace::Part;
use reading::{boots, ms, read};

#[test]
fn a_journal_has_its_dates_in_the_users_language() {
    for date in ["fev 08", "Mär 08", "févr. 08", "12月 08", "мая 08"] {
        let log = format!(
            "{date} 11:15:51 host kernel: Linux version 5.10.11 (a@b) (gcc) #1 SMP\n\
             {date} 11:15:51 host kernel: Run /sbin/init as init process\n\
             {date} 11:15:52 host systemd[1]: systemd 245 running in system mode. (+PAM)\n\
             {date} 11:16:02 host systemd[1]: Startup finished in 2.000s (kernel) + 9.000s (userspace) = 11.000s.\n"
        );
        let found = boots(&log);
        assert_eq!(found.len(), 1, "{date}");
        assert_eq!(ms(&found[0], StageEvent::UserSpaceStart), Some(2000), "{date}");
    }
}

/// What systemd and a program write of a start, as a log for daemons has it: without the kernel.
fn start(day: u32, parts: &str) -> String {
    let mut log = format!(
        "Sep {day} 02:00:07 pi systemd[1]: Starting Remount Root and Kernel File Systems...\n\
         Sep {day} 02:00:09 pi systemd[713]: Startup finished in 31ms.\n\
         Sep {day} 02:00:11 pi systemd[1]: Startup finished in {parts}.\n"
    );
    for minute in 0..50 {
        writeln!(
            log,
            "Sep {day} 03:{minute:02}:00 pi hostapd[400]: wlan0: STA associated"
        )
        .unwrap();
    }
    log
}

#[test]
fn each_start_in_a_log_of_daemons_is_a_boot_and_what_ran_before_is_none() {
    let before = (0..50).fold(String::new(), |mut log, minute| {
        writeln!(
            log,
            "Sep 20 03:{minute:02}:00 pi systemd[1]: Started Session {minute} of user pi."
        )
        .unwrap();
        log
    });
    let log = before
        + &start(26, "2.176s (kernel) + 8.845s (userspace) = 11.021s")
        + &start(28, "2.157s (kernel) + 9.053s (userspace) = 11.211s");
    let found = boots(&log);
    assert_eq!(found.len(), 2);
    assert_eq!(ms(&found[1], StageEvent::UserSpaceStart), Some(2157));
    assert_eq!(found[0].from_line, 51);
}

#[test]
fn a_start_of_a_users_manager_is_no_boot() {
    let log = "\
Dec  1 06:39:47 ip-1 systemd[1]: Starting Cleanup of Temporary Directories...
Dec  1 06:39:47 ip-1 kernel: [105742.162985] audit: type=1400 audit(1606823204.445:30): apparmor=\"STATUS\"
Dec  1 16:52:06 ip-1 systemd[21643]: Reached target Default.
Dec  1 16:52:06 ip-1 systemd[21643]: Startup finished in 47ms.
";
    assert_eq!(boots(log).len(), 0);
}

#[test]
fn the_x_servers_log_is_no_second_boot() {
    let log = "\
Linux version 2.6.34 (a@b) (gcc version 4.5.2) #1 SMP
Kernel command line: root=/dev/mmcblk0p1
VFS: Mounted root (ext4 filesystem) on device 179:1.
Freeing init memory: 156K
Starting system log
X.Org X Server 1.7.6
Current Operating System: Linux board 2.6.34 #1 SMP armv7l
Kernel command line: root=/dev/mmcblk0p1
Build Date: 09 November 2011
board login: root
";
    assert_eq!(boots(log).len(), 1);
}

#[test]
fn an_init_of_that_name_on_a_mounted_root_is_no_initramfs() {
    let log = "\
[    0.000000] Linux version 5.10.0 (a@b) (gcc) #1 SMP
[    2.854540] VFS: Mounted root (erofs filesystem) readonly on device 254:0.
[    2.865870] Freeing unused kernel image (initmem) memory: 1352K
[    2.886072] Run /init as init process
[    3.038145] init: init first stage started!
";
    let found = boots(log);
    assert_eq!(ms(&found[0], StageEvent::UserSpaceStart), Some(2886));
    assert_eq!(ms(&found[0], StageEvent::Initramfs), None);
}

#[test]
fn systemd_ends_the_journal_of_the_initramfs_when_it_changes_root() {
    let log = "\
[    0.000000] Linux version 3.10.0 (a@b) (gcc) #1 SMP
[    0.311137] Unpacking initramfs...
[    0.862149] Freeing unused kernel memory: 1764k freed
[    0.863215] systemd[1]: systemd 219 running in system mode. (+PAM)
[    0.863242] systemd[1]: Running in initial RAM disk.
[    1.952416] systemd-journald[93]: Received SIGTERM from PID 1 (systemd).
[    2.100000] SELinux:  Disabled at runtime.
[    3.100000] XFS (dm-2): Ending clean mount
";
    let found = boots(log);
    assert_eq!(ms(&found[0], StageEvent::SwitchRoot), Some(1952));
}

#[test]
fn a_page_that_shows_parts_of_a_log_and_then_the_whole_has_one_boot() {
    let mut log = String::from("# What the console says\n\n```\n");
    let line = |number: u32| format!("[0000.{:03}] I> step {number} of the loader\n", 63 + 7 * number);
    let first = "[0000.060] I> MB1 (version: 1.4.0.4-t234-54845784)\n";
    log += first;
    log += &(0..4).map(line).collect::<String>();
    log += "[0000.098] I> step 5 of ...\n";
    log += "```\n\nAnd the whole:\n\n```\n";
    log += first;
    log += &(0..40).map(line).collect::<String>();
    log += "[    0.000000] Booting Linux on physical CPU 0x0\n";
    log += "[    0.000000] Linux version 5.10.0 (a@b) (gcc) #1 SMP\n[    1.500000] Run /init as init process\n```\n";
    let document = read(&log);
    let parts = &document.parts;
    assert_eq!(parts.iter().filter(|part| matches!(part, Part::Boot(_))).count(), 1);
    assert!(ms(document.boots().next().unwrap(), StageEvent::KernelStart).is_some());
}

#[test]
fn a_loader_that_says_the_same_in_each_boot_is_reset_each_time() {
    let mut log = String::new();
    for _ in 0..3 {
        log +=
            "Format: Log Type - Time(microsec) - Message - Optional Info\nS - QC_IMAGE_VERSION_STRING=BOOT.BF.3.1.1\n";
        for step in 1..9 {
            writeln!(log, "B - {:9} - step {step}, Start", 30_000 * step).unwrap();
        }
    }
    assert_eq!(boots(&log).len(), 3);
}

#[test]
fn notes_that_name_the_versions_have_no_boot_before_the_logs() {
    let log = "\
Command: qemu-system-riscv64 -M virt
Version:
OpenSBI v0.9
U-Boot 2021.04-00906 (Apr 19 2021 - 11:41:30 +0800)
Linux version 5.4.0 (a@b) (gcc version 8.2.0) #78 SMP Wed Dec 4

OpenSBI v0.9
U-Boot 2021.04-00906 (Apr 19 2021 - 11:41:30 +0800)
Hit any key to stop autoboot:  0
Starting kernel ...

[    0.000000] Linux version 5.4.0 (a@b) (gcc version 8.2.0) #78 SMP Wed Dec 4
[    4.732001] VFS: Mounted root (ext4 filesystem) on device 254:0.
[    4.783434] Run /sbin/init as init process
buildroot login: root
";
    let found = boots(log);
    assert_eq!(found.len(), 1);
    assert_eq!(ms(&found[0], StageEvent::UserSpaceStart), Some(4783));
}

#[test]
fn a_log_daemon_repeats_the_kernels_log_on_a_terminal_that_cuts_lines() {
    let banner = "Linux version 5.0.0-rc3-00055-gcfeb525f403f-dirty (shyam@debian) (gcc version 6.3.1 20170109)";
    let log = format!(
        "[    0.000000] Booting Linux on physical CPU 0x0\n\
         [    0.000000] {banner} 9\n\
         [    3.506235] Run /sbin/init as init process\n\
         Starting logging: OK\n\
         Jan  1 00:00:03 buildroot syslog.info syslogd started: BusyBox v1.27.2\n\
         Jan  1 00:00:03 buildroot kern.info kernel: [    0.000000] Booting Linux on physical CPU 0x0\n\
         Jan  1 00:00:03 buildroot kern.notice kernel: [    0.000000] {}9\n\
         Jan  1 00:00:04 buildroot kern.notice kernel: [    4.200491] random: dd: uninitialized urand\n\
         buildroot login:\n",
        &banner[..72]
    );
    let found = boots(&log);
    assert_eq!(found.len(), 1);
    assert!(ms(&found[0], StageEvent::FirstUse).is_some());
}

#[test]
fn a_kernel_of_freebsd_that_speaks_again_is_another_boot() {
    let boot = |minute: u32| {
        let head = format!("Apr 27 18:{minute}:21 frob");
        format!(
            "{head} syslogd: kernel boot file is /boot/kernel/kernel\n\
             {head} kernel: Copyright (c) 1992-2035 The FreeBSD Project.\n\
             {head} kernel: FreeBSD is a registered trademark of The FreeBSD Foundation.\n\
             {head} kernel: ada7: 20480MB (41943040 512 byte sectors)\n\
             {head} kernel: Root mount waiting for: usbus7\n\
             {head} kernel: Trying to mount root from ufs:/dev/ada7p2 [rw]...\n\
             {head} frobd[77]: starting\n"
        )
    };
    let down = "Apr 27 18:20:15 frob reboot: rebooted by root\nApr 27 18:20:15 frob syslogd: exiting on signal 15\n";
    assert_eq!(boots(&boot(10)).len(), 1);
    assert_eq!(boots(&format!("{}{down}{}", boot(10), boot(30))).len(), 2);
}

#[test]
fn a_list_of_words_to_search_for_is_no_panic() {
    let list =
        "Fatal\n\nKernel panic - not syncing: Fatal exception\n\npanic\nWatchdog bark!\n\nToo many open frobs\n\n\
                No space left\n\nInternal error: Oops\n\nRebooting in\n\nException stack\n\ninit: Starting service\n";
    assert!(boots(list).is_empty());
    let machines = list.replace("No space left", "CPU: 0 PID: 1 Comm: frob");
    assert!(!boots(&machines).is_empty());
}

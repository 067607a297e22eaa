// SPDX-License-Identifier: MIT
//! Where boots begin and end, and what of a log is no time of a boot. Logs made up for each class of fault.

mod reading;

use boottrace::costs::CostKind;
use boottrace::facts::boot::failure::Outcome;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::Part;
use reading::{boots, ms, read};

const KERNEL: &str = "[    0.000000] Booting Linux on physical CPU 0x0\n\
                      [    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n\
                      [    1.000000] Run /sbin/init as init process\n";

fn begins(log: &str) -> Vec<u32> {
    boots(log).iter().map(|boot| boot.from_line).collect()
}

#[test]
fn what_firmware_prints_before_its_name_is_the_next_boots() {
    let head = "NOTICE:  CPU: STM32MP157CAC Rev.B\nNOTICE:  Board: MB1272\nNOTICE:  BL2: v2.6(release):x\n";
    let log = format!("{head}{KERNEL}box login:\n{head}{KERNEL}box login:\n");
    assert_eq!(begins(&log), [1, 8]);
    let restarted =
        format!("{head}{KERNEL}box login: root\n[   99.000000] reboot: Restarting system\nDDR init ok\n{head}{KERNEL}");
    assert_eq!(begins(&restarted), [1, 9]);
}

#[test]
fn nothing_runs_first_behind_the_last_loader() {
    let bootblock = "coreboot-v1 Mon Sep 12 14:38:59 UTC 2022 bootblock starting (log level: 8)...\n";
    let log = format!(
        "coreboot-v1 Mon Sep 12 14:38:59 UTC 2022 smm starting (log level: 8)...\nStarting kernel ...\n\n{bootblock}POST: 0x41\n\
         Starting depthcharge on x...\nStarting kernel ...\n{KERNEL}"
    );
    assert_eq!(begins(&log), [1, 4]);
    // A table of marks names that step too.
    let table = format!("1101:jumping to kernel     9,223,372\n{bootblock}{KERNEL}");
    assert_eq!(boots(&table).len(), 1);
}

#[test]
fn a_page_with_two_blocks_shows_two_boots() {
    let block =
        format!("```\nDDR: Reset type is 'Power-On'\nU-Boot SPL 2024.01 (Jan 01 2024)\n{KERNEL}box login:\n```\n");
    let log = format!("{block}\n### From QSPI\n\n{block}");
    assert_eq!(begins(&log), [2, 13]);
}

#[test]
fn stamps_of_weeks_are_another_run() {
    let log =
        "Mar 22 18:17:17 host kernel: [10295736.887716] type=1400 audit(1458685037.592:32): apparmor=\"STATUS\"\n\
               Mar 22 18:26:13 host kernel: [    0.000000] Initializing cgroup subsys cpuset\n\
               Mar 22 18:26:13 host kernel: [    0.000000] Linux version 3.13.0-57-generic (a@b) #95\n\
               Mar 22 18:26:13 host kernel: [   12.194814] Freeing unused kernel memory: 1336K\n";
    let found = boots(log);
    assert_eq!((found.len(), found[0].from_line), (1, 2));
    assert_eq!(ms(&found[0], StageEvent::KernelStart), Some(0));
    assert_eq!(ms(&found[0], StageEvent::UserSpaceStart), Some(12_194));
}

#[test]
fn what_follows_an_elision_days_later_is_a_running_system() {
    let log = "[    0.000000] Linux version 6.1 (a@b) #1\n[    0.500000] efi: UEFI not found.\n[...]\n\
               [2333810.000000] ata1: hard resetting link\n[2333871.500000] ata1: EH complete\n";
    let document = read(log);
    assert_eq!(document.boots().count(), 1);
    assert!(document.boots().next().unwrap().costs.is_empty());
    assert!(matches!(&document.parts[1], Part::NotABoot(part) if part.what == "running-system"));
}

#[test]
fn an_author_between_two_pieces_makes_no_silence() {
    let log = "[    6.000000] usb 7-1: a\n[    6.010000] usb 7-1: b\n\nThen I press the button.\n\n[   47.700000] usb 7-1: c\n";
    assert!(boots(log)[0].costs.is_empty());
}

#[test]
fn an_initramfs_that_waits_still_boots() {
    let line = |s: u32| {
        format!("[  {s}.000000] dracut-initqueue[543]: Warning: dracut-initqueue: timeout, still waiting for following initqueue hooks:\n")
    };
    let hook = "[  193.000000] dracut-initqueue[543]: Warning: /lib/dracut/hooks/initqueue/finished/devexists-\\x2fdev\\x2froot.sh: \"[ -e ]\"\n";
    let log = format!("{}{hook}{}", line(192), line(204));
    let found = boots(&log);
    let cost = found[0]
        .costs
        .iter()
        .find(|cost| cost.kind == CostKind::DeviceWait)
        .unwrap();
    assert!(cost.title.ends_with(": /dev/root"), "{}", cost.title);
    assert_eq!((cost.cost_ns, cost.at_least), (Some(12_000_000_000), true));
}

#[test]
fn a_log_that_its_author_cut_is_not_said_to_end_there() {
    let log = "U-Boot 2016.07\nStarting kernel ...\n[    0.000000] Booting Linux on physical CPU 0x0\n....\n";
    let found = boots(log);
    assert_eq!(ms(&found[0], StageEvent::KernelStart), Some(0));
    assert_eq!(found[0].end.as_ref().map(|end| end.line), Some(3));
    assert_eq!(found[0].outcome, Outcome::EndsInKernel);
}

#[test]
fn dates_of_whole_seconds_show_a_named_wait() {
    let log = "Dec 31 19:00:07 host kernel: EXT4-fs (sda3): INFO: recovery required on readonly filesystem\n\
               Dec 31 19:00:07 host kernel: EXT4-fs (sda3): write access will be enabled during recovery\n\
               Dec 31 19:00:20 host kernel: EXT4-fs (sda3): recovery complete\n\
               Dec 31 19:00:21 host kernel: EXT4-fs (sda3): mounted filesystem with ordered data mode.\n";
    let found = boots(log);
    let told = found[0]
        .costs
        .iter()
        .find(|cost| cost.kind == CostKind::FileSystemRecovery);
    assert_eq!(told.and_then(|cost| cost.cost_ns), Some(13_000_000_000));
}

#[test]
fn a_root_device_that_never_comes_is_waited_for_to_the_end() {
    let wait = "[    0.600000] Waiting for root device /dev/mmcblk0p2...\n[    1.500000] usb 4-1: new device\n";
    let never = format!("{wait}[    6.100000] mmc0: card never left busy state\n");
    let cost = |log: &str| {
        boots(log)[0]
            .costs
            .iter()
            .find(|cost| cost.kind == CostKind::RootDeviceWait)
            .cloned()
            .unwrap()
    };
    assert_eq!(
        (cost(&never).cost_ns, cost(&never).at_least),
        (Some(5_500_000_000), true)
    );
    let comes = format!("{wait}[    9.600000] mmc0: new HS400 MMC card at address 0001\n[   30.000000] x\n");
    assert_eq!(
        (cost(&comes).cost_ns, cost(&comes).at_least),
        (Some(9_000_000_000), false)
    );
}

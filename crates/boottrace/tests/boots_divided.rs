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

#[test]
fn lines_of_another_log_are_none_of_this_boots() {
    let stamped = |n: u32| format!("[    1.{n:06}] frob{n}: up\n");
    let log: String = (0..30).map(stamped).collect();
    let words = "I also built it anew without the frob.\nThis changed nothing in the errors.\nSo I went back to the first one.\n\
                 The log of my own machine contains the lines\n\n";
    let found = "[17742.379990] oom-kill: frob\n[17743.802356] oom_reaper: reaped\n\nand the output is\n";
    let read = boots(&format!("{KERNEL}{log}\n{words}{found}"));
    let last = read[0].stages.iter().filter_map(|stage| stage.ns).max();
    assert!(last < Some(2_000_000_000), "{last:?}");
    assert!(read[0].costs.iter().all(|cost| cost.cost_ns < Some(2_000_000_000)));
    let quoted = "I note that your log has:\n\n| Hit any key to stop autoboot:  1  0 \n| frob: ERROR\n\n... whereas mine has:\n\n\
                  | Hit any key to stop autoboot:  0\n\n";
    let read = boots(&format!("{quoted}{KERNEL}{log}"));
    assert_eq!(read.len(), 1);
    assert!(
        read[0].costs.iter().all(|cost| cost.kind != CostKind::BootLoaderDelay),
        "{:?}",
        read[0].costs
    );
}

#[test]
fn accounts_that_are_set_side_by_side_are_no_one_boot() {
    let log =
        "My frob is slow.\n\n<<<<<<< 2.6.18\n[   26.332472] frob: table\n[   26.334415] quux: up\n>>>>>>> 2.6.18-rc7\n\
               [   32.102004] frob: table\n[   32.174041] quux: up\n\nStrange delay in rc7.\n\n<<<<<<< 2.6.18\n\
               [   36.708752] NET: frob\n[   36.708952] NET: quux\n>>>>>>> 2.6.18-rc7\n[   41.329553] NET: frob\n\
               [   41.339553] NET: quux\n";
    let read = boots(log);
    assert_eq!(
        read.iter().map(|boot| boot.from_line).collect::<Vec<_>>(),
        [4, 7, 13, 16]
    );
    assert!(read
        .iter()
        .flat_map(|boot| &boot.costs)
        .all(|cost| cost.cost_ns < Some(100_000_000)));
}

#[test]
fn two_loaders_of_a_page_answer_apart() {
    let answer = |name: &str, ms: u32| {
        format!("```\nFrob (P2771) # version\nU-Boot {name}\ngcc 4.8\n\nRetrieving file: /boot/Image\n10000000 bytes read in {ms} ms (1 MiB/s)\n```\n")
    };
    let (stock, built) = (
        answer("2016.07-g0ce7 (Jul 20 2017 - 00:45:25 -0700)", 534),
        answer("2016.07 (Aug 16 2017 - 13:55:00 +0000)", 32753),
    );
    let page = format!("The frob is slower.\n\nIt is built anew.\n\nStock u-boot:\n{stock}\nBuilt u-boot:\n{built}");
    // Whoever stored the page may have cut it in its last block.
    for page in [page.as_str(), page.trim_end_matches("```\n")] {
        let read = boots(page);
        assert_eq!(read.len(), 2);
        let most = |at: usize| read[at].costs.iter().filter_map(|cost| cost.cost_ns).max();
        assert_eq!((most(0), most(1)), (Some(534_000_000), Some(32_753_000_000)));
    }
}

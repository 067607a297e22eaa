// SPDX-License-Identifier: MIT
//! Pages that show logs in blocks, reports of a kernel's failure alone, and what else unseen logs showed. Logs made up for
//! each class of fault.

mod reading;

use boottrace::facts::boot::gap::BootPart;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::{Boot, Part};
use reading::{boots, ms, read};

const LOG: &str = "\
U-Boot 2021.01 (Jan 14 2021 - 10:09:43 +0530)
Hit any key to stop autoboot:  0
Starting kernel ...
[    0.000000] Linux version 5.6.17 (a@b) (gcc version 7.2.0) #2 SMP
[    1.184157] Run /init as init process
Welcome to Buildroot
buildroot login:
";

/// The log as reStructuredText, Markdown and a wiki show it, with sentences around it that sound like a loader.
fn pages() -> [String; 3] {
    let indented = LOG.lines().fold(String::new(), |all, line| all + "   " + line + "\n");
    let around = |block: &str| {
        format!(
            "Board\n=====\n\nU-Boot SPL loads U-Boot from the card.\nStarting kernel ... means that it is done.\n\n{block}\n\
             Resetting the board\n\nTo configure the network by hand:\n\n/etc/init.d/network restart\n"
        )
    };
    [
        around(&format!(".. code-block:: none\n\n{indented}")),
        around(&format!("```log\n{LOG}```\n")),
        around(&format!("{{{{{{\n{LOG}}}}}}}\n")),
    ]
}

#[test]
fn the_text_of_a_page_is_none_of_the_log_in_it() {
    for page in pages() {
        let found = boots(&page);
        assert_eq!(found.len(), 1, "{page}");
        let boot = &found[0];
        let line = |event| boot.stages.iter().find(|s| s.event == event).and_then(|s| s.line);
        let firmware = page.lines().position(|l| l.trim().starts_with("U-Boot 2021")).unwrap();
        assert_eq!(line(StageEvent::Firmware), u32::try_from(firmware + 1).ok(), "{page}");
        assert_eq!(ms(boot, StageEvent::UserSpaceStart), Some(1184), "{page}");
        assert!(line(StageEvent::FirstUse).is_some(), "{page}");
        let skipped = read(&page).skipped;
        assert!(
            skipped.iter().any(|s| s.reason == "text of the page around the log"),
            "{page}"
        );
    }
}

#[test]
fn a_loader_in_the_next_block_of_a_page_has_been_started_anew() {
    let block =
        |version: &str| format!("```\nU-Boot {version} (Jan 14 2021 - 10:09:43 +0530)\nDRAM:  1 GiB\n=>\n```\n");
    let page = format!(
        "# Board\n\nFirst the old one.\n{}\nThen the new one.\n{}",
        block("2018.01"),
        block("2018.03")
    );
    assert_eq!(boots(&page).len(), 2);
    // A loader may start another.
    let chained =
        "U-Boot 2018.01 (Jan 14 2021 - 10:09:43)\nDRAM:  1 GiB\n=> go 80000\nU-Boot 2018.03 (Jan 15 2021 - 10:09:43)\n";
    assert_eq!(boots(chained).len(), 1);
}

#[test]
fn a_log_with_a_mark_in_it_is_no_page() {
    let log = format!("```\ncat notes\n```\none\ntwo\nthree\n{LOG}");
    assert!(read(&log)
        .skipped
        .iter()
        .all(|s| s.reason != "text of the page around the log"));
    assert_eq!(boots(&log).len(), 1);
}

fn not_a_boot(log: &str) -> Option<(String, String)> {
    read(log).parts.into_iter().find_map(|part| match part {
        Part::NotABoot(part) => Some((part.what, part.why)),
        _ => None,
    })
}

#[test]
fn a_kernel_that_fails_after_long_is_no_boot() {
    let log =
        "[ 2331.755198] BUG: stack guard page was hit\n[ 2331.980992] Kernel panic - not syncing: Fatal exception\n";
    let (what, why) = not_a_boot(log).unwrap();
    assert_eq!(what, "running-system");
    assert!(
        why.contains("2331 s") && why.contains("line 1 says `BUG: stack"),
        "{why}"
    );
    assert!(not_a_boot(&log.replace("2331.", "12.")).is_none());
    // The end of a boot that others follow.
    let again = "[    0.000000] Linux version 6.1 (a@b) (gcc) #1\n[    1.000000] Run /init as init process\n";
    assert_eq!(boots(&format!("{log}{again}")).len(), 2);
}

#[test]
fn a_report_of_a_failure_without_a_stamp_is_no_boot() {
    let log =
        "Internal error: kernel stack overflow: 0 [#1] PREEMPT SMP ARM\nCPU: 1 PID: 5 Comm: udevd Not tainted\nPC is at x+0x8\n";
    assert_eq!(not_a_boot(log).unwrap().0, "report");
    // The kernel's own start failed.
    assert!(not_a_boot(&log.replace("udevd", "swapper/0")).is_none());
}

#[test]
fn a_first_line_whose_stamp_is_cut() {
    let log = "Starting kernel ...\n000] Linux version 6.2.0 (a@b) (gcc) #1 SMP\n[    0.000000] Machine model: Board\n\
               [    1.500000] Run /init as init process\n";
    let found = boots(log);
    assert_eq!(ms(&found[0], StageEvent::KernelStart), Some(0));
    assert_eq!(ms(&found[0], StageEvent::UserSpaceStart), Some(1500));
}

fn costs(boot: &Boot) -> Vec<(&str, Option<i64>)> {
    boot.costs
        .iter()
        .map(|c| (c.title.as_str(), c.cost_ns.map(|ns| ns / 1_000_000)))
        .collect()
}

#[test]
fn an_initramfs_that_asks_for_an_address_in_vain() {
    let log = "[    0.000000] Linux version 6.13.0 (a@b) (gcc) #1 SMP\n[    2.000000] Run /init as init process\n\
               IP-Config: no response after 4 secs - giving up\n#\nIP-Config: no response after 100 secs - giving up\n\
               /init: 384: .: [  106.500000] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000200\n";
    let found = boots(log);
    let title = "the initramfs asks for an address, and nobody answers";
    assert!(costs(&found[0]).contains(&(title, Some(104_000))));
    // A test tool typed the `#`.
    let first_use = found[0]
        .stages
        .iter()
        .find(|s| s.event == StageEvent::FirstUse)
        .unwrap();
    assert_eq!(first_use.line, None);
}

#[test]
fn the_time_of_an_unpacked_initramfs_is_told_once() {
    let log = "[    0.000000] Linux version 5.4.0 (a@b) (gcc) #1 SMP\n[    0.200000] Unpacking initramfs...\n\
               [    0.300000] workingset: timestamp_bits=62\n[   13.000000] Freeing initrd memory: 149264K\n\
               [   14.000000] VFS: x\n[   14.100000] Run /init as init process\n";
    let found = boots(log);
    let told: Vec<_> = costs(&found[0])
        .into_iter()
        .filter(|(_, ms)| ms.is_some_and(|ms| ms >= 500))
        .collect();
    assert_eq!(told[0], ("the initramfs is unpacked", Some(12_800)));
    assert_eq!(told.len(), 2);
    assert_eq!(told[1].1, Some(1000));
}

#[test]
fn the_next_program_of_the_firmware_counts_from_its_own_start() {
    let log = "B -         0 - PBL, Start\nB -     86955 - SBL1, Start\nB -    762713 - SBL1, End\n\
               Android Bootloader - UART_DM Initialized!!!\n[0] welcome to lk\n[10] platform_init()\n[200] Wait\n\
               [5200] mdtp: loaded\n[5310] Jumping to kernel via monitor\n[    0.000000] Linux version 4.11.3 (a@b) (gcc) #1\n";
    let found = boots(log);
    let longest = found[0]
        .gaps
        .iter()
        .filter(|gap| gap.part == BootPart::Firmware)
        .max_by_key(|gap| gap.duration_ns)
        .unwrap();
    assert_eq!(
        (longest.after_line, longest.before_line, longest.duration_ns),
        (7, 8, 5_000_000_000)
    );
}

#[test]
fn the_log_that_an_installer_keeps() {
    let log = "03:09:07,531 NOTICE kernel:Linux version 3.10.0 (a@b) (gcc) #1 SMP\n\
               03:09:07,567 INFO kernel:Freeing unused kernel memory: 1764k freed\n\
               03:09:08,285 INFO systemd:Started Login Service.\n";
    assert_eq!(boots(log).len(), 1);
    let program = "03:09:13,200 INFO anaconda: starting\n03:09:14,000 DEBUG anaconda: step\n";
    assert_eq!(boots(program).len(), 0);
}

#[test]
fn start_scripts_that_name_themselves() {
    let log =
        "[    0.000000] Linux version 3.10.0 (a@b) (gcc) #1\n[    1.052608] kdebugd: enter\n/etc/rc.local start\n\
               [    1.150936] usb: x\n";
    let found = boots(log);
    assert!(found[0]
        .stages
        .iter()
        .any(|s| s.event == StageEvent::UserSpaceStart && s.line == Some(3)));
}

#[test]
fn a_loaders_last_words_are_no_start_script() {
    let log = "[    0.000000] Linux version 5.9.0 (a@b) (gcc) #1\n[    0.363397] Run /init as init process\n\
               => bootm $loadaddr\nStarting kernel ...\n";
    let found = boots(log);
    assert!(found[0]
        .stages
        .iter()
        .all(|s| s.event != StageEvent::RcScripts || s.line.is_none()));
}

#[test]
fn what_was_read_does_not_overlap() {
    for page in pages() {
        let took = read(&page).took;
        assert!(took.windows(2).all(|two| two[0].to_line < two[1].from_line), "{took:?}");
    }
}

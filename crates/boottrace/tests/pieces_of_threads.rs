// SPDX-License-Identifier: MIT
//! Mails and threads that show several logs, lines of them once more, or what somebody chose out of them.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::document::document::Part;
use reading::{boots, read};

const MS: i64 = 1_000_000;

/// What is no boot, and the lines of each.
fn no_boots(text: &str) -> Vec<(String, u32, u32)> {
    let other = |part: &Part| match part {
        Part::NotABoot(part) => Some((part.what.clone(), part.from_line, part.to_line)),
        _ => None,
    };
    read(text).parts.iter().filter_map(other).collect()
}

fn costs(text: &str) -> Vec<Cost> {
    boots(text).into_iter().flat_map(|boot| boot.costs).collect()
}

fn titles(text: &str) -> Vec<String> {
    costs(text).into_iter().map(|cost| cost.title).collect()
}

const FROBS: &str = "[    1.000100] frob 1-1: first\n[    4.000200] frob 1-1: second\n[    4.100300] frob 1-1: third\n";

#[test]
fn a_line_shown_once_more_is_no_boot() {
    let text =
        format!("{FROBS}\nIt waits a lot there, and I do not know why that is.\n\n[    4.000200] frob 1-1: second\n");
    assert_eq!(boots(&text).len(), 1);
    // Another boot's stamps differ in their last digits.
    let text = text.replacen("4.000200", "4.000900", 1);
    assert_eq!(boots(&text).len(), 2);
}

#[test]
fn a_resume_and_a_boot_are_two_pieces() {
    let text = "On resume I get this log:\n\n\
                [  461.800100] quux: detected stalls on CPUs\n[  468.900200] quux: not ready at resume -110\n\n\
                This is on 9.0.3. With the file in place I get a massive\nstall in bootup:\n\n\
                [    0.300100] pci 0000:00:1c.1: enabling device (0106 -> 0107)\n\
                [    6.200200] pci 0000:03:00.0: quux handoff took 5700000 usecs\n";
    let found = boots(text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].from_line, 9);
    assert_eq!(no_boots(text)[0].0, "running-system");
}

#[test]
fn logs_of_two_machines_are_apart() {
    // Nothing but a blank line stands between them.
    let text = "[    3.300100] bus: probing frob with ff02.crypto\n[   54.600200] frob ff02.crypto: ready\n\n\
                [    1.100300] bus: probing frob with b003.crypto\n[   11.500400] frob b003.crypto: ready\n";
    assert_eq!(boots(text).len(), 2);
    // One stamp of another processor's clock begins none.
    let text = "[    3.300100] frob: a\n\n[    1.100300] frob: b\n[    3.400100] frob: c\n";
    assert_eq!(boots(text).len(), 1);
}

#[test]
fn what_each_command_prints_is_a_choice() {
    let text = "    $ dmesg | grep -e DMI -e console\n    [    0.000000] DMI: Frob Inc. One\n\
                    [    2.600100] printk: console [tty0] enabled\n    [    5.400200] printk: console [ttyS0] enabled\n\n\
                    $ dmesg | grep -e DMI -e console\n    [    0.000000] DMI: Frob Inc. Two\n\
                    [    0.100100] printk: console [tty0] enabled\n    [    1.300200] printk: console [ttyS0] enabled\n\n\
                    $ dmesg | grep -e DMI -e console\n    [    0.000000] DMI: Frob Inc. Three\n\
                    [    1.500100] printk: console [tty0] enabled\n    [    3.000200] printk: console [ttyS0] enabled\n";
    let chosen = no_boots(text);
    assert_eq!(chosen.len(), 3, "{chosen:?}");
    assert!(chosen.iter().all(|(what, ..)| what == "excerpt") && boots(text).is_empty());
}

#[test]
fn a_broken_command_chooses_too() {
    for command in [
        "$ egrep 'blocks|Gbps'\nsaved_from_the_frob.txt",
        "# dmesg |\n grep -i frob",
        "$ dmesg | grep -e 'frob' \\\n -e 'quux'",
    ] {
        let text = format!("Here is what I see:\n\n{command}\n{FROBS}");
        assert_eq!(no_boots(&text)[0].0, "excerpt", "{command}");
    }
}

#[test]
fn a_long_uptime_with_a_start_is_a_boot() {
    let marked = "Mine looks like this:\n\n+[ 1126.041880] frob0: Capabilities={Quux}\n\
                  +Begin: Waiting for root file system ...\n+[ 1127.069515] scsi host2: thread failed to spawn, error = -4\n\
                  +[ 1127.069515] frob: Unable to register\n";
    assert_eq!((boots(marked).len(), no_boots(marked).len()), (1, 0));
    let worker = "[  155.152551] quuxdrv 0000:00:01.0: up\n[  242.946675] INFO: task systemd-udevd:94 blocked for more than 120 seconds.\n\
                  [  242.947881]  frob_add+0x3c2/0x400 [frob]\n[  242.966130]  do_init_module+0x4a/0x1e0\n";
    assert_eq!((boots(worker).len(), no_boots(worker).len()), (1, 0));
    let display =
        "[  155.065997] quux 0000:00:01.0: [drm] fb0: quuxdrmfb frame buffer device\n[  242.946675] frob: late\n";
    assert_eq!(no_boots(display).len(), 0);
    // A worker of a system that has long been up has a high number.
    let plugged = worker.replace("udevd:94", "udevd:94123");
    assert_eq!(no_boots(&plugged)[0].0, "running-system");
}

#[test]
fn one_stamp_of_another_clock_makes_no_silence() {
    let text = "[    0.000000] Linux version 9.9.9 (frob@quux) #1 SMP\n[   20.100100] smp: CPUs: #9\n\
                [    7.560100] smpboot: CPU 10 Converting physical 0\n[   20.200100] smp: CPUs: #11\n\
                [   20.240100] smp: Brought up 2 nodes\n";
    let boot = &boots(text)[0];
    assert!(
        boot.gaps.iter().all(|gap| gap.duration_ns != 12_640 * MS),
        "{:?}",
        boot.gaps
    );
    assert!(boot.longest.as_ref().is_none_or(|stretch| stretch.after_line != 3));
    // A clock that stays behind is another one.
    let stays = text.replace("20.2001", "9.2001").replace("20.2401", "9.2401");
    assert!(boots(&stays)[0].gaps.iter().any(|gap| gap.after_line == 3));
}

#[test]
fn settings_and_names_are_no_timeouts() {
    let text = |line: &str| {
        format!("[    0.000000] Linux version 9.9.9 (frob@quux) #1\n[    1.000000] frob: up\n[    2.000000] {line}\n[    2.000100] x: y\n")
    };
    for line in [
        "systemd[1]: Watchdog running with a hardware timeout of 30s.",
        "quux 0000:04:00.0: AER:    [12] Timeout",
    ] {
        assert!(
            titles(&text(line)).iter().all(|title| !title.contains("in time")),
            "{line}"
        );
    }
    let ran_out = titles(&text("quux 0000:04:00.0: command timeout"));
    assert!(ran_out
        .iter()
        .any(|title| title.contains("before `quux 0000:04:00.0: command timeout`")));
}

#[test]
fn a_failed_load_is_not_charged_with_what_follows() {
    let log = |next: &str| {
        format!(
            "[    0.000000] Linux version 9.9.9 (frob@quux) #1\n[    7.800000] quux hci7: Failed to load firmware file (-2)\n\
             [   67.900000] {next}\n[   67.900100] x: y\n"
        )
    };
    let charged = |text: &str| costs(text).iter().any(|cost| cost.kind == CostKind::FirmwareFile);
    assert!(!charged(&log("frobfs: mounted")));
    assert!(charged(&log("quux hci7: goes on without it")));
    assert!(
        !titles("[    7.0] a: b\n[    9.0] EXT4-fs (sdz1): re-mounted. Opts: x\n")
            .iter()
            .any(|title| title.contains("mounted"))
    );
}

#[test]
fn a_line_names_its_own_wait() {
    let text = "[    0.307816] printk: console [ttyQ0] enabled\n\
                [    5.414515] smp: csd: Detected non-responsive CSD lock (#1) on CPU#0, waiting 5001000000 ns for CPU#01\n";
    assert!(titles(text)[0].contains("waiting 5001000000 ns"));
    let aborted = "[   33.772190] quuxhcd 1d84.hc: quuxhcd_abort: Device abort task at tag 7\n[   33.774946] sd 0:0: [sdf] tag#7\n";
    assert!(titles(aborted)[0].starts_with("a line says that an answer does not come"));
}

#[test]
fn suppliers_that_are_given_up_on_end_the_silence() {
    let text = "[    0.000000] Linux version 9.9.9 (frob@quux) #1\n[    1.400000] cpu cpu0: Failed to set frob\n\
                [   11.400000] cpu cpu0: Failed to set frob\n[   11.404000] platform quux-sd: deferred probe pending\n\
                [   11.405000] x: y\n";
    let found = costs(text);
    assert_eq!(found[0].kind, CostKind::MissingSupplier);
    assert_eq!(found[0].cost_ns, Some(10_000 * MS));
    assert_eq!(
        found
            .iter()
            .filter(|cost| cost.kind == CostKind::MissingSupplier)
            .count(),
        1
    );
}

#[test]
fn a_module_that_is_long_beside_init_is_told() {
    let text = "[    0.000000] Linux version 9.9.9 (frob@quux) #1\n[    1.000000] Run /sbin/init as init process\n\
                [    2.700000] calling  quux_driver_init+0x0/0x1000 [quux] @ 470\n[    4.000000] frob: up\n\
                [   64.600000] initcall quux_driver_init+0x0/0x1000 [quux] returned 0 after 61900000 usecs\n";
    let found = costs(text);
    assert!(found[0].title.contains("quux_driver_init"), "{found:?}");
    assert_eq!(found[0].cost_ns, Some(61_900 * MS));
}

#[test]
fn marks_and_words_of_a_person() {
    let text = "[    0.743554] frob-pcie 3380.pcie: iATU\n[    0.851578] frob-pcie 3380.pcie: Gen.1 link up\n\
                ^^^ hang at this point until watchdog resets\n\nAlso note that I have kept the clocks as they are.\n";
    assert_eq!(
        titles(text).last().map(String::as_str),
        Some("a person marks line 2, `frob-pcie 3380.pcie: Gen.1 link up`, with `hang at this point until watchdog resets`")
    );
    // What the person writes below the piece is none of its lines.
    let below =
        "[    1.000100] frob: up\n[    2.000200] quux: up\n\nAt runtime it gets into a loop, and that is what I see:\n";
    assert!(boots(below)[0].to_line < 4);
    assert!(boots(below)[0].stages.iter().all(|stage| stage.line != Some(4)));
}

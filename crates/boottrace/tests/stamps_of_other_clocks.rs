// SPDX-License-Identifier: MIT
//! Stamps that are not what they look like: dates that a kernel prints itself, a loader's in the kernel's form, a quoted one, and
//! dates of two daemons in one journal. Logs made up for each class.

mod reading;

use std::fmt::Write;

use boottrace::costs::CostKind;
use boottrace::facts::boot::stage::StageEvent;
use reading::{boots, ms};

#[test]
fn a_kernel_that_prints_dates() {
    let log = "<6>[01-01 00:00:00.000000] [0: swapper]Initializing cgroup subsys cpu\n\
        <5>[01-01 00:00:00.000000] [0: swapper]Linux version 3.1.7-frob (q@box) #3 PREEMPT\n\
        <4>[01-01 00:00:00.410000] [1: swapper]frob0: ready\n\
        <7>[01-01 00:00:01.100000] [1: swapper]quux_rtc: 09/17/2031 07:31:12\n\
        <4>[09-17 07:31:12.500000] [1: swapper]rtc: setting system clock\n\
        <6>[09-17 07:31:12.700000] [1: swapper]Freeing init memory: 172K\n\
        <3>[09-17 07:31:12.900000] [1: init]init: frob opened\n\
        <6>[09-17 07:31:19.900000] [217: quuxd]quux0: up\n\
        <6>[09-17 07:31:20.100000] [217: quuxd]quux0: link\n\
        <6>[09-17 07:31:20.700000] [1: init]init: starting service 'frobd'\n\
        <6>[09-17 07:31:20.900000] [218: frobd]frob0: open\n";
    let boots = boots(log);
    assert_eq!(boots.len(), 1);
    assert_eq!(boots[0].kernel.banner.as_ref().unwrap().release, "3.1.7-frob");
    assert_eq!(ms(&boots[0], StageEvent::UserSpaceStart), Some(1_300));
    let longest = boots[0].costs.iter().filter_map(|cost| cost.cost_ns).max();
    assert_eq!(longest, Some(7_000_000_000), "the step to September took no time");
}

#[test]
fn a_stamp_at_a_lines_end_is_quoted() {
    let log = "Mar 12 07:31:10 frob-check: keeping the clock: [    0.972767]\n\
        Mar 12 07:31:29 frob-check: keeping the clock: [   23.876596]\n\
        Mar 12 07:31:30 frob-check: keeping the clock: [   25.015644]\n";
    assert!(boots(log).iter().all(|boot| boot.costs.is_empty()));
}

#[test]
fn a_loader_without_a_name_stamps_its_lines() {
    let log = "[    1.900000] FROBMMC: reset card.\n[    2.100000] frobfat: cache filled\n\
        [    2.200000] loading image...\n[    5.700000] loaded image: 62202019 bytes\n\
        [    5.800000] patching dtb...\n\n*************** Starting kernel ***************\n\n\
        [    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd083]\n\
        [    0.000000] Linux version 6.1.7-frob (q@box) #3 SMP\n\
        [    1.200000] Freeing unused kernel memory: 1024K\n[    1.210000] Run /init as init process\n";
    let boots = boots(log);
    assert_eq!(boots.len(), 1);
    assert_eq!(boots[0].from_line, 1);
    let longest = boots[0].costs.iter().max_by_key(|cost| cost.cost_ns).unwrap();
    assert_eq!(
        (longest.cost_ns, &longest.lines[..]),
        (Some(3_500_000_000), &[3, 4][..])
    );
}

#[test]
fn a_journal_of_two_streams() {
    let mut log = String::from("Mar 12 07:31:00 box kernel: Linux version 6.1.7-frob (q@box) #3 SMP\n");
    log.push_str("Mar 12 07:31:05 box systemd[1]: Starting Frob Daemon...\n");
    for n in 0..6 {
        for second in [20, 6 + n] {
            for line in 0..2 {
                writeln!(log, "Mar 12 07:31:{second:02} box audit[1]: QUUX unit={n}{line}").unwrap();
            }
        }
    }
    log.push_str("Mar 12 07:31:20 box systemd[1]: Finished Frob Daemon.\n");
    let boots = boots(&log);
    let unit = boots[0].costs.iter().find(|cost| cost.kind == CostKind::UnitStart);
    assert_eq!(unit.and_then(|cost| cost.cost_ns), Some(15_000_000_000));
}

#[test]
fn user_space_that_was_not_seen_to_start_speaks_meanwhile() {
    let mut log = String::from("[    0.000000] Linux version 4.9.7-frob (q@box) #3\n[    1.000000] frob0: up\n");
    log.push_str("[    2.500000] quux_codec: set brightness\n");
    for n in 0..40 {
        writeln!(log, "quux_mode:{n}!").unwrap();
    }
    log.push_str("[  111.500000] quux_front: button\n");
    let boots = boots(&log);
    let longest = boots[0].costs.iter().filter_map(|cost| cost.cost_ns).max();
    assert_eq!(longest, Some(1_500_000_000));
}

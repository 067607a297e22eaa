// SPDX-License-Identifier: MIT
//! A cost is told only of a stretch that evidence places inside the boot: what follows the last sure sign of the boot's own
//! progress is *later* unless something ties it to the boot. Logs made up for each class.

mod reading;

use std::fmt::Write;

use boottrace::Boot;
use proptest::prelude::*;
use reading::boots;

const NS: i64 = 1_000_000_000;

/// A kernel's log with systemd's last word at 3 s, and a silence of 2.5 s before it.
const START: &str = "[    0.000000] Linux version 9.9.9 (x@y) #1\n\
                     [    0.400000] Run /sbin/init as init process\n\
                     [    0.500000] systemd[1]: Starting Frob...\n\
                     [    3.000000] systemd[1]: Started Frob.\n\
                     [    3.100000] frob 0000:01:00.0: is up\n";

fn told(boot: &Boot, ns: i64) -> bool {
    boot.costs.iter().any(|cost| cost.cost_ns == Some(ns))
}

/// The longest time that a cost, or the sentence above them, tells.
fn longest(boot: &Boot) -> i64 {
    let costs = boot.costs.iter().filter_map(|cost| cost.cost_ns);
    let stretch = boot.longest.iter().map(|longest| longest.duration_ns);
    costs.chain(stretch).max().unwrap_or(0)
}

#[test]
fn nobody_waits_for_what_a_running_system_does() {
    for line in [
        "input: frob-keyboard as /devices/virtual/input/input36",
        "frobgpu 0000:0a:00.0: Parsing a table",
        "audit: type=1400 audit(7.7:30): apparmor=\"DENIED\" operation=\"open\" profile=\"frob\"",
        "frobd[709]: segfault at 0 ip 0 sp 0 error 4",
        "sysrq: HELP : loglevel(0-9)",
        "usb 1-1: new high-speed USB device number 2 using xhci_hcd",
        "wlan7: authenticate with 02:00:00:00:00:01",
        "quux: loaded",
    ] {
        for at in [11, 25, 100, 700] {
            let log = format!("{START}[{at:>5}.100000] {line}\n[{:>5}.900000] barf: more\n", at + 3);
            let boot = &boots(&log)[0];
            assert!(longest(boot) < 3 * NS, "{line} at {at} s: {:?}", boot.costs);
        }
    }
}

#[test]
fn what_the_boot_awaits_is_told_however_late() {
    for line in [
        "frobnet 0000:02:00.0 eth7: Link is Up - 1Gbps/Full",
        "br-lan: port 1(eth7) entered forwarding state",
        "sd 2:0:0:0: [sdb] Attached SCSI disk",
        "frob 0000:01:00.0: firmware load timed out",
        "systemd[1]: Started Quux.",
        "RPC: Registered udp transport module.",
        "udevd[77]: starting version 7",
    ] {
        let log = format!("{START}[   33.100000] {line}\n");
        let boot = &boots(&log)[0];
        assert!(longest(boot) >= 29 * NS, "{line}: {:?}", boot.costs);
    }
}

#[test]
fn an_interface_comes_up_for_the_first_time_once() {
    let up = "br-lan: port 1(eth7) entered forwarding state";
    let log = format!("{START}[    3.200000] {up}\n[   33.100000] {up}\n");
    assert!(longest(&boots(&log)[0]) < 3 * NS);
    let container = format!("{START}[   33.100000] br-7: port 1(veth7) entered forwarding state\n");
    assert!(longest(&boots(&container)[0]) < 3 * NS);
}

#[test]
fn a_slow_machine_is_silent_for_as_long_as_before() {
    let slow = START.replace("[    3.", "[    8.");
    let log = format!("{slow}[   16.200000] quux: loaded\n");
    assert!(told(&boots(&log)[0], 8_100_000_000), "{:?}", boots(&log)[0].costs);
    let log = format!("{slow}[   22.200000] quux: loaded\n");
    assert!(longest(&boots(&log)[0]) < 8 * NS);
}

/// A start by a daemon's dates.
const DATED: &str = "Mar  4 05:06:00 box kernel: [    0.000000] Linux version 9.9.9 (x@y) #1\n\
                     Mar  4 05:06:00 box kernel: [    0.500000] Freeing unused kernel memory: 100K\n\
                     Mar  4 05:06:01 box barfd[7]: here\n\
                     Mar  4 05:06:04 box cron[8]: (CRON) STARTUP (fork ok)\n";

#[test]
fn a_package_that_is_installed_starts_no_system() {
    let later = "Mar  4 05:36:01 box dbus[9]: [system] Reloaded configuration\n\
                 Mar  4 05:36:20 box barfd[7]: exiting\n\
                 Mar  4 05:36:28 box cron[99]: (CRON) STARTUP (fork ok)\n";
    let boot = &boots(&format!("{DATED}{later}"))[0];
    assert!(longest(boot) <= 3 * NS, "{:?}", boot.costs);
    // A daemon that says of itself that it starts is none of init's.
    let own = "Mar  4 05:06:30 box quuxd[9]: Starting quuxd\nMar  4 05:06:40 box quuxd[9]: Started quuxd\n";
    let boot = &boots(&format!("{DATED}{own}"))[0];
    assert!(longest(boot) <= 3 * NS, "{:?}", boot.costs);
}

#[test]
fn a_service_in_the_background_holds_nobody_up() {
    let log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n\
               [    0.400000] Run /init as init process\n\
               [    1.000000] init: Service 'exec 2 (/frob)' (pid 7) exited with status 0 waiting took 0.590000 seconds\n\
               [    9.000000] init: Service 'quux' (pid 9) exited with status 0 oneshot service took 7.000000 seconds in background\n";
    let boot = &boots(log)[0];
    assert!(!told(boot, 7 * NS), "{:?}", boot.costs);
    assert!(told(boot, 590_000_000), "{:?}", boot.costs);
}

#[test]
fn a_container_on_a_desktop_is_not_its_first_use() {
    let android = "init: processing action (sys.boot_completed=1) from (/init.rc:7)";
    let log = format!("{START}[   72.900000] {android}\n");
    let used = boots(&log)[0]
        .stages
        .iter()
        .any(|stage| stage.event == boottrace::facts::boot::stage::StageEvent::FirstUse && stage.ns.is_some());
    assert!(!used);
}

#[test]
fn pieces_of_two_machines_have_no_silence_between_them() {
    let log = "Here is the log of the first board, which runs\n9.9.9 with frob:\n\
               [    0.852357] frob [1]: limit 40\n[    0.866734] frob [1]: mode initialized\n\n\
               While on the second, the host runs 9.9.8 (with its\nown tree), with other pages:\n\
               [    1.276818] frob [1]: limit 44\n[    1.278620] frob [1]: mode initialized\n";
    for boot in boots(log) {
        assert!(longest(&boot) < 100_000_000, "{:?}", boot.costs);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Whatever a running system prints behind the boot's last sign, and however long after: it takes nothing away from what
    /// lies before, and no cost reaches beyond the first silence that nothing ties to the boot.
    #[test]
    fn what_comes_later_is_no_cost(gaps in proptest::collection::vec(7_000..400_000_u64, 1..12), words in "[b-d]{3,9}") {
        let (mut log, mut ms) = (START.to_owned(), 3_100_u64);
        for (at, gap) in gaps.iter().enumerate() {
            ms += gap;
            writeln!(log, "[{:>5}.{:03}000] {words}{at}: it runs", ms / 1000, ms % 1000).expect("a string takes all");
        }
        let alone: Vec<_> = boots(START)[0].costs.iter().map(|cost| (cost.title.clone(), cost.cost_ns)).collect();
        let boot = &boots(&log)[0];
        for cost in &alone {
            prop_assert!(boot.costs.iter().any(|other| (other.title.clone(), other.cost_ns) == *cost), "{cost:?}");
        }
        prop_assert!(longest(boot) < 3 * NS, "{:?}", boot.costs);
    }

    /// A sure sign puts all before it inside: the silence that it ends is told.
    #[test]
    fn what_a_sign_ends_is_told(ms in 4_000..110_000_u64) {
        let log = format!("{START}[{:>5}.{:03}000] systemd[1]: Started Quux.\n", ms / 1000, ms % 1000);
        let ns = i64::try_from(ms).unwrap() * 1_000_000 - 3_100_000_000;
        let boot = &boots(&log)[0];
        let known = longest(boot) == ns || boot.gaps.iter().any(|gap| gap.duration_ns == ns);
        prop_assert!(known, "{ns}: {:?}", boot.costs);
    }
}

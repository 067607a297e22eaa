// SPDX-License-Identifier: MIT
//! What is told of user space in pasted pages, and where a superlative falls. Logs made up for each class of fault.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::document::units::UnitReport;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::{Document, Part};
use reading::{boots, ms, read, unit_reports};

fn no_boot(document: &Document) -> Vec<&str> {
    let parts = document.parts.iter();
    parts
        .filter_map(|part| match part {
            Part::NotABoot(part) => Some(part.what.as_str()),
            _ => None,
        })
        .collect()
}

fn cost<'a>(report: &'a UnitReport, unit: &str) -> &'a Cost {
    let named = format!("`{unit}`");
    report
        .costs
        .iter()
        .find(|cost| cost.title.contains(&named))
        .expect(unit)
}

const CHAIN: &str = "Somebody writes:\n\n  graphical.target @20.0s\n  \u{2514}\u{2500}a.service @14.0s +6.0s\n    \
     \u{2514}\u{2500}b.target @13.0s\n      \u{2514}\u{2500}late.service @14.5s +1.5s\n        \
     \u{2514}\u{2500}c.slice @12.9s\n";

#[test]
fn a_chain_that_a_page_shifts_keeps_its_goal() {
    let document = read(CHAIN);
    let report = unit_reports(&document)[0];
    assert_eq!(report.chain[0].depth, 0);
    assert!(cost(report, "a.service")
        .evidence
        .contains("chain of `graphical.target`"));
}

#[test]
fn what_came_up_after_the_unit_above_it_was_not_waited_for() {
    let document = read(CHAIN);
    let late = cost(unit_reports(&document)[0], "late.service");
    assert_eq!(late.gain_ns, None);
    assert!(
        late.evidence.contains("after `b.target` had begun"),
        "{}",
        late.evidence
    );
}

#[test]
fn the_time_before_a_chains_first_unit_is_told() {
    let document = read(CHAIN);
    let first = cost(unit_reports(&document)[0], "c.slice");
    assert_eq!((first.kind, first.cost_ns), (CostKind::ChainGap, Some(12_900_000_000)));
}

#[test]
fn a_longer_time_beside_a_unit_that_is_no_row_is_remembered() {
    let document = read("2.0s a.service\n1.0s b.service\n0.5s c.service\n\n| frob.service | 9.0s | 4.0s |\n");
    assert_eq!(unit_reports(&document)[0].longer_unread, Some(5));
    let document = read("9.0s a.service\n1.0s b.service\n0.5s c.service\n\nThe a.service took 9s here.\n");
    assert_eq!(unit_reports(&document)[0].longer_unread, None);
}

#[test]
fn a_list_that_names_a_unit_again_is_another() {
    let document =
        read("2.0s a.service\n1.0s b.service\n0.5s c.service\n1.9s a.service\n0.9s b.service\n0.4s c.service\n");
    assert_eq!(unit_reports(&document).len(), 2);
}

#[test]
fn going_down_and_going_to_sleep_are_no_boots() {
    let down = "[   57.500000] systemd[1]: Stopped frob.service - Frob.\n\
                [  139.100000] systemd[1]: session-1.scope: Stopping timed out. Killing.\n\
                [  139.900000] systemd[1]: Stopped session-1.scope - Session 1 of User quux.\n";
    assert_eq!(no_boot(&read(down)), ["shutdown"]);
    let asleep = "Jul 20 14:42:15 box systemd[1]: Reached target Sleep.\n\
                  Jul 20 14:42:15 box systemd[1]: Starting Suspend...\n\
                  Jul 20 14:51:33 box kernel: PM: Syncing filesystems ... done.\n";
    assert_eq!(no_boot(&read(asleep)), ["suspend"]);
}

#[test]
fn dates_around_a_wait_that_is_given_up_bound_it() {
    let log = "Jul 19 10:03:41 box systemd-udevd[281]: frob0: done.\n\
               Jul 19 10:05:29 box systemd-networkd-wait-online[111]: Event loop failed: Connection timed out\n";
    let document = read(log);
    let wait = &unit_reports(&document)[0].costs[0];
    assert_eq!((wait.cost_ns, wait.at_least), (Some(108_000_000_000), true));
}

#[test]
fn a_root_device_that_does_not_come_is_told_beside_a_time() {
    let log =
        "[    1.400000] frob 1-0: one\n[    3.100000] quux:[ERR]: Speed change timeout\n[    3.200000] frob 1-0: two\n\
               Gave up waiting for root file system device.  Common problems:\n";
    let boot = &boots(log)[0];
    assert_eq!(ms(boot, StageEvent::FirstUse), None);
    assert!(boot.costs.iter().any(|cost| cost.kind == CostKind::RootDeviceWait));
}

#[test]
fn what_is_plugged_in_later_is_another_piece() {
    let log = "[   11.400000] BTRFS: device label frob devid 1\n[   17.300000] BTRFS info (device dm-1): first mount\n\n\
               and here is everything since I plugged it in:\n\n\
               [ 4782.300000] usb 2-1: new SuperSpeed USB device number 3 using xhci_hcd\n[ 4808.800000] sd 0:0:0:0: [sda] Attached SCSI disk\n";
    assert_eq!(no_boot(&read(log)), ["running-system"]);
}

#[test]
fn systemd_begins_a_boot_after_many_seconds_too() {
    let start = "[  141.100000] systemd[1]: Set hostname to <frob>.\n[  171.100000] systemd[1]: Reached target Swap.\n";
    assert!(no_boot(&read(start)).is_empty());
    let later = "[  141.100000] systemd[1]: frob.service: stopped\n[  171.100000] quux: gone\n";
    assert_eq!(no_boot(&read(later)), ["running-system"]);
}

#[test]
fn a_high_number_on_usb_came_long_after_the_start() {
    let log = |number: u32| {
        format!(
            "Mar  4 10:20:30 box kernel: usb 7-1: new high-speed USB device number {number} using frob_hcd\n\
             Mar  4 10:20:51 box kernel: usb 7-1: New USB device found\n"
        )
    };
    assert_eq!(no_boot(&read(&log(87))), ["running-system"]);
    assert!(no_boot(&read(&log(3))).is_empty());
}

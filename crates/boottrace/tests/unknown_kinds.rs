// SPDX-License-Identifier: MIT
//! Pieces of kinds that no reader knows: what their lines say of waits, and the longest time between two of their stamps.
//! Logs made up for each class.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::stage::StageEvent;
use boottrace::Part;
use reading::{boots, ms, read};

const MS: i64 = 1_000_000;

/// Kind, milliseconds, whether it is at the least, and title of the first cost of all parts.
fn first(log: &str) -> Option<(CostKind, Option<i64>, bool, String)> {
    let document = read(log);
    let of = |cost: &Cost| {
        (
            cost.kind,
            cost.cost_ns.map(|ns| ns / MS),
            cost.at_least,
            cost.title.clone(),
        )
    };
    let of_boots = document.boots().flat_map(|boot| &boot.costs).map(of).next();
    let reports = document.parts.iter().filter_map(|part| match part {
        Part::Units(report) => report.costs.first().map(of),
        _ => None,
    });
    of_boots.or_else(|| reports.into_iter().next())
}

#[test]
fn a_wait_in_anybodys_words() {
    let (kind, length, _, title) =
        first("# It hangs\n\n```\nquuxd: asking\nquuxd: no response from frob\n```\n").unwrap();
    assert_eq!((kind, length), (CostKind::DeviceTimeout, None));
    assert_eq!(
        title,
        "a line says that an answer does not come: `quuxd: no response from frob`"
    );
    assert_eq!(first("It hangs when waiting for something, I think.\n"), None);
}

#[test]
fn the_longest_time_between_two_stamps_of_any_form() {
    let log = "# Slow\n\n```\n10:00:01 AM: frobd: sent\n10:03:04 AM: frobd: asked\n```\n";
    let (kind, length, at_least, title) = first(log).unwrap();
    assert_eq!((kind, length, at_least), (CostKind::Silence, Some(183_000), false));
    assert_eq!(
        title,
        "this text shows nothing between `frobd: sent` and `frobd: asked`"
    );
}

#[test]
fn stamps_since_another_day_are_no_time_of_running() {
    let log = "[300000001.000000] frob: waiting for panel\n[300000003.000000] frob: waiting for panel\n\
        [300000009.500000] frob: waiting for panel\n";
    let (kind, length, at_least, _) = first(log).unwrap();
    assert_eq!((kind, length, at_least), (CostKind::DeviceTimeout, Some(8_500), true));
    assert_eq!(boots(log).len(), 0);
}

#[test]
fn devices_on_usb_that_come_and_go_are_no_boot() {
    let log = "usb 3-1: new high-speed USB device number 9 using xhci_hcd\nusb 3-1: USB disconnect, device number 9\n\
        usb 3-1: new high-speed USB device number 10 using xhci_hcd\n";
    assert_eq!(boots(log).len(), 0);
}

#[test]
fn a_wait_of_a_system_that_has_just_started() {
    let log = "[  121.500000] quux quux0: request 7 timeout, polled\n";
    assert_eq!(
        first(log).unwrap().3,
        "a line tells of a time-out: `quux quux0: request 7 timeout, polled`"
    );
    assert_eq!(first("[ 5121.500000] quux quux0: request 7 timeout, polled\n"), None);
}

#[test]
fn a_jobs_words_that_a_page_wrapped() {
    let log = "[    0.000000] Linux version 6.1.0 (a@b) #1 SMP\n[    2.000000] foo: a\n\
        [  *** ] A start job is running for Frob Daemon (6s / 1min 30s)[   ] A start\n\
        job is running for Frob Daemon (24s / 1min 30s)[    ] A start job is\n\
        running for Frob Daemon (25s / 1min 30s)[  OK  ] Started Frob\n[   27.500000] foo: b\n";
    let (kind, length, at_least, title) = first(log).unwrap();
    assert_eq!(
        (kind, length, at_least),
        (CostKind::UnitStart, Some(25_000), true),
        "{title}"
    );
}

#[test]
fn an_empty_message_before_a_silence_is_not_its_words() {
    let log = "[   72.837691] [   72.839182] frob_wait:208: [   72.842249] waiting for the frob\n[   72.856992] \n\
        [  117.850167] frob_wait:208: [  117.853227] again\n[  117.858714] \n[  117.860231] frob_next:1: b\n";
    let (kind, length, _, title) = first(log).unwrap();
    assert_eq!((kind, length), (CostKind::DeviceTimeout, Some(44_993)), "{title}");
    assert!(title.contains("waiting for the frob"), "{title}");
}

#[test]
fn klogd_without_a_hosts_name() {
    let log = "Aug  1 02:00:06 kernel: Linux version 2.6.99 (a@b) #1 Tue\nAug  1 02:00:06 kernel: CPU: frob\n\
        Aug  1 02:00:07 kernel: foo: a\n";
    let boots = boots(log);
    assert_eq!(boots.len(), 1);
    assert_eq!(boots[0].end.as_ref().unwrap().text, "foo: a");
    assert_eq!(ms(&boots[0], StageEvent::UserSpaceStart), None);
}

#[test]
fn a_line_that_begins_a_silence_states_what_was_before() {
    let log = "[    2.500000] [frob] task a: done, 1.2s\n[    4.900000] [frob] task startUdev: done, 2.4s\n\
        [    8.500000] [frob] service b healthy\n";
    let document = read(log);
    let told: Vec<_> = document.boots().flat_map(|boot| &boot.costs).collect();
    assert!(told.iter().any(|cost| cost.cost_ns == Some(2_400 * MS)), "{told:?}");
}

#[test]
fn a_silence_that_ends_in_passing_is_not_named_by_what_ends_it() {
    // The longer silence begins a few lines behind, at the same moment: a link that comes up in between names none of both.
    let log = "[    0.000000] Linux version 6.1.0 (a@b) #1 SMP\n[    1.000000] foo: a\n[    3.000000] eth7: link up\n\
        [    3.001000] eth7: flow control off\n[   20.000000] foo: b\n";
    let document = read(log);
    for cost in document.boots().flat_map(|boot| &boot.costs) {
        assert_ne!(cost.kind, CostKind::NetworkLink, "{cost:?}");
    }
}

// SPDX-License-Identifier: MIT
//! Waits in what people paste: whose they are, what belongs to the page, and lines that tell of no time. Logs made up for
//! each class of fault.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::document::units::UnitReport;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::Part;
use reading::{boots, ms, read};

const MS: i64 = 1_000_000;

/// Kind, milliseconds and title of the costs of all parts.
fn told(log: &str) -> Vec<(CostKind, Option<i64>, String)> {
    let document = read(log);
    let of = |cost: &Cost| (cost.kind, cost.cost_ns.map(|ns| ns / MS), cost.title.clone());
    let mut all: Vec<_> = document.boots().flat_map(|boot| &boot.costs).map(of).collect();
    all.extend(reports(log).iter().flat_map(|report| &report.costs).map(of));
    all
}

fn first_is(costs: &[(CostKind, Option<i64>, String)], kind: CostKind, ms: i64) {
    assert_eq!((costs[0].0, costs[0].1), (kind, Some(ms)), "{costs:?}");
}

fn reports(log: &str) -> Vec<UnitReport> {
    let parts = read(log).parts.into_iter();
    parts
        .filter_map(|part| match part {
            Part::Units(report) => Some(report),
            _ => None,
        })
        .collect()
}

/// The text of the last line of the first boot.
fn last_words(log: &str) -> String {
    boots(log)[0].end.as_ref().map_or(String::new(), |end| end.text.clone())
}

#[test]
fn words_around_a_single_block_are_the_pages() {
    let log = "From the log:\n```\n[    4.100000] usb 1-1: new high-speed USB device number 2\n\
        [    9.300000] usb 1-1: device descriptor read/64, error -110\n```\n\nSee https://forum.example/t/12\n";
    assert_eq!(last_words(log), "usb 1-1: device descriptor read/64, error -110");
    assert_eq!(ms(&boots(log)[0], StageEvent::UserSpaceStart), None);
}

#[test]
fn words_behind_a_piece_of_the_kernels_log_are_nobodys() {
    let log =
        "[    4.100000] foo 0-1: a\n[    4.300000] foo 0-1: b\nwritten on the screen\nand then I chose another one\n";
    assert_eq!(last_words(log), "foo 0-1: b");
}

#[test]
fn a_port_is_its_device() {
    let found = told(
        "[    4.000000] usb 1-1.3.1: new high-speed USB device number 9\n\
         [    9.300000] usb 1-1.3.1: device descriptor read/64, error -110\n\
         [    9.400000] usb 1-1.3-port1: attempt power cycle\n\
         [   10.000000] usb 1-1.3.1: new high-speed USB device number 10\n\
         [   15.300000] usb 1-1.3.1: device descriptor read/64, error -110\n\
         [   15.400000] usb 1-1.3-port1: unable to enumerate USB device\n",
    );
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].0, found[0].1), (CostKind::UsbError, Some(11_400)));
}

#[test]
fn what_is_silent_behind_a_timeout_is_not_the_timeouts() {
    let found = told(
        "[    6.700000] port 0000:00:01.5: hotplug: Timeout on command 0x06f1\n\
         [    7.700000] port 0000:00:01.5: hotplug: Timeout on command 0x06f1\n\
         [  107.700000] INFO: task swapper/0:1 blocked for more than 60 seconds.\n",
    );
    assert_eq!(
        (found[0].1, found[0].2.as_str()),
        (
            Some(100_000),
            "nothing is printed before `INFO: task swapper/0:1 blocked for more than 60 seconds.`"
        ),
        "{found:?}"
    );
    assert_eq!((found[1].0, found[1].1), (CostKind::DeviceTimeout, Some(1000)));
    let found = told("[    1.000000] foo: bar timed out\n[    9.000000] NET: Registered protocol family 17\n");
    assert_eq!(found[0].0, CostKind::Silence, "{found:?}");
}

#[test]
fn spaces_that_do_not_break() {
    for log in [
        "[\u{a0}\u{a0}\u{a0} 4.400000] a: b\n[\u{a0}\u{a0} 34.400000] Freeing unused kernel memory: 1024K\n"
            .as_bytes()
            .to_vec(),
        b"> [=A0=A0=A0 4.400000] a: b\n> [=A0=A0 34.400000] Freeing unused kernel memory: 1024K\n> c\n".to_vec(),
    ] {
        let log = String::from_utf8(log).unwrap();
        let boot = &boots(&log)[0];
        assert_eq!(boot.gaps.first().map(|gap| gap.duration_ns / MS), Some(30_000), "{log}");
    }
}

#[test]
fn a_line_says_how_long_it_waited() {
    let found =
        told("[   11.200000] a: b\n[   11.500000] [rd]: ERROR: /dev/fb0 did not appear after waiting 10 seconds!\n");
    first_is(&found, CostKind::StatedTime, 10_000);
}

#[test]
fn lines_left_out_between_two_that_have_a_map_between_them() {
    let log = "[    0.000000] Command line: root=/dev/md/r\n[    0.000000] Kernel command line: root=/dev/md/r\n\
        [    0.130000] smpboot: CPU0: X\n[    6.360000] foo: bar\n[    6.400000] foo: baz\n";
    assert!(
        !told(log).iter().any(|cost| cost.0 == CostKind::Silence),
        "{:?}",
        told(log)
    );
}

#[test]
fn a_unit_as_long_as_the_way_to_the_goal() {
    let log = |unit: &str| {
        format!(
            "Startup finished in 1.5s (kernel) + 8.9s (userspace) = 10.4s\ngraphical.target reached after 8.1s in userspace\n\
             {unit} a.service\n3.4s b.service\n"
        )
    };
    assert_eq!(told(&log("8.12s"))[0].1, Some(8120));
    let longer = told(&log("8.6s"));
    assert_eq!((longer[0].0, longer[0].1), (CostKind::UserSpaceStart, Some(8900)));
    assert_eq!(longer[1].1, Some(3400));
}

#[test]
fn a_chain_that_contradicts_the_account_is_another_boots() {
    let found = told(
        "graphical.target @2.4s\n\u{2514}\u{2500}multi-user.target @2.4s\n  \u{2514}\u{2500}a.service @2.1s +233ms\n\
         Startup finished in 120ms (kernel) + 15.8s (userspace) = 15.9s\ngraphical.target reached after 15.3s in userspace\n",
    );
    first_is(&found, CostKind::UserSpaceStart, 15_800);
}

#[test]
fn each_chain_has_its_own_goal() {
    let log =
        "a.service +8.3s\n\u{2514}\u{2500}basic.target @3.7s\n\nb.service +8.4s\n\u{2514}\u{2500}basic.target @3.7s\n";
    let report = &reports(log)[0];
    for cost in report.costs.iter().filter(|cost| cost.kind == CostKind::UnitStart) {
        assert!(
            cost.evidence.contains("it is what the chain is asked for"),
            "{}",
            cost.evidence
        );
    }
}

#[test]
fn a_system_that_still_waits_for_udev_is_starting() {
    let found = told("[  174.270000] stage1: waiting for udev to settle\n[  296.460000] stage1: udev is done\n");
    first_is(&found, CostKind::UdevSettle, 122_190);
}

#[test]
fn waits_without_any_time() {
    let text = "It hangs here:\n\nata7: link is slow to respond, please be patient (ready=0)\nata7: softreset failed (device not ready)\n";
    let found = told(text);
    assert_eq!(
        (found.len(), found[0].0, found[0].1),
        (1, CostKind::SataLink, None),
        "{found:?}"
    );
    let chosen = "$ journalctl | grep tpm\nSep 04 13:59:26 host systemd[1]: Timed out waiting for device dev-tpm0.device - /dev/tpm0.\n";
    assert_eq!(told(chosen)[0].0, CostKind::DeviceWait);
    let stamped =
        "[   19.931097] phy0 ERROR: Firmware file \"b43/ucode16.fw\" not found\n[   19.931112] phy0 ERROR: x\n";
    assert_eq!(told(stamped)[0].0, CostKind::FirmwareFile);
    assert!(told("Some text about disks.\n\nNothing waits here.\n").is_empty());
}

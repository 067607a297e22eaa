// SPDX-License-Identifier: MIT
//! What pages, mails and forums do to the logs that people paste. Logs made up for each class of fault.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::stage::StageEvent;
use reading::{boots, ms, read, unit_reports};

const MS: i64 = 1_000_000;

/// Kind, milliseconds and title of the costs of all parts, the largest first of each part.
fn told(log: &str) -> Vec<(CostKind, Option<i64>, String)> {
    let document = read(log);
    let of = |cost: &Cost| (cost.kind, cost.cost_ns.map(|ns| ns / MS), cost.title.clone());
    let of_boots = document.boots().flat_map(|boot| &boot.costs).map(of);
    let mut all: Vec<_> = of_boots.collect();
    all.extend(
        unit_reports(&document)
            .into_iter()
            .flat_map(|report| &report.costs)
            .map(of),
    );
    all
}

#[test]
fn signs_that_a_page_names_are_the_trees() {
    let log = "The time when unit became active or started is printed after the \"@\" character.\n\n\
        graphical.target @9.5s\n\
        &#9492;&#9472;a.service @2.0s +7.5s\n\
        \x20 &#9492;&#9472;b.target @1.9s\n";
    let found = told(log);
    assert_eq!(found[0].1, Some(7500));
    assert_eq!(found[0].2, "systemd starts the unit `a.service`");
}

#[test]
fn output_in_comments_is_read_with_its_gaps() {
    let log = "# Overall\nsystemd-analyze\n\n# Example output:\n\
        # Startup finished in 2.0s (kernel) + 30.0s (userspace) = 32.0s\n\
        # graphical.target reached after 30.0s in userspace\n\nSome words of the author.\n\n\
        # graphical.target @30.0s\n\
        # \u{2514}\u{2500}x.service @29.0s +900ms\n\
        #   \u{2514}\u{2500}y.target @4.0s\n";
    let found = told(log);
    assert_eq!(found[0].1, Some(25_000), "{found:?}");
    assert!(found[0].2.contains("`x.service`"), "{found:?}");
    let blame = told("Output:\n#  8.2s a.service\n#  5.1s b.service\n#  4.3s c.service\n");
    assert_eq!(
        blame.iter().map(|cost| cost.1).collect::<Vec<_>>(),
        [Some(8200), Some(5100), Some(4300)]
    );
}

#[test]
fn an_account_of_two_lines_is_one() {
    let document = read(
        "It says:\n\nStartup finished in 5.0s (firmware) + 8.0s (loader) + 3.0s (kernel)\n\
         + 12.0s (userspace) = 28.0s\ngraphical.target reached after 11.9s in userspace\n",
    );
    let report = unit_reports(&document)[0];
    let startup = report.startup.as_ref().unwrap();
    assert_eq!((startup.parts.len(), startup.total_ns), (4, Some(28_000_000_000)));
}

#[test]
fn two_accounts_are_two_boots_and_a_chain_goes_to_its_own() {
    let log = "Before and after:\n```\nStartup finished in 1.5s (kernel) + 1min 30.2s (userspace) = 1min 31.7s\n\
        Startup finished in 900ms (kernel) + 700ms (userspace) = 1.6s\n```\nWho was it?\n```\n\
        graphical.target @1min 30.2s\n\
        \u{2514}\u{2500}n.service @1min 30.1s +17ms <-\n\
        \x20 \u{2514}\u{2500}network.target @1min 30.0s\n\
        \x20   \u{2514}\u{2500}w.service @2.5s +13ms <-\n```\n";
    let document = read(log);
    let reports = unit_reports(&document);
    assert_eq!(reports.len(), 2);
    assert_eq!((reports[0].chain.len(), reports[1].chain.len()), (4, 0));
    assert_eq!(reports[0].costs[0].cost_ns.map(|ns| ns / MS), Some(87_487));
}

#[test]
fn a_unit_that_takes_longer_than_the_goal_was_not_waited_for() {
    let found = told(
        "Startup finished in 2.7s (kernel) + 3.9s (userspace) = 6.6s\ngraphical.target reached after 3.5s in userspace\n\
         2min 11s a.service\n3.8s b.service\n1.6s c.service\n",
    );
    assert_eq!(found[0].1, Some(3900), "{found:?}");
    assert!(!found.iter().any(|cost| cost.2.contains("`b.service`")));
}

#[test]
fn mails_as_they_are_sent() {
    let log = "[    1.043884] virtio-pci 0000:00:02.0: enabling device (0000 -> 0003)\n\
        [    1.043908] virtio-pci 0000:00:02.0: virtio_pci: leaving for legacy driv=\ner\n\
        [    1.044003] virtio-pci 0000:00:04.0: virtio_pci: leaving for legacy driv=\ner, x=3D1\n\
        [**    ] A start job is running for dev-disk=E2=80=A619a80.device (1min 50s=\n / no limit)\n";
    let found = told(log);
    assert_eq!(
        (found[0].0, found[0].1),
        (CostKind::DeviceWait, Some(110_000)),
        "{found:?}"
    );
    assert!(found[0].2.contains("dev-disk\u{2026}19a80.device"));
}

#[test]
fn terminals_that_other_programs_drew() {
    let log = "\u{2190}[K[  *** ] Job a-wait-online.se\u{442}\u{410}\u{436}tart running (1min 43s / no limit)\n\
        \u{2190}[K[ ***  ] Job a-wait-online.se\u{442}\u{410}\u{436}tart running (1min 50s / no limit)\n";
    assert_eq!(told(log)[0].1, Some(110_000));
}

#[test]
fn marks_of_a_page_are_no_user_space() {
    for mark in ["```", "````", "~~~~"] {
        let log = format!(
            "My log:\n\n```console\n[   10.133692] random: a: uninitialized urandom read (4 bytes read)\n\
             [  172.850835] random: crng init done\n{mark}\n"
        );
        for boot in boots(&log) {
            let shown = boot.stages.iter().filter_map(|stage| stage.line);
            assert!(!shown.clone().any(|line| line == 6), "{mark}: {:?}", boot.stages);
            assert_eq!(ms(&boot, StageEvent::UserSpaceStart), None);
        }
        let found = told(&log);
        assert!(
            found.iter().any(|cost| cost.0 == CostKind::RandomNumberWait),
            "{mark}: {found:?}"
        );
    }
}

#[test]
fn lines_that_somebody_chose_tell_when_numbers_were_ready() {
    let log = "root@box:~# dmesg | grep -i random\n\
        [    1.182282] random: x: uninitialized urandom read (16 bytes read)\n\
        [  444.351446] random: crng init done\n";
    let found = told(log);
    assert_eq!((found[0].0, found[0].1), (CostKind::RandomNumberWait, None));
    assert!(told(&log.replace("444.35", "4.35")).is_empty());
}

#[test]
fn dates_with_days_of_other_languages() {
    let log = "[Di Jun 28 12:40:16 2022] IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready\n\
        [Di Jun 28 12:40:36 2022] NET: Registered protocol family 38\n";
    let found = boots(log);
    assert_eq!(found.len(), 1);
    assert_eq!(boots(&log.replace("[Di ", "[(x) ")).len(), 0);
}

#[test]
fn the_log_of_one_unit_may_end_before_its_start_does() {
    let log = "Feb 23 11:28:49 box systemd[1]: Starting A Daemon...\n\
        Feb 23 11:33:49 box daemond[896]: listener created\n\
        Feb 23 11:33:49 box daemond[896]: another\n";
    let document = read(log);
    let cost = &unit_reports(&document)[0].costs[0];
    assert_eq!(
        (cost.kind, cost.cost_ns.map(|ns| ns / MS), cost.at_least),
        (CostKind::UnitStart, Some(300_000), true)
    );
    let again = format!("Feb 23 11:20:55 box systemd[1]: Starting A Daemon...\n{log}");
    assert_eq!(
        unit_reports(&read(&again))[0].costs[0].cost_ns.map(|ns| ns / MS),
        Some(300_000)
    );
    let others = format!("{log}Feb 23 11:34:00 box other[3]: x\n");
    let document = read(&others);
    let silent: Vec<CostKind> = unit_reports(&document)
        .iter()
        .flat_map(|report| report.costs.iter().map(|cost| cost.kind))
        .collect();
    assert_eq!(silent, [CostKind::Silence]);
}

#[test]
fn a_void_that_says_nothing_of_runit_begins_with_its_welcome() {
    let log = "=> Welcome to Void!\n=> Mounting pseudo-filesystems...\n=> Initialization complete, running stage 2...\nbox login:\n";
    let found = boots(log);
    assert_eq!((found.len(), found[0].from_line), (1, 1));
}

#[test]
fn only_the_kernels_width_is_a_stamp_of_a_terminal_without_brackets() {
    let log = "    0.136517! Linux version 9.9.0 (a@b) #1\n\u{a2}    1.136517! Run /sbin/init as init process\n";
    assert_eq!(ms(&boots(log)[0], StageEvent::UserSpaceStart), Some(1136));
    let wide = "    0.136517! Linux version 9.9.0 (a@b) #1\n0.5! x\n1.136517! Run /sbin/init as init process\n";
    assert_eq!(ms(&boots(wide)[0], StageEvent::UserSpaceStart), None);
}

#[test]
fn a_dump_of_units_is_called_what_it_is() {
    for head in [
        "Manager: systemd 9 (9)\n",
        "Timestamp firmware: n/a\n",
        "-> Unit x.service:\n",
    ] {
        let dump = format!("{head}\tActive Enter Timestamp: Sat 2024-03-02 10:00:25 CET\n");
        let document = read(&dump);
        assert!(document.skipped[0].reason.contains("systemd-analyze blame"), "{head}");
    }
}

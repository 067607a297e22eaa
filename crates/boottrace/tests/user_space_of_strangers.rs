// SPDX-License-Identifier: MIT
//! What is told of user space in strangers' texts: forms that a page spoilt, boots that one file holds, systems in use, whose
//! silence it is. Logs made up for each class of fault.

mod reading;

use std::fmt::Write;

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::stage::StageEvent;
use boottrace::{Document, Part};
use reading::{boots, ms, read, unit_reports};

fn costs(document: &Document) -> Vec<(String, Option<i64>)> {
    let of = |costs: &[Cost]| {
        let told = costs
            .iter()
            .map(|cost| (cost.title.clone(), cost.cost_ns.map(|ns| ns / 1_000_000)));
        told.collect::<Vec<_>>()
    };
    let parts = document.parts.iter();
    parts
        .flat_map(|part| match part {
            Part::Units(report) => of(&report.costs),
            Part::Boot(boot) => of(&boot.costs),
            _ => Vec::new(),
        })
        .collect()
}

#[test]
fn an_account_without_its_blanks() {
    let document = read(
        "Somebody shows:\n\n [root@frob~]#systemd-analyze\n\
         Startupfinishedin818ms(kernel)+1min3.240s(userspace)=1min4.058s\n\n```\n20.852sfrob.service\n103msquux.mount\n```\n\n```\n\
         multi-user.target@40.976s\n\u{2514}\u{2500}frob.service@20.100s+20.852s\n\u{2514}\u{2500}basic.target@20.000s\n```\n",
    );
    let reports = unit_reports(&document);
    assert_eq!(reports.len(), 1);
    assert_eq!(
        reports[0].startup.as_ref().and_then(|all| all.total_ns),
        Some(64_058_000_000)
    );
    assert_eq!(reports[0].units[0].unit, "frob.service");
    let depths: Vec<u32> = reports[0].chain.iter().map(|link| link.depth).collect();
    assert_eq!(depths, [0, 1, 2]);
    assert!(costs(&document).contains(&("systemd starts the unit `frob.service`".to_owned(), Some(20_852))));
}

#[test]
fn lines_searched_out_of_a_plot() {
    let document = read(
        "We spend 40 ms on it:\n\n```\nsystemd-analyze plot | grep frob\n  <text class=\"left\" x=\"2.5\" y=\"4\">frob.slice</text>\n  \
         <text class=\"left\" x=\"3.5\" y=\"5\">frob-root.service (33ms)</text>\n```\n",
    );
    assert_eq!(unit_reports(&document)[0].units[0].unit, "frob-root.service");
    assert_eq!(unit_reports(&document)[0].units.len(), 1);
    assert_eq!(
        costs(&document),
        [("systemd starts the unit `frob-root.service`".to_owned(), Some(33))]
    );
}

#[test]
fn times_that_no_start_takes() {
    let document = read(
        "Startup finished in 1.367s (kernel) + 6.668s (userspace) = 8.035s\n\
         graphical.target reached after 2w 3d 12h 36min 56.498s in userspace\n\
         2y 11month 3w 5d 8h 7min 53.958s frob.service\n1.201s quux.service\n",
    );
    let report = unit_reports(&document)[0];
    assert_eq!(report.units.len(), 1);
    assert_eq!(report.startup.as_ref().unwrap().target_after_ns, None);
    let left = document
        .skipped
        .iter()
        .find(|skipped| skipped.reason.contains("more than a day"));
    assert_eq!(left.map(|skipped| skipped.count), Some(1));
}

#[test]
fn units_of_a_users_session() {
    let document =
        read("Hello.\n\n    $ systemd-analyze --user blame | head\n    2.622s frob.service\n    1.689s quux.service\n");
    assert!(unit_reports(&document)[0].about.contains("user's session"));
}

#[test]
fn stages_of_cloud_init_in_each_boot() {
    let stage = |name: &str, up: &str| {
        format!(
            "Cloud-init v. 9.1 running '{name}' at Mon, 01 Jan 2035 10:00:00 +0000. Up {up} seconds.\nci-info: frob\n"
        )
    };
    let end = "Cloud-init v. 9.1 finished at Mon, 01 Jan 2035 10:02:00 +0000. Datasource Frob.  Up 120.50 seconds\n";
    let log = [
        stage("init-local", "7.50"),
        stage("init", "38.25"),
        stage("modules:final", "120.25"),
        end.to_owned(),
        stage("init-local", "6.00"),
        stage("init", "7.00"),
    ]
    .concat();
    let told = costs(&read(&log));
    let longest = "the step `init` of cloud-init, with what comes before `modules:final`";
    assert_eq!(told[0], (longest.to_owned(), Some(82_000)));
    // Of several boots the two longest of each, the time before the first stage among them.
    let before = "the kernel and what runs before the first stage of cloud-init that is shown, `init-local`";
    assert_eq!(told[2], (before.to_owned(), Some(6_000)));
    let told: Vec<Option<i64>> = told.iter().map(|(_, ms)| *ms).collect();
    assert_eq!(told, [Some(82_000), Some(30_750), Some(6_000), Some(1_000)]);
}

#[test]
fn a_system_in_use_is_no_boot() {
    let lines = [
        "May 01 16:15:38 frob systemd[1]: Starting Frob Daemon...",
        "May 01 16:15:38 frob systemd[1]: Started Frob Daemon.",
        "May 01 16:15:42 frob sudo[3324]: me : TTY=pts/1 ; PWD=/home/me ; USER=root ; COMMAND=/usr/bin/journalctl -f",
        "May 01 16:17:47 frob kernel: quux 0000:04:00.0: AER: Corrected error received: 0000:04:00.0",
        "May 01 16:20:02 frob PackageKit[1644]: resolve transaction /6_ab from uid 1000 finished with success after 46258ms",
    ];
    let document = read(&(lines.join("\n") + "\n"));
    assert_eq!(document.boots().count(), 0);
    assert_eq!(costs(&document), []);
}

#[test]
fn who_gives_up_is_not_who_was_silent() {
    let log = "Feb 18 19:09:24 container foo[5465]: [  OK  ] Started Networking Setup.\n\
               Feb 18 19:10:54 systemd[1]: container@foo.service: Start operation timed out. Terminating.\n\
               Feb 18 19:10:54 container foo[5465]: [ TIME ] Timed out waiting for device dev-disk-by\\x2dlabel-frob.device.\n\
               Feb 18 19:10:54 container foo[5465]: [DEPEND] Dependency failed for /frob.\n";
    let told = costs(&read(log));
    assert!(told.iter().all(|(title, _)| !title.contains("systemd[1]")), "{told:?}");
    assert!(
        told.iter()
            .any(|(title, ms)| title.contains("/dev/disk/by-label/frob") && *ms == Some(90_000)),
        "{told:?}"
    );
}

/// A daemon that read the kernel's lines late, and dates them with those of programs.
fn dated(programs: bool) -> String {
    let mut log = String::new();
    let date = |ms: u32| format!("2035-01-01T10:00:{:02}.{:03}000+00:00 frob", ms / 1000, ms % 1000);
    let mut say = |at: u32, what: &str| writeln!(log, "{} {what}", date(at)).unwrap();
    say(4000, "systemd[1]: Starting frob.service - Frob...");
    for (ms, text) in [
        (0, "Linux version 6.1 (a@b) #1 SMP"),
        (233, "pci 0000:00:18.6: [1022:14e6] type 00 class 0x060000"),
        (2471, "Run /init as init process"),
        (8100, "frob0: link becomes ready"),
    ] {
        say(4001, &format!("kernel: [{:5}.{:03}000] {text}", ms / 1000, ms % 1000));
    }
    for at in 0..12 {
        if programs {
            say(5000 + at * 400, &format!("quuxd[77]: step {at}"));
        }
    }
    say(10_000, "kernel: [   14.100000] frob1: link becomes ready");
    log
}

#[test]
fn nobody_is_silent_while_programs_speak() {
    let silences = |log: &str| {
        let found = boots(log);
        let gaps = found.iter().flat_map(|boot| boot.gaps.clone());
        gaps.filter(|gap| gap.before.contains("frob1")).count()
    };
    assert_eq!(silences(&dated(true)), 0);
    assert_eq!(silences(&dated(false)), 1);
}

#[test]
fn scripts_come_no_earlier_than_init() {
    let found = boots(&dated(true));
    let scripts = ms(&found[0], StageEvent::RcScripts);
    assert!(scripts.is_none_or(|at| at >= 2471), "{scripts:?}");
}

#[test]
fn what_is_stated_behind_systemds_account_is_no_cost_of_the_boot() {
    let log = "[    0.000000] Linux version 6.1 (a@b) #1 SMP\n[    1.000000] Run /sbin/init as init process\n\
               [    9.000000] systemd[1]: Startup finished in 1.000s (kernel) + 8.000s (userspace) = 9.000s.\n\
               [   99.000000] systemd[1]: Reloading finished in 680 ms.\n";
    let found = boots(log);
    assert!(
        found[0].costs.iter().all(|cost| cost.kind != CostKind::StatedTime),
        "{:?}",
        found[0].costs
    );
}

#[test]
fn causes_in_a_persons_words() {
    let told = costs(&read(
        "# Frob\n\nThe startup is taking an extra 130 seconds because the frob is checked.\n",
    ));
    assert_eq!(told.len(), 1);
    assert!(
        told[0].0.starts_with("the text says `The startup is taking"),
        "{told:?}"
    );
}

#[test]
fn beside_systemds_account_a_person_says_why() {
    let account = "Startup finished in 4.138s (kernel) + 33.845s (userspace) = 37.984s\n";
    let told = |words: &str| {
        let told = costs(&read(&format!(
            "# Frob\n\n{words}\n\n```\n{account}```\n\nAny hints?\n"
        )));
        told.into_iter().any(|(title, _)| title.contains(words))
    };
    assert!(told(
        "The culprit of the slow boot was the share in fstab, which waits for the network."
    ));
    assert!(!told("My board boots slowly, and the eMMC is fine."));
}

/// A syslog whose kernel has stamps and whose programs have dates of whole seconds.
const SYSLOG: &str = "\
Jan  1 10:00:09 frob kernel: [    0.000000] Linux version 6.1.0 (a@b) (gcc 12) #1 SMP\n\
Jan  1 10:00:09 frob kernel: [    1.000000] Run /sbin/init as init process\n\
Jan  1 10:00:09 frob kernel: [    1.500000] EXT4-fs (sda1): re-mounted. Opts: errors=remount-ro\n\
Jan  1 10:00:09 frob systemd[1]: Starting Quux Server...\n\
Jan  1 10:00:09 frob systemd[1]: Starting Sprocket...\n\
Jan  1 10:00:10 frob systemd[1]: Started Sprocket.\n\
Jan  1 10:00:10 frob linkd[7]: eth9: waiting for carrier\n\
Jan  1 10:00:10 frob kernel: [    3.000000] eth9: link is not ready\n\
";

#[test]
fn units_are_paired_by_a_daemons_dates() {
    let document = read(&format!(
        "{SYSLOG}Jan  1 10:00:24 frob systemd[1]: Started Quux Server.\n\
         Jan  1 10:00:25 frob systemd[1]: Startup finished in 1.500s (kernel) + 22.000s (userspace) = 23.500s.\n"
    ));
    let told = costs(&document);
    let unit = ("systemd starts the unit `Quux Server`".to_owned(), Some(15_000));
    assert_eq!(told.first(), Some(&unit), "{told:?}");
    // One second of whole ones is anything up to two.
    assert!(!told.iter().any(|(title, _)| title.contains("Sprocket")), "{told:?}");
}

#[test]
fn who_waits_is_named_where_programs_have_dates_only() {
    let document = read(&format!(
        "{SYSLOG}Jan  1 10:00:11 frob sprocketd[8]: up\n\
         Jan  1 10:00:40 frob linkd[7]: timed out\n\
         Jan  1 10:00:41 frob systemd[1]: Startup finished in 1.500s (kernel) + 38.000s (userspace) = 39.500s.\n"
    ));
    let told = costs(&document);
    let wait = "nothing is logged by `linkd` between `eth9: waiting for carrier` and `timed out`";
    assert!(told.contains(&(wait.to_owned(), Some(30_000))), "{told:?}");
}

#[test]
fn a_step_of_the_clock_is_no_wait() {
    let document = read(&format!(
        "{SYSLOG}Jan  1 10:00:50 frob sprocketd[8]: up\n\
         Jan  1 10:00:51 frob kernel: [    4.000000] frob0: up\n\
         Jan  1 10:00:52 frob kernel: [    5.000000] frob1: up\n\
         Jan  1 10:00:53 frob systemd[1]: Startup finished in 1.500s (kernel) + 5.000s (userspace) = 6.500s.\n"
    ));
    let told = costs(&document);
    assert!(told.iter().all(|(_, ms)| ms.is_none_or(|ms| ms <= 5_000)), "{told:?}");
}

#[test]
fn programs_without_a_number_are_a_daemons() {
    let document = read(
        "Jan  1 10:00:05 frob kernel: Linux version 3.10.0 (a@b) (gcc 4) #1 SMP\n\
         Jan  1 10:00:05 frob kernel: Command line: ro root=/dev/sda1\n\
         Jan  1 10:00:05 frob kernel: Freeing unused kernel memory: 900k freed\n\
         Jan  1 10:00:05 frob systemd: Starting Quux Server...\n\
         Jan  1 10:00:06 frob sprocketd[8]: up\n\
         Jan  1 10:00:20 frob quuxd: ready\n\
         Jan  1 10:00:20 frob systemd: Started Quux Server.\n\
         Jan  1 10:00:21 frob systemd: Startup finished in 1.500s (kernel) + 16.000s (userspace) = 17.500s.\n",
    );
    let told = costs(&document);
    let unit = ("systemd starts the unit `Quux Server`".to_owned(), Some(15_000));
    assert_eq!(told.first(), Some(&unit), "{told:?}");
    let boot = document.boots().next().expect("a boot");
    assert!(boot.axis.late, "no capture stamped these lines");
}

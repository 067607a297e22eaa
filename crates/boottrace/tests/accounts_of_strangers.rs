// SPDX-License-Identifier: MIT
//! systemd's accounts as people write them down, and what a start goes on with when it is over. Logs made up for each class of
//! fault.

mod reading;

use boottrace::costs::Cost;
use reading::{boots, read, unit_reports};

/// Milliseconds and title of the costs of all reports about units.
fn told(log: &str) -> Vec<(Option<i64>, String)> {
    let document = read(log);
    let costs = unit_reports(&document).into_iter().flat_map(|report| &report.costs);
    costs
        .map(|cost: &Cost| (cost.cost_ns.map(|ns| ns / 1_000_000), cost.title.clone()))
        .collect()
}

fn parts(log: &str) -> Vec<Vec<u64>> {
    let document = read(log);
    let reports = unit_reports(&document).into_iter();
    let startups = reports.filter_map(|report| report.startup.as_ref());
    startups
        .map(|startup| startup.parts.iter().map(|(_, ns)| ns / 1_000_000).collect())
        .collect()
}

#[test]
fn times_as_people_write_them() {
    let log = "It is slow:\n\nStartup finished in 19m 4.631s (firmware) + 5.2s (loader) + 3.1s (kernel) + 22.4s (userspace) = 19m 35.331s\n";
    assert_eq!(parts(log), [[1_144_631, 5_200, 3_100, 22_400]]);
    let log =
        "It shows `4.8 s (firmware) + 1.4s (loader) + 1.3s (kernel) + 2.8s (userspace) = 10.3s` and it was less.\n";
    assert_eq!(parts(log), [[4_800, 1_400, 1_300, 2_800]]);
    let log = "root@host:~# systemd-analyze time\n_Startup finished in 6.0s (kernel) + 18.3s (userspace) = 24.3s_\n";
    assert_eq!(parts(log), [[6_000, 18_300]]);
}

#[test]
fn parts_that_are_not_their_sum_are_no_account() {
    let account = "Startup finished in 11.0s (firmware) + 2.0s (kernel) + 8.8s (userspace) = 21.8s\n";
    assert_eq!(parts(account).len(), 1);
    let wish = account.replace(" + 8.8s", " + 2.3s(hypervisor) + 8.8s");
    assert!(parts(&wish).is_empty());
    assert_eq!(
        parts(&format!("It says:\n\n{account}\nIt should say:\n\n{wish}")).len(),
        1
    );
}

#[test]
fn a_chain_that_a_pager_drew_twice_is_one() {
    let head = "graphical.target @47.3s\n\u{2514}\u{2500}multi-user.target @47.3s\n  \u{2514}\u{2500}b.service @14.1s +32.7s\n";
    let rest = "    \u{2514}\u{2500}c.service @5.1s +8.9s\n";
    let log = format!("$ systemd-analyze critical-chain\n{head}lines 1-4/9 50%\n{head}{rest}lines 1-5/9 60%\n{rest}lines 4-9/9 (END)\n");
    let found = told(&log);
    let units = found
        .iter()
        .filter(|(_, title)| title == "systemd starts the unit `b.service`")
        .count();
    assert_eq!((units, found[0].0), (1, Some(32_700)), "{found:?}");
    assert!(found.iter().any(|(ms, _)| *ms == Some(8_900)), "{found:?}");
    // Two goals are two chains, which may share links.
    let two = format!("{head}{rest}x.service @15.0s\n\u{2514}\u{2500}c.service @5.1s +8.9s\n");
    let shared = told(&two)
        .into_iter()
        .filter(|(_, title)| title == "systemd starts the unit `c.service`");
    assert_eq!(shared.count(), 2);
}

#[test]
fn a_unit_that_outlasts_the_start_is_told_without_a_time_of_the_boot() {
    let log = "$ systemd-analyze\nStartup finished in 3.2s (kernel) + 18.4s (userspace) = 21.6s\n\
               graphical.target reached after 17.9s in userspace\n$ systemd-analyze blame\n\
               3min 12.1s trim.service\n6.2s wait.service\n1.1s other.service\n";
    let found = told(log);
    let beyond = found.iter().find(|(_, title)| title.contains("`trim.service`"));
    let beyond = beyond.expect("it is told");
    assert_eq!(
        *beyond,
        (
            None,
            "the unit `trim.service` goes on when the start is over".to_owned()
        )
    );
    assert!(found.iter().all(|(ms, _)| *ms <= Some(18_400)), "{found:?}");
}

#[test]
fn the_longest_stage_of_an_account_is_a_cost_where_no_stamp_shows_it() {
    let account = "Startup finished in 20.1s (firmware) + 2.9s (kernel) + 9.0s (userspace) = 32.0s.";
    let log = format!(
        "Nov 03 10:00:01 host kernel: Linux version 6.1.0-frob\nNov 03 10:00:01 host kernel: Command line: root=/dev/sda2\n\
         Nov 03 10:00:05 host systemd[1]: Starting Frob Daemon...\nNov 03 10:00:09 host systemd[1]: Started Frob Daemon.\n\
         Nov 03 10:00:10 host systemd[1]: Reached target Multi-User System.\nNov 03 10:00:10 host systemd[1]: {account}\n"
    );
    let document = boots(&log);
    let longest = &document[0].costs[0];
    assert_eq!(document[0].costs.len(), 2, "{:?}", document[0]);
    assert_eq!(
        (longest.title.as_str(), longest.cost_ns.map(|ns| ns / 1_000_000)),
        ("the firmware sets the machine up", Some(20_100))
    );
}

#[test]
fn an_emergency_shell_is_not_everything() {
    let log =
        "[  102.920000] systemd[1]: Started Emergency Shell.\n[  102.930000] systemd[1]: Reached target Emergency Mode.\n\
               [  102.940000] systemd[1]: Startup finished in 12.4s (kernel) + 1min 30.5s (userspace) = 1min 42.9s.\n";
    let rescued = |log: &str| boots(log)[0].startup.as_ref().map(|account| account.rescued);
    assert_eq!(rescued(log), Some(true));
    assert_eq!(rescued(&log.replace("Emergency Mode", "Frob")), Some(false));
}

#[test]
fn a_start_script_of_openwrt_is_a_start() {
    let log = "Thu Jan 13 22:20:51 2022 daemon.notice procd: /etc/rc.d/S15frob: net.frob = 1\n\
               Thu Jan 13 22:20:53 2022 kern.info kernel: [  242.829535] frob init\n\
               Thu Jan 13 22:20:53 2022 daemon.notice procd: /etc/rc.d/S19quux: net.quux = 1\n";
    assert_eq!(boots(log).len(), 1);
    assert!(boots(&log.replace("/etc/rc.d/S", "/tmp/")).is_empty());
}

#[test]
fn daemons_that_are_ready_are_no_wait() {
    assert!(told("It hangs here:\n\nfrobd: waiting for events: event logging is off\n").is_empty());
}

#[test]
fn an_account_that_is_an_example_is_of_no_boot() {
    let text = "Cette commande affiche un truc du genre \"Startup finished in 2.5s (kernel) + 19s (initrd) + 47s (userspace)\". Voilà.\n";
    assert!(unit_reports(&read(text)).iter().all(|report| report.startup.is_none()));
    let said = "Startup finished in 2.5s (kernel) + 47s (userspace) = 49.5s\n";
    assert!(unit_reports(&read(said))[0].startup.is_some());
}

#[test]
fn rows_with_remarks_and_tags_are_one_chain() {
    let log = "It hangs:\n\ngraphical.target @1min 2.6s\n\
               &#9492;&#9472;frob.service @1min 2.5s +39ms  :confused:\n\
               \u{20} &#9492;&#9472;[b]quux.service @58.1s +4.4s   why so late?[/b]\n\
               \u{20}   &#9492;&#9472;[color=red]sysinit.target @57.7s[/color]\n\
               \u{20}     &#9492;&#9472;**x.service @6.3s +1.7s   :confused:**\n";
    let found = told(log);
    assert_eq!(unit_reports(&read(log)).len(), 1);
    let gap = "nothing that was read explains the time before `sysinit.target`".to_owned();
    assert_eq!(found[0], (Some(49_700), gap), "{found:?}");
}

#[test]
fn an_account_without_a_blank_or_with_its_ends_of_lines_written_out() {
    let account = "Startup finished in 2min 2.5s (kernel) + 30.5s (userspace) = 2min 33.000s";
    let target = "graphical.target reached after 30.125s in userspace";
    let glued = format!("It is slow:\n\n{account}{target}\n  9.5s frob.service\n");
    assert_eq!(parts(&glued), [[122_500, 30_500]]);
    let string = format!("{{ \"ExecDuration\": \"7\", \"Summary\": \"{account}\\n{target}\", \"x\": 1 }}\n");
    for log in [glued, string] {
        let document = read(&log);
        let startup = unit_reports(&document)[0].startup.clone().expect("an account");
        assert_eq!(startup.total_ns, Some(153_000_000_000), "{log}");
        assert_eq!(startup.target.as_deref(), Some("graphical.target"), "{log}");
    }
}

#[test]
fn what_a_page_shows_before_a_unit_is_taken_out_is_of_another_boot() {
    let page =
        "I was tweaking my boot today. First came:\n\n```\n  7.5s frob.service\n```\n\nTo remove it I used:\n\n```\n\
                systemctl disable frob.service\n```\n\nThen it said:\n\n```\n\
                Startup finished in 3.5s (kernel) + 8.5s (userspace) = 12.0s\n```\n";
    let accounts = |page: &str| {
        let document = read(page);
        let reports = unit_reports(&document).into_iter();
        reports
            .map(|report| (report.startup.is_some(), report.units.len()))
            .collect::<Vec<_>>()
    };
    assert_eq!(accounts(page), [(false, 1), (true, 0)]);
    let kept = page
        .replace("To remove it I used:", "It is up with:")
        .replace("systemctl disable", "ls");
    assert_eq!(accounts(&kept), [(true, 1)]);
}

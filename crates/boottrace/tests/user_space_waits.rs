// SPDX-License-Identifier: MIT
//! Waits of user space in what people paste: limits that ran out, accounts that no unit explains, clocks of any kind in
//! front of a line, and what a person writes. Logs made up for each class.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::gap::BootPart;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::Part;
use reading::{boots, ms, read};

const MS: i64 = 1_000_000;

/// The costs of reports, no boot's.
fn of_reports(log: &str) -> Vec<Cost> {
    let parts = read(log).parts.into_iter();
    parts
        .flat_map(|part| match part {
            Part::Units(report) => report.costs,
            _ => Vec::new(),
        })
        .collect()
}

fn first(log: &str) -> (CostKind, Option<i64>, String) {
    let costs = of_reports(log);
    let cost = costs.first().unwrap_or_else(|| panic!("nothing is told of {log}"));
    (cost.kind, cost.cost_ns.map(|ns| ns / MS), cost.title.clone())
}

#[test]
fn user_space_that_no_unit_explains() {
    let log = "Startup finished in 9.500s (firmware) + 4.100s (kernel) + 51.300s (userspace) = 1min 4.900s\n\
        graphical.target reached after 51.200s in userspace\n\
        47.900s plymouth-quit-wait.service\n 6.300s frob.service\n 1.200s quux.service\n";
    let (kind, ms, title) = first(log);
    assert_eq!((kind, ms), (CostKind::UserSpaceStart, Some(51_300)));
    assert!(title.contains("`plymouth-quit-wait.service` waits 47.900 s"), "{title}");
    // A unit that takes most of it is the cost.
    let log = "Startup finished in 4.100s (kernel) + 51.300s (userspace) = 55.400s\n 40.300s frob.service\n";
    assert_eq!((first(log).0, first(log).1), (CostKind::UnitStart, Some(40_300)));
}

#[test]
fn limits_that_ran_out() {
    let log = "Mar 12 07:31:18 box systemd[1]: srv-frob.mount mounting timed out. Killing.\n\
        Mar 12 07:32:49 box systemd[1]: srv-frob.mount mount process still around after SIGKILL. Ignoring.\n";
    let (kind, _, title) = first(log);
    assert_eq!(kind, CostKind::UnitFailure);
    assert!(title.contains("the unit srv-frob.mount until its limit"), "{title}");
}

#[test]
fn bold_marks_are_a_pages() {
    let log = "1. The messages are as follows:-\n\n**Mar 10 15:16:20 box systemd[1]: Mounting /media/frob...\n\
        Mar 10 15:17:51 box systemd[1]: media-frob.mount: Mounting timed out. Terminating.\n\
        Mar 10 15:17:51 box systemd[1]: Failed to mount /media/frob.**\n";
    let mut costs: Vec<Cost> = boots(log).into_iter().flat_map(|boot| boot.costs).collect();
    costs.extend(of_reports(log));
    assert!(
        costs
            .iter()
            .any(|cost| cost.kind == CostKind::UnitFailure && cost.cost_ns == Some(91_000 * MS)),
        "{costs:?}"
    );
}

#[test]
fn a_goal_ends_what_is_waited_for() {
    let log = "Startup finished in 3.034s (loader) + 978ms (kernel) + 11.894s (userspace) = 15.906s\n\
        graphical.target reached after 954ms in userspace\n";
    let cost = of_reports(log)
        .into_iter()
        .find(|cost| cost.kind == CostKind::UserSpaceStart);
    let cost = cost.expect("user space is told");
    assert_eq!(
        (cost.cost_ns, cost.title.as_str()),
        (Some(954 * MS), "systemd starts user space up to `graphical.target`")
    );
}

#[test]
fn a_runner_counts_before_the_kernel() {
    let log = "171s [  301.012049] systemd[1]: frob-wait.service: start operation timed out. Terminating.\n\
        171s [   ***] (1 of 2) Job frob-wait.service/start running (4min 3s / 7min 32s)\n";
    let costs: Vec<Cost> = boots(log).into_iter().flat_map(|boot| boot.costs).collect();
    assert!(
        costs
            .iter()
            .any(|cost| cost.cost_ns == Some(243_000 * MS) && cost.at_least),
        "{costs:?}"
    );
}

#[test]
fn seconds_since_1970_are_a_clock() {
    let log = "When the pool is imported:\n```\n1900000016   frob.c:38:frob_note(): LOADING\n\
        1900000017   frob.c:39:frob_note(): using quux\n1900000100   frob.c:40:frob_note(): LOADED\n```\n";
    assert_eq!((first(log).0, first(log).1), (CostKind::Silence, Some(83_000)));
    assert!(first(log).2.contains("`frob.c:39:frob_note(): using quux`"));
}

#[test]
fn a_stamped_line_is_no_sentence() {
    let log = "The frobd waits for quux all the time:\n```\n\
        01-10 06:08:24.978  3355  3355 I FrobClient: Waiting for service 'quux' on '/dev/frob'...\n\
        01-10 06:08:25.677    53    53 I frob  : nothing\n01-10 06:08:26.677    53    53 I frob  : nothing again\n```\n";
    let waits: Vec<String> = of_reports(log).into_iter().map(|cost| cost.title).collect();
    assert!(
        waits
            .iter()
            .any(|title| title.contains("a line speaks of a wait: `FrobClient: Waiting for service 'quux'")),
        "{waits:?}"
    );
}

#[test]
fn lines_left_out_between_two_dates() {
    let log = "```\nJan 30 00:26:54 box frob-shell[803]: Running\n[...]\n\
        Jan 30 00:27:26 box frob-shell[803]: Device prefers quux\n```\n";
    let (kind, ms, title) = first(log);
    assert_eq!((kind, ms), (CostKind::Silence, Some(32_000)));
    assert!(title.starts_with("lines are left out after "), "{title}");
}

#[test]
fn a_cut_link_hides_no_time() {
    let log = "graphical.target @23.582s\n\u{2514}\u{2500}multi-user.target @23.580s\n  \u{2514}\u{2500}frob.service @7.000s +16.580s\n    \
        \u{2514}\u{2500}quux@backlight:x.service @4.66>\n      \u{2514}\u{2500}-.slice @380ms\n";
    assert!(of_reports(log).iter().all(|cost| cost.kind != CostKind::ChainGap));
}

#[test]
fn a_process_in_the_kernels_log_is_user_space() {
    let log = "[  191.827784] dracut-initqueue[543]: Warning: dracut-initqueue: starting timeout scripts\n\
        [  192.336428] dracut-initqueue[543]: Warning: dracut-initqueue: timeout, still waiting for following initqueue hooks:\n\
        [  192.889655] dracut-initqueue[543]: Warning: dracut-initqueue: starting timeout scripts\n";
    let boot = &boots(log)[0];
    assert_eq!(ms(boot, StageEvent::UserSpaceStart), Some(191_827));
    assert!(boot.gaps.iter().all(|gap| gap.part == BootPart::UserSpace));
}

#[test]
fn a_module_from_outside_is_loaded_by_user_space() {
    let log = "[    4.310943] sd 4:0:0:0: [sdd] Attached SCSI disk\n\
        [   94.335257] frob: loading out-of-tree module taints kernel.\n";
    let cost = &boots(log)[0].costs[0];
    assert!(cost.advice.starts_with("look what runs there"), "{}", cost.advice);
}

#[test]
fn attempts_and_waits_that_say_their_seconds() {
    let log = "I see a long delay:\n\n```\nProblem when tried to activate the frob.\n\
        Frob initialisation: Attempt 0 of 11. Wait 15 seconds.\n...\n```\n";
    // The first attempt tries nothing again.
    assert!(
        first(log).2.starts_with("a line speaks of a wait: "),
        "{}",
        first(log).2
    );
    let later = first(&log.replace("Attempt 0", "Attempt 4")).2;
    assert!(later.starts_with("a line speaks of tries: "), "{later}");
}

#[test]
fn a_loop_of_the_initramfs() {
    let line = "Begin: Running /scripts/local-block ... done.\n";
    let told = |log: &str| {
        let boots = boots(log).into_iter().flat_map(|boot| boot.costs);
        let all = boots.chain(of_reports(log));
        all.map(|cost| cost.title).collect::<Vec<_>>()
    };
    let again = "the initramfs looks again and again for a device that does not come";
    assert!(told(&line.repeat(4)).iter().any(|title| title == again));
    assert!(told(line).iter().all(|title| title != again));
}

#[test]
fn a_persons_words_are_quoted_where_nothing_else_is() {
    let log = "During boot, some frobs take much longer.\n\n4 frobs x 5 seconds per frob adds 20 seconds to the boot. I use others.\n";
    let (kind, ms, title) = first(log);
    assert_eq!((kind, ms), (CostKind::StatedTime, None));
    assert_eq!(
        title,
        "the text says `During boot, some frobs take much longer.` and `4 frobs x 5 seconds per frob adds 20 seconds to the boot.`"
    );
}

/// The costs of all boots in a log.
fn of_boots(log: &str) -> Vec<Cost> {
    boots(log).into_iter().flat_map(|boot| boot.costs).collect()
}

#[test]
fn nothing_behind_the_goal_is_a_wait() {
    let log = "Jul  7 07:00:00 box kernel: [    0.000000] Linux version 9.9.9 (a@b) (gcc 12) #1\n\
        Jul  7 07:00:01 box kernel: [    1.500000] Run /sbin/init as init process\n\
        Jul  7 07:00:03 box systemd[1]: Starting Frob Daemon...\n\
        Jul  7 07:00:09 box systemd[1]: Started Frob Daemon.\n\
        Jul  7 07:00:09 box kernel: [    9.500000] frob: up\n\
        Jul  7 07:00:10 box systemd[1]: Reached target Multi-User System.\n\
        Jul  7 07:00:29 box kernel: [   29.500000]  sda: sda1\n\
        Jul  7 07:00:33 box kernel: [   33.500000] EXT4-fs (sda1): mounted filesystem with ordered data mode\n";
    let costs = of_boots(log);
    assert!(costs.iter().any(|cost| cost.lines == [3, 4]), "{costs:?}");
    assert!(
        costs.iter().all(|cost| cost.lines.iter().all(|line| *line < 7)),
        "{costs:?}"
    );
}

#[test]
fn nothing_behind_the_account_is_a_wait() {
    let log = "Jul  7 07:00:01 box systemd[1]: Starting Frob Daemon...\n\
        Jul  7 07:00:09 box systemd[1]: Started Frob Daemon.\n\
        Jul  7 07:00:10 box systemd[1]: Startup finished in 2.000s (kernel) + 9.000s (userspace) = 11.000s.\n\
        Jul  7 07:09:40 box kernel: Asynchronous wait on fence 0000:07:00.0:frob[7]:7 timed out\n";
    assert!(of_boots(log).iter().all(|cost| !cost.lines.contains(&4)));
}

#[test]
fn a_clock_that_is_set_leaves_a_unit_its_least_time() {
    let log = "Jul  7 07:00:01 box systemd[1]: Starting Frob Daemon...\n\
        Jul  7 07:00:02 box systemd[1]: Reached target System Initialization.\n\
        Jul  7 07:00:09 box quux[7]: it goes on\n\
        Jul  7 07:04:37 box systemd[1]: Time has been changed\n\
        Jul  7 07:04:40 box quux[7]: it still goes on\n\
        Jul  7 07:04:41 box quux[7]: and on\n\
        Jul  7 07:04:42 box quux[7]: to its end\n\
        Jul  7 07:05:00 box systemd[1]: Started Frob Daemon.\n\
        Jul  7 07:05:01 box systemd[1]: Reached target Multi-User System.\n";
    let costs = of_reports(log);
    let least = |cost: &Cost| cost.lines == [1, 8] && cost.at_least && cost.cost_ns == Some(31_000 * MS);
    assert!(costs.iter().any(least), "{costs:?}");
}

#[test]
fn a_wait_that_began_before_the_piece() {
    let log = "Jul  7 07:00:01 box systemd[1]: Started Frob Daemon.\n\
        Jul  7 07:08:12 box systemd[1]: Stopped Wait until frobs are seeded.\n\
        Jul  7 07:08:12 box systemd[1]: Reached target Multi-User System.\n\
        Jul  7 07:08:12 box systemd[1]: Startup finished in 2.000s (kernel) + 8min 9.000s (userspace) = 8min 11.000s.\n";
    let costs = of_boots(log);
    let waits = |cost: &Cost| cost.title == "systemd waits for the unit `Wait until frobs are seeded`";
    assert!(
        costs.iter().any(|cost| waits(cost) && cost.cost_ns.is_none()),
        "{costs:?}"
    );
}

#[test]
fn the_head_of_a_mail_is_no_firmware() {
    let log = "From: A Person <person@frob.example>\nDate: Tue, 7 Jul 2031 07:07:07 +0000\nSubject: frob: it fails\n\n\
        It fails here:\n\n[    0.000000] Linux version 9.9.9 (a@b) (gcc 12) #1\n[    0.100000] Memory: 7K/8K available\n\
        [    1.500000] Run /sbin/init as init process\n";
    let boot = &boots(log)[0];
    let firmware = boot.stages.iter().find(|stage| stage.event == StageEvent::Firmware);
    assert!(firmware.is_some_and(|stage| stage.line.is_none()), "{firmware:?}");
}

#[test]
fn what_a_form_nobody_knows_puts_before_the_kernels_lines() {
    let line = |second: u32, text: &str| format!("6:2031 Jul  7 07:07:{second:02}:FROB:kernel:-:<6>{text}\n");
    let log: String = [
        (29, "Linux version 9.9.9 (a@b) (gcc 12) #1"),
        (29, "CPU: FROB9 [7] revision 7"),
        (29, "Memory: 7MB = 7MB total"),
        (30, "Calibrating delay loop... 79.87 BogoMIPS (lpj=399360)"),
        (31, "frob0: frob at 0x7"),
        (33, "Freeing init memory: 96K"),
    ]
    .into_iter()
    .map(|(second, text)| line(second, text))
    .collect();
    let boots = boots(&log);
    assert_eq!(boots.len(), 1);
    assert!(boots[0].reached_kernel && boots[0].reached_user);
    assert!(boots[0].kernel.banner.is_some());
}

#[test]
fn what_bootlogd_dates() {
    let log = "Thu Jul  7 07:00:06 2031: bootlogd.\nThu Jul  7 07:00:07 2031: Starting syslogd/klogd: done\n\
        Thu Jul  7 07:00:08 2031: Configuring frobs... done.\nThu Jul  7 07:00:14 2031: Failed to find a frob, exiting\n\
        Thu Jul  7 07:00:14 2031: INIT: Entering runlevel: 3\nThu Jul  7 07:00:14 2031: Starting frobd\n";
    let costs = of_reports(log);
    let silent = |cost: &Cost| cost.lines == [3, 4] && cost.cost_ns == Some(6_000 * MS);
    assert!(costs.iter().any(silent), "{costs:?}");
}

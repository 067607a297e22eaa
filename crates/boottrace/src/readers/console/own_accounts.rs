// SPDX-License-Identifier: MIT
//! Logs of daemons without the kernel's lines: where the system's manager says more than once how long its start took, there
//! are as many boots, and each account tells how long before it its start began.

use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::clock::NS_PER_S;
use crate::log::hints::accounts_for_start;
use crate::log::line::{HostSource, Line};
use crate::log::milestone::{self, Milestone};
use crate::readers::userspace::systemd_analyze::StartupTime;

/// Dates of whole seconds, and of two daemons, may be off by so much.
const SLACK_NS: i64 = 2 * NS_PER_S;

/// Gives each account a boot of its own.
pub(super) fn part(out: &mut Split) {
    let mut at = 0;
    while at < out.boots.len() {
        if let Some(cut) = second_start(&out.boots[at]) {
            let mut own = BootLog::new(BootStart::MiddleOfLog);
            own.guest = out.boots[at].guest;
            own.lines = out.boots[at].give_up_from(cut);
            own.kernel_from = Some(0);
            own.user_from = Some(0);
            out.boots.insert(at + 1, own);
        }
        at += 1;
    }
}

/// The index from which on the lines are of the start that the second account is of.
fn second_start(boot: &BootLog) -> Option<usize> {
    let mut accounts = (0..boot.lines.len()).filter(|at| is_account(&boot.lines[*at]));
    let first = accounts.next()?;
    let second = accounts.find(|at| boot.lines[*at].text != boot.lines[first].text)?;
    let between = first + 1..second;
    // The kernel's own words tell better.
    let banner = |line: &Line| milestone::of(&line.text) == Some(Milestone::KernelBanner);
    if boot.lines[between.clone()].iter().any(banner) {
        return None;
    }
    let ended = date(&boot.lines[second])?;
    let begun = ended
        .checked_sub(user_space_ns(&boot.lines[second].text)?)?
        .checked_sub(SLACK_NS)?;
    // Dates without a year go back where a year ends.
    let outside =
        |line: &Line| date(line).is_some_and(|date| !(begun..=ended.saturating_add(SLACK_NS)).contains(&date));
    let before = boot.lines[between.clone()].iter().rposition(outside);
    Some(before.map_or(between.start, |at| between.start + at + 1))
}

fn is_account(line: &Line) -> bool {
    line.process.as_deref() == Some("systemd") && accounts_for_start(&line.text)
}

fn date(line: &Line) -> Option<i64> {
    line.host_ns.filter(|_| line.host_source == Some(HostSource::Syslog))
}

fn user_space_ns(text: &str) -> Option<i64> {
    let (_, said) = text.split_once("Startup finished in ")?;
    i64::try_from(StartupTime::parse(said)?.userspace_ns?).ok()
}

#[cfg(test)]
mod tests {
    use super::super::own_start::tests::spans;

    const START: &str = "Feb  3 04:05:01 box systemd[1]: Started Frob.\n\
                         Feb  3 04:05:05 box quuxd[7]: ready\n\
                         Feb  3 04:05:06 box systemd[1]: Reached target Multi-User System.\n\
                         Feb  3 04:05:06 box systemd[1]: Startup finished in 2.5s (kernel) + 5.5s (userspace) = 8.0s.\n";

    #[test]
    fn each_account_is_of_a_boot() {
        assert_eq!(spans(START), [(1, 4)]);
        let second = START.replace("04:05:0", "04:25:0").replace("5.5s", "5.6s");
        let down = "Feb  3 04:24:50 box systemd[1]: Stopping Frob...\n";
        assert_eq!(spans(&format!("{START}{down}{second}")), [(1, 5), (6, 9)]);
        // In the next year, the month is an earlier one.
        let next_year = second.replace("Feb", "Jan");
        assert_eq!(spans(&format!("{START}{down}{next_year}")), [(1, 5), (6, 9)]);
        // The same words again are of the same start.
        let again = "Feb  3 04:25:06 box systemd[1]: Startup finished in 2.5s (kernel) + 5.5s (userspace) = 8.0s.\n";
        assert_eq!(spans(&format!("{START}{again}")), [(1, 5)]);
    }
}

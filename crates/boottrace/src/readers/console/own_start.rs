// SPDX-License-Identifier: MIT
//! What daemons wrote of a start before the kernel's own lines of it: those lines are taken off the end of what stands before,
//! be it a system that runs, one that goes down, or another boot.

use super::{first_words, own_accounts};
use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::clock::NS_PER_S;
use crate::log::line::{HostSource, Line, LineKind};
use crate::log::starting::{starts_a_log, starts_once};

/// Two lines of a start that a daemon of the log writes before it reads the kernel's are no further apart.
const APART_NS: i64 = 5 * NS_PER_S;
/// Dates of whole seconds, and of two daemons, may be out of order by so much.
const BACK_NS: i64 = 2 * NS_PER_S;
/// A kernel's stamp from which on a system has been up.
const UP_NS: i64 = 60 * NS_PER_S;
/// Lines looked at.
const MOST: usize = 5_000;

/// Puts the lines of each start where they belong.
pub(super) fn part(out: &mut Split) {
    give_to_the_next(out);
    first_words::give(out);
    own_accounts::part(out);
}

fn give_to_the_next(out: &mut Split) {
    let mut at = 0;
    while at + 1 < out.boots.len() {
        let (earlier, later) = out.boots.split_at_mut(at + 1);
        let (boot, next) = (&mut earlier[at], &mut later[0]);
        if !follows(boot, next) {
            at += 1;
            continue;
        }
        take_first_words(boot, next);
        if boot.lines.is_empty() {
            out.boots.remove(at);
            continue;
        }
        let from = date(next.lines.iter()).and_then(|date| own_from(&boot.lines, date));
        if let Some(from) = from.filter(|from| *from > 0) {
            let mut own = BootLog::new(BootStart::MiddleOfLog);
            own.lines = boot.give_up_from(from);
            own.kernel_from = Some(0);
            own.user_from = Some(0);
            out.boots.insert(at + 1, own);
            at += 1;
        }
        at += 1;
    }
}

/// Does a kernel's start follow on the next line?
fn follows(boot: &BootLog, next: &BootLog) -> bool {
    let begins = matches!(next.start, BootStart::KernelBanner | BootStart::StampsRestart);
    begins && boot.guest.is_none() && next.guest.is_none() && next.span().0 <= boot.span().1.saturating_add(2)
}

/// What the kernel says at its zero before its banner is the next boot's.
fn take_first_words(boot: &mut BootLog, next: &mut BootLog) {
    let first = |line: &Line| line.printk_ns == Some(0) && line.process.is_none();
    let others = boot.lines.iter().rposition(|line| !first(line)).map_or(0, |at| at + 1);
    let user = |line: &Line| line.kind == LineKind::User;
    if others == boot.lines.len() || !boot.lines[..others].iter().any(user) || next.kernel_from != Some(0) {
        return;
    }
    let mut words = boot.give_up_from(others);
    for line in &mut words {
        line.kind = LineKind::Kernel;
    }
    next.user_from = next.user_from.map(|from| from + words.len());
    next.lines.splice(0..0, words);
}

fn date<'a>(mut lines: impl Iterator<Item = &'a Line>) -> Option<i64> {
    lines.find_map(received)
}

fn received(line: &Line) -> Option<i64> {
    line.host_ns.filter(|_| line.host_source == Some(HostSource::Syslog))
}

/// From which index on the lines are of the start whose kernel's lines follow with that date: no step between them, nobody who
/// goes down, and in them what only a start prints.
fn own_from(lines: &[Line], date: i64) -> Option<usize> {
    let mut from = None;
    let mut later = date;
    for (at, line) in lines.iter().enumerate().rev().take(MOST) {
        if matches!(line.kind, LineKind::Blank | LineKind::Harness) {
            continue;
        }
        let Some(ns) = received(line) else {
            // sysklogd's own first line names no sender.
            from = starts_a_log(line).then_some(at).or(from);
            break;
        };
        let step = later.saturating_sub(ns);
        let up = line.printk_ns.is_some_and(|ns| ns > UP_NS);
        if goes_down(line) || up || !(-BACK_NS..=APART_NS).contains(&step) {
            break;
        }
        later = later.min(ns);
        from = Some(at);
    }
    let mut from = from?;
    // Without the journal, nothing of a start is logged before the daemon of the log runs.
    if !lines[from..]
        .iter()
        .any(|line| line.process.as_deref() == Some("systemd"))
    {
        from += lines[from..].iter().position(starts_a_log).unwrap_or(0);
    }
    // The words of the tool that wrote the log stand before them.
    let words = |line: &Line| {
        line.kind == LineKind::Harness
            && received(line).is_some_and(|ns| later.saturating_sub(ns) <= APART_NS && ns <= later)
    };
    let head = lines[..from]
        .iter()
        .rev()
        .take_while(|line| words(line) && !goes_down(line))
        .count();
    lines[from..].iter().any(starts_once).then_some(from - head)
}

/// Does a daemon end, or the system go down?
fn goes_down(line: &Line) -> bool {
    const WORDS: [&str; 12] = [
        "exiting on signal",
        "exiting on receipt of SIGTERM",
        "Kernel logging (proc) stopped",
        "killed by TERM signal",
        "syslog-ng shutting down",
        "Journal stopped",
        "Shutting down.",
        "Reached target Shutdown",
        "Reached target Final Step",
        "shutting down for system",
        "Received SIGTERM from PID 1",
        "terminating on signal",
    ];
    line.process.as_deref() == Some("systemd-shutdown") || WORDS.iter().any(|words| line.text.contains(words))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::options::Limits;
    use crate::readers::console;

    /// The first and the last line of each boot.
    pub(in crate::readers::console) fn spans(text: &str) -> Vec<(u32, u32)> {
        let lines = console::read(text.as_bytes(), None, &Limits::default()).expect("lines");
        let split = console::split(lines, &Limits::default());
        split.boots.iter().map(BootLog::span).collect()
    }

    const START: &str =
        "Feb  3 04:05:06 box rsyslogd: [origin software=\"rsyslogd\" swVersion=\"9.9\" x-pid=\"7\"] start\n\
                         Feb  3 04:05:06 box frobd[7]: ready\n\
                         Feb  3 04:05:06 box kernel: [    0.000000] Initializing cgroup subsys cpuset\n\
                         Feb  3 04:05:06 box kernel: [    0.000000] Linux version 9.9.9 (x@y) #1\n\
                         Feb  3 04:05:06 box kernel: [    0.500000] frob: up\n";

    #[test]
    fn lines_of_a_start_before_the_kernels() {
        assert_eq!(spans(START), [(1, 2), (3, 5)]);
        let down = "Feb  3 04:05:01 box frobd[9]: at work\n\
                    Feb  3 04:05:02 box rsyslogd: [origin software=\"rsyslogd\"] exiting on signal 15.\n";
        assert_eq!(spans(&format!("{down}{START}")), [(1, 2), (3, 4), (5, 7)]);
        let second = START.replace("04:05:0", "04:25:0");
        assert_eq!(spans(&format!("{START}{second}")), [(1, 2), (3, 5), (6, 7), (8, 10)]);
    }
}

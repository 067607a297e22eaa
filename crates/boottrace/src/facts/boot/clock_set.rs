// SPDX-License-Identifier: MIT
//! Settings of the machine's clock in a log that has nothing but dates: boards without a battery begin in another year.

use super::host_stamps::received_ns;
use crate::log::boot_log::BootLog;
use crate::log::clock::{JIFFIES_START_NS, NS_PER_S};
use crate::log::line::Line;

/// Words of who sets the clock, next to a date that jumps.
const SETTERS: [&str; 13] = [
    "Time has been changed",
    "System clock wrong by",
    "System clock was stepped by",
    "System clock time unset",
    "System time advanced to",
    "Synchronized to time server",
    "ynchronization to time server",
    "Initial clock synchronization",
    "step time server",
    "time reset ",
    "clock_step",
    "hwclock",
    "Clock change detected",
];
/// Received dates around a jump in which its reason is looked for.
const NEAR: usize = 8;
/// A date this much behind the one before was not only received late.
const BACK_NS: i64 = 2 * NS_PER_S;
/// A jump whose reason stands near it.
const TOLD_NS: i64 = 10 * NS_PER_S;
/// A jump without a reason, in a system that starts: nothing is silent for so long.
const UNTOLD_NS: i64 = 3600 * NS_PER_S;
/// How long a system starts.
const START_NS: i64 = 600 * NS_PER_S;

/// Does a line say that the clock was set?
pub(crate) fn tells_of_setting(text: &str) -> bool {
    SETTERS.iter().any(|words| text.contains(words))
}

/// The numbers of the lines whose dates belong to another setting of the clock than those of the line before.
pub(crate) fn clock_set(lines: &[Line]) -> Vec<u32> {
    clock_set_near(lines, NEAR)
}

/// The same, where the reason of a jump stands no more than so many dated lines away.
pub(crate) fn clock_set_near(lines: &[Line], near: usize) -> Vec<u32> {
    let dated: Vec<(&Line, i64)> = lines.iter().filter_map(|l| Some((l, received_ns(l)?))).collect();
    let (mut out, mut began) = (Vec::new(), None);
    let mut before: Option<i64> = None;
    for (at, (line, ns)) in dated.iter().enumerate() {
        let began_ns = *began.get_or_insert(*ns);
        let Some(last) = before else {
            before = Some(*ns);
            continue;
        };
        let jump = ns.saturating_sub(last);
        let alone = dated
            .get(at + 1)
            .is_some_and(|(_, next)| next.saturating_sub(last).saturating_abs() < jump.saturating_abs() / 2);
        // One message that was held back is no setting of the clock.
        if alone && jump.saturating_abs() > BACK_NS {
            continue;
        }
        let told = || {
            let near = &dated[at.saturating_sub(near)..dated.len().min(at + near)];
            near.iter().any(|(l, _)| tells_of_setting(&l.text))
        };
        let starts = last.saturating_sub(began_ns) < START_NS;
        if jump <= -BACK_NS || (jump >= TOLD_NS && told()) || (jump >= UNTOLD_NS && starts) {
            out.push(line.number);
            began = Some(*ns);
        }
        before = Some(*ns);
    }
    out
}

/// Does the kernel's clock leave zero with a jump? Old kernels' counts from the machine's start: they began later.
pub(super) fn jumps_at_first(boot: &BootLog) -> bool {
    const JUMP_NS: i64 = 5 * NS_PER_S;
    let mut stamps = boot.lines.iter().filter_map(|line| line.printk_ns);
    let zero = stamps.next() == Some(0);
    let first = stamps.find(|ns| *ns != 0).unwrap_or(0);
    zero && (JUMP_NS..JIFFIES_START_NS).contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::HostSource;

    fn set(lines: &[(i64, &str)]) -> Vec<u32> {
        let line = |(n, (s, text)): (usize, &(i64, &str))| Line {
            host_ns: Some(s * NS_PER_S),
            host_source: Some(HostSource::Syslog),
            ..Line::plain(n as u32 + 1, 0, (*text).to_owned())
        };
        clock_set(&lines.iter().enumerate().map(line).collect::<Vec<_>>())
    }

    #[test]
    fn dates_that_jump() {
        let none = Vec::<u32>::new();
        assert_eq!(set(&[(10, "a"), (12, "b"), (12, "c")]), none);
        assert_eq!(set(&[(10, "a"), (12, "b"), (9_000_000, "c"), (9_000_001, "d")]), [3]);
        assert_eq!(set(&[(10, "a"), (12, "b"), (3, "c"), (4, "d")]), [3]);
        assert_eq!(
            set(&[(10, "a"), (22, "Time has been changed"), (23, "d")]),
            [2],
            "its reason is told"
        );
        assert_eq!(set(&[(10, "a"), (3, "held back"), (11, "d")]), none);
        assert_eq!(
            set(&[(10, "a"), (800, "b"), (9_000, "the system runs"), (9_001, "d")]),
            none,
            "it has started long ago"
        );
    }
}

// SPDX-License-Identifier: MIT
//! How far two lines are apart by the dates that a log daemon gave them, where the boot's axis has no place for dates: the
//! kernel's lines have stamps of their own, and those of programs have none.

use super::clock_set::{clock_set_near, tells_of_setting};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::NS_PER_S;
use crate::log::line::{HostSource, Line};
use crate::log::stamp::seconds;

/// The dates of one boot's lines.
#[derive(Debug, Default)]
pub(crate) struct Dates {
    /// Lines before which the clock was set, and by how much, where a line next to them tells that.
    set: Vec<(u32, Option<i64>)>,
    /// By how much the date jumps before each of them.
    jumps: Vec<(u32, i64)>,
}

/// When a daemon received a line, ns since an epoch of its own.
pub(crate) fn received_ns(line: &Line) -> Option<i64> {
    line.host_ns.filter(|_| line.host_source == Some(HostSource::Syslog))
}

/// Has a daemon's date whole seconds only?
pub(crate) fn is_whole(ns: i64) -> bool {
    ns % NS_PER_S == 0
}

/// Did a daemon write all lines of a boot at once, programs' among the kernel's? Their places tell no order, and the kernel's
/// own stamps do: it may not have come to init where its part of the log ends.
pub(super) fn in_one_burst(boot: &BootLog) -> bool {
    let programs = |line: &Line| line.process.is_some() && line.printk_ns.is_none();
    let by_program = boot.user_from.and_then(|at| boot.lines.get(at)).is_some_and(programs);
    let dates = || boot.lines.iter().filter_map(received_ns);
    let apart = dates()
        .max()
        .zip(dates().min())
        .map(|(last, first)| last.saturating_sub(first));
    let kernels = boot.lines.last().is_some_and(|line| line.printk_ns.is_some());
    by_program && kernels && boot.start != BootStart::MiddleOfLog && apart.is_some_and(|ns| ns <= NS_PER_S)
}

impl Dates {
    pub fn of(lines: &[Line]) -> Self {
        // A slow start has long silences, and a clock that is set somewhere: only a line beside one tells of it.
        const NEAR: usize = 2;
        let mut set = clock_set_near(lines, NEAR);
        set.extend(told_by_the_kernel(lines));
        set.extend(told_at_once(lines));
        set.sort_unstable();
        set.dedup();
        let offset = |number: u32| {
            let from = lines.partition_point(|line| line.number.saturating_add(NEAR as u32) < number);
            let near = lines[from..].iter().take(2 * NEAR + 1);
            near.filter(|line| tells_of_setting(&line.text))
                .find_map(|line| offset_ns(&line.text))
        };
        let jump = |number: u32| {
            let at = lines.partition_point(|line| line.number < number);
            let (before, behind) = lines.split_at_checked(at)?;
            let last = before.iter().rev().find_map(received_ns)?;
            Some((number, behind.iter().find_map(received_ns)?.checked_sub(last)?))
        };
        Self {
            jumps: set.iter().filter_map(|number| jump(*number)).collect(),
            set: set.into_iter().map(|number| (number, offset(number))).collect(),
        }
    }

    /// Time between two lines by their dates, never negative; unknown where the clock was set between them, and nothing says by
    /// how much.
    pub fn apart(&self, from: &Line, to: &Line) -> Option<i64> {
        let ns = received_ns(to)?.checked_sub(received_ns(from)?).filter(|ns| *ns >= 0)?;
        self.passed(from, to, ns)
    }

    /// What passed of the time between two lines, ns: without that by which the clock was set.
    pub fn passed(&self, from: &Line, to: &Line, ns: i64) -> Option<i64> {
        if !self.set_between(from, to) {
            return Some(ns);
        }
        let stepped = self.between(from, to).iter().map(|(_, by)| *by).sum::<Option<i64>>()?;
        let passed = ns.saturating_sub(stepped);
        // Dates of whole seconds know no parts of them.
        let passed = if is_whole(ns) {
            passed.saturating_add(NS_PER_S / 2).div_euclid(NS_PER_S) * NS_PER_S
        } else {
            passed
        };
        (passed >= 0).then_some(passed)
    }

    /// What passed at the least between two lines where the clock was set, and nothing says by how much: all but the jumps of the
    /// dates. A date that goes back adds nothing: a journal also puts two daemons' lines into each other so.
    pub fn at_least(&self, from: &Line, to: &Line) -> Option<i64> {
        let ns = received_ns(to)?.checked_sub(received_ns(from)?)?;
        let between = |(number, _): &&(u32, i64)| *number > from.number && *number <= to.number;
        let inside: Vec<i64> = self.jumps.iter().filter(between).map(|(_, jump)| *jump).collect();
        let sets = self.between(from, to).len();
        let passed = inside.iter().try_fold(ns, |ns, jump| ns.checked_sub((*jump).max(0)))?;
        (sets > 0 && sets == inside.len() && passed > 0).then_some(passed)
    }

    /// Was the clock set between two lines?
    pub fn set_between(&self, from: &Line, to: &Line) -> bool {
        !self.between(from, to).is_empty()
    }

    fn between(&self, from: &Line, to: &Line) -> &[(u32, Option<i64>)] {
        let up_to = |line: &Line| self.set.partition_point(|(set, _)| *set <= line.number);
        self.set.get(up_to(from)..up_to(to)).unwrap_or_default()
    }
}

/// By how much a line says that the clock was set, ns: `offset 2.5 sec`, `stepped by 0.8 seconds`, `time reset +1.5 s`.
fn offset_ns(text: &str) -> Option<i64> {
    const WORDS: [&str; 4] = [" offset ", " wrong by ", " stepped by ", "time reset "];
    let rest = WORDS
        .iter()
        .find_map(|word| text.split_once(word))
        .map(|(_, rest)| rest)?;
    let (number, unit) = rest.split_once(' ')?;
    let (sign, number) = match number.strip_prefix('-') {
        Some(number) => (-1, number),
        None => (1, number.trim_start_matches('+')),
    };
    let (ns, used, _) = seconds(number.as_bytes())?;
    (used == number.len() && unit.starts_with('s')).then_some(sign * ns)
}

/// Lines that say that the clock was set, behind a step that may be that setting.
fn told_at_once(lines: &[Line]) -> impl Iterator<Item = u32> + '_ {
    const STEP_NS: i64 = 2 * NS_PER_S;
    let mut last: Option<i64> = None;
    lines.iter().filter_map(move |line| {
        let date = received_ns(line)?;
        let step = date.saturating_sub(last.replace(date)?);
        (step >= STEP_NS && tells_of_setting(&line.text)).then_some(line.number)
    })
}

/// Where dates run ahead of the kernel's own stamps, and stay ahead, the clock was set: at the longest step between two dates
/// there. A line that goes on for seconds (`Waiting for devices: 25s...20s...`) is stamped when it begins, and received when it
/// ends: the next one is not ahead.
fn told_by_the_kernel(lines: &[Line]) -> Vec<u32> {
    const AHEAD_NS: i64 = 4 * NS_PER_S;
    let both = |(at, line): (usize, &Line)| Some((at, line.printk_ns?, received_ns(line)?));
    let stamped: Vec<(usize, i64, i64)> = lines.iter().enumerate().filter_map(both).collect();
    let mut out = Vec::new();
    for (i, two) in stamped.windows(2).enumerate() {
        let (before, here) = (two[0], two[1]);
        let ahead = |later: &(usize, i64, i64)| {
            let passed = later.1.saturating_sub(before.1);
            // Stamps that go back are another clock's.
            let dated = later.2.saturating_sub(before.2);
            if passed < 0 {
                0
            } else {
                dated.saturating_sub(passed)
            }
        };
        let stays = stamped.get(i + 2).is_none_or(|next| ahead(next) > AHEAD_NS);
        if ahead(&here) > AHEAD_NS && stays {
            out.extend(longest_step(&lines[before.0..=here.0], ahead(&here) / 10 * 8));
        }
    }
    out
}

/// The line with the longest step to its date, where it is at least so long.
fn longest_step(lines: &[Line], least_ns: i64) -> Option<u32> {
    let dated: Vec<(u32, i64)> = lines
        .iter()
        .filter_map(|line| Some((line.number, received_ns(line)?)))
        .collect();
    let steps = dated
        .windows(2)
        .map(|two| (two[1].1.saturating_sub(two[0].1), two[1].0));
    steps
        .max_by_key(|(ns, _)| *ns)
        .filter(|(ns, _)| *ns >= least_ns)
        .map(|(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u32, date_s: i64, own_s: Option<i64>) -> Line {
        Line {
            host_ns: Some(date_s * NS_PER_S),
            host_source: Some(HostSource::Syslog),
            printk_ns: own_s.map(|s| s * NS_PER_S),
            ..Line::plain(number, 0, "frob".to_owned())
        }
    }

    #[test]
    fn a_step_that_the_kernel_does_not_see_is_of_the_clock() {
        let lines = [
            line(1, 100, Some(10)),
            line(2, 101, None),
            line(3, 141, None),
            line(4, 143, Some(13)),
            line(5, 150, Some(20)),
        ];
        let dates = Dates::of(&lines);
        assert_eq!(dates.apart(&lines[0], &lines[1]), Some(NS_PER_S));
        assert_eq!(dates.apart(&lines[1], &lines[2]), None);
        assert_eq!(dates.apart(&lines[2], &lines[4]), Some(9 * NS_PER_S));
        assert_eq!(dates.apart(&lines[4], &lines[2]), None);
        let long = [line(1, 100, Some(10)), line(2, 141, Some(12)), line(3, 142, Some(52))];
        assert_eq!(Dates::of(&long).apart(&long[0], &long[1]), Some(41 * NS_PER_S));
        let mut told = [line(1, 100, None), line(2, 104, None)];
        told[1].text = "Time has been changed".to_owned();
        assert_eq!(Dates::of(&told).apart(&told[0], &told[1]), None);
        let more = [&told[..], &[line(3, 109, None)]].concat();
        let dates = Dates::of(&more);
        assert_eq!(dates.apart(&more[0], &more[2]), None);
        assert_eq!(
            dates.at_least(&more[0], &more[2]),
            Some(5 * NS_PER_S),
            "without the jump of four"
        );
        assert_eq!(dates.at_least(&more[1], &more[2]), None, "no clock was set there");
        let back = [
            line(1, 100, None),
            line(2, 115, None),
            line(3, 115, None),
            line(4, 101, None),
            line(5, 103, None),
            line(6, 112, None),
        ];
        assert_eq!(
            Dates::of(&back).at_least(&back[0], &back[5]),
            Some(12 * NS_PER_S),
            "what goes back is not added"
        );
        told[1].text = "frobd: step time server 10.7.7.7 offset 2.500000 sec".to_owned();
        assert_eq!(Dates::of(&told).apart(&told[0], &told[1]), Some(2 * NS_PER_S));
        assert_eq!(
            offset_ns("frobd: System clock was stepped by -0.5 seconds"),
            Some(-NS_PER_S / 2)
        );
        assert_eq!(offset_ns("frobd: offset 17"), None);
        let quiet = [line(1, 100, Some(10)), line(2, 141, Some(51))];
        assert_eq!(Dates::of(&quiet).apart(&quiet[0], &quiet[1]), Some(41 * NS_PER_S));
    }
}

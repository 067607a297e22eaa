// SPDX-License-Identifier: MIT
//! The console of a system's start scripts (`/var/log/boot.log`) and Android's log, where no kernel's line shows a boot: the
//! longest silences where the lines have stamps, and that they have none else.

use super::document::NotABoot;
use crate::costs::{Basis, Cost, CostKind};
use crate::log::clock::NS_PER_S;
use crate::log::line::Line;
use crate::log::stamp::month_and_day;
use crate::text::shorten::shorten;

/// So many steps make a start.
const STEPS: usize = 5;
/// A longer silence is no wait of a start: another boot follows, or the clock was set.
const LONGEST_NS: i64 = 600 * NS_PER_S;
/// Whole seconds are good to one.
const SHORTEST_WHOLE_NS: i64 = 3 * NS_PER_S;
const SHORTEST_NS: i64 = NS_PER_S;
/// Silences told.
const LISTED: usize = 3;
/// Lines looked at.
const MOST: usize = 200_000;

/// What the steps of start scripts show.
pub(super) enum Scripts {
    /// Silences between lines with stamps.
    Timed(Vec<Cost>),
    /// Nothing has a time.
    Untimed(NotABoot),
}

/// Does a line say what a start script does, or how that ended?
fn is_step(text: &str) -> bool {
    const ENDS: [&str; 6] = ["[  OK  ]", "[ OK ]", "[ ok ]", "[fail]", "[FAILED]", "... OK"];
    ENDS.iter().any(|end| text.trim_end().ends_with(end))
}

/// Reads a text whose lines are, for a good part, steps of start scripts.
pub(super) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Scripts> {
    let spoken: Vec<&Line> = lines.take(MOST).filter(|line| !line.text.trim().is_empty()).collect();
    let steps: Vec<&Line> = spoken.iter().copied().filter(|line| is_step(&line.text)).collect();
    if steps.len() < STEPS || steps.len() * 3 < spoken.len() {
        return None;
    }
    let stamped = spoken.iter().filter(|line| line.host_ns.is_some()).count();
    if stamped * 2 >= spoken.len() {
        return Some(Scripts::Timed(silences(
            spoken.iter().filter_map(|line| Some((*line, line.host_ns?))),
        )));
    }
    if spoken.iter().any(|line| line.printk_ns.or(line.host_ns).is_some()) {
        return None;
    }
    let (first, last) = (steps.first()?, spoken.last()?);
    let why = format!(
        "line {} says `{}`: the console of a system's start scripts, {} steps without times: it tells what was started, and \
         in which order",
        first.number,
        shorten(first.text.trim()),
        steps.len()
    );
    Some(Scripts::Untimed(NotABoot {
        from_line: spoken.first()?.number,
        to_line: last.number,
        what: "start-scripts".to_owned(),
        why,
    }))
}

/// The longest silences of Android's log (`logcat -v threadtime`) up to where it says that the system is up; none where it
/// shows no start.
pub(super) fn of_logcat<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    const UP: [&str; 3] = [
        "Boot is finished (",
        "boot_progress_enable_screen",
        "sys.boot_completed=1",
    ];
    const LINES: usize = 50;
    let mut seen: Vec<(&Line, i64)> = Vec::new();
    for line in lines.take(MOST) {
        let Some((ns, _)) = month_and_day(line.text.trim_start().as_bytes()) else {
            continue;
        };
        seen.push((line, ns));
        if UP.iter().any(|up| line.text.contains(up)) {
            return if seen.len() < LINES {
                Vec::new()
            } else {
                silences(seen.into_iter())
            };
        }
    }
    Vec::new()
}

/// The longest silences between stamped lines.
fn silences<'a>(stamped: impl Iterator<Item = (&'a Line, i64)>) -> Vec<Cost> {
    let mut out: Vec<Cost> = Vec::new();
    let mut last: Option<(&Line, i64)> = None;
    for (line, ns) in stamped {
        let Some((from, before)) = last.replace((line, ns)) else {
            continue;
        };
        let whole = ns % NS_PER_S == 0 && before % NS_PER_S == 0;
        let shortest = if whole { SHORTEST_WHOLE_NS } else { SHORTEST_NS };
        let length = ns.saturating_sub(before);
        if (shortest..=LONGEST_NS).contains(&length) {
            out.push(cost(from, line, length, whole));
        }
    }
    out.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
    out.truncate(LISTED);
    out
}

fn cost(from: &Line, to: &Line, ns: i64, whole: bool) -> Cost {
    let by = if whole {
        "dates of whole seconds, good to one"
    } else {
        "the stamps in front of them"
    };
    let (after, before) = (words(from), words(to));
    Cost {
        cost_ns: Some(ns),
        basis: Basis::Computed,
        lines: vec![from.number, to.number],
        ..Cost::without_time(
            CostKind::Silence,
            format!("nothing is printed after `{after}`"),
            from.number,
            format!(
                "between lines {} and {}, `{after}` and `{before}`, by {by}",
                from.number, to.number
            ),
            "look what runs between these two lines, and whether the start waits for it",
        )
    }
}

/// What a line says behind its stamp.
fn words(line: &Line) -> String {
    let text = line.text.trim();
    let used = month_and_day(text.as_bytes()).map_or(0, |(_, used)| used);
    let said = text.get(used..).unwrap_or(text);
    shorten(&said.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    #[test]
    fn a_console_without_times_says_so() {
        let text = "Starting frob: [  OK  ]\nStarting quux: [  OK  ]\nMounting x: [  OK  ]\n\
                    Setting y: [  OK  ]\nBringing up z: [  OK  ]\n";
        let lines = lines_of(text);
        let Some(Scripts::Untimed(part)) = of_lines(lines.iter()) else {
            panic!("no start scripts")
        };
        assert_eq!(
            (part.what.as_str(), part.from_line, part.to_line),
            ("start-scripts", 1, 5)
        );
        assert!(of_lines(lines_of("Starting frob: [  OK  ]\nit then hangs\n").iter()).is_none());
    }

    #[test]
    fn a_console_with_times_shows_its_silences() {
        let mut lines = lines_of("a... OK\nb... OK\nc... OK\nd... OK\ne... OK\nf... OK");
        for (line, s) in lines.iter_mut().zip([10, 11, 72, 73, 75, 90_000]) {
            line.host_ns = Some(s * NS_PER_S);
        }
        let Some(Scripts::Timed(costs)) = of_lines(lines.iter()) else {
            panic!("no times")
        };
        assert_eq!(costs.len(), 1);
        assert_eq!((costs[0].cost_ns, &costs[0].lines), (Some(61 * NS_PER_S), &vec![2, 3]));
    }

    #[test]
    fn logcat_up_to_the_end_of_the_boot() {
        let line =
            |s: u32, said: &str| format!("01-02 10:{:02}:{:02}.250   100   100 I frob: {said}\n", s / 60, s % 60);
        let mut text: String = (0..60).map(|s| line(s / 10, "x")).collect();
        text += &line(70, "y");
        assert!(of_logcat(lines_of(&text).iter()).is_empty());
        text += &line(71, "Boot is finished (7929 ms)");
        text += &line(900, "later");
        let costs = of_logcat(lines_of(&text).iter());
        assert_eq!(costs[0].cost_ns, Some(65 * NS_PER_S));
        assert_eq!(costs[0].title, "nothing is printed after `100 100 I frob: x`");
    }
}

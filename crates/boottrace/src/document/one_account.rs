// SPDX-License-Identifier: MIT
//! `time`, `blame` and `critical-chain` are often pasted as blocks with words between them: one account of one boot.

use super::document::Part;
use super::stated::shown_ns;
use super::unit_costs;
use super::units::UnitReport;
use crate::log::line::Line;
use crate::readers::embedded::USERS_UNITS;
use crate::readers::userspace::systemd_analyze::unread_ns;

/// Joins reports that complete each other: no two of them have the same part. Where two say the same thing, they may be
/// of two boots, and stay apart.
pub(super) fn join(placed: &mut Vec<(u32, Part)>, outside: &[Line]) {
    let changes = outside.iter().filter(|line| tells_of_a_change(&line.text));
    let changes: Vec<u32> = changes.map(|line| line.number).collect();
    let mut at = 1;
    while at < placed.len() {
        let (head, tail) = placed.split_at_mut(at);
        if let Part::Units(second) = &tail[0].1 {
            let mut whole = false;
            let reports = head.iter_mut().rev().take(NEAR).map_while(|(_, part)| match part {
                // Behind an account, a list is not of the one before; a chain says when its goal was reached.
                Part::Units(first) if !whole => {
                    whole = first.startup.is_some() && second.chain.is_empty();
                    Some(first)
                }
                _ => None,
            });
            let of_one = |first: &UnitReport| complete_each_other(first, second) || goes_on(first, second);
            if let Some(first) = reports
                .into_iter()
                .find(|first| of_one(first) && !is_changed(&changes, first, second))
            {
                take(first, second);
                placed.remove(at);
                continue;
            }
        }
        at += 1;
    }
}

/// Does a page tell that a unit was taken out? What it shows behind that is of another boot.
fn tells_of_a_change(text: &str) -> bool {
    const TOLD: [&str; 11] = [
        "after removing ",
        "after disabling ",
        "after masking ",
        "after uninstalling ",
        "i removed ",
        "i disabled ",
        "i masked ",
        "i uninstalled ",
        "removed it",
        "disabled it",
        "to remove it",
    ];
    let lower = text.to_ascii_lowercase();
    let command = lower.contains("systemctl ") && [" disable ", " mask "].iter().any(|word| lower.contains(word));
    command || TOLD.iter().any(|words| lower.contains(words))
}

/// Is that told between two reports?
fn is_changed(changes: &[u32], first: &UnitReport, second: &UnitReport) -> bool {
    let between = first.lines.zip(second.lines);
    between.is_some_and(|((_, to), (from, _))| changes.iter().any(|line| (to..from).contains(line)))
}

/// Reports looked back at.
const NEAR: usize = 3;
/// Clocks of two outputs of one boot differ by less.
const ALIKE_NS: u64 = 1_000_000_000;

/// Is the goal of a chain reached within the account's user space? Else it is another boot's.
fn fits(first: &UnitReport, second: &UnitReport) -> bool {
    let reports = [first, second];
    let startup = reports.iter().find_map(|report| report.startup.as_ref());
    let goal = reports.iter().find_map(|report| report.chain.first()?.at_ns);
    let user_space = startup.and_then(|startup| {
        let parts = startup.parts.iter();
        parts
            .filter(|(name, _)| name == "userspace")
            .map(|(_, ns)| *ns)
            .next_back()
    });
    goal.zip(user_space)
        .is_none_or(|(goal, ns)| goal <= ns.saturating_add(ALIKE_NS))
}

/// Do the same parts stand twice? A title quotes them, or a person.
fn same_account(first: &UnitReport, second: &UnitReport) -> bool {
    let parts = |report: &UnitReport| report.startup.as_ref().map(|startup| startup.parts.clone());
    parts(first) == parts(second)
}

/// Is it the rest of a list that was left out in part (`...`)? It names nothing else, right behind, and no longer time.
fn goes_on(first: &UnitReport, second: &UnitReport) -> bool {
    const NEAR_LINES: u32 = 3;
    let near = first.lines.zip(second.lines);
    let near = near.is_some_and(|((_, to), (from, _))| from > to && from - to <= NEAR_LINES);
    let times = |report: &UnitReport| report.units.iter().filter_map(|unit| unit.time_ns).collect::<Vec<_>>();
    let shorter = times(first).into_iter().min() >= times(second).into_iter().max();
    near && shorter
        && first.source == second.source
        && second.startup.is_none()
        && second.chain.is_empty()
        && !first.units.is_empty()
}

fn complete_each_other(first: &UnitReport, second: &UnitReport) -> bool {
    let once = |a: bool, b: bool| !(a && b);
    // A user's manager accounts for its own units.
    let of_user = |report: &UnitReport| report.about == USERS_UNITS;
    first.source == second.source
        && of_user(first) == of_user(second)
        && (once(first.startup.is_some(), second.startup.is_some()) || same_account(first, second))
        && once(!first.units.is_empty(), !second.units.is_empty())
        && once(!first.chain.is_empty(), !second.chain.is_empty())
        && fits(first, second)
}

fn take(first: &mut UnitReport, second: &UnitReport) {
    first.lines = match (first.lines, second.lines) {
        (Some((from, _)), Some((_, to))) => Some((from, to)),
        (lines, _) => lines,
    };
    first.startup = first.startup.take().or_else(|| second.startup.clone());
    first.units.extend(second.units.iter().cloned());
    first.chain.extend(second.chain.iter().cloned());
    first.left_out += second.left_out;
    first.costs = unit_costs::of(first);
}

/// The line of the longest cost of a part.
fn longest_line(part: &Part) -> Option<u32> {
    let costs = match part {
        Part::Units(report) => &report.costs,
        Part::Boot(boot) => &boot.costs,
        _ => return None,
    };
    let longest = costs.iter().max_by_key(|cost| cost.cost_ns)?;
    longest.lines.first().copied()
}

/// Tells reports about units of lines around them that look like their rows and were not read.
pub(super) fn tell_unread(outside: &[Line], placed: &mut [(u32, Part)]) {
    /// systemd's own sum, in a form that was not read: whatever it is, a list's longest row is shorter.
    const SUM_NS: u64 = 86_400_000_000_000;
    let unread: Vec<(u64, u32)> = if placed.iter().any(|(_, part)| matches!(part, Part::Units(_))) {
        let lines = outside
            .iter()
            .filter(|line| line.process.is_none() && line.printk_ns.is_none());
        lines
            .filter_map(|line| Some((unread_ns(&line.text)?, line.number)))
            .collect()
    } else {
        Vec::new()
    };
    let sums = outside
        .iter()
        .filter(|line| line.process.is_none() && line.text.contains("Startup finished in "));
    let sums: Vec<(u64, u32)> = sums.map(|line| (SUM_NS, line.number)).collect();
    // What the other parts of the page show as longest: a superlative of one part is not the page's.
    let shown: Vec<(u64, u32)> = placed
        .iter()
        .filter_map(|(line, part)| Some((u64::try_from(shown_ns(part)).ok()?, longest_line(part).unwrap_or(*line))))
        .collect();
    for (at, (_, part)) in placed.iter_mut().enumerate() {
        if let Part::Units(report) = part {
            let others = shown.iter().enumerate().filter(|(other, _)| *other != at);
            let others = others.map(|(_, known)| *known);
            let whole = report.startup.is_some();
            let longer = others.chain(sums.iter().copied()).filter(|_| !whole);
            report.tell_unread(unread.iter().copied().chain(longer));
        }
    }
}

// SPDX-License-Identifier: MIT
//! What is said first of a report about systemd's units.

use boottrace::costs::cost::{Basis, Cost, Wording};
use boottrace::costs::kind::CostKind;
use boottrace::document::units::{Startup, UnitReport};

use crate::boot_words::OWN;
use crate::cost_headline::{largest_cost, unknown_wait};
use crate::cost_words::{gain, is_timed, largest, size_ns, spent};
use crate::figures::seconds;

/// All of a start, ns.
pub fn whole_ns(startup: &Startup) -> i64 {
    let sum = || startup.parts.iter().fold(0_u64, |sum, (_, ns)| sum.saturating_add(*ns));
    i64::try_from(startup.total_ns.unwrap_or_else(sum)).unwrap_or(i64::MAX)
}

/// The sentences that a person reads first; none where the report holds no time.
pub fn units_headline(report: &UnitReport) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(startup) = report.startup.as_ref().filter(|startup| !startup.parts.is_empty()) {
        let parts: Vec<String> = startup
            .parts
            .iter()
            .map(|(name, ns)| format!("{} {name}", seconds(i64::try_from(*ns).unwrap_or(i64::MAX))))
            .collect();
        let whole = seconds(whole_ns(startup));
        told.push(if is_whole(startup) {
            format!(
                "{whole} until systemd had started everything, {OWN}: {}.",
                parts.join(" + ")
            )
        } else {
            format!("A part of systemd's own account: {}.", parts.join(" + "))
        });
    }
    let timed = report
        .costs
        .iter()
        .filter(|cost| cost.cost_ns.is_some_and(|ns| ns != 0));
    let most = largest(timed, size_ns);
    let silent = most.filter(|cost| cost.kind == CostKind::Silence);
    let stated = most.filter(|cost| cost.kind == CostKind::StatedTime && report.startup.is_none());
    told.extend(match (silent, stated) {
        (Some(cost), _) => Some(longest_silence(cost)),
        (None, Some(cost)) if cost.wording == Wording::Statement => Some(of_a_person(cost)),
        (None, Some(cost)) => Some(stated_by_a_line(cost)),
        (None, None) => most.map(|cost| {
            let longer = longer_unit(report, size_ns(cost)).or_else(|| longer_line(report));
            let longer = longer.or_else(|| waiter(report, cost));
            match longer {
                Some(longer) => format!("{longer} {}", superlative("of the costs found", cost)),
                None if is_a_list(report) => superlative("of the starts that were read", cost),
                None if !report.startup.as_ref().is_some_and(is_whole) => superlative("of the costs found", cost),
                None => largest_cost(cost),
            }
        }),
    });
    // Lines that name a wait, and no time.
    let mut waits = report
        .costs
        .iter()
        .filter(|cost| !is_timed(cost) && !cost.lines.is_empty());
    if told.is_empty() || silent.is_some() {
        told.extend(waits.next().map(unknown_wait));
    }
    told
}

/// What a person writes, and no log shows.
fn of_a_person(cost: &Cost) -> String {
    let line = cost.lines.first().copied().unwrap_or_default();
    let title = cost.title.replacen("the", "The", 1);
    format!("{title} (line {line}): {}, in the text's own words.", spent(cost))
}

/// A unit that takes longer than the largest cost, and ended before systemd had started everything: it went on behind the goal.
fn longer_unit(report: &UnitReport, most_ns: i64) -> Option<String> {
    let startup = report.startup.as_ref()?;
    let reached = startup.target_after_ns?;
    let (_, user) = startup.parts.iter().find(|(name, _)| name == "userspace")?;
    let within = |ns: u64| ns > reached && ns <= *user && i64::try_from(ns).is_ok_and(|ns| ns > most_ns);
    let longest = report.units.iter().filter(|unit| unit.time_ns.is_some_and(within));
    let unit = longest.max_by_key(|unit| unit.time_ns)?;
    let length = seconds(i64::try_from(unit.time_ns?).ok()?);
    Some(format!(
        "`{}` takes {length} and goes on after the goal, so the goal did not wait for all of it.",
        unit.unit
    ))
}

/// A unit that waits for the others for longer than the largest cost: what it waits for is not shown.
fn waiter(report: &UnitReport, cost: &Cost) -> Option<String> {
    let (unit, ns, line) = report.waiter()?;
    let ns = i64::try_from(ns).ok().filter(|ns| *ns > size_ns(cost))?;
    let all = report.costs.iter().any(|cost| cost.kind == CostKind::UserSpaceStart);
    let line = line.map_or(String::new(), |line| format!(" (line {line})"));
    let text = format!("`{unit}` waits {} until others are up{line}.", seconds(ns));
    Some(text).filter(|_| !all)
}

/// The largest of what is known, which may not be the largest of all.
fn superlative(of: &str, cost: &Cost) -> String {
    format!("The largest {of} is {}: {}, {}.", spent(cost), cost.title, gain(cost))
}

/// Does the report list units, and nothing of the whole? What is not a unit's start is not in it.
fn is_a_list(report: &UnitReport) -> bool {
    report.startup.is_none() && report.chain.is_empty() && report.units.iter().any(|unit| unit.line.is_some())
}

/// A line that names a unit and a longer time than the largest cost, and was not read as a row.
fn longer_line(report: &UnitReport) -> Option<String> {
    let line = report.longer_unread?;
    Some(format!(
        "Line {line} tells of a longer time, and was not read as a row of this list."
    ))
}

/// What a line states where nothing shows a boot. Whether one waits for it may stand in the text: nothing is said of that.
fn stated_by_a_line(cost: &Cost) -> String {
    let line = cost.lines.first().copied().unwrap_or_default();
    if cost.title.starts_with("the step `") {
        return format!(
            "The longest step that was read takes {}: {} (line {line}).",
            spent(cost),
            cost.title
        );
    }
    // What lies between two lines, neither of them states.
    if let ([from, to], Basis::Computed) = (&cost.lines[..], cost.basis) {
        return format!("{} lie between lines {from} and {to}: {}.", spent(cost), cost.title);
    }
    format!("Line {line} states {}: {}.", spent(cost), cost.title)
}

/// Does the account say all? Without user space and a sum, somebody cut it short.
pub fn is_whole(startup: &Startup) -> bool {
    !startup.parts.is_empty()
        && (startup.total_ns.is_some() || startup.parts.iter().any(|(name, _)| name == "userspace"))
}

/// Of lines that show no boot: what can be said of a silence, and no more.
fn longest_silence(cost: &Cost) -> String {
    let lines: Vec<String> = cost.lines.iter().map(u32::to_string).collect();
    let what = if cost.title.starts_with("nothing is printed ") {
        "silence found in"
    } else {
        "time found between two stamped lines of"
    };
    format!(
        "The longest {what} this excerpt is {} (lines {}): {}.",
        spent(cost),
        lines.join(" to "),
        cost.title
    )
}

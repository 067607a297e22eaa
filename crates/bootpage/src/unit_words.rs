// SPDX-License-Identifier: MIT
//! What is said first of a report about systemd's units.

use boottrace::costs::cost::Cost;
use boottrace::costs::kind::CostKind;
use boottrace::document::units::{Startup, UnitReport};

use crate::boot_words::{largest_cost, unknown_wait, OWN};
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
            format!(
                "A part of systemd's own account: {}; the rest is not shown.",
                parts.join(" + ")
            )
        });
    }
    let timed = report
        .costs
        .iter()
        .filter(|cost| cost.cost_ns.is_some_and(|ns| ns != 0));
    let most = largest(timed, size_ns);
    let silent = most.filter(|cost| cost.kind == CostKind::Silence);
    told.extend(match silent {
        Some(cost) => Some(longest_silence(cost)),
        None => most.map(|cost| match longer_unit(report, size_ns(cost)) {
            Some(unit) => format!(
                "{unit} The largest of the costs found is {}: {}, {}.",
                spent(cost),
                cost.title,
                gain(cost)
            ),
            None => largest_cost(cost),
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

/// Does the account say all? Without user space and a sum, somebody cut it short.
pub fn is_whole(startup: &Startup) -> bool {
    !startup.parts.is_empty()
        && (startup.total_ns.is_some() || startup.parts.iter().any(|(name, _)| name == "userspace"))
}

/// Of lines that show no boot: what can be said of a silence, and no more.
fn longest_silence(cost: &Cost) -> String {
    let lines: Vec<String> = cost.lines.iter().map(u32::to_string).collect();
    let what = if cost.title.starts_with("lines are left out ") {
        "time between two lines of"
    } else {
        "silence in"
    };
    format!(
        "The longest {what} this excerpt is {} (lines {}): {}; whether a boot waits for it is not shown.",
        spent(cost),
        lines.join(" to "),
        cost.title
    )
}

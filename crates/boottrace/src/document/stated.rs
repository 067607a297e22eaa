// SPDX-License-Identifier: MIT
//! Lines that belong to no boot, and yet say how long something took in one.

use super::document::Part;
use super::units::UnitReport;
use crate::costs::{longest_gap, stated_lines, step_tables, told_in_prose, untimed, Basis, Cost, CostKind};
use crate::log::clock::{Clock, NS_PER_S};
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// What the lines outside of all boots state, where nothing else was found.
pub(super) fn of_text(outside: &[Line], placed: &[(u32, Part)]) -> Option<(u32, Part)> {
    // A report that holds no time says nothing either.
    let nothing = placed.iter().all(|(_, part)| match part {
        Part::NotABoot(_) => true,
        Part::Units(report) => report.costs.is_empty() && report.startup.is_none() && report.units.is_empty(),
        _ => false,
    });
    if !nothing {
        return None;
    }
    let text = outside
        .iter()
        .filter(|line| matches!(line.kind, LineKind::Outside | LineKind::Prose | LineKind::Harness));
    let mut costs = step_tables::of_lines(text.clone());
    if costs.is_empty() {
        costs = stated_lines::of_lines(text.clone());
    }
    if costs.is_empty() {
        costs.extend(text.clone().find_map(root_delay));
    }
    if costs.is_empty() {
        // Nobody waits for a boot where the system has been running.
        let runs = placed.iter().any(|(_, part)| matches!(part, Part::NotABoot(_)));
        costs = untimed::of_lines(text.clone());
        if !runs && costs.iter().all(|cost| cost.cost_ns.is_none()) {
            costs.splice(0..0, longest_gap::of_lines(outside));
        }
    }
    if costs.is_empty() && placed.is_empty() {
        costs.extend(told_in_prose::of_lines(text));
    }
    let first = costs.iter().flat_map(|cost| &cost.lines).min().copied()?;
    let last = costs.iter().flat_map(|cost| &cost.lines).max().copied()?;
    Some((
        first,
        Part::Units(UnitReport::of_lines(costs, (first, last), Clock::Host)),
    ))
}

/// `rootdelay=300` among the parameters of a kernel: so many seconds pass before root is mounted, whatever is there.
fn root_delay(line: &Line) -> Option<Cost> {
    let words = line.text.split([' ', '`', '"', '\'']);
    let seconds = words.filter_map(|word| word.strip_prefix("rootdelay=")?.parse::<u16>().ok());
    let ns = i64::from(seconds.max().filter(|seconds| *seconds > 0)?) * NS_PER_S;
    let advice = "rootwait waits only as long as the device takes to come; leave rootdelay= out";
    let evidence = format!("`{}`", shorten(line.text.trim()));
    let title = "the kernel's parameter rootdelay= asks for a wait before root is mounted".to_owned();
    Some(Cost {
        cost_ns: Some(ns),
        basis: Basis::Printed,
        ..Cost::without_time(CostKind::RootDelay, title, line.number, evidence, advice)
    })
}

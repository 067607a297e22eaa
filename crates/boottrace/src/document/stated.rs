// SPDX-License-Identifier: MIT
//! Lines that belong to no boot, and yet say how long something took in one.

use super::document::Part;
use super::units::UnitReport;
use crate::costs::{stated_lines, untimed};
use crate::log::clock::Clock;
use crate::log::line::{Line, LineKind};

/// What the lines outside of all boots state, where nothing else was found.
pub(super) fn of_text(outside: &[Line], placed: &[(u32, Part)]) -> Option<(u32, Part)> {
    let nothing = placed.iter().all(|(_, part)| matches!(part, Part::NotABoot(_)));
    if !nothing {
        return None;
    }
    let text = outside
        .iter()
        .filter(|line| matches!(line.kind, LineKind::Outside | LineKind::Prose | LineKind::Harness));
    let mut costs = stated_lines::of_lines(text.clone());
    if costs.is_empty() {
        costs = untimed::of_lines(text);
    }
    let first = costs.iter().flat_map(|cost| &cost.lines).min().copied()?;
    let last = costs.iter().flat_map(|cost| &cost.lines).max().copied()?;
    Some((
        first,
        Part::Units(UnitReport::of_lines(costs, (first, last), Clock::Host)),
    ))
}

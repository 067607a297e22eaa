// SPDX-License-Identifier: MIT
//! `time`, `blame` and `critical-chain` are often pasted as blocks with words between them: one account of one boot.

use super::document::Part;
use super::unit_costs;
use super::units::UnitReport;

/// Joins reports that complete each other: no two of them have the same part. Where two say the same thing, they may be
/// of two boots, and stay apart.
pub(super) fn join(placed: &mut Vec<(u32, Part)>) {
    let mut at = 0;
    while at + 1 < placed.len() {
        let (head, tail) = placed.split_at_mut(at + 1);
        if let (Part::Units(first), Part::Units(second)) = (&mut head[at].1, &tail[0].1) {
            if complete_each_other(first, second) {
                take(first, second);
                placed.remove(at + 1);
                continue;
            }
        }
        at += 1;
    }
}

fn complete_each_other(first: &UnitReport, second: &UnitReport) -> bool {
    let once = |a: bool, b: bool| !(a && b);
    first.source == second.source
        && once(first.startup.is_some(), second.startup.is_some())
        && once(!first.units.is_empty(), !second.units.is_empty())
        && once(!first.chain.is_empty(), !second.chain.is_empty())
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

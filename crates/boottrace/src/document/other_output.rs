// SPDX-License-Identifier: MIT
//! What other tools printed among the lines of a boot log.

use super::document::{Document, Part};
use super::found as traces;
use super::found::Found;
use super::unit_costs;
use crate::readers::console;
use crate::readers::embedded::Block;
use crate::readers::ledger::Ledger;

/// Reads the blocks that other tools printed: a part each, with the lines it stood in.
pub(super) fn read(
    blocks: &[Block],
    export: bool,
    document: &mut Document,
    placed: &mut Vec<(u32, Part)>,
    ledger: &mut Ledger,
) -> Found {
    let mut all = Found::default();
    for block in blocks {
        let (from, to) = (block.from_line, block.to_line);
        console::split_out(&mut document.took, from, to, block.format.name());
        let found = traces::read(block.format, &document.name, block.stream(), export, None);
        for mut part in found.parts {
            part.stood_at(from, to);
            if let Part::Units(report) = &mut part {
                report.stood_at(&block.numbers);
                // Once more: they name the lines.
                report.costs = unit_costs::of(report);
                if report.about.is_empty() {
                    block.about.clone_into(&mut report.about);
                }
            }
            placed.push((from, part));
        }
        for (reason, count) in found.skipped {
            ledger.add(&format!("{}: {reason}", block.format.name()), count, Some(from));
        }
        if let Some(problem) = found.problem {
            document.input.problems.push(format!("lines {from} to {to}: {problem}"));
        }
        all.timelines.extend(found.timelines);
        all.trees.extend(found.trees);
    }
    all
}

// SPDX-License-Identifier: MIT
//! The answer as plain text, for a thread: what a person would write below a log.

use std::fmt::Write as _;

use boottrace::costs::cost::Cost;
use boottrace::document::document::{Document, Part};

use crate::shown::visible;
use crate::told::Told;

/// Parts that a text tells of: the last ones.
const PARTS: usize = 3;
/// Costs of each.
const COSTS: usize = 5;
const WIDTH: usize = 300;

/// What each part says first, and its largest costs with their lines.
pub fn thread_text(document: &Document, told: &Told) -> String {
    let parts: Vec<_> = document
        .parts
        .iter()
        .zip(&told.parts)
        .filter(|(_, told)| !told.headline.is_empty())
        .collect();
    let mut out = String::new();
    for (part, told) in parts.iter().rev().take(PARTS).rev() {
        let costs: &[Cost] = match part {
            Part::Boot(boot) => &boot.costs,
            Part::Units(report) => &report.costs,
            _ => &[],
        };
        let name = visible(&document.name, WIDTH);
        let _ = writeln!(
            out,
            "{name}: {}: {}",
            told.name,
            visible(&told.headline.join(" "), 4 * WIDTH)
        );
        for (cost, words) in costs.iter().zip(&told.costs).take(COSTS) {
            let place = if words.place.is_empty() {
                String::new()
            } else {
                format!("; {}", words.place)
            };
            let title = visible(&cost.title, WIDTH);
            let _ = writeln!(out, "- {}: {title} ({}{place})", words.spent, words.gain);
        }
    }
    if parts.is_empty() {
        let _ = writeln!(
            out,
            "{}: no boot log, trace or report was recognised in it.",
            visible(&document.name, WIDTH)
        );
    }
    out
}

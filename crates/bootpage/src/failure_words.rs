// SPDX-License-Identifier: MIT
//! What went wrong in a boot, and how sure its clocks are, in words.

use std::collections::BTreeMap;

use boottrace::facts::boot::alignment::Fit;
use boottrace::facts::boot::axis::Axis;
use boottrace::facts::boot::failure::Failure;

use crate::figures::ms;
use crate::names::name;

/// Failures of one kind that are spelled out.
const SPELLED: usize = 3;

/// How sure the places of clocks on the axis are, where they are not the axis itself.
pub fn axis_notes(axis: &Axis) -> Vec<String> {
    let clock = name(&axis.clock);
    let note = |place: &boottrace::facts::boot::alignment::Alignment| {
        let other = name(&place.clock);
        if place.fit == Fit::Drifts {
            return Some(format!("the {other} clock is not drawn: {}", place.how));
        }
        let late = place.lateness_ns.filter(|ns| *ns != 0)?;
        Some(format!(
            "95 of 100 lines reached the {clock} within {} ms of their {other} stamp: events that only the {clock} stamped \
             may be that much earlier",
            ms(Some(late))
        ))
    };
    axis.alignments.iter().filter_map(note).collect()
}

/// What went wrong, one line each; behind the first few of a kind, how many more there are, and where.
pub fn failure_lines(failures: &[Failure]) -> Vec<String> {
    let mut out = Vec::new();
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut rest: Vec<(String, Vec<u32>)> = Vec::new();
    for failure in failures {
        let kind = name(&failure.kind);
        let count = seen.entry(kind.clone()).or_default();
        *count += 1;
        if *count <= SPELLED {
            out.push(format!(
                "line {}: {kind}: {}: {}",
                failure.line, failure.text, failure.meaning
            ));
        } else if let Some((_, lines)) = rest.iter_mut().find(|(other, _)| *other == kind) {
            lines.push(failure.line);
        } else {
            rest.push((kind, vec![failure.line]));
        }
    }
    for (kind, lines) in rest {
        let place = match lines.as_slice() {
            [line] => format!("line {line}"),
            [first, .., last] => format!("lines {first} to {last}"),
            [] => continue,
        };
        out.push(format!("{place}: {kind}: {} more of this kind", lines.len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use boottrace::facts::boot::failure::FailureKind;

    use super::*;

    fn failure(kind: FailureKind, line: u32) -> Failure {
        Failure {
            kind,
            line,
            text: format!("text {line}"),
            meaning: "why".to_owned(),
        }
    }

    #[test]
    fn what_comes_over_and_over_is_counted() {
        let mut failures: Vec<Failure> = (10..22).map(|line| failure(FailureKind::Stall, line)).collect();
        failures.push(failure(FailureKind::Panic, 99));
        let lines = failure_lines(&failures);
        assert_eq!(lines[0], "line 10: stall: text 10: why");
        assert_eq!(
            lines[3..],
            [
                "line 99: panic: text 99: why",
                "lines 13 to 21: stall: 9 more of this kind"
            ]
        );
    }
}

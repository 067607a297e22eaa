// SPDX-License-Identifier: MIT
//! Lines that two clocks stamped, and what offset they give.

use super::alignment::{Alignment, Fit};
use crate::log::clock::{Clock, NS_PER_S};

/// A line that two clocks stamped.
pub(super) struct Meeting {
    /// The clock's own time.
    pub ns: i64,
    /// The host's time of the line less the clock's.
    pub offset_ns: i64,
    /// Its number.
    pub line: u32,
}

/// Clocks whose offset changes by more than this share of the time between two lines run at different speeds.
const DRIFT_PERCENT: i64 = 3;
/// ... and by more than what test tools buffer.
const DRIFT_NS: i64 = 2_000_000_000;
const MIN_MEETINGS: usize = 20;

/// Where a clock lies on the host's axis: no line arrives before it is printed, so that the smallest offset is the
/// nearest to the truth.
pub(super) fn meet(clock: Clock, meetings: &[Meeting], whole: bool) -> Option<Alignment> {
    let soonest = |part: &[Meeting]| part.iter().map(|m| (m.offset_ns, m.line)).min();
    let (offset_ns, line) = soonest(meetings)?;
    let fifth = meetings.len() / 5;
    if meetings.len() >= MIN_MEETINGS {
        let (begin, end) = (
            soonest(&meetings[..fifth])?,
            soonest(&meetings[meetings.len() - fifth..])?,
        );
        let change = end.0.saturating_sub(begin.0);
        let span = meetings[meetings.len() - 1].ns.saturating_sub(meetings[0].ns);
        if change.saturating_abs() > DRIFT_NS && change.saturating_abs() > span / 100 * DRIFT_PERCENT {
            return Some(Alignment {
                clock,
                offset_ns: begin.0,
                fit: Fit::Drifts,
                anchor_line: Some(begin.1),
                lateness_ns: None,
                how: format!(
                    "it gains {} s on the axis in {} s: an emulator may run slower or faster than the host",
                    seconds(change.saturating_neg()),
                    seconds(span)
                ),
            });
        }
    }
    let mut late: Vec<i64> = meetings.iter().map(|m| m.offset_ns.saturating_sub(offset_ns)).collect();
    late.sort_unstable();
    let (offset_ns, how) = if whole {
        (
            within_the_second(meetings, offset_ns),
            "the host's stamps are whole seconds: they may be a second early",
        )
    } else {
        (offset_ns, "the line that arrived soonest after it was stamped")
    };
    Some(Alignment {
        clock,
        offset_ns,
        fit: Fit::Measured,
        anchor_line: Some(line),
        lateness_ns: late.get(late.len() * 95 / 100).copied().filter(|_| !whole),
        how: how.to_owned(),
    })
}

/// The offset where the host's stamps lack their fraction. No line arrives before it is printed, and it arrived less than
/// a second after its stamp: the truth lies below the smallest offset and a second, and above the largest offset where
/// lines arrive at once.
fn within_the_second(meetings: &[Meeting], smallest_ns: i64) -> i64 {
    let below = smallest_ns.saturating_add(NS_PER_S);
    let above = meetings.iter().map(|m| m.offset_ns).max().unwrap_or(smallest_ns);
    below.saturating_sub(below.saturating_sub(above).max(0) / 2)
}

fn seconds(ns: i64) -> String {
    format!("{:.3}", ns as f64 / 1e9)
}

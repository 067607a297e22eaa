// SPDX-License-Identifier: MIT
//! The time between two events of a boot, and how sure it is.

use serde::{Deserialize, Serialize};

use super::stage::{Stage, StageEvent};

/// From one known event to the next known one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Interval {
    /// Begin.
    pub from: StageEvent,
    /// End.
    pub to: StageEvent,
    /// Length; absent when one end has no time on the axis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<i64>,
    /// True when `duration_ns` is a lower bound: one of the ends is.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_least: bool,
    /// True when `duration_ns` is an upper bound, or unsure in both directions: an end came no later than it is told.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub unsure: bool,
    /// Events in between that the log does not show, so that their time is in here.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub hides: Vec<StageEvent>,
}

/// Is the time between two events a lower bound? Two stamps of one clock are as far apart as they say, wherever its zero
/// lies.
pub fn is_lower_bound(from: &Stage, to: &Stage) -> bool {
    let same_clock = from.shifted && to.shifted && from.clock == to.clock;
    (from.at_least || to.at_least) && !same_clock
}

/// Is it not even that?
pub fn is_unsure(from: &Stage, to: &Stage) -> bool {
    from.at_most || to.at_most
}

/// The intervals between neighbouring events that have a line or a time.
pub fn intervals(stages: &[Stage]) -> Vec<Interval> {
    let mut out = Vec::new();
    let mut last: Option<&Stage> = None;
    let mut hides = Vec::new();
    for stage in stages {
        if stage.ns.is_none() && stage.line.is_none() {
            hides.push(stage.event);
            continue;
        }
        if let Some(before) = last {
            let duration = before
                .ns
                .zip(stage.ns)
                .and_then(|(a, b)| b.checked_sub(a))
                .filter(|ns| *ns >= 0);
            out.push(Interval {
                from: before.event,
                to: stage.event,
                duration_ns: duration,
                at_least: is_lower_bound(before, stage),
                unsure: is_unsure(before, stage),
                hides: std::mem::take(&mut hides),
            });
        }
        hides.clear();
        last = Some(stage);
    }
    out
}

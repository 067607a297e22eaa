// SPDX-License-Identifier: MIT
//! Where a clock lies on a boot's axis, and how well that is known.

use serde::{Deserialize, Serialize};

use crate::log::clock::Clock;

/// How well a clock's place on the axis is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// It is the axis.
    Axis,
    /// Lines with both stamps fix it, up to the shortest delay between printing and arrival.
    Measured,
    /// Only an event both clocks saw one after the other: the true place is later by an unknown time.
    AtLeast,
    /// The clock does not run at the axis's speed, so that no offset fits: its stamps are not placed.
    Drifts,
}

/// Where a clock lies: axis time = clock time + offset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alignment {
    /// The clock.
    pub clock: Clock,
    /// To be added, ns.
    pub offset_ns: i64,
    /// How well that is known.
    pub fit: Fit,
    /// The line both clocks meet at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor_line: Option<u32>,
    /// 95 of 100 lines arrived at most so long after they were printed: what a host stamp alone can be late by. Test
    /// tools read the console in bursts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lateness_ns: Option<i64>,
    /// In words.
    pub how: String,
}

impl Alignment {
    /// The alignment of the clock that makes the axis.
    pub(super) fn the_axis(clock: Clock, offset_ns: i64) -> Self {
        Self {
            clock,
            offset_ns,
            fit: Fit::Axis,
            anchor_line: None,
            lateness_ns: None,
            how: "the axis".to_owned(),
        }
    }
}

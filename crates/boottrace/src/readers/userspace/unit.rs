// SPDX-License-Identifier: MIT
//! Start times of one unit.

use serde::Serialize;

use crate::timeline::tracks::{Span, Track};

/// When a unit changed state. Nanoseconds of `CLOCK_MONOTONIC` (kernel start is 0) unless the reader says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnitTimes {
    /// Unit name, such as `systemd-udevd.service`.
    pub unit: String,
    /// Began to start.
    pub activating_ns: Option<i64>,
    /// Was up.
    pub activated_ns: Option<i64>,
    /// Began to stop.
    pub deactivating_ns: Option<i64>,
    /// Was down.
    pub deactivated_ns: Option<i64>,
    /// Time to start as printed, nanoseconds.
    pub time_ns: Option<u64>,
    /// `done`, `failed` ... where the source says it.
    pub result: Option<String>,
}

impl UnitTimes {
    /// The start as a span: from activating to activated. Open when it never came up.
    pub fn span(&self) -> Option<Span> {
        let start_ns = self.activating_ns.filter(|&ns| ns != 0).or(self.activated_ns)?;
        let mut span = Span {
            name: self.unit.clone(),
            category: "unit".into(),
            start_ns,
            ..Span::default()
        };
        span.end_ns = self.activated_ns.map(|ns| ns.max(start_ns));
        span.args
            .extend(self.result.clone().map(|result| ("result".to_owned(), result)));
        Some(span)
    }
}

/// Units as one track.
pub fn track(units: &[UnitTimes]) -> Track {
    Track {
        name: "units".into(),
        spans: units.iter().filter_map(UnitTimes::span).collect(),
        ..Track::default()
    }
}

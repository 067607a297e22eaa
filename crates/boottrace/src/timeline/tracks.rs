// SPDX-License-Identifier: MIT
//! What every exporter reads: the spans, instants and counters of one boot on one clock.

use serde::{Deserialize, Serialize};

/// Everything that happened on one clock. Two clocks need two timelines, or an alignment done before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timeline {
    /// What this is, for headings: a file name, a boot's id.
    pub title: String,
    /// Name of the clock all `_ns` values come from (`virtual`, `printk`, `trace`, `aligned` ...).
    pub clock: String,
    /// Facts about the whole timeline, as key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<(String, String)>,
    /// One per task, processor, device or stage axis, in the order to show them.
    pub tracks: Vec<Track>,
}

/// One row (or group of rows, when spans overlap) of a timeline.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Track {
    /// Shown name, for example `swapper/0-1` or `stages`.
    pub name: String,
    /// Intervals; any order, may nest, may overlap.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spans: Vec<Span>,
    /// Points in time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instants: Vec<Instant>,
    /// Curves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counters: Vec<Counter>,
}

/// A named interval.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Span {
    /// Shown name.
    pub name: String,
    /// Kind of thing: `initcall`, `probe`, `function`, `unit`, `process` ... May be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// Start, nanoseconds.
    pub start_ns: i64,
    /// End, nanoseconds; `None` when it never ended in the evidence.
    pub end_ns: Option<i64>,
    /// Details, as key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<(String, String)>,
}

/// A named point in time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Instant {
    /// Shown name.
    pub name: String,
    /// Kind of thing; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub category: String,
    /// When, nanoseconds.
    pub at_ns: i64,
    /// Details, as key and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<(String, String)>,
}

/// A curve of values over time.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counter {
    /// Shown name.
    pub name: String,
    /// Unit of the values (`bytes/s`, `%` ...).
    pub unit: String,
    /// Time in nanoseconds and value.
    pub points: Vec<(i64, f64)>,
}

impl Span {
    /// A closed span without details.
    pub fn new(name: impl Into<String>, category: impl Into<String>, start_ns: i64, end_ns: i64) -> Self {
        Self {
            name: name.into(),
            category: category.into(),
            start_ns,
            end_ns: Some(end_ns),
            args: Vec::new(),
        }
    }

    /// Length in nanoseconds; `None` while open. Zero when the end lies before the start.
    pub fn duration_ns(&self) -> Option<u64> {
        let end_ns = self.end_ns?;
        Some(end_ns.saturating_sub(self.start_ns).max(0) as u64)
    }
}

impl Timeline {
    /// Earliest and latest time of anything in it, nanoseconds; `None` when it is empty.
    pub fn bounds_ns(&self) -> Option<(i64, i64)> {
        let mut bounds: Option<(i64, i64)> = None;
        let mut see = |at_ns: i64| {
            bounds = Some(bounds.map_or((at_ns, at_ns), |(low, high)| (low.min(at_ns), high.max(at_ns))));
        };
        for track in &self.tracks {
            for span in &track.spans {
                see(span.start_ns);
                if let Some(end_ns) = span.end_ns {
                    see(end_ns.max(span.start_ns));
                }
            }
            track.instants.iter().for_each(|instant| see(instant.at_ns));
            track
                .counters
                .iter()
                .flat_map(|c| &c.points)
                .for_each(|(at_ns, _)| see(*at_ns));
        }
        bounds
    }
}

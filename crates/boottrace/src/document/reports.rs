// SPDX-License-Identifier: MIT
//! What other tools made of a log: `kd` tables and `show_delta` lines, as parts of a document.

use serde::{Deserialize, Serialize};

use crate::readers::calls::kd::Report;
use crate::readers::calls::show_delta::Deltas;

/// Rows kept of each; further ones are counted.
pub const MAX_ROWS: usize = 2000;

/// A report of `kd`, times in microseconds as printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KdReport {
    /// First and last physical line, for a report inside a console log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<(u32, u32)>,
    /// Columns of the table.
    pub columns: Vec<String>,
    /// Rows, in the order printed.
    pub rows: Vec<KdRow>,
    /// Call trace, in the order printed.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub trace: Vec<KdCall>,
    /// Rows beyond [`MAX_ROWS`].
    pub left_out: u64,
}

/// A row of the table; columns the report does not have are absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KdRow {
    /// Function.
    pub function: String,
    /// Calls.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub count: Option<u64>,
    /// Time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub time_us: Option<i64>,
    /// Mean.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub average_us: Option<i64>,
    /// In the function itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub local_us: Option<i64>,
    /// The callee that took most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_sub: Option<String>,
    /// How often it was called.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub max_sub_count: Option<u64>,
}

/// A line of the call trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KdCall {
    /// Entry.
    pub entry_us: i64,
    /// Entry to exit.
    pub duration_us: i64,
    /// In the function itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub local_us: Option<i64>,
    /// Task; -1 in an interrupt.
    pub pid: i64,
    /// Nesting.
    pub depth: u32,
    /// Function.
    pub function: String,
}

impl From<&Report> for KdReport {
    fn from(report: &Report) -> Self {
        let rows = report.rows.iter().take(MAX_ROWS).map(|row| KdRow {
            function: row.function.clone(),
            count: row.count,
            time_us: row.time_us,
            average_us: row.average_us,
            local_us: row.local_us,
            max_sub: row.max_sub.clone(),
            max_sub_count: row.max_sub_count,
        });
        let trace = report.trace.iter().take(MAX_ROWS).map(|row| KdCall {
            entry_us: row.entry_us,
            duration_us: row.duration_us,
            local_us: row.local_us,
            pid: row.pid,
            depth: row.depth,
            function: row.function.clone(),
        });
        let beyond = |count: usize| count.saturating_sub(MAX_ROWS) as u64;
        Self {
            lines: None,
            columns: report.columns.clone(),
            rows: rows.collect(),
            trace: trace.collect(),
            left_out: beyond(report.rows.len()) + beyond(report.trace.len()),
        }
    }
}

/// Output of `show_delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeltaReport {
    /// Lines with a stamp.
    pub lines: u64,
    /// First and last stamp, ns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bounds_ns: Option<(i64, i64)>,
    /// The largest deltas first. `show_delta` prints the time since the line before, so the cost is that line's.
    pub longest: Vec<DeltaRow>,
}

/// A line with its delta.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeltaRow {
    /// Stamp.
    pub at_ns: i64,
    /// Time since the line before.
    pub delta_ns: i64,
    /// The line.
    pub text: String,
    /// The line before, in which the time passed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
}

impl From<&Deltas> for DeltaReport {
    fn from(deltas: &Deltas) -> Self {
        let lines = &deltas.lines;
        // The first line's delta is its stamp: nothing passed that the log saw.
        let mut order: Vec<usize> = (1..lines.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(lines[at].delta_ns));
        let longest = order.into_iter().take(200).map(|at| DeltaRow {
            at_ns: lines[at].at_ns,
            delta_ns: lines[at].delta_ns,
            text: lines[at].text.clone(),
            before: at.checked_sub(1).map(|before| lines[before].text.clone()),
        });
        let stamps = || lines.iter().map(|line| line.at_ns);
        Self {
            lines: lines.len() as u64,
            bounds_ns: stamps().min().zip(stamps().max()),
            longest: longest.collect(),
        }
    }
}

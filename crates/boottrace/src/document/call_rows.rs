// SPDX-License-Identifier: MIT
//! Rows of the tables that a trace has in a document.

use serde::{Deserialize, Serialize};

use crate::readers::calls::tables::FunctionRow;

/// What is compared of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSums {
    /// Name.
    pub function: String,
    /// Calls.
    pub count: u64,
    /// Entry to exit, time switched out taken off.
    pub total_ns: u64,
    /// In the function itself.
    pub self_ns: u64,
}

/// One function. Times are in the unit of [`CallTrace::weight`](super::CallTrace::weight).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionTime {
    /// Name.
    pub function: String,
    /// Calls.
    pub count: u64,
    /// Calls without an end: they have no time.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub open: u64,
    /// Entry to exit, time switched out taken off.
    pub total_ns: u64,
    /// In the function itself.
    pub self_ns: u64,
    /// Mean of `total_ns`.
    pub average_ns: u64,
    /// Longest single call, entry to exit.
    pub max_ns: u64,
    /// Switched out between entry and exit.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub off_cpu_ns: u64,
    /// The callee that took most time.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub max_sub: String,
    /// How often that was called.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub max_sub_count: u64,
    /// What it took.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub max_sub_ns: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // the shape serde asks for
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// One task (or processor, where the trace names no task).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskCalls {
    /// Name and pid.
    pub task: String,
    /// Calls, where calls are traced.
    pub calls: u64,
    /// Time in calls of the first level.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub in_calls_ns: Option<u64>,
    /// On a processor, where `sched_switch` is traced.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run_ns: Option<u64>,
}

/// One path of the merged call tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeRow {
    /// Function.
    pub function: String,
    /// Index of the caller in the list; absent on the first level.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<usize>,
    /// Calls.
    pub count: u64,
    /// Entry to exit.
    pub total_ns: u64,
    /// In the function itself.
    pub self_ns: u64,
}

/// An initcall by its trace events: these carry their own start and are free of the kernel log's shared variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceInitcall {
    /// Function, module in brackets.
    pub name: String,
    /// Level.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub level: Option<String>,
    /// Task.
    pub pid: i64,
    /// Start.
    pub start_ns: i64,
    /// End.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_ns: Option<i64>,
    /// Result.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub returned: Option<i64>,
}

/// A message in a trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceMark {
    /// When.
    pub at_ns: i64,
    /// Event it came by.
    pub event: String,
    /// Text.
    pub text: String,
}

/// Handlers of one interrupt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InterruptRow {
    /// `irq N` or `softirq NAME`.
    pub line: String,
    /// Handler.
    pub name: String,
    /// Runs.
    pub count: u64,
    /// All together.
    pub total_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl From<&FunctionRow> for FunctionTime {
    fn from(row: &FunctionRow) -> Self {
        Self {
            function: row.function.clone(),
            count: row.count,
            open: row.open,
            total_ns: row.time_ns(),
            self_ns: row.self_ns,
            average_ns: row.average_ns(),
            max_ns: row.max_ns,
            off_cpu_ns: row.off_cpu_ns,
            max_sub: row.max_sub.clone(),
            max_sub_count: row.max_sub_count,
            max_sub_ns: row.max_sub_ns,
        }
    }
}

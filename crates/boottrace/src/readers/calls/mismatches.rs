// SPDX-License-Identifier: MIT
//! What of a trace did not fit together.

/// What did not fit together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mismatches {
    /// Exits of calls that were entered before the trace began, or whose entry was lost.
    pub exits_without_entry: u64,
    /// Entries whose exit was lost.
    pub entries_without_exit: u64,
    /// Calls still running when the trace ended.
    pub still_open: u64,
    /// Calls beyond [`MAX_DEPTH`](super::stacks::MAX_DEPTH) or [`MAX_OPEN`](super::stacks::MAX_OPEN).
    pub too_deep: u64,
    /// Events of tasks beyond [`MAX_TASKS`](super::stacks::MAX_TASKS).
    pub tasks_beyond_limit: u64,
    /// Callees whose times add up to more than their caller's (clock skew, lost lines).
    pub callees_longer_than_caller: u64,
    /// Events the tracer itself said it lost.
    pub lost_events: u64,
    /// Spans longer than the threshold that found no room.
    pub spans_beyond_limit: u64,
}

// SPDX-License-Identifier: MIT
//! A task and the calls that it is in.

use super::names::NameId;
use super::tree::NodeId;

/// A call that has not ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) node: NodeId,
    pub(super) name: NameId,
    pub(super) depth: u32,
    pub(super) start_ns: Option<i64>,
    pub(super) end_ns: Option<i64>,
    pub(super) child_ns: u64,
    pub(super) off_ns: u64,
    pub(super) switched: bool,
}

/// One task's stack and sums.
#[derive(Debug, Clone, Default)]
pub struct Task {
    /// Shown name, such as `swapper/0-1` or `cpu 3`.
    pub label: String,
    /// Calls entered.
    pub calls: u64,
    /// Time in calls of the first level, nanoseconds.
    pub elapsed_ns: u64,
    pub(super) frames: Vec<Frame>,
    pub(super) too_deep: u32,
    pub(super) cpu: Option<u32>,
    pub(super) off_since_ns: Option<i64>,
    pub(super) interrupt_base: Option<usize>,
}

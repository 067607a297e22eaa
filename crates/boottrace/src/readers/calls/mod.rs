// SPDX-License-Identifier: MIT
//! Function and event traces: one call model ([`stacks`], [`tree`]) fed by one reader a format.

pub mod event_line;
mod event_payload;
pub mod events;
pub mod events_text;
pub mod function_graph;
mod graph_batches;
mod graph_call;
mod graph_layout;
pub mod graph_line;
mod graph_threads;
pub mod kd;
mod kept_spans;
pub mod kfi;
pub mod log_behind;
mod mismatches;
pub mod names;
mod node_table;
pub mod perf_script;
mod processors;
mod recursion;
pub mod show_delta;
pub mod stacks;
pub mod tables;
mod task;
pub mod trace_dat;
pub mod tree;

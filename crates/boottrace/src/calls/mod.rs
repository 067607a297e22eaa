//! Function and event traces: one call model ([`stacks`], [`tree`]) fed by one reader a format.

pub mod function_graph;
pub mod graph_line;
pub mod lines;
pub mod names;
mod number;
pub mod skipped;
pub mod stacks;
pub mod tables;
pub mod tree;

pub use skipped::Skipped;
pub use stacks::{Calls, SpanLimits};
pub use tables::{FunctionRow, SortBy};

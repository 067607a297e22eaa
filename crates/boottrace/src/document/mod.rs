// SPDX-License-Identifier: MIT
//! The result of one analysis: its parts, how it is put together, and how two are compared.

mod account_beside;
pub mod analyze;
mod asked_root_delay;
pub mod boot;
pub mod budget;
mod by_the_way;
pub mod call_rows;
pub mod call_trace;
mod chain_costs;
pub mod chart;
pub mod comparison;
#[allow(clippy::module_inception)] // the noun of the room
pub mod document;
pub mod found;
pub mod invariants;
mod one_account;
mod other_output;
mod outside;
pub mod quantity;
pub mod reports;
#[cfg(feature = "schema")]
pub mod schema;
mod start_scripts;
mod stated;
pub mod threshold;
mod unit_cost;
mod unit_costs;
pub mod units;
mod untold;

pub use budget::Budget;
pub use call_rows::{FunctionSums, FunctionTime, InterruptRow, TaskCalls, TraceInitcall, TraceMark, TreeRow};
pub use call_trace::CallTrace;
pub use chart::{Chart, ChartProcess};
pub use comparison::{compare, BudgetResult, Change, Comparison, Row, Sample};
pub use quantity::{quantities, runs, Run};
pub use reports::{DeltaReport, DeltaRow, KdCall, KdReport, KdRow};
pub use threshold::{Threshold, Thresholds, KINDS};
pub use units::{ChainRow, Startup, Unit, UnitReport, UnitStage};

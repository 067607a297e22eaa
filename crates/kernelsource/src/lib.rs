// SPDX-License-Identifier: MIT
//! Finds what a kernel's source files define, without a compiler: functions (macros that make them too), initcalls,
//! drivers' names, device-tree compatibles.
//!
//! The files may be anybody's: nothing panics, nothing outside the tree is read, and sizes are bounded.

mod assembly;
mod c;
mod definition;
mod generated;
mod local_macro;
mod token;
mod tree;

pub use assembly::scan_assembly;
pub use c::scan_c;
pub use definition::{Definition, Kind};
pub use tree::{scan_tree, source_files, SourceFile};

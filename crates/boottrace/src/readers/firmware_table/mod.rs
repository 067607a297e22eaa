// SPDX-License-Identifier: MIT
//! Time tables that boot loaders and firmware print.

mod bootstage;
mod reader;
mod rows;
pub mod table;

pub use reader::find;
pub use rows::is_table_row;

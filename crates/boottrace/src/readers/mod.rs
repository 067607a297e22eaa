// SPDX-License-Identifier: MIT
//! The readers, one format a file, and which of them an input is for.

pub mod calls;
pub mod console;
pub mod dmesg_json;
pub(crate) mod embedded;
pub mod firmware_table;
pub mod foreign;
pub mod formats;
pub mod ledger;
pub mod skipped;
pub mod strace;
pub mod userspace;

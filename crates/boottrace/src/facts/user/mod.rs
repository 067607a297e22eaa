// SPDX-License-Identifier: MIT
//! What programs of user space print, line by line: prompts, units, the first words of inits and start scripts.

pub mod lines;
pub mod sign;
mod trouble;

pub use lines::{of_boot, of_texts, UserLine};
pub use sign::{signs, Sign, SignKind};

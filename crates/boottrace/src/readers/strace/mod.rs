// SPDX-License-Identifier: MIT
//! What an application does from its start to the goal, out of the log of its system calls.

mod arguments;
mod asked;
mod clock;
mod descriptors;
mod line;
mod names;
pub(crate) mod profile;
mod reader;
mod tables;

pub use line::detect;
pub use profile::{
    ApplicationProfile, CallSum, FileUse, Goal, Libraries, Missing, Noted, Polled, Process, Sleep, Wait, WaitFor,
    MAX_ROWS,
};
pub use reader::parse;

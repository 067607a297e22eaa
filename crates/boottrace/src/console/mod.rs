//! Console captures and kernel logs: lines, prefixes, boots.

mod account;
mod boot_log;
mod boots;
mod chain;
mod dumpstate;
mod firmware_stamp;
mod harness;
mod hints;
mod host;
mod host_shape;
mod label;
mod lava;
mod line;
mod nameless;
mod not_a_boot;
mod physical;
mod prefix;
mod quoted;
mod reader;
mod stamp;
mod tail;

pub use account::{kinds_of_stamps, left_out, sections, split_out, took, Ledger, ReaderCounts};
pub use boot_log::{BootLog, BootStart, Split};
pub use boots::split;
pub use harness::prompt_command;
pub use line::{Caller, HostSource, Line, LineKind};
pub use not_a_boot::not_a_boot;
pub use reader::{read, ExternalStamp, Lines};

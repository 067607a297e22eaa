// SPDX-License-Identifier: MIT
//! One line of a boot log: its stamps, the prefixes before it, who printed it, and which step it marks.

pub(crate) mod any_stamp;
pub mod banner;
pub mod boot_log;
pub(crate) mod bracket;
pub(crate) mod breaks;
pub mod clock;
pub(crate) mod course;
mod date_words;
pub(crate) mod dumpstate;
pub(crate) mod firmware_stamp;
pub(crate) mod foreign_month;
pub(crate) mod guest;
pub(crate) mod hand_over;
pub(crate) mod harness;
pub(crate) mod hints;
pub(crate) mod host;
pub(crate) mod host_prefix;
pub(crate) mod host_shape;
pub(crate) mod in_use;
pub(crate) mod inner_start;
pub(crate) mod label;
pub(crate) mod labels;
pub(crate) mod lava;
pub(crate) mod level;
pub mod line;
pub(crate) mod log_form;
pub(crate) mod logcat;
pub(crate) mod lost;
pub(crate) mod milestone;
pub(crate) mod nameless;
pub(crate) mod own_clock;
pub(crate) mod own_time;
pub(crate) mod patch;
pub(crate) mod prefix;
pub(crate) mod sentence;
pub(crate) mod stamp;
pub(crate) mod starting;
pub(crate) mod style;
pub(crate) mod vendor_field;

pub use boot_log::{BootLog, BootStart, Split};
pub use clock::{Clock, Stamp};
pub use line::{Caller, HostSource, Line, LineKind};
pub use prefix::{kernel_stamp, kernel_start};

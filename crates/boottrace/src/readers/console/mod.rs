// SPDX-License-Identifier: MIT
//! Console captures and kernel logs: from bytes to lines, and from lines to boots.

pub mod account;
mod before_kernel;
mod boots;
mod chain;
mod excerpt;
mod first_words;
pub mod guests;
mod host_prompt;
mod in_use;
mod learning;
mod mail_before_kernel;
mod mail_headers;
mod mail_quotes;
mod nameless;
mod not_a_boot;
mod other_output;
mod own_accounts;
mod own_start;
mod page;
mod pasted;
pub mod phone_dates;
mod printed_later;
mod quoted;
mod quoted_printable;
pub mod reader;
mod running;
mod shown_again;
pub mod shuffled;
mod shutdown;
mod tail;
mod wrapped;

pub use account::{kinds_of_stamps, left_out, sections, split_out, took, ReaderCounts};
pub use before_kernel::{before_kernel, Next};
pub use boots::{split, split_guest};
pub use excerpt::excerpt;
pub use not_a_boot::{not_a_boot, tail_of_earlier};
pub use reader::{read, ExternalStamp, Lines};

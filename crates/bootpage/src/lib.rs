#![doc = include_str!("../README.md")]
// SPDX-License-Identifier: MIT
pub mod answer;
pub mod boot_page;
pub mod boot_tables;
pub mod boot_words;
pub mod cost_headline;
pub mod cost_words;
pub mod failure_words;
pub mod figures;
pub mod goal;
pub mod listing;
pub mod names;
pub mod page;
pub mod plot;
pub mod shown;
pub mod stage_rows;
pub mod stretches;
pub mod sureness;
pub mod thread_text;
pub mod told;
pub mod unit_tables;
pub mod unit_words;

pub use goal::Goal;
pub use page::{page, Page};
pub use thread_text::thread_text;
pub use told::{told, Told};

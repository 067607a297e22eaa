#![doc = include_str!("../README.md")]
// SPDX-License-Identifier: MIT
// Rooms, the lowest first: a room imports only from those above it in this list (tests/rooms.rs).
pub mod costs;
pub mod document;
pub mod error;
pub mod export;
pub mod facts;
pub mod input;
pub mod log;
pub mod options;
pub mod readers;
pub mod text;
pub mod timeline;

pub use document::analyze::{analyze, analyze_path, analyze_stamped, Analyzed};
pub use document::boot::Boot;
pub use document::document::{Document, NotABoot, Part, DOCUMENT_FORMAT, DOCUMENT_VERSION};
pub use error::Error;
pub use facts::boot::failure::BootLoop;
pub use input::archive::{unpack, Unpacked};
pub use input::notes::InputNotes;
pub use input::packing::Packing;
pub use log::clock::{Clock, Stamp};
pub use options::{Limits, Options};
pub use readers::ledger::{Skipped, Took};

//! Reads Linux boot logs and traces of every kind into events, spans and call trees.

pub mod analysis;
mod analyze;
pub mod application;
mod archive;
mod boot;
pub mod calls;
mod clock;
pub mod console;
mod document;
mod embedded;
mod error;
pub mod export;
pub mod firmware;
mod foreign;
pub mod formats;
mod input;
pub mod kernel;
mod options;
mod source;
pub mod traces;
mod unpacking;
pub mod userspace;
mod utf16;

pub use analyze::{analyze, analyze_path, analyze_stamped, Analyzed};
pub use archive::{unpack, Packing, Unpacked};
pub use boot::Boot;
pub use clock::{Clock, Stamp};
pub use document::{BootLoop, Document, NotABoot, Part, Skipped, Took, DOCUMENT_FORMAT, DOCUMENT_VERSION};
pub use error::Error;
pub use input::InputNotes;
pub use options::{Limits, Options};

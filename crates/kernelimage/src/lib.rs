// SPDX-License-Identifier: MIT
//! Looks inside a Linux kernel image: version, compression, payload, symbols, configuration.
//!
//! ```no_run
//! let image = std::fs::read("/boot/vmlinuz").unwrap();
//! let limits = kernelimage::Limits::default();
//! let info = kernelimage::inspect(&image, &limits);
//! println!("{:?} {:?}", info.kind, info.linux.map(|linux| linux.release));
//! for symbol in kernelimage::symbols(&image, &limits).unwrap() {
//!     println!("{:016x} {} {}", symbol.address, symbol.kind, symbol.name);
//! }
//! ```
//!
//! Every input is taken for hostile: nothing panics, and [`Limits`] bounds memory and time.

pub mod block;
mod bytes;
pub mod bzimage;
mod compression;
pub mod config;
pub mod elf;
mod elf_facts;
pub mod elf_program;
mod elf_reading;
pub mod elf_sections;
mod error;
pub mod foreign;
mod inspect;
pub mod kallsyms;
mod lz4;
mod lzop;
pub mod module;
pub mod payload;
pub mod symbol;
pub mod unpack;
pub mod version;

pub use bytes::ByteOrder;
pub use compression::Compression;
pub use error::{Error, Limits, Result};
pub use inspect::{embedded_config, inspect, symbols, ImageInfo};
pub use module::{module, Module, ModuleCode};
/// Lets [`elf_program`] and [`elf_sections`] read of a file only what they look at.
pub use object::ReadCache;
pub use symbol::Symbol;
pub use unpack::{extract_vmlinux, ImageKind};

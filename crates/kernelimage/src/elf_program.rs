// SPDX-License-Identifier: MIT
//! What an ELF program or shared library says of itself: loader, libraries, flags, relocations, symbols.
//!
//! Sources: System V gABI, chapters 4 and 5; elf(5). Read by the program headers, so that a stripped file tells as much.

use object::elf::{self, FileHeader32, FileHeader64};
use object::{Endianness, ReadRef};

pub use crate::elf_facts::{Facts, Kind, Needs, Relocations};
use crate::elf_reading::Reading;
use crate::elf_sections;
use crate::error::Result;

/// Reads only what a file needs before it runs: neither its symbols nor its relocations.
///
/// # Errors
/// [`crate::Error::NotAKernel`] for what is no ELF file, [`crate::Error::Corrupt`] for a broken one.
pub fn needs<'data, R: ReadRef<'data>>(data: R) -> Result<Needs> {
    match elf_sections::class(data)? {
        elf::ELFCLASS32 => Reading::<FileHeader32<Endianness>, R>::open(data)?.needs(),
        _ => Reading::<FileHeader64<Endianness>, R>::open(data)?.needs(),
    }
}

/// Reads everything.
///
/// # Errors
/// [`crate::Error::NotAKernel`] for what is no ELF file, [`crate::Error::Corrupt`] for a broken one.
pub fn facts<'data, R: ReadRef<'data>>(data: R) -> Result<Facts> {
    match elf_sections::class(data)? {
        elf::ELFCLASS32 => Reading::<FileHeader32<Endianness>, R>::open(data)?.facts(),
        _ => Reading::<FileHeader64<Endianness>, R>::open(data)?.facts(),
    }
}

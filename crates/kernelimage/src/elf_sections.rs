// SPDX-License-Identifier: MIT
//! What an ELF object or a linked kernel takes in memory, section by section, and the names that it defines.
//!
//! Source: System V gABI, chapter 4.

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{Endianness, ReadRef};

use crate::error::{Error, Limits, Result};

const WHAT: &str = "ELF file";

/// A section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name; bytes that are no UTF-8 are replaced.
    pub name: String,
    /// `sh_type`.
    pub kind: u32,
    /// `sh_flags`.
    pub flags: u64,
    /// Where it stands in the file, bytes.
    pub offset: u64,
    /// Bytes in memory; in the file too, but for `SHT_NOBITS`.
    pub size: u64,
}

/// The sections in the order of the table.
///
/// # Errors
/// [`Error::NotAKernel`] for what is no ELF file, [`Error::Corrupt`] for a broken one or one without sections.
pub fn sections<'data, R: ReadRef<'data>>(data: R) -> Result<Vec<Section>> {
    match class(data)? {
        elf::ELFCLASS32 => sections_class::<FileHeader32<Endianness>, R>(data),
        _ => sections_class::<FileHeader64<Endianness>, R>(data),
    }
}

/// The names of the symbol table that other files can refer to (global or weak, and defined here).
///
/// # Errors
/// Those of [`sections`], and [`Error::TooBig`].
pub fn defined<'data, R: ReadRef<'data>>(data: R, limits: &Limits) -> Result<Vec<String>> {
    match class(data)? {
        elf::ELFCLASS32 => defined_class::<FileHeader32<Endianness>, R>(data, limits),
        _ => defined_class::<FileHeader64<Endianness>, R>(data, limits),
    }
}

/// The class of an ELF file.
pub(crate) fn class<'data, R: ReadRef<'data>>(data: R) -> Result<elf::FileClass> {
    let head = data.read_bytes_at(0, 5).unwrap_or_default();
    match head {
        [magic @ .., class @ (1 | 2)] if *magic == elf::ELFMAG => Ok(elf::FileClass(*class)),
        _ => Err(Error::NotAKernel {
            detail: "no ELF magic".to_owned(),
        }),
    }
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::corrupt(WHAT, error)
}

fn sections_class<'data, H, R>(data: R) -> Result<Vec<Section>>
where
    H: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let header = H::parse(data).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    let table = header.sections(endian, data).map_err(damaged)?;
    if table.is_empty() {
        return Err(damaged("it has no sections"));
    }
    let section = |header: &H::SectionHeader| {
        let name = table.section_name(endian, header).map_err(damaged)?;
        Ok(Section {
            name: String::from_utf8_lossy(name).into_owned(),
            kind: header.sh_type(endian).0,
            flags: header.sh_flags(endian).0,
            offset: header.sh_offset(endian).into(),
            size: header.sh_size(endian).into(),
        })
    };
    table.iter().map(section).collect()
}

fn defined_class<'data, H, R>(data: R, limits: &Limits) -> Result<Vec<String>>
where
    H: FileHeader<Endian = Endianness>,
    R: ReadRef<'data>,
{
    let header = H::parse(data).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    let sections = header.sections(endian, data).map_err(damaged)?;
    let table = sections.symbols(endian, data, elf::SHT_SYMTAB).map_err(damaged)?;
    let mut names = Vec::new();
    for entry in table.iter() {
        let for_others = entry.st_bind() == elf::STB_GLOBAL || entry.st_bind() == elf::STB_WEAK;
        if !for_others || entry.is_undefined(endian) {
            continue;
        }
        if names.len() >= limits.symbols {
            return Err(Error::TooBig {
                what: WHAT,
                limit: limits.symbols as u64,
                unit: "symbols",
            });
        }
        let name = table.symbol_name(endian, entry).map_err(damaged)?;
        names.push(String::from_utf8_lossy(name).into_owned());
    }
    Ok(names)
}

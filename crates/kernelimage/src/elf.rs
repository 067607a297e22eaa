// SPDX-License-Identifier: MIT
//! A kernel in ELF form: `vmlinux`, or the payload of a bzImage.

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, NoteIterator, ProgramHeader, SectionHeader, Sym};
use object::Endianness;
use serde::{Deserialize, Serialize};

use crate::bytes::ByteOrder;
use crate::error::{Error, Limits, Result};
use crate::symbol::Symbol;

const WHAT: &str = "ELF kernel";
/// `XEN_ELFNOTE_PHYS32_ENTRY` (Xen: `public/elfnote.h`).
const XEN_PHYS32_ENTRY: elf::NoteType = elf::NoteType(18);

/// One loadable segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Address the code is linked for.
    pub virtual_address: u64,
    /// Address it is loaded at.
    pub physical_address: u64,
    /// Where its bytes stand in the file.
    pub file_offset_bytes: u64,
    /// How many bytes the file has of it.
    pub file_size_bytes: u64,
    /// How many bytes it takes in memory.
    pub memory_size_bytes: u64,
    /// `r`, `w`, `x` in this order, `-` where a right is missing.
    pub rights: String,
}

/// What an ELF header and its tables say of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElfInfo {
    /// 32 or 64.
    pub bits: u8,
    /// Byte order.
    pub byte_order: ByteOrder,
    /// `e_machine`.
    pub machine: u16,
    /// The kernel's name of the architecture, where this crate knows one.
    pub arch: Option<String>,
    /// `e_entry`.
    pub entry: u64,
    /// Physical entry point for PVH boot, from the note `Xen`/18; with it QEMU's `-kernel` takes the ELF file.
    pub pvh_entry: Option<u64>,
    /// Loadable segments in the order of the table.
    pub segments: Vec<Segment>,
    /// Whether the file has a symbol table of its own.
    pub has_symtab: bool,
}

impl ElfInfo {
    /// The address that byte `offset` of the file is linked for.
    pub fn virtual_address_of(&self, offset: u64) -> Option<u64> {
        let segment = self.segments.iter().find(|segment| {
            offset
                .checked_sub(segment.file_offset_bytes)
                .is_some_and(|into| into < segment.file_size_bytes)
        })?;
        Some(segment.virtual_address.wrapping_add(offset - segment.file_offset_bytes))
    }

    /// The file offset that holds what is linked for `address`.
    pub fn file_offset_of(&self, address: u64) -> Option<u64> {
        let segment = self.segments.iter().find(|segment| {
            address
                .checked_sub(segment.virtual_address)
                .is_some_and(|into| into < segment.file_size_bytes)
        })?;
        segment.file_offset_bytes.checked_add(address - segment.virtual_address)
    }
}

/// Whether the bytes start with the ELF magic.
pub fn is_elf(image: &[u8]) -> bool {
    image.starts_with(&elf::ELFMAG)
}

/// Reads header, segments and notes.
///
/// # Errors
/// [`Error::Corrupt`] when the tables do not fit the file.
pub fn read(image: &[u8]) -> Result<ElfInfo> {
    match image.get(4).map(|&class| elf::FileClass(class)) {
        Some(elf::ELFCLASS32) => read_class::<FileHeader32<Endianness>>(image, 32),
        Some(elf::ELFCLASS64) => read_class::<FileHeader64<Endianness>>(image, 64),
        _ => Err(Error::corrupt(WHAT, "neither a 32-bit nor a 64-bit class")),
    }
    .map_err(|error| match error {
        Error::Corrupt { .. } if !is_elf(image) => Error::NotAKernel {
            detail: "no ELF magic".to_owned(),
        },
        other => other,
    })
}

/// The symbols of `.symtab`, for a `vmlinux` that has not been stripped.
///
/// # Errors
/// [`Error::NotFound`] when it has been, [`Error::Corrupt`] when the table is damaged.
pub fn symbols(image: &[u8], limits: &Limits) -> Result<Vec<Symbol>> {
    match image.get(4).map(|&class| elf::FileClass(class)) {
        Some(elf::ELFCLASS32) => symbols_class::<FileHeader32<Endianness>>(image, limits),
        Some(elf::ELFCLASS64) => symbols_class::<FileHeader64<Endianness>>(image, limits),
        _ => Err(Error::corrupt(WHAT, "neither a 32-bit nor a 64-bit class")),
    }
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::corrupt(WHAT, error)
}

fn read_class<H>(image: &[u8], bits: u8) -> Result<ElfInfo>
where
    H: FileHeader<Endian = Endianness>,
{
    let header = H::parse(image).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    let mut segments = Vec::new();
    let mut pvh_entry = None;
    for program in header.program_headers(endian, image).map_err(damaged)? {
        let kind = program.p_type(endian);
        if kind == elf::PT_LOAD {
            let flags = program.p_flags(endian);
            let right = |flag, letter| if flags & flag == flag { letter } else { '-' };
            segments.push(Segment {
                virtual_address: program.p_vaddr(endian).into(),
                physical_address: program.p_paddr(endian).into(),
                file_offset_bytes: program.p_offset(endian).into(),
                file_size_bytes: program.p_filesz(endian).into(),
                memory_size_bytes: program.p_memsz(endian).into(),
                rights: [right(elf::PF_R, 'r'), right(elf::PF_W, 'w'), right(elf::PF_X, 'x')]
                    .iter()
                    .collect(),
            });
        } else if kind == elf::PT_NOTE && pvh_entry.is_none() {
            // A damaged note segment hides the entry; it does not make the rest unreadable.
            if let Ok(Some(notes)) = program.notes(endian, image) {
                pvh_entry = pvh_note::<H>(notes, endian);
            }
        }
    }
    // The payload of a bzImage may have lost its section table: that is no damage.
    let has_symtab = header.sections(endian, image).is_ok_and(|sections| {
        sections
            .iter()
            .any(|section| section.sh_type(endian) == elf::SHT_SYMTAB)
    });
    let machine = header.e_machine(endian);
    let byte_order = ByteOrder::of(endian);
    Ok(ElfInfo {
        bits,
        byte_order,
        machine: byte_order.u16(image, 18).unwrap_or_default(),
        arch: arch_name(machine, bits).map(str::to_owned),
        entry: header.e_entry(endian).into(),
        pvh_entry,
        segments,
        has_symtab,
    })
}

fn pvh_note<H>(mut notes: NoteIterator<'_, H>, endian: Endianness) -> Option<u64>
where
    H: FileHeader<Endian = Endianness>,
{
    let order = ByteOrder::of(endian);
    while let Ok(Some(note)) = notes.next() {
        if note.name() == b"Xen" && note.n_type(endian) == XEN_PHYS32_ENTRY {
            // Linux writes a word of the kernel's width (arch/x86/platform/pvh/head.S: _ASM_PTR).
            return match note.desc().len() {
                4 => order.u32(note.desc(), 0).map(u64::from),
                8 => order.u64(note.desc(), 0),
                _ => None,
            };
        }
    }
    None
}

fn symbols_class<H>(image: &[u8], limits: &Limits) -> Result<Vec<Symbol>>
where
    H: FileHeader<Endian = Endianness>,
{
    let header = H::parse(image).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    let sections = header.sections(endian, image).map_err(damaged)?;
    let table = sections.symbols(endian, image, elf::SHT_SYMTAB).map_err(damaged)?;
    if table.is_empty() {
        return Err(Error::NotFound {
            what: "ELF symbol table",
            hint: "the file is stripped; its kallsyms tables or a System.map may still have the symbols",
        });
    }
    let mut found = Vec::new();
    for (index, entry) in table.enumerate() {
        if entry.is_undefined(endian) || entry.st_type() == elf::STT_FILE || entry.st_type() == elf::STT_SECTION {
            continue;
        }
        let Ok(name) = table.symbol_name(endian, entry) else {
            continue;
        };
        let Ok(name) = std::str::from_utf8(name) else {
            continue;
        };
        if name.is_empty() {
            continue;
        }
        if found.len() >= limits.symbols {
            return Err(Error::TooBig {
                what: "ELF symbol table",
                limit: limits.symbols as u64,
                unit: "symbols",
            });
        }
        let section = table
            .symbol_section(endian, entry, index)
            .ok()
            .flatten()
            .and_then(|at| sections.section(at).ok());
        found.push(Symbol {
            address: entry.st_value(endian).into(),
            kind: letter::<H>(entry, section, endian),
            name: name.to_owned(),
            module: None,
        });
    }
    found.sort_by_key(|symbol| symbol.address);
    Ok(found)
}

/// The letter `nm` prints for a symbol.
fn letter<H>(entry: &H::Sym, section: Option<&H::SectionHeader>, endian: Endianness) -> char
where
    H: FileHeader<Endian = Endianness>,
{
    let kind = section.map_or('a', |section| {
        let flags = section.sh_flags(endian);
        if flags & elf::SHF_EXECINSTR == elf::SHF_EXECINSTR {
            't'
        } else if section.sh_type(endian) == elf::SHT_NOBITS {
            'b'
        } else if flags & elf::SHF_WRITE == elf::SHF_WRITE {
            'd'
        } else {
            'r'
        }
    });
    if entry.st_bind() == elf::STB_WEAK {
        'W'
    } else if entry.st_bind() == elf::STB_GLOBAL {
        kind.to_ascii_uppercase()
    } else {
        kind
    }
}

/// `ARCH` as the kernel's top Makefile spells it.
fn arch_name(machine: elf::Machine, bits: u8) -> Option<&'static str> {
    Some(match machine {
        elf::EM_X86_64 => "x86_64",
        elf::EM_386 => "i386",
        elf::EM_ARM => "arm",
        elf::EM_AARCH64 => "arm64",
        elf::EM_RISCV if bits == 32 => "riscv32",
        elf::EM_RISCV => "riscv",
        elf::EM_MIPS => "mips",
        elf::EM_PPC | elf::EM_PPC64 => "powerpc",
        elf::EM_S390 => "s390",
        elf::EM_LOONGARCH => "loongarch",
        elf::EM_SH => "sh",
        elf::EM_SPARC | elf::EM_SPARCV9 => "sparc",
        _ => return None,
    })
}

// SPDX-License-Identifier: MIT
//! How one ELF program is read: its tables, and addresses turned into places in the file.

use std::collections::BTreeMap;

use object::elf;
use object::read::elf::{Dyn, FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{Endianness, ReadRef};

use crate::bytes::ByteOrder;
use crate::elf_facts::{Facts, Kind, Needs, Relocations};
use crate::error::{Error, Result};

const WHAT: &str = "ELF file";
/// Entries read of one dynamic table; libc.so has 30.
const MAX_DYNAMIC: usize = 4096;
const MAX_TEXT_BYTES: u64 = 1 << 16;
const STT_GNU_IFUNC: u8 = 10;

mod tag {
    pub const NEEDED: u64 = 1;
    pub const PLTRELSZ: u64 = 2;
    pub const HASH: u64 = 4;
    pub const STRTAB: u64 = 5;
    pub const RELA: u64 = 7;
    pub const RELASZ: u64 = 8;
    pub const SONAME: u64 = 14;
    pub const RPATH: u64 = 15;
    pub const SYMBOLIC: u64 = 16;
    pub const REL: u64 = 17;
    pub const RELSZ: u64 = 18;
    pub const PLTREL: u64 = 20;
    pub const JMPREL: u64 = 23;
    pub const BIND_NOW: u64 = 24;
    pub const RUNPATH: u64 = 29;
    pub const FLAGS: u64 = 30;
    pub const RELRSZ: u64 = 35;
    pub const GNU_HASH: u64 = 0x6fff_fef5;
    pub const FLAGS_1: u64 = 0x6fff_fffb;
}
const DF_SYMBOLIC: u64 = 0x2;
const DF_BIND_NOW: u64 = 0x8;
const DF_1_NOW: u64 = 0x1;
const DF_1_PIE: u64 = 0x0800_0000;

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::corrupt(WHAT, error)
}

/// One file: its tables, and addresses turned into places in the file.
pub(crate) struct Reading<'data, H: FileHeader<Endian = Endianness>, R: ReadRef<'data>> {
    data: R,
    header: &'data H,
    endian: Endianness,
    order: ByteOrder,
    segments: &'data [H::ProgramHeader],
    sections: &'data [H::SectionHeader],
    dynamic: BTreeMap<u64, Vec<u64>>,
}

impl<'data, H: FileHeader<Endian = Endianness>, R: ReadRef<'data>> Reading<'data, H, R> {
    pub(crate) fn open(data: R) -> Result<Self> {
        let header = H::parse(data).map_err(damaged)?;
        let endian = header.endian().map_err(damaged)?;
        let mut reading = Self {
            data,
            header,
            endian,
            order: ByteOrder::of(endian),
            segments: header.program_headers(endian, data).map_err(damaged)?,
            // A stripped file may end before the table that its header names.
            sections: header.section_headers(endian, data).unwrap_or_default(),
            dynamic: BTreeMap::new(),
        };
        for segment in reading.segments {
            if let Some(table) = segment.dynamic(endian, data).map_err(damaged)? {
                for entry in table.iter().take(MAX_DYNAMIC) {
                    let kind = entry.d_tag(endian).0 as u64;
                    if kind == 0 {
                        break;
                    }
                    let value = entry.d_val(endian).into();
                    reading.dynamic.entry(kind).or_default().push(value);
                }
            }
        }
        Ok(reading)
    }

    fn has(&self, tag: u64) -> bool {
        self.dynamic.contains_key(&tag)
    }

    /// The first value of a tag; 0 without one.
    fn tag(&self, tag: u64) -> u64 {
        self.dynamic.get(&tag).map_or(0, |values| values[0])
    }

    fn place(&self, address: u64) -> Result<u64> {
        self.segments
            .iter()
            .filter(|segment| segment.p_type(self.endian) == elf::PT_LOAD)
            .find_map(|segment| {
                let into = address.checked_sub(segment.p_vaddr(self.endian).into())?;
                let inside = into < segment.p_filesz(self.endian).into();
                inside.then(|| segment.p_offset(self.endian).into().wrapping_add(into))
            })
            .ok_or_else(|| damaged(format!("address {address:#x} is not in the file")))
    }

    fn text(&self, offset: u64) -> Result<String> {
        let end = self.data.len().unwrap_or(0).min(offset.saturating_add(MAX_TEXT_BYTES));
        let bytes = self.data.read_bytes_at_until(offset..end, 0);
        let bytes = bytes.map_err(|()| damaged("a name has no end"))?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn names(&self, tag: u64) -> Result<Vec<String>> {
        let Some(values) = self.dynamic.get(&tag) else {
            return Ok(Vec::new());
        };
        let strings = self.place(self.tag(tag::STRTAB))?;
        values
            .iter()
            .map(|value| self.text(strings.saturating_add(*value)))
            .collect()
    }

    fn interpreter(&self) -> Result<Option<String>> {
        let found = self.segments.iter().find(|s| s.p_type(self.endian) == elf::PT_INTERP);
        found
            .map(|segment| self.text(segment.p_offset(self.endian).into()))
            .transpose()
    }

    fn search_path(&self) -> Result<Vec<String>> {
        let mut folders = Vec::new();
        for tag in [tag::RUNPATH, tag::RPATH] {
            for name in self.names(tag)? {
                folders.extend(name.split(':').filter(|part| !part.is_empty()).map(str::to_owned));
            }
        }
        Ok(folders)
    }

    pub(crate) fn needs(&self) -> Result<Needs> {
        Ok(Needs {
            machine: self.header.e_machine(self.endian).0,
            wide: self.header.is_class_64(),
            interpreter: self.interpreter()?,
            needed: self.names(tag::NEEDED)?,
            search_path: self.search_path()?,
        })
    }

    pub(crate) fn facts(&self) -> Result<Facts> {
        let Needs {
            machine,
            interpreter,
            needed,
            search_path,
            ..
        } = self.needs()?;
        let (flags, flags_1) = (self.tag(tag::FLAGS), self.tag(tag::FLAGS_1));
        let file_type = self.header.e_type(self.endian);
        let pie = file_type == elf::ET_DYN && (flags_1 & DF_1_PIE != 0 || interpreter.is_some());
        let kind = match file_type {
            elf::ET_EXEC => Kind::Executable,
            elf::ET_DYN if pie => Kind::Executable,
            elf::ET_DYN => Kind::Library,
            _ => Kind::Other,
        };
        let (exported, imported) = self.dynamic_symbols();
        let (thumb_functions, arm_functions) = if self.header.e_machine(self.endian) == elf::EM_ARM {
            self.instruction_sets()
        } else {
            (0, 0)
        };
        let styles = [("gnu", tag::GNU_HASH), ("sysv", tag::HASH)];
        let has_code =
            |section: &&H::SectionHeader| section.sh_flags(self.endian) & elf::SHF_EXECINSTR == elf::SHF_EXECINSTR;
        Ok(Facts {
            machine,
            kind,
            pie,
            interpreter,
            needed,
            soname: self.names(tag::SONAME)?.into_iter().next(),
            search_path,
            bind_now: self.has(tag::BIND_NOW) || flags & DF_BIND_NOW != 0 || flags_1 & DF_1_NOW != 0,
            symbolic: self.has(tag::SYMBOLIC) || flags & DF_SYMBOLIC != 0,
            hash_styles: styles
                .iter()
                .filter(|(_, tag)| self.has(*tag))
                .map(|(name, _)| (*name).to_owned())
                .collect(),
            hash_buckets: self.hash_buckets()?,
            exported,
            imported,
            relocations: self.relocations()?,
            thumb_functions,
            arm_functions,
            stripped: !self.has_table(elf::SHT_SYMTAB),
            text_bytes: self
                .sections
                .iter()
                .filter(has_code)
                .map(|section| section.sh_size(self.endian).into())
                .fold(0, u64::saturating_add),
            file_bytes: self.data.len().unwrap_or(0),
        })
    }

    fn hash_buckets(&self) -> Result<u32> {
        for tag in [tag::GNU_HASH, tag::HASH] {
            if self.has(tag) {
                let at = self.place(self.tag(tag))?;
                let bytes = self.data.read_bytes_at(at, 4);
                let bytes = bytes.map_err(|()| damaged("a hash table lies behind its end"))?;
                return Ok(self.order.u32(bytes, 0).unwrap_or_default());
            }
        }
        Ok(0)
    }

    fn has_table(&self, kind: elf::SectionType) -> bool {
        self.sections.iter().any(|section| section.sh_type(self.endian) == kind)
    }

    /// The symbols of all tables of a kind, but for the first of each, which is none.
    fn symbols(&self, kind: elf::SectionType) -> impl Iterator<Item = &'data H::Sym> + '_ {
        self.sections
            .iter()
            .filter(move |section| section.sh_type(self.endian) == kind)
            .flat_map(|section| {
                let table: &[H::Sym] = section.data_as_array(self.endian, self.data).unwrap_or_default();
                table.iter().skip(1)
            })
    }

    fn dynamic_symbols(&self) -> (u64, u64) {
        let (mut exported, mut imported) = (0, 0);
        for symbol in self.symbols(elf::SHT_DYNSYM) {
            match (symbol.st_bind() == elf::STB_LOCAL, symbol.is_undefined(self.endian)) {
                (true, _) => {}
                (false, false) => exported += 1,
                (false, true) => imported += 1,
            }
        }
        (exported, imported)
    }

    /// Thumb and ARM functions: bit 0 of the address tells (ELF for the Arm Architecture, 5.5.3).
    fn instruction_sets(&self) -> (u64, u64) {
        let tables = [elf::SHT_SYMTAB, elf::SHT_DYNSYM];
        let kind = tables.into_iter().find(|kind| self.has_table(*kind));
        let (mut thumb, mut arm) = (0, 0);
        for symbol in self.symbols(kind.unwrap_or(elf::SHT_DYNSYM)) {
            let kind = symbol.st_type();
            let is_function = kind == elf::STT_FUNC || kind.0 == STT_GNU_IFUNC;
            if !is_function || symbol.is_undefined(self.endian) {
                continue;
            }
            let address: u64 = symbol.st_value(self.endian).into();
            if address & 1 == 1 {
                thumb += 1;
            } else {
                arm += 1;
            }
        }
        (thumb, arm)
    }

    fn relocations(&self) -> Result<Relocations> {
        let mut found = Relocations::default();
        for (tag, size, addend) in [(tag::RELA, tag::RELASZ, true), (tag::REL, tag::RELSZ, false)] {
            if self.has(tag) {
                self.count(self.place(self.tag(tag))?, self.tag(size), addend, &mut found)?;
            }
        }
        if self.has(tag::JMPREL) {
            found.plt = self.tag(tag::PLTRELSZ) / self.entry_bytes(self.tag(tag::PLTREL) == tag::RELA);
        }
        found.packed_words = self.tag(tag::RELRSZ) / self.word_bytes();
        Ok(found)
    }

    fn word_bytes(&self) -> u64 {
        if self.header.is_class_64() {
            8
        } else {
            4
        }
    }

    fn entry_bytes(&self, addend: bool) -> u64 {
        self.word_bytes() * if addend { 3 } else { 2 }
    }

    fn count(&self, offset: u64, size: u64, addend: bool, found: &mut Relocations) -> Result<()> {
        let entry = self.entry_bytes(addend);
        let room = self.data.len().unwrap_or(0).saturating_sub(offset);
        let table = self.data.read_bytes_at(offset, size.min(room) / entry * entry);
        let table = table.map_err(|()| damaged("relocations lie behind its end"))?;
        let wide = self.header.is_class_64();
        let relative = relative(self.header.e_machine(self.endian));
        for row in table.chunks_exact(entry as usize) {
            let (symbol, kind) = if wide {
                let info = self.order.u64(row, 8).unwrap_or_default();
                (info >> 32, info as u32)
            } else {
                let info = self.order.u32(row, 4).unwrap_or_default();
                (u64::from(info >> 8), info & 0xff)
            };
            // Without a symbol there is nothing to search for (R_*_IRELATIVE calls a function).
            if Some(kind) == relative || symbol == 0 {
                found.relative += 1;
            } else {
                found.symbolic += 1;
            }
        }
        Ok(())
    }
}

/// `R_*_RELATIVE` of the processor supplements.
fn relative(machine: elf::Machine) -> Option<u32> {
    match machine {
        elf::EM_386 | elf::EM_X86_64 => Some(8),
        elf::EM_ARM => Some(23),
        elf::EM_AARCH64 => Some(1027),
        elf::EM_RISCV => Some(3),
        _ => None,
    }
}

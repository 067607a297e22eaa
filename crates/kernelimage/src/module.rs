// SPDX-License-Identifier: MIT
//! A kernel module (`.ko`): its code as the kernel lays it out in memory, and the functions in it.
//!
//! Source of the layout: `kernel/module/main.c`, `layout_sections()`: executable sections come first, in the order of the
//! section table, each at its alignment; those whose names start with `.init` go to a region of their own, which the
//! kernel frees when the module has started.

use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, Rel, Rela, SectionHeader, Sym};
use object::Endianness;
use serde::{Deserialize, Serialize};

use crate::compression::Compression;
use crate::error::{Error, Limits, Result};
use crate::payload;

const WHAT: &str = "kernel module";
/// More than any relocation of an instruction covers; what stands before it may be its opcode, which the kernel
/// exchanges too (calls to the tracer become no-operations).
const PATCHED_BEFORE: u64 = 2;
const PATCHED_AFTER: u64 = 4;

/// The code of one region.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleCode {
    /// Bytes as in the file, gaps zero.
    pub code: Vec<u8>,
    /// For each byte 1 when it is the same in memory, 0 when the kernel writes it while loading.
    pub fixed: Vec<u8>,
    /// Functions: offset in the region, name. Sorted.
    pub functions: Vec<(u64, String)>,
}

/// The code of a module.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The name that the kernel shows, where the file says it (kernels from 4.13 on).
    pub name: Option<String>,
    /// What stays loaded.
    pub core: ModuleCode,
    /// What is freed after the module's initialization.
    pub init: ModuleCode,
}

/// Reads a module, compressed or not.
///
/// # Errors
/// [`Error::NotAKernel`] when it is no relocatable ELF file, [`Error::Corrupt`] when it is damaged, and those of
/// decompression.
pub fn module(file: &[u8], limits: &Limits) -> Result<Module> {
    let unpacked;
    let mut image = file;
    if let Some(compression) = Compression::detect(file) {
        unpacked = payload::decompress(compression, file, limits)?;
        image = &unpacked;
    }
    if !crate::elf::is_elf(image) {
        return Err(Error::NotAKernel {
            detail: "no ELF magic, so no module either".to_owned(),
        });
    }
    match image.get(4).map(|&class| elf::FileClass(class)) {
        Some(elf::ELFCLASS32) => read::<FileHeader32<Endianness>>(image, limits),
        Some(elf::ELFCLASS64) => read::<FileHeader64<Endianness>>(image, limits),
        _ => Err(damaged("neither a 32-bit nor a 64-bit class")),
    }
}

fn damaged(error: impl std::fmt::Display) -> Error {
    Error::corrupt(WHAT, error)
}

/// Where a section lies: in which region, and at which offset.
#[derive(Clone, Copy)]
struct Place {
    init: bool,
    offset: u64,
}

fn read<H>(image: &[u8], limits: &Limits) -> Result<Module>
where
    H: FileHeader<Endian = Endianness>,
{
    let header = H::parse(image).map_err(damaged)?;
    let endian = header.endian().map_err(damaged)?;
    if header.e_type(endian) != elf::ET_REL {
        return Err(Error::NotAKernel {
            detail: "an ELF file, but no relocatable one as modules are".to_owned(),
        });
    }
    let sections = header.sections(endian, image).map_err(damaged)?;
    let mut module = Module::default();
    let mut places: Vec<Option<Place>> = Vec::new();
    for section in sections.iter() {
        let flags = section.sh_flags(endian);
        let name = sections.section_name(endian, section).map_err(damaged)?;
        if name == b".modinfo" {
            module.name = section.data(endian, image).ok().and_then(name_in);
        }
        let wanted = flags & elf::SHF_ALLOC == elf::SHF_ALLOC && flags & elf::SHF_EXECINSTR == elf::SHF_EXECINSTR;
        if !wanted {
            places.push(None);
            continue;
        }
        let init = name.starts_with(b".init");
        let region = if init { &mut module.init } else { &mut module.core };
        let align = section.sh_addralign(endian).into().max(1);
        let offset = (region.code.len() as u64)
            .checked_next_multiple_of(align)
            .ok_or_else(|| damaged("an alignment is out of range"))?;
        let data = section.data(endian, image).map_err(damaged)?;
        let size = offset.saturating_add(data.len() as u64);
        if size > limits.unpacked_bytes as u64 {
            return Err(Error::TooBig {
                what: WHAT,
                limit: limits.unpacked_bytes as u64,
                unit: "bytes of code",
            });
        }
        region.code.resize(offset as usize, 0);
        region.code.extend_from_slice(data);
        region.fixed.resize(offset as usize, 0);
        region.fixed.resize(region.code.len(), 1);
        places.push(Some(Place { init, offset }));
    }
    let place_of = |index: usize| places.get(index).copied().flatten();
    for section in sections.iter() {
        let Some(place) = place_of(section.sh_info(endian) as usize) else {
            continue;
        };
        let region = if place.init { &mut module.init } else { &mut module.core };
        if let Some((rows, _)) = section.rela(endian, image).map_err(damaged)? {
            for row in rows {
                unfix(region, place, row.r_offset(endian).into());
            }
        } else if let Some((rows, _)) = section.rel(endian, image).map_err(damaged)? {
            for row in rows {
                unfix(region, place, row.r_offset(endian).into());
            }
        }
    }
    let table = sections.symbols(endian, image, elf::SHT_SYMTAB).map_err(damaged)?;
    for (index, symbol) in table.enumerate().take(limits.symbols) {
        if symbol.st_type() != elf::STT_FUNC {
            continue;
        }
        let section = table.symbol_section(endian, symbol, index).map_err(damaged)?;
        let Some(place) = section.and_then(|index| place_of(index.0)) else {
            continue;
        };
        let Ok(Ok(name)) = table.symbol_name(endian, symbol).map(std::str::from_utf8) else {
            continue;
        };
        let region = if place.init { &mut module.init } else { &mut module.core };
        let offset = place.offset.saturating_add(symbol.st_value(endian).into());
        if offset < region.code.len() as u64 && !name.is_empty() {
            region.functions.push((offset, name.to_owned()));
        }
    }
    module.core.functions.sort();
    module.init.functions.sort();
    Ok(module)
}

/// `.modinfo` is `key=value` texts that end with a NUL each.
fn name_in(modinfo: &[u8]) -> Option<String> {
    let name = modinfo
        .split(|&b| b == 0)
        .find_map(|field| field.strip_prefix(b"name="))?;
    std::str::from_utf8(name)
        .ok()
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}

fn unfix(region: &mut ModuleCode, place: Place, at: u64) {
    let at = place.offset.saturating_add(at);
    let size = region.fixed.len() as u64;
    let from = at.saturating_sub(PATCHED_BEFORE).min(size);
    let to = at.saturating_add(PATCHED_AFTER).min(size);
    region.fixed[from as usize..to as usize].fill(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_modinfo() {
        assert_eq!(name_in(b"license=GPL\0name=ide_probe\0").as_deref(), Some("ide_probe"));
        assert_eq!(name_in(b"license=GPL\0filename=x\0name=\0"), None);
    }

    #[test]
    fn what_is_no_module_is_refused() {
        let limits = Limits::default();
        assert!(matches!(module(b"", &limits), Err(Error::NotAKernel { .. })));
        assert!(matches!(module(b"\x7fELF", &limits), Err(Error::Corrupt { .. })));
        let this = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(matches!(module(&this, &limits), Err(Error::NotAKernel { .. })));
        for size in (0..this.len().min(1 << 14)).step_by(7) {
            assert!(module(&this[..size], &limits).is_err());
        }
    }

    #[test]
    fn relocated_bytes_are_not_fixed() {
        let mut region = ModuleCode {
            code: vec![0; 16],
            fixed: vec![1; 16],
            functions: Vec::new(),
        };
        let place = Place { init: false, offset: 4 };
        unfix(&mut region, place, 3);
        assert_eq!(region.fixed, [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1]);
        unfix(&mut region, place, u64::MAX);
        assert_eq!(region.fixed[13], 1);
    }
}

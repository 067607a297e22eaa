// SPDX-License-Identifier: MIT
//! ELF headers, segments, notes and symbol tables; dynamic sections, relocations and sections of programs and objects.
#![no_main]

use kernelimage::{elf, elf_program, elf_sections, Limits};
use libfuzzer_sys::fuzz_target;

/// Small limits keep an execution short.
const LIMITS: Limits = Limits { unpacked_bytes: 64 << 10, dictionary_kib: 1 << 12, symbols: 2000 };

fuzz_target!(|data: &[u8]| {
    if let Ok(info) = elf::read(data) {
        for at in [0, 4096, info.entry, u64::MAX] {
            let _ = (info.virtual_address_of(at), info.file_offset_of(at));
        }
    }
    if let Ok(symbols) = elf::symbols(data, &LIMITS) {
        assert!(symbols.len() <= LIMITS.symbols);
    }
    let needs = elf_program::needs(data);
    if let Ok(facts) = elf_program::facts(data) {
        // The same loader and libraries, whether or not the rest is read too.
        let needs = needs.expect("what has facts has needs");
        assert_eq!((facts.interpreter, facts.needed), (needs.interpreter, needs.needed));
        assert!(facts.file_bytes == data.len() as u64);
    }
    let _ = elf_sections::sections(data);
    if let Ok(names) = elf_sections::defined(data, &LIMITS) {
        assert!(names.len() <= LIMITS.symbols);
    }
});

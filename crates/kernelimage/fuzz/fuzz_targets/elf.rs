//! ELF headers, segments, notes and symbol tables.
#![no_main]

use kernelimage::{elf, Limits};
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
});

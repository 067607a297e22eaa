// SPDX-License-Identifier: MIT
//! kallsyms tables of any age in any bytes.
#![no_main]

use kernelimage::{kallsyms, Limits};
use libfuzzer_sys::fuzz_target;

/// Small limits keep an execution short.
const LIMITS: Limits = Limits { unpacked_bytes: 64 << 10, dictionary_kib: 1 << 12, symbols: 2000 };

fuzz_target!(|data: &[u8]| {
    if let Ok(table) = kallsyms::read(data, None, &LIMITS) {
        assert!(table.symbols.len() <= LIMITS.symbols);
    }
});

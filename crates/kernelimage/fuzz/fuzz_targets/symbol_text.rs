// SPDX-License-Identifier: MIT
//! `System.map`, `nm` and `/proc/kallsyms`.
#![no_main]

use kernelimage::{symbol::read_text, Limits};
use libfuzzer_sys::fuzz_target;

/// Small limits keep an execution short.
const LIMITS: Limits = Limits { unpacked_bytes: 64 << 10, dictionary_kib: 1 << 12, symbols: 2000 };

fuzz_target!(|data: &[u8]| {
    let text = read_text(data, &LIMITS).expect("a slice cannot fail");
    assert!(text.symbols.len() <= LIMITS.symbols);
});

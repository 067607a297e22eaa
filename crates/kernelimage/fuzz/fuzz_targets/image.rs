// SPDX-License-Identifier: MIT
//! A whole image of any kind: report, symbols, configuration, and the bare kernel.
#![no_main]

use kernelimage::{embedded_config, extract_vmlinux, inspect, symbols, Limits};
use libfuzzer_sys::fuzz_target;

/// Small limits keep an execution short.
const LIMITS: Limits = Limits { unpacked_bytes: 64 << 10, dictionary_kib: 1 << 12, symbols: 2000 };

fuzz_target!(|data: &[u8]| {
    let info = inspect(data, &LIMITS);
    assert!(info.layers.iter().all(|layer| layer.unpacked_bytes <= LIMITS.unpacked_bytes as u64));
    if let Ok(found) = symbols(data, &LIMITS) {
        assert!(found.len() <= LIMITS.symbols);
    }
    let _ = embedded_config(data, &LIMITS);
    let _ = extract_vmlinux(data, &LIMITS);
});

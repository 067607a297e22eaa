// SPDX-License-Identifier: MIT
//! `.config` text, the configuration inside a kernel, and the banner.
#![no_main]

use kernelimage::config::{extract, KernelConfig};
use kernelimage::{version, Limits};
use libfuzzer_sys::fuzz_target;

/// Small limits keep an execution short.
const LIMITS: Limits = Limits { unpacked_bytes: 64 << 10, dictionary_kib: 1 << 12, symbols: 2000 };

fuzz_target!(|data: &[u8]| {
    KernelConfig::parse(&String::from_utf8_lossy(data));
    let _ = extract(data, &LIMITS);
    let _ = extract(&[b"IKCFG_ST\x1f\x8b\x08", data].concat(), &LIMITS);
    let _ = version::find(data);
});

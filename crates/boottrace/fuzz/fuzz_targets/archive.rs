// SPDX-License-Identifier: MIT
//! Unpackers, with the magic bytes given so that every input gets in; every execution runs all three.
#![no_main]

use boottrace::{unpack, Limits, Packing};
use libfuzzer_sys::fuzz_target;

const BOUND_BYTES: u64 = 64 << 10;

fuzz_target!(|data: &[u8]| {
    let limits = Limits { input_bytes: BOUND_BYTES, ..Limits::default() };
    for (packing, magic) in [
        (Packing::Gzip, &[0x1f, 0x8b, 0x08][..]),
        (Packing::Xz, &[0xfd, b'7', b'z', b'X', b'Z', 0][..]),
        (Packing::Zstd, &[0x28, 0xb5, 0x2f, 0xfd][..]),
    ] {
        let packed = if data.starts_with(magic) { data.to_vec() } else { [magic, data].concat() };
        assert!(unpack(&packed, packing, &limits).bytes.len() as u64 <= BOUND_BYTES);
    }
});

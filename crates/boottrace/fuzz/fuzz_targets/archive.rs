//! Unpackers, with the magic bytes given so that every input gets in.
#![no_main]

use boottrace::{unpack, Limits, Packing};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let limits = Limits { input_bytes: 4 << 20, ..Limits::default() };
    for (packing, magic) in [
        (Packing::Gzip, &[0x1f, 0x8b, 0x08][..]),
        (Packing::Xz, &[0xfd, b'7', b'z', b'X', b'Z', 0][..]),
        (Packing::Zstd, &[0x28, 0xb5, 0x2f, 0xfd][..]),
    ] {
        let bytes = [magic, data].concat();
        assert!(unpack(&bytes, packing, &limits).bytes.len() <= 4 << 20);
    }
});

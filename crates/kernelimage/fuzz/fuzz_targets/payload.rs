// SPDX-License-Identifier: MIT
//! Every decompression of a payload; each execution runs all of them, the magic bytes given.
#![no_main]

use kernelimage::payload::{decompress, search};
use kernelimage::{Compression, Limits};
use libfuzzer_sys::fuzz_target;

/// Small limits keep an execution short.
const LIMITS: Limits = Limits { unpacked_bytes: 64 << 10, dictionary_kib: 1 << 12, symbols: 2000 };

const KINDS: [(Compression, &[u8]); 7] = [
    (Compression::Gzip, b"\x1f\x8b\x08"),
    (Compression::Xz, b"\xfd7zXZ\0"),
    (Compression::Lzma, b"\x5d\0\0"),
    (Compression::Lzo, b"\x89LZO\0\r\n\x1a\n"),
    (Compression::Lz4, b"\x02\x21\x4c\x18"),
    (Compression::Zstd, b"\x28\xb5\x2f\xfd"),
    // The smallest block: the decoder clears the whole of it.
    (Compression::Bzip2, b"BZh1\x31AY&SY"),
];

fuzz_target!(|data: &[u8]| {
    for (kind, magic) in KINDS {
        let packed = if data.starts_with(magic) { data.to_vec() } else { [magic, data].concat() };
        if let Ok(bytes) = decompress(kind, &packed, &LIMITS) {
            assert!(bytes.len() <= LIMITS.unpacked_bytes);
        }
    }
    search(data, &LIMITS);
});

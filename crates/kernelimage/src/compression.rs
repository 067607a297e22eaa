// SPDX-License-Identifier: MIT
//! The compressions a kernel payload can have, known by their first bytes.

use serde::{Deserialize, Serialize};

/// How a payload is packed (`CONFIG_KERNEL_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// `CONFIG_KERNEL_GZIP`.
    Gzip,
    /// `CONFIG_KERNEL_XZ`, with a branch filter on most architectures.
    Xz,
    /// `CONFIG_KERNEL_LZMA`: the old `.lzma` form.
    Lzma,
    /// `CONFIG_KERNEL_LZO`: the form of `lzop`.
    Lzo,
    /// `CONFIG_KERNEL_LZ4`: the legacy frame of `lz4 -l`.
    Lz4,
    /// `CONFIG_KERNEL_ZSTD`.
    Zstd,
    /// `CONFIG_KERNEL_BZIP2`.
    Bzip2,
    /// Not packed (`CONFIG_KERNEL_UNCOMPRESSED`).
    None,
}

/// Every packed form with the bytes it starts with (kernel: `scripts/extract-vmlinux`, `lib/decompress.c`).
pub(crate) const MAGICS: [(Compression, &[u8]); 7] = [
    (Compression::Gzip, b"\x1f\x8b\x08"),
    (Compression::Xz, b"\xfd7zXZ\0"),
    (Compression::Lzma, b"\x5d\0\0"),
    (Compression::Lzo, b"\x89LZO\0\r\n\x1a\n"),
    (Compression::Lz4, b"\x02\x21\x4c\x18"),
    (Compression::Zstd, b"\x28\xb5\x2f\xfd"),
    (Compression::Bzip2, b"BZh"),
];

impl Compression {
    /// The compression whose magic `data` starts with.
    pub fn detect(data: &[u8]) -> Option<Self> {
        MAGICS
            .iter()
            .find(|(kind, magic)| data.starts_with(magic) && kind.looks_right(data))
            .map(|&(kind, _)| kind)
    }

    /// Weeds out chance hits of the short magics: the bytes after them are not free either.
    pub(crate) fn looks_right(self, data: &[u8]) -> bool {
        match self {
            // Flag bits above 0x1f are reserved (RFC 1952).
            Self::Gzip => data.get(3).is_some_and(|flags| flags & 0xe0 == 0),
            // The size is unknown (all ones) or below 1 TiB.
            Self::Lzma => data
                .get(5..13)
                .is_some_and(|size| size.iter().all(|&b| b == 0xff) || size[5..] == [0, 0, 0]),
            Self::Bzip2 => data.get(3).is_some_and(u8::is_ascii_digit) && data.get(4..10) == Some(b"\x31AY&SY"),
            _ => true,
        }
    }

    /// The name as in `CONFIG_KERNEL_*`, in small letters.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Lzma => "lzma",
            Self::Lzo => "lzo",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::None => "none",
        }
    }
}

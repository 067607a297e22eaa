// SPDX-License-Identifier: MIT
//! How bytes are packed, by their first bytes.

use serde::{Deserialize, Serialize};

use crate::text::named::named;
use crate::text::utf16::is_utf16;

named! {
    /// How bytes are packed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Packing {
        /// RFC 1952, several members allowed.
        Gzip = "gzip",
        /// The .xz container.
        Xz = "xz",
        /// RFC 8878, several frames allowed.
        Zstd = "zstd",
        /// UTF-16 with a byte order mark.
        Utf16 = "utf-16",
    }
}

impl Packing {
    /// Looks at the magic bytes.
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, 0x08, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ if is_utf16(bytes) => Some(Self::Utf16),
            _ => None,
        }
    }
}

// SPDX-License-Identifier: MIT
//! How bytes are packed, by their first bytes.

use serde::{Deserialize, Serialize};

use crate::text::utf16::is_utf16;

/// How bytes are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Packing {
    /// RFC 1952, several members allowed.
    Gzip,
    /// The .xz container.
    Xz,
    /// RFC 8878, several frames allowed.
    Zstd,
    /// UTF-16 with a byte order mark.
    #[serde(rename = "utf-16")]
    Utf16,
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

    /// The name of the tool that makes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
            Self::Utf16 => "utf-16",
        }
    }
}

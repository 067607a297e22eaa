// SPDX-License-Identifier: MIT
//! Bounds-checked reading of numbers out of a byte slice.

/// Byte order of a binary structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

fn array<const N: usize>(data: &[u8], at: usize) -> Option<[u8; N]> {
    data.get(at..at.checked_add(N)?)?.try_into().ok()
}

impl ByteOrder {
    /// The order of an ELF file.
    pub(crate) fn of(endian: object::Endianness) -> Self {
        match endian {
            object::Endianness::Little => Self::Little,
            object::Endianness::Big => Self::Big,
        }
    }

    /// A 16-bit number at byte `at`, if the slice reaches that far.
    pub(crate) fn u16(self, data: &[u8], at: usize) -> Option<u16> {
        let raw = array(data, at)?;
        Some(match self {
            Self::Little => u16::from_le_bytes(raw),
            Self::Big => u16::from_be_bytes(raw),
        })
    }

    /// A 32-bit number at byte `at`, if the slice reaches that far.
    pub(crate) fn u32(self, data: &[u8], at: usize) -> Option<u32> {
        let raw = array(data, at)?;
        Some(match self {
            Self::Little => u32::from_le_bytes(raw),
            Self::Big => u32::from_be_bytes(raw),
        })
    }

    /// A 64-bit number at byte `at`, if the slice reaches that far.
    pub(crate) fn u64(self, data: &[u8], at: usize) -> Option<u64> {
        let raw = array(data, at)?;
        Some(match self {
            Self::Little => u64::from_le_bytes(raw),
            Self::Big => u64::from_be_bytes(raw),
        })
    }

    /// A number of `width` bytes (4, otherwise 8) at byte `at`.
    pub(crate) fn word(self, data: &[u8], at: usize, width: usize) -> Option<u64> {
        if width == 4 {
            self.u32(data, at).map(u64::from)
        } else {
            self.u64(data, at)
        }
    }
}

/// The text at byte `at` up to its NUL, at most `cap_bytes` long; `None` when it is not UTF-8 or has no end.
pub(crate) fn c_string(data: &[u8], at: usize, cap_bytes: usize) -> Option<String> {
    let rest = data.get(at..)?;
    let window = &rest[..rest.len().min(cap_bytes)];
    let end = memchr::memchr(0, window)?;
    std::str::from_utf8(&window[..end]).ok().map(str::to_owned)
}

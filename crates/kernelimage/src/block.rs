// SPDX-License-Identifier: MIT
//! Bare packed blocks, as file systems keep them: what surrounds a block says how long it is (kernel: `fs/squashfs`).

use crate::compression::Compression;
use crate::error::{Error, Limits, Result};
use crate::payload;

/// Unpacks one block. LZO and LZ4 have no head there; the others are whole streams, as in a payload.
///
/// # Errors
/// [`Error::Corrupt`] for a block that is damaged, or that of LZO or LZ4 unpacks to more than the limit;
/// [`Error::TooBig`] for such a stream.
pub fn unpack(compression: Compression, data: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let mut out = vec![0; limits.unpacked_bytes];
    let written = match compression {
        Compression::Lzo => lzo::decompress_into(data, &mut out).map_err(|error| Error::corrupt("lzo block", error))?,
        Compression::Lz4 => {
            lz4_flex::block::decompress_into(data, &mut out).map_err(|error| Error::corrupt("lz4 block", error))?
        }
        _ => return payload::decompress(compression, data, limits),
    };
    out.truncate(written);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(compression: Compression, data: &[u8], most: usize) -> Result<Vec<u8>> {
        let limits = Limits {
            unpacked_bytes: most,
            ..Limits::default()
        };
        unpack(compression, data, &limits)
    }

    #[test]
    fn blocks_without_a_head() {
        assert_eq!(unpacked(Compression::Lzo, b"\x15abcd\x11\0\0", 100).unwrap(), b"abcd");
        assert_eq!(unpacked(Compression::Lz4, b"\x40abcd", 100).unwrap(), b"abcd");
        assert_eq!(unpacked(Compression::None, b"abcd", 100).unwrap(), b"abcd");
    }

    #[test]
    fn damaged_and_too_long_ones() {
        for data in [&b"\x15abcd"[..], b"\x12a\x40\xff\x11\0\0", b""] {
            assert!(unpacked(Compression::Lzo, data, 100).is_err());
        }
        assert!(unpacked(Compression::Lzo, b"\x15abcd\x11\0\0", 3).is_err());
        assert!(unpacked(Compression::Lz4, b"\x40abcd", 3).is_err());
        assert!(unpacked(Compression::Lz4, b"\x41abcd\xff\xff\0", 100).is_err());
        assert!(unpacked(Compression::Zstd, b"abcd", 100).is_err());
    }
}

// SPDX-License-Identifier: MIT
//! How a file's sections are packed.

use std::io::Read;

use super::error::Error;

/// How sections are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    Plain,
    /// zlib.
    Zlib,
    /// zstd.
    Zstd,
}

impl Packing {
    /// Unpacks to exactly `size` bytes, never more.
    pub fn unpack(self, packed: &[u8], size: u64, what: &'static str) -> Result<Vec<u8>, Error> {
        let mut out = Vec::new();
        let read = match self {
            Self::Plain => return Ok(packed.to_vec()),
            Self::Zlib => flate2::read::ZlibDecoder::new(packed)
                .take(size + 1)
                .read_to_end(&mut out)
                .is_ok(),
            Self::Zstd => ruzstd::decoding::StreamingDecoder::new(packed)
                .is_ok_and(|decoder| decoder.take(size + 1).read_to_end(&mut out).is_ok()),
        };
        if read && out.len() as u64 == size {
            Ok(out)
        } else {
            Err(Error::Damaged { what })
        }
    }
}

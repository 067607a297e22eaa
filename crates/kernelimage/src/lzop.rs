// SPDX-License-Identifier: MIT
//! The `lzop` container (kernel: `lib/decompress_unlzo.c`; lzop's `lzop.c`, `p_lzo.c`).

use crate::bytes::ByteOrder;
use crate::error::{Error, Limits, Result};

const MAGIC: &[u8] = b"\x89LZO\0\r\n\x1a\n";
const WHAT: &str = "lzo payload";
/// lzop's `MAX_BLOCK_SIZE`.
const MAX_BLOCK_BYTES: usize = 64 << 20;

// Header flags (lzop: `conf.h`).
const ADLER32_DATA: u32 = 0x1;
const ADLER32_PACKED: u32 = 0x2;
const EXTRA_FIELD: u32 = 0x40;
const CRC32_DATA: u32 = 0x100;
const CRC32_PACKED: u32 = 0x200;
const FILTER: u32 = 0x800;

/// Unpacks an lzop file up to its end block.
pub(crate) fn decompress(data: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    let be = ByteOrder::Big;
    let short = || Error::TooShort {
        what: WHAT,
        need_bytes: data.len() as u64 + 1,
        have_bytes: data.len() as u64,
    };
    if !data.starts_with(MAGIC) {
        return Err(Error::corrupt(WHAT, "no lzop magic"));
    }
    let version = be.u16(data, 9).ok_or_else(short)?;
    // Version 0.940 added the "needed to extract" word and the level.
    let modern = version >= 0x0940;
    let flags_at = if modern { 17 } else { 14 };
    let flags = be.u32(data, flags_at).ok_or_else(short)?;
    if flags & FILTER != 0 {
        return Err(Error::corrupt(
            WHAT,
            "it uses an lzop filter, which no kernel build does",
        ));
    }
    // Flags, mode, time (in two halves since 0.940), then the name with its length, then a checksum.
    let name_at = flags_at + 4 + 4 + if modern { 8 } else { 4 };
    let name_bytes = *data.get(name_at).ok_or_else(short)? as usize;
    let mut at = name_at + 1 + name_bytes + 4;
    if flags & EXTRA_FIELD != 0 {
        let extra_bytes = be.u32(data, at).ok_or_else(short)? as usize;
        at = at.checked_add(extra_bytes + 8).ok_or_else(short)?;
    }

    let count = |a: u32, b: u32| 4 * (usize::from(flags & a != 0) + usize::from(flags & b != 0));
    let sums_data_bytes = count(ADLER32_DATA, CRC32_DATA);
    let sums_packed_bytes = count(ADLER32_PACKED, CRC32_PACKED);
    let mut out = Vec::new();
    loop {
        let length = be.u32(data, at).ok_or_else(short)? as usize;
        if length == 0 {
            return Ok(out);
        }
        let packed_bytes = be.u32(data, at + 4).ok_or_else(short)? as usize;
        if length > MAX_BLOCK_BYTES || packed_bytes > length {
            return Err(Error::corrupt(
                WHAT,
                format!("block of {packed_bytes} to {length} bytes at byte {at}"),
            ));
        }
        if out.len() + length > limits.unpacked_bytes {
            return Err(Error::too_big(WHAT, limits));
        }
        let stored = packed_bytes == length;
        // lzop leaves out the checksum of the packed bytes when they are stored as they are.
        at += 8 + sums_data_bytes + if stored { 0 } else { sums_packed_bytes };
        let packed = data.get(at..at + packed_bytes).ok_or_else(short)?;
        at += packed_bytes;
        if stored {
            out.extend_from_slice(packed);
            continue;
        }
        let start = out.len();
        out.resize(start + length, 0);
        let written = lzo::decompress_into(packed, &mut out[start..]).map_err(|error| Error::corrupt(WHAT, error))?;
        if written != length {
            return Err(Error::corrupt(
                WHAT,
                format!("a block unpacked to {written} of {length} bytes"),
            ));
        }
    }
}

// SPDX-License-Identifier: MIT
//! The legacy LZ4 frame that the kernel build makes (`lz4 -l`; kernel: `lib/decompress_unlz4.c`; LZ4 frame format,
//! section "Legacy frame").

use crate::bytes::ByteOrder;
use crate::error::{Error, Limits, Result};

const MAGIC: u32 = 0x184c_2102;
/// A legacy block unpacks to at most this.
const BLOCK_BYTES: usize = 8 << 20;
/// `LZ4_compressBound(BLOCK_BYTES)`: the longest packed block.
const PACKED_MAX_BYTES: usize = BLOCK_BYTES + BLOCK_BYTES / 255 + 16;

/// Unpacks a legacy frame.
///
/// The format has no end mark, and the kernel build appends the unpacked size, which looks like another block header.
/// A header that cannot be a block, or that equals what has been unpacked so far, ends the stream after the first block.
pub(crate) fn decompress_legacy(data: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    const WHAT: &str = "lz4 payload";
    let le = ByteOrder::Little;
    if le.u32(data, 0) != Some(MAGIC) {
        return Err(Error::corrupt(WHAT, "no legacy lz4 magic"));
    }
    let mut at = 4;
    let mut out = Vec::new();
    let mut block = vec![0; BLOCK_BYTES.min(limits.unpacked_bytes.max(1))];
    while let Some(header) = le.u32(data, at) {
        // A new frame may follow a full one: `lz4 -l` of several files.
        if header == MAGIC {
            at += 4;
            continue;
        }
        let size_word = !out.is_empty() && header as usize == out.len();
        let packed_bytes = header as usize;
        let packed = data
            .get(at + 4..)
            .and_then(|rest| rest.get(..packed_bytes))
            .filter(|_| packed_bytes != 0 && packed_bytes <= PACKED_MAX_BYTES);
        let Some(packed) = packed else {
            if out.is_empty() {
                return Err(Error::corrupt(
                    WHAT,
                    format!("block of {packed_bytes} bytes at byte {at} does not fit"),
                ));
            }
            // Only the appended size word may stand here: anything else is a cut file.
            if size_word || data.len() - at == 4 || packed_bytes == 0 || packed_bytes > PACKED_MAX_BYTES {
                break;
            }
            return Err(Error::TooShort {
                what: WHAT,
                need_bytes: (at + 4 + packed_bytes) as u64,
                have_bytes: data.len() as u64,
            });
        };
        match lz4_flex::block::decompress_into(packed, &mut block) {
            Ok(length) if out.len() + length <= limits.unpacked_bytes => {
                out.extend_from_slice(&block[..length]);
                at += 4 + packed_bytes;
            }
            Ok(_) => return Err(Error::too_big(WHAT, limits)),
            Err(_) if size_word => break,
            Err(_) if block.len() < BLOCK_BYTES => return Err(Error::too_big(WHAT, limits)),
            Err(error) => return Err(Error::corrupt(WHAT, error)),
        }
    }
    if out.is_empty() {
        return Err(Error::corrupt(WHAT, "no block after the magic"));
    }
    Ok(out)
}

// SPDX-License-Identifier: MIT
//! `kallsyms_token_table` and `kallsyms_token_index`: 256 short texts, and where each starts.

use crate::bytes::ByteOrder;

const TOKENS: usize = 256;
/// The digits occur in so many names that each stays a token of its own, at its character's place.
const DIGITS: &[u8] = b"\x000\x001\x002\x003\x004\x005\x006\x007\x008\x009\0";
/// The index counts in 16 bits.
const MAX_TABLE_BYTES: usize = 1 << 16;
/// Alignment never leaves a longer gap between table and index.
const MAX_GAP_BYTES: usize = 16;
/// Places looked at, no more.
const MAX_CANDIDATES: usize = 64;

/// The token table of one image.
pub(super) struct Tokens<'a> {
    /// File offset of the table.
    pub at: usize,
    /// File offset of the end of the index.
    pub index_end: usize,
    /// Byte order of the index, and so of all tables.
    pub byte_order: ByteOrder,
    texts: Vec<&'a [u8]>,
}

impl<'a> Tokens<'a> {
    /// What a byte of a compressed name stands for.
    pub fn text(&self, token: u8) -> &'a [u8] {
        self.texts[token as usize]
    }
}

/// Every place that holds a consistent token table, in the order of the file.
pub(super) fn find(kernel: &[u8]) -> impl Iterator<Item = Tokens<'_>> {
    memchr::memmem::find_iter(kernel, DIGITS)
        .take(MAX_CANDIDATES)
        .filter_map(|at| read_around(kernel, at + 1))
}

/// Reads the table that has the token `0` at byte `zero_at`.
fn read_around(kernel: &[u8], zero_at: usize) -> Option<Tokens<'_>> {
    let zero_token = b'0' as usize;
    let window = &kernel[zero_at..kernel.len().min(zero_at + MAX_TABLE_BYTES)];
    let end = zero_at + memchr::memchr_iter(0, window).nth(TOKENS - zero_token - 1)? + 1;
    for gap in 0..=MAX_GAP_BYTES {
        let index_at = end + gap;
        if gap > 0 && kernel.get(index_at - 1) != Some(&0) {
            return None;
        }
        for byte_order in [ByteOrder::Little, ByteOrder::Big] {
            let to_zero = byte_order.u16(kernel, index_at + 2 * zero_token)? as usize;
            if let Some(texts) = zero_at
                .checked_sub(to_zero)
                .and_then(|at| texts(kernel, at, end, index_at, byte_order))
            {
                return Some(Tokens {
                    at: zero_at - to_zero,
                    index_end: index_at + 2 * TOKENS,
                    byte_order,
                    texts,
                });
            }
        }
    }
    None
}

/// The 256 texts from byte `at` on, if every entry of the index agrees with them.
fn texts(kernel: &[u8], at: usize, end: usize, index_at: usize, order: ByteOrder) -> Option<Vec<&[u8]>> {
    let table = kernel.get(at..end)?;
    let mut texts = Vec::with_capacity(TOKENS);
    let mut start = 0;
    for token in 0..TOKENS {
        if order.u16(kernel, index_at + 2 * token)? as usize != start {
            return None;
        }
        let length = memchr::memchr(0, table.get(start..)?)?;
        texts.push(&table[start..start + length]);
        start += length + 1;
    }
    Some(texts)
}

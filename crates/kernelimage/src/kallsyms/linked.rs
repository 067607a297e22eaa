// SPDX-License-Identifier: MIT
//! Where a flat image is linked, when its tables tell places in the image only.

use std::collections::HashMap;

use crate::bytes::ByteOrder;

/// arm64 and riscv link the kernel to such a boundary, less the header's text offset.
const ALIGN_BYTES: u64 = 2 << 20;
/// Kernels of 64 bits lie in the upper half of the addresses.
const UPPER_HALF: u64 = 0xffff_8000_0000_0000;
/// So many pointers at least must agree, and so many times as many as for any other answer. (Debian's 7.2 for arm64:
/// 97,736 against 12,777.)
const LEAST_VOTES: u32 = 32;
const LEAD: u32 = 3;
/// Bounds the time and memory on bytes that were made to look like pointers.
const MAX_STEPS: usize = 1 << 24;
const MAX_ANSWERS: usize = 1 << 16;

/// The address of the image's first byte. `places` are the symbols', counted from there.
///
/// The image is full of pointers to its symbols: in its data, or (linked with `--no-apply-dynamic-relocs`) as addends of
/// its relocations. A pointer less a symbol's place can be the answer when it lies on the boundary. The right answer
/// comes up thousands of times, any other by chance.
pub(super) fn first_byte(kernel: &[u8], order: ByteOrder, text_offset: u64, places: &[u64]) -> Option<u64> {
    let residue = |address: u64| address.wrapping_sub(text_offset) % ALIGN_BYTES;
    let mut by_residue: Vec<(u64, u64)> = places.iter().map(|&place| (place % ALIGN_BYTES, place)).collect();
    by_residue.sort_unstable();
    by_residue.dedup();
    let mut votes: HashMap<u64, u32> = HashMap::new();
    let mut steps = 0;
    for at in (0..kernel.len().saturating_sub(7)).step_by(8) {
        let word = order.u64(kernel, at)?;
        if word < UPPER_HALF || word == u64::MAX {
            continue;
        }
        let sought = residue(word);
        let from = by_residue.partition_point(|&(residue, _)| residue < sought);
        for &(_, place) in by_residue[from..].iter().take_while(|&&(residue, _)| residue == sought) {
            steps += 1;
            if steps > MAX_STEPS {
                return None;
            }
            let answer = word.wrapping_sub(place);
            if answer < UPPER_HALF || (votes.len() >= MAX_ANSWERS && !votes.contains_key(&answer)) {
                continue;
            }
            *votes.entry(answer).or_default() += 1;
        }
    }
    let (&answer, &most) = votes.iter().max_by_key(|&(_, &count)| count)?;
    let next = votes
        .iter()
        .filter(|&(&other, _)| other != answer)
        .map(|(_, &count)| count)
        .max()
        .unwrap_or(0);
    (most >= LEAST_VOTES && most / LEAD >= next).then_some(answer)
}

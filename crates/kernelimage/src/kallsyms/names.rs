// SPDX-License-Identifier: MIT
//! `kallsyms_num_syms`, `kallsyms_names` and `kallsyms_markers`: compressed names, and the place of every 256th.

use super::tokens::Tokens;
use crate::bytes::ByteOrder;
use crate::error::{Error, Result};

/// A marker stands for this many names.
const STEP: usize = 256;
/// Between markers lie 256 names of at least a length byte and one token, and at most two and `KSYM_NAME_LEN` (512).
const STEP_BYTES: std::ops::RangeInclusive<u64> = (STEP * 2) as u64..=(STEP * 514) as u64;
/// `kallsyms_seqs_of_names` may stand between markers and tokens: three bytes a symbol.
const MAX_DISTANCE_BYTES: usize = 16 << 20;
/// Alignment between names and markers never leaves more.
const MAX_GAP_BYTES: usize = 64;
/// `KSYM_NAME_LEN` is 512 since 6.1; twice that is no name.
const MAX_NAME_BYTES: usize = 1024;
/// A distribution's names take 3 MiB.
const MAX_TEXT_BYTES: usize = 256 << 20;

/// What a search may still spend: bounds the time on bytes that were made to look like tables.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Self {
        Self(8 << 20)
    }
}

impl Budget {
    fn spend(&mut self, steps: usize) -> Option<()> {
        self.0 = self.0.checked_sub(steps)?;
        Some(())
    }
}

/// How a name's length is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LengthForm {
    /// Two bytes when the first has its top bit set (6.1).
    Long,
    /// Always one byte.
    Byte,
}

/// The names of one image.
pub(super) struct Names {
    /// Number of symbols.
    pub count: usize,
    /// File offset of the count.
    pub count_at: usize,
    /// File offset of the names.
    pub at: usize,
    form: LengthForm,
}

impl LengthForm {
    /// Length of the name at `at`, and where its tokens start.
    fn read(self, kernel: &[u8], at: usize) -> Option<(usize, usize)> {
        let first = *kernel.get(at)? as usize;
        if self == Self::Long && first & 0x80 != 0 {
            let high = *kernel.get(at + 1)? as usize;
            return Some((first & 0x7f | high << 7, at + 2));
        }
        Some((first, at + 1))
    }
}

impl Names {
    /// Type letter and name of every symbol.
    pub fn decode(&self, kernel: &[u8], tokens: &Tokens<'_>) -> Result<Vec<(char, String)>> {
        const WHAT: &str = "kallsyms names";
        let cut = || Error::corrupt(WHAT, "they run beyond the image");
        let mut decoded = Vec::with_capacity(self.count);
        let mut text_bytes = 0;
        let mut at = self.at;
        let mut text = Vec::new();
        for _ in 0..self.count {
            let (length, start) = self.form.read(kernel, at).ok_or_else(cut)?;
            at = start + length;
            text.clear();
            for &token in kernel.get(start..at).ok_or_else(cut)? {
                text.extend_from_slice(tokens.text(token));
                if text.len() > MAX_NAME_BYTES {
                    return Err(Error::corrupt(
                        WHAT,
                        format!("a name of more than {MAX_NAME_BYTES} bytes"),
                    ));
                }
            }
            text_bytes += text.len();
            if text_bytes > MAX_TEXT_BYTES {
                return Err(Error::TooBig {
                    what: WHAT,
                    limit: MAX_TEXT_BYTES as u64,
                    unit: "bytes",
                });
            }
            let (&kind, name) = text
                .split_first()
                .ok_or_else(|| Error::corrupt(WHAT, "a name without a type"))?;
            decoded.push((kind as char, String::from_utf8_lossy(name).into_owned()));
        }
        Ok(decoded)
    }
}

/// Finds the markers before the token table, and with them names and count.
pub(super) fn find(kernel: &[u8], tokens: &Tokens<'_>, budget: &mut Budget) -> Option<Names> {
    let order = tokens.byte_order;
    let floor = tokens.at.saturating_sub(MAX_DISTANCE_BYTES);
    let mut at = tokens.at & !3;
    while at >= floor + 8 {
        at -= 4;
        if order.u32(kernel, at) != Some(0) {
            continue;
        }
        // Markers were words of the machine before 4.20, and have 32 bits since.
        for width in [4, 8] {
            let markers = chain(kernel, at, width, tokens.at, order);
            if markers.len() >= 2 {
                if let Some(names) = names_before(kernel, at, &markers, order, budget) {
                    return Some(names);
                }
            }
        }
        budget.spend(1)?;
    }
    None
}

/// The rising numbers from byte `at` on that can be markers; the first is zero.
fn chain(kernel: &[u8], at: usize, width: usize, end: usize, order: ByteOrder) -> Vec<usize> {
    let mut markers = vec![0];
    let mut last = 0;
    if order.word(kernel, at, width) != Some(0) {
        return Vec::new();
    }
    for place in (at + width..end.saturating_sub(width - 1)).step_by(width) {
        let Some(next) = order.word(kernel, place, width) else {
            break;
        };
        if !next.checked_sub(last).is_some_and(|step| STEP_BYTES.contains(&step)) {
            break;
        }
        markers.push(next as usize);
        last = next;
    }
    markers
}

/// Finds the names that end at `markers_at`. What follows the markers may look like one or two more of them.
fn names_before(
    kernel: &[u8],
    markers_at: usize,
    markers: &[usize],
    order: ByteOrder,
    budget: &mut Budget,
) -> Option<Names> {
    for used in (markers.len().saturating_sub(2).max(2)..=markers.len()).rev() {
        let markers = &markers[..used];
        let last = markers[used - 1];
        // The names after the last marker are one to 256.
        let Some(nearest) = markers_at.checked_sub(last + 2).map(|at| at & !3) else {
            continue;
        };
        let farthest = nearest.saturating_sub(*STEP_BYTES.end() as usize + MAX_GAP_BYTES);
        let mut at = nearest;
        while at >= farthest.max(8) {
            budget.spend(1)?;
            // A machine word before 4.20; 32 bits since, padded on 64-bit machines. The narrow reading comes last: it
            // fits the low half of a big-endian word, too.
            let here = [
                (order.u64(kernel, at - 8)?, at - 8),
                (padded(kernel, at - 8, order)?, at - 8),
                (order.u32(kernel, at - 4)?.into(), at - 4),
            ];
            for (count, count_at) in here {
                if count.div_ceil(STEP as u64) != used as u64 {
                    continue;
                }
                let count = count as usize;
                for form in [LengthForm::Long, LengthForm::Byte] {
                    if walk(kernel, at, count, markers, markers_at, form, budget)? {
                        return Some(Names {
                            count,
                            count_at,
                            at,
                            form,
                        });
                    }
                }
            }
            at -= 4;
        }
    }
    None
}

/// A 32-bit number at byte `at` with four zero bytes of padding behind it; 0 where there is none.
fn padded(kernel: &[u8], at: usize, order: ByteOrder) -> Option<u64> {
    let number = order.u32(kernel, at)?;
    let padding = order.u32(kernel, at + 4)?;
    Some(if padding == 0 { number.into() } else { 0 })
}

/// Whether `count` names from byte `at` on agree with every marker and end where the markers start. `None` when the
/// budget is spent.
fn walk(
    kernel: &[u8],
    names_at: usize,
    count: usize,
    markers: &[usize],
    markers_at: usize,
    form: LengthForm,
    budget: &mut Budget,
) -> Option<bool> {
    let mut at = names_at;
    for index in 0..count {
        if index % STEP == 0 {
            budget.spend(STEP)?;
            if markers[index / STEP] != at - names_at {
                return Some(false);
            }
        }
        match form.read(kernel, at) {
            Some((length, start)) if length > 0 && start + length <= markers_at => at = start + length,
            _ => return Some(false),
        }
    }
    let gap = &kernel[at..markers_at];
    Some(gap.len() <= MAX_GAP_BYTES && gap.iter().all(|&b| b == 0))
}

// SPDX-License-Identifier: MIT
//! Pages of the ring buffer: records with their stamps.
//!
//! Format: `include/linux/ring_buffer.h` and `events/header_page`, `events/header_event`.

use super::source::Order;

const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// `commit` holds flags in its upper bits.
const COMMIT_MASK: u64 = (1 << 27) - 1;
const MISSED_EVENTS: u64 = 1 << 31;
const MISSED_STORED: u64 = 1 << 30;

/// Where a page keeps what: from `header_page`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of `commit`.
    pub commit_size: usize,
    /// Offset of the first record.
    pub data: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            commit_size: 8,
            data: 16,
        }
    }
}

/// The records of one page, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Page {
    bytes: Vec<u8>,
    at: usize,
    end: usize,
    now: u64,
    order: Order,
    /// Records the kernel says were lost before this page; 1 when it does not know how many.
    pub missed: u64,
    /// The page's sizes made no sense, and what follows in it was dropped.
    pub damaged: bool,
}

/// A record: stamp, and its bytes within [`Page::record`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// The trace clock's value.
    pub at_ns: u64,
    start: usize,
    end: usize,
}

impl Page {
    /// Takes a page.
    pub fn load(bytes: Vec<u8>, layout: Layout, order: Order) -> Self {
        let now = order.number(&bytes, 8).unwrap_or(0);
        let commit = bytes
            .get(8..)
            .and_then(|rest| order.number(rest, layout.commit_size))
            .unwrap_or(0);
        let wanted = layout.data.saturating_add((commit & COMMIT_MASK) as usize);
        let end = wanted.min(bytes.len());
        let missed = if commit & MISSED_EVENTS == 0 {
            0
        } else if commit & MISSED_STORED != 0 {
            let stored = bytes.get(end..).and_then(|rest| order.number(rest, layout.commit_size));
            stored.unwrap_or(1).clamp(1, u64::from(u32::MAX))
        } else {
            1
        };
        Self {
            at: layout.data.min(end),
            end,
            now,
            order,
            missed,
            damaged: wanted > bytes.len(),
            bytes,
        }
    }

    fn word(&self, at: usize) -> Option<u32> {
        if at + 4 > self.end {
            return None;
        }
        self.order.number(&self.bytes[at..], 4).map(|word| word as u32)
    }

    /// The bytes of a record of this page.
    pub fn record(&self, record: &Record) -> &[u8] {
        self.bytes.get(record.start..record.end).unwrap_or(&[])
    }

    /// The next record; `None` at the end of the page.
    pub fn next_record(&mut self) -> Option<Record> {
        loop {
            let head = self.word(self.at)?;
            let (kind, delta) = if self.order.big {
                (head >> 27, head & 0x07ff_ffff)
            } else {
                (head & 0x1f, head >> 5)
            };
            let delta = u64::from(delta);
            match kind {
                TIME_EXTEND | TIME_STAMP => {
                    let high = u64::from(self.word(self.at + 4)?);
                    let value = (high << 27).wrapping_add(delta);
                    if kind == TIME_EXTEND {
                        self.now = self.now.wrapping_add(value);
                    } else {
                        // The record has 59 bits; the rest stays as it was.
                        self.now = (self.now & !((1 << 59) - 1)) | (value & ((1 << 59) - 1));
                    }
                    self.at += 8;
                }
                PADDING => {
                    if delta == 0 {
                        self.at = self.end;
                        return None;
                    }
                    let length = self.word(self.at + 4)? as usize;
                    self.now = self.now.wrapping_add(delta);
                    // An empty padding would never end.
                    self.at = self.at.saturating_add(length.max(4)).saturating_add(4);
                }
                _ => {
                    let (start, length) = if kind == 0 {
                        let length = self.word(self.at + 4)? as usize;
                        (self.at + 8, length.saturating_sub(4))
                    } else {
                        (self.at + 4, kind as usize * 4)
                    };
                    let end = start.saturating_add(length);
                    if end > self.end {
                        self.damaged = true;
                        self.at = self.end;
                        return None;
                    }
                    self.now = self.now.wrapping_add(delta);
                    self.at = start + length.div_ceil(4) * 4;
                    return Some(Record {
                        at_ns: self.now,
                        start,
                        end,
                    });
                }
            }
        }
    }
}

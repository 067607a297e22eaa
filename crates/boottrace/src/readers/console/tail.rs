// SPDX-License-Identifier: MIT
//! The last lines of a log that is longer than what is kept: how it ended matters more than its middle.

use std::collections::VecDeque;

use crate::options::Limits;
use crate::text::physical::Physical;

/// Which part of the limits is for the end of a log: one in so many.
const SHARE: usize = 10;

struct Held {
    number: u32,
    more_lines: u32,
    offset_bytes: u64,
    bytes: Vec<u8>,
    cut_bytes: u64,
}

/// The lines that came last, uncleaned.
pub struct Tail {
    lines: VecDeque<Held>,
    held_bytes: usize,
    max_lines: usize,
    max_bytes: usize,
    /// Lines that had to go, and the first of them.
    pub dropped: u64,
    /// First physical line dropped.
    pub first_dropped: Option<u32>,
}

impl Tail {
    /// For a log that is kept within `limits`.
    pub fn new(limits: &Limits) -> Self {
        Self {
            lines: VecDeque::new(),
            held_bytes: 0,
            max_lines: limits.lines / SHARE,
            max_bytes: limits.text_bytes / SHARE,
            dropped: 0,
            first_dropped: None,
        }
    }

    /// True when a log that has so much is to be continued here.
    pub fn takes_over(&self, lines: usize, text_bytes: usize, limits: &Limits) -> bool {
        lines >= limits.lines - self.max_lines || text_bytes >= limits.text_bytes - self.max_bytes
    }

    /// Holds a line, and lets go of the oldest ones that then find no room.
    pub fn push(&mut self, line: &Physical<'_>) {
        let mut buffer = Vec::new();
        while self.lines.len() >= self.max_lines || self.held_bytes + line.bytes.len() > self.max_bytes {
            let Some(old) = self.lines.pop_front() else {
                self.note_dropped(line.number);
                return;
            };
            self.note_dropped(old.number);
            self.held_bytes -= old.bytes.len();
            buffer = old.bytes;
        }
        buffer.clear();
        buffer.extend_from_slice(line.bytes);
        self.held_bytes += buffer.len();
        self.lines.push_back(Held {
            number: line.number,
            more_lines: line.more_lines,
            offset_bytes: line.offset_bytes,
            bytes: buffer,
            cut_bytes: line.cut_bytes,
        });
    }

    fn note_dropped(&mut self, number: u32) {
        self.dropped += 1;
        self.first_dropped.get_or_insert(number);
    }

    /// Calls `each` with the lines held, in order.
    pub fn for_each(&self, mut each: impl FnMut(&Physical<'_>)) {
        for held in &self.lines {
            each(&Physical {
                number: held.number,
                more_lines: held.more_lines,
                offset_bytes: held.offset_bytes,
                bytes: &held.bytes,
                cut_bytes: held.cut_bytes,
            });
        }
    }
}

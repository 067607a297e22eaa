// SPDX-License-Identifier: MIT
//! Parts of function_graph text that go from thread to thread ([`super::graph_threads`]): cut, parsed, analysed.
//!
//! A batch owns its bytes; parsed lines refer to them by place, so that the batch can be sent.

use std::io::{self, Read};

use super::graph_call::Call;
use super::graph_layout::Layout;
use super::names::Names;
use crate::text::lines::{ReadCounts, MAX_LINE_BYTES};

const CHUNK_BYTES: usize = 128 * 1024;

/// A part of a batch's bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    start: u32,
    length: u32,
}

impl Place {
    fn of(part: &[u8], whole: &[u8]) -> Self {
        let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
        Self {
            start: start as u32,
            length: part.len() as u32,
        }
    }

    fn get(self, whole: &[u8]) -> &[u8] {
        whole
            .get(self.start as usize..(self.start + self.length) as usize)
            .unwrap_or(&[])
    }
}

/// One line.
#[derive(Debug)]
pub enum Row<'a> {
    /// A call whose processor and task are those of the line before.
    Repeated(&'a Call),
    /// A call, its processor, its task, and the line.
    Call(&'a Call, Option<u32>, Option<&'a [u8]>, &'a [u8]),
    /// The rare rest.
    Other(&'a [u8]),
}

/// A line whose columns have to be looked at.
#[derive(Debug, Clone, Copy)]
struct Looked {
    /// How many calls stand before it.
    calls: u32,
    /// It is a call itself.
    is_call: bool,
    cpu: Option<u32>,
    proc: Option<Place>,
    line: Place,
}

/// Parses batches, one after the other.
#[derive(Default)]
pub struct Parser {
    layout: Layout,
    /// The names that the calls' numbers stand for.
    pub names: Names,
}

/// Cuts the input into batches of whole lines.
#[derive(Default)]
pub struct Cutter {
    /// A line begun in the batch before.
    carry: Vec<u8>,
    /// Inside a line that was cut.
    dropping: bool,
    /// Bytes read.
    pub bytes: u64,
}

/// Some lines, parsed.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where the first line starts, and where the last one ends.
    start: usize,
    end: usize,
    calls: Vec<Call>,
    looked: Vec<Looked>,
    lines: u64,
    cut_lines: u64,
}

impl Batch {
    /// Adds what was parsed to `counts`; the bytes are the cutter's to count.
    pub fn add_to(&self, counts: &mut ReadCounts) {
        counts.lines += self.lines;
        counts.cut_lines += self.cut_lines;
    }

    /// Calls `each` with every line in order.
    pub fn for_each<'a>(&'a self, mut each: impl FnMut(Row<'a>)) {
        let mut done = 0;
        for looked in &self.looked {
            let calls = looked.calls as usize;
            self.calls[done..calls]
                .iter()
                .for_each(|call| each(Row::Repeated(call)));
            done = calls;
            let line = looked.line.get(&self.bytes);
            if looked.is_call {
                let proc = looked.proc.map(|proc| proc.get(&self.bytes));
                each(Row::Call(&self.calls[done], looked.cpu, proc, line));
                done += 1;
            } else {
                each(Row::Other(line));
            }
        }
        self.calls[done..].iter().for_each(|call| each(Row::Repeated(call)));
    }
}

impl Cutter {
    /// Fills `batch` with whole lines, after what is there of a line begun before; false at the end of the input.
    ///
    /// # Errors
    /// Those of `reader`; an interrupted read is tried again.
    pub fn fill<R: Read>(&mut self, reader: &mut R, batch: &mut Batch) -> io::Result<bool> {
        let old = self.carry.len();
        // What is in the buffer from before is written over: no need to clear it first.
        batch.bytes.resize(old + CHUNK_BYTES, 0);
        batch.bytes[..old].copy_from_slice(&self.carry);
        self.carry.clear();
        let got = loop {
            match reader.read(&mut batch.bytes[old..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                got => break got?,
            }
        };
        self.bytes += got as u64;
        let bytes = &batch.bytes[..old + got];
        (batch.start, batch.end) = (0, bytes.len());
        if self.dropping {
            // The rest of a line that was cut.
            match memchr::memchr(b'\n', bytes) {
                Some(newline) => {
                    batch.start = newline + 1;
                    self.dropping = false;
                }
                None => batch.start = bytes.len(),
            }
        }
        if got == 0 {
            return Ok(false);
        }
        let begun =
            memchr::memrchr(b'\n', &bytes[batch.start..]).map_or(batch.start, |newline| batch.start + newline + 1);
        if bytes.len() - begun > MAX_LINE_BYTES {
            self.dropping = true;
        } else {
            self.carry.extend_from_slice(&bytes[begun..]);
            batch.end = begun;
        }
        Ok(true)
    }
}

impl Parser {
    /// Takes the lines of a batch apart.
    pub fn parse(&mut self, batch: &mut Batch) {
        batch.calls.clear();
        batch.looked.clear();
        (batch.lines, batch.cut_lines) = (0, 0);
        let (mut start, end) = (batch.start, batch.end);
        while start < end {
            batch.lines += 1;
            let rest = &batch.bytes[start..end];
            if let Some((call, length)) = self.layout.next_call(rest, &self.names) {
                batch.calls.push(call);
                start += length;
                continue;
            }
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            batch.cut_lines += u64::from(length > MAX_LINE_BYTES);
            self.line(batch, start, start + length.min(MAX_LINE_BYTES));
            start += length + 1;
        }
    }

    #[inline]
    fn line(&mut self, batch: &mut Batch, start: usize, end: usize) {
        let line = &batch.bytes[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let read = self.layout.parse(line);
        // Names are looked up here, where their bytes are in the cache.
        let call = Call::of(&read, &mut self.names);
        if call.is_none() || !self.layout.repeated() {
            batch.looked.push(Looked {
                calls: batch.calls.len() as u32,
                is_call: call.is_some(),
                cpu: read.cpu,
                proc: read.proc.map(|proc| Place::of(proc, &batch.bytes)),
                line: Place::of(line, &batch.bytes),
            });
        }
        batch.calls.extend(call);
    }
}

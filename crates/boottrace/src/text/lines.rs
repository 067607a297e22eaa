// SPDX-License-Identifier: MIT
//! Lines of a reader, in bounded memory: what every text reader of this crate is fed with.

use std::io::{self, Read};

/// Bytes read at once. Small enough to stay in a second-level cache while the lines are parsed.
const CHUNK_BYTES: usize = 256 * 1024;

/// A longer line is cut here; the rest of it is dropped and the line counted.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReadCounts {
    /// Bytes of input.
    pub bytes: u64,
    /// Lines given to the parser.
    pub lines: u64,
    /// Lines longer than [`MAX_LINE_BYTES`], cut.
    pub cut_lines: u64,
}

impl ReadCounts {
    /// Counts a line and gives what is not too much of it.
    fn give(&mut self, line: &[u8], each: &mut impl FnMut(&[u8])) {
        self.lines += 1;
        if line.len() > MAX_LINE_BYTES {
            self.cut_lines += 1;
            each(&line[..MAX_LINE_BYTES]);
        } else {
            each(without_cr(line));
        }
    }
}

fn without_cr(line: &[u8]) -> &[u8] {
    match line {
        [head @ .., b'\r'] => head,
        _ => line,
    }
}

/// Calls `each` with every line, without its line end (LF or CR LF). Memory does not grow with the input.
///
/// # Errors
/// Those of `reader`; an interrupted read is tried again.
pub fn for_each_line<R: Read>(mut reader: R, mut each: impl FnMut(&[u8])) -> io::Result<ReadCounts> {
    let mut buffer = vec![0_u8; CHUNK_BYTES + MAX_LINE_BYTES];
    let mut counts = ReadCounts::default();
    let mut filled = 0;
    let mut dropping = false;
    loop {
        let got = match reader.read(&mut buffer[filled..]) {
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if got == 0 {
            break;
        }
        counts.bytes += got as u64;
        let old = filled;
        filled += got;
        let mut start = 0;
        for newline in memchr::memchr_iter(b'\n', &buffer[old..filled]) {
            let end = old + newline;
            if dropping {
                dropping = false;
            } else {
                counts.give(&buffer[start..end], &mut each);
            }
            start = end + 1;
        }
        if dropping {
            filled = 0;
            continue;
        }
        if start > 0 {
            buffer.copy_within(start..filled, 0);
            filled -= start;
        }
        if filled > MAX_LINE_BYTES {
            counts.give(&buffer[..filled], &mut each);
            dropping = true;
            filled = 0;
        }
    }
    if filled > 0 {
        counts.give(&buffer[..filled], &mut each);
    }
    Ok(counts)
}

/// The same for what is in memory already: nothing is copied.
pub fn for_each_line_of(bytes: &[u8], mut each: impl FnMut(&[u8])) -> ReadCounts {
    let mut counts = ReadCounts {
        bytes: bytes.len() as u64,
        ..ReadCounts::default()
    };
    let mut start = 0;
    for end in memchr::memchr_iter(b'\n', bytes)
        .chain((bytes.last().is_some_and(|&last| last != b'\n')).then_some(bytes.len()))
    {
        counts.give(&bytes[start..end], &mut each);
        start = end + 1;
    }
    counts
}

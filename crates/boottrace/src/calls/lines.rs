//! Lines of a reader, in bounded memory: what every text reader of this crate is fed with.

use std::io::{self, Read};

/// Bytes read at once. Small enough to stay in a second-level cache while the lines are parsed.
const CHUNK_BYTES: usize = 256 * 1024;

/// A longer line is cut here; the rest of it is dropped and the line counted.
pub const MAX_LINE_BYTES: usize = 64 * 1024;

/// What was read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ReadCounts {
    /// Bytes of input.
    pub bytes: u64,
    /// Lines given to the parser.
    pub lines: u64,
    /// Lines longer than [`MAX_LINE_BYTES`], cut.
    pub cut_lines: u64,
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
                counts.lines += 1;
                each(without_cr(&buffer[start..end]));
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
        if filled >= MAX_LINE_BYTES {
            counts.lines += 1;
            counts.cut_lines += 1;
            each(&buffer[..MAX_LINE_BYTES]);
            dropping = true;
            filled = 0;
        }
    }
    if filled > 0 {
        counts.lines += 1;
        each(without_cr(&buffer[..filled]));
    }
    Ok(counts)
}

/// A reader for what is in memory already, for [`for_each_line`].
pub fn for_each_line_of(bytes: &[u8], each: impl FnMut(&[u8])) -> ReadCounts {
    // Reading from a slice has no way to fail.
    for_each_line(bytes, each).unwrap_or_default()
}

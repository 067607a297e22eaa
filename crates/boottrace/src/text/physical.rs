// SPDX-License-Identifier: MIT
//! Cuts bytes into physical lines and cleans them of everything a terminal would have swallowed.

use std::io::{self, Read};

use memchr::{memchr, memchr2};

/// A physical line, uncleaned.
#[derive(Debug, Clone, Copy)]
pub struct Physical<'a> {
    /// From 1.
    pub number: u32,
    /// Offset of the first byte.
    pub offset_bytes: u64,
    /// Further physical lines of which it was put together.
    pub more_lines: u32,
    /// Without the newline, at most the limit long.
    pub bytes: &'a [u8],
    /// Bytes beyond the limit.
    pub cut_bytes: u64,
}

/// Iterates over the physical lines, each cut at `line_bytes`.
pub fn lines(bytes: &[u8], line_bytes: usize) -> impl Iterator<Item = Physical<'_>> {
    let mut at = 0;
    let mut number = 0_u32;
    let ending = line_end(&bytes[..bytes.len().min(CHUNK_BYTES)]);
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let (length, step) = memchr(ending, rest).map_or((rest.len(), rest.len()), |n| (n, n + 1));
        let kept = length.min(line_bytes);
        number = number.saturating_add(1);
        let line = Physical {
            number,
            offset_bytes: at as u64,
            more_lines: 0,
            bytes: &rest[..kept],
            cut_bytes: (length - kept) as u64,
        };
        at += step;
        Some(line)
    })
}

/// What ends a line: some terminal programs save a carriage return alone.
fn line_end(head: &[u8]) -> u8 {
    const FEW: usize = 3;
    let returns_only = memchr(b'\n', head).is_none() && memchr::memchr_iter(b'\r', head).take(FEW).count() == FEW;
    if returns_only {
        b'\r'
    } else {
        b'\n'
    }
}

/// Bytes read at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Calls `each` with every physical line of a reader, as [`lines`] gives them, in memory that does not grow with the
/// input: of a line, no more than `line_bytes` are held.
///
/// # Errors
/// Those of `reader`; an interrupted read is tried again.
pub fn for_each(mut reader: impl Read, line_bytes: usize, mut each: impl FnMut(Physical<'_>)) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let mut begun = Begun::default();
    let mut ending = None;
    loop {
        let got = match reader.read(&mut chunk) {
            Ok(0) => break,
            Ok(got) => got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let mut rest = &chunk[..got];
        let ending = *ending.get_or_insert_with(|| line_end(rest));
        while let Some(newline) = memchr(ending, rest) {
            begun.end(&rest[..newline], line_bytes, 1, &mut each);
            rest = &rest[newline + 1..];
        }
        begun.take(rest, line_bytes);
    }
    if begun.length_bytes > 0 {
        begun.end(&[], line_bytes, 0, &mut each);
    }
    Ok(())
}

/// The line that a chunk ended in.
#[derive(Default)]
struct Begun {
    number: u32,
    offset_bytes: u64,
    kept: Vec<u8>,
    length_bytes: u64,
}

impl Begun {
    fn take(&mut self, part: &[u8], line_bytes: usize) {
        let room = line_bytes.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&part[..part.len().min(room)]);
        self.length_bytes += part.len() as u64;
    }

    fn end(&mut self, tail: &[u8], line_bytes: usize, end_bytes: u64, each: &mut impl FnMut(Physical<'_>)) {
        let whole = self.length_bytes == 0;
        if whole {
            self.length_bytes = tail.len() as u64;
        } else {
            self.take(tail, line_bytes);
        }
        let bytes = if whole {
            &tail[..tail.len().min(line_bytes)]
        } else {
            &self.kept[..]
        };
        self.number = self.number.saturating_add(1);
        each(Physical {
            number: self.number,
            offset_bytes: self.offset_bytes,
            more_lines: 0,
            bytes,
            cut_bytes: self.length_bytes - bytes.len() as u64,
        });
        self.offset_bytes += self.length_bytes + end_bytes;
        self.kept.clear();
        self.length_bytes = 0;
    }
}

/// True when the bytes can be used as they are: printable ASCII without an escape in any spelling.
fn is_clean(bytes: &[u8]) -> bool {
    bytes.iter().all(|&b| (0x20..0x7f).contains(&b) || b == b'\t')
        && memchr2(b'^', b'\\', bytes).is_none()
        && memchr::memmem::find(bytes, b"#033[").is_none()
}

/// Takes off carriage returns, terminal sequences (real, `^[`-escaped or spelled out) and control characters.
///
/// A carriage return inside the line is kept as `'\r'`: the caller decides whether two messages met there.
pub fn clean(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .rposition(|b| !matches!(b, b'\r' | b'\n'))
        .map_or(0, |n| n + 1);
    let bytes = &bytes[..end];
    if is_clean(bytes) {
        // All bytes were just seen to be ASCII, so nothing is lost here.
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let introducer = introducer_length(rest);
        if introducer > 0 {
            at += introducer + sequence_length(&rest[introducer..]);
            continue;
        }
        if let Some(wrong) = MISREAD.iter().find(|wrong| rest.starts_with(wrong.as_bytes())) {
            out.extend_from_slice("\u{2026}".as_bytes());
            at += wrong.len();
            continue;
        }
        // A no-break space, as pages and mails have it; alone in an encoding of one byte a character.
        if rest.starts_with(b"\xc2\xa0") || (byte == 0xa0 && out.last().is_none_or(u8::is_ascii)) {
            out.push(b' ');
            at += if byte == 0xa0 { 1 } else { 2 };
            continue;
        }
        at += 1;
        match byte {
            b'\r' if out.is_empty() => {}
            b'\r' | b'\t' => out.push(byte),
            // Backspaces go with the rest: U-Boot's countdown then reads `3  2  1  0`, which tells its start.
            0x00..=0x1f | 0x7f => {}
            _ => out.push(byte),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The ellipsis with which systemd shortens names, read as one of the code pages 1252, 866 and 437.
const MISREAD: [&str; 3] = ["\u{e2}\u{20ac}\u{a6}", "\u{442}\u{410}\u{436}", "\u{393}\u{c7}\u{aa}"];

/// Length of ESC in one of the spellings that logs have, or 0.
fn introducer_length(bytes: &[u8]) -> usize {
    const SPELLED: [&[u8]; 5] = [b"\\x1b", b"\\033", b"\\e", b"\\u001b", b"#033"];
    match bytes {
        [0x1b, ..] => 1,
        // As a terminal in a window or a page draws it.
        [0xe2, 0x86, 0x90, b'[', ..] | [0xe2, 0x90, 0x9b, b'[', ..] => 3,
        [b'^', b'[', b'[' | b']' | b'(' | b'7' | b'8' | b'c', ..] => 2,
        [b'\\' | b'#', ..] => SPELLED
            .iter()
            .find(|s| bytes.starts_with(s) && bytes.get(s.len()) == Some(&b'['))
            .map_or(0, |s| s.len()),
        _ => 0,
    }
}

/// Length of the sequence after ESC (ECMA-48: CSI, OSC, charset selection, two-character ones).
fn sequence_length(bytes: &[u8]) -> usize {
    match bytes {
        [b'[', rest @ ..] => {
            let parameters = rest.iter().take_while(|b| (0x20..0x40).contains(*b)).count();
            1 + parameters + usize::from(rest.get(parameters).is_some_and(|b| (0x40..0x7f).contains(b)))
        }
        // An operating-system command ends with BEL or ESC \. Bounded, or one stray ESC ] would eat the line.
        [b']', rest @ ..] => rest
            .iter()
            .take(256)
            .position(|&b| b == 0x07 || b == 0x1b)
            .map_or(1, |n| {
                2 + n + usize::from(rest[n] == 0x1b && rest.get(n + 1) == Some(&b'\\'))
            }),
        [b'(' | b')' | b'#', _, ..] => 2,
        [b'7' | b'8' | b'=' | b'>' | b'c' | b'D' | b'E' | b'H' | b'M' | b'N' | b'O' | b'Z', ..] => 1,
        _ => 0,
    }
}

/// True when the line is more noise than text: the wrong baud rate, a binary download.
pub fn is_garbage(text: &str) -> bool {
    let (mut all, mut odd) = (0_usize, 0_usize);
    for c in text.chars() {
        all += 1;
        odd += usize::from(c == char::REPLACEMENT_CHARACTER);
    }
    odd > 2 && odd * 4 > all || odd > 0 && odd * 2 >= all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strips_what_a_terminal_swallows() {
        assert_eq!(clean(b"\x1b[0m\x1b[1;32mhello\x1b[0m\r\r"), "hello");
        assert_eq!(clean(b"^[[0m^[[37mhello ^[x"), "hello ^[x");
        assert_eq!(clean(b"\\x1b[1mhello\\033[0m"), "hello");
        assert_eq!(clean(b"\r\rtext"), "text");
        assert_eq!(clean(b"autoboot:  3 \x08\x08\x08 0"), "autoboot:  3  0");
        assert_eq!(clean(b"\x1bc\x1b[?7l\x1b[2J<5>[    0.000000] x"), "<5>[    0.000000] x");
        assert_eq!(clean(b"a\0\0b"), "ab");
        assert_eq!(clean(b"one\rtwo"), "one\rtwo");
    }

    #[test]
    fn carriage_returns_alone_end_lines() {
        let text = b"one\rtwo\r\rfour";
        let whole: Vec<_> = lines(text, 100).map(|line| line.bytes.to_vec()).collect();
        let mut streamed = Vec::new();
        for_each(&text[..], 100, |line| streamed.push(line.bytes.to_vec())).unwrap();
        assert_eq!(whole, [&b"one"[..], b"two", b"", b"four"]);
        assert_eq!(streamed, whole);
        assert_eq!(lines(b"a\rb\rc\rd\n", 100).count(), 1);
    }

    #[test]
    fn a_long_line_is_cut_and_counted() {
        let all: Vec<_> = lines(b"abcdef\nxy", 4).collect();
        assert_eq!((all[0].bytes, all[0].cut_bytes), (&b"abcd"[..], 2));
        assert_eq!((all[1].bytes, all[1].number, all[1].offset_bytes), (&b"xy"[..], 2, 7));
    }

    #[test]
    fn a_reader_gives_the_lines_of_its_bytes() {
        let mut text = b"a\n\nlonger than the limit\nx".to_vec();
        text.extend(vec![b'y'; 3 * CHUNK_BYTES]);
        for end in [&b""[..], b"\n", b"\n\n"] {
            let bytes = [&text[..], end].concat();
            let mut read = Vec::new();
            for_each(&bytes[..], 10, |line| {
                read.push((line.number, line.offset_bytes, line.bytes.to_vec(), line.cut_bytes));
            })
            .expect("a slice");
            let whole: Vec<_> = lines(&bytes, 10)
                .map(|line| (line.number, line.offset_bytes, line.bytes.to_vec(), line.cut_bytes))
                .collect();
            assert_eq!(read, whole);
        }
    }
}

// SPDX-License-Identifier: MIT
//! Mails as they are sent (RFC 2045, 6.7): a long line is broken behind a `=`, and other signs stand as `=3D` or `=E2=80=A6`.

use std::io::Cursor;

use crate::text::physical::{self, Physical};

/// Mails break lines at this length or shortly before it.
const LONGEST: usize = 76;
const SHORTEST: usize = 60;
/// Broken lines of a mail: one may be a loader's bar of `=`.
const BROKEN: usize = 2;

/// Is the text written so?
pub fn is_in(head: &[u8]) -> bool {
    // A header says so, or a stamp of the kernel's holds spaces that are none.
    let told = |words: &[u8]| memchr::memmem::find(head, words).is_some();
    if told(b"Content-Transfer-Encoding: quoted-printable") || told(b"[=A0=A0") || told(b"[=C2=A0") {
        return true;
    }
    let (mut broken, mut signs) = (0, false);
    for line in head.split(|b| *b == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let goes_on = line.strip_suffix(b"=").is_some_and(|rest| !rest.ends_with(b"="));
        broken += usize::from(goes_on && (SHORTEST..=LONGEST).contains(&line.len()));
        signs |= memchr::memmem::find(line, b"=3D").is_some() || memchr::memmem::find(line, b"=E2=80=").is_some();
        if broken >= BROKEN && signs {
            return true;
        }
    }
    false
}

/// Puts lines together again.
#[derive(Default)]
pub struct Joined {
    held: Vec<u8>,
    first: Option<(u32, u64)>,
    last: u32,
    cut_bytes: u64,
}

impl Joined {
    /// Takes a line; gives the whole one to `each` when it has ended. `longest`: more of one line is cut.
    pub fn take(&mut self, line: &Physical<'_>, longest: usize, each: &mut impl FnMut(&Physical<'_>)) {
        let bytes = line.bytes.strip_suffix(b"\r").unwrap_or(line.bytes);
        let goes_on = bytes.strip_suffix(b"=");
        self.first.get_or_insert((line.number, line.offset_bytes));
        self.last = line.number;
        self.cut_bytes += line.cut_bytes;
        let text = goes_on.unwrap_or(bytes);
        let room = longest.saturating_sub(self.held.len()).min(text.len());
        self.held.extend_from_slice(&text[..room]);
        self.cut_bytes += (text.len() - room) as u64;
        if goes_on.is_none() {
            self.end(each);
        }
    }

    /// Gives what is left.
    pub fn end(&mut self, each: &mut impl FnMut(&Physical<'_>)) {
        let Some((number, offset_bytes)) = self.first.take() else {
            return;
        };
        let bytes = decoded(&self.held);
        each(&Physical {
            number,
            offset_bytes,
            more_lines: self.last.saturating_sub(number),
            bytes: &bytes,
            cut_bytes: std::mem::take(&mut self.cut_bytes),
        });
        self.held.clear();
    }
}

/// The whole text, for those who learn from its head.
pub fn decoded_text(head: &[u8], longest: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len());
    let mut joined = Joined::default();
    let mut each = |line: &Physical<'_>| {
        out.extend_from_slice(line.bytes);
        out.push(b'\n');
    };
    let read = physical::for_each(Cursor::new(head), longest, |line| {
        joined.take(&line, longest, &mut each);
    });
    debug_assert!(read.is_ok(), "memory can be read");
    joined.end(&mut each);
    out
}

fn decoded(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memchr(b'=', rest) {
        out.extend_from_slice(&rest[..at]);
        let digits = rest
            .get(at + 1..at + 3)
            .and_then(|pair| Some((hex(pair[0])?, hex(pair[1])?)));
        if let Some((high, low)) = digits {
            out.push(high * 16 + low);
            rest = &rest[at + 3..];
        } else {
            out.push(b'=');
            rest = &rest[at + 1..];
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Mails write capital letters; others are the log's own.
fn hex(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIL: &[u8] = b"[    1.043908] virtio-pci 0000:00:02.0: virtio_pci: leaving for legacy driv=\n\
        er, type=3D7\n\
        [**    ] A start job is running for dev-disk=E2=80=A619a80.device (1min 50s=\n / no limit)\n";

    #[test]
    fn lines_are_put_together() {
        assert!(is_in(MAIL));
        let text = String::from_utf8(decoded_text(MAIL, 4096)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("leaving for legacy driver, type=7"));
        assert!(lines[1].ends_with("dev-disk\u{2026}19a80.device (1min 50s / no limit)"));
    }

    #[test]
    fn stamps_with_spaces_that_are_none() {
        assert!(is_in(b"> [=A0=A0=A0 4.435167] VFS: Mounted root (ext4 filesystem)\n"));
        assert!(is_in(b"Content-Transfer-Encoding: quoted-printable\n\n[    1.0] a\n"));
        assert_eq!(decoded(b"[=A0=A0 34.409914] x"), b"[\xa0\xa0 34.409914] x");
    }

    #[test]
    fn other_texts_are_not_mails() {
        assert!(!is_in(b"=====\nroot=/dev/sda1 console=ttyS0\nx=\ny=3D\n"));
        assert!(!is_in(b""));
        assert_eq!(decoded(b"a=b root=/dev/x =3d =4"), b"a=b root=/dev/x =3d =4");
    }

    #[test]
    fn a_line_without_an_end_is_cut() {
        let endless = [b"abcdefgh=\n".as_slice(); 1000].concat();
        let text = decoded_text(&endless, 100);
        assert!(text.len() <= 101);
    }
}

// SPDX-License-Identifier: MIT
//! Lines that a mail or a terminal broke: a kernel's banner, systemd's account of its start and the return of an initcall are
//! known to go on until a word of theirs, so what follows is put behind them. No other line is joined: where one ends, nothing
//! tells.

use crate::text::physical::Physical;

/// Lines that one may be broken into.
const MOST: usize = 5;
/// Terminals break a line here, in the middle of a word.
const TERMINAL: usize = 80;

/// So the kernel's first line begins.
const BANNER: &[u8] = b"Linux version";

/// What a line begins that another may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unfinished {
    /// `Linux version 6.4 (a@b) (gcc 12) #1 SMP`: it has a number behind `#` (init/version-timestamp.c).
    Banner,
    /// `Startup finished in 1s (kernel) + 2s (userspace) = 3s`: it ends with the sum (src/core/manager.c).
    Account,
    /// `initcall a_init+0x0/0x10 returned 0 after 12 usecs` (init/main.c).
    Call,
}

/// Where a needle ends in a text.
fn behind<'a>(text: &'a [u8], needle: &[u8]) -> Option<&'a [u8]> {
    memchr::memmem::find(text, needle).map(|at| &text[at + needle.len()..])
}

impl Unfinished {
    fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii_end();
        if let Some(at) = memchr::memmem::find(line, BANNER) {
            // Behind a stamp, a level or a name; in words of others it is a quotation.
            let before = line[..at].trim_ascii_end().last();
            let begins = before.is_none_or(|sign| matches!(sign, b']' | b'>' | b':'));
            let rest = &line[at + BANNER.len()..];
            let named = rest.len() > 1 && rest[0] == b' ' && rest[1].is_ascii_digit() && rest.contains(&b'(');
            let cut = rest.is_empty() || (named && line.len() > TERMINAL / 2);
            return (begins && cut && !Self::Banner.ends(line)).then_some(Self::Banner);
        }
        if behind(line, b"Startup finished in ").is_some() {
            return (!Self::Account.ends(line)).then_some(Self::Account);
        }
        // Between words the initcall's own reader puts it together; a number may lose digits.
        let returned = behind(line, b"initcall ").and_then(|rest| behind(rest, b" returned "));
        let time = returned.and_then(|rest| behind(rest, b" after "))?;
        let broken = !time.is_empty() && time.iter().all(u8::is_ascii_digit);
        broken.then_some(Self::Call)
    }

    /// Has it all that it needs?
    fn ends(self, line: &[u8]) -> bool {
        let digit = |rest: Option<&u8>| rest.is_some_and(u8::is_ascii_digit);
        match self {
            Self::Banner => behind(line, b" #").is_some_and(|rest| digit(rest.first())),
            Self::Account => behind(line, b" = ").is_some_and(|rest| digit(rest.first())),
            Self::Call => behind(line, b" usecs").is_some(),
        }
    }

    /// May it go on so? No stamp, quotation or list stands in the middle of a line.
    fn goes_on(self, line: &[u8]) -> bool {
        match (self, line.trim_ascii_start().first()) {
            (Self::Banner, Some(first)) => {
                let clock = line.trim_ascii_start().get(2) == Some(&b':');
                !matches!(first, b'[' | b'<' | b'>' | b'`' | b'|' | b'*' | b'{')
                    && !clock
                    && behind(line, BANNER).is_none()
            }
            (Self::Account, Some(first)) => matches!(first, b'(' | b'+' | b'=' | b'0'..=b'9'),
            (Self::Call, Some(first)) => matches!(first, b'0'..=b'9' | b'u'),
            (_, None) => false,
        }
    }
}

/// Does the head of a text hold such a line? Else nothing is looked at again.
pub fn is_in(head: &[u8]) -> bool {
    const WORDS: [&[u8]; 3] = [BANNER, b"Startup finished in ", b" returned "];
    let line = |at: usize| {
        let from = memchr::memrchr(b'\n', &head[..at]).map_or(0, |end| end + 1);
        let to = memchr::memchr(b'\n', &head[at..]).map_or(head.len(), |end| at + end);
        &head[from..to]
    };
    WORDS
        .iter()
        .any(|word| memchr::memmem::find_iter(head, word).any(|at| Unfinished::of(line(at)).is_some()))
}

/// A line that is held until it is known whether it goes on.
struct Held {
    bytes: Vec<u8>,
    number: u32,
    more_lines: u32,
    offset_bytes: u64,
    cut_bytes: u64,
}

impl Held {
    fn of(line: &Physical<'_>) -> Self {
        Self {
            bytes: line.bytes.to_vec(),
            number: line.number,
            more_lines: line.more_lines,
            offset_bytes: line.offset_bytes,
            cut_bytes: line.cut_bytes,
        }
    }

    fn give(&self, bytes: &[u8], last: &Self, each: &mut impl FnMut(&Physical<'_>)) {
        each(&Physical {
            number: self.number,
            offset_bytes: self.offset_bytes,
            more_lines: (last.number + last.more_lines).saturating_sub(self.number),
            bytes,
            cut_bytes: self.cut_bytes,
        });
    }
}

/// Puts broken lines together again.
#[derive(Default)]
pub struct Whole {
    kind: Option<Unfinished>,
    held: Vec<Held>,
}

impl Whole {
    /// Takes a line; gives it to `each`, or the whole one when it has ended.
    pub fn take(&mut self, line: &Physical<'_>, each: &mut impl FnMut(&Physical<'_>)) {
        let Some(kind) = self.kind else {
            self.kind = Unfinished::of(line.bytes);
            if self.kind.is_some() {
                self.held.push(Held::of(line));
            } else {
                each(line);
            }
            return;
        };
        if self.held.len() < MOST && kind.goes_on(line.bytes) {
            self.held.push(Held::of(line));
            let whole = self.joined();
            if kind.ends(&whole) {
                self.held[0].give(&whole, &self.held[self.held.len() - 1], each);
                self.held.clear();
                self.kind = None;
            }
            return;
        }
        self.end(each);
        self.take(line, each);
    }

    /// Gives what is left, as it stood.
    pub fn end(&mut self, each: &mut impl FnMut(&Physical<'_>)) {
        self.kind = None;
        for held in std::mem::take(&mut self.held) {
            held.give(&held.bytes, &held, each);
        }
    }

    fn joined(&self) -> Vec<u8> {
        let mut whole: Vec<u8> = Vec::new();
        for held in &self.held {
            let text = held.bytes.trim_ascii();
            let in_word = whole.len() % TERMINAL == 0 && !whole.is_empty();
            if !whole.is_empty() && !in_word {
                whole.push(b' ');
            }
            whole.extend_from_slice(if whole.is_empty() {
                held.bytes.trim_ascii_end()
            } else {
                text
            });
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(u32, String)> {
        let mut out = Vec::new();
        let mut each = |line: &Physical<'_>| {
            out.push((line.number, String::from_utf8_lossy(line.bytes).into_owned()));
        };
        let mut whole = Whole::default();
        for (number, line) in (1..).zip(text.lines()) {
            whole.take(
                &Physical {
                    number,
                    offset_bytes: 0,
                    more_lines: 0,
                    bytes: line.as_bytes(),
                    cut_bytes: 0,
                },
                &mut each,
            );
        }
        whole.end(&mut each);
        out
    }

    #[test]
    fn what_a_mail_broke_is_one_line() {
        let text = "[    0.000000] Linux version \n6.4.0-x (a@b) \n(gcc (GCC) 12) #1 SMP Sun\n[    0.000000] next\n";
        let lines = read(text);
        assert_eq!(
            lines[0],
            (
                1,
                "[    0.000000] Linux version 6.4.0-x (a@b) (gcc (GCC) 12) #1 SMP Sun".into()
            )
        );
        assert_eq!(lines[1].0, 4);
        let text = "  Startup finished in 11s (firmware) + 1.5s (loader) + 4s \n(kernel) + 2s (userspace) = 18.5s\nx\n";
        let lines = read(text);
        assert!(lines[0].1.ends_with("+ 4s (kernel) + 2s (userspace) = 18.5s"));
        assert_eq!(lines.len(), 2);
    }

    #[test]
    fn what_a_terminal_broke_in_a_number() {
        let first = "[    1.000000] initcall frob_of_a_longer_name_init+0x0/0x10 returned 0 after 123";
        assert_eq!(first.len(), 80);
        let lines = read(&format!("{first}\n45 usecs\n"));
        assert!(lines[0].1.ends_with("12345 usecs"), "{lines:?}");
    }

    #[test]
    fn what_is_whole_or_never_ends_stays_as_it_is() {
        let text =
            "Linux version 6.4 (a@b) (gcc 12) #1 SMP\nLinux version 6.4 is slow\nStartup finished in 3s (kernel)\n\n\
            foo (bar)\nStartup finished in\n";
        let lines = read(text);
        assert_eq!(lines.len(), 6);
        assert_eq!(lines[2].1, "Startup finished in 3s (kernel)");
        let cut = "[    0.000000] Linux version 6.4.0 (somebody@somewhere) (gcc 12)\n[    0.1] b\n";
        assert_eq!(read(cut).len(), 2);
    }
}

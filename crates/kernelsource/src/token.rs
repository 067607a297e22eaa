// SPDX-License-Identifier: MIT
//! Cuts C into tokens: names, texts, numbers and punctuation; comments and preprocessor lines fall out.

/// A token of C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name or a number.
    Word(&'a [u8]),
    /// What stands between quotes.
    Text(&'a [u8]),
    /// One character of punctuation.
    Mark(u8),
    /// A whole preprocessor line without its `#`, with what continues it.
    Directive(&'a [u8]),
}

/// Tokens with their lines.
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    fresh: bool,
}

/// A token and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Placed<'a> {
    /// The token.
    pub token: Token<'a>,
    /// Its line, from 1.
    pub line: u32,
    /// It is the first character of its line.
    pub first: bool,
}

impl<'a> Tokens<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a [u8]) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            fresh: true,
        }
    }

    fn skip_to(&mut self, end: usize) {
        self.line += memchr::memchr_iter(b'\n', &self.text[self.at..end]).count() as u32;
        self.at = end;
    }

    fn string(&mut self, quote: u8) -> &'a [u8] {
        let start = self.at + 1;
        let mut end = start;
        while end < self.text.len() && self.text[end] != quote && self.text[end] != b'\n' {
            end += if self.text[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(self.text.len());
        let inside = &self.text[start.min(end)..end];
        // A quote that is not closed (an apostrophe in assembly) ends with its line.
        let after = if self.text.get(end) == Some(&quote) {
            end + 1
        } else {
            end
        };
        self.skip_to(after);
        inside
    }

    fn directive(&mut self) -> &'a [u8] {
        let start = self.at + 1;
        let mut end = start;
        loop {
            match memchr::memchr3(b'\n', b'/', b'\\', &self.text[end..]) {
                None => {
                    end = self.text.len();
                    break;
                }
                Some(n) if self.text[end + n] == b'\n' => {
                    end += n;
                    break;
                }
                Some(n) if self.text[end + n] == b'\\' => end = (end + n + 2).min(self.text.len()),
                // A comment that goes over lines ends the directive's own text no earlier than itself.
                Some(n) if self.text.get(end + n + 1) == Some(&b'*') => {
                    let from = end + n + 2;
                    end = memchr::memmem::find(&self.text[from..], b"*/").map_or(self.text.len(), |m| from + m + 2);
                }
                Some(n) => end += n + 1,
            }
        }
        let inside = &self.text[start..end];
        self.skip_to(end);
        inside
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Placed<'a>;

    fn next(&mut self) -> Option<Placed<'a>> {
        loop {
            let byte = *self.text.get(self.at)?;
            let first = self.at == 0 || self.text[self.at - 1] == b'\n';
            let line = self.line;
            let placed = |token| Some(Placed { token, line, first });
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                    self.fresh = true;
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\\' => {
                    self.at += 1;
                    continue;
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'*') => {
                    let from = self.at + 2;
                    let end = memchr::memmem::find(&self.text[from..], b"*/").map_or(self.text.len(), |n| from + n + 2);
                    self.skip_to(end);
                    continue;
                }
                b'/' if self.text.get(self.at + 1) == Some(&b'/') => {
                    self.at = memchr::memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |n| self.at + n);
                    continue;
                }
                b'#' if self.fresh => return placed(Token::Directive(self.directive())),
                _ => {}
            }
            self.fresh = false;
            if byte == b'"' || byte == b'\'' {
                let text = self.string(byte);
                return placed(Token::Text(text));
            }
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                let start = self.at;
                while self
                    .text
                    .get(self.at)
                    .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
                {
                    self.at += 1;
                }
                return placed(Token::Word(&self.text[start..self.at]));
            }
            self.at += 1;
            return placed(Token::Mark(byte));
        }
    }
}

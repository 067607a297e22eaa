// SPDX-License-Identifier: MIT
//! Making text from a log safe for the field it is written into.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Names longer than this are cut in every output; a log line of a gigabyte must not become a label.
pub const MAX_TEXT_CHARS: usize = 4096;

/// True for characters no label needs: C0 and C1 controls, bidirectional overrides, line and paragraph separators.
fn is_hostile(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// One line of printable text: a tab becomes a blank, other control characters U+FFFD, and what is beyond [`MAX_TEXT_CHARS`] becomes `...`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT_CHARS && !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut out: String = text
        .chars()
        .take(MAX_TEXT_CHARS)
        .map(|c| match c {
            '\t' => ' ',
            _ if is_hostile(c) => '\u{fffd}',
            _ => c,
        })
        .collect();
    if text.chars().nth(MAX_TEXT_CHARS).is_some() {
        out.push_str("...");
    }
    Cow::Owned(out)
}

/// A JSON string literal, quotes included, that may also stand inside an HTML `<script>`: `<`, `>` and `&` are escaped.
pub fn json(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '<' | '>' | '&' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Text for XML or HTML content and quoted attributes.
pub fn xml(text: &str) -> String {
    let text = printable(text);
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

/// Nanoseconds as seconds with nine decimals, exact for every value.
pub fn seconds(ns: i64) -> String {
    let magnitude = ns.unsigned_abs();
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}.{:09}", magnitude / 1_000_000_000, magnitude % 1_000_000_000)
}

/// Nanoseconds as microseconds with three decimals, exact for every value; a JSON number.
pub fn microseconds(ns: i64) -> String {
    let magnitude = ns.unsigned_abs();
    let sign = if ns < 0 { "-" } else { "" };
    format!("{sign}{}.{:03}", magnitude / 1000, magnitude % 1000)
}

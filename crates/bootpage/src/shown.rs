// SPDX-License-Identifier: MIT
//! Text out of logs, made safe to show: control characters become visible, long text is cut and says so.

use std::fmt::Write as _;

/// Characters of a text that a page shows.
pub const TEXT_LIMIT: usize = 400;
/// So many more are shown: to say that they are missing takes as many.
const SPARED: usize = 20;

/// Text with every control character spelled (`\x1b`, `\u202e`), at most `limit` characters of it.
pub fn visible(text: &str, limit: usize) -> String {
    let length = text.chars().count();
    if length <= limit + SPARED {
        return spelled(text.chars());
    }
    format!(
        "{} … {} more characters",
        spelled(text.chars().take(limit)),
        length - limit
    )
}

/// [`visible`] with the limit of a page.
pub fn show(text: &str) -> String {
    visible(text, TEXT_LIMIT)
}

fn spelled(text: impl Iterator<Item = char>) -> String {
    let mut out = String::new();
    for letter in text {
        match letter as u32 {
            code @ (0..=8 | 0x0a..=0x1f | 0x7f..=0x9f) => {
                let _ = write!(out, "\\x{code:02x}");
            }
            code @ (0x61c | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff) => {
                let _ = write!(out, "\\u{code:04x}");
            }
            _ => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_spelled_and_long_text_is_cut() {
        assert_eq!(show("a\x1b[1m\u{202e}b\tc"), "a\\x1b[1m\\u202eb\tc");
        assert_eq!(visible(&"x".repeat(30), 10), "x".repeat(30));
        assert_eq!(
            visible(&"x".repeat(31), 10),
            format!("{} … 21 more characters", "x".repeat(10))
        );
    }
}

// SPDX-License-Identifier: MIT
//! systemd's way to print a time span: `1min 9.608s`, `821ms`, `2h 3min 4s`, `0`.
//!
//! Format: `format_timespan()` in systemd's `src/basic/time-util.c`.

use crate::text::number::decimal_ns;

const UNITS: [(&str, u64); 15] = [
    ("month", 2_629_800_000_000_000),
    ("min", 60_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ns", 1),
    ("year", 31_557_600_000_000_000),
    ("week", 604_800_000_000_000),
    ("day", 86_400_000_000_000),
    ("y", 31_557_600_000_000_000),
    ("w", 604_800_000_000_000),
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("s", 1_000_000_000),
];

/// A time span at the front of `text`: nanoseconds, and how many bytes it took. A number without unit ends the span
/// and is not part of it, except a lone `0`.
pub fn parse_prefix(text: &str) -> Option<(u64, usize)> {
    let mut total_ns = 0_u64;
    let mut used = 0;
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let Some((_, digits)) = decimal_ns(rest.as_bytes(), 1) else {
            break;
        };
        let after = &rest[digits..];
        let Some((name, unit_ns)) = UNITS.iter().find(|(name, _)| {
            after
                .strip_prefix(name)
                .is_some_and(|next| !next.starts_with(|c: char| c.is_alphanumeric()))
        }) else {
            if used == 0 && &rest[..digits] == "0" {
                return Some((0, at + digits));
            }
            break;
        };
        let (ns, _) = decimal_ns(rest.as_bytes(), *unit_ns)?;
        total_ns = total_ns.saturating_add(ns);
        used = at + digits + name.len();
        at = used + text[used..].len() - text[used..].trim_start_matches(' ').len();
    }
    (used > 0).then_some((total_ns, used))
}

/// A time span that fills `text`: nanoseconds.
pub fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let (ns, used) = parse_prefix(text)?;
    (used == text.len()).then_some(ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_every_size() {
        let cases = [
            ("821ms", 821_000_000),
            ("1min 9.608s", 69_608_000_000),
            ("2h 3min 4s", 7_384_000_000_000),
            ("13.977s", 13_977_000_000),
            ("1d 1h", 90_000_000_000_000),
            ("12us", 12_000),
            ("0", 0),
            ("3.5ms", 3_500_000),
        ];
        for (text, ns) in cases {
            assert_eq!(parse(text), Some(ns), "{text}");
        }
        for text in ["", "s", "12", "5 apples", "3min2", "1.2.3s"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse_prefix("1min 9s foo.service"), Some((69_000_000_000, 7)));
        assert_eq!(parse_prefix("5s 3com.service"), Some((5_000_000_000, 2)));
        assert_eq!(parse_prefix("99999999999999999999y"), Some((u64::MAX, 21)));
    }
}

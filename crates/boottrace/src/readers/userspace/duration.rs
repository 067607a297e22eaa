// SPDX-License-Identifier: MIT
//! systemd's way to print a time span: `1min 9.608s`, `821ms`, `2h 3min 4s`, `0`; and as people write it from memory:
//! `19m 4.6s`, `4.8 s`.
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
        if let Some((name, unit_ns)) = persons_unit(after) {
            let (ns, _) = decimal_ns(rest.as_bytes(), unit_ns)?;
            total_ns = total_ns.saturating_add(ns);
            used = at + digits + name;
            at = used + text[used..].len() - text[used..].trim_start_matches(' ').len();
            continue;
        }
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

/// A unit as a person writes it: `m` before seconds or a name in brackets, and a blank before the unit. How many bytes it
/// takes, and its nanoseconds.
fn persons_unit(after: &str) -> Option<(usize, u64)> {
    const SPACED: [(&str, u64); 4] = [
        ("min", 60_000_000_000),
        ("ms", 1_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
    ];
    let unit = after.strip_prefix(' ').unwrap_or(after);
    let (name, ns) = SPACED.iter().find(|(name, _)| {
        unit.strip_prefix(name)
            .is_some_and(|next| !next.starts_with(char::is_alphabetic))
    })?;
    let next = unit[name.len()..].trim_start_matches(' ');
    let seconds = decimal_ns(next.as_bytes(), 1).is_some_and(|(_, digits)| {
        let unit = next[digits..].trim_start_matches(' ');
        unit.starts_with('s') && !unit[1..].starts_with(char::is_alphanumeric)
    });
    let minutes = *name == "m" && (seconds || next.starts_with('('));
    let spaced = unit.len() < after.len() && *name != "m";
    (minutes || (spaced && (next.starts_with('(') || next.is_empty() || *name == "min")))
        .then_some((after.len() - unit.len() + name.len(), *ns))
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
            ("19m 4.631s", 1_144_631_000_000),
            ("2m3s", 123_000_000_000),
            ("4.5 s", 4_500_000_000),
            ("2 min 3 s", 123_000_000_000),
        ];
        for (text, ns) in cases {
            assert_eq!(parse(text), Some(ns), "{text}");
        }
        for text in [
            "", "s", "12", "5 apples", "3min2", "1.2.3s", "5m", "5 m", "3 mm", "2m frob",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse_prefix("1min 9s foo.service"), Some((69_000_000_000, 7)));
        assert_eq!(parse_prefix("2m (firmware)"), Some((120_000_000_000, 2)));
        assert_eq!(parse_prefix("4.5 s (kernel)"), Some((4_500_000_000, 5)));
        assert_eq!(parse_prefix("5s 3com.service"), Some((5_000_000_000, 2)));
        assert_eq!(parse_prefix("99999999999999999999y"), Some((u64::MAX, 21)));
    }
}

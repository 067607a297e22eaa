// SPDX-License-Identifier: MIT
//! Numbers as text: milliseconds with three places, grouped counts, times of sentences. As `bootlab.model.figures`
//! writes them: the tests of both hold the same cases.

/// What stands where nothing is known.
pub const ABSENT: &str = "—";
const THIN: char = '\u{202f}';

/// `1234.567` for nanoseconds; a dash for none.
pub fn ms(ns: Option<i64>) -> String {
    ns.map_or_else(
        || ABSENT.to_owned(),
        |ns| format!("{:.3}", ns as f64 / 1e6).replace('-', "\u{2212}"),
    )
}

/// `1 234.567`, grouped by thousands.
pub fn grouped_ms(ns: Option<i64>) -> String {
    let Some(ns) = ns else { return ABSENT.to_owned() };
    let text = format!("{:.3}", ns as f64 / 1e6);
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text.as_str()), |rest| ("\u{2212}", rest));
    let (whole, places) = digits.split_once('.').unwrap_or((digits, "000"));
    format!("{sign}{}.{places}", grouped(whole))
}

/// `1 234 567`, grouped by narrow no-break spaces.
pub fn count(number: u64) -> String {
    grouped(&number.to_string())
}

/// `1 line`, `4 492 lines`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// `32.5 %`; a dash where the whole is nought.
pub fn percent(part: i64, whole: i64) -> String {
    if whole == 0 {
        return ABSENT.to_owned();
    }
    format!("{:.1} %", 100.0 * part as f64 / whole as f64)
}

/// A time in a sentence: `24.0 s`, `9.10 s`, `340 ms`, `0.3 ms`.
pub fn seconds(ns: i64) -> String {
    match ns.unsigned_abs() {
        10_000_000_000.. => format!("{:.1} s", ns as f64 / 1e9),
        1_000_000_000.. => format!("{:.2} s", ns as f64 / 1e9),
        10_000_000.. => format!("{:.0} ms", ns as f64 / 1e6),
        _ => format!("{:.1} ms", ns as f64 / 1e6),
    }
}

fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            out.push(THIN);
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_and_bounded() {
        assert_eq!(grouped_ms(Some(-1_234_567_000)), "\u{2212}1\u{202f}234.567");
        assert_eq!(
            (count(1_234_567), count(999)),
            ("1\u{202f}234\u{202f}567".into(), "999".into())
        );
        assert_eq!((ms(None), ms(Some(2_500_000))), ("—".into(), "2.500".into()));
        assert_eq!((percent(1, 3), percent(1, 0)), ("33.3 %".into(), "—".into()));
    }

    #[test]
    fn times_in_sentences() {
        let told = [24_040_000_000, 9_100_000_000, 340_000_000, 300_000].map(seconds);
        assert_eq!(told, ["24.0 s", "9.10 s", "340 ms", "0.3 ms"]);
    }
}

// SPDX-License-Identifier: MIT
//! Boot loaders that count down until somebody presses a key, in their many wordings.

/// What a loader says when it waits for a key: for how long, if the line tells that. `None` when it is no such line.
pub fn countdown_ns(text: &str) -> Option<Option<i64>> {
    const WORDS: [&str; 14] = [
        "to stop autoboot",
        "to interrupt autoboot",
        "to abort autoboot",
        "utoboot in ",
        "stop auto-boot",
        "automatic boot in",
        "executed automatically in",
        "boot script in ",
        "to cancel boot",
        "ooting in ",
        "to stop boot",
        "to enter boot menu",
        "to enter boot command mode",
        "to stop auto run",
    ];
    let found = WORDS.iter().find_map(|words| Some((*words, text.find(words)?)));
    let (words, at) = found?;
    let behind = &text[at + words.len()..];
    // `... in 3.000 seconds`, `autoboot:  3`, `autoboot ... 2 s`, and `Press any key in 5 secs to stop autoboot`.
    let before = &text[..at];
    Some(number_ns(behind).or_else(|| {
        let (_, rest) = before.rsplit_once(" in ").or_else(|| before.rsplit_once("within "))?;
        number_ns(rest)
    }))
}

/// The first number: seconds, or milliseconds where it says so.
fn number_ns(text: &str) -> Option<i64> {
    let from = text.find(|c: char| c.is_ascii_digit())?;
    // Prose between stands for something else: `autoboot from 0x80000000`.
    if from > 12 {
        return None;
    }
    let digits = &text[from..];
    let end = digits
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(digits.len());
    let value: f64 = digits[..end].trim_end_matches('.').parse().ok()?;
    let unit = digits[end..].trim_start();
    let scale = if unit.starts_with("ms") { 1e6 } else { 1e9 };
    let ns = value * scale;
    // Longer than an hour is no countdown.
    (ns <= 3.6e12).then_some(ns as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wordings() {
        let s = |n: i64| Some(Some(n * 1_000_000_000));
        for (text, expected) in [
            ("Hit any key to stop autoboot:  3  2  1  0", s(3)),
            ("Hit any key to stop autoboot:  0", s(0)),
            ("Hit any key to stop autoboot:", Some(None)),
            ("== Executing boot script in 3.000 seconds - enter ^C to abort", s(3)),
            ("Autoboot in 5 seconds", s(5)),
            ("Press any key in 4 secs to stop autoboot", s(4)),
            ("The highlighted entry will be executed automatically in 5s.", s(5)),
            ("Booting in 2 seconds, press any key", s(2)),
            ("Autobooting in 1 seconds, press \"f\" to stop", s(1)),
            ("Press any key in 3 secs to enter boot command mode.", s(3)),
            ("*** Press any key to stop auto run (1 seconds) ***", s(1)),
            ("Hit ESC key to stop autoboot:  1", s(1)),
            ("Starting kernel ...", None),
        ] {
            assert_eq!(countdown_ns(text), expected, "{text}");
        }
    }
}

// SPDX-License-Identifier: MIT
//! Times as people write them: `~28s`, `two minutes`, `seven whole seconds`, `half a minute`, `120 second`, `zwei Minuten`,
//! `90 \u{79d2}`.

use std::borrow::Cow;

use super::languages::{words, Kind};
use super::words::is_unspaced;

/// Numbers in words: English, German, French, Spanish, Portuguese.
const NUMBERS: [(&str, f64); 52] = [
    ("a", 1.0),
    ("an", 1.0),
    ("one", 1.0),
    ("two", 2.0),
    ("three", 3.0),
    ("four", 4.0),
    ("five", 5.0),
    ("six", 6.0),
    ("seven", 7.0),
    ("eight", 8.0),
    ("nine", 9.0),
    ("ten", 10.0),
    ("twelve", 12.0),
    ("fifteen", 15.0),
    ("twenty", 20.0),
    ("thirty", 30.0),
    ("forty", 40.0),
    ("fifty", 50.0),
    ("sixty", 60.0),
    ("ninety", 90.0),
    ("eine", 1.0),
    ("zwei", 2.0),
    ("drei", 3.0),
    ("vier", 4.0),
    ("f\u{fc}nf", 5.0),
    ("sechs", 6.0),
    ("zehn", 10.0),
    ("zwanzig", 20.0),
    ("drei\u{df}ig", 30.0),
    ("une", 1.0),
    ("deux", 2.0),
    ("trois", 3.0),
    ("quatre", 4.0),
    ("cinq", 5.0),
    ("dix", 10.0),
    ("trente", 30.0),
    ("un", 1.0),
    ("dos", 2.0),
    ("tres", 3.0),
    ("cuatro", 4.0),
    ("cinco", 5.0),
    ("diez", 10.0),
    ("treinta", 30.0),
    ("um", 1.0),
    ("uma", 1.0),
    ("dois", 2.0),
    ("tr\u{ea}s", 3.0),
    ("quatro", 4.0),
    ("dez", 10.0),
    ("trinta", 30.0),
    ("half", 0.5),
    ("halben", 0.5),
];
/// Units of time, by how their names begin, in nanoseconds; other languages' are in their file.
const UNITS: [(&str, f64); 4] = [("millisecond", 1e6), ("second", 1e9), ("minut", 60e9), ("hour", 3600e9)];
/// The units of other languages.
const KINDS: [(Kind, f64); 3] = [(Kind::Second, 1e9), (Kind::Minute, 60e9), (Kind::Hour, 3600e9)];
/// Before these a minute's letter begins another word: `2 分区`.
const GO_ON: [char; 15] = [
    '区', '區', '支', '别', '析', '辨', '配', '割', '布', '之', '類', '离', '解', '할', '석',
];
/// The same, short: the whole word.
const SHORT: [(&str, f64); 13] = [
    ("s", 1e9),
    ("sec", 1e9),
    ("secs", 1e9),
    ("sek", 1e9),
    ("min", 60e9),
    ("mins", 60e9),
    ("ms", 1e6),
    ("msec", 1e6),
    ("us", 1e3),
    ("usec", 1e3),
    ("usecs", 1e3),
    ("hrs", 3600e9),
    ("hr", 3600e9),
];
/// Longer times are ages.
const LONGEST_NS: f64 = 24.0 * 3_600e9;

/// The longest time that a text in small letters names, in nanoseconds.
pub(crate) fn longest_in_words(lower: &str) -> Option<i64> {
    let halves = if lower.contains('½') {
        Cow::Owned(lower.replace(" ½", " 0.5").replace('½', ".5"))
    } else {
        Cow::Borrowed(lower)
    };
    let spaced = spaced(&halves);
    let words: Vec<&str> = spaced
        .split([' ', '-', '/', '\u{a0}', '~', '\u{301c}', '\u{ff5e}'])
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .collect();
    (0..words.len()).filter_map(|at| time_at(&words, at)).max()
}

/// With spaces where letters of a script without them meet digits: `需要90秒才能` as `需要 90 秒才能`.
fn spaced(lower: &str) -> Cow<'_, str> {
    if !lower.contains(is_unspaced) {
        return Cow::Borrowed(lower);
    }
    let mut out = String::with_capacity(lower.len() + 16);
    let mut last = ' ';
    for c in lower.chars() {
        if is_unspaced(last) && c.is_ascii_alphanumeric() || is_unspaced(c) && last.is_ascii_alphanumeric() {
            out.push(' ');
        }
        out.push(c);
        last = c;
    }
    Cow::Owned(out)
}

fn time_at(words: &[&str], at: usize) -> Option<i64> {
    let word = words[at];
    // `half a minute` is less than one.
    if matches!(word, "a" | "an") && at > 0 && words[at - 1] == "half" {
        return None;
    }
    let end = word
        .find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',')
        .unwrap_or(word.len());
    let ns = if end > 0 {
        let number: f64 = word[..end]
            .trim_end_matches(['.', ','])
            .replace(',', ".")
            .parse()
            .ok()?;
        let unit = if end < word.len() {
            &word[end..]
        } else {
            let mut behind = words[at + 1..].iter();
            behind.find(|word| !matches!(**word, "additional" | "extra" | "more" | "whole" | "full" | "long"))?
        };
        if let Some(ns) = minutes_and_seconds(word, words.get(at + 1)) {
            return Some(ns);
        }
        let less = unit
            .strip_prefix('m')
            .filter(|rest| end < word.len() && rest.ends_with('s'));
        if let Some(seconds) = less.and_then(|rest| rest[..rest.len() - 1].parse::<u8>().ok()) {
            // `4m30s`
            number * 60e9 + f64::from(seconds) * 1e9
        } else {
            let minutes = unit_ns(unit)?;
            // `1min 30s`
            let seconds = words.get(at + 1).filter(|_| minutes > 59e9 && end < word.len());
            let seconds = seconds.and_then(|next| next.strip_suffix('s')?.parse::<u8>().ok());
            number * minutes + f64::from(seconds.unwrap_or(0)) * 1e9
        }
    } else if word == "hundreds" && words.get(at + 1) == Some(&"of") {
        100.0 * unit_ns(words.get(at + 2)?)?
    } else {
        let (_, number) = NUMBERS.iter().find(|(name, _)| *name == word)?;
        // `seven whole seconds`, `half a minute`
        let mut behind = words[at + 1..].iter().take(3).skip_while(|word| is_filler(word));
        // `a few seconds` names none, and a bare `a s` is nothing.
        let unit = behind.next().filter(|unit| unit.len() > 3)?;
        // `a second try` counts tries.
        let counted = (*number - 1.0).abs() > 0.1 || word == "one" || unit_ns(unit)? > 1e9;
        number * unit_ns(unit).filter(|_| counted)?
    };
    (1.0..=LONGEST_NS).contains(&ns).then_some(ns as i64)
}

/// `5:15min`, `1:20 minutes`
fn minutes_and_seconds(word: &str, next: Option<&&str>) -> Option<i64> {
    let (minutes, rest) = word.split_once(':')?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let unit = Some(&rest[digits..])
        .filter(|unit| !unit.is_empty())
        .or(next.copied())?;
    let (minutes, seconds) = (minutes.parse::<u8>().ok()?, rest[..digits].parse::<u8>().ok()?);
    let whole = digits == 2 && seconds < 60 && (unit_ns(unit)? - 60e9).abs() < 1.0;
    whole.then(|| (i64::from(minutes) * 60 + i64::from(seconds)) * 1_000_000_000)
}

fn is_filler(word: &str) -> bool {
    matches!(
        word,
        "whole" | "full" | "good" | "a" | "an" | "more" | "extra" | "or" | "to" | "long"
    ) || NUMBERS.iter().any(|(name, number)| *name == word && *number > 1.0)
}

fn unit_ns(word: &str) -> Option<f64> {
    let short = SHORT.iter().find(|(name, _)| *name == word);
    let ending = |rest: &str| rest.chars().count() <= 2 && rest != "ly";
    let named = |name: &str| {
        let rest = word.strip_prefix(name);
        rest.is_some_and(|rest| {
            if name.starts_with(is_unspaced) {
                !rest.starts_with(GO_ON)
            } else {
                ending(rest)
            }
        })
    };
    let long = || UNITS.iter().find(|(name, _)| named(name)).map(|(_, ns)| *ns);
    let other = || {
        let known = |kind: &Kind| words(*kind).iter().any(|name| named(name.trim_end()));
        KINDS.iter().find(|(kind, _)| known(kind)).map(|(_, ns)| *ns)
    };
    short.map(|(_, ns)| *ns).or_else(long).or_else(other)
}

#[cfg(test)]
mod tests {
    use super::longest_in_words;

    #[test]
    fn times_in_words_and_digits() {
        for (text, ms) in [
            ("an extra 230 seconds because", 230_000),
            ("~28s", 28_000),
            ("just over two minutes, to less than 10 seconds", 120_000),
            ("up to five whole seconds before", 5_000),
            ("the 120 second default", 120_000),
            ("a 30-second wait", 30_000),
            ("half a minute", 30_000),
            ("one or two minutes", 120_000),
            ("fast eine minute lang", 60_000),
            ("dos minutos y medio", 120_000),
            ("\u{7b49}\u{5f85} 90 \u{79d2}", 90_000),
            ("1.5 min", 90_000),
            ("it took 4m30s, then 12s", 270_000),
            ("(1min 30s / no limit)", 90_000),
            ("some hundreds of milliseconds", 100),
            ("half an hour", 1_800_000),
            ("126 additional seconds", 126_000),
            ("6-8 hours", 28_800_000),
            ("需要90秒才能", 90_000),
            ("两次，5分钟", 300_000),
            ("9.5秒", 9_500),
            ("30 secondi", 30_000),
            ("90 секунд", 90_000),
            ("2 minutes et", 120_000),
            ("5:15min => zu lang", 315_000),
            ("1:20 minuten", 80_000),
            ("the 3½ minutes", 210_000),
        ] {
            assert_eq!(longest_in_words(text), Some(ms * 1_000_000), "{text}");
        }
    }

    #[test]
    fn no_times() {
        for text in [
            "",
            "a few seconds",
            "the second boot",
            "a second try",
            "12 apples",
            "2 secondary x9s",
            "2 分区",
            "48 hours",
        ] {
            assert_eq!(longest_in_words(text), None, "{text}");
        }
    }
}

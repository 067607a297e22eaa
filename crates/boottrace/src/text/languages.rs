// SPDX-License-Identifier: MIT
//! The words of other languages than English for a start, its time and its causes, from one file, `languages.txt`.

use std::sync::OnceLock;

use super::words::{find, holds};

/// The file: a language, a kind and the words, one line each.
const FILE: &str = include_str!("languages.txt");

/// Kinds of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Start,
    Lasts,
    Slow,
    Waits,
    Cause,
    Found,
    Mended,
    Because,
    Likely,
    Hint,
    Thing,
    Asks,
    Denied,
    Own,
    Guide,
    Second,
    Minute,
    Hour,
}

/// As the file calls them.
const KINDS: [(&str, Kind); 18] = [
    ("start", Kind::Start),
    ("lasts", Kind::Lasts),
    ("slow", Kind::Slow),
    ("waits", Kind::Waits),
    ("cause", Kind::Cause),
    ("found", Kind::Found),
    ("mended", Kind::Mended),
    ("because", Kind::Because),
    ("likely", Kind::Likely),
    ("hint", Kind::Hint),
    ("thing", Kind::Thing),
    ("asks", Kind::Asks),
    ("denied", Kind::Denied),
    ("own", Kind::Own),
    ("guide", Kind::Guide),
    ("second", Kind::Second),
    ("minute", Kind::Minute),
    ("hour", Kind::Hour),
];

/// The words of one kind, of all languages.
pub(crate) fn words(kind: Kind) -> &'static [&'static str] {
    static WORDS: OnceLock<Vec<Vec<&'static str>>> = OnceLock::new();
    let all = WORDS.get_or_init(|| KINDS.iter().map(|(name, _)| of_file(name)).collect());
    &all[kind as usize]
}

/// Does a text in small letters say so, in English (words that `|` divides) or in another language?
pub(crate) fn says(lower: &str, english: &str, kind: Kind) -> bool {
    holds(lower, english) || says_otherwise(lower, kind)
}

/// The same, in another language than English.
pub(crate) fn says_otherwise(lower: &str, kind: Kind) -> bool {
    // Most texts are English: words of other scripts are not looked for in them.
    let plain = lower.is_ascii();
    let mut known = words(kind).iter().filter(|word| !plain || word.is_ascii());
    known.any(|word| find(lower, word).is_some())
}

fn of_file(kind: &str) -> Vec<&'static str> {
    let rows = FILE.lines().filter(|line| !line.starts_with('#'));
    let of_kind = rows.filter_map(|line| {
        let (_, rest) = line.split_once(' ')?;
        let (name, words) = rest.split_once(' ')?;
        (name == kind).then_some(words)
    });
    let mut out: Vec<&'static str> = of_kind.flat_map(|words| words.split('|')).collect();
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A word that is empty or has a capital letter would be found everywhere, or nowhere.
    #[test]
    fn the_file_is_whole() {
        let rows: Vec<&str> = FILE
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .collect();
        for row in &rows {
            let kind = row.split(' ').nth(1).unwrap_or("");
            assert!(KINDS.iter().any(|(name, _)| *name == kind), "{row}");
        }
        for (at, (name, kind)) in KINDS.iter().enumerate() {
            assert_eq!(*kind as usize, at, "{name}");
            assert!(words(*kind).len() > 5, "{name}");
            for word in words(*kind) {
                assert!(
                    !word.trim().is_empty() && word.to_lowercase() == *word,
                    "{name}: {word}"
                );
            }
        }
    }
}

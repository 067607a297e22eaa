// SPDX-License-Identifier: MIT
//! Whether a line is a person's sentence or a machine's message.

use crate::log::any_stamp;

/// A machine's message may be a whole sentence; it begins so.
const OF_MACHINES: [&str; 12] = [
    "Waiting",
    "Still",
    "Timed",
    "Timeout",
    "Gave",
    "Giving",
    "Failed",
    "Starting",
    "Retry",
    "A start",
    "Dependency",
    "No ",
];

/// Does somebody write to somebody? A machine says neither I nor you, asks nothing, and begins a new sentence seldom.
pub(super) fn is_sentence(text: &str) -> bool {
    const WORDS: [&str; 37] = [
        "i", "i'm", "i've", "my", "me", "we", "our", "you", "your", "it's", "but", "because", "when", "then", "so",
        "if", "this", "that", "which", "there", "they", "would", "could", "should", "maybe", "seems", "please",
        "thanks", "here", "here's", "where", "hello", "hi", "also", "just", "after", "what",
    ];
    /// Words that bind a sentence; a machine's message has few.
    const BINDS: [&str; 20] = [
        "the", "a", "an", "of", "to", "is", "are", "was", "it", "and", "or", "on", "in", "at", "with", "by", "as",
        "be", "has", "have",
    ];
    if text.ends_with('?') {
        return true;
    }
    // A line that is stamped is a machine's.
    if any_stamp::of(text).is_some() {
        return false;
    }
    let count = |words: &[&str]| {
        let spoken = text.split([' ', ',', '.']).map(str::to_ascii_lowercase);
        spoken.filter(|word| words.contains(&word.as_str())).count()
    };
    let (found, all) = (count(&WORDS), text.split(' ').count());
    // A heading of a list, a point of one, and a plain sentence of some words.
    let listed = text
        .split_once(") ")
        .is_some_and(|(number, _)| matches!(number.len(), 1 | 2) && number.bytes().all(|b| b.is_ascii_digit()));
    let plain = text.starts_with(|c: char| c.is_ascii_uppercase())
        && text.ends_with(['.', ':'])
        && all >= 5
        && count(&BINDS) >= 1
        && !text.contains(['[', '=', '/', '_', '<'])
        && !text.contains(": ")
        && !OF_MACHINES.iter().any(|start| text.starts_with(start));
    if listed || plain {
        return true;
    }
    found >= 2 || (found == 1 && all > 12) || (all > 10 && count(&BINDS) >= 4)
}

// SPDX-License-Identifier: MIT
//! Lines that a person writes around a log.

use super::any_stamp;

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

/// Is this a list of modules' or devices' names, as the kernel prints it in one long line that a mail then breaks? No
/// word of it is a sentence's, and some are names with marks inside.
pub(crate) fn lists_names(text: &str) -> bool {
    const LEAST: usize = 5;
    let name = |word: &str| {
        let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-' | '(' | ')');
        word.chars().all(inner)
    };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let marked = words.iter().filter(|word| word.contains('_')).count();
    words.len() >= LEAST && marked * 4 >= words.len() && words.iter().all(|word| name(word))
}

/// Does somebody write to somebody? A machine says neither I nor you, asks nothing, and begins a new sentence seldom.
pub(crate) fn is_sentence(text: &str) -> bool {
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
    let bound = count(&BINDS);
    if all >= 8 && goes_on(text) {
        return true;
    }
    // A line of a paragraph that somebody broke.
    let broken = bound >= 4 && bound * 2 >= all;
    found >= 2 || (found == 1 && all > 12) || (all > 10 && bound >= 4) || broken
}

/// Does a sentence end inside the line, or join another with a comma?
fn goes_on(text: &str) -> bool {
    let signs = ['[', '=', '_', '<', '/'];
    let ends = text.match_indices(". ").any(|(at, _)| {
        let word = text[..at].rsplit(' ').next().unwrap_or("");
        let lower = word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase());
        lower && text[at + 2..].starts_with(|c: char| c.is_ascii_uppercase())
    });
    let joins = [", and ", ", but ", ", so ", ", or "]
        .iter()
        .any(|word| text.contains(word));
    (ends || joins) && !text.contains(signs)
}

/// `- Shows the timeout.`: an item of a list that is a sentence says what is done, or what is to be expected.
pub fn is_item(row: &str) -> bool {
    let text = row
        .strip_prefix("- ")
        .or_else(|| row.strip_prefix("* "))
        .unwrap_or("")
        .trim();
    text.starts_with(char::is_uppercase) && text.ends_with('.') && !text.ends_with("..") && !text.contains(": ")
}

#[cfg(test)]
mod tests {
    use super::is_sentence;

    #[test]
    fn people_write_so() {
        for text in [
            "Do you have an image on that card? It is just stopped at the loader.",
            "In the log it looks like the job for the frob blocks it.",
            "a limit within the driver of the frob and was",
            "interfaces and timing out. That function waits for 12 seconds",
            "before giving up, and the time difference between the two",
        ] {
            assert!(is_sentence(text), "{text}");
        }
    }

    #[test]
    fn machines_write_so() {
        for text in [
            "Waiting for the frob to appear.",
            "U-Boot SPL 2031.01 (Jan 01 2031 - 00:00:00)",
            "Found U-Boot script /boot.scr",
            "In:    serial",
            "switch to partitions #0, OK",
            "[    1.000000] the frob is on it and the quux is on that",
        ] {
            assert!(!is_sentence(text), "{text}");
        }
    }
}

// SPDX-License-Identifier: MIT
//! What a person writes of a slow boot, where no line of any log stands beside it: quoted as that person's words, with no
//! time of its own, because nothing here shows it.

use super::cost::Cost;
use super::kind::CostKind;
use super::stated_time::length;
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// More lines are a document, and no question.
pub(super) const MOST: usize = 80;
/// A paragraph speaks of a boot ...
const OF_A_BOOT: [&str; 9] = [
    "to start",
    "grub",
    "boot",
    "startup",
    "start-up",
    "start up",
    "initramfs",
    "login prompt",
    "login screen",
];
/// ... and a sentence of it of something that takes time ...
const TAKES: [&str; 15] = [
    "hung", "take", "took", "adds", "added", "wait", "hang", "stuck", "delay", "slow", "pause", "block", "long",
    " go by", " pass ",
];
/// ... and of no wish, setting or measure of somebody else.
const WISHES: [&str; 12] = [
    "should",
    "would",
    "could",
    "reduced",
    "less than",
    "faster",
    "instead of",
    "limit",
    "set the",
    "set to",
    "default",
    " now ",
];

/// The sentence that says most of what takes how long.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Cost> {
    longest(lines).map(|(cost, _)| cost)
}

/// The same, and the longest time that it names.
pub(crate) fn longest<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<(Cost, i64)> {
    let lines: Vec<&Line> = lines.take(MOST + 1).collect();
    if lines.len() > MOST {
        return None;
    }
    let paragraphs = paragraphs(&lines);
    let mut best: Option<(usize, &str, u32)> = None;
    for (text, number) in &paragraphs {
        // What a paragraph speaks of, its sentences do.
        let lower = text.to_ascii_lowercase();
        if !OF_A_BOOT.iter().any(|word| lower.contains(word)) {
            continue;
        }
        // A suspend is no boot.
        let woken = lower.matches("resume").count() + lower.matches("suspend").count();
        if woken > lower.matches("boot").count() {
            continue;
        }
        for sentence in sentences(text) {
            let worth = worth(sentence);
            if worth > best.map_or(0, |(most, ..)| most) {
                best = Some((worth, sentence, *number));
            }
        }
    }
    best.map(|(_, sentence, number)| {
        (
            quoted("a person writes", "a person", sentence, number),
            named_time(&sentence.to_ascii_lowercase()).unwrap_or(0),
        )
    })
}

/// A sentence that no log here shows, in the words of the person or the text that says so.
pub(super) fn quoted(opening: &str, whose: &str, sentence: &str, number: u32) -> Cost {
    Cost::without_time(
        CostKind::StatedTime,
        format!("{opening} `{}`", shorten(sentence)),
        number,
        format!("these are the words of {whose}; no log here shows it"),
        "add the log of that boot: the kernel's messages, or systemd-analyze's account of it",
    )
}

/// Lines that a mail or an editor broke are one text; each with the number of its first line.
fn paragraphs(lines: &[&Line]) -> Vec<(String, u32)> {
    const BROKEN: usize = 40;
    const LONGEST: usize = 3000;
    let mut out: Vec<(String, u32)> = Vec::new();
    let mut last: Option<&Line> = None;
    for line in lines {
        let text = line.text.trim_start_matches(['>', ' ']).trim_end();
        let begins =
            text.starts_with(['*', '-', '|', '#', '`', '<', '[']) || text.starts_with(|c: char| c.is_ascii_digit());
        let broken = last.is_some_and(|last| {
            last.number + 1 == line.number && last.text.len() >= BROKEN && !last.text.trim_end().ends_with([':', '`'])
        });
        match out
            .last_mut()
            .filter(|(all, _)| broken && !begins && all.len() + text.len() < LONGEST)
        {
            Some((all, _)) => {
                all.push(' ');
                all.push_str(text);
            }
            None => out.push((text.to_owned(), line.number)),
        }
        last = Some(line);
    }
    out
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let text = text.trim_start_matches(['>', '#', '*', '-', ' ']);
    text.split_inclusive(['.', '!', '?'])
        .scan(0, move |from, part| {
            let begin = *from;
            *from += part.len();
            Some((begin, *from))
        })
        .fold(Vec::new(), |mut found: Vec<(usize, usize)>, (begin, end)| {
            // A point inside a number or a name ends no sentence.
            match found.last_mut() {
                Some(last) if !text[begin..].starts_with(' ') => last.1 = end,
                _ => found.push((begin, end)),
            }
            found
        })
        .into_iter()
        .map(move |(begin, end)| text[begin..end].trim())
}

/// How much a sentence says; nothing where it names no time, or nothing that takes it.
fn worth(sentence: &str) -> usize {
    let lower = sentence.to_ascii_lowercase();
    let count = |words: &[&str]| words.iter().filter(|word| lower.contains(*word)).count();
    let asks = sentence.ends_with('?') && !sentence.ends_with("!?");
    if count(&WISHES) > 0 || asks || named_time(&lower).is_none() {
        return 0;
    }
    let named = sentence.split(' ').any(|word| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains('`') || inner.contains(['.', '_', '/']) && inner.contains(|c: char| c.is_ascii_alphabetic())
    });
    let takes = count(&TAKES);
    if takes == 0 {
        0
    } else {
        takes + usize::from(named)
    }
}

/// `20 seconds`, `2+ minutes`, `1.5 min`.
fn named_time(lower: &str) -> Option<i64> {
    let words: Vec<&str> = lower
        .split(' ')
        .map(|word| word.trim_matches(['*', '(', ')', ',', '~', '.', '+']))
        .collect();
    let times = (0..words.len()).filter_map(|at| {
        let next = words.get(at + 1).copied();
        // Of `25-30 seconds` the longer.
        let number = words[at].trim_end_matches('+');
        let number = number.rsplit('-').next().unwrap_or(number);
        length(number, next, &['.', ',', ')', ';', '!', ':'])
    });
    times.max().filter(|ns| *ns >= 1_000_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn told(texts: &[&str]) -> Option<(String, u32)> {
        let lines = lines_of(&texts.join("\n"));
        of_lines(lines.iter()).map(|cost| (cost.title, cost.lines[0]))
    }

    #[test]
    fn the_sentence_that_says_most() {
        let text = [
            "Hello. My frob is new.",
            "It boots. The frobs v1.5 of quux.service take 7 seconds each, so 21 seconds of delay at boot.",
            "Booting takes 2+ minutes.",
        ];
        let (title, line) = told(&text).unwrap();
        assert!(title.contains("so 21 seconds of delay at boot."), "{title}");
        assert!(title.contains("The frobs v1.5"), "{title}");
        assert_eq!(line, 2);
    }

    #[test]
    fn what_says_nothing() {
        for text in [
            "",
            "The build takes 20 seconds.",
            "A boot should take 5 seconds.",
            "Booting is slow.",
            "Does your boot take 20 seconds?",
            "With that my boot is reduced to 4 seconds, it took long.",
        ] {
            assert_eq!(told(&[text]), None, "{text}");
        }
    }
}

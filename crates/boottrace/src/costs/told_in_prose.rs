// SPDX-License-Identifier: MIT
//! What a person writes of a slow boot, where no line of any log stands beside it: quoted as that person's words, with no
//! time of its own, because nothing here shows it. Where the sentence that holds the time names nothing, the one beside it or
//! the title is quoted too.

use super::cost::Cost;
use super::kind::CostKind;
use super::prose::{around, found_at_last, names, paragraphs, sentences, title};
use super::stated_time::length;
use crate::log::line::Line;
use crate::text::spoken_time::longest_in_words;

/// More lines are a document, and no question.
pub(super) const MOST: usize = 80;
/// Sentences quoted.
const QUOTES: usize = 3;
/// A paragraph, or the text's title, speaks of a boot ...
const OF_A_BOOT: [&str; 13] = [
    "to start",
    "grub",
    "boot",
    "startup",
    "start-up",
    "start up",
    "initramfs",
    "login prompt",
    "login screen",
    "firmware loading",
    "initrd",
    "rootfs",
    "pxe",
];
/// ... and a sentence of it of something that takes time ...
const TAKES: [&str; 22] = [
    "hung", "take", "taking", "took", "adds", "added", "wait", "hang", "stuck", "delay", "slow", "pause", "block",
    "long", " go by", " pass ", " lost ", " spent", " vs ", " versus ", " spend ", "increas",
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

/// A sentence of a text, with what it says.
struct Said<'a> {
    paragraph: usize,
    at: usize,
    text: &'a str,
    worth: usize,
    ns: i64,
}

/// The same, and the longest time that it names.
pub(crate) fn longest<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<(Cost, i64)> {
    let lines: Vec<&Line> = lines.take(MOST + 1).collect();
    if lines.len() > MOST {
        return None;
    }
    let title = title(&lines);
    let paragraphs = paragraphs(&lines);
    let divided: Vec<Vec<&str>> = paragraphs.iter().map(|one| sentences(&one.text)).collect();
    let titled = title.as_ref().is_some_and(|(title, _)| of_a_boot(title));
    let slow = title
        .as_ref()
        .is_some_and(|(title, _)| title.to_ascii_lowercase().contains("slow"));
    let mut said: Vec<Said> = Vec::new();
    for (paragraph, all) in divided.iter().enumerate() {
        if !(titled || of_a_boot(&paragraphs[paragraph].text)) || of_a_resume(&paragraphs[paragraph].text) {
            continue;
        }
        said.extend(all.iter().enumerate().filter_map(|(at, text)| {
            let (worth, ns) = worth(text, slow)?;
            Some(Said {
                paragraph,
                at,
                text,
                worth,
                ns,
            })
        }));
    }
    // Of equals the first.
    let best = said.iter().rev().max_by_key(|one| one.worth)?;
    let mut quotes = vec![around(best.text, time_at(best.text))];
    let beside = beside(&divided[best.paragraph], best.at);
    if names(best.text) == 0 {
        match (beside, &title) {
            (Some((text, true)), _) => quotes.insert(0, around(text, 0)),
            (Some((text, false)), _) => quotes.push(around(text, 0)),
            (None, Some((title, number))) if tells(title) && *number != paragraphs[best.paragraph].number => {
                quotes.insert(0, around(title, 0));
            }
            _ => {}
        }
    }
    // The title calls something slow, of which the sentence tells how long.
    let heads = title.as_ref().map(|(title, _)| around(title, 0));
    let heads = heads.filter(|title| slow && tells(title) && !quotes.contains(title) && !best.text.contains("slow"));
    if let Some(title) = heads {
        quotes.insert(0, title);
    }
    let longer = said
        .iter()
        .rev()
        .max_by_key(|one| one.ns)
        .filter(|one| one.ns > best.ns);
    quotes.extend(longer.map(|one| around(one.text, time_at(one.text))));
    quotes.extend(found_at_last(&paragraphs, paragraphs[best.paragraph].number));
    quotes.truncate(QUOTES);
    let cost = quoted(
        "a person writes",
        "a person",
        &quotes,
        paragraphs[best.paragraph].number,
    );
    Some((cost, longer.map_or(best.ns, |one| one.ns)))
}

fn of_a_boot(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    OF_A_BOOT.iter().any(|word| lower.contains(word))
}

/// Does a title name something, or a start? A form's heading says nothing.
fn tells(title: &str) -> bool {
    names(title) > 0 || of_a_boot(title)
}

/// A suspend is no boot.
fn of_a_resume(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let woken = lower.matches("resume").count() + lower.matches("suspend").count();
    woken > lower.matches("boot").count()
}

/// The sentence before another that names something, and else the one behind it; `true` for the one before.
fn beside<'a>(all: &[&'a str], at: usize) -> Option<(&'a str, bool)> {
    let named = |at: usize| {
        all.get(at)
            .copied()
            .filter(|text| names(text) > 0 && !text.ends_with('?'))
    };
    let before = at.checked_sub(1).and_then(named).map(|text| (text, true));
    before.or_else(|| Some((named(at + 1)?, false)))
}

/// Sentences that no log here shows, in the words of the person or the text that says so.
pub(super) fn quoted(opening: &str, whose: &str, quotes: &[String], number: u32) -> Cost {
    let quotes: Vec<String> = quotes.iter().map(|text| format!("`{text}`")).collect();
    let quotes = match quotes.as_slice() {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        all => all.concat(),
    };
    Cost::without_time(
        CostKind::StatedTime,
        format!("{opening} {quotes}"),
        number,
        format!("these are the words of {whose}; no log here shows it"),
        "add the log of that boot: the kernel's messages, or systemd-analyze's account of it",
    )
}

/// How much a sentence says, and the longest time that it names; none where it names no time, or nothing that takes it.
/// `slow`: the text's title calls something slow, so that its times are of that.
fn worth(sentence: &str, slow: bool) -> Option<(usize, i64)> {
    // So people tell what was, too.
    let lower = sentence.to_ascii_lowercase();
    let told = if lower.contains(" if ") {
        lower.clone()
    } else {
        lower.replace("would take ", "take ")
    };
    let told = if told.contains("delay") || told.contains("slow") {
        told.replace(" now ", " ")
    } else {
        told
    };
    let wishes = WISHES.iter().any(|word| told.contains(word));
    let asks = sentence.ends_with('?') && !sentence.ends_with("!?");
    let ns = named_time(&lower).filter(|_| !wishes && !asks)?;
    let takes = TAKES.iter().filter(|word| told.contains(*word)).count();
    let named = sentence.split(' ').any(|word| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        word.contains('`') || inner.contains(['.', '_', '/']) && inner.contains(|c: char| c.is_ascii_alphabetic())
    });
    (takes > 0 || slow).then_some((takes + usize::from(named), ns))
}

/// Where the longest time of a sentence stands in it.
fn time_at(sentence: &str) -> usize {
    let lower = sentence.to_ascii_lowercase();
    let most = named_time(&lower);
    let ends = lower.match_indices(' ').map(|(at, _)| at).chain([lower.len()]);
    ends.into_iter()
        .find(|end| named_time(&lower[..*end]) == most)
        .unwrap_or(0)
}

/// `20 seconds`, `2+ minutes`, `1.5 min`, `a minute`, `half an hour`.
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
        let closing = ['.', ',', ')', ';', '!', ':'];
        length(number, next, &closing)
    });
    times
        .chain(longest_in_words(lower))
        .max()
        .filter(|ns| *ns >= 1_000_000_000)
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
    fn what_stands_beside_the_time() {
        let told = |texts: &[&str]| told(texts).unwrap().0;
        assert_eq!(
            told(&["The frob's u-boot scans usb first. This adds 7-9 seconds of delay at boot."]),
            "a person writes `The frob's u-boot scans usb first.` and `This adds 7-9 seconds of delay at boot.`"
        );
        assert_eq!(
            told(&[
                "# Quuxd makes boots long on the frob",
                "",
                "",
                "Waiting 3 minutes to boot"
            ]),
            "a person writes `Quuxd makes boots long on the frob` and `Waiting 3 minutes to boot`"
        );
        let text = [
            "The frob took about 50 minutes to boot.",
            "",
            "Solved: I took console=ttyQ7 out of the menu.",
        ];
        assert!(told(&text).ends_with("and `Solved: I took console=ttyQ7 out of the menu.`"));
        let text = [
            "# Frob boot times",
            "",
            "With quux and without it there is a difference: 9s vs 18s.",
        ];
        assert!(told(&text).ends_with("`With quux and without it there is a difference: 9s vs 18s.`"));
        assert!(told(&["For the BIOS to boot the frob would take over a minute."]).contains("over a minute"));
        assert!(
            told(&["It boots, ca. 7 minutes (approx. 8 minutes with frobs) are spent."]).contains("frobs) are spent.")
        );
        let long = format!(
            "{} and then boot takes 77 seconds in the frob.",
            "many words ".repeat(40)
        );
        assert!(told(&[&long]).contains("takes 77 seconds in the frob."));
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

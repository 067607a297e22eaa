// SPDX-License-Identifier: MIT
//! Sentences in which somebody says what a start waits for, or how much shorter it became: `it takes 230 seconds more because
//! fsck runs`, `reduced from two minutes`, `before: 28 s`. Quoted in that person's words, for no log here shows them. What
//! the text's title names, its sentences speak of. English; German, French, Spanish, Portuguese, Russian, Chinese where the
//! words leave no doubt.

use super::cost::Cost;
use super::prose::{around, names, paragraphs, sentences, speaks_of_a_start, title};
use super::told_in_prose::{quoted, MOST};
use crate::log::line::Line;
use crate::text::spoken_time::longest_in_words;

/// Sentences told.
const LISTED: usize = 2;
/// A shorter time is no wait.
const SHORTEST_NS: i64 = 1_000_000_000;

/// The text, or the paragraph, speaks of a start, also in these words ...
const OF_A_START: [&str; 2] = ["cloud-init", "login prompt"];
/// ... and of nothing that ends, or wakes up.
const OF_ANOTHER: [&str; 9] = [
    "shutdown",
    "shut down",
    "shutting down",
    "stop job",
    "suspend",
    "resume",
    "hibernat",
    "powering off",
    "log out",
];
/// Words that name what is waited for.
const WAITS: [&str; 6] = [
    "waits for",
    "wait for",
    "waiting for",
    "waiting on",
    "blocks",
    "blocking",
];
/// Words behind which a cause stands.
const CAUSES: [&str; 15] = [
    "because",
    "due to",
    "caused by",
    "the culprit",
    "weil ",
    "wegen ",
    "\u{fc}belt\u{e4}ter",
    "parce que",
    "\u{e0} cause d",
    "porque ",
    "por causa d",
    "debido a",
    "\u{438}\u{437}-\u{437}\u{430} ",
    "\u{56e0}\u{4e3a}",
    "\u{7531}\u{4e8e}",
];
/// Words for what lasts.
const LASTS: [&str; 25] = [
    "take",
    "taking",
    "took",
    "spend",
    "spent",
    "slow",
    "delay",
    "longer",
    "hang",
    "stuck",
    "adds ",
    "extra ",
    "increases",
    "activating for",
    "wait",
    "need",
    "dauert",
    "brauch",
    "lang ",
    "aufhielt",
    "tarda",
    "demora",
    "prend ",
    "bloque",
    "\u{434}\u{43e}\u{43b}\u{433}",
];
/// Words of a start that became shorter: the time behind them was lost before.
const SHORTER: [&str; 8] = [
    "reduced from",
    "reduced my boot",
    "reduces boot",
    "down from",
    "sped up",
    "speeds up",
    "cut down from",
    "faster by",
];
/// What is wished, or not so.
const NOT: [&str; 13] = [
    "should",
    "would be",
    "no longer",
    "less than",
    "never ",
    "http://",
    "https://",
    "if you want",
    "uptime",
    "every ",
    "per second",
    "after you log in",
    "whether",
];

/// The sentences that say most, the surest first; none where the text is a document or speaks of something else.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let lines: Vec<&Line> = lines.take(MOST + 1).collect();
    if lines.len() > MOST {
        return Vec::new();
    }
    let title = title(&lines).map_or(String::new(), |(title, _)| title);
    let speaking = lines
        .iter()
        .filter(|line| speaks_of_a_start(&line.text.to_lowercase(), &OF_A_START))
        .count();
    if holds(&title.to_lowercase(), &OF_ANOTHER) || speaking == 0 {
        return Vec::new();
    }
    let of_a_start = speaking > 1 || speaks_of_a_start(&title.to_lowercase(), &OF_A_START);
    let mut found: Vec<(usize, Cost)> = Vec::new();
    let spoken: Vec<&Line> = lines.iter().copied().filter(|line| is_prose(line)).collect();
    for paragraph in paragraphs(&spoken) {
        let near = of_a_start || speaks_of_a_start(&paragraph.text.to_lowercase(), &OF_A_START);
        for sentence in sentences(&paragraph.text) {
            let worth = worth(sentence, near);
            if worth > 0 {
                found.push((worth, of_sentence(sentence, paragraph.number, &title)));
            }
        }
    }
    found.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
    let before = before_and_after(&lines).map(|(sentence, number)| of_sentence(&sentence, number, &title));
    before
        .into_iter()
        .chain(found.into_iter().map(|(_, cost)| cost))
        .take(LISTED)
        .collect()
}

/// The sentence, and the title where only that says who `it` is.
fn of_sentence(sentence: &str, number: u32, title: &str) -> Cost {
    let mut quotes = vec![around(sentence, place(sentence))];
    if names(sentence) == 0 && !title.is_empty() && !sentence.contains(title) {
        quotes.insert(0, around(title, 0));
    }
    quoted("a person writes", "a person", &quotes, number)
}

/// Where in a sentence its cause stands.
fn place(sentence: &str) -> usize {
    let lower = sentence.to_ascii_lowercase();
    let marks = CAUSES.iter().chain(&WAITS).chain(&SHORTER).chain(&LASTS);
    marks.filter_map(|word| lower.find(word)).min().unwrap_or(0)
}

/// A machine's line, a table's row and a command are no sentences.
fn is_prose(line: &Line) -> bool {
    let text = line.text.trim_start();
    !line.has_kernel_prefix() && line.process.is_none() && !text.starts_with(['|', '$', '[', '{', '+'])
}

fn holds(lower: &str, words: &[&str]) -> bool {
    words.iter().any(|word| lower.contains(word))
}

/// How much a sentence says of a wait at a start. `near`: what stands around it speaks of one.
fn worth(sentence: &str, near: bool) -> usize {
    let lower = sentence.to_lowercase();
    let asks = lower.ends_with('?') && !lower.contains("why ");
    if asks || holds(&lower, &NOT) && !holds(&lower, &SHORTER) || holds(&lower, &OF_ANOTHER) {
        return 0;
    }
    let of_a_start = speaks_of_a_start(&lower, &OF_A_START);
    if !of_a_start && !near {
        return 0;
    }
    let timed = longest_in_words(&lower).is_some_and(|ns| ns >= SHORTEST_NS);
    let (reasoned, waits) = (holds(&lower, &CAUSES), holds(&lower, &WAITS));
    let (caused, lasts, shorter) = (reasoned || waits, holds(&lower, &LASTS), holds(&lower, &SHORTER));
    let named = names(sentence) > 0;
    let told = (timed && (caused || (lasts && named) || (shorter && of_a_start)))
        || (of_a_start && lasts && (reasoned || (waits && named)))
        || (of_a_start && lasts && lower.contains("boot time") && lower.contains("significantly"));
    if !told {
        return 0;
    }
    4 * usize::from(timed)
        + 2 * usize::from(named)
        + 2 * usize::from(caused)
        + usize::from(of_a_start)
        + usize::from(lasts)
}

/// `- before: ~28s` with `- after: ~18s` behind it.
fn before_and_after(lines: &[&Line]) -> Option<(String, u32)> {
    let bare = |line: &Line| line.text.trim().trim_start_matches(['-', '*', ' ']).to_owned();
    let starts = |text: &str, words: [&str; 2]| words.iter().any(|word| text.to_lowercase().starts_with(word));
    let timed = |text: &str| longest_in_words(&text.to_lowercase());
    lines.windows(2).find_map(|two| {
        let (before, after) = (bare(two[0]), bare(two[1]));
        let short = before.len() < 60 && after.len() < 60;
        let pair = starts(&before, ["before:", "before ("]) && starts(&after, ["after:", "after ("]);
        let less = timed(&before)? > timed(&after)? && timed(&before)? >= SHORTEST_NS;
        (short && pair && less).then(|| (format!("{before}; {after}"), two[0].number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn told(text: &str) -> Vec<String> {
        let lines = lines_of(text);
        of_lines(lines.iter()).into_iter().map(|cost| cost.title).collect()
    }

    #[test]
    fn sentences_that_name_a_cause() {
        for (text, words) in [
            ("The startup is taking 130 seconds more because the frob is checked.", "130 seconds"),
            ("# Boot times are slow because of many frob calls\n\nNot only that.", "frob calls"),
            (
                "# Large delay before the quux at startup\n\nIt can take up to seven whole seconds before `/dev/quux` is there.",
                "seven whole seconds",
            ),
            ("Now my boot time has reduced from just over two minutes, to less than 9 seconds.", "two minutes"),
            ("# Order of cloud-init's sources\n\nThis prevents having to wait for the 120 second limit of Frob.", "Frob"),
            ("That sped up my boot by 9 seconds.", "9 seconds"),
            ("Hello.\n2. Why is frobnet.service activating for 7 seconds of the boot?", "frobnet.service"),
            ("Der Dienst frob-wait.service war der \u{dc}belt\u{e4}ter, der zwei Minuten den Systemstart aufhielt.", "zwei Minuten"),
        ] {
            let told = told(text);
            assert!(told.first().is_some_and(|told| told.contains(words)), "{text}: {told:?}");
        }
    }

    #[test]
    fn the_title_says_who_it_is() {
        let text =
            "# frob: disable quux.service\n\nHowever, it blocks startup and significantly increases boot time.\n\n\
                    Measured boot time:\n- before: ~28s\n- after: ~18s\n";
        let told = told(text);
        assert_eq!(
            told[0],
            "a person writes `frob: disable quux.service` and `before: ~28s; after: ~18s`"
        );
        assert!(
            told[1].contains("blocks startup") && told[1].contains("quux.service"),
            "{told:?}"
        );
    }

    #[test]
    fn sentences_that_name_none() {
        for text in [
            "",
            "The boot takes 20 seconds.",
            "The build takes 20 minutes because of frob.service.",
            "The boot hangs.",
            "That tells whether the boot is slow because of frob.service.",
            "# Shutdown hangs\n\nIt takes 90 seconds because of frob.service, and then the next boot.",
            "A boot should take 5 seconds because frob.service is gone.",
            "Does the boot take 20 seconds because of frob.service?",
            "frob.service retries every 30 seconds because the boot failed.",
        ] {
            assert!(told(text).is_empty(), "{text}: {:?}", told(text));
        }
    }
}

// SPDX-License-Identifier: MIT
//! A title or a sentence in which somebody says that a boot is slow or waits, and for what, without a time: quoted as what
//! the text says. English, German, French, Spanish, Portuguese, Russian, Chinese.

use super::cost::Cost;
use super::prose::{around, found_at_last, names, paragraphs, sentences, speaks_of_a_start, title};
use super::told_in_prose::{quoted, MOST};
use crate::log::line::Line;

/// A longer sentence is a paragraph that somebody did not divide.
const LONGEST: usize = 400;
/// The sentence speaks of a start, also in these words ...
const OF_A_BOOT: [&str; 4] = ["initialization", "inicio", "\u{958b}\u{6a5f}", " post "];
/// ... and of something that takes long or is waited for.
const SLOW: [&str; 38] = [
    "slow",
    "delays",
    "delay ",
    "delayed",
    "hangs",
    "\"hangs\"",
    "stuck",
    "waits for",
    "wait for",
    "waiting for",
    "blocks",
    "blocking",
    "takes long",
    "takes a long",
    "takes forever",
    "takes ages",
    "takes too long",
    "minutes to ",
    "sped up",
    "speeds up",
    "slows down",
    "blockiert",
    "h\u{e4}ngt",
    "wartet",
    "verz\u{f6}ger",
    "dauert",
    "bloque",
    "lent",
    "attend",
    "lento",
    "demora",
    "tarda",
    "bloqueia",
    "espera",
    "trava",
    "\u{434}\u{43e}\u{43b}\u{433}",
    "\u{6162}",
    "\u{7b49}\u{5f85}",
];
/// ... and is no question, wish, denial or what was mended.
const NOT: [&str; 26] = [
    "should",
    "would",
    "could",
    " not ",
    "n't",
    "no longer",
    "never",
    "fixed",
    "fixes",
    "faster",
    "instead of",
    "default",
    "resume",
    "suspend",
    "hibernat",
    "shutdown",
    "shut down",
    " if ",
    "how to",
    "optimiz",
    "optimis",
    "rebooted",
    "https://",
    "http://",
    " may ",
    "might",
];
/// The sentence that names most, where the text is short enough to be one question.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Cost> {
    let lines: Vec<&Line> = lines.take(MOST + 1).collect();
    if lines.len() > MOST {
        return None;
    }
    let mut best: Option<(usize, &str, u32)> = None;
    for line in &lines {
        // A machine's line is read elsewhere, a table's cell and a program's text say nothing of a wait.
        if line.has_kernel_prefix() || line.process.is_some() || line.text.trim_start().starts_with(['|', '$']) {
            continue;
        }
        let heading = line.text.trim_start().starts_with("# ") || line.text.starts_with("Subject: ");
        for sentence in sentences(&line.text) {
            let worth = worth(sentence) * 2;
            let worth = worth + usize::from(worth > 0 && heading);
            if worth > best.map_or(0, |(most, ..)| most) {
                best = Some((worth, sentence, line.number));
            }
        }
    }
    if let Some((_, sentence, number)) = best {
        let found = found_at_last(&paragraphs(&lines), number);
        let quotes: Vec<String> = [Some(around(sentence, 0)), found].into_iter().flatten().collect();
        return Some(quoted("the text says", "the text", &quotes, number));
    }
    under_its_title(&lines)
}

/// Where only the title names a start and a thing, with the first sentence that calls something slow.
fn under_its_title(lines: &[&Line]) -> Option<Cost> {
    const SAYS: [&str; 6] = [
        " slow",
        " hangs ",
        " stuck",
        " delay",
        " takes forever",
        " takes a long",
    ];
    let (title, at) = title(lines)?;
    let lower = title.to_lowercase();
    if names(&title) == 0 || !speaks_of_a_start(&lower, &OF_A_BOOT) {
        return None;
    }
    let says = |sentence: &str| {
        let lower = sentence.to_lowercase();
        let denied = NOT.iter().any(|word| lower.contains(word)) || sentence.ends_with('?');
        SAYS.iter().any(|word| lower.contains(word)) && !denied && sentence.len() <= LONGEST
    };
    let told = paragraphs(lines).into_iter().filter(|one| one.number != at);
    told.into_iter().find_map(|one| {
        let sentence = sentences(&one.text).into_iter().find(|sentence| says(sentence))?;
        let quotes = [title.clone(), around(sentence, 0)];
        Some(quoted("the text says", "the text", &quotes, one.number))
    })
}

/// How many of the marks of a named wait a sentence has; none where one of them is missing.
fn worth(sentence: &str) -> usize {
    let lower = sentence.to_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let count = |words: &[&str]| words.iter().filter(|word| lower.contains(*word)).count();
    if sentence.len() > LONGEST || sentence.ends_with('?') || any(&NOT) {
        return 0;
    }
    let things = names(sentence);
    if things == 0 || !any(&SLOW) || !speaks_of_a_start(&lower, &OF_A_BOOT) {
        return 0;
    }
    things + count(&SLOW)
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
    fn sentences_that_name_a_wait() {
        for text in [
            "# frob.service causes long boot delays",
            "quuxd gets stuck at boot waiting for `eth7`.",
            "Subject: slow USB set-up at boot on the frob board",
            "Der NFS-Server blockiert den Systemstart.",
            "El arranque se demora por `frob`.",
        ] {
            let (title, line) = told(&["Hello.", text]).unwrap_or_else(|| panic!("{text}"));
            assert!(title.starts_with("the text says `"), "{title}");
            assert_eq!(line, 2);
        }
    }

    #[test]
    fn what_it_was_found_to_be() {
        let text = [
            "Booting the frob hangs on \"nvme 7\" for some time.",
            "",
            "You were right, the delay is gone without the quux.",
        ];
        let (title, _) = told(&text).unwrap();
        assert!(
            title.ends_with("and `You were right, the delay is gone without the quux.`"),
            "{title}"
        );
    }

    #[test]
    fn a_title_names_what_its_text_calls_slow() {
        let (title, line) = told(&[
            "Subject: u-boot trouble with QUUX=y",
            "",
            "Loading the frob is slow here.",
        ])
        .unwrap();
        assert_eq!(
            title,
            "the text says `u-boot trouble with QUUX=y` and `Loading the frob is slow here.`"
        );
        assert_eq!(line, 3);
        assert_eq!(
            told(&["Subject: trouble with QUUX=y", "", "Loading the frob is slow."]),
            None
        );
    }

    #[test]
    fn sentences_that_name_none() {
        for text in [
            "",
            "My boot is slow.",
            "frob.service is fine, and the boot is quick.",
            "Does frob.service slow the boot down?",
            "frob.service should not delay the boot.",
            "| frob.service | delays the boot |",
            "The resume is slow since `frob` came, the boot too.",
        ] {
            assert_eq!(told(&[text]), None, "{text}");
        }
    }
}

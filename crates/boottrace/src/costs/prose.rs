// SPDX-License-Identifier: MIT
//! The text that people write around logs, divided: its title, paragraphs, sentences, and what a sentence names.

use crate::log::line::Line;

/// Things that are waited for, by their common names; a unit or a name in a program's marks is one as well.
const THINGS: [&str; 37] = [
    "udev",
    "nfs",
    "tftp",
    "dhcp",
    "network",
    "usb",
    "u-boot",
    "uboot",
    "crng",
    "entropy",
    "random",
    "ext4",
    "btrfs",
    "zfs",
    "lvm",
    "fsck",
    "raid",
    "nvme",
    "sata",
    "mmc",
    "sd card",
    "firmware",
    "bios",
    "tpm",
    "nvidia",
    "amdgpu",
    "bluetooth",
    "plymouth",
    "snap",
    "docker",
    "cloud-init",
    "memory training",
    "ram training",
    "swap",
    "grub",
    "console=",
    "serial console",
];

/// A start, in English, German, French, Spanish, Portuguese, Russian and Chinese.
const STARTS: [&str; 14] = [
    "boot",
    "startup",
    "start-up",
    "start up",
    "initramfs",
    "initrd",
    "systemstart",
    "hochfahren",
    "d\u{e9}marrage",
    "arranque",
    "inicializa",
    "\u{437}\u{430}\u{433}\u{440}\u{443}\u{437}",
    "\u{542f}\u{52a8}",
    "\u{5f00}\u{673a}",
];

/// Does a text in small letters speak of a start, or hold one of other words for it?
pub(super) fn speaks_of_a_start(lower: &str, other: &[&str]) -> bool {
    STARTS.iter().chain(other).any(|word| lower.contains(word))
}

/// So people tell what it was.
const FOUND: [&str; 17] = [
    "solved",
    "fixed it",
    "turned out",
    "turns out",
    "culprit",
    "caused by",
    "was caused",
    "the cause was",
    "the cause is",
    "the problem was",
    "the reason was",
    "after removing",
    "after disabling",
    "delay is gone",
    "problem is gone",
    "went away",
    "goes away",
];

/// A text's paragraph, with the number of its first line.
pub(super) struct Paragraph {
    pub text: String,
    pub number: u32,
}

/// The marks that a mail or a page puts before its lines.
fn unmarked(text: &str) -> &str {
    text.trim_start_matches(['>', '#', '*', '-', ' ']).trim_end()
}

/// The text's title: a heading, a mail's subject, or a short first line that stands apart.
pub(super) fn title(lines: &[&Line]) -> Option<(String, u32)> {
    const HEAD: usize = 6;
    const LONGEST: usize = 160;
    let head = &lines[..lines.len().min(HEAD)];
    let subject = head
        .iter()
        .find_map(|line| Some((line.text.strip_prefix("Subject: ")?, line.number)));
    let heading = || Some((lines.first()?.text.strip_prefix("# ")?, lines.first()?.number));
    let apart = || {
        let (first, next) = (lines.first()?, lines.get(1)?);
        let alone = next.number > first.number + 1 && !first.text.trim_end().ends_with(['.', ',', ':']);
        (alone && !first.has_kernel_prefix()).then_some((first.text.as_str(), first.number))
    };
    let (text, number) = subject.or_else(heading).or_else(apart)?;
    let text = unmarked(text.trim_start_matches("Re: "));
    (!text.is_empty() && text.len() <= LONGEST).then(|| (text.to_owned(), number))
}

/// Lines that a mail or an editor broke are one text.
pub(super) fn paragraphs(lines: &[&Line]) -> Vec<Paragraph> {
    const BROKEN: usize = 40;
    const LONGEST: usize = 3000;
    let mut out: Vec<Paragraph> = Vec::new();
    let mut last: Option<&Line> = None;
    for line in lines {
        let text = line.text.trim_start_matches(['>', ' ']).trim_end();
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let listed = number.len() < text.len() && (number.starts_with(". ") || number.starts_with(") "));
        let begins = listed || text.starts_with(['*', '-', '|', '#', '`', '<', '[']);
        let broken = last.is_some_and(|last| {
            last.number + 1 == line.number && last.text.len() >= BROKEN && !last.text.trim_end().ends_with([':', '`'])
        });
        match out
            .last_mut()
            .filter(|all| broken && !begins && all.text.len() + text.len() < LONGEST)
        {
            Some(all) => {
                all.text.push(' ');
                all.text.push_str(text);
            }
            None => out.push(Paragraph {
                text: text.to_owned(),
                number: line.number,
            }),
        }
        last = Some(line);
    }
    out
}

/// The sentences of a text. A point inside a number or a name ends none, and neither does a shortened word's.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    const SHORT: [&str; 12] = [
        "ca.", "approx.", "e.g.", "i.e.", "vs.", "sec.", "min.", "no.", "resp.", "incl.", "z.b.", "bzw.",
    ];
    let text = text.trim_start_matches(['>', '#', '*', '-', ' ']);
    let text = text.trim_start_matches("Subject: ");
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut begin = 0;
    for part in text.split_inclusive(['.', '!', '?', '\u{3002}']) {
        let end = begin + part.len();
        let goes_on = |last: &(usize, usize)| {
            let before = &text[last.0..last.1];
            let word = before.rsplit([' ', '(']).next().unwrap_or("").to_ascii_lowercase();
            let ends = text[begin..].starts_with(' ') || before.ends_with('\u{3002}');
            !ends || SHORT.contains(&word.as_str())
        };
        match found.last_mut().filter(|last| goes_on(last)) {
            Some(last) => last.1 = end,
            None => found.push((begin, end)),
        }
        begin = end;
    }
    let trimmed = found.into_iter().map(|(begin, end)| text[begin..end].trim());
    trimmed.filter(|text| !text.is_empty()).collect()
}

/// How many things a sentence names; a unit's or a program's name counts twice.
pub(super) fn names(sentence: &str) -> usize {
    let lower = sentence.to_lowercase();
    let named = sentence.split_whitespace().any(is_name);
    THINGS.iter().filter(|word| lower.contains(*word)).count() + 2 * usize::from(named)
}

/// A unit's name, or a word in a program's marks.
fn is_name(word: &str) -> bool {
    const KINDS: [&str; 6] = [".service", ".mount", ".device", ".socket", ".target", ".timer"];
    let inner = word.trim_matches(|c: char| matches!(c, '`' | '"' | ',' | ';' | '(' | ')' | '.'));
    let unit = KINDS.iter().any(|kind| inner.ends_with(kind));
    unit || (word.starts_with('`') && inner.len() > 2)
}

/// The sentence behind a line in which the person tells at last what it was.
pub(super) fn found_at_last(paragraphs: &[Paragraph], behind: u32) -> Option<String> {
    let told = |text: &&str| {
        let lower = text.to_ascii_lowercase();
        FOUND.iter().any(|words| lower.contains(words)) && !text.ends_with('?')
    };
    let mut later = paragraphs.iter().rev().take_while(|one| one.number > behind);
    later.find_map(|one| {
        let all = sentences(&one.text);
        all.into_iter().rev().find(told).map(|text| around(text, 0))
    })
}

/// A sentence as it is quoted: a long one is cut at words, around a place in it.
pub(super) fn around(sentence: &str, at: usize) -> String {
    const LONGEST: usize = 200;
    const BEFORE: usize = 120;
    if sentence.len() <= LONGEST {
        return sentence.to_owned();
    }
    let word = |at: usize| {
        let at = (at..=sentence.len())
            .find(|at| sentence.is_char_boundary(*at))
            .unwrap_or(0);
        sentence[at..].find(' ').map_or(sentence.len(), |space| at + space)
    };
    let latest = sentence.len() - LONGEST;
    let from = at.saturating_sub(BEFORE).min(latest);
    let from = if from == 0 { 0 } else { word(from) };
    let to = word((from + LONGEST).min(sentence.len()));
    let (head, tail) = (
        if from > 0 { "…" } else { "" },
        if to < sentence.len() { "…" } else { "" },
    );
    format!("{head}{}{tail}", sentence[from..to].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_and_shortened_words() {
        assert_eq!(
            sentences("> It takes (ca. 7 minutes with v1.5) long. Is it so? Yes!"),
            ["It takes (ca. 7 minutes with v1.5) long.", "Is it so?", "Yes!"]
        );
        assert_eq!(sentences(""), [""; 0]);
        assert_eq!(sentences("a\u{3002}b\u{3002}"), ["a\u{3002}", "b\u{3002}"]);
    }

    #[test]
    fn long_sentences_are_cut_at_words() {
        let text = "word ".repeat(80) + "end\u{e9}";
        let shown = around(&text, text.len() - 2);
        assert!(shown.starts_with("…word") && shown.ends_with("end\u{e9}"), "{shown}");
        assert!(around(&text, 0).ends_with("word…"));
        assert_eq!(around("short", 3), "short");
    }
}

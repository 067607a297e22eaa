// SPDX-License-Identifier: MIT
//! The text that people write around logs, divided: its title, paragraphs, sentences, and what a sentence names.

use super::commits;
use crate::log::any_stamp;
use crate::log::line::Line;
use crate::log::sentence::{is_sentence, lists_names};
use crate::text::languages::{says_otherwise, words, Kind};
pub(super) use crate::text::words::{find, holds};

/// Things that are waited for, by their common names.
const THINGS: &str = "udev|nfs|tftp|pxe|dhcp|dns|ntp|network|wifi|wlan|ethernet|phy|usb|pci|u-boot|uboot|crng|\
    entrop|random|熵|ext4|btrfs|zfs|lvm|fsck|raid|nvme|sata|scsi|mmc|sd card|disk|hdd|partition|swap|mount|fstab|\
    uuid|luks|crypt|firmware|bios|uefi|acpi|tpm|microcode|nvidia|amdgpu|gpu|display|touchscreen|bluetooth|modem|\
    watchdog|rtc|plymouth|snap|docker|cloud-init|metadata|datasource|memory training|ram training|grub|console|\
    baud|uart|driver|module|initcall|service|daemon|device|apparmor|selinux|journald|sshd|lightdm|sddm|gdm|\
    script|dexopt|dex2oat";
/// A start, in English; Android's as its users see it.
const STARTS: &str = "boot|startup|start-up|start up|starts up|starting up|initramfs|initrd|login prompt|login screen|\
    rootfs|pxe|cloud-init|wait-online|network-online|power-on|power on|power-up|power up|to start|the start|slow start|\
    starts slow|reach shell|gdm|probing|initcall|firmware loading|initialization|mount time|to mount|mounting time|\
    init time|start-time|start.elf|bootcode.bin|optimizing app|optimising app|apps optimizing|apps optimising|apps are optimi|apps will optimi|re-optimi|app optimization|app optimisation|android is upgrading|\
    android is starting|bringup time|bring-up time";
/// Lines that head a mail, a page or an issue, or begin a command or a program's text.
const NO_PROSE: &str = "|${}+[</`=~;&●";
const BEGINS: &str = "From: |From:\t|To: |To:\t|Cc: |Cc:\t|Sent: |Sent:\t|Subject: |Subject:\t|Date: |Signed-off-by|labels: |### Post by|Post by |_Launchpad user|sudo |systemctl |\
    journalctl |root@|@@|static |#include|#define|diff |--- |echo |return |if (|LAVA Job|You are receiving this mail because|You may reply to this email|You are watching the|- [x]|- [ ]|Loaded: |Active: |Docs: |\
    Main PID: |layout: |date: |forum: |tags: |tag: |author: |categories: |title: ";

/// Does a text in small letters speak of a start?
pub(super) fn speaks_of_a_start(lower: &str) -> bool {
    STARTS.split('|').any(|word| lower.contains(word)) || says_otherwise(lower, Kind::Start)
}

/// A text's paragraph, with the number of its first line.
pub(super) struct Paragraph {
    pub text: String,
    pub number: u32,
    /// It is an item of a list.
    pub listed: bool,
    /// How deeply a mail quotes it.
    pub depth: usize,
}

/// Nobody breaks lines that are longer: they are paragraphs.
pub(super) const WIDEST: usize = 130;

/// `Tue Jul 07, 2031 2:45 pm`: when somebody wrote.
pub(super) fn is_a_date(text: &str) -> bool {
    let words: Vec<&str> = text.split([' ', ',', 'T']).filter(|word| !word.is_empty()).collect();
    let year = |word: &&str| word.len() == 4 && (word.starts_with("20") || word.starts_with("19"));
    let clock = |word: &&str| word.contains(':') && word.bytes().all(|b| b.is_ascii_digit() || b == b':');
    words.len() <= 8 && words.iter().any(year) && words.iter().any(clock)
}

/// A machine's line, a table's row, a command, a program's text, and a page's line on who wrote what are no sentences.
pub(super) fn is_prose(line: &Line) -> bool {
    let text = behind_a_tag(unquoted(line.text.trim()));
    let captured = line.host_ns.is_some() && !is_sentence(text);
    let logged = line.has_kernel_prefix() || line.process.is_some() || captured || any_stamp::of(text).is_some();
    let code =
        lists_names(text) || text.ends_with([';', '{', '}']) || text.starts_with(|c| NO_PROSE.contains(c) && c != '`');
    let head = text.matches(" · ").count() > 1 || BEGINS.split('|').any(|word| text.starts_with(word));
    // A table's row, and a page's indented command.
    let row = text.contains("   ") || line.text.starts_with("    ") && !is_sentence(text);
    !logged && !code && !head && !row && !is_a_date(text) && !is_a_programs(text) && !commits::is_trailer(text)
}

/// The sentence behind a tag that begins a page's line: `<img src="x" />I use ...`.
fn behind_a_tag(text: &str) -> &str {
    let tag = text.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let of_page = |inside: &str| inside.contains("=\"") || matches!(inside, "p" | "li" | "em" | "br" | "br/" | "br />");
    let said = tag.filter(|(inside, rest)| of_page(inside) && is_sentence(rest));
    said.map_or(text, |(_, rest)| rest)
}

/// `frobd[12]: up`, `INFO: up`, and a line with the name of a commit.
fn is_a_programs(text: &str) -> bool {
    const LEVELS: [&str; 6] = ["INFO: ", "INFO (", "ERROR: ", "DEBUG: ", "DEBUG (", "kernel: ["];
    /// A commit's name has so many digits.
    const HASH: usize = 40;
    let hash = |word: &str| word.len() >= HASH && word.bytes().all(|b| b.is_ascii_hexdigit());
    let words = || text.split(|c: char| !c.is_ascii_alphanumeric());
    let numbered = text.split_once("]: ").and_then(|(name, _)| name.split_once('['));
    let process = numbered.is_some_and(|(name, number)| {
        !name.is_empty() && !name.contains(' ') && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
    });
    // ESP-IDF's: `I (31) boot: up`.
    let level = text
        .split_once(" (")
        .filter(|(level, _)| level.len() == 1 && "VDIWE".contains(level));
    let counted = level.and_then(|(_, rest)| rest.split_once(") "));
    let counted = counted.is_some_and(|(number, _)| number.bytes().all(|b| b.is_ascii_digit()));
    process || counted || LEVELS.iter().any(|level| text.starts_with(level)) || words().any(hash) && !is_plain(text)
}

/// Many words, of which some end a sentence.
fn is_plain(text: &str) -> bool {
    text.contains(". ") && text.split(' ').count() > 6 && !text.contains(['[', '=', '{', '|', '<'])
}

/// The lines that a person wrote; of what stands between fences only what is a sentence.
pub(super) fn spoken<'a>(lines: &[&'a Line]) -> Vec<&'a Line> {
    /// A page's and a board's own fences.
    const BEGIN: [&str; 3] = ["{% highlight", "[code", "<pre"];
    const END: [&str; 3] = ["{% endhighlight", "[/code", "</pre"];
    let (mut fenced, mut last, mut open) = (false, 0, false);
    let mut kept = |line: &&&'a Line| {
        let text = line.text.trim();
        let mark = text.starts_with("```") || text.starts_with("~~~");
        fenced ^= mark;
        let opens = BEGIN.iter().any(|mark| text.starts_with(mark));
        let closes = END.iter().any(|mark| text.starts_with(mark));
        fenced = (fenced || opens) && !closes;
        let fence = mark || opens || closes;
        let goes_on =
            last + 1 == line.number && text.starts_with(char::is_lowercase) && !text.contains(['=', '(', '{']);
        let said = !fenced
            || commits::is_found(text)
            || goes_on
            || (is_sentence(text) || is_plain(text)) && !text.starts_with(['+', '-', '#']);
        let named =
            commits::is_found(text) || open && last + 1 == line.number && commits::begins_with_a_name(unquoted(text));
        let kept = !fence && said && (named || is_prose(line));
        last = if kept { line.last_number() } else { last };
        open = kept && commits::is_open(text);
        kept
    };
    lines.iter().filter(|line| kept(line)).copied().collect()
}

/// Lines that a mail or an editor broke are one text.
pub(super) fn paragraphs(lines: &[&Line]) -> Vec<Paragraph> {
    const BROKEN: usize = 40;
    const SHORT: usize = 12;
    const LONGEST: usize = 3000;
    /// A sentence does not end so.
    const OPEN: [&str; 8] = [" the", " with", " by", " of", " to", " a", " was", " is"];
    let mut out: Vec<Paragraph> = Vec::new();
    let mut last: Option<&Line> = None;
    for line in lines {
        let text = unquoted(&line.text).trim_end();
        let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
        let listed = number.len() < text.len() && (number.starts_with(". ") || number.starts_with(") "));
        let begins = listed || text.starts_with(['*', '-', '|', '#', '<', '[']);
        let broken = last.is_some_and(|last| {
            let before = last.text.trim_end();
            let goes_on =
                text.starts_with(char::is_lowercase) && before.len() > SHORT && !before.ends_with(['.', '!', '?']);
            let width = before.chars().count();
            // What is quoted more or less deeply is another person's.
            let same = depth(&last.text) == depth(&line.text);
            let wide = (BROKEN..=WIDEST).contains(&width);
            // A page's name in a program's letters is a line of its own, and so is what follows it.
            let inside = is_inside(text) && !before.is_empty();
            let open = OPEN.iter().any(|word| before.ends_with(word)) && last.last_number() + 2 >= line.number;
            let next = last.goes_on_at(line) && (inside || (wide || goes_on) && !before.ends_with([':', '`']));
            same && (next || open)
        });
        let item = |all: &Paragraph| all.text.contains(':') && (all.text.ends_with(':') || all.text.contains(": * "));
        if let Some(all) = out
            .last_mut()
            .filter(|all| text.starts_with("* ") && text.len() < BROKEN && item(all))
        {
            // A list that a sentence announces ends it.
            all.text.push(' ');
            all.text.push_str(text);
            last = Some(line);
            continue;
        }
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
                listed: begins,
                depth: depth(&line.text),
            }),
        }
        last = Some(line);
    }
    out
}

/// `frob.service`, or `. It goes on.`
fn is_inside(text: &str) -> bool {
    let name = !text.contains(' ') && text.len() > 3 && text.contains(['.', '_', '/', '-']) && !text.contains("://");
    let name = name
        && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/')
        && text.ends_with(char::is_alphanumeric);
    name || text.starts_with([',', '.']) && text[1..].starts_with(' ')
}

/// A line without the marks of what a mail quotes: `> | text`; a table's row keeps its bar.
fn unquoted(text: &str) -> &str {
    let plain = text.trim_start_matches(['>', ' ', '\t']);
    // A mail's marks are gone where the whole of it was one that quotes.
    match plain.strip_prefix("| ") {
        Some(rest) if !rest.contains('|') && rest.contains(' ') => rest.trim_start(),
        _ => plain,
    }
}

/// How deeply a line of a mail is quoted: `> > text` is 2.
pub(super) fn depth(text: &str) -> usize {
    text.chars()
        .take_while(|c| matches!(c, '>' | ' ' | '\t'))
        .filter(|c| *c == '>')
        .count()
}

/// The sentences of a text. A point inside a number or a name ends none, and neither does a shortened word's.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    const ENDS: [char; 6] = ['.', '!', '?', '\u{3002}', '\u{ff01}', '\u{ff1f}'];
    const SHORT: &str =
        "ca.|approx.|e.g.|i.e.|vs.|sec.|min.|no.|resp.|incl.|ab.|abt.|z.b.|bzw.|(ie.|etc.|rev.|ver.|fig.|cf.";
    let text = text.trim_start_matches(['>', '#', '*', '-', ' ']);
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut begin = 0;
    let wide = |text: &str| text.ends_with(['\u{3002}', '\u{ff01}', '\u{ff1f}']);
    for part in text.split_inclusive(ENDS) {
        let end = begin + part.len();
        let goes_on = |last: &(usize, usize)| {
            let before = &text[last.0..last.1];
            let word = before.rsplit([' ', '(']).next().unwrap_or("").to_ascii_lowercase();
            let ends = text[begin..].starts_with([' ', ')', '"', '*']) || wide(before);
            let number = before.len() <= 3
                && before
                    .strip_suffix('.')
                    .is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit()));
            // `over 5(!) minutes`
            let marked = before.ends_with("(!") || before.ends_with("(?");
            let trails = before.ends_with("..") && text[begin..].trim_start().starts_with(char::is_lowercase);
            // `(slow!!!) is what`
            let inside = text[begin..].strip_prefix(')').is_some_and(|rest| {
                let rest = rest.trim_start();
                rest.starts_with(char::is_lowercase)
            });
            !ends || trails || marked || inside || number || SHORT.split('|').any(|short| short == word)
        };
        if let Some(last) = found.last_mut().filter(|last| goes_on(last)) {
            last.1 = end;
        } else {
            // A mark that closes belongs to what it closes.
            let closes = usize::from(text[begin..].starts_with([')', '"', '*']));
            if let Some(last) = found.last_mut() {
                last.1 += closes;
            }
            found.push((begin + closes, end));
        }
        begin = end;
    }
    let trimmed = found.into_iter().map(|(begin, end)| text[begin..end].trim());
    trimmed.filter(|text| !text.is_empty()).collect()
}

/// How many things a sentence names; a unit's, a program's or a path's name counts twice.
pub(super) fn names(sentence: &str) -> usize {
    let lower = sentence.to_lowercase();
    let known = THINGS.split('|').chain(words(Kind::Thing).iter().copied());
    let things = known.filter(|word| find(&lower, word).is_some()).take(2).count();
    let named = sentence.split_whitespace().any(is_name);
    let short = sentence.split(|c: char| !c.is_alphanumeric()).any(is_short_name);
    things + 2 * usize::from(named) + usize::from(short && !named)
}

/// A unit's name, a path, or a word in a program's marks.
pub(super) fn is_name(word: &str) -> bool {
    const KINDS: [&str; 12] = [
        ".service", ".mount", ".device", ".socket", ".target", ".timer", ".sh", ".ko", ".conf", ".cfg", ".rules", ".py",
    ];
    // `[FROB_WAIT](https://…)`
    let word = word.split("](").next().unwrap_or(word);
    let inner = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '_');
    let unit = KINDS.iter().any(|kind| inner.ends_with(kind));
    let marked = word.contains('`') && inner.len() > 2;
    let letters = inner.contains(|c: char| c.is_ascii_alphabetic()) && !inner.contains("://");
    unit || marked || letters && (inner.contains('_') || inner.starts_with("/dev/") || inner.starts_with("/etc/"))
}

/// `LVM`, `NetworkManager`: some capital letters, or one inside a word.
fn is_short_name(word: &str) -> bool {
    is_device(word) || is_capital_name(word)
}

/// `eth0`, `enp3s7`, `ttyS1`: a device's name in Linux.
fn is_device(word: &str) -> bool {
    const DEVICES: [&str; 11] = [
        "eth", "enp", "eno", "ens", "wlan", "wlp", "tty", "mmcblk", "nvme", "usbus", "ata",
    ];
    let numbered = |rest: &str| rest.chars().any(|c| c.is_ascii_digit()) && rest.len() < 8;
    DEVICES.iter().any(|name| word.strip_prefix(name).is_some_and(numbered))
}

fn is_capital_name(word: &str) -> bool {
    const NONE: &str = "FWIW|IMHO|BTW|TODO|FIXED|SOLVED|NOT|ISO|URL|README|LinuxMint|WARNING|ERROR|NOTE|PATCH|BUG";
    let capitals = word.chars().filter(char::is_ascii_uppercase).count();
    let inside = word.chars().skip(1).any(|c| c.is_ascii_uppercase());
    capitals > 1 && inside && word.len() > 2 && !NONE.split('|').any(|none| none == word)
}

/// A sentence as it is quoted: whole; only a very long one is cut, at words, and never inside what it says from a place on.
pub(super) fn around(sentence: &str, at: usize) -> String {
    const LONGEST: usize = 400;
    const BEFORE: usize = 160;
    if sentence.len() <= LONGEST {
        return sentence.to_owned();
    }
    let word = |at: usize| {
        let at = (at..=sentence.len()).find(|at| sentence.is_char_boundary(*at));
        at.and_then(|at| Some(at + sentence[at..].find(' ')?))
            .unwrap_or(sentence.len())
    };
    let from = at.saturating_sub(BEFORE).min(sentence.len() - LONGEST);
    let from = if at < LONGEST / 2 || from == 0 { 0 } else { word(from) };
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
    use crate::log::line::lines_of;

    #[test]
    fn sentences_and_shortened_words() {
        assert_eq!(
            sentences("> It takes (ca. 7 minutes with v1.5) long. Is it so? Yes!"),
            ["It takes (ca. 7 minutes with v1.5) long.", "Is it so?", "Yes!"]
        );
        assert_eq!(
            sentences("It waits ... because of it. No."),
            ["It waits ... because of it.", "No."]
        );
        assert_eq!(
            sentences("The old one (slow!!!) is used. (Yes!) Good."),
            ["The old one (slow!!!) is used.", "(Yes!)", "Good."]
        );
        assert_eq!(
            sentences("Es braucht 5(!) Minuten. Ja."),
            ["Es braucht 5(!) Minuten.", "Ja."]
        );
        assert_eq!(sentences(""), [""; 0]);
        assert_eq!(sentences("a\u{3002}b\u{3002}"), ["a\u{3002}", "b\u{3002}"]);
    }

    #[test]
    fn long_sentences_are_cut_at_words() {
        let text = "word ".repeat(160) + "end\u{e9}";
        let shown = around(&text, text.len() - 2);
        assert!(shown.starts_with("…word") && shown.ends_with("end\u{e9}"), "{shown}");
        assert!(around(&text, 0).starts_with("word") && around(&text, 0).ends_with("word…"));
        assert_eq!(around("short", 3), "short");
        assert!(around(&"\u{4e2d}".repeat(300), 700).len() < 1000);
    }

    #[test]
    fn persons_at_other_depths_and_names_on_lines_of_their_own() {
        let all = |text: &str| {
            let lines = lines_of(text);
            let lines: Vec<_> = lines.iter().collect();
            paragraphs(&lines).into_iter().map(|one| one.text).collect::<Vec<_>>()
        };
        assert_eq!(
            all("> > the frob of this machine is slow and it waits\n> for what does it wait, and is that the frob?"),
            [
                "the frob of this machine is slow and it waits",
                "for what does it wait, and is that the frob?"
            ]
        );
        assert_eq!(
            all("The reason is this:\nfrob.service\n, which waits."),
            ["The reason is this: frob.service , which waits."]
        );
        assert_eq!(sentences("启动慢！为什么？"), ["启动慢！", "为什么？"]);
    }

    #[test]
    fn what_is_no_prose() {
        let text =
            "Reviewed-by: A B <a@b.c>\nFixes: 12ab34cd56 (\"frob: it is slow\")\nYou are receiving this mail because:\nfrobd[12]: It is up. And so am I.\nI (31) boot: It is up.\n{% highlight %}\nfrob --wait\n{% endhighlight %}\nHello there.\nquuxer · comment · 2031-01-01\n$ frob --wait\n```\nint x = wait(30);\n+ a line\n```\n\
            | a | b |\n    frob --show tree\nfrobd        12.0     x\n[    1.000000] frob: up\nBye.";
        let lines = lines_of(text);
        let kept: Vec<&str> = spoken(&lines.iter().collect::<Vec<_>>())
            .iter()
            .map(|line| line.text.as_str())
            .collect();
        assert_eq!(kept, ["Hello there.", "Bye."]);
    }
}

// SPDX-License-Identifier: MIT
//! What persons write of a slow start, where no line of a log shows it: every sentence is weighed by what it names, how long
//! that took, and whether it says why; the best are quoted whole, as the text's own words. Nothing is claimed of them, and no
//! time is taken from them. English; German, French, Spanish, Portuguese, Russian, Chinese where the words leave no doubt.

use super::cost::Cost;
use super::kind::CostKind;
use super::persons_causes;
use super::persons_choice::choice;
use super::persons_lexicon::{BECAUSE, CAUSES, DENIED, FOUND, LASTS, MENDED, NOTES, OTHER, SLOW, WAITS, WISHES};
use super::persons_lists;
use super::persons_said::{without_names, Said, LEAST};
use super::prose::{around, find, holds, names, paragraphs, sentences, speaks_of_a_start, spoken, title, Paragraph};
use super::settings::sets_a_time;
use crate::log::line::Line;
use crate::text::spoken_time::longest_in_words;

/// More lines of prose are a document, and no question ...
const MOST: usize = 120;
/// ... and so are more lines of anything.
const WHOLE: usize = 400;
/// So few paragraphs speak of one thing.
const FEW: usize = 12;
/// A shorter time is no wait.
const SHORTEST_NS: i64 = 100_000_000;

/// The sentences that say most of why a start is slow, with the longest time that they name.
pub(crate) struct Told {
    pub cost: Cost,
    /// What else they say of why, and their lists and tables of times.
    pub more: Vec<Cost>,
    pub ns: Option<i64>,
    /// A sentence says why.
    pub why: bool,
}

impl Told {
    /// All of them.
    pub fn costs(self) -> impl Iterator<Item = Cost> {
        std::iter::once(self.cost).chain(self.more)
    }
}

/// Is it a page of a manual? It says how something is made, and not what happened.
pub(crate) fn is_manual<'a>(mut lines: impl Iterator<Item = &'a Line>) -> bool {
    lines.any(|line| matches!(line.text.trim(), "NAME" | "SYNOPSIS" | "DESCRIPTION"))
}

/// What persons write in some lines; none where that is a document, or says nothing of a start.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Told> {
    let lines: Vec<&Line> = lines.take(WHOLE + 1).collect();
    let spoken = spoken(&lines);
    if lines.len() > WHOLE || spoken.len() > MOST || is_manual(lines.iter().copied()) {
        return None;
    }
    let head = title(&lines);
    let heading = head.as_ref().map_or(String::new(), |head| head.text.to_lowercase());
    if is_other(&heading) {
        return None;
    }
    let mut all: Vec<Paragraph> = paragraphs(&spoken);
    all.retain(|one| head.as_ref().is_none_or(|head| head.number != one.number));
    all.splice(0..0, head);
    let speaking = all
        .iter()
        .filter(|one| speaks_of_a_start(&one.text.to_lowercase()))
        .count();
    // That something ends slowly is told where no start is spoken of.
    let ends = all.iter().any(|one| holds(&one.text.to_lowercase(), OTHER));
    let starts = |one: &Paragraph| speaks_of_a_start(&one.text.to_lowercase().replace("reboot", ""));
    if ends && !all.iter().any(starts) {
        return None;
    }
    let near = speaking > 1 || speaks_of_a_start(&heading) || (speaking == 1 && all.len() <= FEW);
    let mut said: Vec<Said> = Vec::new();
    for (at, one) in all.iter().enumerate() {
        let near = near || speaks_of_a_start(&one.text.to_lowercase());
        for text in sentences(&one.text) {
            let (worth, ns, why) = weigh(text, near);
            said.push(Said {
                text,
                place: at,
                number: one.number,
                worth,
                cause: if near { persons_causes::worth(text) } else { 0 },
                is_item: one.listed,
                listed: false,
                ns,
                why,
            });
        }
    }
    persons_causes::place(&mut said);
    let tells = speaks_of_a_start(&heading);
    let titled = tells || names(&heading) > 0 || heading.split(' ').count() > 3;
    let choice = choice(&said, titled, tells)?;
    let of = |places: &[usize]| places.iter().map(|at| &said[*at]).collect::<Vec<_>>();
    let (first, further) = (of(&choice.first), of(&choice.further));
    let why = first.iter().any(|one| one.why && one.worth >= LEAST);
    Some(Told {
        cost: quoted("a person writes", &first)?,
        more: quoted("a person also writes", &further)
            .into_iter()
            .chain(persons_lists::of(&lines, &all))
            .collect(),
        ns: first.iter().filter_map(|one| one.ns).max(),
        why,
    })
}

/// The sentences as they are told.
fn quoted(who: &str, said: &[&Said]) -> Option<Cost> {
    let best = said.iter().rev().max_by_key(|one| one.worth)?;
    let quotes: Vec<String> = said
        .iter()
        .map(|one| format!("`{}`", around(one.text, place(one.text))))
        .collect();
    let quotes = match quotes.as_slice() {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        all => all.concat(),
    };
    Some(Cost::without_time(
        CostKind::StatedTime,
        format!("{who} {quotes}"),
        best.number,
        "these are the text's own words".to_owned(),
        "add the log of that boot: the kernel's messages, or systemd-analyze's account of it",
    ))
}

/// Where in a sentence its cause stands.
fn place(sentence: &str) -> usize {
    let lower = sentence.to_lowercase();
    let marks = [CAUSES, BECAUSE, WAITS, SLOW]
        .into_iter()
        .flat_map(|words| words.split('|'));
    let at = marks.filter_map(|word| find(&lower, word)).min().unwrap_or(0);
    at.min(sentence.len())
}

/// Does it speak of an end or a waking only?
fn is_other(lower: &str) -> bool {
    holds(&lower.replace("suspend/resume", ""), OTHER) && !lower.contains("boot")
}

/// How much a sentence says of why a start is slow, and the longest time that it names. `near`: what stands around it speaks
/// of a start.
fn weigh(sentence: &str, near: bool) -> (i32, Option<i64>, bool) {
    let lower = sentence.to_lowercase().replace('\u{2019}', "'");
    let plain = without_names(&lower.replace("no limit", ""));
    // `now boot time is few seconds`: it is quick, since something was mended.
    let plain = if plain.contains("now ") {
        plain.replace("few seconds", "")
    } else {
        plain
    };
    let own = speaks_of_a_start(&lower);
    let ns = longest_in_words(&lower.replace('`', " ")).filter(|ns| *ns >= SHORTEST_NS);
    let [lasts, slow, waits, mended] = [LASTS, SLOW, WAITS, MENDED].map(|words| holds(&plain, words));
    let found = holds(&plain, FOUND);
    let caused = found || holds(&plain, CAUSES);
    let things = i32::try_from(names(sentence)).unwrap_or(3);
    // `frob_timeout`: how long it waits.
    let is_setting = lower.starts_with('`') && lower.contains("`: ");
    let timed = ns.is_some() && (lasts || slow || waits || mended);
    let bare = ns.is_some() && (own || things > 1);
    if !(own || near) || is_other(&lower) || is_setting || !(slow || waits || mended || caused || timed || bare) {
        return (0, ns, false);
    }
    let gain = |yes: bool, points: i32| if yes { points } else { 0 };
    let told = gain(timed, 3)
        + gain(slow, 2)
        + gain(waits, 2)
        + gain(caused, 2)
        + gain(caused && (slow || waits || timed), 1)
        + gain(found, 2)
        + gain(slow && own, 1)
        + gain(bare && !timed, 2)
        + gain(mended && (things > 0 || timed), 2)
        + things.min(3)
        + gain(own, 2)
        + gain(near, 1);
    let asks = lower.ends_with('?') && !lower.ends_with("!?");
    let sure = slow || timed || found || caused && waits;
    // `It took 6 minutes to boot, did I miss something?`: what it took is no question.
    let told_anyway = timed && (lower.contains("why ") || (own && lower.contains("it took ")));
    let lost = gain(asks, if told_anyway { 1 } else { 6 })
        + gain(holds(&plain, WISHES), if sure { 2 } else { 4 })
        + gain(
            holds(&plain, NOTES) || sets_a_time(&plain),
            match (slow && (timed || own) || caused, timed) {
                (true, _) => 0,
                (_, true) => 2,
                _ => 4,
            },
        )
        + gain(lower.starts_with("set "), 4)
        + gain(holds(&plain, DENIED), 5)
        + gain(!(slow || waits || timed || found || mended), 3)
        + gain(lower.contains("://"), 1);
    (told - lost, ns, found || caused && (slow || timed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn told(text: &str) -> Option<String> {
        let lines = lines_of(text);
        of_lines(lines.iter()).map(|told| told.cost.title)
    }

    #[test]
    fn sentences_that_say_why() {
        for text in [
            "The startup takes 130 seconds because the frob is checked.",
            "frob.service causes long boot delays.",
            "quuxd gets stuck at boot waiting for `eth7`.",
            "The frob-wait.service turned out to be the culprit of the slow boot.",
            "After disabling frobd.service it boots in 9 seconds.",
            "On boot, A start job is running for /dev/frob0 (1min 30s / no limit).",
            "For the BIOS to boot the frob would take over a minute.",
            "Der Dienst frob-wait.service war der \u{dc}belt\u{e4}ter, der zwei Minuten den Systemstart aufhielt.",
            "El arranque se demora por `frob`.",
            "It took 6 minutes to boot, did I screw up something ?",
            "2. Why is frobnet.service activating for 7 seconds of the boot?",
        ] {
            let title = told(&format!("Hello.\n\n{text}\n")).unwrap_or_else(|| panic!("{text}"));
            assert!(title.contains(text.trim_start_matches("2. ")), "{title}");
        }
    }

    #[test]
    fn what_names_nothing_stands_with_what_does() {
        assert_eq!(
            told("The frob's u-boot scans usb first. This adds 7-9 seconds of delay at boot.").as_deref(),
            Some("a person writes `The frob's u-boot scans usb first.` and `This adds 7-9 seconds of delay at boot.`")
        );
        assert_eq!(
            told("# frobd.service at boot\n\nIt takes 3 minutes.").as_deref(),
            Some("a person writes `frobd.service at boot` and `It takes 3 minutes.`")
        );
        let text = "The frob took about 50 minutes to boot.\n\nSolved: I took console=ttyQ7 out of the menu.";
        assert!(told(text).is_some_and(|title| title.ends_with("`Solved: I took console=ttyQ7 out of the menu.`")));
    }

    /// How long it took, and why, stand in different sentences.
    #[test]
    fn the_cause_in_a_sentence_of_its_own() {
        for (symptom, cause) in [
            (
                "It takes ~5 min to go through the boot screen.",
                "That's because the frob has no serial line connected.",
            ),
            (
                "At boot the bar got stuck for about 15 minutes.",
                "I figured that it had to do with a full test of the memory.",
            ),
            (
                "The boot delay is 13 seconds.",
                "From the logs it is obvious what happens: it tries to read the EDID of FROB.",
            ),
            (
                "Booting stalls for a minute.",
                "We suspect the use of the frob driver, which polls each port.",
            ),
        ] {
            let text = format!("# Slow boot\n\n{symptom}\n\nI went to do something else. It was late.\n\n{cause}\n");
            let lines = lines_of(&text);
            let costs: Vec<Cost> = of_lines(lines.iter()).unwrap().costs().collect();
            let told = costs
                .iter()
                .map(|cost| cost.title.as_str())
                .collect::<Vec<_>>()
                .join("\n");
            assert!(told.contains(symptom) && told.contains(cause), "{told}");
            assert!(!told.contains("something else"), "{told}");
        }
    }

    #[test]
    fn items_that_a_sentence_announces() {
        let text = "The boot takes a couple of minutes.\n\nWhat is annoying:\n- you wait for a key at each frob card\n\
                    - you start the frobs one at a time\n- thanks for listening\n";
        let lines = lines_of(text);
        let costs: Vec<Cost> = of_lines(lines.iter()).unwrap().costs().collect();
        let told = costs.iter().map(|cost| cost.title.as_str()).collect::<String>();
        assert!(
            told.contains("at each frob card") && told.contains("one at a time"),
            "{told}"
        );
        assert!(!told.contains("listening"), "{told}");
    }

    #[test]
    fn what_mended_it_and_not_what_it_takes_since() {
        let text = "# A frob\n\nWARNING: it took 6 minutes to boot, did I screw up something ?\n\n\
                    frob-max-frequency=25000000 fixed the problem on my side. now boot time is few seconds.";
        let title = told(text).unwrap();
        assert!(title.contains("it took 6 minutes"), "{title}");
        assert!(!title.contains("few seconds"), "{title}");
    }

    #[test]
    fn a_sentence_is_not_cut_before_its_cause() {
        let text = format!(
            "Boot takes 77 seconds, {}because of frobd.service.",
            "and many words, ".repeat(14)
        );
        assert_eq!(told(&text), Some(format!("a person writes `{text}`")));
    }

    #[test]
    fn what_says_nothing_of_a_slow_start() {
        for text in [
            "",
            "The build takes 20 minutes because of frob.service.",
            "A boot should take 5 seconds.",
            "Does frob.service slow the boot down?",
            "The frob is fine, and the boot is quick.",
            "now boot time is few seconds.",
            "# Shutdown hangs\n\nIt takes 90 seconds because of frob.service.",
            "After a suspend it takes 20 seconds, because the frob is slow. The boot is fine.",
            "# Options\n\n* `boot_wait`: how long the frob waits for a key, default 5 seconds.",
            "Set the boot_timeout to 30 seconds.",
            "NAME\nfrob-wait-online - Wait for the frob\nDESCRIPTION\nIt delays the boot until the frob is up.",
            "/* Wait up to 30 seconds for the firmware to boot. */\nint foo_timeout = 30;",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}

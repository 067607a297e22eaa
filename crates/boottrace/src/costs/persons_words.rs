// SPDX-License-Identifier: MIT
//! What persons write of a slow start, where no line of a log shows it: every sentence is weighed by what it names, how long
//! that took, and whether it says why; the best are quoted whole, as the text's own words. Nothing is claimed of them, and no
//! time is taken from them. The words of other languages than English are in `text/languages.txt`.

use super::cost::Cost;
use super::kind::CostKind;
use super::persons_causes;
use super::persons_choice::choice;
use super::persons_guides::is_guide;
use super::persons_lexicon::{BECAUSE, CAUSES, OTHER, SLOW, WAITS};
use super::persons_lists;
use super::persons_said::{Form, Said, LEAST};
use super::persons_weight::{is_other, weigh};
use super::prose::{around, find, holds, names, paragraphs, sentences, speaks_of_a_start, spoken, title, Paragraph};
use crate::log::line::Line;

/// More lines of prose are a document, and no question ...
const MOST: usize = 120;
/// ... and so are more lines of anything.
const WHOLE: usize = 400;
/// More text is a document too.
const LARGE: usize = 60_000;
/// More sentences are one.
const SENTENCES: usize = 800;
/// What is quoted is a person's account of a boot ...
const OF_A_PERSON: [&str; 2] = ["a person writes", "a person also writes"];
/// ... or advice.
const OF_A_GUIDE: [&str; 2] = [
    "a guide says, of no boot in particular,",
    "the guide also says, of no boot in particular,",
];
/// So few paragraphs speak of one thing.
const FEW: usize = 12;

/// The sentences that say most of why a start is slow, with the longest time that they name.
pub(crate) struct Told {
    pub cost: Cost,
    /// What else they say of why, and their lists and tables of times.
    pub more: Vec<Cost>,
    pub ns: Option<i64>,
    /// A sentence says why.
    pub why: bool,
    /// The title speaks of a start, or a list or a table tells its times.
    pub titled: bool,
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
    let bytes = lines.iter().map(|line| line.text.len()).sum::<usize>();
    if lines.len() > WHOLE || bytes > LARGE || is_manual(lines.iter().copied()) {
        return None;
    }
    let mut spoken = spoken(&lines);
    let head = title(&lines);
    let heading = head.as_ref().map_or(String::new(), |head| head.text.to_lowercase());
    if is_other(&heading) {
        return None;
    }
    let tells = speaks_of_a_start(&heading);
    if spoken.len() > MOST {
        return persons_lists::of(&lines, &[], tells).filter(|_| tells).map(of_list);
    }
    spoken.retain(|line| head.as_ref().is_none_or(|head| head.number != line.number));
    let mut all: Vec<Paragraph> = paragraphs(&spoken);
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
        for text in sentences(&one.text)
            .into_iter()
            .take(SENTENCES + 1 - said.len().min(SENTENCES))
        {
            let (worth, ns, [why, slow]) = weigh(text, near);
            said.push(Said {
                text,
                place: at,
                number: one.number,
                worth,
                cause: if near { persons_causes::worth(text) } else { 0 },
                form: match (one.text.starts_with('#'), one.listed) {
                    (true, _) => Form::Heading,
                    (_, true) => Form::Item,
                    _ => Form::Text,
                },
                listed: false,
                ns,
                why,
                slow,
                depth: one.depth,
            });
        }
    }
    if said.len() > SENTENCES {
        return None;
    }
    persons_causes::place(&mut said);
    let titled = tells || names(&heading) > 0 || heading.split(' ').count() > 3;
    let list = persons_lists::of(&lines, &all, near);
    let listed = list.is_some();
    let Some(choice) = choice(&said, titled, tells) else {
        return list.filter(|_| near).map(of_list);
    };
    let of = |places: &[usize]| places.iter().map(|at| &said[*at]).collect::<Vec<_>>();
    let (first, further) = (of(&choice.first), of(&choice.further));
    let says = first.iter().any(|one| one.why && one.worth >= LEAST);
    let slow = first.iter().any(|one| one.slow);
    let why = says || slow && first.iter().any(|one| one.cause >= persons_causes::PLAIN);
    let [writes, also] = if is_guide(&all) { OF_A_GUIDE } else { OF_A_PERSON };
    Some(Told {
        cost: quoted(writes, &first)?,
        more: quoted(also, &further).into_iter().chain(list).collect(),
        ns: first.iter().filter_map(|one| one.ns).max(),
        why,
        titled: tells || listed,
    })
}

/// A list or a table that stands without a sentence on it.
fn of_list(cost: Cost) -> Told {
    Told {
        cost,
        more: Vec::new(),
        ns: None,
        why: false,
        titled: true,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;
    use proptest::prelude::*;

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

    #[test]
    fn other_languages() {
        for text in [
            "Il vero problema nasce dal disco FROB: l'avvio dura troppo, qualche minuto.",
            "Le démarrage prend 40 secondes à cause du service frobd.",
            "Der Start von Frob hängt 90 Sekunden, weil der Dienst frobd wartet.",
            "El arranque tarda dos minutos porque el servicio frobd espera la red.",
            "A inicialização demora 2 minutos por causa do serviço frobd.",
            "Система загружается долго, 90 секунд, из-за службы frobd.",
            "系统启动很慢，因为frobd服务等待90秒。",
            "起動が遅い原因はfrobdサービスで、90秒待たされます。",
            "부팅이 느린 원인은 frobd 서비스 때문에 90초 걸립니다.",
            "System uruchamia się długo, 90 sekund, z powodu usługi frobd.",
            "Het opstarten duurt 90 seconden omdat de dienst frobd wacht.",
        ] {
            let title = told(&format!("Frob\n\n{text}\n")).unwrap_or_else(|| panic!("{text}"));
            assert!(title.contains(text), "{title}");
        }
    }

    #[test]
    fn hours_and_android() {
        for text in [
            "Booting the frob image in the simulator took 6-8 hours.",
            "Optimizing apps takes 12 minutes at every reboot.",
        ] {
            let title = told(&format!("Hello.\n\n{text}\n")).unwrap_or_else(|| panic!("{text}"));
            assert!(title.contains(text), "{title}");
        }
    }

    /// What was tried in vain, or taken back, is no cause; what the last post found is.
    #[test]
    fn the_last_word_of_a_thread() {
        let text = "# Slow boot\n\nThe boot takes 90 seconds.\n\nI think the frob card is the cause, because it is old.\n\n\
                    I removed the frob card. It made no difference.\n\nWhich card is it?\n\nAn old one.\n\nDid you look at it?\n\n\
                    Yes.\n\nIt is green.\n\nSolved: I removed quuxd.service and it boots in 9 seconds now.\n";
        let lines = lines_of(text);
        let told = of_lines(lines.iter()).unwrap();
        assert!(
            told.cost.title.contains("Solved: I removed quuxd.service"),
            "{}",
            told.cost.title
        );
        assert!(!told.cost.title.contains("no difference"), "{}", told.cost.title);
    }

    #[test]
    fn advice_is_called_advice() {
        let text = "Slow boots\n\nThis guide shows how to mend a slow boot. You can mask frob.service, because it causes delays.\n";
        let title = told(text).unwrap();
        assert!(
            title.starts_with("a guide says, of no boot in particular, `"),
            "{title}"
        );
    }

    #[test]
    fn a_block_and_a_table_without_a_sentence() {
        let block = "# Boot\n\n```\n- Firmware:  32.2 s (frob)\n- Kernel:  570 ms\nTotal: 33 s\n```\n";
        assert!(told(block).is_some_and(|title| title.starts_with("a person lists `Firmware:  32.2 s (frob)`")));
        let table = "# 起動\n\n| 時刻 | 所要 |\n|---|---|\n| frob | 3.0s |\n| quux | 1.0s |\n";
        assert!(told(table).is_some_and(|title| title.contains("`frob | 3.0s`")));
    }

    proptest! {
        /// Any text is read without a panic; what is quoted stands in it, but for breaks and marks.
        #[test]
        fn any_text(words in proptest::collection::vec(
            prop_oneof![
                Just("boot"), Just("slow"), Just("because"), Just("90 seconds"), Just("启动慢"), Just("。"), Just("原因"),
                Just("90秒"), Just("| a | 3 s |"), Just("\n"), Just("\n\n"), Just("> "), Just("- "), Just("frob: 3 s"),
                Just("~~~"), Just("# "), Just("ß"), Just("."), Just("?"), Just("：")
            ], 0..60)) {
            let text = words.join(" ");
            let plain = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            let lines = lines_of(&text);
            for cost in of_lines(lines.iter()).into_iter().flat_map(Told::costs) {
                for quote in cost.title.split('`').skip(1).step_by(2) {
                    prop_assert!(plain(&text).contains(&plain(quote)), "{}", cost.title);
                }
            }
        }
    }
}

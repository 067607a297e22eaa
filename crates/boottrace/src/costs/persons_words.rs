// SPDX-License-Identifier: MIT
//! What persons write of a slow start, where no line of a log shows it: every sentence is weighed by what it names, how long
//! that took, and whether it says why; the best are quoted whole, as the text's own words. Nothing is claimed of them, and no
//! time is taken from them. English; German, French, Spanish, Portuguese, Russian, Chinese where the words leave no doubt.

use super::cost::Cost;
use super::kind::CostKind;
use super::prose::{
    around, find, holds, is_name, names, paragraphs, sentences, speaks_of_a_start, spoken, title, Paragraph,
};
use super::settings::sets_a_time;
use crate::log::line::Line;
use crate::text::spoken_time::longest_in_words;

/// More lines are a document, and no question.
const MOST: usize = 120;
/// So few paragraphs speak of one thing.
const FEW: usize = 12;
/// Sentences quoted.
const QUOTES: usize = 3;
/// A sentence that weighs less says nothing ...
const LEAST: i32 = 5;
/// ... but where the title speaks of a start, so much does ...
const LITTLE: i32 = 3;
/// ... and beside the best one, one that weighs so much less adds nothing.
const BEHIND: i32 = 6;
/// A shorter time is no wait.
const SHORTEST_NS: i64 = 100_000_000;

/// Words for what lasts ...
const LASTS: &str = "take|stays|taking|took|spend|spent|adds|add |added|extra|need|longer|increas|activating for|\
    go by|pass |lost|wastes|accounts for|runs for|vs|versus|in ~|boots in|starts in|lasts|roughly|until|\
    занимает|after|alone|costs|->|=>|vs.|brauch|lang |prend|tarda|before";
/// ... and of those that say that it is too long.
const SLOW: &str = "slow|delay|hang|hung|stuck|stall|freez|pause|lag|takes long|long time|takes forever|\
    takes ages|too long|minutes to|longest|so long|quite long|very long|long to|significantly|drastically|\
    long boot|lengthy|unacceptabl|polling|significant amount of time|many seconds|some seconds|few seconds|\
    several seconds|several minutes|few minutes|black screen|long timeout|bottleneck|longer amount|much longer|\
    taking longer|takes longer|longer than|times are increased|a while|langsam|viel zeit|dauert|hängt|verzöger|\
    aufhielt|bremst|demora|lento|trava|lent |lente|долг|慢|卡住|等待|need to wait|infinitely|indefinitely|forever";
/// Words that name what is waited for.
const WAITS: &str = "waits|start job|wait for|wait until|waiting|awaiting|waited|to wait|blocks|blocking|\
    blocked|times out|timing out|timed out|retries|wartet|blockiert|bloque|bloqueia|attend|espera|阻塞|卡在|\
    timeout during|timeout extends|gives up|giving up|gave up|sits there|stop at|stops at|hold up|holds up|\
    held up|sits behind|ждёт|ждет|timeout expires|stays at|stays on|nothing happens";
/// Words beside which a cause stands.
const CAUSES: &str = "because|, so the|due to|caused by|causes|causing|cause is|cause of|the reason|solved it|\
    solved by|fixed it by|we found|i found|found that|found out|able to see|noticed that|the problem is|blames|\
    related to|reveals that|is that|came from|comes from|come from|biggest|largest|dominant|most of|portion of|\
    does this because|as it |resulting in|result of|lead to|leads to|side effect|means a|leading to|explain|\
    makes boot|since |weil |wegen |ursache|lag an|parce que|à cause d|porque|por causa d|debido a|из-за|因为|由于|因|\
    导致";
/// Words with which people tell what it was.
const FOUND: &str = "culprit|solved|discovered|reasons is|the reasons|turned out|turns out|root cause|\
    was the one|to blame|responsible|the cause|cause is|the issue was|the problem was|cause was|top offender|\
    the reason was|descobri|verantwortlich|übeltäter|schuld|виноват|оказалось";
/// Words of what mended it, or made a start shorter.
const MENDED: &str = "fixed it|fixed by|fixed the problem|fixed the issue|fixes|after removing|after disabling|by removing|by disabling|\
    when i removed|is gone|went away|goes away|go away|not seen|without|disabled|disabling|reverting|removing|\
    boots fine|boots normal|as fast as expected|instantly|eliminate|reduced|reduces|down from|sped up|speeds up|\
    shave|saves|cuts|cut |drops to|dropped to|lowers|shorter|quicker|faster|workaround|solution|avoid|\
    allowed the boot|gelöst|entfernt|после отключения|descobri|desativei|before:";
/// What is wished, supposed or told to do ...
const WISHES: &str = "should|would|could|might|may be|i'd like|if you|you can|please|expected|want|instead of|\
    thanks|let me|we need|are needed|propose|we can|i can|less than";
/// ... what sets a time, or explains what something is ...
const NOTES: &str = "set to|set the|defaults to|by default|default is|configur|setting|limit|timeoutsec|\
    is a oneshot|this page|this article|this tutorial|the following|specifies|parameter|description|, default|\
    (default|how long|number of seconds|version|installs|increases the timeout|bounding";
/// ... and what is denied.
const DENIED: &str = "no longer|no delay|is fine|never|uptime|without delay|without any delay|retries every|\
    per second|added a delay|add a delay|adds a delay|add delay|whether|rebooted|not slow|isn't slow|\
    login shell";
/// What ends, or wakes up, is no start.
const OTHER: &str = "shutdown|shut down|shutting down|stop job|suspend|resume from|resuming|wakeup|hibernat|\
    powering off|power off|log out|logging out|after you log in|build takes|compil";

/// The sentences that say most of why a start is slow, with the longest time that they name.
pub(crate) struct Told {
    pub cost: Cost,
    pub ns: Option<i64>,
    /// A sentence says why.
    pub why: bool,
}

/// A sentence of a text.
struct Said<'a> {
    text: &'a str,
    /// The paragraph's place.
    place: usize,
    number: u32,
    worth: i32,
    ns: Option<i64>,
    why: bool,
}

/// Is it a page of a manual? It says how something is made, and not what happened.
pub(crate) fn is_manual<'a>(mut lines: impl Iterator<Item = &'a Line>) -> bool {
    lines.any(|line| matches!(line.text.trim(), "NAME" | "SYNOPSIS" | "DESCRIPTION"))
}

/// What persons write in some lines; none where that is a document, or says nothing of a start.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Told> {
    let lines: Vec<&Line> = lines.take(MOST + 1).collect();
    if lines.len() > MOST || is_manual(lines.iter().copied()) {
        return None;
    }
    let head = title(&lines);
    let heading = head.as_ref().map_or(String::new(), |head| head.text.to_lowercase());
    if is_other(&heading) {
        return None;
    }
    let mut all: Vec<Paragraph> = paragraphs(&spoken(&lines));
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
                ns,
                why,
            });
        }
    }
    let tells = speaks_of_a_start(&heading);
    let titled = tells || names(&heading) > 0 || heading.split(' ').count() > 3;
    let chosen = chosen(&said, titled, if tells { LITTLE } else { LEAST })?;
    quoted(&chosen.iter().map(|at| &said[*at]).collect::<Vec<_>>())
}

/// The best sentences, in the text's order: with one that names nothing the one that does, and never a title alone. `titled`:
/// the first of them is a title that tells something.
fn chosen(said: &[Said], titled: bool, least: i32) -> Option<Vec<usize>> {
    // Of equals the first.
    let best = (0..said.len()).rev().max_by_key(|at| said[*at].worth)?;
    let most = said[best].worth;
    if most < least {
        return None;
    }
    let mut out = vec![best];
    if most < LEAST || names(said[best].text) == 0 || points_back(said[best].text) {
        let named = |at: &usize| names(said[*at].text) > 0 && !said[*at].text.ends_with('?');
        let near = |at: &usize| said.get(*at).is_some_and(|one| one.place == said[best].place);
        let before = best.checked_sub(1).filter(near).filter(named);
        let title = (titled && best > 0).then_some(0);
        let behind = || Some(best + 1).filter(near).filter(named);
        out.extend(before.or_else(|| title.filter(named)).or_else(behind).or(title));
    }
    let mut rest: Vec<usize> = (0..said.len()).filter(|at| said[*at].worth >= LITTLE).collect();
    rest.sort_by_key(|at| std::cmp::Reverse(said[*at].worth));
    for at in rest {
        let says = said[at].worth >= LEAST.max(most - BEHIND) || (titled && out == [0]);
        if says && out.len() < QUOTES && !out.iter().any(|known| said[*known].text.contains(said[at].text)) {
            out.push(at);
        }
    }
    let heads = || names(said[0].text) > 0 && speaks_of_a_start(&said[0].text.to_lowercase());
    if titled && out.len() < QUOTES && !out.contains(&0) && heads() {
        out.push(0);
    }
    out.sort_unstable();
    Some(out)
}

/// The sentences as they are told.
fn quoted(said: &[&Said]) -> Option<Told> {
    let best = said.iter().rev().max_by_key(|one| one.worth)?;
    let quotes: Vec<String> = said
        .iter()
        .map(|one| format!("`{}`", around(one.text, place(one.text))))
        .collect();
    let quotes = match quotes.as_slice() {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        all => all.concat(),
    };
    let cost = Cost::without_time(
        CostKind::StatedTime,
        format!("a person writes {quotes}"),
        best.number,
        "these are the text's own words".to_owned(),
        "add the log of that boot: the kernel's messages, or systemd-analyze's account of it",
    );
    let ns = said.iter().filter_map(|one| one.ns).max();
    let why = said.iter().any(|one| one.why && one.worth >= LEAST);
    Some(Told { cost, ns, why })
}

/// `This adds 7 seconds.`: what, stands before it.
fn points_back(sentence: &str) -> bool {
    let first = sentence.split(' ').next().unwrap_or("");
    matches!(first, "It" | "This" | "That" | "These" | "it" | "this")
}

/// Where in a sentence its cause stands.
fn place(sentence: &str) -> usize {
    let lower = sentence.to_lowercase();
    let marks = [CAUSES, WAITS, SLOW].into_iter().flat_map(|words| words.split('|'));
    let at = marks.filter_map(|word| find(&lower, word)).min().unwrap_or(0);
    at.min(sentence.len())
}

/// Does it speak of an end or a waking only?
fn is_other(lower: &str) -> bool {
    holds(&lower.replace("suspend/resume", ""), OTHER) && !lower.contains("boot")
}

/// The sentence in small letters without the names in it: `foo_timeout` is no word of waiting.
fn without_names(lower: &str) -> String {
    let mut marked = false;
    let kept = |word: &&str| {
        let inside = marked;
        marked ^= word.matches('`').count() % 2 == 1;
        let name = is_name(word) || word.contains(['/', '=']) || word.matches('-').count() > 1 || word.ends_with('…');
        let name = name && word.is_ascii();
        !inside && !name
    };
    lower.split_whitespace().filter(kept).collect::<Vec<_>>().join(" ") + " "
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

// SPDX-License-Identifier: MIT
//! Posts of a thread: what answers what. A short answer is a cause where the question tells how slow a start is, and so is
//! what the next post accepts, and what somebody changed beside the words that it helped.

use super::persons_causes::{in_vain, PLAIN};
use super::persons_lexicon::{ACCEPTED, CHANGED, FAULTS, HELPED, PARTS, REMEDIES};
use super::persons_said::Said;
use super::prose::{find, holds, names};
use crate::log::line::Line;

/// Where the posts of a thread begin.
pub(super) struct Posts {
    begins: Vec<u32>,
    /// The thread is about a change: its title says what is changed.
    pub change: bool,
}

impl Posts {
    pub(super) fn of(lines: &[&Line]) -> Self {
        let heads = lines.iter().filter(|line| is_head(&line.text));
        let change = |line: &&Line| line.text.contains(" · pull request #") || line.text.starts_with("Subject: [PATCH");
        Self {
            begins: heads.map(|line| line.number).collect(),
            change: lines.iter().take(6).any(change),
        }
    }

    /// Has the text posts?
    pub(super) fn threaded(&self) -> bool {
        self.begins.len() > 1
    }

    /// The post of a line; none in a text without posts.
    pub(super) fn at(&self, number: u32) -> Option<usize> {
        let before = self.begins.iter().filter(|begin| **begin <= number).count();
        self.threaded().then_some(before)
    }
}

/// `quuxer · comment · 2031-01-01`, `### Post by quuxer`
fn is_head(text: &str) -> bool {
    const KINDS: [&str; 4] = [" · comment · ", " · description · ", " · review · ", " · answer · "];
    KINDS.iter().any(|kind| text.contains(kind)) || text.starts_with("### Post by ")
}

/// Adds to the weight of each sentence as a cause what the posts around it say of it.
pub(super) fn place(said: &mut [Said], threaded: bool) {
    let lower: Vec<String> = said.iter().map(|one| one.text.to_lowercase()).collect();
    for at in 0..said.len() {
        let before = at.checked_sub(1);
        if is_answer(said, at) {
            said[at].cause = said[at].cause.max(PLAIN);
        }
        // What the next post accepts.
        let begins = before.is_some_and(|before| said[before].post != said[at].post);
        if begins && holds(&lower[at], ACCEPTED) && !in_vain(&lower[at]) {
            let post = said[at - 1].post;
            for one in said[..at].iter_mut().filter(|one| one.post == post && one.cause > 1) {
                one.cause += 2;
            }
        }
        // What was changed, and beside it that it helped.
        let asks = said[at].text.ends_with('?') || in_vain(&lower[at]);
        let beside = [before, Some(at + 1)].into_iter().flatten();
        let mut beside = beside.filter(|other| {
            said.get(*other)
                .is_some_and(|other| !threaded || other.post == said[at].post)
        });
        let helped = |other: usize| holds(&lower[other], HELPED) && !in_vain(&lower[other]);
        if !asks && holds(&lower[at], CHANGED) && beside.any(helped) {
            said[at].cause = said[at].cause.max(3) + 3;
        }
    }
    labelled(said, &lower);
}

/// `Bad frob card`: the whole of a post, some words on a fault of a thing.
fn is_answer(said: &[Said], at: usize) -> bool {
    const FEW: usize = 8;
    let one = &said[at];
    let alone = said.iter().filter(|other| other.post == one.post).count() == 1;
    let words = one.text.split_whitespace().count();
    let lower = one.text.to_lowercase();
    let thing = names(one.text) > 0 || PARTS.split('|').any(|part| find(&lower, part).is_some());
    alone && one.post > 1 && words > 1 && words <= FEW && thing && holds(&lower, FAULTS) && !one.text.ends_with('?')
}

/// Sentences that end with a colon, and announce what mended it.
const ANNOUNCES: &str =
    "workaround|i fixed|fixed it|fix the issue|solution|solved it by|solved by|the culprit|what helped";

/// `**Fix:** Disable FROB.`, with or without an end of the line between.
fn labelled(said: &mut [Said], lower: &[String]) {
    for at in 0..said.len() {
        let text = lower[at].trim_start_matches(['*', '_', ' ']);
        let Some((label, rest)) = text.split_once(':') else {
            continue;
        };
        let announced = text.ends_with(':') && holds(text, ANNOUNCES);
        if announced && !text.ends_with('?') {
            if let Some(next) = said.get_mut(at + 1).filter(|next| !next.text.ends_with('?')) {
                next.cause = next.cause.max(2) + 3;
            }
            continue;
        }
        if !REMEDIES.split('|').any(|known| known == label.trim_matches(['*', ' '])) || text.ends_with('?') {
            continue;
        }
        let own = rest.trim_matches(['*', '_', ' ']).len() > 3;
        let next = said.get(at + 1).filter(|next| next.place <= said[at].place + 1);
        let target = if own { Some(at) } else { next.map(|_| at + 1) };
        if let Some(target) = target {
            said[target].cause = said[target].cause.max(2) + 4;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::costs::persons_words::of_lines;
    use crate::log::line::lines_of;

    fn told(text: &str) -> String {
        let lines = lines_of(text);
        let costs = of_lines(lines.iter())
            .into_iter()
            .flat_map(super::super::persons_words::Told::costs);
        costs.map(|cost| cost.title + "\n").collect()
    }

    const ASKED: &str = "a/frob · issue #1 · closed\n# Very slow\n\nquuxer · description · 2031-01-01\n\
                         It takes 12 minutes to boot.\n\n";

    #[test]
    fn a_short_answer_is_a_cause() {
        let answer = |words: &str| told(&format!("{ASKED}zork · comment · 2031-01-02\n{words}\n"));
        assert!(answer("Bad sd card").contains("`Bad sd card`"));
        for words in ["Nice card", "Is it a bad card?", "Thanks a lot"] {
            assert!(!answer(words).contains(words), "{words}");
        }
    }

    #[test]
    fn what_the_next_post_accepts() {
        let text = format!(
            "{ASKED}zork · comment · 2031-01-02\nMy own board is green. I guess this is a bug of its frob.\n\n\
             quuxer · comment · 2031-01-03\nThat was it, thank you.\n"
        );
        assert!(
            told(&text).contains("`I guess this is a bug of its frob.`"),
            "{}",
            told(&text)
        );
    }

    #[test]
    fn what_was_changed_beside_that_it_helped() {
        let text = "# Slow boot\n\nIt takes 5 minutes until the login.\n\nIt is a laptop of May.\n\n\
                    I just removed \"frob zork\" from the menu.\n\nThe time went from 5m 36s to 56 s.\n";
        assert!(
            told(text).contains("`I just removed \"frob zork\" from the menu.`"),
            "{}",
            told(text)
        );
        let vain = text.replace("The time went from 5m 36s to 56 s.", "It made no difference.");
        assert!(!told(&vain).contains("frob zork"), "{}", told(&vain));
    }

    #[test]
    fn what_a_label_calls_the_fix() {
        let text = "# frobd needs a long time to start\n\nfrobd takes 8 minutes to start.\n\n**Fix:**\n\
                    Disable CONFIG_FROB_ZORK in its set-up.\n";
        assert!(told(text).contains("Disable CONFIG_FROB_ZORK"), "{}", told(text));
    }
}

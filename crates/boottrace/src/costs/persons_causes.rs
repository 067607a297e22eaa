// SPDX-License-Identifier: MIT
//! Which sentences of a person tell the cause. How slow a start is, and why, is said in different words, and often in
//! different sentences: the one with the cause need not speak of a start, or of a time, at all.

use std::collections::HashMap;

use super::persons_lexicon::{BECAUSE, DENIED, FAULTS, HINTS, MENDED, PARTS, SLOW, SUPPOSES, WAITS};
use super::persons_said::{without_names, Form, Said};
use super::prose::{find, holds, names};
use crate::text::languages::{says, says_otherwise, Kind};

/// A sentence that weighs less tells no cause.
pub(super) const LEAST: i32 = 4;
/// One that weighs so much is a cause whatever stands around it.
pub(super) const PLAIN: i32 = 6;
/// What is asked, wished or told to do is no cause.
const ASKS: &str =
    "should|please|thanks|thank you|welcome|you can |you could|let me know|would be nice|i'd like|propose|may help|might help|can help|help identify|\
    feel free|can you|could you|any idea|suggest|assuming|in order to";

/// What was tried in vain, or was taken back, is none either.
const IN_VAIN: &str =
    "did not help|didn't help|doesn't help|does not help|no difference|same result|not solve|n't solve|didn't fix|\
    did not fix|doesn't fix|does not fix|still slow|still the same|no effect|never mind|nevermind|i was wrong|my mistake|\
    not the cause|not the culprit|not the problem|nothing helped|did nothing|unrelated|ruled out|no luck|to no avail|made no|makes no|not related|isn't related|wasn't related";
/// Words of who found it in the end, or what mended it.
const SOLVED: &str = "solved|resolved|fixed|the culprit|turned out|turns out|did the trick|worked for me|now boots|boots now|works now|\
    now works|went away|goes away|is gone|that was it|the fix|the cause|root cause|confirmed|after removing|after disabling|\
    removing|disabling|reverting|it was the|the problem was|the issue was|found the|now get";

/// What somebody changes about a system ...
const CHANGES: &str =
    "remov|disabl|deactivat|revert|unplug|uninstall|mask|delet|comment|downgrad|upgrading|upgraded|updating|updated|switching to|\
    switched to|replac|turning off|turned off|turning on|adding|added|changing|changed|forced|setting|increas|blacklist";
/// ... and that it helped.
const HELPED: &str =
    "now |boots|login|is fine|works fine|fine again|normal|instant|solved|fixed|is gone|works|no longer|resolved|went away|\
    goes away|helped|quick|faster|dropped|decreased|reduced|down to|worked";
/// Words that say what mended it.
const FIXED: &str =
    "fixed it|fixed this|fixed the|fixed by|fixed with|fix the|fix this|fix it|solved by|solved it|solved the|\
    solved with|resolved by|resolved in|resolved with|cured|the fix is|the fix was|the solution";
/// Questions that are guesses: `Maybe the frob stalls?`
const GUESSES: &str = "maybe|might|could|do you have|is it possible|did you by any chance|misconfig|probably|perhaps";

/// Was it tried in vain, or taken back?
pub(super) fn in_vain(lower: &str) -> bool {
    holds(lower, IN_VAIN)
}

/// How much a sentence says of a cause.
pub(super) fn worth(sentence: &str) -> i32 {
    let lower = sentence.to_lowercase().replace('\u{2019}', "'");
    // What looks so is shown below.
    let plain = without_names(&lower).replace("looks like:", "");
    let [sure, likely, hint, slow, waits, mended] = [
        (BECAUSE, Kind::Because),
        (SUPPOSES, Kind::Likely),
        (HINTS, Kind::Hint),
        (SLOW, Kind::Slow),
        (WAITS, Kind::Waits),
        (MENDED, Kind::Mended),
    ]
    .map(|(english, kind)| says(&plain, english, kind));
    let mended = mended && (says(&plain.replace("without ", ""), MENDED, Kind::Mended));
    let gain = |yes: bool, points: i32| if yes { points } else { 0 };
    let parts = PARTS.split('|').filter(|word| find(&lower, word).is_some()).count();
    let named = sentence.split_whitespace().any(is_a_setting);
    let things = names(sentence) + parts.min(2) + 2 * usize::from(named);
    let things = i32::try_from(things).unwrap_or(3).min(3);
    let asks = lower.ends_with(['?', '\u{ff1f}']) && !lower.ends_with("!?");
    // `Do you have a bad card?` names what may be at fault.
    let likely = likely || asks && holds(&lower, GUESSES) && holds(&lower, FAULTS) && things > 0;
    let told = hint || waits || mended || slow && things > 0;
    let helped = holds(&lower, CHANGES) && holds(&lower, HELPED);
    let fixed = holds(&plain, FIXED) && (things > 0 || hint);
    let base = gain(sure || helped || fixed, 4).max(gain(likely, 3)).max(gain(told, 1));
    if base == 0 {
        return 0;
    }
    base + gain(sure && likely, 1)
        + gain(hint && base > 1, 1)
        + things
        + gain(slow || waits, 1)
        + gain(mended && things > 0, 2)
        - gain(
            asks,
            if slow && things > 1 || holds(&lower, GUESSES) {
                1
            } else {
                4
            },
        )
        - gain(says(&plain, ASKS, Kind::Asks), if sure { 1 } else { 3 })
        - gain(says(&plain, DENIED, Kind::Denied), 3)
        - gain(in_vain(&lower), 4)
        - gain(lower.contains("://"), 1)
        - gain(sentence.len() < 20, 2)
}

/// `frob-max-frequency=25000000`, `--frob-time`.
fn is_a_setting(word: &str) -> bool {
    let letters = word.contains(|c: char| c.is_ascii_alphabetic()) && !word.contains("://");
    letters && (word.contains('=') || word.starts_with("--") || word.matches('-').count() > 1)
}

/// Adds to each sentence's worth what its place says: it answers one that tells how slow a start is, it is an item of a list
/// that announces causes, or it names what the text comes back to.
pub(super) fn place(said: &mut [Said]) {
    /// The weight of a sentence that tells how slow something is.
    const TELLS: i32 = 5;
    /// A longer one that ends with a colon announces only what it says.
    const ANNOUNCES: usize = 60;
    /// Fewer sentences have no first guess and last word.
    const MANY: usize = 8;
    /// Headings over causes, and over what is advised or hoped for.
    const CAUSE_HEADS: &str = "cause|root cause|culprit|reason|bottleneck|problem|why|issue|finding|diagnos";
    const OTHER_HEADS: &str = "fix|recommend|alternativ|next|future|further|tips|expected|option|rollback|how to|faq|best case|typical case|worst case";
    let topics = topics(said);
    let all = said.len();
    let mut under = 0;
    let mut announced = false;
    for at in 0..said.len() {
        let before = at.checked_sub(1).map(|before| &said[before]);
        let answers = before.is_some_and(|before| before.worth >= TELLS);
        let lower = said[at].text.to_lowercase();
        let of_list = announced && before.is_some_and(|before| before.place + 1 >= said[at].place || before.listed);
        if said[at].form == Form::Heading {
            under = i32::from(holds(&lower, CAUSE_HEADS)) * 3 - i32::from(holds(&lower, OTHER_HEADS)) * 4;
        }
        let listed = of_list && lower.starts_with(|c: char| c.is_ascii_digit() || c.is_alphabetic());
        let short = said[at].text.len() < ANNOUNCES;
        announced = said[at].text.ends_with(':') && (said[at].cause >= 3 || said[at].worth >= TELLS || short)
            || announced && listed && said[at].form == Form::Item;
        let topic = topics.iter().any(|topic| find(&lower, topic).is_some());
        let one = &mut said[at];
        one.listed = listed && one.form == Form::Item;
        if one.listed {
            one.cause += 3 * i32::from(one.cause > 0);
        }
        if under != 0 && one.form != Form::Heading {
            one.cause += under * i32::from(one.cause > 0);
            one.worth += under.min(0) * i32::from(one.worth > 0);
        }
        if one.cause > 1 {
            one.cause += i32::from(answers) + i32::from(topic);
            // What the last posts of a thread tell as found wins over the first guess.
            let last = all > MANY && at * 3 > all * 2;
            one.cause += 2 * i32::from(last && (holds(&lower, SOLVED) || says_otherwise(&lower, Kind::Found)));
        }
        one.cause -= i32::from(one.depth > 1 && one.cause > 0);
    }
}

/// The names that a text comes back to: words with a capital letter inside a sentence, a digit or a mark, in many sentences.
fn topics(said: &[Said]) -> Vec<String> {
    const OFTEN: usize = 3;
    let mut counts: HashMap<String, usize> = HashMap::new();
    for one in said {
        let mut words: Vec<String> = one
            .text
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .map(|word| word.trim_matches(['.', '-']).to_lowercase())
            .filter(|word| word.chars().count() > 3 && !is_common(word))
            .collect();
        words.sort_unstable();
        words.dedup();
        for word in words {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .filter(|(_, n)| *n >= OFTEN)
        .map(|(word, _)| word)
        .collect()
}

/// Words that every text about a start comes back to.
fn is_common(word: &str) -> bool {
    const COMMON: &str =
        "boot|booting|boots|bootup|start|starts|startup|system|linux|time|times|seconds|second|minutes|\
        minute|about|after|before|with|that|this|then|they|there|from|have|when|what|which|would|could|should|because|\
        does|just|like|more|than|will|your|some|only|into|takes|take|took|long|slow|still|also|very|much|were|been|\
        problem|issue|same|where|using|used|every|here|other|these|those|them|their|even|make|works|work|fine|time.";
    COMMON.split('|').any(|common| common == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_without_a_time() {
        for text in [
            "That's because the frob does not have a serial line connected.",
            "I figured that it had to do with the BIOS performing a full frob test.",
            "We suspect the use of the frob, each character of which is quite expensive.",
            "frob-max-frequency=25000000 fixed the problem on my side.",
            "It boils down to the frob driver.",
        ] {
            assert!(worth(text) >= LEAST, "{text}: {}", worth(text));
        }
        for text in [
            "Hello.",
            "Is the disk at fault?",
            "You can try another card.",
            "I bought a new laptop in May.",
            "The frob is blue.",
        ] {
            assert!(worth(text) < LEAST, "{text}: {}", worth(text));
        }
    }
}

// SPDX-License-Identifier: MIT
//! Which sentences of a person are quoted: the best one, what it points back at, and beside it the cause, so that not all of
//! them say the same.

use super::persons_causes;
use super::persons_lexicon::{SLOW, WAITS};
use super::persons_said::{Form, Said, LEAST, LITTLE};
use super::persons_weight::is_other;
use super::prose::{holds, names, speaks_of_a_start};
use crate::log::sentence::is_sentence;
use crate::text::languages::{says, Kind};

/// Sentences quoted of a start and its cause ...
const QUOTES: usize = 3;
/// ... and of what else is said of why.
const MORE: usize = 4;
/// Beside the best one, one that weighs so much less adds nothing.
const BEHIND: i32 = 6;
/// Letters of what else is quoted: two costs that are shown whole.
const ROOM: usize = 520;
/// A text with no more letters is quoted almost as a whole.
const SHORT_TEXT: usize = 1_000;

/// The sentences that are quoted, by their places, in the text's order.
pub(super) struct Choice {
    pub first: Vec<usize>,
    pub further: Vec<usize>,
}

/// `titled`: the first of them is a title that tells something. `tells`: it speaks of a start. `change`: it names a change.
pub(super) fn choice(said: &[Said], titled: bool, tells: bool, change: bool) -> Option<Choice> {
    let mut first = first(said, titled, if tells { LITTLE } else { LEAST })?;
    // What a change is called says what is changed.
    if change && tells_more(said, &first, 0) && first.len() <= QUOTES {
        first.insert(0, 0);
    }
    let mut further = further(said, &first);
    fill(said, &first, &mut further);
    Some(Choice { first, further })
}

/// Where no sentence weighs enough: one that speaks of a start and of a time, or says that it is slow, or else the title.
/// `headed`: the first is a heading of its own, and speaks of a start.
pub(super) fn last_choice(said: &[Said], headed: bool) -> Option<Choice> {
    /// What is wished or set.
    const WISHED: &str = "should|would|shall|set to|default|expected";
    let speaks = |at: &usize| {
        let one = &said[*at];
        let lower = one.text.to_lowercase().replace("start menu", "");
        let told = one.ns.is_some() || says(&lower, SLOW, Kind::Slow) || says(&lower, WAITS, Kind::Waits);
        told && speaks_of_a_start(&lower)
            && !is_other(&lower)
            && !holds(&lower, WISHED)
            && !one.text.ends_with(['?', '\u{ff1f}'])
            && is_spoken(one.text)
    };
    let weight = |at: &usize| 2 * i32::from(said[*at].ns.is_some()) + said[*at].worth;
    let mut first: Vec<usize> = (usize::from(headed)..said.len()).filter(speaks).collect();
    first.sort_by_key(|at| std::cmp::Reverse(weight(at)));
    first.truncate(QUOTES - 1);
    if headed && !first.iter().any(|at| said[*at].text.contains(said[0].text)) {
        first.insert(0, 0);
    }
    first.sort_unstable();
    if first.is_empty() {
        return None;
    }
    let mut further = further(said, &first);
    fill(said, &first, &mut further);
    Some(Choice { first, further })
}

/// A sentence of words, and no line of a program's.
fn is_spoken(text: &str) -> bool {
    !text.is_ascii() || is_sentence(text)
}

/// The best sentences: one that tells how slow it is, with what it points back at; the plainest causes of different content;
/// and never a title alone.
fn first(said: &[Said], titled: bool, least: i32) -> Option<Vec<usize>> {
    let cause = |at: &usize| said[*at].cause;
    // Of equals the first, and of those about as good one with a time.
    let best = (0..said.len())
        .rev()
        .max_by_key(|at| said[*at].worth + i32::from(said[*at].ns.is_some() && said[*at].slow))?;
    let most = said[best].worth;
    let mut plainest: Vec<usize> = (0..said.len())
        .filter(|at| cause(at) >= persons_causes::PLAIN)
        .collect();
    plainest.sort_by_key(|at| std::cmp::Reverse(cause(at)));
    if most < least {
        plainest.retain(|at| said[*at].worth > 0 || cause(at) > persons_causes::PLAIN);
        plainest.truncate(1);
        return (!plainest.is_empty()).then_some(plainest);
    }
    let mut out = vec![best];
    if most < LEAST || names(said[best].text) == 0 || points_back(said[best].text) {
        out.extend(beside(said, best, titled));
    }
    // A cause, how long it takes, and another cause.
    let timed = (0..said.len())
        .rev()
        .filter(|at| said[*at].ns.is_some() && said[*at].slow && said[*at].worth >= LITTLE)
        .max_by_key(|at| said[*at].worth);
    let known = |out: &[usize]| out.iter().any(|at| said[*at].ns.is_some());
    for (n, at) in plainest.into_iter().enumerate() {
        let timed = timed.filter(|at| n > 0 && !known(&out) && tells_more(said, &out, *at));
        out.extend(timed.filter(|_| out.len() < QUOTES));
        if out.len() < QUOTES && tells_more(said, &out, at) {
            out.push(at);
        }
    }
    out.extend(timed.filter(|at| out.len() < QUOTES && !known(&out) && tells_more(said, &out, *at)));
    let mut rest: Vec<usize> = (0..said.len()).filter(|at| said[*at].worth >= LITTLE).collect();
    rest.sort_by_key(|at| std::cmp::Reverse(said[*at].worth));
    for at in rest {
        let says = said[at].worth >= LEAST.max(most - BEHIND) || (titled && out == [0]);
        if says && out.len() < QUOTES && tells_more(said, &out, at) {
            out.push(at);
        }
    }
    let heads = || names(said[0].text) > 0 && speaks_of_a_start(&said[0].text.to_lowercase());
    if titled && out.len() < QUOTES && heads() && tells_more(said, &out, 0) {
        out.push(0);
    }
    // `It is slow. About 2 minutes until it is up.`
    let told = |out: &[usize]| out.iter().any(|at| said[*at].ns.is_some());
    if !told(&out) {
        let next = out.iter().map(|at| at + 1).find(|next| {
            let same = said.get(*next).is_some_and(|one| one.place == said[*next - 1].place);
            same && said[*next].ns.is_some() && said[*next - 1].slow && tells_more(said, &out, *next)
        });
        out.extend(next);
    }
    // `because that is slow`: what, stands before it.
    for at in out.clone() {
        let before = at.checked_sub(1).filter(|before| said[*before].place == said[at].place);
        let text = said[at].text;
        let goes_on = text.starts_with(char::is_lowercase) || text.starts_with("Because");
        let goes_on = goes_on || goes_back(text);
        let before = before.filter(|before| goes_on && tells_more(said, &out, *before));
        out.extend(before.filter(|_| out.len() <= QUOTES));
    }
    out.sort_unstable();
    Some(out)
}

/// What names that of which the best sentence only says how long it takes: the sentence before it, the title, or the next.
fn beside(said: &[Said], best: usize, titled: bool) -> Option<usize> {
    let named = |at: &usize| names(said[*at].text) > 0 && !said[*at].text.ends_with('?');
    let near = |at: &usize| said.get(*at).is_some_and(|one| one.place == said[best].place);
    let before = best.checked_sub(1).filter(near).filter(named);
    let title = (titled && best > 0).then_some(0);
    let behind = || Some(best + 1).filter(near).filter(named);
    before.or_else(|| title.filter(named)).or_else(behind).or(title)
}

/// Where there is room, what weighs a little is quoted too, and what stands beside the best sentences.
fn fill(said: &[Said], first: &[usize], further: &mut Vec<usize>) {
    let letters = |at: &usize| said[*at].text.chars().count();
    let all: usize = (0..said.len()).map(|at| letters(&at)).sum();
    let least = if all <= SHORT_TEXT { 2 } else { 3 };
    let mut rest: Vec<(i32, usize)> = (0..said.len()).map(|at| (lightly(said, first, at), at)).collect();
    rest.retain(|(weight, _)| *weight >= least);
    rest.sort_by_key(|(weight, at)| (std::cmp::Reverse(*weight), *at));
    for (_, at) in rest {
        let known: Vec<usize> = first.iter().chain(further.iter()).copied().collect();
        let room = further.iter().map(letters).sum::<usize>() + letters(&at) <= ROOM;
        if room && tells_more(said, &known, at) {
            further.push(at);
        }
    }
    further.sort_unstable();
}

/// What a sentence weighs where little is said: by its own words, its place beside the best ones, what it names, and how long.
fn lightly(said: &[Said], first: &[usize], at: usize) -> i32 {
    /// Shorter ones greet and thank.
    const WORDS: usize = 5;
    let one = &said[at];
    let words = one.text.split_whitespace().count();
    let spaced = one.text.is_ascii() || words * 12 > one.text.chars().count();
    if one.form == Form::Heading || spaced && words < WORDS && one.cause < persons_causes::LEAST {
        return 0;
    }
    // The next sentence, or the first of the next paragraph of the same post.
    let beside =
        |other: &usize| *other + 1 == at && (one.place <= said[*other].place + 1 || one.post == said[*other].post);
    let ahead = |other: &usize| at + 1 == *other && one.place == said[*other].place;
    let near = first.iter().any(beside) && one.form == Form::Text;
    let points = |yes: bool, points: i32| if yes { points } else { 0 };
    let own = one.cause.max(one.worth).max(0)
        + i32::try_from(names(one.text)).unwrap_or(2).min(2)
        + points(one.ns.is_some(), 1);
    // What names nothing says nothing, wherever it stands.
    if own == 0 {
        return 0;
    }
    own + points(near, 2) + points(first.iter().any(ahead), 1)
        - points(one.text.ends_with(['?', '\u{ff1f}']), 3)
        - points(holds(&one.text.to_lowercase(), ASIDE), 4)
}

/// Words of thanks, of forms, and of what somebody is asked to do.
const ASIDE: &str =
    "thanks|thank you|please|i searched|search existing|checklist|bug report|screenshot|regards|license|\
    copyright|subscribe|click|sign up|log in to|cookie";

/// What else is said of the cause, of how long, or of what mended it.
fn further(said: &[Said], first: &[usize]) -> Vec<usize> {
    let weight = |at: usize| said[at].cause.max(said[at].worth - 1);
    let mut rest: Vec<usize> = (0..said.len())
        .filter(|at| said[*at].cause >= persons_causes::LEAST || said[*at].worth > LITTLE)
        .collect();
    rest.sort_by_key(|at| std::cmp::Reverse(weight(*at)));
    let mut known = first.to_vec();
    let mut out = Vec::new();
    for at in rest {
        if out.len() >= MORE {
            break;
        }
        if !tells_more(said, &known, at) {
            continue;
        }
        // `Because of that.` says nothing without what stands before it.
        let before = at.checked_sub(1).filter(|before| said[*before].place == said[at].place);
        let before = before.filter(|_| points_back(said[at].text) && out.len() + 1 < MORE);
        for at in before
            .filter(|before| tells_more(said, &known, *before))
            .into_iter()
            .chain([at])
        {
            out.push(at);
            known.push(at);
        }
    }
    out.sort_unstable();
    out
}

/// Does it say what the others do not say yet? Most words of a title, or of a repeated sentence, stand in them.
fn tells_more(said: &[Said], known: &[usize], at: usize) -> bool {
    const MOST: f64 = 0.8;
    let mine = words(said[at].text);
    !known.iter().any(|one| {
        let other = said[*one].text;
        let same = mine.iter().filter(|word| words(other).contains(word)).count();
        *one == at
            || other.contains(said[at].text)
            || said[at].text.contains(other)
            || mine.len() > 3 && same as f64 >= MOST * mine.len() as f64
    })
}

/// The longer words of a sentence, in small letters.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
    words
        .filter(|word| word.len() > 2)
        .map(|word| word.trim_matches('.').to_lowercase())
        .collect()
}

/// `Removing this, I get a login.`
fn goes_back(sentence: &str) -> bool {
    const LATER: [&str; 9] = [
        "But it ",
        "But with it",
        "With it",
        "With this",
        "With that",
        "Without it",
        "After that",
        "Removing this",
        "Disabling this",
    ];
    LATER.iter().any(|words| sentence.starts_with(words))
}

/// `This adds 7 seconds.`: what, stands before it.
fn points_back(sentence: &str) -> bool {
    if goes_back(sentence) {
        return true;
    }
    let first = sentence.split([' ', '\'', '\u{2019}']).next().unwrap_or("");
    matches!(
        first,
        "It" | "This" | "That" | "These" | "it" | "this" | "that" | "because" | "Because" | "So" | "so" | "which"
    )
}

// SPDX-License-Identifier: MIT
//! Which sentences of a person are quoted: the best one, what it points back at, and beside it the cause, so that not all of
//! them say the same.

use super::persons_causes;
use super::persons_said::{Said, LEAST, LITTLE};
use super::prose::{names, speaks_of_a_start};

/// Sentences quoted of a start and its cause ...
const QUOTES: usize = 3;
/// ... and of what else is said of why.
const MORE: usize = 3;
/// Beside the best one, one that weighs so much less adds nothing.
const BEHIND: i32 = 6;

/// The sentences that are quoted, by their places, in the text's order.
pub(super) struct Choice {
    pub first: Vec<usize>,
    pub further: Vec<usize>,
}

/// `titled`: the first of them is a title that tells something. `tells`: it speaks of a start.
pub(super) fn choice(said: &[Said], titled: bool, tells: bool) -> Option<Choice> {
    let first = first(said, titled, if tells { LITTLE } else { LEAST })?;
    let further = further(said, &first);
    Some(Choice { first, further })
}

/// The best sentences: with one that names nothing the one that does, the plainest cause, and never a title alone.
fn first(said: &[Said], titled: bool, least: i32) -> Option<Vec<usize>> {
    // Of equals the first.
    let best = (0..said.len()).rev().max_by_key(|at| said[*at].worth)?;
    let most = said[best].worth;
    if most < least {
        let plainest = (0..said.len()).rev().max_by_key(|at| said[*at].cause)?;
        let plain = said[plainest].cause >= persons_causes::PLAIN && said[plainest].worth > 0;
        return plain.then(|| vec![plainest]);
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
    // The cause, where none of these tells one.
    let told = out.iter().any(|at| said[*at].cause >= persons_causes::PLAIN);
    let plainest = (0..said.len())
        .rev()
        .filter(|at| !is_told(said, &out, *at))
        .max_by_key(|at| said[*at].cause);
    out.extend(plainest.filter(|at| !told && said[*at].cause >= persons_causes::PLAIN));
    let mut rest: Vec<usize> = (0..said.len()).filter(|at| said[*at].worth >= LITTLE).collect();
    rest.sort_by_key(|at| std::cmp::Reverse(said[*at].worth));
    for at in rest {
        let says = said[at].worth >= LEAST.max(most - BEHIND) || (titled && out == [0]);
        if says && out.len() < QUOTES && !is_told(said, &out, at) {
            out.push(at);
        }
    }
    let heads = || names(said[0].text) > 0 && speaks_of_a_start(&said[0].text.to_lowercase());
    if titled && out.len() < QUOTES && !out.contains(&0) && heads() {
        out.push(0);
    }
    // `because that is slow`: what, stands before it.
    for at in out.clone() {
        let before = at.checked_sub(1).filter(|before| said[*before].place == said[at].place);
        let text = said[at].text;
        let goes_on = text.starts_with(char::is_lowercase) || text.starts_with("Because");
        let goes_on = goes_on || goes_back(text);
        let before = before.filter(|before| goes_on && !is_told(said, &out, *before));
        out.extend(before.filter(|_| out.len() <= QUOTES));
    }
    out.sort_unstable();
    Some(out)
}

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
        if is_told(said, &known, at) {
            continue;
        }
        // `Because of that.` says nothing without what stands before it.
        let before = at.checked_sub(1).filter(|before| said[*before].place == said[at].place);
        let before = before.filter(|_| points_back(said[at].text) && out.len() + 1 < MORE);
        for at in before
            .filter(|before| !is_told(said, &known, *before))
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

/// Is it quoted already?
fn is_told(said: &[Said], known: &[usize], at: usize) -> bool {
    known
        .iter()
        .any(|one| *one == at || said[*one].text.contains(said[at].text) || said[at].text.contains(said[*one].text))
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

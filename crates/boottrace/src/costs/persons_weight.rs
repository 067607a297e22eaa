// SPDX-License-Identifier: MIT
//! How much a sentence of a person says of how slow a start is.

use super::persons_causes;
use super::persons_lexicon::{CAUSES, DENIED, FOUND, LASTS, MENDED, NOTES, OTHER, SLOW, WAITS, WISHES};
use super::persons_said::without_names;
use super::prose::{holds, names, speaks_of_a_start};
use super::settings::sets_a_time;
use crate::text::languages::{says, says_otherwise, Kind};
use crate::text::spoken_time::longest_in_words;

/// A shorter time is no wait.
const SHORTEST_NS: i64 = 100_000_000;

/// Does it speak of an end or a waking only?
pub(super) fn is_other(lower: &str) -> bool {
    holds(&lower.replace("suspend/resume", ""), OTHER) && !lower.contains("boot")
}

/// How much a sentence says of why a start is slow, and the longest time that it names. `near`: what stands around it speaks
/// of a start. Last: does it say why, and that it
/// is slow?
pub(super) fn weigh(sentence: &str, near: bool) -> (i32, Option<i64>, [bool; 2]) {
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
    let [lasts, slow, waits, mended] = [
        (LASTS, Kind::Lasts),
        (SLOW, Kind::Slow),
        (WAITS, Kind::Waits),
        (MENDED, Kind::Mended),
    ]
    .map(|(english, kind)| says(&plain, english, kind));
    let found = says(&plain, FOUND, Kind::Found);
    let caused = found || says(&plain, CAUSES, Kind::Cause);
    let things = i32::try_from(names(sentence)).unwrap_or(3);
    // `frob_timeout`: how long it waits.
    let is_setting = lower.starts_with('`') && lower.contains("`: ");
    let timed = ns.is_some() && (lasts || slow || waits || mended);
    let bare = ns.is_some() && (own || things > 1);
    if !(own || near) || is_other(&lower) || is_setting || !(slow || waits || mended || caused || timed || bare) {
        return (0, ns, [false; 2]);
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
    let asks = lower.ends_with(['?', '\u{ff1f}']) && !lower.ends_with("!?");
    let sure = slow || timed || found || caused && waits;
    // `It took 6 minutes to boot, did I miss something?`: what it took is no question.
    let told_anyway =
        timed && (lower.contains("why ") || (own && (lower.contains("it took ") || lower.contains("compared to "))));
    let lost = gain(asks, if told_anyway { 1 } else { 6 })
        + gain(
            holds(&plain, WISHES) || says_otherwise(&plain, Kind::Asks),
            if sure { 2 } else { 4 },
        )
        + gain(
            holds(&plain, NOTES) || sets_a_time(&plain),
            match (slow && (timed || own) || caused, timed) {
                (true, _) => 0,
                (_, true) => 2,
                _ => 4,
            },
        )
        + gain(lower.starts_with("set "), 4)
        + gain(says(&plain, DENIED, Kind::Denied), 5)
        + gain(!(slow || waits || timed || found || mended), 3)
        + gain(lower.contains("://"), 1)
        + gain(persons_causes::in_vain(&lower), 4);
    (
        told - lost,
        ns,
        [found || caused && (slow || timed), slow || waits || timed],
    )
}

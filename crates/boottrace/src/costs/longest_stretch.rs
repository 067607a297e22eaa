// SPDX-License-Identifier: MIT
//! The longest time between two lines of a boot that follow each other and carry a stamp of one clock, whatever stands
//! between them. Where no cost tells of it, no cost may be called the largest.

use serde::{Deserialize, Serialize};

use super::cost::Cost;
use crate::facts::boot::first_use::is_behind_a_prompt;
use crate::facts::boot::gap::{
    ends_the_boot, in_background, is_sentence, waits_for_somebody, BootPart, LATEST_PIECE_NS, LONGEST_WAIT_NS,
};
use crate::facts::boot::idle::{is_nobodys, is_of_a_governor, others_speak, says_the_same, Often};
use crate::facts::boot::inside::last_step;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::{is_taken_out, leaves_out, loses, shuts_down};
use crate::log::clock::{is_before_overflow, NS_PER_S};
use crate::log::course::boot_waits_for;
use crate::log::line::{run_ahead, strays, Line};
use crate::text::shorten::shorten;

/// Who is silent for longer is not starting.
const LONGEST_NS: i64 = 1_200 * NS_PER_S;
/// Shorter ones are not worth a sentence.
const SHORTEST_NS: i64 = 10_000_000;
/// A boot whose start is shown is over after a silence as long as itself, and no shorter than this.
const SETTLED_NS: i64 = 10 * NS_PER_S;

/// No use is shown: up to here, and for no longer, a silence may still be a wait of the boot.
const LATE_NS: i64 = 240 * NS_PER_S;

/// A stretch of a boot that no cost tells of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LongestStretch {
    /// Length.
    pub duration_ns: i64,
    /// True when the clock has whole seconds only: it is at least as long as said.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_least: bool,
    /// Physical line before it.
    pub after_line: u32,
    /// That line's message.
    pub after: String,
    /// Physical line behind it.
    pub before_line: u32,
    /// That line's message.
    pub before: String,
    /// True when somebody left lines out between the two.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub left_out: bool,
    /// From the first stamp to the last of the clock that the stretch was read from.
    pub span_ns: i64,
}

/// In a piece of no more lines, the dates of a log tell of the time between them too.
const PASTED: usize = 60;

/// The stamps of a line: the kernel's, the capture's, the firmware's. `dated`: a log's dates count, which a daemon gave.
fn stamps(line: &Line, dated: bool) -> [Option<i64>; 3] {
    let own = line.printk_ns.filter(|ns| !is_before_overflow(*ns) && *ns != 0);
    let host = line.live_host_ns().or(line.host_ns.filter(|_| dated));
    [own, host, line.firmware_ns]
}

/// Finds the longest stretch up to first use, and before the first line that is none of the boot's, that no cost covers; none
/// where a cost is as long.
pub fn longest_stretch(
    boot: &BootLog,
    costs: &[Cost],
    (used, over): (Option<u32>, Option<u32>),
) -> Option<LongestStretch> {
    let init_from = boot.user_from.unwrap_or(boot.lines.len());
    let shows_start = boot.start != BootStart::MiddleOfLog;
    let dated = !shows_start && boot.lines.len() <= PASTED;
    let mut best: Option<LongestStretch> = None;
    let mut last: Option<(usize, [Option<i64>; 3])> = None;
    let mut first: [Option<i64>; 3] = [None; 3];
    let mut ends: [Option<i64>; 3] = [None; 3];
    let mut from = 3;
    let mut late = false;
    let step = last_step(boot);
    let ahead = run_ahead(&boot.lines);
    let of_user = boot.lines.get(init_from..).unwrap_or_default().iter();
    let often = Often::of(of_user.filter_map(|line| Some((line, line.printk_ns?))));
    for (at, line) in boot.lines.iter().enumerate() {
        let later = used.is_some_and(|used| line.number > used) || is_behind_a_prompt(boot, at, used);
        let taken_out = !shows_start && is_taken_out(&line.text);
        let later = later || over.is_some_and(|over| line.number >= over);
        if later || ends_the_boot(line) || shuts_down(line) || taken_out {
            break;
        }
        // The lines of a page's blocks follow one another in it, and not in a log.
        let parted = at > 0 && line.number > boot.lines[at - 1].last_number().saturating_add(1);
        if !shows_start && (parted || is_sentence(boot, at)) {
            last = None;
        }
        let here = stamps(line, dated);
        if here == [None; 3] || line.text.trim().is_empty() {
            continue;
        }
        let stays = last.and_then(|(_, then)| then[0]);
        if stays.is_some_and(|ns| strays(&boot.lines, at, ns)) || ahead.binary_search(&at).is_ok() {
            continue;
        }
        let Some((before, then)) = last.replace((at, here)) else {
            first = here;
            continue;
        };
        let by_clock = (0..3).find_map(|clock| Some((clock, here[clock]?.checked_sub(then[clock]?)?)));
        for clock in 0..3 {
            first[clock] = first[clock].or(here[clock]);
            ends[clock] = here[clock].or(ends[clock]);
        }
        let Some((clock, mut ns)) = by_clock else { continue };
        let whole = clock == 1 && [here[1], then[1]].iter().flatten().all(|ns| ns % NS_PER_S == 0);
        if whole {
            ns -= NS_PER_S;
        }
        let elapsed = then[clock]
            .zip(first[clock])
            .map_or(0, |(ns, first)| ns.saturating_sub(first));
        if shows_start && used.is_none() && at >= init_from && at > step && ns > elapsed.max(SETTLED_NS) {
            late = true;
        }
        if late && !boot_waits_for(&line.text) {
            continue;
        }
        // Later, a system that is up is idle for as long as it likes.
        if late && (ns > LATE_NS || elapsed > LATE_NS) {
            break;
        }
        // The kernel's clock was not set: what follows came to a system that had long been up.
        if clock == 0 && ns > LONGEST_NS && (!shows_start || at >= init_from) {
            break;
        }
        // No init was seen: somebody else's words tell that it runs, and no wait of the kernel's alone is so long.
        let alone = clock == 0 && boot.user_from.is_none();
        let late_alone = || {
            let stamp = then[0].unwrap_or(0);
            (shows_start && stamp > LATEST_PIECE_NS) || (!shows_start && ns > LONGEST_WAIT_NS)
        };
        if alone && (others_speak(&boot.lines[before..at], ns) || late_alone()) {
            break;
        }
        // The kernel's lines have the date at which they were read: late, until the daemon runs.
        let daemon_runs = || boot.lines[..=at].iter().any(|line| line.process.is_some());
        let read_late = clock == 1 && line.live_host_ns().is_none() && !daemon_runs();
        let asked = read_late || waits_for_somebody(&boot.lines[before]) || is_nobodys(&boot.lines[before], line);
        // The same words again and again are no course of a boot.
        let again = |from: &Line| {
            let timers = often.holds(line) && in_background(from, BootPart::UserSpace);
            says_the_same(from, line) || timers || (often.holds(from) && !boot_waits_for(&line.text))
        };
        let asked = asked
            || (at >= init_from
                && (is_of_a_governor(&boot.lines[before].text, &line.text) || again(&boot.lines[before])));
        if !(SHORTEST_NS..=LONGEST_NS).contains(&ns)
            || asked
            || boot.lines[before].number == line.number
            || best.as_ref().is_some_and(|best| best.duration_ns >= ns)
        {
            continue;
        }
        let between = &boot.lines[before..=at];
        if !covered(between, ns, costs) {
            from = clock;
            best = Some(stretch(between, ns, whole));
        }
    }
    let span = first
        .get(from)
        .copied()
        .flatten()
        .zip(ends.get(from).copied().flatten());
    best.map(|best| LongestStretch {
        span_ns: span.map_or(0, |(first, last)| last.saturating_sub(first)),
        ..best
    })
}

pub(super) fn stretch(lines: &[Line], ns: i64, whole: bool) -> LongestStretch {
    let (from, to) = (&lines[0], &lines[lines.len() - 1]);
    LongestStretch {
        duration_ns: ns,
        at_least: whole,
        after_line: from.number,
        after: shorten(from.text.trim()),
        before_line: to.number,
        before: shorten(to.text.trim()),
        left_out: lines.iter().any(|line| leaves_out(line) || loses(&line.text)),
        span_ns: 0,
    }
}

/// Does a cost tell of this time? It is about as long, and stands there or around it.
pub(super) fn covered(lines: &[Line], ns: i64, costs: &[Cost]) -> bool {
    let (from, to) = (lines[0].number, lines[lines.len() - 1].number);
    costs.iter().any(|cost| {
        let there = || {
            let (first, last) = (cost.lines.iter().min(), cost.lines.iter().max());
            first
                .zip(last)
                .is_some_and(|(first, last)| *first <= to && from <= *last)
        };
        cost.cost_ns.is_some_and(|spent| spent >= ns / 10 * 8) && (cost.lines.is_empty() || there())
    })
}

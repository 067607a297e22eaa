// SPDX-License-Identifier: MIT
//! Messages that a timer prints again and again: the time between two of them is none in which a boot goes on.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use crate::log::breaks;
use crate::log::course::{awaits_nothing, comes_by_itself};
use crate::log::line::{Line, LineKind};

/// A message without its numbers, as a number.
type Wording = u64;

/// How often a message must come.
const TIMES: usize = 4;
/// Shorter ones are progress, not a period.
const SHORTEST_NS: i64 = 100_000_000;
/// Lines of nothing but one such message, behind which a system does nothing else.
const NOTHING_ELSE: u32 = 4;
/// Messages looked at in one boot.
const MAX_WORDINGS: usize = 64;
/// Times kept of one message.
const MAX_TIMES: usize = 2000;
/// Programs that start others by the clock.
const BY_THE_CLOCK: [&str; 7] = ["CRON", "CROND", "cron", "crond", "anacron", "atd", "fcron"];
/// Words of who waits for something: then it is the boot that waits.
const WAITS: [&str; 14] = [
    "wait",
    "retr",
    "discover",
    "attempt",
    "timeout",
    "timed out",
    "trying",
    "start job is running",
    "error -",
    "falling back",
    "not respond",
    "no response",
    ": reset ",
    "comreset",
];

/// What is known of the messages of a boot that come by a timer.
#[derive(Debug, Default)]
pub struct Idle {
    periods_ns: HashMap<Wording, i64>,
    /// Messages that come again and again, by a timer or not.
    often: HashSet<Wording>,
    /// From here on nothing else comes.
    pub settled_ns: Option<i64>,
}

/// A message without what changes in it. Stamps of a driver's own count as numbers.
fn wording(text: &str) -> Wording {
    let constant: String = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    BuildHasherDefault::<DefaultHasher>::default().hash_one(constant)
}

pub(super) fn waits(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    WAITS.iter().any(|word| text.contains(word))
}

impl Idle {
    /// Looks for the messages among `candidates`, which end or begin a silence, in all lines with their times.
    /// `init_spoke`: init starts something up to this line.
    pub fn of<'a>(
        candidates: impl Iterator<Item = &'a Line>,
        lines: impl Iterator<Item = (&'a Line, i64)>,
        init_spoke: u32,
    ) -> Self {
        let mut times: HashMap<Wording, Vec<i64>> = HashMap::new();
        for line in candidates.filter(|line| !waits(&line.text)) {
            if times.len() < MAX_WORDINGS {
                times.entry(wording(&line.text)).or_default();
            }
        }
        if times.is_empty() {
            return Self::default();
        }
        // The first of each run of lines with one message.
        let mut runs: Vec<(Wording, i64)> = Vec::new();
        let mut run: Option<(Wording, i64, u32)> = None;
        for (line, ns) in lines {
            let words = wording(&line.text);
            run = match run {
                Some((before, from, count)) if before == words => Some((words, from, count + 1)),
                _ => Some((words, ns, 1)),
            };
            if let Some((words, from, NOTHING_ELSE)) = run.filter(|_| line.number > init_spoke) {
                if runs.len() < MAX_WORDINGS {
                    runs.push((words, from));
                }
            }
            if let Some(kept) = times.get_mut(&words).filter(|kept| kept.len() < MAX_TIMES) {
                kept.push(ns);
            }
        }
        let often = times
            .iter()
            .filter(|(_, times)| times.len() >= TIMES)
            .map(|(words, _)| *words)
            .collect();
        let periods = times.into_iter();
        let periods_ns: HashMap<Wording, i64> = periods
            .filter_map(|(words, times)| Some((words, period(&times)?)))
            .collect();
        let settled = runs.iter().find(|(words, _)| periods_ns.contains_key(words));
        Self {
            settled_ns: settled.map(|(_, from)| *from),
            periods_ns,
            often,
        }
    }

    /// Does a timer end this silence, and nothing that a boot has waited for?
    pub fn ends(&self, from: &Line, to: &Line, length_ns: i64) -> bool {
        let by_the_clock = |line: &Line| line.process.as_deref().is_some_and(|name| BY_THE_CLOCK.contains(&name));
        let words = wording(&to.text);
        if by_the_clock(to) || (words == wording(&from.text) && self.often.contains(&words)) {
            return true;
        }
        let period = |line: &Line| self.periods_ns.get(&wording(&line.text)).copied();
        let due = period(to).is_some_and(|ns| length_ns <= ns.saturating_add(ns / 10));
        let missed = period(from).is_some_and(|ns| length_ns.saturating_sub(ns).saturating_abs() <= ns / 10);
        due || missed
    }
}

/// Messages of a system that is up, which come again and again with some time between them.
pub(crate) struct Often(HashSet<Wording>);

impl Often {
    /// Looks for them in lines with times.
    pub(crate) fn of<'a>(lines: impl Iterator<Item = (&'a Line, i64)>) -> Self {
        const APART_NS: i64 = 2_000_000_000;
        let mut seen: HashMap<Wording, (i64, usize)> = HashMap::new();
        for (line, ns) in lines {
            let words = wording(&line.text);
            if let Some((last, times)) = seen.get_mut(&words) {
                if ns.saturating_sub(*last) >= APART_NS {
                    (*last, *times) = (ns, *times + 1);
                }
            } else if !waits(&line.text) {
                seen.insert(words, (ns, 1));
            }
        }
        Self(
            seen.into_iter()
                .filter(|(_, (_, times))| *times >= TIMES)
                .map(|(words, _)| words)
                .collect(),
        )
    }

    /// Is it one of them?
    pub(crate) fn holds(&self, line: &Line) -> bool {
        self.0.contains(&wording(&line.text))
    }
}

/// Do two lines say the same but for numbers, and is it nobody's wait?
pub(crate) fn says_the_same(from: &Line, to: &Line) -> bool {
    wording(&from.text) == wording(&to.text) && !waits(&to.text)
}

/// The time between two of the times, where most are equally far apart.
fn period(times: &[i64]) -> Option<i64> {
    if times.len() < TIMES {
        return None;
    }
    let mut apart: Vec<i64> = times.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    apart.sort_unstable();
    let middle = apart[apart.len() / 2];
    let alike = apart
        .iter()
        .filter(|ns| ns.saturating_sub(middle).saturating_abs() <= middle / 10)
        .count();
    (middle >= SHORTEST_NS && alike + 1 >= TIMES && alike * 5 >= apart.len() * 3).then_some(middle)
}

/// Does nobody of the boot wait between two lines: does somebody plug something, or is the kernel dead, or does the second
/// come by itself in a system that runs?
pub(crate) fn is_nobodys(from: &Line, to: &Line) -> bool {
    let dead = |line: &Line| line.text.trim_start().starts_with("---[ end Kernel panic");
    ends_no_wait(&to.text) || dead(from) || dead(to)
}

/// Does the kernel say that a processor comes or goes, or how fast it may be? Behind the start of user space that follows
/// the load of a system that is up (arch/arm/kernel/smp.c, arch/x86/kernel/smpboot.c, drivers/firmware/psci/psci.c, Tegra's
/// mach-tegra/cpu-tegra.c).
pub(crate) fn is_of_a_governor(from: &str, to: &str) -> bool {
    // Where one goes, there is nothing to do.
    speaks_of_a_processor(to) || (speaks_of_a_processor(from) && !from.contains("Booted"))
}

fn speaks_of_a_processor(text: &str) -> bool {
    const ENDS: [&str; 5] = [
        ": shutdown",
        ": Booted secondary processor",
        " killed",
        " killed.",
        " is now offline",
    ];
    let text = text.trim();
    if text.starts_with("Switched to NOHz mode on CPU #") || text.starts_with("cpu-tegra: ") {
        return true;
    }
    let said = ["psci: ", "smpboot: "]
        .iter()
        .find_map(|who| text.strip_prefix(who))
        .unwrap_or(text);
    let number = said.strip_prefix("CPU").map(str::trim_start);
    let behind = number.map(|said| said.trim_start_matches(|c: char| c.is_ascii_digit()));
    behind.is_some_and(|behind| {
        number != Some(behind)
            && ENDS
                .iter()
                .any(|end| behind == *end || behind.strip_prefix(end).is_some_and(|rest| rest.starts_with(" [")))
    })
}

/// Is a message of what nobody has waited for? No silence of a boot ends with it.
pub(crate) fn ends_no_wait(text: &str) -> bool {
    breaks::is_plugged(text) || awaits_nothing(text) || comes_by_itself(text)
}

/// Does somebody else speak all the time in which the kernel stamps nothing? A user space whose start was not seen runs then, and
/// nobody waits for the kernel.
pub(crate) fn others_speak(lines: &[Line], length_ns: i64) -> bool {
    const LINES: usize = 20;
    const SHORTEST_NS: i64 = 5_000_000_000;
    let spoken = lines.iter().skip(1).filter(|line| line.kind != LineKind::Blank);
    length_ns >= SHORTEST_NS && spoken.filter(|line| !line.has_kernel_prefix()).count() >= LINES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equally_far_apart() {
        let s = |s: f64| (s * 1e9) as i64;
        assert_eq!(period(&[s(1.0), s(4.0), s(7.1), s(10.0)]), Some(s(3.0)));
        assert_eq!(period(&[s(1.0), s(4.0), s(7.0)]), None, "too few");
        assert_eq!(period(&[s(1.0), s(1.5), s(7.0), s(8.0), s(20.0)]), None);
        assert_eq!(period(&[0, 10, 20, 30, 40]), None, "progress");
        assert!(waits("udhcpc: sending discover") && !waits("cfg80211: Calling CRDA"));
        assert_eq!(wording("usb 1-1: x"), wording("usb 2-1: x"));
    }

    #[test]
    fn processors_come_and_go() {
        for text in [
            "CPU3: shutdown",
            "psci: CPU2 killed.",
            "smpboot: CPU 5 is now offline",
            "CPU1: Booted secondary processor [411fc093]",
        ] {
            assert!(speaks_of_a_processor(text), "{text}");
        }
        for text in ["CPU: shutdown", "CPU1: failed to come online", "frob: killed"] {
            assert!(!speaks_of_a_processor(text), "{text}");
        }
    }
}

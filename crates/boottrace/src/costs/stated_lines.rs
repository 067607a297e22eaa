// SPDX-License-Identifier: MIT
//! Lines that say how long something took: `Running [...] took 301.228 seconds`, `Boot is finished (59816 ms)`, `failed [119/120s]`.

use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use super::stated_time::{length, sets_a_limit, LONGEST_NS};
use crate::log::in_use::ends_a_start;
use crate::log::line::{Line, LineKind};
use crate::readers::userspace::duration::parse;
use crate::text::shorten::shorten;

/// Shorter times are not worth a line.
const SHORTEST_NS: i64 = 100_000_000;
/// Lines told.
const LISTED: usize = 8;
/// Lines looked at.
const MOST: usize = 200_000;

/// The costs that lines state, longest first. Lines of one message, which differ in numbers only, are one cost: the longest.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut told: Vec<(String, Stated, &Line)> = Vec::new();
    // What Android does when its start is over is no part of it, until another begins.
    let mut over = false;
    for line in lines.take(MOST) {
        over &= !["boot_progress_start", "SurfaceFlinger is starting"]
            .iter()
            .any(|words| line.text.contains(words));
        let said = || counted_by_the_loader(line).map(plain).or_else(|| stated(&line.text));
        let said = (!over).then(said).flatten();
        over |= ends_a_start(line) || line.text.contains(": TotalBootTime took to complete: ");
        let Some(stated) = said.filter(|stated| stated.ns >= SHORTEST_NS) else {
            continue;
        };
        // What was tried failed in one way or another.
        let said = line
            .text
            .split_once("' failed [")
            .map_or(line.text.as_str(), |(tried, _)| tried);
        let words: String = said.chars().filter(|c| !c.is_ascii_digit()).collect();
        match told.iter_mut().find(|(known, ..)| *known == words) {
            Some(known) if known.1.ns < stated.ns => (known.1, known.2) = (stated, line),
            Some(_) => {}
            None => told.push((words, stated, line)),
        }
        // The longest are kept.
        if told.len() > 4 * LISTED {
            told.sort_by_key(|(_, stated, _)| std::cmp::Reverse(stated.ns));
            told.truncate(LISTED);
        }
    }
    told.sort_by_key(|(_, stated, _)| std::cmp::Reverse(stated.ns));
    told.truncate(LISTED);
    told.into_iter().map(|(_, stated, line)| cost(stated, line)).collect()
}

/// The same in a boot, up to its end; what another cost tells of is not told again.
pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let end = context.end_line();
    let lines = context.boot.lines.iter();
    let lines = lines.take_while(|line| end.is_none_or(|end| line.number <= end));
    let spoken = lines
        .filter(|line| matches!(line.kind, LineKind::User | LineKind::Kernel) || counted_by_the_loader(line).is_some());
    for cost in of_lines(spoken) {
        let number = cost.lines[0];
        // A line that ends a silence, and says of more than that how long it took, tells what took it.
        let names = |known: &Cost| {
            let ends = known.lines.len() > 1 && known.lines.last() == Some(&number);
            known.kind == CostKind::Silence && ends && known.cost_ns < cost.cost_ns
        };
        out.retain(|known| !names(known));
        let told = out.iter().any(|known| {
            let covers = known.lines.iter().min().zip(known.lines.iter().max());
            // A line that begins a silence speaks of the time before it.
            covers.is_some_and(|(from, to)| (*from < number || from == to) && *from <= number && number <= *to)
                && known.cost_ns >= cost.cost_ns.map(|ns| ns / 2)
        });
        if !told {
            out.push(cost);
        }
    }
}

fn cost(stated: Stated, line: &Line) -> Cost {
    let at_least = if stated.at_least { "at the least " } else { "" };
    // No stamp of the kernel's bounds what lies before it.
    let kind = if counted_by_the_loader(line).is_some() {
        CostKind::FirmwareStep
    } else {
        CostKind::StatedTime
    };
    Cost {
        title: format!("`{}`", shorten(line.text.trim())),
        cost_ns: Some(stated.ns),
        basis: Basis::Printed,
        at_least: stated.at_least,
        lines: vec![line.number],
        evidence: format!(
            "the line itself states {at_least}{}{}",
            spell(stated.ns),
            of_images(&line.text)
        ),
        advice: "the line says what takes the time: look who prints it, and whether that is needed before the goal"
            .to_owned(),
        ..Cost::of(kind)
    }
}

/// A time that a line states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stated {
    pub ns: i64,
    /// It was not over by then.
    pub at_least: bool,
    /// It was waited for in vain.
    pub waited: bool,
}

fn plain(ns: i64) -> Stated {
    Stated {
        ns,
        at_least: false,
        waited: false,
    }
}

/// The time that a line says it took, where its words leave no doubt.
pub(crate) fn stated(text: &str) -> Option<Stated> {
    // systemd sums up the whole start, and a harness its whole test; a limit is no time that passed.
    if text.contains("Startup finished in ") || is_of_all(text) || text.len() > 2000 {
        return None;
    }
    if let Some(ns) = of_the_loader(text).or_else(|| of_a_pod(text)) {
        return Some(plain(ns));
    }
    if let Some(ns) = of_a_limit(text) {
        return Some(Stated {
            ns,
            at_least: true,
            waited: false,
        });
    }
    let words: Vec<&str> = text.split_ascii_whitespace().map(bare).collect();
    let times = (0..words.len()).filter_map(|at| at_word(&words, at));
    times
        .filter(|stated| (1..=LONGEST_NS).contains(&stated.ns))
        .max_by_key(|stated| stated.ns)
}

/// What Amlogic's U-Boot counts up to the kernel's start: `uboot time: 1700000 us`.
fn of_the_loader(text: &str) -> Option<i64> {
    let (us, unit) = text.trim().strip_prefix("uboot time: ")?.split_once(' ')?;
    let us = us.parse::<i64>().ok().filter(|_| unit == "us")?;
    us.checked_mul(1000)
}

/// What a boot loader counts itself: U-Boot at its end, where it is built so (`Total: 812.500 ms`), or a step in it
/// (`Memory test end, lapsed time = 3 seconds`).
fn counted_by_the_loader(line: &Line) -> Option<i64> {
    let text = line.text.trim();
    if line.kind != LineKind::Firmware {
        return of_the_loader(text);
    }
    let total = text.strip_prefix("Total: ").filter(|rest| rest.ends_with(" ms"));
    let lapsed = || text.rsplit_once("lapsed time = ").map(|(_, rest)| rest);
    let Some((number, unit)) = total.or_else(lapsed).and_then(|rest| rest.split_once(' ')) else {
        return of_the_loader(text);
    };
    length(number, Some(unit), &['.'])
}

/// Is it the length of a whole test, of a build or of everything? That is no part of a boot.
fn is_of_all(text: &str) -> bool {
    const PARTS: [&str; 24] = [
        // A measuring program's results: ioping, ping, ab.
        " iops",
        " requests ",
        "requests/s",
        "packets transmitted",
        "disconnected",
        "suspend",
        "hibernat",
        "shutdown",
        "shut down",
        "test script",
        "(finished: ",
        " tests ",
        " passed in ",
        "test passed",
        "test run",
        "test suite",
        "reloading finished in ",
        "build finished",
        "build completed",
        "built in",
        "in total",
        "total time",
        "overall",
        "finished: run the vm",
    ];
    let lower = text.to_ascii_lowercase();
    let first = lower.trim_start().starts_with("ran ") || lower.trim_start().starts_with("total");
    first || PARTS.iter().any(|part| lower.contains(part))
}

/// A word without what a page or a sentence puts around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| {
        matches!(
            c,
            '*' | '`' | '(' | ')' | ',' | ';' | '"' | '\'' | '[' | ']' | ':' | '!'
        )
    })
}

fn at_word(words: &[&str], at: usize) -> Option<Stated> {
    let ns = time(words, at)?;
    let before = |back: usize| at.checked_sub(back).map_or("", |at| words[at]);
    let passed = |word: &str| {
        matches!(
            word,
            "took" | "taken" | "lasted" | "waited" | "Waited" | "slept" | "elapsed" | "Elapsed"
        )
    };
    let over = |words: &[&str]| words.iter().any(|word| is_over(word));
    let head = &words[..at];
    let stated = Stated {
        ns,
        at_least: false,
        waited: false,
    };
    // `boot took 167sec` is the length of all, in a person's words.
    let whole = |word: &str| {
        matches!(
            word.to_ascii_lowercase().as_str(),
            "boot" | "booting" | "bootup" | "startup"
        )
    };
    match before(1) {
        // cloud-init's `Up 49.64 seconds.` counts from the kernel's start.
        "Up" | "up" | "uptime" | "Uptime" => None,
        word if passed(word) && head.len() <= 3 && whole(before(2)) => None,
        // Android's init starts a service, and goes on (system/core/init/service.cpp).
        word if passed(word) && words[at..].ends_with(&["in", "background"]) => None,
        word if passed(word) => Some(stated),
        "for" | "about" | "approximately" if passed(before(2)) => Some(stated),
        // Android's account of its stages: `StartServices took to complete: 6712ms`.
        "complete" if before(2) == "to" && before(3) == "took" => Some(stated),
        // `/dev/fb0 did not appear after waiting 10 seconds`
        "waiting" if before(2) == "after" => Some(Stated { waited: true, ..stated }),
        // `INFO: task fsck.ext4:1165 blocked for more than 40 seconds.`
        "than" if before(2) == "more" && before(4) == "blocked" => Some(Stated {
            at_least: true,
            ..stated
        }),
        // `is taking longer than 59s to complete`
        "than" if before(2) == "longer" && head.contains(&"taking") => Some(Stated {
            at_least: true,
            ..stated
        }),
        // Tomcat's `Server startup in 1436 ms`
        "in" if over(head) || before(2) == "startup" => Some(stated),
        "after" if before(2) == "timeout" && sets_a_limit(words, before(3)) => None,
        "after" if head.iter().any(|word| gives_up(word)) => Some(stated),
        // `Boot is finished (59816 ms)`, `Finished stage: (init-local) 02.69200 seconds`
        _ if at + 2 >= words.len() && head.iter().any(|word| ends(word)) && at >= 2 && !in_a_rate(words, at) => {
            Some(stated)
        }
        _ => None,
    }
}

/// Words of what is over, in front of `in 1.3s`.
fn is_over(word: &str) -> bool {
    const OVER: [&str; 22] = [
        "read",
        "done",
        "loaded",
        "finished",
        "completed",
        "created",
        "ready",
        "initialised",
        "initialized",
        "started",
        "booted",
        "mounted",
        "unsealed",
        "generated",
        "succeeded",
        "failed",
        "measured",
        "unpacked",
        "decompressed",
        "installed",
        "processed",
        "recovered",
    ];
    OVER.iter().any(|over| word.eq_ignore_ascii_case(over))
}

/// Words of what was waited for in vain, in front of `after 124 seconds`.
fn gives_up(word: &str) -> bool {
    const ENDS: [&str; 8] = [
        "Giving", "giving", "gave", "timed", "Timed", "Timeout", "timeout", "failed",
    ];
    ENDS.contains(&word)
}

/// Words of an end, in front of a time that ends the line.
fn ends(word: &str) -> bool {
    [
        "finished",
        "Finished",
        "completed",
        "Completed",
        "booted",
        "done",
        "Done",
    ]
    .contains(&word)
}

/// Is the number a rate, or part of a larger one?
fn in_a_rate(words: &[&str], at: usize) -> bool {
    words[at].contains('/') || words.get(at + 1).is_some_and(|unit| unit.contains('/'))
}

/// The time that begins with a word: `1020ms`, `20.1s`, `11 seconds`.
fn time(words: &[&str], at: usize) -> Option<i64> {
    let word = words[at].trim_end_matches('.');
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let first = length(word, words.get(at + 1).copied(), &['.']).or_else(|| plain_seconds(words, at))?;
    // `5 minutes and 20 seconds`
    let rest = words.get(at + 2..).unwrap_or_default();
    let rest = rest.strip_prefix(&["and"]).unwrap_or(rest);
    let more = match (words.get(at + 1), rest) {
        (Some(unit), [number, seconds, ..]) if unit.starts_with("min") && seconds.starts_with("sec") => {
            length(number, Some(seconds), &['.'])
        }
        _ => None,
    };
    Some(first + more.unwrap_or(0))
}

/// `Waited 10.0115 without`: a fraction behind such a word counts seconds, where no unit follows.
fn plain_seconds(words: &[&str], at: usize) -> Option<i64> {
    let before = at.checked_sub(1).map_or("", |before| words[before]);
    let ends = words
        .get(at + 1)
        .is_none_or(|next| ["without", "for", "until", "and"].contains(next));
    let (_, decimals) = words[at].split_once('.')?;
    if !before.eq_ignore_ascii_case("waited") || !ends || decimals.len() < 3 {
        return None;
    }
    length(words[at], Some("s"), &['.'])
}

/// A kubelet's account of a pod, until it was seen to run (pkg/kubelet/util/pod_startup_latency_tracker.go).
fn of_a_pod(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once("podStartE2EDuration=\"")?;
    let ns = i64::try_from(parse(rest.split_once('"')?.0)?).ok()?;
    (ns <= LONGEST_NS).then_some(ns)
}

/// How long of it images were pulled: the kubelet's own clock stands behind the dates, as `m=+49.800489755`.
fn of_images(text: &str) -> String {
    let at = |key: &str| {
        let (_, rest) = text.split_once(key)?;
        let (date, _) = rest.split_once('"')?;
        let (seconds, nanoseconds) = date.split_once("m=+")?.1.split_once('.')?;
        let (seconds, nanoseconds) = (seconds.parse::<u32>().ok()?, nanoseconds.parse::<u32>().ok()?);
        (date.len() < 100).then_some(i64::from(seconds) * 1_000_000_000 + i64::from(nanoseconds))
    };
    let summed = text.split_once("totalImagesPullingTime=\"");
    let summed = summed.and_then(|(_, rest)| i64::try_from(parse(rest.split_once('"')?.0)?).ok());
    let pulled = at("firstStartedPulling=\"").zip(at("lastFinishedPulling=\""));
    let ns = summed
        .or(pulled.map(|(from, to)| to - from))
        .filter(|ns| *ns >= SHORTEST_NS);
    ns.map_or(String::new(), |ns| {
        format!("; within that, images were pulled for {}", spell(ns))
    })
}

/// cloud-init counts against its limit (cloudinit/url_helper.py): `Calling 'http://…' failed [119/120s]: …`.
fn of_a_limit(text: &str) -> Option<i64> {
    let (_, rest) = text.split_once("' failed [")?;
    let (passed, limit) = rest.split_once("s]")?.0.split_once('/')?;
    let (passed, limit): (u32, i64) = (passed.parse().ok()?, limit.parse().ok()?);
    // Without a limit it says -1.
    (limit >= -1 && i64::from(passed) * 1_000_000_000 <= LONGEST_NS).then(|| i64::from(passed) * 1_000_000_000)
}

#[cfg(test)]
mod tests;

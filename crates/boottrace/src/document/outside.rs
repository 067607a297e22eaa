// SPDX-License-Identifier: MIT
//! Lines that belong to no boot: what they state, where they are not of a system that has long been up.

use super::document::{NotABoot, Part};
use super::{stated, untold};
use crate::costs::CostKind;
use crate::log::any_stamp;
use crate::log::line::{Line, LineKind};
use crate::log::logcat;
use crate::text::shorten::shorten;

/// Reads them into the parts of a document. `within`: what persons write inside pieces of logs.
pub(super) fn read(outside: &[Line], within: &[Line], placed: &mut Vec<(u32, Part)>) {
    if placed.is_empty() {
        if let Some((from_line, to_line, why)) = running(outside) {
            let what = "running-system".to_owned();
            let part = NotABoot {
                from_line,
                to_line,
                what,
                why,
            };
            placed.push((from_line, Part::NotABoot(part)));
            return;
        }
    }
    let stated = stated::of_text(outside, within, placed);
    // Nothing shows that somebody waits for what passes between two lines of some program's.
    placed.extend(stated.filter(|(_, part)| !(is_silent(part) && is_a_programs(outside))));
    if placed.is_empty() {
        placed.extend(untold::of_text(outside));
    }
}

/// Does a part tell silences alone?
fn is_silent(part: &Part) -> bool {
    match part {
        Part::Units(report) => {
            report.startup.is_none() && report.costs.iter().all(|cost| cost.kind == CostKind::Silence)
        }
        _ => false,
    }
}

/// Are many lines stamped, and does none speak of a start? Then they are of a program that runs in a system.
fn is_a_programs(outside: &[Line]) -> bool {
    const LEAST: usize = 20;
    let spoken = || outside.iter().filter(|line| !line.text.trim().is_empty());
    let stamped = |line: &&Line| line.host_ns.is_some() || any_stamp::of(&line.text).is_some();
    spoken().filter(stamped).count() >= LEAST && !spoken().any(|line| untold::speaks(&line.text))
}

/// Is this the log of a system that has long been up, and of no start? From its first line to the last, and why.
fn running(outside: &[Line]) -> Option<(u32, u32, String)> {
    let blank = |line: &&Line| line.kind == LineKind::Blank || line.text.trim().is_empty();
    let spoken: Vec<&Line> = outside.iter().filter(|line| !blank(line)).collect();
    let why = of_android(&spoken).or_else(|| of_a_timer(&spoken))?;
    Some((spoken.first()?.number, spoken.last()?.number, why))
}

/// Nobody asks of a start by fewer lines of Android's log.
const LEAST: usize = 10;

/// Nothing but lines of Android's log, and none of a start: what its programs say as long as it runs.
fn of_android(spoken: &[&Line]) -> Option<String> {
    let divides = |line: &Line| line.text.trim_start().starts_with("---");
    let dated = |line: &Line| {
        let text = line.text.trim_start();
        logcat::is_dated(text.as_bytes()) || logcat::is_of_studio(text)
    };
    let own = spoken.iter().filter(|line| dated(line)).count();
    let all = spoken.iter().filter(|line| !divides(line)).count();
    let alone = own >= LEAST && own * 10 >= all * 9;
    let first = spoken.iter().find(|line| dated(line)).filter(|_| alone)?;
    let starts = spoken.iter().any(|line| logcat::is_of_a_start(&line.text));
    (!starts).then(|| {
        format!(
            "no known line of a start was found among {own} of Android's log, which begin with `{}`",
            shorten(first.text.trim())
        )
    })
}

/// systemd starts one unit again and again, and no other step of a start is there: a timer's.
fn of_a_timer(spoken: &[&Line]) -> Option<String> {
    const ROUNDS: usize = 3;
    const STARTS: [&str; 3] = ["Reached target ", "Startup finished in ", "Linux version "];
    let unit = |line: &Line| {
        let parted = line
            .text
            .split_once("systemd: ")
            .or_else(|| line.text.split_once("systemd[1]: "));
        let name = parted?.1.strip_prefix("Starting ")?.strip_suffix("...")?;
        Some(name.to_owned())
    };
    if spoken
        .iter()
        .any(|line| STARTS.iter().any(|start| line.text.contains(start)))
    {
        return None;
    }
    let units: Vec<String> = spoken.iter().filter_map(|line| unit(line)).collect();
    let rounds = |name: &String| units.iter().filter(|unit| *unit == name).count();
    let often = units.iter().max_by_key(|name| rounds(name))?;
    (rounds(often) >= ROUNDS && rounds(often) * 2 > units.len()).then(|| {
        format!(
            "no known line of a start was found, and systemd starts the unit `{}` {} times",
            shorten(often),
            rounds(often)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn why(text: &str) -> Option<String> {
        running(&lines_of(text)).map(|(_, _, why)| why)
    }

    #[test]
    fn programs_of_a_phone_that_is_up() {
        let line = |at: usize, said: &str| format!("07-07 07:07:{at:02}.000   700   701 I Frob    : {said}\n");
        let mut text: String = (0..12).map(|at| line(at, "Waiting for quux")).collect();
        assert!(why(&text).is_some_and(|why| why.contains("12 of Android's log")));
        assert!(why(&text[..line(0, "Waiting for quux").len() * 9]).is_none());
        text += &line(13, "Boot is finished (7000 ms)");
        assert_eq!(why(&text), None);
        let studio =
            "2031-07-07 07:07:07.777  1700-1701  FrobQueue               quuxd                    E  Waiting\n";
        assert!(why(&studio.repeat(12)).is_some());
    }

    #[test]
    fn a_unit_that_a_timer_starts() {
        let round = "Jul  7 07:07:07 box systemd: Starting Frob of quux...\nJul  7 07:07:07 box systemd: Started Frob of quux.\n";
        assert!(why(&round.repeat(3)).is_some_and(|why| why.contains("`Frob of quux` 3 times")));
        assert_eq!(why(&round.repeat(2)), None);
        assert_eq!(
            why(&format!(
                "{}Jul  7 07:07:09 box systemd: Reached target Quux.\n",
                round.repeat(3)
            )),
            None
        );
    }
}

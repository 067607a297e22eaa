// SPDX-License-Identifier: MIT
//! Boots whose lines a journal shuffled into each other. journalctl sorts by date, and the machine's clock was set back
//! between two boots: the second one has the dates of the first. At every change from one to the other it prints the line
//! with which it divides boots.

use std::collections::HashMap;

use super::reader::Lines;
use crate::log::boot_log::Split;
use crate::log::clock::NS_PER_S;
use crate::log::harness::divides_boots;
use crate::log::line::{HostSource, Line, LineKind};
use crate::log::milestone::{self, Milestone};

/// No machine starts again in so short a time.
const AT_ONCE_NS: i64 = NS_PER_S;
/// Changes that it takes: one or two dates at a reboot may be alike by chance.
const LEAST_CHANGES: usize = 4;
/// Lines of a section in which its start is looked for.
const LINES_OF_A_START: usize = 60;

/// Lines between two dividing lines, the first of which belongs to it.
struct Section {
    from: usize,
    to: usize,
    /// The boot it is of, counted in the order in which they begin.
    boot: usize,
}

/// Puts the lines of each boot together again, in their order. Returns the first and the last line of what was shuffled.
pub fn put_apart(lines: &mut Lines) -> Option<(u32, u32)> {
    let mut sections = sections(&lines.lines);
    let named = by_names(&lines.lines, &mut sections);
    if !named && !by_turns(&lines.lines, &mut sections) {
        return None;
    }
    let number = |at: usize| lines.lines.get(at).map(|line| line.number);
    // What goes on with an earlier boot, and what it was put behind.
    let goes_on = |(at, section): (usize, &Section)| (section.boot != at).then_some(at);
    let first = sections.iter().enumerate().find_map(goes_on)?.saturating_sub(1);
    let last = sections.iter().enumerate().filter_map(goes_on).next_back()?;
    let shuffled = number(sections[first].from).zip(number(sections[last].to - 1));
    let mut taken: Vec<Option<Line>> = std::mem::take(&mut lines.lines).into_iter().map(Some).collect();
    let mut order: Vec<&Section> = sections.iter().collect();
    // Stable: the sections of a boot stay in their order.
    order.sort_by_key(|section| section.boot);
    let mut before = None;
    for section in order {
        let goes_on = before == Some(section.boot);
        before = Some(section.boot);
        for (at, line) in taken[section.from..section.to].iter_mut().enumerate() {
            let Some(mut line) = line.take() else { continue };
            if at == 0 && goes_on {
                // It divides nothing any more.
                line.kind = LineKind::Harness;
                line.text.clear();
            }
            lines.lines.push(line);
        }
    }
    shuffled
}

/// Dated lines from which on their order is looked at.
const LINES_OF_AN_ORDER: usize = 20;
/// Daemons' lines may come a little late.
const LATE_NS: i64 = 60 * NS_PER_S;

/// How many dates go back, and of how many, when the lines are in no order: someone has put them together from samples.
/// Newest first is an order, and so are some logs one behind the other.
pub fn without_order(lines: &Lines) -> Option<(usize, usize)> {
    let of_line = |line: &Line| match line.host_source {
        Some(HostSource::Syslog | HostSource::ClockTime) => line.host_ns.map(|ns| (line.number, ns)),
        _ => None,
    };
    // Several messages of one line have its date.
    let mut by_line: Vec<(u32, i64)> = lines.lines.iter().filter_map(of_line).collect();
    by_line.dedup_by_key(|(number, _)| *number);
    let dates: Vec<i64> = by_line.into_iter().map(|(_, ns)| ns).collect();
    let back = dates
        .windows(2)
        .filter(|two| two[0].saturating_sub(two[1]) > LATE_NS)
        .count();
    let forth = dates
        .windows(2)
        .filter(|two| two[1].saturating_sub(two[0]) > LATE_NS)
        .count();
    let mixed = back * 4 > dates.len() && forth * 4 > dates.len();
    (dates.len() >= LINES_OF_AN_ORDER && mixed).then_some((back, dates.len()))
}

/// Takes all lines for text outside of any boot.
pub fn nothing_but_text(lines: Lines) -> Split {
    let mut out = Split {
        outside: lines.lines,
        ..Split::default()
    };
    for line in &mut out.outside {
        if matches!(line.kind, LineKind::Firmware | LineKind::Kernel | LineKind::User) {
            line.kind = LineKind::Outside;
        }
    }
    out
}

fn sections(lines: &[Line]) -> Vec<Section> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, line) in lines.iter().enumerate() {
        if at > from && divides_boots(&line.text) {
            out.push(Section {
                from,
                to: at,
                boot: out.len(),
            });
            from = at;
        }
    }
    if from < lines.len() {
        let boot = out.len();
        out.push(Section {
            from,
            to: lines.len(),
            boot,
        });
    }
    out
}

/// By the names that newer versions print: `-- Boot 4f0a... --`. Returns whether one comes again.
fn by_names(lines: &[Line], sections: &mut [Section]) -> bool {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut again = false;
    for (at, section) in sections.iter_mut().enumerate() {
        let head = lines[section.from].text.trim();
        let Some(name) = head.strip_prefix("-- Boot ").filter(|_| divides_boots(head)) else {
            continue;
        };
        section.boot = *known.entry(name).or_insert(at);
        again |= section.boot != at;
    }
    again
}

/// By turns, where the dividing line has no name: what does not begin a boot goes on with the one before the last.
fn by_turns(lines: &[Line], sections: &mut [Section]) -> bool {
    let mut changes = 0;
    let (mut now, mut other) = (0, None);
    for at in 1..sections.len() {
        let head = &lines[sections[at].from];
        if head.text.trim() != "-- Reboot --" || begins(&lines[sections[at].from..sections[at].to]) {
            (other, now) = (Some(now), at);
            sections[at].boot = at;
            continue;
        }
        let date = |range: &[Line], back: bool| {
            let dated = |line: &Line| line.host_ns.filter(|_| line.host_source == Some(HostSource::Syslog));
            if back {
                range.iter().rev().find_map(dated)
            } else {
                range.iter().find_map(dated)
            }
        };
        let before = date(&lines[sections[at - 1].from..sections[at - 1].to], true);
        let behind = date(&lines[sections[at].from..sections[at].to], false);
        let at_once = before
            .zip(behind)
            .is_some_and(|(before, behind)| (0..=AT_ONCE_NS).contains(&behind.saturating_sub(before)));
        changes += usize::from(at_once);
        let goes_on = other.filter(|_| at_once || changes >= LEAST_CHANGES);
        let boot = goes_on.unwrap_or(at);
        (other, now) = (Some(now), boot);
        sections[at].boot = boot;
    }
    changes >= LEAST_CHANGES
}

/// Does a boot begin here: the kernel's first words, or those of init or of the journal's daemon?
fn begins(lines: &[Line]) -> bool {
    lines.iter().take(LINES_OF_A_START).any(|line| {
        let text = line.text.trim_start();
        let first = matches!(
            milestone::of(text),
            Some(Milestone::KernelBanner | Milestone::BootingLinux)
        );
        let daemon = line.process.as_deref().is_some_and(|name| name.starts_with("systemd"))
            && (text.contains(" running in system mode") || text.starts_with("Journal started"));
        first || daemon || (line.process.is_none() && line.printk_ns == Some(0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u32, seconds: i64, text: &str) -> Line {
        let divides = divides_boots(text);
        Line {
            host_ns: (!divides).then_some(seconds * NS_PER_S),
            host_source: (!divides).then_some(HostSource::Syslog),
            ..Line::plain(number, 0, text.to_owned())
        }
    }

    fn texts(said: &[(i64, &str)]) -> (Option<(u32, u32)>, Vec<String>) {
        let mut lines = Lines {
            lines: said.iter().zip(1..).map(|((s, text), n)| line(n, *s, text)).collect(),
            ..Lines::default()
        };
        let shuffled = put_apart(&mut lines);
        (shuffled, lines.lines.into_iter().map(|line| line.text).collect())
    }

    #[test]
    fn two_boots_with_the_same_dates() {
        let again = "-- Reboot --";
        let said = [
            (1, "a1"),
            (0, again),
            (1, "Linux version 6.1"),
            (2, "b1"),
            (0, again),
            (2, "a2"),
            (0, again),
            (2, "b2"),
            (0, again),
            (3, "a3"),
            (0, again),
            (3, "b3"),
            (0, again),
            (90, "Linux version 6.2"),
        ];
        let (shuffled, texts) = texts(&said);
        assert_eq!(shuffled, Some((2, 12)));
        let spoken: Vec<&str> = texts
            .iter()
            .map(String::as_str)
            .filter(|text| !text.is_empty())
            .collect();
        assert_eq!(
            spoken,
            [
                "a1",
                "a2",
                "a3",
                again,
                "Linux version 6.1",
                "b1",
                "b2",
                "b3",
                again,
                "Linux version 6.2"
            ]
        );
    }

    #[test]
    fn boots_with_names() {
        let (one, two) = (
            format!("-- Boot {} --", "a".repeat(32)),
            format!("-- Boot {} --", "b".repeat(32)),
        );
        let said = [
            (0, one.as_str()),
            (1, "a1"),
            (0, two.as_str()),
            (1, "b1"),
            (0, one.as_str()),
            (2, "a2"),
        ];
        let (shuffled, texts) = texts(&said);
        assert!(shuffled.is_some());
        assert_eq!(texts, [one.as_str(), "a1", "", "a2", two.as_str(), "b1"]);
    }

    #[test]
    fn dates_that_go_back_and_forth_have_no_order() {
        let order = |dates: &dyn Fn(i64) -> i64| {
            let lines = (0..30).map(|n| line(n as u32 + 1, dates(n), "Started")).collect();
            without_order(&Lines {
                lines,
                ..Lines::default()
            })
        };
        assert!(order(&|n| n * 17 % 30 * 3600).is_some());
        assert_eq!(order(&|n| n * 3600), None);
        assert_eq!(order(&|n| -n * 3600), None);
        // Late by a second, and three logs one behind the other.
        assert_eq!(order(&|n| n - n % 2 * 2), None);
        assert_eq!(order(&|n| n % 10 * 3600), None);
    }

    #[test]
    fn boots_one_behind_the_other_stay() {
        let again = "-- Reboot --";
        let said = [
            (1, "a1"),
            (0, again),
            (40, "b1"),
            (0, again),
            (90, "c1"),
            (0, again),
            (99, "d1"),
            (0, again),
            (120, "e1"),
        ];
        let (shuffled, texts) = texts(&said);
        assert_eq!(shuffled, None);
        assert_eq!(texts.len(), 9);
    }
}

// SPDX-License-Identifier: MIT
//! `systemd-analyze` (`time`), `blame` and `critical-chain`, each alone or one after the other in one text.

use std::io::{self, Read};

use serde::Serialize;

use super::duration::{parse, parse_prefix};
pub use super::startup_time::StartupTime;
pub(crate) use super::systemd_blame::without_remark;
use super::systemd_blame::{blame_row, is_unit};
use super::systemd_lost::tight_link;
pub(crate) use super::systemd_pasted::unread_ns;
use super::systemd_pasted::{rows, unpasted};
use crate::log::sentence::is_sentence;
use crate::readers::skipped::Skipped;
use crate::text::lines;

/// Lines that are no rows, between rows of one output.
const MOST_WORDS: u32 = 3;

/// Rows kept of blame and chain each.
pub const MAX_ROWS: usize = 200_000;
/// No start takes a day.
pub const MOST_NS: u64 = 86_400_000_000_000;

/// A line of the critical chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChainLink {
    /// Unit name.
    pub unit: String,
    /// Depth in the tree; 0 is the goal.
    pub depth: u32,
    /// Active at, counted from the start of user space, nanoseconds.
    pub at_ns: Option<u64>,
    /// Took to start, nanoseconds.
    pub took_ns: Option<u64>,
    /// Line of the text, from 1.
    pub line: u32,
    /// The line lost its blanks, and its place in the tree with them.
    #[serde(skip)]
    flat: bool,
}

/// A line of blame.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlameRow {
    /// Unit name.
    pub unit: String,
    /// Took to start, nanoseconds.
    pub ns: u64,
    /// Line of the text, from 1.
    pub line: u32,
}

/// Everything found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Analyze {
    /// `systemd-analyze time`.
    pub time: Option<StartupTime>,
    /// Line of that, from 1.
    pub time_line: Option<u32>,
    /// systemd had not finished starting.
    pub unfinished: bool,
    /// `systemd-analyze blame`, in the order printed.
    pub blame: Vec<BlameRow>,
    /// `systemd-analyze critical-chain`, in the order printed.
    pub chain: Vec<ChainLink>,
    /// How far to the right the last chain stands.
    #[serde(skip)]
    shift: u32,
    /// The longest time beside a unit's name in a line that was not read, and its line.
    #[serde(skip)]
    pub unread: Option<(u64, u32)>,
    /// Lines that were not understood.
    pub skipped: Skipped,
}

/// `  └─some.service @1.234s +56ms`
fn chain_link(line: &str) -> Option<ChainLink> {
    let line = line.trim_end();
    let start = line.find(|c: char| !c.is_whitespace() && !matches!(c, '\u{2500}'..='\u{257f}' | '|' | '`' | '-'))?;
    let tree = &line[..start];
    // A dash may begin a unit's name (`-.mount`), unlike the dashes of a plain-ASCII tree.
    let start = if tree.ends_with('-') && line[start..].starts_with('.') {
        start - 1
    } else {
        start
    };
    let depth = line[..start].chars().count() as u32 / 2;
    let text = without_remark(&line[start..]);
    let tight = tight_link(text).map(|(unit, times)| format!("{unit} {times}"));
    let flat = tight.is_some();
    let text = tight.as_deref().unwrap_or(text);
    let (text, took) = text
        .split_once(" +")
        .map_or((text, None), |(text, took)| (text, Some(took)));
    let (unit, at) = text
        .split_once(" @")
        .map_or((text, None), |(unit, at)| (unit, Some(at)));
    // A pager cut the line: its times are not known, the unit is.
    let cut = |text: &&str| !text.ends_with(['>', '\u{2026}']);
    // In a tree, words behind a time are somebody's remark.
    let remarked = |text: &str| {
        let (ns, used) = parse_prefix(text.trim())?;
        (is_in_a_tree(line) && text.trim()[used..].starts_with(' ')).then_some(ns)
    };
    let span = |text: &str| parse(text.trim()).or_else(|| remarked(text));
    let times = [at, took].map(|text| text.filter(cut).map(span));
    if times.contains(&Some(None)) {
        return None;
    }
    let [at_ns, took_ns] = times.map(Option::flatten);
    let found = ChainLink {
        unit: unit.trim().to_owned(),
        depth,
        at_ns,
        took_ns,
        line: 0,
        flat,
    };
    is_unit(&found.unit).then_some(found)
}

fn is_explanation(line: &str) -> bool {
    line.starts_with("The time ") || line.starts_with("Thetimeaftertheunit") || line.starts_with("Thetimetheunit")
}

/// What it prints instead of times (src/analyze/analyze-time-data.c), with a hint before or behind it.
fn is_unfinished(line: &str) -> bool {
    line.trim_start().starts_with("Bootup is not yet finished")
}

/// True for a line that nothing else prints: the startup time, an explanation.
pub fn is_heading(line: &str) -> bool {
    rows(line).iter().any(|row| {
        let text = row.trim();
        let startup = text.strip_prefix("Startup finished in ");
        startup.is_some_and(|rest| StartupTime::parse(rest).is_some())
            || text.starts_with("The time when unit became ")
            || is_unfinished(text)
            || is_timed_link(text)
            // A time and a unit's whole name: nothing else looks so.
            || (blame_row(text).is_some() && text.rsplit(' ').next().is_some_and(is_unit))
    })
}

/// A link of the chain with both its times: `some.service @1.234s +56ms`.
fn is_timed_link(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '*', ' ']);
    text.contains('@') && chain_link(text).is_some_and(|link| link.at_ns.is_some() && link.took_ns.is_some())
}

/// True for a line that begins an account: a second one is another boot's.
pub fn begins_account(line: &str) -> bool {
    account_of(line).is_some()
}

fn account_of(line: &str) -> Option<StartupTime> {
    if !line.contains("Startup finished in ") && !line.contains("(kernel)") {
        return None;
    }
    rows(line)
        .iter()
        .find_map(|row| StartupTime::parse(row.trim().strip_prefix("Startup finished in ")?))
}

/// The units that a line's rows of blame name.
pub fn units_blamed(line: &str) -> Vec<String> {
    let rows = rows(line);
    rows.iter().filter_map(|row| Some(blame_row(row)?.0)).collect()
}

/// True for a row of blame or of the critical chain.
pub fn is_row(line: &str) -> bool {
    rows(line).iter().any(|row| is_one_row(row))
}

fn is_one_row(line: &str) -> bool {
    let text = line.trim();
    let explained = text.starts_with("The time ") && text.contains(" unit ");
    let chain = || text.contains('@') || text.contains('\u{2500}') || text.starts_with('`');
    explained
        || blame_row(line).is_some()
        || StartupTime::parse_target(line).is_some()
        || StartupTime::parse_rest(line).is_some()
        || (chain() && chain_link(line).is_some())
}

/// A shorter sentence is a title, or a prompt.
const SENTENCE: usize = 60;

/// What the head of a file says about being such text: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let text = String::from_utf8_lossy(&head[..head.len().min(64 * 1024)]);
    // Of two boots, each is read in its own place in the text; a title may quote the one that there is.
    let mut accounts = text.lines().filter_map(account_of);
    let first = accounts.next();
    if accounts.any(|account| Some(account) != first) {
        return None;
    }
    let (mut known, mut others) = (0_u32, 0_u32);
    let mut words = 0;
    // A person's words beside it are heard where it is read in its place.
    let is_said =
        |line: &str| line.chars().count() >= SENTENCE && !is_heading(line) && !is_row(line) && is_sentence(line);
    let mut listed = std::collections::HashSet::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(60) {
        let before = known;
        let line = &*unpasted(line);
        let heads = line.starts_with("The time ") || is_unfinished(line);
        if begins_account(line) || heads {
            known += 4;
        } else if blame_row(line).is_some() || chain_link(line).is_some() || StartupTime::parse_target(line).is_some() {
            known += 1;
        } else {
            if is_said(line.trim()) {
                return None;
            }
            others += 1;
            words += 1;
        }
        // A list names each unit once: a second one begins here.
        if blame_row(line).is_some_and(|(unit, _)| !listed.insert(unit)) {
            return None;
        }
        if known > before {
            // Two outputs with words between them may be of two machines: each is read in its place.
            if before > 0 && words > MOST_WORDS {
                return None;
            }
            words = 0;
        }
    }
    (known > 0 && known > others).then_some(if known >= 3 { 0.95 } else { 0.6 })
}

/// Reads any of the three outputs.
///
/// # Errors
/// Those of `reader`.
pub fn parse_text<R: Read>(reader: R) -> io::Result<Analyze> {
    let mut out = Analyze::default();
    let mut number = 0_u32;
    let read = lines::for_each_line(reader, |bytes| {
        number = number.saturating_add(1);
        let line = String::from_utf8_lossy(bytes);
        for row in rows(&line) {
            out.row(&row, number);
        }
    })?;
    out.skipped.add("line cut (too long)", read.cut_lines);
    Ok(out)
}

/// Do a tree's marks stand before the unit? Then it is not the goal.
fn is_in_a_tree(line: &str) -> bool {
    line.trim_start()
        .starts_with(|c: char| matches!(c, '\u{2500}'..='\u{257f}' | '|' | '`'))
}

impl Analyze {
    /// Takes a link of a chain. A page shifts it to the right, all of it, and it begins where the shift ends: the goal has no
    /// depth; where the chain begins in the middle, none has.
    fn link(&mut self, mut link: ChainLink, in_a_tree: bool) {
        if self.chain.is_empty() || !in_a_tree {
            self.shift = link.depth.saturating_sub(u32::from(in_a_tree));
        }
        link.depth = if in_a_tree && link.flat {
            self.chain.last().map_or(1, |above| above.depth + 1)
        } else if in_a_tree {
            link.depth.saturating_sub(self.shift).max(1)
        } else {
            0
        };
        if !self.is_shown_again(&link) {
            self.chain.push(link);
        }
    }

    /// A pager draws its screen anew, and a capture of it holds the chain's head more than once. One chain names no unit twice.
    fn is_shown_again(&self, link: &ChainLink) -> bool {
        let goal = self.chain.iter().rposition(|shown| shown.depth == 0).unwrap_or(0);
        let known =
            |shown: &ChainLink| (&shown.unit, shown.at_ns, shown.took_ns) == (&link.unit, link.at_ns, link.took_ns);
        let mut shown = self.chain[goal..].iter();
        if link.depth == 0 {
            return link.at_ns.is_some() && shown.next().is_some_and(known);
        }
        link.at_ns.is_some() && shown.any(known)
    }

    /// Takes what one row says.
    fn row(&mut self, line: &str, number: u32) {
        let text = line.trim();
        self.unfinished |= is_unfinished(text);
        if text.is_empty() || is_explanation(text) || is_unfinished(text) {
            return;
        }
        if let Some(at) = line.find("Startup finished in ") {
            if let Some(mut time) = StartupTime::parse(&line[at + 20..]) {
                // The target may stand before, in some orders of pasting.
                if let Some(before) = self.time.take() {
                    time.target = before.target;
                    time.target_after_ns = before.target_after_ns;
                }
                self.time = Some(time);
                self.time_line = Some(number);
                // A table's row with an account in each cell: the others are not this one's.
                let others = line[at + 20..].split("Startup finished in ").skip(1);
                let longest = others.filter_map(|text| StartupTime::parse(text)?.longest_ns()).max();
                self.unread = self.unread.max(longest.map(|ns| (ns, number)));
                return;
            }
        }
        if let Some(rest) = StartupTime::parse_rest(text) {
            if self.time.as_mut().is_some_and(|time| time.go_on(&rest)) {
                return;
            }
        }
        if let Some((target, ns)) = StartupTime::parse_target(text) {
            let time = self.time.get_or_insert_with(StartupTime::default);
            time.target = Some(target);
            time.target_after_ns = Some(ns);
        } else if let Some((unit, ns)) = blame_row(line) {
            if ns > MOST_NS {
                self.skipped.note(
                    "a start of more than a day: systemd's clock was wrong, or it is no boot's",
                    line.as_bytes(),
                );
            } else if self.blame.len() < MAX_ROWS {
                self.blame.push(BlameRow { unit, ns, line: number });
            } else {
                self.skipped.note("more rows than are kept", line.as_bytes());
            }
        } else if let Some(link) = chain_link(line) {
            if self.chain.len() < MAX_ROWS {
                self.link(ChainLink { line: number, ..link }, is_in_a_tree(line));
            } else {
                self.skipped.note("more rows than are kept", line.as_bytes());
            }
        } else {
            let unread = unread_ns(line).map(|ns| (ns, number));
            self.unread = self.unread.max(unread);
            self.skipped.note(
                "no output of systemd-analyze time, blame or critical-chain",
                line.as_bytes(),
            );
        }
    }
}

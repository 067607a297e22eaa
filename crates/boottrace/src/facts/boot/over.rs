// SPDX-License-Identifier: MIT
//! From which line on nothing more is the boot's, where neither a prompt nor systemd's account shows its end: somebody uses the
//! system, it serves others, or it has been silent for longer than its start took.

use super::dates::{received_ns, Dates};
use super::idle::waits;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::is_session;
use crate::log::clock::NS_PER_S;
use crate::log::course::{comes_by_itself, only_a_boot_prints};
use crate::log::in_use::is_in_use;
use crate::log::line::{Line, LineKind};
use crate::log::starting::starts_system;

/// A system is up after a silence as long as its start by the dates of a log, and no shorter than this ...
const SETTLED_NS: i64 = 20 * NS_PER_S;
/// ... and after one of this length in any case.
const SILENT_NS: i64 = 60 * NS_PER_S;

/// A start that waits for an address or a link says something at least as often.
const LINK_NS: i64 = 30 * NS_PER_S;

/// The first line that is none of the boot's. A piece may show what it likes, and is not looked at.
pub(crate) fn over(boot: &BootLog) -> Option<u32> {
    let init = boot.user_from.filter(|_| boot.start != BootStart::MiddleOfLog)?;
    let lines = &boot.lines[init..];
    let from = lines.iter().rposition(starts_system).map_or(0, |at| at + 1);
    let used = lines[from..]
        .iter()
        .find(|line| is_in_use(line) || is_session(&line.text))
        .map(|line| line.number);
    [used, settled(boot, init + from)].into_iter().flatten().min()
}

/// The line behind the first silence that is longer than the start before it, by a daemon's dates; from an index on.
fn settled(boot: &BootLog, from: usize) -> Option<u32> {
    let said = |line: &Line| matches!(line.kind, LineKind::Kernel | LineKind::User) && !line.text.trim().is_empty();
    let counts = |line: &Line| received_ns(line).is_some() && said(line) && !comes_by_itself(&line.text);
    let mut spoken = boot.lines.iter().enumerate().filter(|(_, line)| counts(line));
    let (_, mut before) = spoken.next()?;
    let dates = Dates::of(&boot.lines);
    let mut elapsed = 0_i64;
    for (at, line) in spoken {
        // Where the clock was set, nobody knows.
        let silent = dates.apart(before, line).unwrap_or(0);
        let linked = silent <= LINK_NS && (speaks_of_a_link(before) || speaks_of_a_link(line));
        let ran_out = line.text.contains("imed out") || line.text.contains("imeout");
        let waited = linked || ran_out || waits(&before.text) || only_a_boot_prints(&line.text);
        if at >= from && silent > elapsed.clamp(SETTLED_NS, SILENT_NS) && !waited {
            return Some(line.number);
        }
        elapsed = elapsed.saturating_add(silent);
        before = line;
    }
    None
}

/// Does a line speak of what a start waits for, though never for long: an address, a link, the time?
fn speaks_of_a_link(line: &Line) -> bool {
    const WORDS: [&str; 9] = [
        "DHCP",
        "lease",
        "carrier",
        "bound to",
        "becomes ready",
        "ink is ",
        "ink up",
        "imed out",
        "ynchroniz",
    ];
    WORDS.iter().any(|word| line.text.contains(word))
}

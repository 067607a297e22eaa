// SPDX-License-Identifier: MIT
//! The longest time between two stamps of the kernel's behind the last line that is surely the boot's. The boot may go on
//! there: its length is told with the two lines, and nothing is made of it.

use super::cost::Cost;
use super::longest_stretch::{covered, stretch, LongestStretch};
use crate::facts::boot::gap::{ends_the_boot, in_background, waits_for_somebody, BootPart};
use crate::facts::boot::idle::{is_nobodys, is_of_a_governor, says_the_same, Often};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::{is_session, is_taken_out, leaves_out, loses, shuts_down};
use crate::log::clock::NS_PER_S;
use crate::log::in_use::is_in_use;
use crate::log::line::{run_ahead, strays, Line};

/// Shorter ones are not worth a sentence behind the boot, and nobody who starts is silent for longer.
const LENGTHS_NS: std::ops::RangeInclusive<i64> = 2 * NS_PER_S..=30 * NS_PER_S;
/// What begins later since the kernel's start is seldom a start's.
const LATEST_NS: i64 = 60 * NS_PER_S;

/// Finds it; none where a prompt was there before that somebody may have used.
pub fn later_stretch(
    boot: &BootLog,
    costs: &[Cost],
    (used, over): (Option<u32>, Option<u32>),
) -> Option<LongestStretch> {
    let init_from = boot.user_from.filter(|_| boot.start != BootStart::MiddleOfLog)?;
    let lines = &boot.lines;
    let behind = match used {
        Some(used) => {
            let at = lines.partition_point(|line| line.number < used);
            lines.get(at).filter(|line| waits_for_enter(line))?.number
        }
        // The silence itself is what set it apart.
        None => over?,
    };
    let ahead = run_ahead(lines);
    let of_user = lines.get(init_from..)?.iter();
    let often = Often::of(of_user.filter_map(|line| Some((line, line.printk_ns?))));
    let mut best: Option<LongestStretch> = None;
    let mut last: Option<(usize, i64)> = None;
    for (at, line) in lines.iter().enumerate().skip(init_from) {
        let is_used = line.number >= behind && (is_in_use(line) || waits_for_somebody(line));
        let down = is_session(&line.text) || is_taken_out(&line.text) || shuts_down(line);
        if is_used || down || ends_the_boot(line) {
            break;
        }
        // Who has dates may have spoken all the time.
        if leaves_out(line) || loses(&line.text) || (line.printk_ns.is_none() && line.host_ns.is_some()) {
            last = None;
        }
        let Some(ns) = line.printk_ns.filter(|_| !line.text.trim().is_empty()) else {
            continue;
        };
        let away = last.is_some_and(|(_, before)| strays(lines, at, before));
        if away || ahead.binary_search(&at).is_ok() || in_background(line, BootPart::UserSpace) {
            continue;
        }
        let Some((before, then)) = last.replace((at, ns)) else {
            continue;
        };
        if then > LATEST_NS {
            break;
        }
        let length = ns.saturating_sub(then);
        let from = &lines[before];
        // Messages that ran together share a line.
        let nobodys = from.number == line.number
            || is_nobodys(from, line)
            || is_of_a_governor(&from.text, &line.text)
            || says_the_same(from, line)
            || often.holds(line)
            || often.holds(from)
            || is_new_device(&line.text)
            || is_of_a_program(line)
            || is_alone(&lines[at..], ns);
        let shorter = best.as_ref().is_some_and(|best| best.duration_ns >= length);
        if line.number < behind || !LENGTHS_NS.contains(&length) || nobodys || shorter {
            continue;
        }
        if !covered(&lines[before..=at], length, costs) {
            best = Some(stretch(&lines[before..=at], length, false));
        }
    }
    best
}

/// Does nothing else follow within a second? A step of a start brings several lines; what a system that is up says now and
/// then, a battery's state or a link's, stands alone.
fn is_alone(lines: &[Line], ns: i64) -> bool {
    const FEW: usize = 3;
    let near = |line: &&Line| line.printk_ns.is_none_or(|then| then.saturating_sub(ns) <= NS_PER_S);
    let stamped = |line: &&Line| line.printk_ns.is_some() && !line.text.trim().is_empty();
    lines.iter().take_while(near).filter(stamped).take(FEW).count() < FEW
}

/// A console that starts a shell only when somebody presses a key (BusyBox's `askfirst`): init goes on behind it.
fn waits_for_enter(line: &Line) -> bool {
    let text = line.text.trim_start();
    text.starts_with("Please press Enter to activate this console")
}

/// Does a program speak, or the kernel of one: a greeter's, a session's? Nobody knows when somebody asked for it.
fn is_of_a_program(line: &Line) -> bool {
    let text = line.text.trim_start();
    let told = ["audit: ", "type=", "warning: `", "random: "];
    let named = || {
        let (name, rest) = text.split_once('[')?;
        let (number, behind) = rest.split_once(']')?;
        let is_name = !name.is_empty() && !name.contains([' ', ':']);
        // Drivers count their devices so too, with small numbers.
        let counts = number.len() > 2 && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_name && counts && behind.starts_with(": ")).then_some(name)
    };
    line.process.is_some() || told.iter().any(|start| text.starts_with(start)) || named().is_some()
}

/// Somebody may have plugged it in.
fn is_new_device(text: &str) -> bool {
    text.contains(" USB device number ") || (text.starts_with("mmc") && text.contains(": new "))
}

// SPDX-License-Identifier: MIT
//! Where a boot ends on its axis: the panic, or the last line.

use serde::{Deserialize, Serialize};

use super::axis::Axis;
use super::failure::{fatal, speaks};
use super::stage::last_time_before;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::facts::kernel::facts::KernelFacts;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::is_restored;
use crate::log::clock::Clock;
use crate::log::course::is_of_user_space;
use crate::log::hand_over::starts_another_kernel;
use crate::log::hints::{is_of_initramfs, is_user_space, starts_scripts, waits_in_vain};
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// What the end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// The kernel panicked there.
    Panic,
    /// Nothing more is in the log; the system may have gone on.
    LastLine,
    /// The machine was restored from a snapshot, or woke up: the boot was over before.
    Restored,
    /// The kernel started another one by kexec; the next boot is that one's.
    Kexec,
}

/// The end of a boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BootEnd {
    /// What it is.
    pub kind: EndKind,
    /// Axis time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ns: Option<i64>,
    /// The clock it was read from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub clock: Option<Clock>,
    /// Physical line.
    pub line: u32,
    /// True when the line has no stamp: the time is that of the last stamped line before it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_least: bool,
    /// True when the line was stamped late: it came no later.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// The message.
    pub text: String,
}

/// Where no kernel follows, the last time of the firmware's own clock: of its table, or before its lines.
fn last_mark<'a>(boot: &'a BootLog, firmware: &'a FirmwareFacts) -> Option<BootEnd> {
    let marks = firmware.tables.iter().flat_map(|table| &table.marks);
    let marks = marks
        .chain(&firmware.own_times)
        .map(|mark| (mark.ns, mark.line, mark.name.as_str()));
    let marked = marks.max_by_key(|(ns, ..)| *ns)?;
    let stamped = |line: &'a Line| Some((line.firmware_ns?, line.number, line.text.as_str()));
    let (ns, line, text) = match boot.lines.iter().rev().find_map(stamped) {
        Some(last) if last.0 > marked.0 => last,
        _ => marked,
    };
    Some(BootEnd {
        kind: EndKind::LastLine,
        ns: Some(ns),
        clock: Some(Clock::Firmware),
        line,
        at_least: false,
        at_most: false,
        text: shorten(text.trim()),
    })
}

/// The line that comes last. In a piece of a log, somebody's words may stand behind it: what has no stamp counts there only as
/// long as nothing stands between, or where it is known to be user space's.
fn last(boot: &BootLog) -> Option<&Line> {
    let stamped = |line: &Line| {
        let own = line.printk_ns.or(line.host_ns).or(line.firmware_ns);
        own.is_some() || line.process.is_some()
    };
    let by_user = |line: &Line| {
        let text = line.text.trim_start();
        let shell =
            text.starts_with("(initramfs)") || text.starts_with("ALERT!  /dev/") || text.starts_with("Gave up waiting");
        shell || is_user_space(text) || is_of_user_space(text) || is_of_initramfs(line) || waits_in_vain(text)
    };
    let known = |line: &&Line| speaks(line) && (stamped(line) || by_user(line) || starts_scripts(line));
    let all = || boot.lines.iter().rev().find(|line| speaks(line) && !is_letter(line));
    if boot.start != BootStart::MiddleOfLog {
        return all();
    }
    let Some(at) = boot.lines.iter().rposition(|line| known(&line)) else {
        return all();
    };
    let end = &boot.lines[at];
    // Behind the kernel's own line, where no user space is known, words are nobody's.
    let by_kernel = end.printk_ns.is_some() && end.process.is_none() && !by_user(end);
    if by_kernel && boot.user_from.is_none() {
        return Some(end);
    }
    let behind = boot.lines[at + 1..].iter();
    let goes_on = behind.take_while(|line| speaks(line) && !is_sentence(&line.text));
    goes_on.last().or(Some(end))
}

/// Do people write so? Several words that end as a sentence does, or a shell's command.
fn is_sentence(text: &str) -> bool {
    const PROGRAMS: [&str; 8] = ["sudo ", "systemctl ", "mount ", "cd ", "cp ", "apt ", "echo ", "cat "];
    let text = text.trim();
    let ends = text.ends_with(['.', '!', '?', ',']) && !text.ends_with("...");
    (ends && text.split_ascii_whitespace().count() > 3) || PROGRAMS.iter().any(|program| text.starts_with(program))
}

/// Is it what a person writes below a log? A machine says neither I nor thanks.
fn is_letter(line: &Line) -> bool {
    const WORDS: [&str; 6] = ["Thanks", " I ", "I'm ", "I've ", " my ", "Any help"];
    let bare = line.printk_ns.or(line.host_ns).or(line.firmware_ns).is_none() && line.process.is_none();
    bare && is_sentence(&line.text) && WORDS.iter().any(|word| line.text.contains(word))
}

/// No boot lasts so long.
const DAY_NS: i64 = 86_400_000_000_000;

/// Finds the end of a boot.
pub fn end(boot: &BootLog, firmware: &FirmwareFacts, kernel: &KernelFacts, axis: &Axis) -> Option<BootEnd> {
    if boot.kernel_from.is_none() {
        if let Some(mark) = last_mark(boot, firmware).filter(|_| axis.clock == Clock::Firmware) {
            return Some(mark);
        }
    }
    if let Some(line) = boot.lines.iter().find(|line| is_restored(&line.text)) {
        return Some(BootEnd {
            kind: EndKind::Restored,
            ns: None,
            clock: None,
            line: line.number,
            at_least: false,
            at_most: false,
            text: shorten(line.text.trim()),
        });
    }
    let panicked = fatal(kernel).and_then(|fault| boot.lines.iter().find(|line| line.number == fault.line));
    let (kind, line) = match panicked {
        Some(line) => (EndKind::Panic, line),
        None => match boot.lines.iter().rev().find(|line| starts_another_kernel(&line.text)) {
            Some(line) => (EndKind::Kexec, line),
            None => (EndKind::LastLine, last(boot)?),
        },
    };
    let exact = axis.at(line);
    // Where the dates jump, one line alone may have one of another day.
    let sane = |at: &(i64, Clock)| !axis.late || axis.clock_set.is_empty() || at.0 < DAY_NS;
    let at = exact.or_else(|| last_time_before(boot, line, axis)).filter(sane);
    Some(BootEnd {
        kind,
        ns: at.map(|(ns, _)| ns),
        clock: at.map(|(_, clock)| clock),
        line: line.number,
        at_least: exact.is_none() && at.is_some(),
        at_most: axis.late && exact.is_some() && at.is_some(),
        text: shorten(line.text.trim()),
    })
}

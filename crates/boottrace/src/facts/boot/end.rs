//! Where a boot ends on its axis: the panic, or the last line.

use serde::{Deserialize, Serialize};

use super::axis::Axis;
use super::failure::{fatal, speaks};
use super::stage::last_time_before;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::facts::kernel::facts::KernelFacts;
use crate::log::boot_log::BootLog;
use crate::log::clock::Clock;
use crate::text::shorten::shorten;

/// What the end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndKind {
    /// The kernel panicked there.
    Panic,
    /// Nothing more is in the log; the system may have gone on.
    LastLine,
}

/// The end of a boot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

/// Where no kernel follows, the last time of the firmware's own clock.
fn last_mark(firmware: &FirmwareFacts) -> Option<BootEnd> {
    let marks = firmware.tables.iter().flat_map(|table| &table.marks);
    let mark = marks.chain(&firmware.own_times).max_by_key(|mark| mark.ns)?;
    Some(BootEnd {
        kind: EndKind::LastLine,
        ns: Some(mark.ns),
        clock: Some(Clock::Firmware),
        line: mark.line,
        at_least: false,
        at_most: false,
        text: shorten(mark.name.trim()),
    })
}

/// Finds the end of a boot.
pub fn end(boot: &BootLog, firmware: &FirmwareFacts, kernel: &KernelFacts, axis: &Axis) -> Option<BootEnd> {
    if boot.kernel_from.is_none() {
        if let Some(mark) = last_mark(firmware).filter(|_| axis.clock == Clock::Firmware) {
            return Some(mark);
        }
    }
    let panicked = fatal(kernel).and_then(|fault| boot.lines.iter().find(|line| line.number == fault.line));
    let (kind, line) = match panicked {
        Some(line) => (EndKind::Panic, line),
        None => (EndKind::LastLine, boot.lines.iter().rev().find(|line| speaks(line))?),
    };
    let exact = axis.at(line);
    let at = exact.or_else(|| last_time_before(boot, line, axis));
    Some(BootEnd {
        kind,
        ns: at.map(|(ns, _)| ns),
        clock: at.map(|(_, clock)| clock),
        line: line.number,
        at_least: exact.is_none() && at.is_some(),
        at_most: axis.late && exact.is_some(),
        text: shorten(line.text.trim()),
    })
}

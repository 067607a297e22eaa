// SPDX-License-Identifier: MIT
//! How far the boot loader's own clock had come when the kernel began.

use crate::facts::firmware::facts::{FirmwareFacts, FirmwareStep};
use crate::log::boot_log::BootLog;
use crate::readers::firmware_table::table::TimeTable;

/// A time of the boot loader's clock.
pub(super) struct LoaderTime {
    /// Since the loader's zero.
    pub ns: i64,
    /// The line that says it.
    pub line: u32,
    /// What happened then.
    pub name: String,
}

/// The last time that the boot loader's own clock states before the kernel.
pub(super) fn last_loader_time(boot: &BootLog, firmware: &FirmwareFacts) -> Option<LoaderTime> {
    let kernel = boot.kernel_from.unwrap_or(boot.lines.len());
    let handover = firmware
        .steps
        .iter()
        .rev()
        .find(|s| s.step == FirmwareStep::StartingKernel)
        .map(|s| s.line);
    let before = &boot.lines[..kernel];
    // The loader's farewell, if it is stamped; output after it comes from elsewhere.
    let stamped = before
        .iter()
        .find(|l| Some(l.number) == handover && l.firmware_ns.is_some())
        .or_else(|| before.iter().rev().find(|l| l.firmware_ns.is_some()));
    if let Some(line) = stamped {
        let name = line.text.trim().to_owned();
        return line.firmware_ns.map(|ns| LoaderTime {
            ns,
            line: line.number,
            name,
        });
    }
    if let Some(mark) = firmware.own_times.last() {
        return Some(LoaderTime {
            ns: mark.ns,
            line: mark.line,
            name: mark.name.clone(),
        });
    }
    let end = boot.lines.get(kernel).map_or(u32::MAX, |l| l.number);
    let marks = firmware
        .tables
        .iter()
        .filter(|t| t.from_line < end)
        .flat_map(table_marks);
    marks
        .max_by_key(|(ns, ..)| *ns)
        .map(|(ns, line, name)| LoaderTime { ns, line, name })
}

fn table_marks(table: &TimeTable) -> impl Iterator<Item = (i64, u32, String)> + '_ {
    table.marks.iter().map(|m| (m.ns, m.line, m.name.clone()))
}

// SPDX-License-Identifier: MIT
//! The account of an input's lines: what was taken for what, and what was left out.

use super::reader::is_property;
use super::reader::Lines;
use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::clock::Clock;
use crate::log::line::{HostSource, Line, LineKind};
use crate::readers::ledger::{Ledger, Took};

/// Runs beyond this are not listed one by one.
const MAX_TOOK: usize = 1000;

/// Counts of what the reader gave up before boots were looked for.
#[derive(Debug, Clone, Default)]
pub struct ReaderCounts {
    dropped: u64,
    first_dropped: Option<u32>,
    nul_bytes: u64,
    lava: bool,
}

impl ReaderCounts {
    /// Takes the counts out of the lines before they are split.
    pub fn of(lines: &Lines) -> Self {
        Self {
            dropped: lines.dropped,
            first_dropped: lines.first_dropped,
            nul_bytes: lines.nul_bytes,
            lava: lines.lava_records > 0,
        }
    }
}

/// Fills the ledger with everything that is no message of the machine.
pub fn left_out(split: &Split, counts: &ReaderCounts, ledger: &mut Ledger) {
    ledger.add(
        "beyond the limit of lines and bytes kept",
        counts.dropped,
        counts.first_dropped,
    );
    ledger.add("NUL bytes removed", counts.nul_bytes, None);
    ledger.add("in boots beyond the limit of boots", split.dropped, split.first_dropped);
    ledger.add(
        "printed again by a console registered later",
        split.replayed.len() as u64,
        split.replayed.first().copied(),
    );
    let all = split
        .outside
        .iter()
        .chain(split.boots.iter().flat_map(|boot| &boot.lines));
    for line in all {
        if let Some(reason) = reason(line) {
            ledger.add(reason, 1, Some(line.number));
        }
        if line.cut_bytes > 0 {
            ledger.add("longer than the limit, end cut off", 1, Some(line.number));
        }
    }
}

fn reason(line: &Line) -> Option<&'static str> {
    Some(match line.kind {
        LineKind::Blank => "blank",
        LineKind::Harness => "not the machine's: a command, or words of the tool that captured or printed the log",
        LineKind::Typed => "typed at a prompt",
        LineKind::Report => "in a section of a bug report that is no kernel's log",
        LineKind::Prose => "text of the page around the log",
        LineKind::Property if is_property(&line.text) => "property of a /dev/kmsg record",
        LineKind::Property => "a mail's header, or what stands below it",
        LineKind::Garbage => "not text (wrong baud rate or binary data)",
        LineKind::Outside => "outside any boot",
        LineKind::Firmware | LineKind::Kernel | LineKind::User => return None,
    })
}

/// Names what each range of lines was taken for.
pub fn took(split: &Split, counts: &ReaderCounts) -> Vec<Took> {
    let mut runs: Vec<Took> = Vec::new();
    let mut push = |from_line: u32, to_line: u32, format: String| {
        let full = runs.len() >= MAX_TOOK;
        match runs.last_mut() {
            Some(last) if last.format == format && from_line <= last.to_line.saturating_add(1) => {
                last.to_line = to_line;
            }
            _ if full => {}
            _ => runs.push(Took {
                from_line,
                to_line,
                format,
            }),
        }
    };
    let mut outside = &split.outside[..];
    for boot in &split.boots {
        let (from, to) = boot.span();
        let before = &outside[..outside.partition_point(|l| l.number <= from)];
        // A page's text within it is told as left out.
        outside = &outside[outside.partition_point(|l| l.number <= to)..];
        let sections = [("text", before)].into_iter().chain(sections(boot));
        for (content, part) in sections {
            if let (Some(first), Some(last)) = (part.first(), part.last()) {
                push(first.number, last.number, wrapped(part, content, counts));
            }
        }
    }
    if let (Some(first), Some(last)) = (outside.first(), outside.last()) {
        push(first.number, last.number, wrapped(outside, "text", counts));
    }
    runs
}

/// Cuts a range of lines that was read as something else out of the runs it lies in.
pub fn split_out(runs: &mut Vec<Took>, from_line: u32, to_line: u32, format: &str) {
    let at = runs.partition_point(|run| run.to_line < from_line);
    let mut rest = Vec::new();
    while let Some(run) = runs.get(at).filter(|run| run.from_line <= to_line) {
        if run.from_line < from_line {
            let to_line = from_line - 1;
            rest.insert(0, Took { to_line, ..run.clone() });
        }
        if run.to_line > to_line {
            let from_line = to_line + 1;
            rest.push(Took {
                from_line,
                ..run.clone()
            });
        }
        runs.remove(at);
    }
    let before = rest.partition_point(|run| run.to_line < from_line);
    rest.insert(
        before,
        Took {
            from_line,
            to_line,
            format: format.to_owned(),
        },
    );
    runs.splice(at..at, rest);
}

/// Firmware, kernel and user-space part of one boot.
pub fn sections(boot: &BootLog) -> [(&'static str, &[Line]); 3] {
    let end = boot.lines.len();
    if boot.start == BootStart::Recovery {
        return [("recovery-log", &boot.lines[..]), ("", &[]), ("", &[])];
    }
    let kernel = boot.kernel_from.unwrap_or(end);
    let user = boot.user_from.unwrap_or(end).max(kernel);
    [
        ("firmware-console", &boot.lines[..kernel]),
        ("kernel-log", &boot.lines[kernel..user]),
        ("user-console", &boot.lines[user..]),
    ]
}

fn wrapped(lines: &[Line], content: &str, counts: &ReaderCounts) -> String {
    let source = lines.iter().find_map(|l| l.host_source).filter(|source| {
        // A few lines with a time of day may be what a program of the booted system prints.
        lines.iter().filter(|l| l.host_source == Some(*source)).count() * 3 >= lines.len()
    });
    let wrapping = match source {
        _ if counts.lava => "lava-yaml/",
        Some(HostSource::Capture) => "grabserial/",
        Some(HostSource::ClockTime) => "clock-times/",
        Some(HostSource::Lava) => "lava-text/",
        Some(HostSource::Syslog) => "syslog/",
        Some(HostSource::Computed) => "dmesg-ctime/",
        Some(HostSource::External | HostSource::Emulator) => "stamped/",
        None => "",
    };
    format!("{wrapping}{content}")
}

type HasStamp = fn(&Line) -> bool;

/// The clocks that stamp at least one of the lines.
pub fn kinds_of_stamps(lines: &[Line]) -> Vec<Clock> {
    let mut clocks = Vec::new();
    let seen: [(Clock, HasStamp); 4] = [
        (Clock::Virtual, |l| l.host_source == Some(HostSource::Emulator)),
        (Clock::Host, |l| {
            l.live_host_ns().is_some() && l.host_source != Some(HostSource::Emulator)
        }),
        (Clock::Printk, |l| l.printk_ns.is_some()),
        (Clock::Firmware, |l| l.firmware_ns.is_some()),
    ];
    for (clock, has) in seen {
        if lines.iter().any(has) {
            clocks.push(clock);
        }
    }
    clocks
}

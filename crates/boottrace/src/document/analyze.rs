// SPDX-License-Identifier: MIT
//! The one way from bytes to a document.

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::account_beside;
use super::boot::Boot;
use super::by_the_way::told_by_the_way;
use super::document::{Document, NotABoot, Part, DOCUMENT_FORMAT, DOCUMENT_VERSION};
use super::found as traces;
use super::found::Found;
use super::one_account;
use super::other_output;
use super::outside;
use super::stated;
use super::unit_costs;
use super::units::UnitReport;
use crate::error::Error;
use crate::input::notes::InputNotes;
use crate::input::packing::Packing;
use crate::input::source::{Counted, Seen, Source};
use crate::input::stream::Stream;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::Clock;
use crate::options::Options;
use crate::readers::calls::names::Names;
use crate::readers::calls::tree::CallTree;
use crate::readers::console;
use crate::readers::console::account::ReaderCounts;
use crate::readers::console::reader::ExternalStamp;
use crate::readers::embedded;
use crate::readers::foreign;
use crate::readers::formats;
use crate::readers::formats::Format;
use crate::readers::ledger::{Ledger, Skipped, Took};
use crate::timeline::tracks::Timeline;
use crate::timeline::tree::Tree;

/// A document, and what only the exporters need.
#[derive(Debug)]
pub struct Analyzed {
    /// What the input told.
    pub document: Document,
    /// Timelines of parts that are no boots. Those of boots follow from the document.
    pub timelines: Vec<Timeline>,
    /// Merged call trees.
    pub trees: Vec<Tree>,
    /// The same with all that is known of each node, for the tables of functions.
    pub call_trees: Vec<(CallTree, Names)>,
}

/// Reads `bytes` (packed or not) and says what they hold. `name` is used in messages only.
///
/// # Errors
/// Only when there is nothing to read: see [`Error`]. Damage and oddities are reported in the document.
pub fn analyze(name: &str, bytes: &[u8], options: &Options) -> Result<Document, Error> {
    analyze_stamped(name, bytes, None, options)
}

/// Like [`analyze`], with one stamp of a capturing host or of an emulator for each line of a boot log.
///
/// # Errors
/// As [`analyze`].
pub fn analyze_stamped(
    name: &str,
    bytes: &[u8],
    stamps: Option<&[ExternalStamp]>,
    options: &Options,
) -> Result<Document, Error> {
    read(name, Source::Bytes(bytes), stamps, options, false).map(|analyzed| analyzed.document)
}

/// Reads a file, or standard input when the path is `-`. Traces are read as streams, whatever their size; boot logs
/// up to `options.limits.input_bytes`.
///
/// # Errors
/// As [`analyze`], and [`Error::Read`].
pub fn analyze_path(path: &Path, options: &Options) -> Result<Document, Error> {
    Analyzed::from_path(path, options, false).map(|analyzed| analyzed.document)
}

impl Analyzed {
    /// Like [`analyze_path`]; with `export`, spans and call trees of traces are kept for the exporters.
    ///
    /// # Errors
    /// As [`analyze_path`].
    pub fn from_path(path: &Path, options: &Options, export: bool) -> Result<Self, Error> {
        read(&path.to_string_lossy(), Source::open(path)?, None, options, export)
    }

    /// Like [`analyze_stamped`], for the exporters too.
    ///
    /// # Errors
    /// As [`analyze`].
    pub fn from_stamped(name: &str, bytes: &[u8], stamps: &[ExternalStamp], options: &Options) -> Result<Self, Error> {
        read(name, Source::Bytes(bytes), Some(stamps), options, true)
    }

    /// Like [`analyze`]; with `export`, spans and call trees of traces are kept for the exporters.
    ///
    /// # Errors
    /// As [`analyze`].
    pub fn from_bytes(name: &str, bytes: &[u8], options: &Options, export: bool) -> Result<Self, Error> {
        read(name, Source::Bytes(bytes), None, options, export)
    }
}

fn read(
    name: &str,
    mut source: Source<'_>,
    stamps: Option<&[ExternalStamp]>,
    options: &Options,
    export: bool,
) -> Result<Analyzed, Error> {
    let failed = |source| Error::Read {
        path: name.into(),
        source,
    };
    let head = source.head().map_err(failed)?;
    if head.is_empty() {
        return Err(Error::Empty { name: name.to_owned() });
    }
    let seen = Arc::new(Seen::default());
    let packing = Packing::detect(&head);
    let (head, stream) = match packing {
        None => (head, source.stream(&seen, &options.limits)),
        Some(packing) => {
            let (head, error, stream) = source.unpacked(packing, &seen, &options.limits);
            if head.is_empty() {
                return Err(Error::Unpack {
                    name: name.to_owned(),
                    format: packing.name(),
                    why: error.map_or_else(|| "it holds no data".to_owned(), |error| error.to_string()),
                });
            }
            (head, stream)
        }
    };
    let format = formats::detect(&head).map_or(Format::BootLog, |(format, _)| format);
    if format == Format::BootLog {
        let stream = stream.at_most(options.limits.input_bytes);
        return boot_log_input(name, stream, &seen, packing, stamps, options, export);
    }
    let stream = Box::new(stream);
    Ok(other(name, format, &head, stream, &seen, packing, options, export))
}

fn document(name: &str, notes: InputNotes, detected: Format) -> Document {
    Document {
        format: DOCUMENT_FORMAT.to_owned(),
        version: DOCUMENT_VERSION,
        name: name.to_owned(),
        input: notes,
        detected,
        lines: 0,
        parts: Vec::new(),
        took: Vec::new(),
        skipped: Vec::new(),
        boot_loop: None,
    }
}

fn notes(seen: &Seen, packing: Option<Packing>) -> InputNotes {
    InputNotes {
        given_bytes: seen.given_bytes(packing.is_some()),
        read_bytes: seen.bytes(),
        packing,
        problems: seen.problem().into_iter().collect(),
    }
}

/// Line numbers have 32 bits; a trace may have more lines than that.
fn line_number(lines: u64) -> u32 {
    u32::try_from(lines).unwrap_or(u32::MAX)
}

#[allow(clippy::too_many_arguments)] // one call site for packed and one for plain input
fn other(
    name: &str,
    format: Format,
    head: &[u8],
    stream: Box<dyn Stream + '_>,
    seen: &Seen,
    packing: Option<Packing>,
    options: &Options,
    export: bool,
) -> Analyzed {
    let found = traces::read(format, name, stream, export, options.goal_pattern.as_deref());
    let mut notes = notes(seen, packing);
    notes.problems.extend(found.problem);
    let mut document = document(name, notes, format);
    let binary = matches!(format, Format::TraceDat | Format::Bootchart | Format::Foreign);
    document.lines = if binary { 0 } else { seen.lines() };
    document.parts = found.parts;
    let skipped = |reason: String, count| Skipped {
        reason,
        count,
        first_line: None,
    };
    document
        .skipped
        .extend(found.skipped.into_iter().map(|(reason, count)| skipped(reason, count)));
    if let Some(what) = foreign::what(head).filter(|_| format == Format::Foreign) {
        document.skipped.push(skipped(what.to_owned(), 1));
    } else {
        document.took.push(Took {
            from_line: u32::from(!binary),
            to_line: line_number(document.lines),
            format: format.name().to_owned(),
        });
    }
    for (place, text) in found.kernel_logs {
        kernel_log(&mut document, place, &text, options);
    }
    Analyzed {
        document,
        timelines: found.timelines,
        trees: found.trees,
        call_trees: found.call_trees,
    }
}

/// A kernel log inside another format: its boots join the document; its lines are counted by themselves.
fn kernel_log(document: &mut Document, place: &str, text: &[u8], options: &Options) {
    let notes = InputNotes {
        given_bytes: text.len() as u64,
        read_bytes: text.len() as u64,
        ..InputNotes::default()
    };
    let mut inner = self::document(place, notes, Format::BootLog);
    if boot_log(text, None, options, false, &mut inner).is_err() {
        return;
    }
    let before = document.boots().count() as u32;
    for mut part in inner.parts {
        if let Part::Boot(boot) = &mut part {
            boot.number += before;
        }
        document.parts.push(part);
    }
    document.took.extend(inner.took.into_iter().map(|took| Took {
        format: format!("{place}/{}", took.format),
        ..took
    }));
    document.skipped.extend(inner.skipped);
    document.boot_loop = document.boot_loop.take().or(inner.boot_loop);
}

fn boot_log_input(
    name: &str,
    stream: Counted<'_>,
    seen: &Seen,
    packing: Option<Packing>,
    stamps: Option<&[ExternalStamp]>,
    options: &Options,
    export: bool,
) -> Result<Analyzed, Error> {
    let mut document = document(name, InputNotes::default(), Format::BootLog);
    let blocks = boot_log(stream, stamps, options, export, &mut document).map_err(|source| Error::Read {
        path: name.into(),
        source,
    })?;
    let of_blocks = std::mem::replace(&mut document.input, notes(seen, packing)).problems;
    document.input.problems.extend(of_blocks);
    // The boot is what such a log is exported for.
    let (timelines, trees) = if document.boots().next().is_some() {
        (Vec::new(), Vec::new())
    } else {
        (blocks.timelines, blocks.trees)
    };
    Ok(Analyzed {
        document,
        timelines,
        trees,
        call_trees: Vec::new(),
    })
}

/// Reads boots, and what other tools printed among them. Returns what only exporters need of the latter.
fn boot_log(
    source: impl Read,
    stamps: Option<&[ExternalStamp]>,
    options: &Options,
    export: bool,
    document: &mut Document,
) -> io::Result<Found> {
    let mut lines = console::read(source, stamps, &options.limits)?;
    let blocks = embedded::take_out(&mut lines);
    document.lines = u64::from(lines.physical);
    let counts = ReaderCounts::of(&lines);
    let guests = console::guests::take_out(&mut lines);
    console::phone_dates::count_from_the_start(&mut lines);
    if let Some((from, to)) = console::shuffled::put_apart(&mut lines) {
        document.input.problems.push(format!(
            "lines {from} to {to}: boots have the same dates, because the clock was set back, and the journal shuffled their \
             lines; they were put apart where it says that the boot changes"
        ));
    }
    let mut split = match console::shuffled::without_order(&lines) {
        Some((back, dated)) => {
            document.input.problems.push(format!(
                "the dates of {back} of {dated} lines go back: the lines are in no order, and nothing is told of a boot"
            ));
            console::shuffled::nothing_but_text(lines)
        }
        None => console::split(lines, &options.limits),
    };
    let mut ledger = Ledger::default();
    document.took = console::took(&split, &counts);
    for (guest, lines) in guests {
        let found = console::split_guest(guest, lines, &options.limits);
        let of_guest = console::took(&found, &counts);
        document.took.extend(of_guest.into_iter().map(|took| Took {
            format: format!("guest-{guest}/{}", took.format),
            ..took
        }));
        split.join(found);
    }
    console::left_out(&split, &counts, &mut ledger);
    let mut placed: Vec<(u32, Part)> = Vec::new();
    let mut number = 0;
    let begin = |log: &BootLog| {
        let host_ns = log.lines.iter().find_map(|line| line.host_ns);
        let line = log.span().0;
        (console::Next { line, host_ns }, log.start)
    };
    let within = stated::persons_in(&split.boots);
    let begins: Vec<_> = split.boots.iter().map(begin).collect();
    let mut last_lines: Vec<crate::log::Line> = Vec::new();
    for (at, log) in split.boots.into_iter().enumerate() {
        // Sections of a report stand apart, and their order is not that of time. Another piece of a page is no boot that
        // follows.
        let next = begins.get(at + 1).filter(|(next, start)| {
            let follows = next.line <= log.span().1.saturating_add(2);
            follows && *start != BootStart::MiddleOfLog && log.guest.is_none()
        });
        let tail = || next.and_then(|_| console::tail_of_earlier(&log));
        let other = console::excerpt(&log, &split.outside, &last_lines)
            .or_else(|| next.and_then(|(next, _)| console::before_kernel(&log, *next)));
        last_lines = log.lines[log.lines.len().saturating_sub(4)..].to_vec();
        let (from_line, to_line) = log.span();
        let accounted = || {
            let mut accounts = blocks.iter().filter(|block| block.format == Format::SystemdAnalyze);
            accounts.any(|block| from_line <= block.from_line && block.to_line <= to_line)
        };
        let other = other.or_else(|| match console::not_a_boot(&log, begins.len() == 1, at == 0) {
            // systemd accounts for its start in the middle of these lines.
            Some(("running-system", _)) if accounted() => None,
            // That it ran for long is the less that is known where the next boot follows.
            Some(found @ ("running-system" | "shutdown", _)) => tail().or(Some(found)),
            found => found.or_else(tail),
        });
        let ready = other.as_ref().map(|(what, _)| told_by_the_way(what, &log.lines));
        number += 1;
        let boot = Boot::from_log(log, number, options);
        for (reason, (count, first)) in &boot.kernel.look_alikes {
            ledger.add(reason, *count, Some(*first));
        }
        let alone = matches!(other, Some(("program-log", _)));
        if let Some(report) = unit_costs::of_lines(&boot).filter(|_| alone) {
            number -= 1;
            placed.push((from_line, Part::Units(report)));
        } else if let Some((what, why)) = other {
            number -= 1;
            let part = NotABoot {
                from_line,
                to_line,
                what: what.to_owned(),
                why,
            };
            placed.push((from_line, Part::NotABoot(part)));
            placed.extend(ready.filter(|costs| !costs.is_empty()).map(|costs| {
                let report = UnitReport::of_lines(costs, (from_line, to_line), Clock::Printk);
                (from_line, Part::Units(report))
            }));
        } else {
            placed.push((from_line, Part::Boot(boot)));
        }
    }
    let all = other_output::read(&blocks, export, document, &mut placed, &mut ledger);
    let beside = account_beside::blocks(&split.outside, &placed, &blocks);
    other_output::read(&beside, false, document, &mut placed, &mut ledger);
    outside::read(&split.outside, &within, &mut placed);
    placed.sort_by_key(|(line, _)| *line);
    one_account::join(&mut placed, &split.outside);
    one_account::tell_unread(&split.outside, &mut placed);
    unit_costs::tell_boots(&mut placed);
    document.parts.extend(placed.into_iter().map(|(_, part)| part));
    let alone = document.boots().filter(|boot| boot.guest.is_none());
    let endings: Vec<_> = alone.map(|b| b.last_words.clone()).collect();
    document.boot_loop = crate::facts::boot::failure::boot_loop(&endings);
    document.skipped = ledger.into_skipped();
    Ok(all)
}

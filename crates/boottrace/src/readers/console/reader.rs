// SPDX-License-Identifier: MIT
//! From bytes to logical lines: cleaning, prefixes, messages that ran into each other, LAVA records.

use std::io::{self, Cursor, Read};

use super::learning;
use super::mail_headers;
use super::mail_quotes::Marks;
use super::pasted;
use super::quoted_printable::{self, Joined};
use super::tail::Tail;
use super::wrapped::{self, Whole};
use crate::log::bracket::Human;
use crate::log::inner_start::inner_start;
use crate::log::line::{HostSource, Line, LineKind};
use crate::log::own_time::own_time;
use crate::log::prefix;
use crate::log::style::Style;
use crate::log::{dumpstate, guest, harness, lava};
use crate::options::Limits;
use crate::text::physical::{self, Physical};

/// A stamp that was taken outside the log, for one physical line. The clock is the host's or the emulator's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExternalStamp {
    /// ns since the clock's origin.
    pub ns: i64,
    /// Which clock.
    pub clock: crate::log::clock::Clock,
}

/// Messages taken out of one line; a line of nothing but stamps would otherwise be searched over and over.
const MAX_PIECES: usize = 64;
/// Tools put comments on top of what they save; further down `# ` is a shell's prompt.
const HEADER_LINES: u32 = 10;
const DAY_NS: i64 = 86_400_000_000_000;

/// All logical lines of one input.
#[derive(Debug, Default)]
pub struct Lines {
    /// In file order.
    pub lines: Vec<Line>,
    /// Physical lines seen.
    pub physical: u32,
    /// Physical lines beyond the limits.
    pub dropped: u64,
    /// First physical line dropped.
    pub first_dropped: Option<u32>,
    /// Lines that were LAVA records.
    pub lava_records: u32,
    /// NUL bytes found.
    pub nul_bytes: u64,
}

/// Bytes looked at to learn a log's habits.
const STYLE_BYTES: u64 = 1 << 20;

/// Reads the lines of a console capture or kernel log. `stamps`, when given, holds one stamp a physical line. Only what
/// is kept is held in memory.
///
/// # Errors
/// Those of `source`.
pub fn read(mut source: impl Read, stamps: Option<&[ExternalStamp]>, limits: &Limits) -> io::Result<Lines> {
    let mut head = Vec::new();
    source.by_ref().take(STYLE_BYTES).read_to_end(&mut head)?;
    let mail = quoted_printable::is_in(&head);
    let decoded = mail.then(|| quoted_printable::decoded_text(&head, limits.line_bytes));
    let plain = decoded.as_deref().unwrap_or(&head);
    let marks = Marks::of(plain);
    let style = if marks.is_empty() {
        learning::style(plain, limits)
    } else {
        learning::style(&unmarked(plain, marks), limits)
    };
    let mut reader = Reader {
        out: Lines::default(),
        style,
        limits,
        day_ns: 0,
        last_time_of_day: None,
        in_kmsg: false,
        human_sum: HumanSum::NotBegun,
        report: dumpstate::Report::default(),
        text_bytes: 0,
    };
    let mut tail = Tail::new(limits);
    let mut joined = Joined::default();
    let broken = wrapped::is_in(plain);
    let mut whole = Whole::default();
    let mut keep = |line: &Physical<'_>| {
        if tail.takes_over(reader.out.lines.len(), reader.text_bytes, limits) {
            tail.push(line);
        } else {
            reader.take(line, stamps);
        }
    };
    let mut take = |line: &Physical<'_>| {
        let line = without_mark(line);
        let bytes = marks.strip(line.bytes);
        let line = Physical { bytes, ..line };
        if broken {
            whole.take(&line, &mut keep);
        } else {
            keep(&line);
        }
    };
    let mut physical = 0;
    physical::for_each(Cursor::new(&head).chain(source), limits.line_bytes, |line| {
        physical = line.number;
        if mail {
            joined.take(&line, limits.line_bytes, &mut take);
        } else {
            take(&line);
        }
    })?;
    joined.end(&mut take);
    whole.end(&mut keep);
    reader.out.physical = physical;
    reader.out.dropped = tail.dropped;
    reader.out.first_dropped = tail.first_dropped;
    tail.for_each(|line| reader.take(line, stamps));
    mail_headers::mark(&mut reader.out.lines);
    Ok(reader.out)
}

/// The text without the marks in front of its lines.
fn unmarked(head: &[u8], marks: Marks) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len());
    for line in head.split_inclusive(|b| *b == b'\n') {
        out.extend_from_slice(marks.strip(line));
    }
    out
}

/// Editors of Windows put a byte order mark before the first line.
fn without_mark<'a>(line: &Physical<'a>) -> Physical<'a> {
    let bytes = line
        .bytes
        .strip_prefix("\u{feff}".as_bytes())
        .filter(|_| line.number == 1);
    Physical {
        bytes: bytes.unwrap_or(line.bytes),
        ..*line
    }
}

/// What is known of the time that `dmesg -H` shows in steps.
#[derive(Clone, Copy)]
enum HumanSum {
    NotBegun,
    Ns(i64),
    /// A step was not shown.
    Lost,
}

struct Reader<'a> {
    out: Lines,
    style: Style,
    limits: &'a Limits,
    day_ns: i64,
    last_time_of_day: Option<i64>,
    in_kmsg: bool,
    /// The sum of what `dmesg -H` says.
    human_sum: HumanSum,
    report: dumpstate::Report,
    text_bytes: usize,
}

impl Reader<'_> {
    fn take(&mut self, line: &Physical<'_>, stamps: Option<&[ExternalStamp]>) {
        if self.out.lines.len() >= self.limits.lines || self.text_bytes >= self.limits.text_bytes {
            self.out.dropped += 1;
            self.out.first_dropped.get_or_insert(line.number);
            return;
        }
        self.out.nul_bytes += memchr::memchr_iter(0, line.bytes).count() as u64;
        let external = stamps.and_then(|all| all.get(line.number as usize - 1));
        let mut base = Line::plain(line.number, line.offset_bytes, String::new());
        base.more_lines = line.more_lines;
        base.cut_bytes = line.cut_bytes;
        if let Some(stamp) = external {
            base.host_ns = Some(stamp.ns);
            base.host_source = Some(match stamp.clock {
                crate::log::clock::Clock::Virtual => HostSource::Emulator,
                _ => HostSource::External,
            });
        }
        self.physical_line(line.bytes, base);
    }

    fn physical_line(&mut self, bytes: &[u8], mut base: Line) {
        if let Some(kind) = self.report.line(bytes, base.number) {
            base.kind = kind;
            base.text = physical::clean(bytes);
            return self.push(base);
        }
        let Some(record) = lava::record(bytes) else {
            let text = physical::clean(bytes);
            let cuts = pasted::cuts(&text);
            let ends = cuts.iter().skip(1).copied().chain([text.len()]);
            for (from, to) in cuts.iter().copied().zip(ends) {
                self.messages(&text[from..to], &base);
            }
            if cuts.is_empty() {
                self.messages(&text, &base);
            }
            return;
        };
        self.out.lava_records += 1;
        if base.host_ns.is_none() && record.ns.is_some() {
            base.host_ns = record.ns;
            base.host_source = Some(HostSource::Lava);
        }
        let message = record.message.unwrap_or_default();
        match record.level.as_str() {
            "target" => {
                for part in message.split(|b| *b == b'\n') {
                    if !part.is_empty() || message.is_empty() {
                        self.messages(&physical::clean(part), &base);
                    }
                }
                if message.is_empty() {
                    base.kind = LineKind::Blank;
                    self.push(base);
                }
            }
            level => {
                base.kind = if level == "input" {
                    LineKind::Typed
                } else {
                    LineKind::Harness
                };
                base.text = physical::clean(&message);
                self.push(base);
            }
        }
    }

    /// Takes `text` apart where a carriage return or a kernel stamp begins another message.
    fn messages(&mut self, text: &str, base: &Line) {
        if text.trim_ascii().is_empty() {
            let mut blank = base.clone();
            blank.kind = LineKind::Blank;
            self.push(blank);
            return;
        }
        for piece in text.split('\r').filter(|piece| !piece.trim_ascii().is_empty()) {
            let mut rest = piece;
            let mut inherited = base.clone();
            if let Some((number, used)) = guest::peel(rest) {
                inherited.guest = Some(number);
                rest = &rest[used..];
            }
            for piece_number in 0..=MAX_PIECES {
                let mut line = inherited.clone();
                let found = prefix::peel(rest, self.style);
                let message = &rest[found.length..];
                let cut = inner_start(message, self.style).filter(|_| piece_number < MAX_PIECES);
                self.apply(&found, rest, &mut line);
                message[..cut.unwrap_or(message.len())].clone_into(&mut line.text);
                inherited.host_ns = line.host_ns;
                inherited.host_source = line.host_source;
                if !line.text.trim_ascii().is_empty() || found.length > 0 {
                    self.push(line);
                }
                match cut {
                    Some(at) if self.out.lines.len() < self.limits.lines => rest = &message[at..],
                    _ => break,
                }
            }
        }
    }

    fn apply(&mut self, found: &prefix::Prefix, text: &str, line: &mut Line) {
        if let Some((ns, source)) = found.host {
            if line.host_ns.is_none() {
                line.host_ns = Some(self.unwrap_midnight(ns));
                line.host_source = Some(source);
            }
        }
        line.printk_ns = found.printk_ns.or_else(|| self.human_ns(found.human?));
        line.firmware_ns = found.firmware_ns.or_else(|| own_time(text));
        line.cycles = found.cycles;
        line.level = found.level;
        line.caller = found.caller;
        line.process = found
            .sender
            .and_then(|(from, to)| text.get(from..to))
            .filter(|name| *name != "kernel")
            .map(str::to_owned);
        line.pid = found.sender.and_then(|(_, to)| number_of(text.get(to..)?));
        let computed = matches!(found.host, Some((_, HostSource::Computed)));
        let kernel_named = (found.sender.is_some() && line.process.is_none()) || computed;
        line.kind = if line.process.is_some() {
            LineKind::User
        } else if kernel_named || found.human.is_some() || line.has_kernel_prefix() {
            LineKind::Kernel
        } else {
            LineKind::Outside
        };
        if self.style.received_kernel && kernel_named && found.printk_ns.is_some() && line.host_ns.is_none() {
            line.host_ns = line.printk_ns.take();
            line.host_source = Some(HostSource::Syslog);
        }
        let message = &text[found.length..];
        if kernel_named && harness::is_log_daemon(message) {
            line.kind = LineKind::Harness;
        }
        self.in_kmsg = found.kmsg || (self.in_kmsg && line.kind == LineKind::Outside);
        if line.kind == LineKind::Outside {
            if self.in_kmsg && is_property(message) {
                line.kind = LineKind::Property;
            } else if harness::author(message.trim_ascii_start()).is_some()
                || (line.number <= HEADER_LINES && harness::is_comment(message))
            {
                line.kind = LineKind::Harness;
            } else if physical::is_garbage(message) {
                line.kind = LineKind::Garbage;
            } else if message.trim_ascii().is_empty() {
                line.kind = LineKind::Blank;
            }
        }
    }

    /// `dmesg -H` begins with the minute, then says how much later each line is, until the minute changes: how much
    /// later that line is nobody knows, nor what time all further ones have.
    fn human_ns(&mut self, human: Human) -> Option<i64> {
        self.human_sum = match (human, self.human_sum) {
            (Human::Later(later_ns), HumanSum::Ns(sum_ns)) => HumanSum::Ns(sum_ns.saturating_add(later_ns)),
            (Human::Later(later_ns), HumanSum::NotBegun) => HumanSum::Ns(later_ns),
            (Human::Minute, HumanSum::NotBegun) => HumanSum::Ns(0),
            (Human::Minute, HumanSum::Ns(_)) | (_, HumanSum::Lost) => HumanSum::Lost,
        };
        match self.human_sum {
            HumanSum::Ns(sum_ns) => Some(sum_ns),
            HumanSum::NotBegun | HumanSum::Lost => None,
        }
    }

    /// A time of day starts again at midnight; a capture does not.
    fn unwrap_midnight(&mut self, ns: i64) -> i64 {
        if !(0..DAY_NS).contains(&ns) {
            return ns;
        }
        if self.last_time_of_day.is_some_and(|last| last - ns > DAY_NS / 2) {
            self.day_ns = self.day_ns.saturating_add(DAY_NS);
        }
        self.last_time_of_day = Some(ns);
        ns.saturating_add(self.day_ns)
    }

    fn push(&mut self, line: Line) {
        self.text_bytes += line.text.len();
        self.out.lines.push(line);
    }
}

/// `[645]: frob`: the number of a process behind its name.
fn number_of(rest: &str) -> Option<u32> {
    rest.strip_prefix('[')?.split_once(']')?.0.parse().ok()
}

/// ` SUBSYSTEM=pci`: a blank, a name in capitals, a value.
pub(super) fn is_property(text: &str) -> bool {
    let Some((name, _)) = text.strip_prefix(' ').and_then(|rest| rest.split_once('=')) else {
        return false;
    };
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

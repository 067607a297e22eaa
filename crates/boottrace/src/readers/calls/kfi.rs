// SPDX-License-Identifier: MIT
//! KFI and KFT logs: `Entry Delta PID Function Called At`, times in microseconds, sorted by entry.
//!
//! Format: `addr2sym` output as shown on eLinux.org, "Kernel Function Trace" and "Kernel Function Instrumentation".

use std::io::{self, Read};

use serde::Serialize;

use super::stacks::{Calls, SpanLimits, TaskId};
use crate::readers::skipped::Skipped;
use crate::text::lines;
use crate::text::lines::ReadCounts;
use crate::text::number::{digits, integer};

/// What the header block says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Header {
    /// Number of the instrumentation run.
    pub run_id: Option<u64>,
    /// Logging started at this time, microseconds since boot.
    pub started_us: Option<u64>,
    /// Logging stopped at this time, microseconds since boot.
    pub stopped_us: Option<u64>,
    /// What started it, such as `entry to function start_kernel`.
    pub start_trigger: String,
    /// What stopped it.
    pub stop_trigger: String,
    /// Shorter calls are not in the log, so self times contain them.
    pub min_time_us: Option<u64>,
    /// Calls the filters dropped.
    pub filtered: Option<u64>,
    /// Entries the log says it has.
    pub entries: Option<u64>,
}

/// A log.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// Its header.
    pub header: Header,
    /// Calls, finished. Time in which another task ran is not charged to `schedule()`.
    pub calls: Calls,
    /// Rows read.
    pub rows: u64,
    /// Rows whose exit was not seen (delta 0).
    pub exit_not_seen: u64,
    /// Stack-watch records (delta -2), which are no calls.
    pub stack_watch: u64,
    /// Lines that were not understood.
    pub skipped: Skipped,
    /// Size of the input.
    pub read: ReadCounts,
}

/// What the head of a file says about being such a log: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let mut columns = false;
    for line in head.split(|&b| b == b'\n').take(400) {
        let words: Vec<&[u8]> = words(line).collect();
        if words == [&b"Entry"[..], b"Delta", b"PID", b"Function", b"Called", b"At"] {
            return Some(1.0);
        }
        columns |= line.starts_with(b"Kernel Instrumentation Run ID");
    }
    if columns {
        Some(0.9)
    } else {
        None
    }
}

/// True for the first line of a log, or for the names of its columns.
pub fn is_heading(line: &[u8]) -> bool {
    line.starts_with(b"Kernel Instrumentation Run ID")
        || words(line).eq([&b"Entry"[..], b"Delta", b"PID", b"Function", b"Called", b"At"])
}

/// True for a line between the first one and the rows: what was filtered and how the run began and ended.
pub fn is_header(line: &[u8]) -> bool {
    const STARTS: [&[u8]; 6] = [
        b"Logging st",
        b"Filter",
        b"Execution time filter",
        b"Total entries",
        b"Entries not found",
        b"Number of entries",
    ];
    let text = line.trim_ascii();
    STARTS.iter().any(|start| text.starts_with(start)) || text.ends_with(b"execution time") || dashed(text)
}

fn dashed(text: &[u8]) -> bool {
    text.len() > 2 && text.iter().all(|b| matches!(b, b'-' | b' ' | b'\t'))
}

/// True for a row of the log.
pub fn is_row(line: &[u8]) -> bool {
    row(line).is_some()
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

struct Row<'a> {
    entry_us: u64,
    delta_us: i64,
    pid: i64,
    function: &'a [u8],
    caller: Option<&'a [u8]>,
}

fn row(line: &[u8]) -> Option<Row<'_>> {
    let mut words = words(line);
    let entry_us = u64::try_from(integer(words.next()?)?).ok()?;
    let delta_us = integer(words.next()?)?;
    let pid = integer(words.next()?)?;
    let function = words.next()?;
    let caller = words
        .next()
        .map(|site| &site[..memchr::memchr(b'+', site).unwrap_or(site.len())]);
    Some(Row {
        entry_us,
        delta_us,
        pid,
        function,
        caller,
    })
}

struct Reader {
    log: Log,
    running: Option<(i64, TaskId)>,
    /// For each task switched out inside an open call: since when.
    away: std::collections::HashMap<TaskId, i64>,
    in_rows: bool,
}

fn number_after(line: &[u8], key: &[u8]) -> Option<u64> {
    let at = memchr::memmem::find(line, key)? + key.len();
    let (value, used) = digits(line[at..].trim_ascii_start());
    (used > 0).then_some(value)
}

impl Reader {
    fn line(&mut self, line: &[u8]) {
        let text = line.trim_ascii();
        if text.is_empty() || text == b"." || text.iter().all(|b| matches!(b, b'-' | b' ')) {
            return;
        }
        if let Some(row) = row(text) {
            self.in_rows = true;
            self.row(&row, line);
        } else if !self.in_rows && self.header(text) {
        } else {
            self.log.skipped.note("no row of the log", line);
        }
    }

    fn header(&mut self, text: &[u8]) -> bool {
        let header = &mut self.log.header;
        let trigger = |text: &[u8]| {
            let by = memchr::memmem::find(text, b" by ").map_or(text.len(), |at| at + 4);
            String::from_utf8_lossy(&text[by..]).into_owned()
        };
        if let Some(id) = number_after(text, b"Instrumentation Run ID") {
            header.run_id = Some(id);
        } else if let Some(us) = number_after(text, b"Logging started at") {
            header.started_us = Some(us);
            header.start_trigger = trigger(text);
        } else if let Some(us) = number_after(text, b"Logging stopped at") {
            header.stopped_us = Some(us);
            header.stop_trigger = trigger(text);
        } else if memchr::memmem::find(text, b"minimum execution time").is_some() {
            header.min_time_us = Some(digits(text).0);
        } else if let Some(count) = number_after(text, b"Total entries filtered =") {
            header.filtered = Some(count);
        } else if let Some(count) = number_after(text, b"entries after filters =") {
            header.entries = Some(count);
        } else {
            let known: [&[u8]; 6] = [
                b"Filters",
                b"Filter Counters",
                b"Entry ",
                b"Entries not found",
                b"No filters",
                b"Execution time",
            ];
            return known.iter().any(|start| text.starts_with(start)) || text.contains(&b'=') || text.ends_with(b":");
        }
        true
    }

    fn row(&mut self, row: &Row, line: &[u8]) {
        if row.delta_us == -2 {
            self.log.stack_watch += 1;
            return;
        }
        if row.delta_us < 0 {
            self.log.skipped.note("negative delta", line);
            return;
        }
        self.log.rows += 1;
        let start_ns = i64::try_from(row.entry_us.saturating_mul(1000)).unwrap_or(i64::MAX);
        let duration_ns = (row.delta_us > 0).then(|| (row.delta_us as u64).saturating_mul(1000));
        self.log.exit_not_seen += u64::from(duration_ns.is_none());
        // Pid -1 marks what ran in an interrupt: it belongs on the interrupted task's stack.
        let interrupted = self.running.filter(|_| row.pid == -1);
        let task = match interrupted {
            Some((_, task)) => Some(task),
            None => self
                .log
                .calls
                .task(row.pid.to_string().as_bytes(), || format!("pid {}", row.pid)),
        };
        let Some(task) = task else {
            self.log.skipped.note("too many tasks", line);
            return;
        };
        if interrupted.is_none() {
            self.run(row.pid, task, start_ns);
        }
        let calls = &mut self.log.calls;
        let name = calls.names.intern(row.function);
        let caller = row.caller.map(|caller| calls.names.intern(caller));
        calls.complete(task, name, caller, start_ns, duration_ns);
    }

    /// The log is of one processor: rows of another task mean that the task before was switched out.
    fn run(&mut self, pid: i64, task: TaskId, now_ns: i64) {
        if self.running.is_some_and(|(running, _)| running == pid) {
            return;
        }
        if let Some((_, before)) = self.running.replace((pid, task)) {
            self.away.insert(before, now_ns);
        }
        let Some(since_ns) = self.away.remove(&task) else {
            return;
        };
        // It was back at the latest when the call in which it was switched out ended, even if that gave no row.
        let back_ns = match self.log.calls.top(task) {
            Some((_, Some(end_ns))) => end_ns.min(now_ns),
            _ => now_ns,
        };
        self.log
            .calls
            .switched_out(task, u64::try_from(back_ns.saturating_sub(since_ns)).unwrap_or(0));
    }
}

/// Reads a log. A task's calls nest by time, and by the caller column where times leave it open.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R, spans: Option<SpanLimits>) -> io::Result<Log> {
    let log = Log {
        calls: Calls::new(spans),
        ..Log::default()
    };
    let mut state = Reader {
        log,
        running: None,
        away: std::collections::HashMap::new(),
        in_rows: false,
    };
    let read = lines::for_each_line(reader, |line| state.line(line))?;
    for (task, since_ns) in std::mem::take(&mut state.away) {
        // Never seen again, but its call ended: the rest of that call was others' time.
        if let Some((_, Some(end_ns))) = state.log.calls.top(task) {
            state
                .log
                .calls
                .switched_out(task, u64::try_from(end_ns.saturating_sub(since_ns)).unwrap_or(0));
        }
    }
    let mut log = state.log;
    log.calls.finish();
    log.skipped.add("line cut (too long)", read.cut_lines);
    log.read = read;
    Ok(log)
}

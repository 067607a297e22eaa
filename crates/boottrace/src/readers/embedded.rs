// SPDX-License-Identifier: MIT
//! Output of other tools inside a console log: what somebody had printed on the console, or pasted behind a dmesg.
//!
//! The lines are taken out of the log before boots are looked for, so that a trace of 10,000 lines is no user space.

use std::collections::HashSet;
use std::io::{self, Cursor};

use super::calls::graph_line::Body;
use super::calls::{event_line, graph_line, kd, kfi, perf_script};
use super::console::reader::Lines;
use super::formats::Format;
use super::userspace::{systemd_analyze, systemd_plot_json};
use crate::input::stream::{SeekableRead, Stream};
use crate::log::line::{Line, LineKind};

/// Blocks beyond this stay in the log.
const MAX_BLOCKS: usize = 1000;
/// Rows without a heading before it is believed that they are one block.
const MIN_ROWS: u32 = 3;
/// Blank lines and comments between two rows.
const MAX_BETWEEN: usize = 3;
/// Lines of one JSON list.
const MAX_JSON_LINES: usize = 200_000;
/// Lines searched for the ends of all lists together: many that are open at once must not take for ever.
const JSON_BUDGET: usize = 2_000_000;

/// A run of lines in one format.
#[derive(Debug)]
pub struct Block {
    /// First physical line.
    pub from_line: u32,
    /// Last physical line.
    pub to_line: u32,
    /// Its format.
    pub format: Format,
    /// Its text, without the prefixes of the log around it.
    pub text: Vec<u8>,
    /// Physical line of each of its lines.
    pub numbers: Vec<u32>,
    /// Whose units they are, where it is not the system.
    pub about: &'static str,
}

/// What is said of units that a user's manager started.
pub const USERS_UNITS: &str =
    "units of a user's session (systemd-analyze --user): the system's boot does not wait for them";

/// Was it asked of a user's manager? Then no boot waits for its units.
fn whose(before: &[Line]) -> &'static str {
    if before.iter().rev().take(MAX_BETWEEN).any(asks_a_users_manager) {
        USERS_UNITS
    } else {
        ""
    }
}

fn asks_a_users_manager(line: &Line) -> bool {
    line.text.contains("systemd-analyze ") && line.text.contains(" --user")
}

impl Stream for Cursor<Vec<u8>> {
    fn seekable(self: Box<Self>) -> io::Result<Box<dyn SeekableRead>> {
        Ok(self)
    }
}

impl Block {
    /// The text as a stream.
    pub fn stream(&self) -> Box<dyn Stream> {
        Box::new(Cursor::new(self.text.clone()))
    }
}

/// What one line is in a format's block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Nothing else looks so: one is enough.
    Heading,
    /// A row of values.
    Row,
    /// Belongs to a block when rows follow.
    Between,
}

/// Says what a line is; true when a heading came before it.
type RoleOf = fn(&str, bool) -> Option<Role>;

/// Formats that are told apart line by line, with what a line is in them.
const TABLES: [(Format, RoleOf); 6] = [
    (Format::SystemdAnalyze, systemd),
    (Format::FunctionGraph, graph),
    (Format::FtraceEvents, events),
    (Format::Kfi, kfi_log),
    (Format::KdReport, kd_report),
    (Format::PerfScript, perf),
];

/// Takes the blocks out of `lines`, in file order.
pub fn take_out(lines: &mut Lines) -> Vec<Block> {
    let all = &lines.lines;
    let mut ranges: Vec<(usize, usize, Format)> = Vec::new();
    let (mut at, mut budget) = (0, JSON_BUDGET);
    while at < all.len() && ranges.len() < MAX_BLOCKS {
        let dump = dumped_at(all, at, &mut budget);
        match dump.or_else(|| block_at(all, at, &mut budget).map(|(end, format)| (at, end, format))) {
            Some(range) => {
                ranges.push(range);
                at = range.1;
            }
            None => at += 1,
        }
    }
    if ranges.is_empty() {
        return Vec::new();
    }
    let blocks = ranges.iter().map(|&(from, end, format)| Block {
        from_line: all[from].number,
        to_line: all[end - 1].number,
        format,
        text: text_of(&all[from..end]),
        about: whose(&all[..from]),
        numbers: if format == Format::SystemdAnalyze {
            all[from..end].iter().map(|line| line.number).collect()
        } else {
            Vec::new()
        },
    });
    let blocks = blocks.collect();
    let mut index = 0;
    lines.lines.retain(|_| {
        let here = index;
        index += 1;
        let next = ranges.partition_point(|(_, end, _)| *end <= here);
        ranges.get(next).is_none_or(|(from, ..)| here < *from)
    });
    blocks
}

fn text_of(lines: &[Line]) -> Vec<u8> {
    let mut text = Vec::new();
    for line in lines {
        text.extend_from_slice(line.text.as_bytes());
        text.push(b'\n');
    }
    text
}

/// The block that begins with the line at `from`: index behind its last line, format.
fn block_at(lines: &[Line], from: usize, budget: &mut usize) -> Option<(usize, Format)> {
    let first = usable(&lines[from])?;
    if let Some(end) = json_end(lines, from, first, budget) {
        return Some((end, Format::SystemdPlotJson));
    }
    for (format, role) in TABLES {
        if matches!(role(first, false), Some(Role::Heading | Role::Row)) {
            if let Some(end) = table_end(&lines[from..], role, format) {
                return Some((from + end, format));
            }
        }
    }
    None
}

/// What `ftrace_dump()` wrote into the kernel's log behind the line at `from`, between two rules: first row, the rule
/// behind the last one, format.
fn dumped_at(lines: &[Line], from: usize, budget: &mut usize) -> Option<(usize, usize, Format)> {
    let head = &lines[from];
    let text = head.text.trim_ascii();
    let named = text.starts_with("Dumping ftrace ") && text.ends_with("buffer:");
    if !named || head.kind != LineKind::Kernel {
        return None;
    }
    let rule = |line: &Line| {
        let text = line.text.trim_ascii();
        text.len() >= 20 && text.bytes().all(|b| b == b'-')
    };
    let first = from + 1 + lines[from + 1..].iter().take(MAX_BETWEEN).position(rule)? + 1;
    let rest = &lines[first..lines.len().min(first + *budget)];
    // A log that was cut has no second rule: the dump is the last thing a panic prints.
    let length = rest.iter().position(rule).unwrap_or(rest.len());
    *budget -= length;
    let mut rows = [(Format::FtraceEvents, 0), (Format::FunctionGraph, 0)];
    for line in rest[..length].iter().take(200) {
        let found = [events(&line.text, false), graph(&line.text, false)];
        for ((_, count), role) in rows.iter_mut().zip(found) {
            *count += u32::from(role == Some(Role::Row));
        }
    }
    let (format, count) = rows.into_iter().max_by_key(|(_, count)| *count)?;
    (count > 0).then_some((first, first + length, format))
}

/// The text of a line that may belong to another tool's output: the kernel's own messages never do.
fn usable(line: &Line) -> Option<&str> {
    let plain = matches!(line.kind, LineKind::Outside | LineKind::Harness) && line.process.is_none();
    plain.then_some(line.text.as_str())
}

/// How many lines the block has, when it is one.
fn table_end(lines: &[Line], role: RoleOf, format: Format) -> Option<usize> {
    let (mut end, mut rows, mut headed) = (0, 0_u32, false);
    let mut accounts = 0_u32;
    let mut units = HashSet::new();
    for (at, line) in lines.iter().enumerate() {
        let account = format == Format::SystemdAnalyze && usable(line).is_some_and(systemd_analyze::begins_account);
        accounts += u32::from(account);
        // A list names each unit once: another begins here.
        let again = format == Format::SystemdAnalyze
            && usable(line).is_some_and(|text| {
                let named = systemd_analyze::units_blamed(text);
                let again = named.into_iter().filter(|unit| !units.insert(unit.clone()));
                again.count() > 0
            });
        // What is printed behind a command that asks a user's manager is not the system's.
        if accounts > 1 || (again && at > 0) || asks_a_users_manager(line) {
            break;
        }
        let found = match usable(line) {
            Some(text) => role(text, headed),
            None if line.kind == LineKind::Blank => Some(Role::Between),
            None => None,
        };
        match found {
            Some(Role::Heading) => headed = true,
            Some(Role::Row) => rows += 1,
            Some(Role::Between) if at - end < MAX_BETWEEN => continue,
            _ => break,
        }
        end = at + 1;
    }
    (headed || rows >= MIN_ROWS).then_some(end)
}

fn systemd(text: &str, _headed: bool) -> Option<Role> {
    if systemd_analyze::is_heading(text) {
        return Some(Role::Heading);
    }
    if systemd_analyze::is_row(text) {
        return Some(Role::Row);
    }
    // A row of a tree that cannot be read parts no chain.
    let branch = || text.contains('@') && (text.contains("\u{2514}\u{2500}") || text.contains("&#9492;"));
    // The command as it was typed, between two of its outputs.
    (text.contains("systemd-analyze ") || branch()).then_some(Role::Between)
}

fn graph(text: &str, headed: bool) -> Option<Role> {
    let bytes = text.trim_end().as_bytes();
    if bytes.starts_with(b"# tracer: function_graph") {
        return Some(Role::Heading);
    }
    if bytes.starts_with(b"#") {
        return headed.then_some(Role::Row);
    }
    if bytes.starts_with(b"-----") {
        return Some(Role::Between);
    }
    // Most lines of a console have no bar.
    memchr::memchr2(b'|', b'=', bytes)?;
    let line = graph_line::parse(bytes);
    let columns = line.cpu.is_some() || line.at_ns.is_some() || line.duration_ns.is_some();
    match line.body {
        Body::Enter(_) | Body::Leaf(_) | Body::Exit(_) | Body::Comment(_) | Body::Interrupt(_)
            if columns && bytes.contains(&b'|') =>
        {
            Some(Role::Row)
        }
        Body::Switch(..) => Some(Role::Between),
        _ => None,
    }
}

fn events(text: &str, headed: bool) -> Option<Role> {
    let bytes = text.trim_end().as_bytes();
    if bytes.starts_with(b"# tracer: ") && !bytes.starts_with(b"# tracer: function_graph") {
        return Some(Role::Heading);
    }
    if bytes.starts_with(b"#") {
        return headed.then_some(Role::Row);
    }
    if bytes.starts_with(b"CPU:") && bytes.ends_with(b"EVENTS]") {
        return Some(Role::Between);
    }
    event_line::parse(bytes).map(|_| Role::Row)
}

fn perf(text: &str, headed: bool) -> Option<Role> {
    let bytes = text.trim_end().as_bytes();
    if perf_script::is_head(bytes) {
        return Some(Role::Heading);
    }
    (headed && perf_script::is_frame(bytes)).then_some(Role::Row)
}

fn kfi_log(text: &str, headed: bool) -> Option<Role> {
    let bytes = text.as_bytes();
    if kfi::is_heading(bytes) {
        return Some(Role::Heading);
    }
    (headed && (kfi::is_header(bytes) || kfi::is_row(bytes))).then_some(Role::Row)
}

fn kd_report(text: &str, headed: bool) -> Option<Role> {
    let bytes = text.as_bytes();
    if kd::is_heading(bytes) {
        return Some(Role::Heading);
    }
    (headed && (kd::is_rule(bytes) || kd::is_row(bytes))).then_some(Role::Row)
}

/// The end of a list in JSON, on one line or on many, as `systemd-analyze plot --json` writes it.
fn json_end(lines: &[Line], from: usize, first: &str, budget: &mut usize) -> Option<usize> {
    let first = first.trim();
    if !(first == "[" || first.starts_with("[{") || first.starts_with("[ {")) {
        return None;
    }
    let rest = &lines[from..lines.len().min(from + (*budget).min(MAX_JSON_LINES))];
    let closes = |line: &Line| usable(line).is_some_and(|text| text.trim_end().ends_with(']'));
    // A list of other things is not read to its end.
    let units = rest
        .iter()
        .take(12)
        .any(|line| usable(line).is_some_and(|text| text.contains("\"activating\"")));
    if !units {
        return None;
    }
    let found = rest.iter().position(closes);
    *budget -= found.unwrap_or(rest.len());
    let end = from + found? + 1;
    let text = text_of(&lines[from..end]);
    systemd_plot_json::detect(&text)?;
    Some(end)
}

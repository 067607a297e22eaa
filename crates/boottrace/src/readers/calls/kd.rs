// SPDX-License-Identifier: MIT
//! Reports of `kd`, the KFT log analyser: function tables of any column set, and call traces (`kd -c`).
//!
//! Format: eLinux.org, "Kernel Function Trace", "kd". Column letters: F function, c count, a average, t time, l local,
//! m max-sub, n max-sub count. Times are microseconds.

use std::io::{self, Read};

use serde::Serialize;

use crate::readers::skipped::Skipped;
use crate::text::lines;
use crate::text::number::integer;

/// Rows kept; further ones are counted as skipped.
pub const MAX_ROWS: usize = 1_000_000;

/// A row of a table; columns the report does not have are `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// Function name.
    pub function: String,
    /// Calls.
    pub count: Option<u64>,
    /// Total time, microseconds.
    pub time_us: Option<i64>,
    /// Mean time, microseconds.
    pub average_us: Option<i64>,
    /// Self time, microseconds.
    pub local_us: Option<i64>,
    /// The callee that took most time.
    pub max_sub: Option<String>,
    /// How often it was called.
    pub max_sub_count: Option<u64>,
}

/// A line of a call trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TraceRow {
    /// Entry, microseconds on the log's clock.
    pub entry_us: i64,
    /// Total time, microseconds.
    pub duration_us: i64,
    /// Self time, microseconds, when the report has it.
    pub local_us: Option<i64>,
    /// Task; -1 inside an interrupt.
    pub pid: i64,
    /// Nesting depth, from the bars.
    pub depth: u32,
    /// In an interrupt (bars of `!`).
    pub interrupt: bool,
    /// Function name.
    pub function: String,
}

/// A report: one of the two forms, or both one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Report {
    /// Columns of the table, as printed.
    pub columns: Vec<String>,
    /// Rows of the table.
    pub rows: Vec<Row>,
    /// Lines of the call trace.
    pub trace: Vec<TraceRow>,
    /// Lines that were not understood.
    pub skipped: Skipped,
}

/// What the head of a file says about being a report: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let mut before: &[u8] = b"";
    for line in head.split(|&b| b == b'\n').take(100) {
        if dashes(line).is_some() && (table_columns(before).is_some() || trace_columns(before).is_some()) {
            return Some(0.95);
        }
        before = line;
    }
    None
}

/// True for the names of a table's or a trace's columns.
pub fn is_heading(line: &[u8]) -> bool {
    table_columns(line).is_some() || trace_columns(line).is_some()
}

/// True for the line of dashes under the names.
pub fn is_rule(line: &[u8]) -> bool {
    dashes(line).is_some()
}

/// True for what may be a row: a name and numbers, or numbers and a name.
pub fn is_row(line: &[u8]) -> bool {
    let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).collect();
    let numbers = words.iter().filter(|w| integer(w).is_some()).count();
    (3..=8).contains(&words.len()) && numbers >= 2 && numbers + 3 >= words.len()
}

const NAMES: [&str; 7] = ["Function", "Count", "Time", "Average", "Local", "Max-sub", "Ms count"];

/// The columns a heading names, in order.
fn table_columns(heading: &[u8]) -> Option<Vec<&'static str>> {
    let mut text = heading.trim_ascii();
    let mut found = Vec::new();
    while !text.is_empty() {
        let name = NAMES.iter().rev().find(|name| text.starts_with(name.as_bytes()))?;
        found.push(*name);
        text = text[name.len()..].trim_ascii_start();
    }
    (found.len() >= 2 && found.contains(&"Function")).then_some(found)
}

fn trace_columns(heading: &[u8]) -> Option<Vec<String>> {
    let words: Vec<String> = String::from_utf8_lossy(heading)
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let known = words.iter().all(|w| {
        matches!(
            w.as_str(),
            "Entry" | "Duration" | "Delta" | "Local" | "Pid" | "PID" | "Trace"
        )
    });
    (known && words.len() >= 3 && words.last().is_some_and(|w| w == "Trace")).then_some(words)
}

/// Start and end of each run of dashes, when the line has nothing else.
fn dashes(line: &[u8]) -> Option<Vec<(usize, usize)>> {
    let mut runs = Vec::new();
    let mut at = 0;
    while at < line.len() {
        match line[at] {
            b' ' => at += 1,
            b'-' => {
                let start = at;
                while line.get(at) == Some(&b'-') {
                    at += 1;
                }
                runs.push((start, at));
            }
            _ => return None,
        }
    }
    (runs.len() >= 2).then_some(runs)
}

enum Part {
    Outside,
    Table(Vec<&'static str>),
    Trace(Vec<String>),
}

/// A table row: the texts are the columns in order; names have no spaces, so words are columns.
fn table_row(line: &[u8], columns: &[&str]) -> Option<Row> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split_whitespace();
    let mut row = Row::default();
    for column in columns {
        let word = match (words.next(), *column) {
            (Some(word), _) => word,
            // A function that called nothing has these two empty.
            (None, "Max-sub" | "Ms count") => break,
            (None, _) => return None,
        };
        let number = || integer(word.as_bytes());
        match *column {
            "Function" => word.clone_into(&mut row.function),
            "Count" => row.count = Some(u64::try_from(number()?).ok()?),
            "Time" => row.time_us = Some(number()?),
            "Average" => row.average_us = Some(number()?),
            "Local" => row.local_us = Some(number()?),
            "Max-sub" => row.max_sub = Some(word.to_owned()),
            _ => row.max_sub_count = Some(u64::try_from(number()?).ok()?),
        }
    }
    words.next().is_none().then_some(row)
}

fn trace_row(line: &[u8], columns: &[String]) -> Option<TraceRow> {
    let text = String::from_utf8_lossy(line);
    let mut rest = text.trim();
    let mut row = TraceRow::default();
    for column in &columns[..columns.len() - 1] {
        let (word, after) = rest.split_once(char::is_whitespace)?;
        rest = after.trim_start();
        let value = integer(word.as_bytes())?;
        match column.as_str() {
            "Entry" => row.entry_us = value,
            "Duration" | "Delta" => row.duration_us = value,
            "Local" => row.local_us = Some(value),
            _ => row.pid = value,
        }
    }
    while let Some(after) = rest.strip_prefix(['|', '!']) {
        row.interrupt |= rest.starts_with('!');
        row.depth += 1;
        rest = after.trim_start();
    }
    if rest.is_empty() || rest.contains(char::is_whitespace) {
        return None;
    }
    rest.clone_into(&mut row.function);
    Some(row)
}

/// Reads a report.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R) -> io::Result<Report> {
    let mut report = Report::default();
    let mut part = Part::Outside;
    let mut before = Vec::new();
    let read = lines::for_each_line(reader, |line| {
        let text = line.trim_ascii();
        if dashes(line).is_some() {
            if let Some(columns) = table_columns(&before) {
                report.columns = columns.iter().map(|&name| name.to_owned()).collect();
                part = Part::Table(columns);
            } else if let Some(columns) = trace_columns(&before) {
                part = Part::Trace(columns);
            }
        } else if text.is_empty() || text.iter().all(|&b| b == b'.') || text.starts_with(b"-----") {
            // Blank, elided, or an interrupt's border.
        } else if table_columns(line).is_some() || trace_columns(line).is_some() {
            line.clone_into(&mut before);
        } else if report.rows.len() + report.trace.len() >= MAX_ROWS {
            report.skipped.note("more rows than are kept", line);
        } else {
            let known = match &part {
                Part::Outside => text.starts_with(b"$"),
                Part::Table(columns) => table_row(line, columns).map(|row| report.rows.push(row)).is_some(),
                Part::Trace(columns) => trace_row(line, columns).map(|row| report.trace.push(row)).is_some(),
            };
            if !known {
                report.skipped.note("no row of the report", line);
            }
        }
    })?;
    report.skipped.add("line cut (too long)", read.cut_lines);
    Ok(report)
}

// SPDX-License-Identifier: MIT
//! ftrace's event and function tracer text, and the output of `trace-cmd report`.

use std::io::{self, Read};

use super::event_line;
use super::events::Events;
use super::log_behind::LogBehind;
use super::stacks::SpanLimits;
use crate::text::lines;
use crate::text::lines::ReadCounts;
use crate::text::number::digits;

/// What a trace gave.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// What the events told.
    pub events: Events,
    /// Size of the input.
    pub read: ReadCounts,
    /// Lines of the header, and blank ones.
    pub header_lines: u64,
    /// A console log behind the trace.
    pub log: LogBehind,
}

/// What the head of a file says about being such text: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let tracer = memchr::memmem::find(head, b"# tracer: ").map(|at| &head[at + 10..]);
    if tracer.is_some_and(|name| name.starts_with(b"function_graph")) {
        return None;
    }
    let (mut known, mut others) = (0_u32, 0_u32);
    for line in head.split(|&b| b == b'\n').take(200) {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"cpus=") {
            continue;
        }
        if event_line::parse(line).is_some() {
            known += 1;
        } else {
            others += 1;
        }
    }
    match (tracer, known) {
        (_, 0) => None,
        (Some(_), _) => Some(1.0),
        _ if known > others * 2 => Some(0.85),
        _ => None,
    }
}

/// Takes one line.
fn line(trace: &mut Trace, line: &[u8]) {
    let text = line.trim_ascii();
    if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"cpus=") {
        trace.header_lines += 1;
        return;
    }
    let events = &mut trace.events;
    let Some((context, rest)) = event_line::parse(line) else {
        if text.starts_with(b"CPU:") {
            let count = memchr::memmem::find(text, b"[LOST ").map_or(1, |at| digits(&text[at + 6..]).0.max(1));
            let lost = &mut events.calls.mismatches.lost_events;
            *lost = lost.saturating_add(count);
        } else if !trace.log.take(line) {
            events.skipped.note("no task, processor and stamp", line);
        }
        return;
    };
    if let Some(arrow) = memchr::memmem::find(rest, b" <-") {
        let function = rest[..arrow].trim_ascii();
        // The function tracer's `function <-caller`; trace-cmd prints `function:` in front.
        let function = function.strip_prefix(b"function:").map_or(function, <[u8]>::trim_ascii);
        if !function.contains(&b' ') && !function.contains(&b':') {
            events.count(&context, b"function");
            events.function(function, rest[arrow + 3..].trim_ascii());
            return;
        }
    }
    let Some(colon) = memchr::memchr(b':', rest) else {
        events.skipped.note("no event name", line);
        return;
    };
    // trace-cmd prints the system in front when asked to: `sched:sched_switch:`.
    let mut name = &rest[..colon];
    let mut payload = &rest[colon + 1..];
    if let Some(second) = memchr::memchr(b':', payload).filter(|&at| at > 0 && !payload[..at].contains(&b' ')) {
        if payload.get(second + 1).is_none_or(|&b| b == b' ') {
            name = &payload[..second];
            payload = &payload[second + 1..];
        }
    }
    events.text_event(&context, name, payload.trim_ascii());
}

/// Reads a whole trace; memory grows with initcalls, messages and distinct names only.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R, spans: Option<SpanLimits>) -> io::Result<Trace> {
    let mut trace = Trace {
        events: Events::new(spans),
        ..Trace::default()
    };
    let read = lines::for_each_line(reader, |text| line(&mut trace, text))?;
    trace.read = read;
    trace.events.skipped.add("line cut (too long)", read.cut_lines);
    trace.events.finish();
    Ok(trace)
}

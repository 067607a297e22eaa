// SPDX-License-Identifier: MIT
//! Chrome trace-event JSON (`chrome://tracing`, older viewers; Perfetto reads it too).
//!
//! Format: "Trace Event Format", sections Duration, Complete, Async, Instant, Counter and Metadata events. Complete (`X`)
//! events of one thread must nest, so what overlaps is written as asynchronous `b`/`e` pairs.

use std::io::{self, Write};

use super::lanes;
use super::lanes::Edge;
use crate::text::printable as text;
use crate::timeline::tracks::{Span, Timeline, Track};

struct Writer<W: Write> {
    out: W,
    first: bool,
    next_id: u64,
}

impl<W: Write> Writer<W> {
    fn event(&mut self, body: &str) -> io::Result<()> {
        self.out.write_all(if self.first { b"\n{" } else { b",\n{" })?;
        self.first = false;
        self.out.write_all(body.as_bytes())?;
        self.out.write_all(b"}")
    }

    fn async_pair(&mut self, span: &Span, pid: usize, tid: usize) -> io::Result<()> {
        let id = self.next_id;
        self.next_id += 1;
        let name = text::json(&span.name);
        // Asynchronous events are matched by category and id; an empty category would match nothing.
        let category = text::json(if span.category.is_empty() {
            "span"
        } else {
            &span.category
        });
        self.event(&format!(
            r#""ph":"b","id":{id},"pid":{pid},"tid":{tid},"ts":{},"name":{name},"cat":{category},"args":{}"#,
            text::microseconds(span.start_ns),
            args(&span.args)
        ))?;
        let Some(end_ns) = span.end_ns else { return Ok(()) };
        self.event(&format!(
            r#""ph":"e","id":{id},"pid":{pid},"tid":{tid},"ts":{},"name":{name},"cat":{category}"#,
            text::microseconds(end_ns.max(span.start_ns))
        ))
    }

    fn nested(&mut self, span: &Span, pid: usize, tid: usize) -> io::Result<()> {
        let head = format!(
            r#""pid":{pid},"tid":{tid},"ts":{},"name":{},"cat":{},"args":{}"#,
            text::microseconds(span.start_ns),
            text::json(&span.name),
            text::json(&span.category),
            args(&span.args)
        );
        match span.duration_ns() {
            Some(ns) => {
                let duration = text::microseconds(i64::try_from(ns).unwrap_or(i64::MAX));
                self.event(&format!(r#""ph":"X","dur":{duration},{head}"#))
            }
            None => self.event(&format!(r#""ph":"B",{head}"#)),
        }
    }
}

fn args(args: &[(String, String)]) -> String {
    let fields: Vec<String> = args
        .iter()
        .map(|(k, v)| format!("{}:{}", text::json(k), text::json(v)))
        .collect();
    format!("{{{}}}", fields.join(","))
}

fn number(value: f64) -> String {
    // JSON has no infinity; a hostile counter must not break the file.
    if value.is_finite() {
        format!("{value}")
    } else {
        "null".to_owned()
    }
}

/// Writes a timeline as trace-event JSON; times are microseconds with nanosecond decimals.
///
/// # Errors
/// Those of `out`.
pub fn write<W: Write>(timeline: &Timeline, out: W) -> io::Result<()> {
    write_all(std::slice::from_ref(timeline), out)
}

/// Writes timelines of different clocks into one file, each as a process of its own.
///
/// # Errors
/// Those of `out`.
pub fn write_all<W: Write>(timelines: &[Timeline], mut out: W) -> io::Result<()> {
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"bootlab-chrome-trace\",\"version\":\"1\"")?;
    for (index, timeline) in timelines.iter().enumerate() {
        let number = if index == 0 {
            String::new()
        } else {
            format!(" {}", index + 1)
        };
        let key = |name: &str| text::json(&format!("{name}{number}"));
        write!(
            out,
            ",{}:{},{}:{}",
            key("title"),
            text::json(&timeline.title),
            key("clock"),
            text::json(&timeline.clock)
        )?;
        for (name, value) in &timeline.args {
            write!(out, ",{}:{}", key(&format!("arg {name}")), text::json(value))?;
        }
    }
    out.write_all(b"},\"traceEvents\":[")?;
    let mut writer = Writer {
        out,
        first: true,
        next_id: 1,
    };
    for (index, timeline) in timelines.iter().enumerate() {
        writer.process(timeline, index + 1)?;
    }
    writer.out.write_all(b"\n]}\n")?;
    writer.out.flush()
}

impl<W: Write> Writer<W> {
    fn process(&mut self, timeline: &Timeline, pid: usize) -> io::Result<()> {
        let process = text::json(&format!("{} ({})", timeline.title, timeline.clock));
        self.event(&format!(
            r#""ph":"M","pid":{pid},"tid":0,"name":"process_name","args":{{"name":{process}}}"#
        ))?;
        for (index, track) in timeline.tracks.iter().enumerate() {
            self.track(track, pid, index + 1)?;
        }
        Ok(())
    }

    fn track(&mut self, track: &Track, pid: usize, tid: usize) -> io::Result<()> {
        let name = text::json(&track.name);
        self.event(&format!(
            r#""ph":"M","pid":{pid},"tid":{tid},"name":"thread_name","args":{{"name":{name}}}"#
        ))?;
        self.event(&format!(
            r#""ph":"M","pid":{pid},"tid":{tid},"name":"thread_sort_index","args":{{"sort_index":{tid}}}"#
        ))?;
        let lanes = lanes::assign(&track.spans);
        for (number, lane) in lanes.lanes.iter().enumerate() {
            for edge in lane {
                match *edge {
                    Edge::Begin(i) if number == 0 => self.nested(&track.spans[i], pid, tid)?,
                    Edge::Begin(i) => self.async_pair(&track.spans[i], pid, tid)?,
                    Edge::End(_) => {}
                }
            }
        }
        for &i in &lanes.overflow {
            self.async_pair(&track.spans[i], pid, tid)?;
        }
        for instant in &track.instants {
            self.event(&format!(
                r#""ph":"i","s":"t","pid":{pid},"tid":{tid},"ts":{},"name":{},"cat":{},"args":{}"#,
                text::microseconds(instant.at_ns),
                text::json(&instant.name),
                text::json(&instant.category),
                args(&instant.args)
            ))?;
        }
        for counter in &track.counters {
            let name = text::json(&format!("{}: {}", track.name, counter.name));
            let unit = text::json(if counter.unit.is_empty() {
                "value"
            } else {
                &counter.unit
            });
            for &(at_ns, value) in &counter.points {
                let (ts, value) = (text::microseconds(at_ns), number(value));
                self.event(&format!(
                    r#""ph":"C","pid":{pid},"tid":{tid},"ts":{ts},"name":{name},"args":{{{unit}:{value}}}"#
                ))?;
            }
        }
        Ok(())
    }
}

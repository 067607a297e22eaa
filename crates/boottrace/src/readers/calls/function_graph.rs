// SPDX-License-Identifier: MIT
//! The text of ftrace's function_graph tracer (`trace`, `trace_pipe`), streamed into [`Calls`].
//!
//! Format: Documentation/trace/ftrace.rst, "function graph tracer". All `funcgraph-*` option sets are read.

use std::io::{self, Read};

use super::graph_batches::Row;
use super::graph_call::{Call, Kind};
use super::graph_layout::Layout;
use super::graph_line;
use super::graph_line::Body;
use super::graph_threads;
use super::log_behind::LogBehind;
use super::stacks::{Calls, SpanLimits, TaskId, NO_DEPTH};
use crate::readers::skipped::Skipped;
use crate::text::lines::ReadCounts;
use crate::text::number::digits;

const MAX_CPUS: usize = 8192;

/// What the head of a file says about being function_graph text: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    if memchr::memmem::find(head, b"# tracer: function_graph").is_some() {
        return Some(1.0);
    }
    let (mut calls, mut others) = (0_u32, 0_u32);
    for line in head.split(|&b| b == b'\n').take(200) {
        let text = line.trim_ascii();
        if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"-----") {
            continue;
        }
        let read = graph_line::parse(line);
        let columns = read.cpu.is_some() || read.at_ns.is_some() || read.duration_ns.is_some();
        match read.body {
            Body::Enter(_) | Body::Leaf(_) | Body::Exit(_) if columns && line.contains(&b'|') => calls += 1,
            Body::Comment(_) | Body::Interrupt(_) | Body::Switch(..) => {}
            _ => others += 1,
        }
    }
    if calls >= 2 && calls > others * 2 {
        Some(0.9)
    } else {
        None
    }
}

/// What a trace gave.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Calls, finished.
    pub calls: Calls,
    /// Lines that were not understood.
    pub skipped: Skipped,
    /// Size of the input.
    pub read: ReadCounts,
    /// Lines of `/* ... */`: events and trace_printk() inside the graph.
    pub comments: u64,
    /// Context switches shown by the tracer.
    pub switches: u64,
    /// A console log behind the trace.
    pub log: LogBehind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Indent {
    Unknown,
    Trusted,
    Mangled,
}

#[derive(Default, Clone)]
struct Cpu {
    proc: Vec<u8>,
    task: Option<TaskId>,
    /// Indentation of an entry that was the line before on this processor.
    entered_at: Option<u32>,
    /// The task was named by the tracer, not made up from the processor's number.
    named: bool,
}

/// A streaming reader: feed it lines, then [`Reader::finish`].
pub struct Reader {
    trace: Trace,
    cpus: Vec<Cpu>,
    indent: Indent,
    layout: Layout,
    /// Processor and task of the last call, or why it was not taken.
    before: Result<(usize, TaskId), &'static str>,
}

impl Reader {
    /// An empty reader; with `spans`, single calls are kept for a timeline too (needs `funcgraph-abstime`).
    pub fn new(spans: Option<SpanLimits>) -> Self {
        let trace = Trace {
            calls: Calls::new(spans),
            ..Trace::default()
        };
        Self {
            trace,
            cpus: Vec::new(),
            indent: Indent::Unknown,
            layout: Layout::default(),
            before: Err("no call, return or event"),
        }
    }

    fn cpu(&mut self, cpu: Option<u32>) -> Option<usize> {
        let index = cpu.map_or(0, |cpu| cpu as usize + 1);
        if index >= self.cpus.len() {
            if index > MAX_CPUS {
                return None;
            }
            self.cpus.resize_with(index + 1, Cpu::default);
        }
        Some(index)
    }

    /// The task's key: its pid; idle tasks all have pid 0, one on each processor.
    fn key(proc: &[u8], cpu: usize) -> Vec<u8> {
        let pid = proc
            .iter()
            .rposition(|&b| b == b'-')
            .map_or(proc, |dash| &proc[dash + 1..]);
        if pid == b"0" {
            format!("idle {cpu}").into_bytes()
        } else {
            pid.to_vec()
        }
    }

    #[cold]
    fn change_task(&mut self, index: usize, proc: &[u8], at_ns: Option<i64>) -> Option<TaskId> {
        let key = Self::key(proc, index);
        let task = self
            .trace
            .calls
            .task(&key, || String::from_utf8_lossy(proc).into_owned())?;
        self.trace.calls.run_on(index as u32, task, at_ns);
        let cpu = &mut self.cpus[index];
        cpu.proc = proc.to_vec();
        cpu.task = Some(task);
        cpu.named = true;
        Some(task)
    }

    #[inline]
    fn task(&mut self, index: usize, proc: Option<&[u8]>, at_ns: Option<i64>) -> Option<TaskId> {
        let cpu = &self.cpus[index];
        match (cpu.task, proc) {
            (Some(task), Some(proc)) if cpu.proc == proc => Some(task),
            (_, Some(proc)) => self.change_task(index, proc, at_ns),
            (Some(task), None) => Some(task),
            (None, None) => {
                let label = if index == 0 {
                    "trace".to_owned()
                } else {
                    format!("cpu {}", index - 1)
                };
                let task = self.trace.calls.task(label.as_bytes(), || label.clone())?;
                self.trace.calls.run_on(index as u32, task, at_ns);
                self.cpus[index].task = Some(task);
                Some(task)
            }
        }
    }

    /// Is the indentation that of the kernel, or did a mail or an editor flatten it? The first callee tells.
    #[inline]
    fn depth(&mut self, index: usize, indent: u32, kind: Kind) -> u32 {
        if self.indent == Indent::Unknown {
            let before = self.cpus[index].entered_at.take();
            if let Some(before) = before.filter(|_| kind != Kind::Exit) {
                self.indent = if indent > before {
                    Indent::Trusted
                } else {
                    Indent::Mangled
                };
            }
            self.cpus[index].entered_at = (kind == Kind::Enter).then_some(indent);
        }
        if self.indent == Indent::Trusted {
            indent / 2
        } else {
            NO_DEPTH
        }
    }

    /// Takes one line.
    pub fn line(&mut self, line: &[u8]) {
        let read = self.layout.parse(line);
        match Call::of(&read, &mut self.trace.calls.names) {
            Some(call) if self.layout.repeated() => self.take(&Row::Repeated(&call)),
            Some(call) => self.take(&Row::Call(&call, read.cpu, read.proc, line)),
            None => self.take(&Row::Other(line)),
        }
    }

    #[inline]
    fn take(&mut self, row: &Row<'_>) {
        match *row {
            Row::Repeated(call) => match self.before {
                Ok((index, task)) => self.call(call, index, task),
                Err(why) => self.trace.skipped.add(why, 1),
            },
            Row::Call(call, cpu, proc, line) => {
                self.before = self.place(cpu, proc, call.at_ns());
                match self.before {
                    Ok((index, task)) => self.call(call, index, task),
                    Err(why) => self.trace.skipped.note(why, line),
                }
            }
            Row::Other(line) => self.other(line),
        }
    }

    /// Processor and task, or why a line of theirs is not taken.
    fn place(
        &mut self,
        cpu: Option<u32>,
        proc: Option<&[u8]>,
        at_ns: Option<i64>,
    ) -> Result<(usize, TaskId), &'static str> {
        let index = self.cpu(cpu).ok_or("processor number out of range")?;
        let task = self.task(index, proc, at_ns).ok_or("too many tasks")?;
        Ok((index, task))
    }

    #[inline]
    fn call(&mut self, call: &Call, index: usize, task: TaskId) {
        let at_ns = call.at_ns();
        let depth = self.depth(index, call.indent, call.kind);
        let calls = &mut self.trace.calls;
        match call.kind {
            Kind::Enter => calls.enter(task, call.name, at_ns, depth),
            Kind::Leaf => calls.leaf(task, call.name, at_ns, call.duration_ns().unwrap_or(0), depth),
            Kind::Exit => calls.exit(task, at_ns, call.duration_ns(), depth),
        }
    }

    #[cold]
    fn other(&mut self, line: &[u8]) {
        let text = line.trim_ascii();
        let read = graph_line::parse(line);
        let Some(index) = self.cpu(read.cpu) else {
            self.trace.skipped.note("processor number out of range", line);
            return;
        };
        match read.body {
            Body::Comment(_) => self.trace.comments += 1,
            Body::Switch(from, to) => {
                self.trace.switches += 1;
                self.switch(index, from, to, read.at_ns);
            }
            Body::Interrupt(inside) => match self.task(index, read.proc, read.at_ns) {
                Some(task) => self.trace.calls.interrupt(task, inside),
                None => self.trace.skipped.note("too many tasks", line),
            },
            _ if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"-----") => {}
            _ if text.starts_with(b"CPU:") => self.lost(line, text),
            _ if self.trace.log.take(line) => {}
            _ => self.trace.skipped.note("no call, return or event", line),
        }
    }

    fn switch(&mut self, index: usize, from: &[u8], to: &[u8], at_ns: Option<i64>) {
        // The calls up to now were made by a task that had no name yet.
        if !self.cpus[index].named && self.cpus[index].task.is_some() {
            let task = self.cpus[index].task;
            let key = Self::key(from, index);
            if let Some(task) = task {
                self.trace.calls.rename(task, &key, &String::from_utf8_lossy(from));
            }
        }
        self.change_task(index, to, at_ns);
    }

    /// `CPU:3 [LOST 123 EVENTS]`
    fn lost(&mut self, line: &[u8], text: &[u8]) {
        let Some(lost) = memchr::memmem::find(text, b"[LOST ") else {
            // `CPU 3 buffer started` and the like.
            self.trace.skipped.note("processor message", line);
            return;
        };
        let (count, used) = digits(&text[lost + 6..]);
        let lost = &mut self.trace.calls.mismatches.lost_events;
        *lost = lost.saturating_add(if used == 0 { 1 } else { count });
    }

    /// Ends the trace.
    pub fn finish(mut self, read: ReadCounts) -> Trace {
        self.trace.calls.finish();
        self.trace.read = read;
        self.trace.skipped.add("line cut (too long)", read.cut_lines);
        self.trace
    }
}

/// Reads a whole trace, in memory that does not grow with it; lines are parsed on a second thread.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read + Send>(reader: R, spans: Option<SpanLimits>) -> io::Result<Trace> {
    let mut state = Reader::new(spans);
    let (read, names) = graph_threads::for_each_batch(reader, |batch| {
        batch.for_each(|row| state.take(&row));
    })?;
    state.trace.calls.names = names;
    Ok(state.finish(read))
}

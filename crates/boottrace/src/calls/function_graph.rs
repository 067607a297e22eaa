//! The text of ftrace's function_graph tracer (`trace`, `trace_pipe`), streamed into [`Calls`].
//!
//! Format: Documentation/trace/ftrace.rst, "function graph tracer". All `funcgraph-*` option sets are read.

use std::io::{self, Read};

use super::graph_batches::{self, Known};
use super::graph_line::{self, Body, SameColumns};
use super::lines::ReadCounts;
use super::number::digits;
use super::skipped::Skipped;
use super::stacks::{Calls, SpanLimits, TaskId, NO_DEPTH};

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
    same: SameColumns,
    /// Processor and task of the line before, when that was a call.
    before: Option<(usize, TaskId)>,
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
            same: SameColumns::default(),
            before: None,
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
    fn depth(&mut self, index: usize, indent: u32, entering: bool, exiting: bool) -> u32 {
        if self.indent == Indent::Unknown {
            let before = self.cpus[index].entered_at.take();
            if let Some(before) = before.filter(|_| !exiting) {
                self.indent = if indent > before {
                    Indent::Trusted
                } else {
                    Indent::Mangled
                };
            }
            self.cpus[index].entered_at = entering.then_some(indent);
        }
        if self.indent == Indent::Trusted {
            indent / 2
        } else {
            NO_DEPTH
        }
    }

    /// Takes one line.
    pub fn line(&mut self, line: &[u8]) {
        let mut same = std::mem::take(&mut self.same);
        let read = graph_line::parse_after(line, &mut same);
        let known = Known {
            name: None,
            repeated: same.repeated(),
        };
        self.same = same;
        self.take(&read, line, known);
    }

    #[inline]
    fn place(&mut self, read: &graph_line::GraphLine, line: &[u8], known: Known) -> Option<(usize, TaskId)> {
        if let Some(before) = self.before.take().filter(|_| known.repeated) {
            self.before = Some(before);
            return self.before;
        }
        let Some(index) = self.cpu(read.cpu) else {
            self.trace.skipped.note("processor number out of range", line);
            return None;
        };
        if matches!(read.body, Body::Unknown | Body::Comment(_) | Body::Switch(..)) {
            self.other(line, index, read);
            return None;
        }
        let Some(task) = self.task(index, read.proc, read.at_ns) else {
            self.trace.skipped.note("too many tasks", line);
            return None;
        };
        self.before = Some((index, task));
        self.before
    }

    #[inline]
    fn take(&mut self, read: &graph_line::GraphLine, line: &[u8], known: Known) {
        let call = matches!(read.body, Body::Enter(_) | Body::Leaf(_) | Body::Exit(_));
        let known = Known {
            repeated: known.repeated && call,
            ..known
        };
        let Some((index, task)) = self.place(read, line, known) else {
            return;
        };
        let calls = &mut self.trace.calls;
        match read.body {
            Body::Enter(name) => {
                let name = known.name.unwrap_or_else(|| calls.names.intern(name));
                let depth = self.depth(index, read.indent, true, false);
                self.trace.calls.enter(task, name, read.at_ns, depth);
            }
            Body::Leaf(name) => {
                let name = known.name.unwrap_or_else(|| calls.names.intern(name));
                let depth = self.depth(index, read.indent, false, false);
                self.trace
                    .calls
                    .leaf(task, name, read.at_ns, read.duration_ns.unwrap_or(0), depth);
            }
            Body::Exit(_) => {
                let depth = self.depth(index, read.indent, false, true);
                self.trace.calls.exit(task, read.at_ns, read.duration_ns, depth);
            }
            Body::Interrupt(inside) => calls.interrupt(task, inside),
            Body::Unknown | Body::Comment(_) | Body::Switch(..) => {}
        }
    }

    #[cold]
    fn other(&mut self, line: &[u8], index: usize, read: &graph_line::GraphLine) {
        let text = line.trim_ascii();
        match read.body {
            Body::Comment(_) => self.trace.comments += 1,
            Body::Switch(from, to) => {
                self.trace.switches += 1;
                self.switch(index, from, to, read.at_ns);
            }
            _ if text.is_empty() || text.starts_with(b"#") || text.starts_with(b"-----") => {}
            _ if text.starts_with(b"CPU:") => self.lost(line, text),
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

/// Reads a whole trace, in memory that does not grow with it; reading and splitting run on a second thread.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read + Send>(reader: R, spans: Option<SpanLimits>) -> io::Result<Trace> {
    let mut state = Reader::new(spans);
    let (read, names) = graph_batches::for_each_batch(reader, |batch| {
        batch.for_each(|read, line, known| state.take(read, line, known));
    })?;
    state.trace.calls.names = names;
    Ok(state.finish(read))
}

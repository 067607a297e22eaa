// SPDX-License-Identifier: MIT
//! What the events of a trace tell about a boot, whatever file they came from: the initcalls, the levels, who ran, the
//! interrupts, the marks. Text traces and `trace.dat` both end here.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;

use super::event_line::Context;
use super::stacks::{Calls, SpanLimits};
use super::tree::ROOT;
use crate::readers::skipped::Skipped;
use crate::timeline::tracks::{Instant, Span, Timeline, Track};

/// Initcalls and marks kept; further ones are counted.
pub const MAX_KEPT: usize = 200_000;
const MAX_TASKS: usize = 1 << 16;

/// One initcall. The trace events carry their own data, so these times are free of the shared variable that spoils
/// the "after N usecs" of the kernel log.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Initcall {
    /// Function, and its module in brackets.
    pub function: String,
    /// The level it ran in, when the trace says so.
    pub level: Option<String>,
    /// Task that ran it.
    pub pid: i64,
    /// Processor at the start.
    pub cpu: u32,
    /// Start, nanoseconds on the trace's clock.
    pub start_ns: i64,
    /// End; `None` when it never returned in the trace.
    pub end_ns: Option<i64>,
    /// What it returned.
    pub returned: Option<i64>,
}

/// Time a task ran, by `sched_switch`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TaskTime {
    /// Task name as last seen.
    pub comm: String,
    /// On a processor, nanoseconds.
    pub run_ns: u64,
    /// Times it was switched in.
    pub switches: u64,
}

/// Interrupt handlers (or soft interrupts) of one line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InterruptTime {
    /// Handler or vector, as printed.
    pub name: String,
    /// Runs.
    pub count: u64,
    /// All runs together, nanoseconds.
    pub total_ns: u64,
    /// The longest, nanoseconds.
    pub max_ns: u64,
}

/// A message in the trace: console output, `trace_printk()` or `trace_marker`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Mark {
    /// When, nanoseconds on the trace's clock.
    pub at_ns: i64,
    /// Task.
    pub pid: i64,
    /// Event it came by.
    pub event: String,
    /// Its text.
    pub text: String,
}

/// Everything together; see the module.
#[derive(Debug, Clone, Default)]
pub struct Events {
    /// In order of start.
    pub initcalls: Vec<Initcall>,
    /// Level and when it was entered.
    pub levels: Vec<(String, i64)>,
    /// By pid.
    pub tasks: BTreeMap<i64, TaskTime>,
    /// By `irq N` or `softirq NAME`.
    pub interrupts: BTreeMap<String, InterruptTime>,
    /// In order.
    pub marks: Vec<Mark>,
    /// All events by name.
    pub counts: BTreeMap<String, u64>,
    /// Calls, when the trace has function or function_graph entries.
    pub calls: Calls,
    /// Suspend and resume events were seen: this may be a suspend log and no boot.
    pub suspend_events: u64,
    /// Initcall ends without a start, and what the limits left out.
    pub skipped: Skipped,
    /// First and last stamp, nanoseconds.
    pub bounds_ns: Option<(i64, i64)>,
    open_initcalls: HashMap<i64, Vec<usize>>,
    on_cpu: HashMap<u32, (i64, i64)>,
    open_interrupts: HashMap<(u32, String), (String, i64)>,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

impl Events {
    /// Nothing yet; with `spans`, single calls are kept for the timeline too.
    pub fn new(spans: Option<SpanLimits>) -> Self {
        Self {
            calls: Calls::new(spans),
            ..Self::default()
        }
    }

    /// Counts an event, whatever it is.
    pub fn count(&mut self, context: &Context, name: &[u8]) {
        self.bounds_ns = Some(self.bounds_ns.map_or((context.at_ns, context.at_ns), |(low, high)| {
            (low.min(context.at_ns), high.max(context.at_ns))
        }));
        if let Some(count) = std::str::from_utf8(name)
            .ok()
            .and_then(|name| self.counts.get_mut(name))
        {
            *count += 1;
        } else if self.counts.len() < 10_000 {
            *self.counts.entry(text(name)).or_default() += 1;
        } else {
            self.skipped.note("more event names than are kept", name);
        }
    }

    /// `initcall_level`.
    pub fn level(&mut self, context: &Context, level: &[u8]) {
        if self.levels.len() < 1000 {
            self.levels.push((text(level), context.at_ns));
        }
    }

    /// `initcall_start`.
    pub fn initcall_start(&mut self, context: &Context, function: &[u8]) {
        if self.initcalls.len() >= MAX_KEPT {
            self.skipped.note("more initcalls than are kept", function);
            return;
        }
        self.open_initcalls
            .entry(context.pid)
            .or_default()
            .push(self.initcalls.len());
        self.initcalls.push(Initcall {
            function: text(function),
            level: self.levels.last().map(|(level, _)| level.clone()),
            pid: context.pid,
            cpu: context.cpu,
            start_ns: context.at_ns,
            end_ns: None,
            returned: None,
        });
    }

    /// `initcall_finish`: ends the latest open one of this name in this task.
    pub fn initcall_finish(&mut self, context: &Context, function: &[u8], returned: Option<i64>) {
        let name = text(function);
        let open = self.open_initcalls.entry(context.pid).or_default();
        // Initcalls of one task nest a few deep at most; a hostile trace must not make this a long search.
        let found = open
            .iter()
            .rev()
            .take(64)
            .position(|&i| self.initcalls[i].function == name);
        let Some(back) = found else {
            self.skipped.note("initcall end without a start", function);
            return;
        };
        let index = open.remove(open.len() - 1 - back);
        self.initcalls[index].end_ns = Some(context.at_ns);
        self.initcalls[index].returned = returned;
    }

    /// `sched_switch`.
    pub fn switch(&mut self, context: &Context, prev: (i64, &[u8]), next: (i64, &[u8])) {
        if let Some((pid, since_ns)) = self.on_cpu.insert(context.cpu, (next.0, context.at_ns)) {
            if pid == prev.0 {
                let ran_ns = u64::try_from(context.at_ns.saturating_sub(since_ns)).unwrap_or(0);
                let time = self.task_time(prev);
                time.run_ns = time.run_ns.saturating_add(ran_ns);
            }
        }
        self.task_time(next).switches += 1;
    }

    fn task_time(&mut self, (pid, comm): (i64, &[u8])) -> &mut TaskTime {
        // Tasks beyond the limit share one line.
        let pid = if self.tasks.len() < MAX_TASKS || self.tasks.contains_key(&pid) {
            pid
        } else {
            i64::MIN
        };
        let time = self.tasks.entry(pid).or_default();
        if !comm.is_empty() && time.comm.as_bytes() != comm {
            time.comm = text(comm);
        }
        time
    }

    /// Begin of a hard or soft interrupt.
    pub fn interrupt_entry(&mut self, context: &Context, line: &str, name: &[u8]) {
        if self.open_interrupts.len() < 10_000 {
            self.open_interrupts
                .insert((context.cpu, line.to_owned()), (text(name), context.at_ns));
        }
    }

    /// Its end.
    pub fn interrupt_exit(&mut self, context: &Context, line: &str) {
        let Some((name, since_ns)) = self.open_interrupts.remove(&(context.cpu, line.to_owned())) else {
            return;
        };
        if self.interrupts.len() >= 10_000 && !self.interrupts.contains_key(line) {
            return;
        }
        let took_ns = u64::try_from(context.at_ns.saturating_sub(since_ns)).unwrap_or(0);
        let entry = self.interrupts.entry(line.to_owned()).or_default();
        entry.name = name;
        entry.count += 1;
        entry.total_ns = entry.total_ns.saturating_add(took_ns);
        entry.max_ns = entry.max_ns.max(took_ns);
    }

    /// A message.
    pub fn mark(&mut self, context: &Context, event: &[u8], message: &[u8]) {
        if self.marks.len() >= MAX_KEPT {
            self.skipped.note("more messages than are kept", message);
            return;
        }
        let message = &message[..message.len().min(4096)];
        let (event, text) = (text(event), text(message.trim_ascii_end()));
        self.marks.push(Mark {
            at_ns: context.at_ns,
            pid: context.pid,
            event,
            text,
        });
    }

    /// The context's task among the calls.
    pub fn task(&mut self, context: &Context) -> Option<u32> {
        let key = if context.pid == 0 {
            format!("idle {}", context.cpu)
        } else {
            context.pid.to_string()
        };
        let label = || format!("{}-{}", String::from_utf8_lossy(context.comm), context.pid);
        let task = self.calls.task(key.as_bytes(), label)?;
        self.calls.run_on(context.cpu, task, Some(context.at_ns));
        Some(task)
    }

    /// One hit of the function tracer: it has no ends, so there are counts by caller and no times.
    pub fn function(&mut self, function: &[u8], caller: &[u8]) {
        let (caller, function) = (self.calls.names.intern(caller), self.calls.names.intern(function));
        let parent = self.calls.tree.child(ROOT, caller);
        let node = self.calls.tree.child(parent, function);
        self.calls.tree.count(node);
        self.calls.tree.never_ended(node);
    }

    /// Ends the trace.
    pub fn finish(&mut self) {
        self.calls.finish();
        self.open_initcalls.clear();
    }

    /// Initcalls by task, levels, marks and kept calls as a timeline.
    pub fn timeline(&self, title: &str) -> Timeline {
        let mut timeline = self.calls.timeline(title, "trace");
        let mut tracks: BTreeMap<i64, Track> = BTreeMap::new();
        for call in &self.initcalls {
            let mut span = Span {
                name: call.function.clone(),
                category: "initcall".into(),
                start_ns: call.start_ns,
                ..Span::default()
            };
            span.end_ns = call.end_ns;
            span.args
                .extend(call.returned.map(|value| ("returned".to_owned(), value.to_string())));
            span.args
                .extend(call.level.clone().map(|level| ("level".to_owned(), level)));
            let name = || format!("initcalls of pid {}", call.pid);
            tracks
                .entry(call.pid)
                .or_insert_with(|| Track {
                    name: name(),
                    ..Track::default()
                })
                .spans
                .push(span);
        }
        timeline.tracks.extend(tracks.into_values());
        let instant = |name: &str, category: &str, at_ns: i64| Instant {
            name: name.to_owned(),
            category: category.to_owned(),
            at_ns,
            args: Vec::new(),
        };
        let levels = self
            .levels
            .iter()
            .map(|(level, at_ns)| instant(level, "initcall level", *at_ns));
        let marks = self
            .marks
            .iter()
            .map(|mark| instant(&mark.text, &mark.event, mark.at_ns));
        timeline.tracks.push(Track {
            name: "marks".into(),
            instants: levels.chain(marks).collect(),
            ..Track::default()
        });
        timeline
    }
}

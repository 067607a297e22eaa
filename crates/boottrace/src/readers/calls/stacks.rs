// SPDX-License-Identifier: MIT
//! The one call model behind all readers: stacks per task, fed with entries and exits, charged to a merged call tree.

use std::collections::HashMap;

pub use super::mismatches::Mismatches;
use super::names::{NameId, Names};
use super::task::Frame;
pub use super::task::Task;
use super::tree::{CallTree, INTERRUPTS, ROOT};

/// Tasks beyond this number share one stack that is not charged.
pub const MAX_TASKS: usize = 1 << 16;
/// Open calls of one task; deeper ones are counted, not kept.
pub const MAX_DEPTH: usize = 4096;
/// Open calls of all tasks together.
pub const MAX_OPEN: usize = 1 << 20;

/// Number of a task (or of a processor, where the trace names no task).
pub type TaskId = u32;

/// No depth known: the reader relies on matching entries and exits alone.
pub const NO_DEPTH: u32 = u32::MAX;

/// Which single calls to keep as spans.
#[derive(Debug, Clone, Copy)]
pub struct SpanLimits {
    /// Shorter calls are not kept, nanoseconds.
    pub min_ns: u64,
    /// No more than this many.
    pub max_count: usize,
}

/// The state of a streaming analysis, and its result once [`Calls::finish`] was called.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// Function names.
    pub names: Names,
    /// Merged call tree.
    pub tree: CallTree,
    /// Tasks in order of appearance.
    pub tasks: Vec<Task>,
    /// What did not fit together.
    pub mismatches: Mismatches,
    /// Earliest and latest stamp seen, nanoseconds.
    pub bounds_ns: Option<(i64, i64)>,
    /// Its paths are those of samples, not of calls.
    pub samples: bool,
    task_of: HashMap<Vec<u8>, TaskId>,
    running: HashMap<u32, TaskId>,
    open: usize,
    span_limits: Option<SpanLimits>,
    pub(super) spans: Vec<(TaskId, NameId, i64, i64)>,
}

impl Calls {
    /// An empty analysis; with `spans`, single calls are kept for a timeline too.
    pub fn new(spans: Option<SpanLimits>) -> Self {
        Self {
            span_limits: spans,
            ..Self::default()
        }
    }

    /// The task with this key, new or known. Tasks beyond [`MAX_TASKS`] are refused.
    pub fn task(&mut self, key: &[u8], label: impl FnOnce() -> String) -> Option<TaskId> {
        let key = &key[..key.len().min(64)];
        if let Some(&id) = self.task_of.get(key) {
            return Some(id);
        }
        if self.tasks.len() >= MAX_TASKS {
            self.mismatches.tasks_beyond_limit += 1;
            return None;
        }
        let id = self.tasks.len() as TaskId;
        self.task_of.insert(key.to_vec(), id);
        self.tasks.push(Task {
            label: label(),
            ..Task::default()
        });
        Some(id)
    }

    /// Gives a task that was known by its processor only the name it turned out to have.
    pub fn rename(&mut self, task: TaskId, key: &[u8], label: &str) {
        let key = &key[..key.len().min(64)];
        if !self.task_of.contains_key(key) {
            self.task_of.insert(key.to_vec(), task);
            label.clone_into(&mut self.tasks[task as usize].label);
        }
    }

    /// Says that `task` runs on processor `cpu` from now on; the one that ran there is switched out.
    pub fn run_on(&mut self, cpu: u32, task: TaskId, at_ns: Option<i64>) {
        if self.running.len() > MAX_TASKS {
            return;
        }
        let before = self.running.insert(cpu, task);
        if before == Some(task) {
            return;
        }
        // A task that moved to another processor in the meantime was not switched out here.
        if let Some(before) = before
            .map(|id| &mut self.tasks[id as usize])
            .filter(|task| task.cpu == Some(cpu))
        {
            before.cpu = None;
            before.off_since_ns = at_ns;
            if let Some(top) = before.frames.last_mut() {
                top.switched = true;
            }
        }
        let task = &mut self.tasks[task as usize];
        task.cpu = Some(cpu);
        if let (Some(since_ns), Some(at_ns)) = (task.off_since_ns.take(), at_ns) {
            if let Some(top) = task.frames.last_mut() {
                top.off_ns = top.off_ns.saturating_add(at_ns.saturating_sub(since_ns).max(0) as u64);
            }
        }
    }

    /// The following entries of `task` are (or are no longer) in an interrupt.
    pub fn interrupt(&mut self, task: TaskId, inside: bool) {
        let task = &mut self.tasks[task as usize];
        task.interrupt_base = inside.then_some(task.frames.len());
    }

    #[inline]
    fn see(&mut self, at_ns: Option<i64>) {
        if let Some(at_ns) = at_ns {
            match &mut self.bounds_ns {
                Some((low, high)) => {
                    *low = (*low).min(at_ns);
                    *high = (*high).max(at_ns);
                }
                None => self.bounds_ns = Some((at_ns, at_ns)),
            }
        }
    }

    /// Drops calls deeper than `depth`, whose exits must have been lost.
    #[inline]
    fn unwind(&mut self, task: TaskId, depth: u32) {
        if depth == NO_DEPTH {
            return;
        }
        while self.tasks[task as usize]
            .frames
            .last()
            .is_some_and(|top| top.depth != NO_DEPTH && top.depth >= depth)
        {
            self.abandon(task);
            self.mismatches.entries_without_exit += 1;
        }
    }

    /// The innermost call has no end: it is counted, its time is unknown.
    fn abandon(&mut self, task: TaskId) {
        if let Some(frame) = self.tasks[task as usize].frames.pop() {
            self.open -= 1;
            self.tree.never_ended(frame.node);
            // What its callees took is still time in callees for the caller above, or time in calls of the task.
            let task = &mut self.tasks[task as usize];
            if let Some(above) = task.frames.last_mut() {
                above.child_ns = above.child_ns.saturating_add(frame.child_ns);
                above.off_ns = above.off_ns.saturating_add(frame.off_ns);
                above.switched |= frame.switched;
            } else {
                task.elapsed_ns = task.elapsed_ns.saturating_add(frame.child_ns);
            }
        }
    }

    /// A function was entered. `depth` is the trace's own nesting level, or [`NO_DEPTH`].
    #[inline]
    pub fn enter(&mut self, task: TaskId, name: NameId, at_ns: Option<i64>, depth: u32) {
        self.see(at_ns);
        self.unwind(task, depth);
        self.push(task, name, at_ns, None, depth);
    }

    fn push(&mut self, task_id: TaskId, name: NameId, at_ns: Option<i64>, end_ns: Option<i64>, depth: u32) {
        let task = &mut self.tasks[task_id as usize];
        task.calls += 1;
        let parent = match task.frames.last() {
            _ if task.interrupt_base == Some(task.frames.len()) => INTERRUPTS,
            Some(top) => top.node,
            None => ROOT,
        };
        let node = self.tree.child(parent, name);
        self.tree.count(node);
        if task.frames.len() >= MAX_DEPTH || self.open >= MAX_OPEN {
            task.too_deep = task.too_deep.saturating_add(1);
            self.mismatches.too_deep += 1;
            return;
        }
        self.open += 1;
        let frame = Frame {
            node,
            name,
            depth,
            start_ns: at_ns,
            end_ns,
            child_ns: 0,
            off_ns: 0,
            switched: false,
        };
        task.frames.push(frame);
    }

    /// The innermost function (at `depth`, when known) returned. Its time is `duration_ns`, or follows from the stamps.
    ///
    /// An exit without an entry is counted and gives nothing else: what it called is not known.
    #[inline]
    pub fn exit(&mut self, task_id: TaskId, at_ns: Option<i64>, duration_ns: Option<u64>, depth: u32) {
        self.see(at_ns);
        if depth != NO_DEPTH {
            self.unwind(task_id, depth.saturating_add(1));
        }
        let task = &mut self.tasks[task_id as usize];
        if task.too_deep > 0 {
            task.too_deep -= 1;
            return;
        }
        match task.frames.last() {
            Some(top) if depth == NO_DEPTH || top.depth == NO_DEPTH || top.depth == depth => {}
            _ => {
                self.mismatches.exits_without_entry += 1;
                return;
            }
        }
        let Some(frame) = task.frames.pop() else { return };
        self.open -= 1;
        if task.interrupt_base.is_some_and(|base| base > task.frames.len()) {
            task.interrupt_base = None;
        }
        let by_stamps = frame
            .start_ns
            .zip(at_ns)
            .map(|(start, end)| end.saturating_sub(start).max(0) as u64);
        let Some(elapsed_ns) = duration_ns.or(by_stamps) else {
            self.tree.never_ended(frame.node);
            return;
        };
        self.charge(task_id, &frame, elapsed_ns);
    }

    fn charge(&mut self, task_id: TaskId, frame: &Frame, elapsed_ns: u64) {
        if frame.child_ns > elapsed_ns {
            self.mismatches.callees_longer_than_caller += 1;
        }
        let own_ns = elapsed_ns.saturating_sub(frame.child_ns);
        // Without stamps nobody knows when the task came back, but it was switched out inside this very function.
        let off_ns = if frame.switched && frame.start_ns.is_none() {
            own_ns
        } else {
            frame.off_ns.min(own_ns)
        };
        self.tree.charge(frame.node, elapsed_ns, own_ns - off_ns, off_ns);
        let task = &mut self.tasks[task_id as usize];
        match task.frames.last_mut() {
            Some(above) => above.child_ns = above.child_ns.saturating_add(elapsed_ns),
            None => task.elapsed_ns = task.elapsed_ns.saturating_add(elapsed_ns),
        }
        if self.span_limits.is_some() {
            self.keep_span(task_id, frame.name, frame.start_ns, elapsed_ns);
        }
    }

    fn keep_span(&mut self, task: TaskId, name: NameId, start_ns: Option<i64>, elapsed_ns: u64) {
        let (Some(limits), Some(start_ns)) = (self.span_limits, start_ns) else {
            return;
        };
        if elapsed_ns < limits.min_ns {
            return;
        }
        if self.spans.len() >= limits.max_count {
            self.mismatches.spans_beyond_limit += 1;
            return;
        }
        let elapsed_ns = i64::try_from(elapsed_ns).unwrap_or(i64::MAX);
        self.spans
            .push((task, name, start_ns, start_ns.saturating_add(elapsed_ns)));
    }

    /// A call without recorded callees, entered at `at_ns`.
    #[inline]
    pub fn leaf(&mut self, task_id: TaskId, name: NameId, at_ns: Option<i64>, duration_ns: u64, depth: u32) {
        self.see(at_ns);
        self.unwind(task_id, depth);
        let task = &mut self.tasks[task_id as usize];
        task.calls += 1;
        let in_interrupt = task.interrupt_base == Some(task.frames.len());
        let caller = if let Some(top) = task.frames.last_mut() {
            top.child_ns = top.child_ns.saturating_add(duration_ns);
            top.node
        } else {
            task.elapsed_ns = task.elapsed_ns.saturating_add(duration_ns);
            ROOT
        };
        let parent = if in_interrupt { INTERRUPTS } else { caller };
        let id = self.tree.child(parent, name);
        self.tree.count(id);
        self.tree.charge(id, duration_ns, duration_ns, 0);
        if self.span_limits.is_some() {
            self.keep_span(task_id, name, at_ns, duration_ns);
        }
    }

    /// A whole call, as logs sorted by entry time have it. `caller` settles what times alone leave open;
    /// `duration_ns` is `None` when the exit was not seen.
    pub fn complete(
        &mut self,
        task_id: TaskId,
        name: NameId,
        caller: Option<NameId>,
        start_ns: i64,
        duration_ns: Option<u64>,
    ) {
        let end_ns = duration_ns.map(|ns| start_ns.saturating_add(i64::try_from(ns).unwrap_or(i64::MAX)));
        self.see(Some(start_ns));
        self.see(end_ns);
        let task = &self.tasks[task_id as usize];
        // A caller still on the stack unwinds to itself, if that contradicts no end; else times decide alone.
        let mut keep = task.frames.len();
        while let Some(frame) = keep.checked_sub(1).map(|i| &task.frames[i]) {
            let is_caller = caller == Some(frame.name);
            let ended = match frame.end_ns {
                Some(frame_end) => frame_end < start_ns || (frame_end == start_ns && !is_caller),
                None => !is_caller && caller.is_some_and(|c| task.frames[..keep].iter().any(|f| f.name == c)),
            };
            if !ended {
                break;
            }
            keep -= 1;
        }
        while self.tasks[task_id as usize].frames.len() > keep {
            self.pop_complete(task_id);
        }
        self.push(task_id, name, Some(start_ns), end_ns, NO_DEPTH);
        // A frame the limits refused has no exit to wait for.
        self.tasks[task_id as usize].too_deep = 0;
    }

    fn pop_complete(&mut self, task_id: TaskId) {
        let Some(top) = self.tasks[task_id as usize].frames.last().copied() else {
            return;
        };
        if let Some(end_ns) = top.end_ns {
            self.tasks[task_id as usize].frames.pop();
            self.open -= 1;
            let start_ns = top.start_ns.unwrap_or(end_ns);
            self.charge(task_id, &top, end_ns.saturating_sub(start_ns).max(0) as u64);
        } else {
            self.abandon(task_id);
        }
    }

    /// The innermost open call of a task: its name and, for whole calls, its end.
    pub fn top(&self, task: TaskId) -> Option<(NameId, Option<i64>)> {
        self.tasks
            .get(task as usize)?
            .frames
            .last()
            .map(|top| (top.name, top.end_ns))
    }

    /// Charges time switched out to the innermost open call of a task.
    pub fn switched_out(&mut self, task: TaskId, duration_ns: u64) {
        if let Some(top) = self.tasks[task as usize].frames.last_mut() {
            top.off_ns = top.off_ns.saturating_add(duration_ns);
        }
    }

    /// Ends the trace: whole calls get their time, others count as still open.
    pub fn finish(&mut self) {
        for task in 0..self.tasks.len() as TaskId {
            while let Some((_, end_ns)) = self.top(task) {
                self.mismatches.still_open += u64::from(end_ns.is_none());
                self.pop_complete(task);
            }
        }
    }
}

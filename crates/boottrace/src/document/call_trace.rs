// SPDX-License-Identifier: MIT
//! A function, event or sample trace as a part of a document: tables of bounded size.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use serde::{Deserialize, Serialize};

use super::call_rows::{FunctionSums, FunctionTime, InterruptRow, TaskCalls, TraceInitcall, TraceMark, TreeRow};
use crate::log::clock::Clock;
use crate::readers::calls::events::Events;
use crate::readers::calls::perf_script::Weight;
use crate::readers::calls::stacks::Calls;
use crate::readers::calls::stacks::Mismatches;
use crate::readers::calls::tables;
use crate::readers::calls::tables::{FunctionRow, SortBy};
use crate::readers::calls::tree::{NodeId, ROOT};
use crate::readers::formats::Format;

/// Rows of each table.
pub const MAX_ROWS: usize = 200;
/// Functions kept for comparisons.
pub const MAX_COMPARED: usize = 100_000;
/// Rows of the call tree.
pub const MAX_TREE: usize = 1000;
/// Initcalls of a trace.
pub const MAX_INITCALLS: usize = 20_000;
/// Messages of a trace.
pub const MAX_MARKS: usize = 1000;

/// What a trace told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallTrace {
    /// The format it was read from.
    pub source: Format,
    /// First and last physical line, for a trace inside a console log.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lines: Option<(u32, u32)>,
    /// Clock of all times here.
    pub clock: Clock,
    /// Unit of the times of functions: `ns`; for samples `samples` or `events`.
    pub weight: String,
    /// First and last stamp, ns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bounds_ns: Option<(i64, i64)>,
    /// Why this is no boot, when it is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_a_boot: Option<String>,
    /// What the header says.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub about: BTreeMap<String, String>,
    /// Calls (or samples) in the trace.
    pub calls: u64,
    /// Different functions.
    pub functions: u64,
    /// By time in the function itself.
    pub top_self: Vec<FunctionTime>,
    /// By time from entry to exit, time in which others ran taken off.
    pub top_total: Vec<FunctionTime>,
    /// All functions, for comparisons; the document has the first of them.
    #[serde(skip)]
    pub all_functions: Vec<FunctionSums>,
    /// Functions in which tasks waited: switched out, or in a function that sleeps or delays.
    pub waits: Vec<FunctionTime>,
    /// Tasks, most calls first.
    pub tasks: Vec<TaskCalls>,
    /// Tasks in the trace.
    pub tasks_total: u64,
    /// Merged call tree, the heaviest paths; parents before children.
    pub tree: Vec<TreeRow>,
    /// Paths that found no room in `tree`.
    pub tree_left_out: u64,
    /// Initcalls by trace events.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub initcalls: Vec<TraceInitcall>,
    /// Initcall levels and when they were entered.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub levels: Vec<(String, i64)>,
    /// Messages.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub marks: Vec<TraceMark>,
    /// Interrupts, longest first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub interrupts: Vec<InterruptRow>,
    /// Events by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub events: BTreeMap<String, u64>,
    /// What did not fit together, by name; zeros are left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub mismatches: BTreeMap<String, u64>,
}

/// Begins of names of functions that wait, asleep or in a loop.
const WAITING: [&str; 14] = [
    "schedule",
    "io_schedule",
    "msleep",
    "usleep_range",
    "fsleep",
    "ssleep",
    "wait_for_completion",
    "wait_event",
    "__delay",
    "delay_",
    "__udelay",
    "udelay",
    "__const_udelay",
    "mdelay",
];

impl CallTrace {
    /// The tables of a finished call analysis.
    pub fn of(calls: &Calls, source: Format, clock: Clock) -> Self {
        let mut rows = tables::functions(calls, SortBy::SelfTime);
        let top = |rows: &[FunctionRow]| rows.iter().take(MAX_ROWS).map(FunctionTime::from).collect::<Vec<_>>();
        let top_self = top(&rows);
        tables::sort_rows(&mut rows, SortBy::Time);
        let top_total = top(&rows);
        let all_functions = rows.iter().take(MAX_COMPARED).map(|row| FunctionSums {
            function: row.function.clone(),
            count: row.count,
            total_ns: row.time_ns(),
            self_ns: row.self_ns,
        });
        let all_functions = all_functions.collect();
        let (tree, tree_left_out) = tree_rows(calls);
        let mut tasks: Vec<TaskCalls> = calls
            .tasks
            .iter()
            .map(|task| TaskCalls {
                task: task.label.clone(),
                calls: task.calls,
                in_calls_ns: Some(task.elapsed_ns),
                run_ns: None,
            })
            .collect();
        tasks.sort_by_key(|task| Reverse((task.in_calls_ns, task.calls)));
        tasks.truncate(MAX_ROWS);
        Self {
            source,
            lines: None,
            clock,
            weight: "ns".to_owned(),
            bounds_ns: calls.bounds_ns,
            not_a_boot: None,
            about: BTreeMap::new(),
            calls: rows.iter().map(|row| row.count).sum(),
            functions: rows.len() as u64,
            top_self,
            top_total,
            all_functions,
            waits: waits(&mut rows),
            tasks,
            tasks_total: calls.tasks.len() as u64,
            tree,
            tree_left_out,
            initcalls: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
            interrupts: Vec::new(),
            events: BTreeMap::new(),
            mismatches: mismatches(&calls.mismatches),
        }
    }

    /// The same for samples, whose weights may be no times.
    pub fn of_samples(calls: &Calls, weight: Weight, samples: u64) -> Self {
        let mut out = Self::of(calls, Format::PerfScript, Clock::Trace);
        out.calls = samples;
        match weight {
            Weight::Nanoseconds => "ns",
            Weight::Events => "events",
            Weight::Samples => "samples",
        }
        .clone_into(&mut out.weight);
        out.waits.clear();
        out
    }

    /// The tables of events, with the calls among them.
    pub fn of_events(events: &Events, source: Format) -> Self {
        let mut out = Self::of(&events.calls, source, Clock::Trace);
        out.bounds_ns = events.bounds_ns.or(out.bounds_ns);
        if !events.tasks.is_empty() {
            out.tasks_total = events.tasks.len() as u64;
            out.tasks = events
                .tasks
                .iter()
                .map(|(pid, time)| TaskCalls {
                    task: format!("{}-{pid}", time.comm),
                    calls: 0,
                    in_calls_ns: None,
                    run_ns: Some(time.run_ns),
                })
                .collect();
            out.tasks.sort_by_key(|task| Reverse(task.run_ns));
            out.tasks.truncate(MAX_ROWS);
        }
        out.initcalls = events
            .initcalls
            .iter()
            .take(MAX_INITCALLS)
            .map(|call| TraceInitcall {
                name: call.function.clone(),
                level: call.level.clone(),
                pid: call.pid,
                start_ns: call.start_ns,
                end_ns: call.end_ns,
                returned: call.returned,
            })
            .collect();
        out.levels.clone_from(&events.levels);
        out.marks = events
            .marks
            .iter()
            .take(MAX_MARKS)
            .map(|mark| TraceMark {
                at_ns: mark.at_ns,
                event: mark.event.clone(),
                text: mark.text.clone(),
            })
            .collect();
        out.interrupts = events
            .interrupts
            .iter()
            .map(|(line, time)| InterruptRow {
                line: line.clone(),
                name: time.name.clone(),
                count: time.count,
                total_ns: time.total_ns,
                max_ns: time.max_ns,
            })
            .collect();
        out.interrupts.sort_by_key(|row| Reverse(row.total_ns));
        out.interrupts.truncate(MAX_ROWS);
        out.events.clone_from(&events.counts);
        if events.suspend_events > 0 && events.initcalls.is_empty() {
            let count = events.suspend_events;
            out.not_a_boot = Some(format!(
                "{count} suspend and resume events and no initcall: this traces a suspend"
            ));
        }
        out
    }
}

fn waits(rows: &mut [FunctionRow]) -> Vec<FunctionTime> {
    tables::sort_rows(rows, SortBy::Elapsed);
    let mut found: Vec<FunctionTime> = rows
        .iter()
        .filter(|row| row.elapsed_ns > 0)
        .filter(|row| row.off_cpu_ns > 0 || WAITING.iter().any(|name| row.function.starts_with(name)))
        .take(MAX_ROWS)
        .map(FunctionTime::from)
        .collect();
    found.sort_by_key(|row| Reverse(row.off_cpu_ns.max(row.total_ns)));
    found
}

/// The heaviest paths, with their callers, which are at least as heavy or stand in for them.
fn tree_rows(calls: &Calls) -> (Vec<TreeRow>, u64) {
    let nodes = calls.tree.nodes();
    let count = |id: usize| calls.tree.tally(id as NodeId).count;
    let used = (1..nodes.len()).filter(|&id| count(id) > 0);
    // Few of them are looked at: a heap does not sort the rest.
    let mut heavy: BinaryHeap<(u64, Reverse<usize>)> = used.map(|id| (nodes[id].elapsed_ns, Reverse(id))).collect();
    let total = heavy.len();
    let mut chosen = vec![false; nodes.len()];
    let mut taken = 0;
    while let Some((_, Reverse(id))) = heavy.pop() {
        let mut path = Vec::new();
        let mut at = id;
        while at != ROOT as usize && !chosen[at] && path.len() <= MAX_TREE {
            path.push(at);
            at = nodes[at].parent as usize;
        }
        if taken + path.len() > MAX_TREE {
            continue;
        }
        taken += path.len();
        for at in path {
            chosen[at] = true;
        }
        if taken == MAX_TREE {
            break;
        }
    }
    let mut number = vec![None; nodes.len()];
    let mut rows: Vec<TreeRow> = Vec::new();
    for (id, node) in nodes.iter().enumerate().filter(|(id, _)| chosen[*id]) {
        number[id] = Some(rows.len());
        rows.push(TreeRow {
            function: calls.tree.label(&calls.names, id as NodeId),
            parent: number[node.parent as usize],
            count: count(id),
            total_ns: node.elapsed_ns,
            self_ns: node.self_ns,
        });
    }
    let shown = rows.iter().filter(|row| row.count > 0).count();
    (rows, (total - shown) as u64)
}

fn mismatches(found: &Mismatches) -> BTreeMap<String, u64> {
    [
        ("exits-without-entry", found.exits_without_entry),
        ("entries-without-exit", found.entries_without_exit),
        ("still-open", found.still_open),
        ("too-deep", found.too_deep),
        ("tasks-beyond-limit", found.tasks_beyond_limit),
        ("callees-longer-than-caller", found.callees_longer_than_caller),
        ("lost-events", found.lost_events),
    ]
    .into_iter()
    .filter(|(_, count)| *count > 0)
    .map(|(name, count)| (name.to_owned(), count))
    .collect()
}

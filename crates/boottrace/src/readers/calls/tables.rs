// SPDX-License-Identifier: MIT
//! The tables people know from `kd`: per function, by any column; and call trees on one line each.

use std::collections::HashMap;
use std::fmt::Write as _;

use foldhash::fast::RandomState;
use serde::Serialize;

use super::names::NameId;
use super::recursion::repeats;
use super::stacks::Calls;
use super::tree::{is_fixed, NodeId, FIXED, INTERRUPTS, ROOT};

/// All calls of one function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunctionRow {
    /// Function name.
    pub function: String,
    /// Calls, recursive ones included; of samples, those that it is in.
    pub count: u64,
    /// Calls that never ended in the trace; they have no time.
    pub open: u64,
    /// Entry to exit, nanoseconds; of recursive calls only the outermost counts.
    pub elapsed_ns: u64,
    /// Part of `elapsed_ns` in which the task was switched out and others ran.
    pub off_cpu_ns: u64,
    /// In the function itself, nanoseconds ("Local").
    pub self_ns: u64,
    /// The longest single call, nanoseconds.
    pub max_ns: u64,
    /// The callee that took most of the time ("Max-sub"); empty when it called nothing.
    pub max_sub: String,
    /// How often it called that ("Ms count").
    pub max_sub_count: u64,
    /// Time of that callee when called from here, nanoseconds.
    pub max_sub_ns: u64,
}

impl FunctionRow {
    /// Time spent executing it and its callees ("Time"): time in which others ran is not charged.
    pub fn time_ns(&self) -> u64 {
        self.elapsed_ns.saturating_sub(self.off_cpu_ns)
    }

    /// Mean of [`Self::time_ns`] over the calls that ended.
    pub fn average_ns(&self) -> u64 {
        self.time_ns() / self.count.saturating_sub(self.open).max(1)
    }
}

/// What to sort by, largest first; equal values keep the order of appearance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortBy {
    /// [`FunctionRow::time_ns`]: high-level routines.
    Time,
    /// `self_ns`: low-level functions.
    SelfTime,
    /// `elapsed_ns`: what a caller waited for.
    Elapsed,
    /// `count`.
    Count,
    /// [`FunctionRow::average_ns`].
    Average,
    /// `max_ns`.
    Max,
}

/// A tree of so many nodes is worth a second thread.
const MANY_NODES: usize = 1 << 15;

/// What is added up of one function.
#[derive(Default, Clone)]
struct Sums {
    count: u64,
    open: u64,
    elapsed_ns: u64,
    off_cpu_ns: u64,
    self_ns: u64,
    max_ns: u64,
}

/// All calls of one function by one other.
#[derive(Default)]
struct Pair {
    caller: NameId,
    callee: NameId,
    count: u64,
    elapsed_ns: u64,
}

/// No pair: who was called by nothing.
const NO_PAIR: u32 = u32::MAX;

/// What is added up before it is known which calls are recursive.
struct Added {
    sums: Vec<Sums>,
    pairs: Vec<Pair>,
    /// For each node, which pair its calls are of.
    pair_of: Vec<u32>,
    /// For each node, the time switched out in it and below it; empty when there is none.
    off_ns: Vec<u64>,
}

fn add_up(calls: &Calls) -> Added {
    let tree = &calls.tree;
    let nodes = tree.nodes();
    let mut sums = vec![Sums::default(); calls.names.len()];
    let mut known: HashMap<u64, u32, RandomState> = HashMap::default();
    let mut pairs: Vec<Pair> = Vec::new();
    let mut pair_of = vec![NO_PAIR; nodes.len()];
    let mut off_ns = Vec::new();
    for (id, node) in nodes.iter().enumerate().skip(FIXED) {
        let tally = tree.tally(id as NodeId);
        let sum = &mut sums[node.name as usize];
        sum.count += tally.count;
        sum.open += tally.open;
        sum.self_ns = sum.self_ns.saturating_add(tally.self_ns);
        sum.max_ns = sum.max_ns.max(tally.max_ns);
        if tally.off_cpu_ns > 0 {
            off_ns.resize(nodes.len(), 0);
            off_ns[id] = tally.off_cpu_ns;
        }
        if is_fixed(node.parent) {
            continue;
        }
        let caller = nodes[node.parent as usize].name;
        let number = *known
            .entry(u64::from(caller) << 32 | u64::from(node.name))
            .or_insert_with(|| {
                pairs.push(Pair {
                    caller,
                    callee: node.name,
                    ..Pair::default()
                });
                pairs.len() as u32 - 1
            });
        pairs[number as usize].count += tally.count;
        pair_of[id] = number;
    }
    // A caller stands before its callees.
    for id in (INTERRUPTS as usize + 1..off_ns.len()).rev() {
        let parent = nodes[id].parent as usize;
        off_ns[parent] = off_ns[parent].saturating_add(off_ns[id]);
    }
    Added {
        sums,
        pairs,
        pair_of,
        off_ns,
    }
}

/// One row for each function, sorted.
pub fn functions(calls: &Calls, sort: SortBy) -> Vec<FunctionRow> {
    let nodes = calls.tree.nodes();
    let (added, repeats) = if nodes.len() < MANY_NODES || cfg!(target_family = "wasm") {
        (add_up(calls), repeats(&calls.tree))
    } else {
        // Finding the recursive calls is as much work as all the rest, and needs none of it.
        std::thread::scope(|scope| {
            let repeats = scope.spawn(|| repeats(&calls.tree));
            let added = add_up(calls);
            let repeats = repeats.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (added, repeats)
        })
    };
    let Added {
        mut sums,
        mut pairs,
        pair_of,
        off_ns,
    } = added;
    for (id, (node, again)) in nodes.iter().zip(repeats).enumerate().skip(FIXED) {
        if again.function {
            // A function that calls itself is in a sample once, however often it stands in the chain.
            if calls.samples {
                sums[node.name as usize].count -= calls.tree.tally(id as NodeId).count;
            }
        } else {
            let sum = &mut sums[node.name as usize];
            sum.elapsed_ns = sum.elapsed_ns.saturating_add(node.elapsed_ns);
            let off_ns = off_ns.get(id).copied().unwrap_or_default();
            sum.off_cpu_ns = sum.off_cpu_ns.saturating_add(off_ns);
        }
        if let Some(pair) = pairs.get_mut(pair_of[id] as usize).filter(|_| !again.call) {
            pair.elapsed_ns = pair.elapsed_ns.saturating_add(node.elapsed_ns);
        }
    }
    // The dearest callee of each caller; of equals the one seen first.
    pairs.sort_by_key(|pair| (pair.caller, std::cmp::Reverse(pair.elapsed_ns), pair.callee));
    pairs.dedup_by_key(|pair| pair.caller);
    let mut rows: Vec<FunctionRow> = Vec::new();
    for (name, sum) in sums.into_iter().enumerate().filter(|(_, sum)| sum.count > 0) {
        // The outermost call may have no end, or a printed time shorter than what it contains.
        let elapsed_ns = sum.elapsed_ns.max(sum.self_ns);
        let mut row = FunctionRow {
            function: calls.names.text(name as NameId),
            count: sum.count,
            open: sum.open,
            elapsed_ns,
            // Time of calls that ended can exceed the walk's sum only by clock skew; never show a negative.
            off_cpu_ns: sum.off_cpu_ns.min(elapsed_ns),
            self_ns: sum.self_ns,
            max_ns: sum.max_ns,
            ..FunctionRow::default()
        };
        if let Ok(found) = pairs.binary_search_by_key(&(name as NameId), |pair| pair.caller) {
            let pair = &pairs[found];
            row.max_sub = calls.names.text(pair.callee);
            row.max_sub_count = pair.count;
            row.max_sub_ns = pair.elapsed_ns;
        }
        rows.push(row);
    }
    sort_rows(&mut rows, sort);
    rows
}

/// Sorts rows anew.
pub fn sort_rows(rows: &mut [FunctionRow], sort: SortBy) {
    rows.sort_by_key(|row| {
        std::cmp::Reverse(match sort {
            SortBy::Time => row.time_ns(),
            SortBy::SelfTime => row.self_ns,
            SortBy::Elapsed => row.elapsed_ns,
            SortBy::Count => row.count,
            SortBy::Average => row.average_ns(),
            SortBy::Max => row.max_ns,
        })
    });
}

/// The table as `kd` printed it, times in microseconds: Function, Count, Time, Average, Local, Max-sub, Ms count.
pub fn kd_text(rows: &[FunctionRow], limit: usize) -> String {
    let shown = &rows[..rows.len().min(limit)];
    let name_of = |text: &str| crate::text::printable::printable(text).into_owned();
    let width = shown
        .iter()
        .map(|row| row.function.chars().count().min(60))
        .max()
        .unwrap_or(0)
        .max(25);
    let sub_width = shown
        .iter()
        .map(|row| row.max_sub.chars().count().min(60))
        .max()
        .unwrap_or(0)
        .max(25);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<width$} {:>5} {:>10} {:>10} {:>10} {:<sub_width$} Ms count",
        "Function", "Count", "Time", "Average", "Local", "Max-sub"
    );
    let dashes = |n: usize| "-".repeat(n);
    let _ = writeln!(
        out,
        "{} {} {} {} {} {} {}",
        dashes(width),
        dashes(5),
        dashes(10),
        dashes(10),
        dashes(10),
        dashes(sub_width),
        dashes(8)
    );
    for row in shown {
        let _ = writeln!(
            out,
            "{:<width$} {:>5} {:>10} {:>10} {:>10} {:<sub_width$} {:>8}",
            name_of(&row.function),
            row.count,
            row.time_ns() / 1000,
            row.average_ns() / 1000,
            row.self_ns / 1000,
            name_of(&row.max_sub),
            row.max_sub_count
        );
    }
    out
}

/// Call paths in one line each, `probe_hwif(4)-> do_probe(31)-> ide_delay_50ms(78)->`: from every path of the first
/// level down its most expensive callee, the most expensive first.
pub fn call_paths(calls: &Calls, limit: usize) -> Vec<String> {
    let nodes = calls.tree.nodes();
    let callees = calls.tree.links();
    let mut top: Vec<NodeId> = callees.children(ROOT).chain(callees.children(INTERRUPTS)).collect();
    top.retain(|&id| id > INTERRUPTS);
    top.sort_by_key(|&id| std::cmp::Reverse(nodes[id as usize].elapsed_ns));
    let mut lines = Vec::new();
    for &start in top.iter().take(limit) {
        let mut line = String::new();
        let mut at = start;
        for _ in 0..64 {
            let node = &nodes[at as usize];
            let count = calls.tree.tally(at).count;
            let _ = write!(line, "{}({count})-> ", calls.names.text(node.name));
            let next = callees
                .children(at)
                .max_by_key(|&c| (nodes[c as usize].elapsed_ns, std::cmp::Reverse(c)));
            let Some(next) = next else { break };
            at = next;
        }
        line.truncate(line.trim_end().len());
        lines.push(line);
    }
    lines
}

/// An indented tree of one subtree (or of everything, from [`ROOT`]): `name(count)-> ` with time in microseconds.
/// Callees shorter than `min_ns` are left out.
pub fn indented(calls: &Calls, from: NodeId, min_ns: u64, max_lines: usize) -> String {
    let nodes = calls.tree.nodes();
    let callees = calls.tree.links();
    let mut out = String::new();
    let mut walk = vec![(from, 0_usize)];
    let mut lines = 0;
    while let Some((id, level)) = walk.pop() {
        if lines >= max_lines {
            out.push_str("...\n");
            break;
        }
        let Some(node) = nodes.get(id as usize) else { break };
        let name = calls.tree.label(&calls.names, id);
        let name = crate::text::printable::printable(&name);
        let indent = "  ".repeat(level.min(100));
        let count = calls.tree.tally(id).count;
        let _ = writeln!(out, "{indent}{name}({count})-> {} us", node.elapsed_ns / 1000);
        lines += 1;
        let mut below: Vec<NodeId> = callees.children(id).collect();
        below.retain(|&c| nodes[c as usize].elapsed_ns >= min_ns);
        below.sort_by_key(|&c| nodes[c as usize].elapsed_ns);
        walk.extend(below.into_iter().map(|c| (c, level + 1)));
    }
    out
}

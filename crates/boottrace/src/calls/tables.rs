//! The tables people know from `kd`: per function, by any column; and call trees on one line each.

use std::collections::HashMap;
use std::fmt::Write as _;

use foldhash::fast::RandomState;
use serde::Serialize;

use super::names::NameId;
use super::stacks::Calls;
use super::tree::{NodeId, CUT, INTERRUPTS, ROOT};

/// All calls of one function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FunctionRow {
    /// Function name.
    pub function: String,
    /// Calls, recursive ones included.
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

#[derive(Default, Clone)]
struct Sums {
    row: FunctionRow,
    on_path: u32,
}

/// One row for each function, sorted.
pub fn functions(calls: &Calls, sort: SortBy) -> Vec<FunctionRow> {
    let nodes = calls.tree.nodes();
    let children = calls.tree.children();
    let mut off_ns: Vec<u64> = nodes.iter().map(|node| node.off_cpu_ns).collect();
    for id in (INTERRUPTS as usize + 1..nodes.len()).rev() {
        off_ns[nodes[id].parent as usize] += off_ns[id];
    }
    let mut sums = vec![Sums::default(); calls.names.len()];
    let mut pairs: HashMap<(NameId, NameId), (u64, u64, u32), RandomState> = HashMap::default();
    // A walk with its own stack: a hostile trace may nest deeper than the machine's.
    let mut walk: Vec<(NodeId, bool)> = vec![(ROOT, false)];
    while let Some((id, leaving)) = walk.pop() {
        let node = &nodes[id as usize];
        let fixed = matches!(id, ROOT | CUT | INTERRUPTS);
        let parent_fixed = matches!(node.parent, ROOT | CUT | INTERRUPTS);
        let pair = (nodes[node.parent as usize].name, node.name);
        if leaving {
            sums[node.name as usize].on_path -= 1;
            if !parent_fixed {
                if let Some(entry) = pairs.get_mut(&pair) {
                    entry.2 -= 1;
                }
            }
            continue;
        }
        if !fixed {
            let sum = &mut sums[node.name as usize];
            sum.row.count += node.count;
            sum.row.open += node.open;
            sum.row.self_ns = sum.row.self_ns.saturating_add(node.self_ns);
            sum.row.max_ns = sum.row.max_ns.max(node.max_ns);
            if sum.on_path == 0 {
                sum.row.elapsed_ns = sum.row.elapsed_ns.saturating_add(node.elapsed_ns);
                sum.row.off_cpu_ns = sum.row.off_cpu_ns.saturating_add(off_ns[id as usize]);
            }
            sum.on_path += 1;
            if !parent_fixed {
                let entry = pairs.entry(pair).or_default();
                entry.0 += node.count;
                if entry.2 == 0 {
                    entry.1 = entry.1.saturating_add(node.elapsed_ns);
                }
                entry.2 += 1;
            }
            walk.push((id, true));
        }
        walk.extend(children[id as usize].iter().rev().map(|&child| (child, false)));
    }
    let mut best: HashMap<NameId, (u64, NameId, u64)> = HashMap::new();
    for (&(caller, callee), &(count, elapsed_ns, _)) in &pairs {
        let entry = best.entry(caller).or_insert((elapsed_ns, callee, count));
        if (elapsed_ns, std::cmp::Reverse(callee)) > (entry.0, std::cmp::Reverse(entry.1)) {
            *entry = (elapsed_ns, callee, count);
        }
    }
    let mut rows: Vec<FunctionRow> = Vec::new();
    for (name, sum) in sums.into_iter().enumerate().filter(|(_, sum)| sum.row.count > 0) {
        let mut row = sum.row;
        row.function = calls.names.text(name as NameId);
        // Time of calls that ended can exceed the walk's sum only by clock skew; never show a negative.
        row.off_cpu_ns = row.off_cpu_ns.min(row.elapsed_ns);
        if let Some(&(ns, callee, count)) = best.get(&(name as NameId)) {
            row.max_sub = calls.names.text(callee);
            row.max_sub_count = count;
            row.max_sub_ns = ns;
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
    let name_of = |text: &str| crate::export::text::printable(text).into_owned();
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
    let children = calls.tree.children();
    let mut top = children[ROOT as usize].clone();
    top.extend(&children[INTERRUPTS as usize]);
    top.retain(|&id| id > INTERRUPTS);
    top.sort_by_key(|&id| std::cmp::Reverse(nodes[id as usize].elapsed_ns));
    let mut lines = Vec::new();
    for &start in top.iter().take(limit) {
        let mut line = String::new();
        let mut at = start;
        for _ in 0..64 {
            let node = &nodes[at as usize];
            let _ = write!(line, "{}({})-> ", calls.names.text(node.name), node.count);
            let next = children[at as usize]
                .iter()
                .max_by_key(|&&c| (nodes[c as usize].elapsed_ns, std::cmp::Reverse(c)));
            let Some(&next) = next else { break };
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
    let children = calls.tree.children();
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
        let name = crate::export::text::printable(&name);
        let indent = "  ".repeat(level.min(100));
        let _ = writeln!(out, "{indent}{name}({})-> {} us", node.count, node.elapsed_ns / 1000);
        lines += 1;
        let mut below: Vec<NodeId> = children[id as usize].clone();
        below.retain(|&c| nodes[c as usize].elapsed_ns >= min_ns);
        below.sort_by_key(|&c| nodes[c as usize].elapsed_ns);
        walk.extend(below.into_iter().map(|c| (c, level + 1)));
    }
    out
}

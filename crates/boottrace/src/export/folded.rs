// SPDX-License-Identifier: MIT
//! Folded stacks, `a;b;c weight` a line: the input of `flamegraph.pl`, inferno and speedscope. Weights are nanoseconds.

use std::borrow::Cow;
use std::io::{self, Write};

use super::lanes;
use super::lanes::Edge;
use crate::text::printable as text;
use crate::timeline::tracks::Timeline;
use crate::timeline::tree::Tree;

/// Call paths deeper than this are cut: each line repeats its whole path.
pub const MAX_DEPTH: usize = 512;

/// A name without the format's separators.
fn frame(name: &str) -> Cow<'_, str> {
    let name = text::printable(name);
    if name.is_empty() {
        return Cow::Borrowed("[unnamed]");
    }
    if name.contains(';') {
        Cow::Owned(name.replace(';', ":"))
    } else {
        name
    }
}

/// Writes the self time of every path of a merged call tree; paths without weight are left out.
///
/// # Errors
/// Those of `out`.
pub fn write_tree<W: Write>(tree: &Tree, mut out: W) -> io::Result<()> {
    for leaf in 1..tree.nodes.len() {
        if tree.nodes[leaf].self_ns == 0 {
            continue;
        }
        let mut path = Vec::new();
        let mut at = leaf;
        while at != 0 && path.len() < MAX_DEPTH {
            path.push(frame(&tree.nodes[at].name));
            let parent = tree.nodes[at].parent;
            at = if parent < at { parent } else { 0 };
        }
        path.reverse();
        writeln!(out, "{} {}", path.join(";"), tree.nodes[leaf].self_ns)?;
    }
    out.flush()
}

/// The merged tree of a timeline: tracks on the first level, spans by nesting below. Open spans end with the timeline.
pub fn tree_of(timeline: &Timeline) -> Tree {
    let mut tree = Tree::new(&timeline.title, &timeline.clock);
    let (_, high_ns) = timeline.bounds_ns().unwrap_or((0, 0));
    let mut known: std::collections::HashMap<(usize, &str), usize> = std::collections::HashMap::new();
    for track in &timeline.tracks {
        let top = tree.push(0, &track.name, 0, 1);
        for lane in &lanes::assign(&track.spans).lanes {
            let mut stack = vec![top];
            for edge in lane {
                let Edge::Begin(index) = *edge else {
                    stack.pop();
                    continue;
                };
                let span = &track.spans[index];
                let length_ns = span.end_ns.unwrap_or(high_ns).saturating_sub(span.start_ns).max(0) as u64;
                let parent = *stack.last().unwrap_or(&top);
                let node = *known
                    .entry((parent, &span.name))
                    .or_insert_with(|| tree.push(parent, &span.name, 0, 0));
                tree.nodes[node].count += 1;
                tree.nodes[node].self_ns = tree.nodes[node].self_ns.saturating_add(length_ns);
                if parent != top {
                    // What a callee takes is not its caller's own.
                    tree.nodes[parent].self_ns = tree.nodes[parent].self_ns.saturating_sub(length_ns);
                }
                stack.push(node);
            }
        }
    }
    tree
}

/// Writes the folded stacks of a timeline, one root a track.
///
/// # Errors
/// Those of `out`.
pub fn write<W: Write>(timeline: &Timeline, out: W) -> io::Result<()> {
    write_tree(&tree_of(timeline), out)
}

// SPDX-License-Identifier: MIT
//! The merged call tree: one node for each distinct path, filled while a trace streams by.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;

use super::names::{NameId, Names};
use super::node_table::NodeTable;

/// Distinct paths beyond this number share the node [`CUT`].
pub const MAX_NODES: usize = 1 << 20;

/// A tree of so many nodes is expected to become a large one.
const MANY_NODES: usize = 1 << 12;

pub use super::node_table::NodeId;

/// The root: the place before any function.
pub const ROOT: NodeId = 0;
/// The node that takes what lies beyond [`MAX_NODES`].
pub const CUT: NodeId = 1;
/// Parent of what ran in interrupts: they hit any function and belong to none.
pub const INTERRUPTS: NodeId = 2;
/// How many nodes stand for no function, at the beginning.
pub(super) const FIXED: usize = 3;

/// One of the nodes that stand for no function.
#[inline]
pub(super) fn is_fixed(id: NodeId) -> bool {
    id < FIXED as NodeId
}

/// All calls along one path, as far as every call changes it: half a line of the cache, since a large tree is visited in
/// no order. [`CallTree::tally`] gives all of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(align(32))]
pub struct Node {
    /// The function; meaningless for the three fixed nodes.
    pub name: NameId,
    /// The caller's node.
    pub parent: NodeId,
    /// The lower half of the number of calls; the upper one stands aside.
    count: u32,
    /// The longest call, when it is shorter than this can say; else it stands aside.
    max_ns: u32,
    /// Sum of entry-to-exit times, nanoseconds.
    pub elapsed_ns: u64,
    /// Time in the function itself: without callees, without interrupts, without time switched out.
    pub self_ns: u64,
}

/// What few nodes have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Aside {
    /// Calls by 2^32.
    count: u64,
    open: u64,
    off_cpu_ns: u64,
    max_ns: u64,
}

/// All that is known of the calls along one path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Calls, those that never ended included.
    pub count: u64,
    /// Calls that never ended in the trace; they have no time.
    pub open: u64,
    /// Sum of entry-to-exit times, nanoseconds.
    pub elapsed_ns: u64,
    /// Time in the function itself: without callees, without interrupts, without time switched out.
    pub self_ns: u64,
    /// Time the task was switched out while this function was the innermost one.
    pub off_cpu_ns: u64,
    /// The longest single call, nanoseconds.
    pub max_ns: u64,
}

/// See the module.
#[derive(Debug, Clone)]
pub struct CallTree {
    nodes: Vec<Node>,
    aside: HashMap<NodeId, Aside, RandomState>,
    table: NodeTable,
    hasher: RandomState,
    /// How many entries fell to [`CUT`].
    pub cut: u64,
}

impl Default for CallTree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default(); FIXED],
            aside: HashMap::default(),
            table: NodeTable::default(),
            hasher: RandomState::default(),
            cut: 0,
        }
    }
}

/// First callee and next sibling of every node; a list for each would be an allocation for each.
#[derive(Debug, Clone)]
pub struct Links {
    first: Vec<NodeId>,
    next: Vec<NodeId>,
}

impl Links {
    /// The callees of a node, in order of appearance.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        // The root is nobody's child, so its number ends a list.
        let start = self.first.get(id as usize).copied().filter(|&id| id != ROOT);
        std::iter::successors(start, |&id| {
            self.next.get(id as usize).copied().filter(|&id| id != ROOT)
        })
    }
}

impl CallTree {
    /// The node of `name` called from `parent`, new or known.
    #[inline]
    pub fn child(&mut self, parent: NodeId, name: NameId) -> NodeId {
        let key = u64::from(parent) << 32 | u64::from(name);
        let hash = self.hasher.hash_one(key) as u32;
        let nodes = &self.nodes;
        let same = |id: NodeId| {
            let node = &nodes[id as usize];
            node.parent == parent && node.name == name
        };
        match self.table.find(hash, same) {
            Some(id) => id,
            None => self.insert(hash, parent, name),
        }
    }

    #[cold]
    fn insert(&mut self, hash: u32, parent: NodeId, name: NameId) -> NodeId {
        if self.nodes.len() >= MAX_NODES || parent == CUT {
            self.cut += 1;
            return CUT;
        }
        if self.nodes.len() == MANY_NODES {
            // Room for all of them: only what is used becomes memory, and nothing has to move again.
            self.nodes.reserve_exact(MAX_NODES - MANY_NODES);
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            name,
            parent,
            ..Node::default()
        });
        self.table.insert(hash, id);
        id
    }

    /// One more call.
    #[inline]
    pub fn count(&mut self, id: NodeId) {
        let node = &mut self.nodes[id as usize];
        node.count = node.count.wrapping_add(1);
        if node.count == 0 {
            self.aside(id).count += 1;
        }
    }

    /// A call's time, all in nanoseconds: from entry to exit, in the function itself, and switched out.
    #[inline]
    pub fn charge(&mut self, id: NodeId, elapsed_ns: u64, self_ns: u64, off_cpu_ns: u64) {
        let node = &mut self.nodes[id as usize];
        node.elapsed_ns = node.elapsed_ns.saturating_add(elapsed_ns);
        node.self_ns = node.self_ns.saturating_add(self_ns);
        if elapsed_ns > u64::from(node.max_ns) || off_cpu_ns > 0 {
            self.charge_rare(id, elapsed_ns, off_cpu_ns);
        }
    }

    #[cold]
    fn charge_rare(&mut self, id: NodeId, elapsed_ns: u64, off_cpu_ns: u64) {
        let node = &mut self.nodes[id as usize];
        let short = u32::try_from(elapsed_ns).unwrap_or(u32::MAX);
        node.max_ns = node.max_ns.max(short);
        if short < u32::MAX && off_cpu_ns == 0 {
            return;
        }
        let aside = self.aside(id);
        aside.max_ns = aside.max_ns.max(elapsed_ns);
        aside.off_cpu_ns = aside.off_cpu_ns.saturating_add(off_cpu_ns);
    }

    /// A call that was counted has no end.
    pub fn never_ended(&mut self, id: NodeId) {
        self.aside(id).open += 1;
    }

    fn aside(&mut self, id: NodeId) -> &mut Aside {
        self.aside.entry(id).or_default()
    }

    /// All that is known of a node's calls. A number never given is an error of the program.
    pub fn tally(&self, id: NodeId) -> Tally {
        let node = &self.nodes[id as usize];
        let aside = if self.aside.is_empty() {
            Aside::default()
        } else {
            self.aside.get(&id).copied().unwrap_or_default()
        };
        Tally {
            count: aside.count << 32 | u64::from(node.count),
            open: aside.open,
            elapsed_ns: node.elapsed_ns,
            self_ns: node.self_ns,
            off_cpu_ns: aside.off_cpu_ns,
            max_ns: aside.max_ns.max(u64::from(node.max_ns)),
        }
    }

    /// All nodes; a parent stands before its children. The first three are [`ROOT`], [`CUT`] and [`INTERRUPTS`].
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Name of a node, for people.
    pub fn label(&self, names: &Names, id: NodeId) -> String {
        match id {
            ROOT => "[root]".to_owned(),
            CUT => "[paths beyond the limit]".to_owned(),
            INTERRUPTS => "[interrupts]".to_owned(),
            _ => names.text(self.nodes[id as usize].name),
        }
    }

    /// Who called whom, for walks from callers to callees.
    pub fn links(&self) -> Links {
        let mut first = vec![ROOT; self.nodes.len()];
        let mut next = vec![ROOT; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate().skip(1).rev() {
            next[id] = std::mem::replace(&mut first[node.parent as usize], id as NodeId);
        }
        Links { first, next }
    }

    /// The tree for the flame-graph writers: self times, time switched out as a child of its own when there is any.
    pub fn export(&self, names: &Names, title: &str, clock: &str) -> crate::timeline::tree::Tree {
        let mut out = crate::timeline::tree::Tree::new(title, clock);
        let mut number = vec![0_usize; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate().skip(1) {
            let tally = self.tally(id as NodeId);
            let called_by_interrupts = |node: &Node| node.parent == INTERRUPTS;
            let used = match id as NodeId {
                INTERRUPTS => self.nodes.iter().skip(FIXED).any(called_by_interrupts),
                CUT => tally.count > 0,
                _ => true,
            };
            if !used {
                continue;
            }
            let label = self.label(names, id as NodeId);
            number[id] = out.push(number[node.parent as usize], label, node.self_ns, tally.count);
            if tally.off_cpu_ns > 0 {
                out.push(number[id], "[switched out]", tally.off_cpu_ns, tally.count);
            }
        }
        out
    }
}

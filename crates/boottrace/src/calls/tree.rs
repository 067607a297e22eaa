//! The merged call tree: one node for each distinct path, filled while a trace streams by.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use super::names::{NameId, Names};

/// Distinct paths beyond this number share the node [`CUT`].
pub const MAX_NODES: usize = 1 << 20;

/// Number of a node in [`CallTree`].
pub type NodeId = u32;

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

/// All calls along one path. One line of the cache each: a large tree is visited in no order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[repr(align(64))]
pub struct Node {
    /// The function; meaningless for the three fixed nodes.
    pub name: NameId,
    /// The caller's node.
    pub parent: NodeId,
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
    /// With the hash, so that neither growing nor a wrong candidate touches the nodes.
    table: HashTable<(u32, NodeId)>,
    hasher: RandomState,
    /// How many entries fell to [`CUT`].
    pub cut: u64,
}

impl Default for CallTree {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default(); FIXED],
            table: HashTable::new(),
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

fn key(parent: NodeId, name: NameId) -> u64 {
    u64::from(parent) << 32 | u64::from(name)
}

/// The table takes its bits from both ends.
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

impl CallTree {
    /// The node of `name` called from `parent`, new or known.
    #[inline]
    pub fn child(&mut self, parent: NodeId, name: NameId) -> NodeId {
        let hash = self.hasher.hash_one(key(parent, name)) as u32;
        let nodes = &self.nodes;
        let same = |&(other, id): &(u32, NodeId)| {
            other == hash && {
                let node = &nodes[id as usize];
                node.parent == parent && node.name == name
            }
        };
        if let Some(&(_, id)) = self.table.find(spread(hash), same) {
            return id;
        }
        self.insert(hash, parent, name)
    }

    #[cold]
    fn insert(&mut self, hash: u32, parent: NodeId, name: NameId) -> NodeId {
        if self.nodes.len() >= MAX_NODES || parent == CUT {
            self.cut += 1;
            return CUT;
        }
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node {
            name,
            parent,
            ..Node::default()
        });
        self.table
            .insert_unique(spread(hash), (hash, id), |&(hash, _)| spread(hash));
        id
    }

    /// The node to count in.
    #[inline]
    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize]
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
    pub fn export(&self, names: &Names, title: &str, clock: &str) -> crate::export::Tree {
        let mut out = crate::export::Tree::new(title, clock);
        let mut number = vec![0_usize; self.nodes.len()];
        for (id, node) in self.nodes.iter().enumerate().skip(1) {
            let called_by_interrupts = |node: &Node| node.parent == INTERRUPTS;
            let used = match id as NodeId {
                INTERRUPTS => self.nodes.iter().skip(FIXED).any(called_by_interrupts),
                CUT => node.count > 0,
                _ => true,
            };
            if !used {
                continue;
            }
            let label = self.label(names, id as NodeId);
            number[id] = out.push(number[node.parent as usize], label, node.self_ns, node.count);
            if node.off_cpu_ns > 0 {
                out.push(number[id], "[switched out]", node.off_cpu_ns, node.count);
            }
        }
        out
    }
}

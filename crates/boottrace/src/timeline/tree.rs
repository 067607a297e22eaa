// SPDX-License-Identifier: MIT
//! A merged call tree with weights: the input of the flame-graph formats.

use serde::{Deserialize, Serialize};

/// Call paths with their self weight. Node 0 is the root and has no name of its own in any output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Tree {
    /// What this is, for headings.
    pub title: String,
    /// Name of the clock or counter the weights come from.
    pub clock: String,
    /// Parents stand before their children.
    pub nodes: Vec<TreeNode>,
}

/// One call path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TreeNode {
    /// The function (last element of the path).
    pub name: String,
    /// Index of the caller; 0 for the first level. The root names itself.
    pub parent: usize,
    /// Weight of the path itself, without its callees: nanoseconds, or instructions when `clock` says so.
    pub self_ns: u64,
    /// How many calls took this path.
    pub count: u64,
}

impl Tree {
    /// A tree with only its root.
    pub fn new(title: impl Into<String>, clock: impl Into<String>) -> Self {
        let root = TreeNode {
            name: String::new(),
            parent: 0,
            self_ns: 0,
            count: 0,
        };
        Self {
            title: title.into(),
            clock: clock.into(),
            nodes: vec![root],
        }
    }

    /// Adds a path below `parent` (an index this method gave, or 0) and gives its index.
    pub fn push(&mut self, parent: usize, name: impl Into<String>, self_ns: u64, count: u64) -> usize {
        let parent = parent.min(self.nodes.len().saturating_sub(1));
        self.nodes.push(TreeNode {
            name: name.into(),
            parent,
            self_ns,
            count,
        });
        self.nodes.len() - 1
    }

    /// Sum of self weights over each node and everything below it, by node.
    pub fn totals_ns(&self) -> Vec<u64> {
        let mut totals: Vec<u64> = self.nodes.iter().map(|node| node.self_ns).collect();
        for index in (1..self.nodes.len()).rev() {
            let parent = self.nodes[index].parent;
            // A tree read from a file may name a parent that comes later; such a link is ignored.
            if parent < index {
                totals[parent] = totals[parent].saturating_add(totals[index]);
            }
        }
        totals
    }

    /// Children of each node, in order.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate().skip(1) {
            children[if node.parent < index { node.parent } else { 0 }].push(index);
        }
        children
    }
}

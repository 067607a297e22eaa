// SPDX-License-Identifier: MIT
//! Which nodes of a call tree are recursive calls: their time is part of a time that was counted above them.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::names::NameId;
use super::tree::{is_fixed, CallTree, Node, NodeId, FIXED, ROOT};

/// Steps towards the root for each node, after which a walk over the whole tree is cheaper.
const STEPS: usize = 32;

/// What stands a second time on the path from the root to a node.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Repeat {
    /// The function.
    pub function: bool,
    /// The function, called by the same other function.
    pub call: bool,
}

/// For each node of the tree.
pub fn repeats(tree: &CallTree) -> Vec<Repeat> {
    by_ancestors(tree.nodes()).unwrap_or_else(|| by_walk(tree))
}

/// The caller's name, when a function called it.
fn caller(nodes: &[Node], node: &Node) -> Option<NameId> {
    (!is_fixed(node.parent)).then(|| nodes[node.parent as usize].name)
}

/// One pass in the order of the nodes. Sixty-four bits say which names may stand above a node, so that few have to look;
/// `None` when they had to look too often.
fn by_ancestors(nodes: &[Node]) -> Option<Vec<Repeat>> {
    let mut left = nodes.len().saturating_mul(STEPS);
    let mut found = vec![Repeat::default(); nodes.len()];
    let mut above = vec![0_u64; nodes.len()];
    for (id, node) in nodes.iter().enumerate().skip(FIXED) {
        let bit = 1_u64 << (node.name.wrapping_mul(0x9e37_79b1) >> 26);
        let names = above[node.parent as usize];
        above[id] = names | bit;
        if names & bit == 0 {
            continue;
        }
        let own = caller(nodes, node);
        let mut at = node.parent;
        while !is_fixed(at) {
            left = left.checked_sub(1)?;
            let other = &nodes[at as usize];
            if other.name == node.name {
                found[id].function = true;
                if own.is_some() && own == caller(nodes, other) {
                    found[id].call = true;
                    break;
                }
            }
            at = other.parent;
        }
    }
    Some(found)
}

/// The walk has a stack of its own: a hostile trace may nest deeper than the machine's.
fn by_walk(tree: &CallTree) -> Vec<Repeat> {
    enum Step {
        Enter(NodeId),
        Leave(NodeId),
    }
    let (nodes, callees) = (tree.nodes(), tree.links());
    let mut found = vec![Repeat::default(); nodes.len()];
    let mut functions: HashMap<NameId, u32, RandomState> = HashMap::default();
    let mut pairs: HashMap<(NameId, NameId), u32, RandomState> = HashMap::default();
    let mut walk = vec![Step::Enter(ROOT)];
    while let Some(step) = walk.pop() {
        match step {
            Step::Enter(id) => {
                if !is_fixed(id) {
                    let node = &nodes[id as usize];
                    let open = functions.entry(node.name).or_default();
                    found[id as usize].function = *open > 0;
                    *open += 1;
                    if let Some(caller) = caller(nodes, node) {
                        let open = pairs.entry((caller, node.name)).or_default();
                        found[id as usize].call = *open > 0;
                        *open += 1;
                    }
                    walk.push(Step::Leave(id));
                }
                walk.extend(callees.children(id).map(Step::Enter));
            }
            Step::Leave(id) => {
                let node = &nodes[id as usize];
                functions.entry(node.name).and_modify(|open| *open -= 1);
                if let Some(caller) = caller(nodes, node) {
                    pairs.entry((caller, node.name)).and_modify(|open| *open -= 1);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tree(parents: &[(usize, NameId)]) -> CallTree {
        let mut tree = CallTree::default();
        let mut ids = vec![ROOT, super::super::tree::INTERRUPTS];
        for &(parent, name) in parents {
            ids.push(tree.child(ids[parent % ids.len()], name));
        }
        tree
    }

    proptest! {
        #[test]
        fn both_ways_agree(
            few in prop::collection::vec((any::<usize>(), 1_u32..5), 0..200),
            many in prop::collection::vec((any::<usize>(), 1_u32..300), 0..200),
            deep in prop::collection::vec((0_usize..2, 1_u32..300), 0..100),
        ) {
            for parents in [few, many] {
                let tree = tree(&parents);
                if let Some(found) = by_ancestors(tree.nodes()) {
                    prop_assert_eq!(found, by_walk(&tree));
                }
            }
            let chain: Vec<_> = deep.iter().enumerate().map(|(at, &(back, name))| (at + 1 + back, name)).collect();
            let tree = tree(&chain);
            prop_assert_eq!(by_ancestors(tree.nodes()).expect("short"), by_walk(&tree));
        }
    }

    #[test]
    fn a_recursive_call_and_a_recursive_function_differ() {
        // a -> b -> a -> b -> c -> b
        let tree = tree(&[(0, 1), (2, 2), (3, 1), (4, 2), (5, 3), (6, 2)]);
        let said = by_walk(&tree);
        let expected = [
            (false, false),
            (false, false),
            (true, false),
            (true, true),
            (false, false),
            (true, false),
        ];
        let found: Vec<_> = said[FIXED..]
            .iter()
            .map(|repeat| (repeat.function, repeat.call))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(by_ancestors(tree.nodes()), Some(said));
    }

    #[test]
    fn a_deep_tree_is_walked() {
        // Sixty-four functions one under the other, many times over, and callees of the last that are none of them.
        let mut parents: Vec<(usize, NameId)> = (0..4000).map(|at| (at + 1, 1 + at as NameId % 300)).collect();
        parents.extend((0..3000).map(|name| (4001, 1000 + name)));
        let tree = tree(&parents);
        assert_eq!(by_ancestors(tree.nodes()), None);
        let said = by_walk(&tree);
        assert_eq!(said.iter().filter(|repeat| repeat.function).count(), 4000 - 300);
    }
}

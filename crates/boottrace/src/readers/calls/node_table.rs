// SPDX-License-Identifier: MIT
//! Which node of the call tree stands for a function called from a node: a table that is read once for each call.

/// Number of a node in a call tree.
pub type NodeId = u32;

/// No node: numbers of nodes stay far below. Not zero, because memory that only has to be zero is one shared page until
/// it is written to, and each of its pages then costs a second page fault.
const FREE: u64 = u64::MAX;
const MIN_SLOTS: usize = 1 << 10;

/// Open addressing with linear probing. A slot holds half of the key's hash and the node's number, so that a search
/// touches the node only where it is (almost) sure to be the right one, and growing touches no node at all.
#[derive(Debug, Clone)]
pub(super) struct NodeTable {
    slots: Vec<u64>,
    used: usize,
}

impl Default for NodeTable {
    fn default() -> Self {
        Self {
            slots: vec![FREE; MIN_SLOTS],
            used: 0,
        }
    }
}

#[inline]
fn hash_of(slot: u64) -> u32 {
    (slot >> 32) as u32
}

impl NodeTable {
    /// The node whose key has this hash and for which `same` is true.
    #[inline]
    pub fn find(&self, hash: u32, mut same: impl FnMut(NodeId) -> bool) -> Option<NodeId> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at & mask];
            if slot == FREE {
                return None;
            }
            let id = slot as NodeId;
            if hash_of(slot) == hash && same(id) {
                return Some(id);
            }
            at += 1;
        }
    }

    /// Adds a node that is not there.
    pub fn insert(&mut self, hash: u32, id: NodeId) {
        // At most three quarters are full: chains stay short, and there is always a free slot to end one.
        if (self.used + 1) * 4 > self.slots.len() * 3 {
            let bigger = vec![FREE; self.slots.len() * 2];
            let old = std::mem::replace(&mut self.slots, bigger);
            old.into_iter()
                .filter(|&slot| slot != FREE)
                .for_each(|slot| self.put(slot));
        }
        self.used += 1;
        self.put(u64::from(hash) << 32 | u64::from(id));
    }

    fn put(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = hash_of(slot) as usize & mask;
        while self.slots[at] != FREE {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn it_finds_what_a_map_finds(hashes in prop::collection::vec(prop_oneof![0_u32..50, any::<u32>()], 0..5000)) {
            let mut table = NodeTable::default();
            let mut map = HashMap::new();
            for (id, &hash) in hashes.iter().enumerate() {
                let id = id as NodeId;
                let known = table.find(hash, |_| true);
                prop_assert_eq!(known, map.get(&hash).copied());
                if known.is_none() {
                    table.insert(hash, id);
                    map.insert(hash, id);
                }
            }
        }
    }

    #[test]
    fn keys_of_one_hash_are_told_apart() {
        let mut table = NodeTable::default();
        for id in 0..3000 {
            assert_eq!(table.find(7, |other| other == id), None);
            table.insert(7, id);
        }
        assert_eq!(table.find(7, |other| other == 1234), Some(1234));
        assert_eq!(table.find(8, |_| true), None);
    }
}

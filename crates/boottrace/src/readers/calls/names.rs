// SPDX-License-Identifier: MIT
//! Names kept once and called by number.

use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Distinct names beyond this number (or [`MAX_BYTES`]) share one name.
pub const MAX_NAMES: usize = 1 << 19;
/// Bytes of all names together.
pub const MAX_BYTES: usize = 32 << 20;
/// A longer name is cut.
pub const MAX_NAME_BYTES: usize = 512;

/// Number of a name in [`Names`].
pub type NameId = u32;

/// The name that stands for all names beyond the limits.
pub const OVERFLOW: NameId = 0;

/// Places for names met before: a power of two.
const RECENT: usize = 1 << 12;

/// Eight bytes of `text` from `at`.
#[inline]
pub(super) fn eight(text: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(text.get(at..at + 8)?.try_into().ok()?))
}

/// Whether two texts are equal; most are too short for a call to be worth it.
#[inline]
pub(super) fn equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let Some(last) = one.len().checked_sub(8) else {
        return one == other;
    };
    (0..last).step_by(8).all(|at| eight(one, at) == eight(other, at)) && eight(one, last) == eight(other, last)
}

/// A place in [`Names::recent`], from the first and the last eight bytes. Names that share one only lose the short cut.
#[inline]
fn shortcut(name: &[u8]) -> usize {
    let word = match name
        .len()
        .checked_sub(8)
        .and_then(|last| eight(name, 0).zip(eight(name, last)))
    {
        Some((first, last)) => first ^ last.rotate_left(29),
        None => name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let mixed = word.wrapping_add(name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - RECENT.trailing_zeros())) as usize
}

/// A set of byte strings with small numbers, in order of appearance. The hash is seeded anew in every process, so nobody
/// can prepare names that collide.
#[derive(Debug, Clone)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<(u32, NameId)>,
    hasher: RandomState,
    /// Names met before, by [`shortcut`]: most are found here without a hash of all their bytes.
    recent: Box<[NameId; RECENT]>,
    /// How many look-ups fell to [`OVERFLOW`].
    pub overflowed: u64,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            table: HashTable::new(),
            hasher: RandomState::default(),
            recent: Box::new([OVERFLOW; RECENT]),
            overflowed: 0,
        };
        names.intern(b"[names beyond the limit]");
        names
    }
}

impl Names {
    /// The number of `name`, new or known.
    #[inline]
    pub fn intern(&mut self, name: &[u8]) -> NameId {
        let name = &name[..name.len().min(MAX_NAME_BYTES)];
        let place = shortcut(name);
        let recent = self.recent[place];
        if equal(self.bytes(recent), name) {
            return recent;
        }
        let id = self.look_up(name);
        self.recent[place] = id;
        id
    }

    /// The number of a name met lately; `None` says nothing.
    #[inline]
    pub fn recent(&self, name: &[u8]) -> Option<NameId> {
        let recent = self.recent[shortcut(name)];
        equal(self.bytes(recent), name).then_some(recent)
    }

    fn look_up(&mut self, name: &[u8]) -> NameId {
        let hash = self.hasher.hash_one(name);
        let short = (hash >> 32) as u32;
        let same = |&(other, id): &(u32, NameId)| other == short && self.bytes(id) == name;
        if let Some(&(_, id)) = self.table.find(hash, same) {
            return id;
        }
        self.insert(hash, name)
    }

    #[cold]
    fn insert(&mut self, hash: u64, name: &[u8]) -> NameId {
        if self.ends.len() >= MAX_NAMES || self.bytes.len() + name.len() > MAX_BYTES {
            self.overflowed += 1;
            return OVERFLOW;
        }
        let id = self.ends.len() as NameId;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len() as u32);
        let (bytes, ends, hasher) = (&self.bytes, &self.ends, &self.hasher);
        self.table.insert_unique(hash, ((hash >> 32) as u32, id), |&(_, id)| {
            let start = if id == 0 { 0 } else { ends[id as usize - 1] as usize };
            hasher.hash_one(&bytes[start..ends[id as usize] as usize])
        });
        id
    }

    /// The bytes of a name; empty for a number never given.
    pub fn bytes(&self, id: NameId) -> &[u8] {
        let id = id as usize;
        let Some(&end) = self.ends.get(id) else { return &[] };
        let start = if id == 0 { 0 } else { self.ends[id - 1] as usize };
        &self.bytes[start..end as usize]
    }

    /// The name as text; bytes that are no UTF-8 become U+FFFD.
    pub fn text(&self, id: NameId) -> String {
        String::from_utf8_lossy(self.bytes(id)).into_owned()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Never true: the overflow name is always there.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

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

/// A set of byte strings with small numbers, in order of appearance. The hash is seeded anew in every process, so nobody
/// can prepare names that collide.
#[derive(Debug, Clone)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<(u32, NameId)>,
    hasher: RandomState,
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
        let hash = self.hasher.hash_one(name);
        let short = (hash >> 32) as u32;
        let (bytes, ends) = (&self.bytes, &self.ends);
        let slice = |id: NameId| {
            let start = if id == 0 { 0 } else { ends[id as usize - 1] as usize };
            &bytes[start..ends[id as usize] as usize]
        };
        if let Some(&(_, id)) = self.table.find(hash, |&(h, id)| h == short && slice(id) == name) {
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

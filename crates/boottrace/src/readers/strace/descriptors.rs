// SPDX-License-Identifier: MIT
//! Which path stands behind which descriptor of which process.

use std::collections::HashMap;
use std::rc::Rc;

/// Descriptors kept of one process; a process that opens more loses the paths of some.
const MAX_OPEN: usize = 4096;
/// Processes whose descriptors are kept.
const MAX_PROCESSES: usize = 4096;

/// Open descriptors by process. Threads share those of the process that made them.
#[derive(Debug, Default)]
pub struct Descriptors {
    tables: HashMap<u32, HashMap<u32, Rc<str>>>,
    shares: HashMap<u32, u32>,
}

impl Descriptors {
    fn owner(&self, pid: u32) -> u32 {
        self.shares.get(&pid).copied().unwrap_or(pid)
    }

    /// Notes that a descriptor is a path from now on.
    pub fn open(&mut self, pid: u32, descriptor: u32, path: &str) {
        let owner = self.owner(pid);
        if self.tables.len() >= MAX_PROCESSES && !self.tables.contains_key(&owner) {
            return;
        }
        let table = self.tables.entry(owner).or_default();
        if table.len() < MAX_OPEN || table.contains_key(&descriptor) {
            table.insert(descriptor, Rc::from(path));
        }
    }

    /// The path behind a descriptor, where its opening was seen.
    pub fn path(&self, pid: u32, descriptor: u32) -> Option<Rc<str>> {
        self.tables.get(&self.owner(pid))?.get(&descriptor).cloned()
    }

    /// Forgets a descriptor.
    pub fn close(&mut self, pid: u32, descriptor: u32) {
        let owner = self.owner(pid);
        if let Some(table) = self.tables.get_mut(&owner) {
            table.remove(&descriptor);
        }
    }

    /// A new process has a copy of the descriptors, a new thread the same ones.
    pub fn forked(&mut self, parent: u32, child: u32, shared: bool) {
        let owner = self.owner(parent);
        if shared {
            if self.shares.len() < MAX_PROCESSES {
                self.shares.insert(child, owner);
            }
        } else if self.tables.len() < MAX_PROCESSES {
            let copy = self.tables.get(&owner).cloned().unwrap_or_default();
            self.tables.insert(child, copy);
        }
    }

    /// Forgets a process.
    pub fn ended(&mut self, pid: u32) {
        self.tables.remove(&pid);
        self.shares.remove(&pid);
    }
}

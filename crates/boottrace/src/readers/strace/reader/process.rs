// SPDX-License-Identifier: MIT
//! Whose call it is: processes by their numbers, and who made them.

use super::{Done, Process, Reader};

/// Processes that are told apart; calls of further ones are counted under the last.
const MAX_PROCESSES: usize = 10_000;

impl Reader {
    /// On a terminal strace names no process while it follows one alone.
    pub(super) fn whose(&mut self, pid: Option<u32>) -> u32 {
        let Some(pid) = pid else {
            let mut alive = self.processes.iter().filter(|process| process.ended.is_empty());
            return match (alive.next(), alive.next()) {
                (Some(one), None) => one.pid,
                _ => self.processes.first().map_or(0, |first| first.pid),
            };
        };
        // The first that is named and was not made by the nameless one is that one.
        if !self.index.contains_key(&pid) && !self.attached.contains(&pid) {
            if let Some(nameless) = self.index.remove(&0) {
                self.index.insert(pid, nameless);
                self.renamed(nameless, pid);
                if let Some(state) = self.states.remove(&0) {
                    self.states.insert(pid, state);
                }
                self.descriptors.forked(0, pid, true);
            }
        }
        pid
    }

    /// The process that had no number has one.
    fn renamed(&mut self, index: usize, pid: u32) {
        self.processes[index].pid = pid;
        for process in self.processes.iter_mut().filter(|process| process.parent == Some(0)) {
            process.parent = Some(pid);
        }
        self.asked.renamed(pid);
        self.tables.renamed(pid);
    }

    /// The process of this number, new or known; None beyond the limit.
    pub(super) fn process(&mut self, pid: u32) -> Option<&mut Process> {
        let index = match self.index.get(&pid) {
            Some(&index) => index,
            None if self.processes.len() >= MAX_PROCESSES => {
                self.profile.left_out += 1;
                return None;
            }
            None => {
                self.processes.push(Process {
                    pid,
                    start_ns: self.clock.now_ns,
                    ..Process::default()
                });
                self.index.insert(pid, self.processes.len() - 1);
                self.processes.len() - 1
            }
        };
        let now_ns = self.clock.now_ns;
        let process = self.processes.get_mut(index)?;
        process.end_ns = now_ns;
        Some(process)
    }

    /// A call has made a process or a thread.
    pub(super) fn forked(&mut self, done: &Done<'_>) {
        let Some(child) = done
            .end
            .result
            .and_then(|pid| u32::try_from(pid).ok())
            .filter(|&pid| pid > 0)
        else {
            return;
        };
        let thread = memchr::memmem::find(done.arguments, b"CLONE_THREAD").is_some();
        let program = self
            .process(done.pid)
            .map(|parent| parent.program.clone())
            .unwrap_or_default();
        self.descriptors.forked(done.pid, child, thread);
        let (pid, end_ns) = (done.pid, self.clock.now_ns);
        if let Some(process) = self.process(child) {
            process.parent = Some(pid);
            process.end_ns = process.end_ns.or(end_ns);
            if process.program.is_empty() {
                process.program = program;
            }
        }
    }
}

// SPDX-License-Identifier: MIT
//! Paths that a process asked for in vain, until they came: waiting by asking again.

use std::collections::HashMap;

use super::profile::Polled;

/// Paths of one log that are being asked for.
const MAX_ASKED: usize = 10_000;

/// Who asked when, and how often the process had waited by then.
#[derive(Debug, Clone, Copy)]
pub struct Try {
    /// The process.
    pub pid: u32,
    /// When the call began.
    pub at_ns: Option<i64>,
    /// Its line.
    pub line: u32,
    /// Waits of the process up to now.
    pub waits: u64,
}

#[derive(Debug)]
struct Asked {
    tries: u64,
    error: String,
    first: Try,
    last: Try,
}

impl Asked {
    /// Asking once, or without a wait in between, is looking, not waiting.
    fn polled(self, path: String, came: bool, coarse: bool) -> Option<Polled> {
        if self.last.waits <= self.first.waits || (self.tries < 2 && !came) {
            return None;
        }
        let times = self.last.at_ns.zip(self.first.at_ns).filter(|_| !coarse);
        Some(Polled {
            path,
            pid: self.first.pid,
            tries: self.tries,
            error: self.error,
            at_ns: self.first.at_ns,
            took_ns: times.map(|(last, first)| last.saturating_sub(first)),
            came,
            first_line: self.first.line,
            last_line: self.last.line,
        })
    }
}

/// All paths that are being asked for.
#[derive(Debug, Default)]
pub struct AskedPaths(HashMap<(u32, String), Asked>);

impl AskedPaths {
    /// A call that did not find the path; false when there are too many of them.
    pub fn in_vain(&mut self, path: String, now: Try, error: impl FnOnce() -> String) -> bool {
        let key = (now.pid, path);
        if self.0.len() >= MAX_ASKED && !self.0.contains_key(&key) {
            return false;
        }
        let asked = self.0.entry(key).or_insert_with(|| Asked {
            tries: 0,
            error: error(),
            first: now,
            last: now,
        });
        asked.tries += 1;
        asked.last = now;
        true
    }

    /// The path is there: what asking for it came to, when it was waited for.
    pub fn came(&mut self, path: &str, now: Try, coarse: bool) -> Option<Polled> {
        // Nearly every path is asked for once; the key is made only for those that were not there.
        if self.0.is_empty() {
            return None;
        }
        let (key, mut asked) = self.0.remove_entry(&(now.pid, path.to_owned()))?;
        asked.last = now;
        asked.polled(key.1, true, coarse)
    }

    /// The process that had no number has one.
    pub fn renamed(&mut self, pid: u32) {
        let nameless: Vec<_> = self.0.keys().filter(|(of, _)| *of == 0).cloned().collect();
        for key in nameless {
            if let Some(mut asked) = self.0.remove(&key) {
                asked.first.pid = pid;
                self.0.insert((pid, key.1), asked);
            }
        }
    }

    /// What was never answered: waits that the log's end cut off.
    pub fn unanswered(self, coarse: bool) -> impl Iterator<Item = Polled> {
        self.0
            .into_iter()
            .filter_map(move |((_, path), asked)| asked.polled(path, false, coarse))
    }
}

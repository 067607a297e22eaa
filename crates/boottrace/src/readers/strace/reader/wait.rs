// SPDX-License-Identifier: MIT
//! What processes wait for, and for how long.

use super::super::arguments;
use super::super::profile::WaitFor;
use super::{shown, Done, Reader, Wait};

/// A wait shorter than this is not listed.
const WAIT_NS: i64 = 1_000_000;

impl Reader {
    /// A call that waits: it is noted when its length is known.
    pub(super) fn wait(&mut self, done: &Done<'_>, wait_for: WaitFor) {
        let timed_out = memchr::memmem::find(done.end.note, b"Timeout").is_some() || done.end.error == b"ETIMEDOUT";
        let wait = Wait {
            wait_for,
            call: shown(done.name),
            path: String::new(),
            pid: done.pid,
            at_ns: done.at_ns,
            took_ns: done.took_ns.unwrap_or(0),
            asked_ns: arguments::asked_ns(done.name, done.arguments),
            timed_out,
            told_ns: told_ns(done, wait_for, timed_out),
            estimated: done.took_ns.is_none(),
            line: done.line,
        };
        let state = self.states.entry(done.pid).or_default();
        state.waits += 1;
        if wait.estimated {
            state.open_wait = Some(wait);
        } else {
            self.end_wait(wait);
        }
    }

    /// A wait is over.
    pub(super) fn end_wait(&mut self, mut wait: Wait) {
        if wait.estimated {
            let passed = self
                .clock
                .now_ns
                .zip(wait.at_ns)
                .map(|(now, at)| now.saturating_sub(at));
            // Whole seconds, or none: what the call itself tells is nearer to the truth.
            let known = if self.clock.coarse {
                wait.told_ns
            } else {
                passed.or(wait.told_ns)
            };
            let Some(known) = known else { return };
            wait.took_ns = known.max(0);
        }
        if let Some(&index) = self.index.get(&wait.pid) {
            self.processes[index].waited_ns = self.processes[index].waited_ns.saturating_add(wait.took_ns);
        }
        if wait.wait_for == WaitFor::Sleep {
            self.tables.slept(wait.pid, wait.asked_ns, wait.took_ns, wait.line);
        }
        if wait.took_ns >= WAIT_NS {
            self.tables.waited(wait);
        }
    }

    /// A call that took long without waiting.
    pub(super) fn work(&mut self, done: &Done<'_>, took_ns: i64) {
        let path = arguments::descriptor(arguments::nth(done.arguments, 0))
            .and_then(|(number, named)| {
                named.or_else(|| self.descriptors.path(done.pid, number).map(|p| p.to_string()))
            })
            .or_else(|| arguments::text(done.arguments))
            .unwrap_or_default();
        self.tables.waited(Wait {
            wait_for: WaitFor::Work,
            call: shown(done.name),
            path,
            pid: done.pid,
            at_ns: done.at_ns,
            took_ns,
            line: done.line,
            ..Wait::default()
        });
    }
}

/// How long a call waited by its own account: as long as was asked for only if it returned because of that.
fn told_ns(done: &Done<'_>, wait_for: WaitFor, timed_out: bool) -> Option<i64> {
    let asked = arguments::asked_ns(done.name, done.arguments);
    if wait_for == WaitFor::Sleep || timed_out {
        return asked.filter(|_| done.end.error != b"EINTR");
    }
    let left = arguments::left_ns(done.end.note)?;
    asked?.checked_sub(left).filter(|ns| *ns >= 0)
}

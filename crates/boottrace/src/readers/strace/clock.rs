// SPDX-License-Identifier: MIT
//! One time axis out of the stamps of a log.

use super::line::Stamp;

const DAY_NS: i64 = 86_400 * 1_000_000_000;

/// What the stamps so far say.
#[derive(Debug, Default)]
pub struct Clock {
    /// Nanoseconds since the first stamp; `None` before it.
    pub now_ns: Option<i64>,
    /// Stamps of whole seconds were seen: differences say nothing.
    pub coarse: bool,
    first_ns: Option<i64>,
    since_ns: i64,
    days: i64,
}

impl Clock {
    /// Takes a line's stamp.
    pub fn take(&mut self, stamp: Option<Stamp>) {
        let at_ns = match stamp {
            None => return,
            Some(Stamp::Epoch(ns)) => ns,
            Some(Stamp::Since(ns)) => {
                self.since_ns = self.since_ns.saturating_add(ns);
                self.since_ns
            }
            Some(Stamp::OfDay { ns, whole_seconds }) => {
                self.coarse |= whole_seconds;
                let before = self
                    .first_ns
                    .zip(self.now_ns)
                    .map(|(first, now)| first.saturating_add(now));
                // Past midnight; lines of two processes may stand in the wrong order by a little.
                if before.is_some_and(|before| self.days.saturating_add(ns + DAY_NS / 2) < before) {
                    self.days = self.days.saturating_add(DAY_NS);
                }
                self.days.saturating_add(ns)
            }
        };
        let first_ns = *self.first_ns.get_or_insert(at_ns);
        self.now_ns = Some(at_ns.saturating_sub(first_ns));
    }
}

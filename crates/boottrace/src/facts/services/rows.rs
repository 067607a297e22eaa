// SPDX-License-Identifier: MIT
//! From lines to services: when each began, and when it was up.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::manager::{Manager, Word};
use super::words::word;
use crate::log::hand_over::starts_kernel;

/// Services kept: a log may be anything.
const MAX_SERVICES: usize = 5000;
/// A line whose bytes all came within this was written at once: it does not show how long anything took.
const AT_ONCE_NS: i64 = 50_000;

/// One service's start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Service {
    /// As its line calls it.
    pub name: String,
    /// Who started it.
    pub manager: Manager,
    /// When the start began.
    pub start_ns: i64,
    /// When it ended; `None`: nothing says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub done_ns: Option<i64>,
    /// The end is only known to be no later than this: the next line of the same init.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// `false`: it did not come up.
    pub ok: bool,
    /// The lines that say it, as they are numbered.
    pub lines: (u32, u32),
}

/// Reads lines one by one, in the order of time.
#[derive(Debug, Default)]
pub struct ServiceLog {
    found: Vec<Service>,
    /// Starts whose end is awaited, by name: places in `found`.
    open: HashMap<String, usize>,
    /// The start that began last, of an init that starts one after the other.
    last: Option<usize>,
    /// The service whose line said its end as well, and of whose line only the beginning is known: up to the next line.
    until_next: Option<usize>,
}

impl ServiceLog {
    /// Reads a line: its number, its text without terminal sequences, when its first byte came and when its last did
    /// (the same, where only one is known). Returns whether it is a service's.
    pub fn line(&mut self, number: u32, text: &str, first_ns: i64, last_ns: i64) -> bool {
        self.other(first_ns);
        // `Starting kernel ...` reads like a start script's line.
        let Some((manager, said)) = word(text).filter(|_| !starts_kernel(text)) else {
            return false;
        };
        if manager.in_turn() && !matches!(said, Word::Ends(..)) {
            self.close(first_ns);
        }
        match said {
            Word::Begins(name) => {
                let at = self.add(name, manager, first_ns, None, true, number);
                if let Some(at) = at {
                    self.open.insert(name.to_owned(), at);
                    self.last = Some(at);
                }
            }
            Word::Ends(name, ok) => {
                let at = match name {
                    Some(name) => self.open.remove(name),
                    None => self.last.take(),
                };
                if let Some(service) = at.and_then(|at| self.found.get_mut(at)) {
                    service.done_ns.get_or_insert(last_ns.max(service.start_ns));
                    service.ok &= ok;
                    service.lines.1 = number;
                    self.last = None;
                }
            }
            Word::Whole(name, ok) => {
                // Startpar keeps what a script prints until that has ended: its line comes at once, and late.
                let length = last_ns.saturating_sub(first_ns);
                let done = (length >= AT_ONCE_NS).then_some(last_ns);
                let at = self.add(name, manager, first_ns, done, ok, number);
                self.until_next = if length == 0 { at } else { None };
            }
            Word::Took(name, ns, ok) => {
                self.add(name, manager, first_ns.saturating_sub(ns), Some(first_ns), ok, number);
            }
        }
        true
    }

    /// What was found, in the order of their lines.
    pub fn services(self) -> Vec<Service> {
        self.found
    }

    fn add(
        &mut self,
        name: &str,
        manager: Manager,
        start: i64,
        done: Option<i64>,
        ok: bool,
        line: u32,
    ) -> Option<usize> {
        if self.found.len() >= MAX_SERVICES {
            return None;
        }
        self.found.push(Service {
            name: name.to_owned(),
            manager,
            start_ns: start,
            done_ns: done,
            at_most: false,
            ok,
            lines: (line, line),
        });
        Some(self.found.len() - 1)
    }

    /// A line of somebody else begins: the one before it was whole by then.
    pub fn other(&mut self, now_ns: i64) {
        if let Some(service) = self.until_next.take().and_then(|at| self.found.get_mut(at)) {
            service.done_ns = Some(now_ns.max(service.start_ns));
            service.at_most = true;
        }
    }

    /// Ends what is still open of an init that starts one after the other: the next one begins.
    fn close(&mut self, now_ns: i64) {
        let Some(service) = self.last.take().and_then(|at| self.found.get_mut(at)) else {
            return;
        };
        if service.manager.in_turn() && service.done_ns.is_none() {
            service.done_ns = Some(now_ns.max(service.start_ns));
            service.at_most = true;
            self.open.remove(&service.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Manager, Service, ServiceLog};

    fn read(lines: &[(i64, i64, &str)]) -> Vec<Service> {
        let mut log = ServiceLog::default();
        for (number, (first, last, text)) in (1..).zip(lines) {
            log.line(number, text, *first, *last);
        }
        log.services()
    }

    fn times(found: &[Service]) -> Vec<(&str, i64, Option<i64>, bool)> {
        found
            .iter()
            .map(|s| (s.name.as_str(), s.start_ns, s.done_ns, s.at_most))
            .collect()
    }

    #[test]
    fn a_line_with_two_times() {
        let found = read(&[
            (0, 900_000, "Starting syslogd: OK"),
            (1_000_000, 1_500_000, "Starting network: FAIL"),
            (2_000_000, 2_000_009, "Starting the camera: camera."),
            (3_000_000, 3_500_000, "Starting cron: OK"),
        ]);
        assert_eq!(
            times(&found),
            [
                ("Starting syslogd", 0, Some(900_000), false),
                ("Starting network", 1_000_000, Some(1_500_000), false),
                ("Starting the camera: camera", 2_000_000, None, false),
                ("Starting cron", 3_000_000, Some(3_500_000), false)
            ]
        );
        assert!(found[0].ok && !found[1].ok);
    }

    #[test]
    fn one_time_a_line_lasts_up_to_the_next() {
        let found = read(&[
            (10, 10, "Starting syslogd: OK"),
            (14, 14, "hello"),
            (30, 30, "Starting network: OK"),
        ]);
        assert_eq!(
            times(&found),
            [
                ("Starting syslogd", 10, Some(14), true),
                ("Starting network", 30, None, false)
            ]
        );
    }

    #[test]
    fn an_end_on_a_line_of_its_own() {
        let found = read(&[(1, 2, " * Starting camera ..."), (9, 9, " [ ok ]"), (9, 9, " [ ok ]")]);
        assert_eq!(times(&found), [("Starting camera", 1, Some(9), false)]);
        assert_eq!((found[0].manager, found[0].lines), (Manager::OpenRc, (1, 2)));
    }

    #[test]
    fn several_at_once_end_by_name() {
        let found = read(&[
            (1, 1, "s6-rc: info: service a: starting"),
            (2, 2, "s6-rc: info: service b: starting"),
            (5, 5, "s6-rc: info: service a successfully started"),
            (7, 7, "s6-rc: info: service b successfully started"),
            (8, 8, "s6-rc: info: service c: starting"),
        ]);
        assert_eq!(
            times(&found),
            [
                ("a", 1, Some(5), false),
                ("b", 2, Some(7), false),
                ("c", 8, None, false)
            ]
        );
    }

    #[test]
    fn a_printed_length() {
        let found = read(&[(
            900,
            900,
            "init: Command 'x' action=fs (/init.rc:2) took 0ms and succeeded",
        )]);
        assert_eq!(times(&found), [("x", 900, Some(900), false)]);
    }
}

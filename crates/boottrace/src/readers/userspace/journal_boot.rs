// SPDX-License-Identifier: MIT
//! One boot of a journal: the kernel's lines and the units.

use std::collections::HashMap;

use serde::Serialize;

use super::systemd_analyze::StartupTime;
use super::unit::{track, UnitTimes};
use crate::timeline::tracks::{Instant, Timeline, Track};

/// A line of the kernel's log, or a message of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JournalLine {
    /// The printk stamp where the journal kept it, else when the journal got the line; nanoseconds.
    pub at_ns: i64,
    /// `at_ns` is the printk stamp.
    pub from_printk: bool,
    /// Who said it, with its process number: `systemd[1]`. Empty: the kernel.
    pub sender: String,
    /// The message.
    pub text: String,
}

/// One boot of the journal.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Boot {
    /// `_BOOT_ID`.
    pub boot_id: String,
    /// `_HOSTNAME`, when it is a plain word.
    pub host: String,
    /// Entries.
    pub entries: u64,
    /// Stamps of the first and last entry, `CLOCK_MONOTONIC` nanoseconds.
    pub bounds_ns: Option<(i64, i64)>,
    /// The kernel's lines and the programs' messages, in the journal's order.
    pub lines: Vec<JournalLine>,
    /// Units with their first start.
    pub units: Vec<UnitTimes>,
    /// What systemd said about the whole start.
    pub startup: Option<StartupTime>,
    /// When it said so, nanoseconds.
    pub startup_finished_ns: Option<i64>,
    #[serde(skip)]
    pub(super) unit_index: HashMap<String, usize>,
}

impl Boot {
    /// The boot as `journalctl -o short-monotonic` prints it, for the reader of console logs: the same boot gives the
    /// same account in both forms.
    pub fn text(&self) -> String {
        use std::fmt::Write as _;
        let host = if self.host.is_empty() { "localhost" } else { &self.host };
        let programs = self.lines.iter().any(|line| !line.sender.is_empty());
        let mut out = String::new();
        for line in &self.lines {
            let us = line.at_ns / 1000;
            let _ = write!(out, "[{:5}.{:06}] ", us / 1_000_000, us % 1_000_000);
            if programs {
                let sender = if line.sender.is_empty() { "kernel" } else { &line.sender };
                let _ = write!(out, "{host} {sender}: ");
            }
            // Further lines of a message have no stamp of their own.
            out.extend(line.text.chars().map(|c| if c == '\n' { ' ' } else { c }));
            out.push('\n');
        }
        out
    }

    /// Units as spans, the end of the start as a point.
    pub fn timeline(&self) -> Timeline {
        let finished = self.startup_finished_ns.map(|at_ns| Instant {
            name: "startup finished".into(),
            at_ns,
            ..Instant::default()
        });
        let marks = Track {
            name: "systemd".into(),
            instants: finished.into_iter().collect(),
            ..Track::default()
        };
        let title = format!("boot {}", self.boot_id);
        Timeline {
            title,
            clock: "monotonic".into(),
            args: Vec::new(),
            tracks: vec![marks, track(&self.units)],
        }
    }

    /// The unit of this name, new or known.
    pub(super) fn unit(&mut self, name: &str) -> &mut UnitTimes {
        let next = self.units.len();
        let index = *self.unit_index.entry(name.to_owned()).or_insert(next);
        if index == next {
            self.units.push(UnitTimes {
                unit: name.to_owned(),
                ..UnitTimes::default()
            });
        }
        &mut self.units[index]
    }
}

// SPDX-License-Identifier: MIT
//! What the rules look at.

use std::ops::Deref;

use super::evidence::Evidence;
use crate::facts::boot::dates::{is_whole, received_ns, Dates};
use crate::facts::boot::stage::StageEvent;
use crate::facts::kernel::facts::{kernel_clock, stamp};
use crate::log::clock::Clock;
use crate::log::line::{Line, LineKind};

/// The evidence, and the kernel's lines of it.
pub(super) struct Context<'a> {
    evidence: Evidence<'a>,
    /// The clock of the kernel's stamps.
    pub clock: Clock,
    /// Kernel lines only, in file order.
    pub lines: Vec<&'a Line>,
    /// The dates that a daemon gave them.
    pub dates: Dates,
}

impl<'a> Deref for Context<'a> {
    type Target = Evidence<'a>;

    fn deref(&self) -> &Evidence<'a> {
        &self.evidence
    }
}

impl<'a> Context<'a> {
    pub fn of(evidence: Evidence<'a>) -> Self {
        let lines = evidence.boot.lines.iter();
        Self {
            clock: kernel_clock(evidence.boot),
            lines: lines.filter(|l| l.kind == LineKind::Kernel).collect(),
            dates: Dates::of(&evidence.boot.lines),
            evidence,
        }
    }

    /// The first kernel line whose message starts with one of the texts.
    pub fn find(&self, starts: &[&str]) -> Option<(usize, &'a Line)> {
        self.find_from(0, starts)
    }

    /// The same, from an index of `lines` on.
    pub fn find_from(&self, from: usize, starts: &[&str]) -> Option<(usize, &'a Line)> {
        let rest = self.lines.get(from..)?;
        let at = rest
            .iter()
            .position(|l| starts.iter().any(|s| l.text.trim_start().starts_with(s)))?;
        Some((from + at, rest[at]))
    }

    pub fn stamp(&self, line: &Line) -> Option<i64> {
        stamp(line, self.clock)
    }

    /// Time between two lines on the kernel's clock, never negative.
    pub fn between(&self, from: &Line, to: &Line) -> Option<i64> {
        self.stamp(to)?.checked_sub(self.stamp(from)?).filter(|ns| *ns >= 0)
    }

    /// Gap behind a line.
    pub fn gap_after(&self, index: usize) -> Option<i64> {
        self.between(self.lines.get(index)?, self.lines.get(index + 1)?)
    }

    /// When a stage's event came, on the axis.
    pub fn stage_ns(&self, event: StageEvent) -> Option<i64> {
        self.stages.iter().find(|stage| stage.event == event)?.ns
    }

    /// The line up to which somebody waits: first use; else that of systemd's own account of the start.
    pub fn end_line(&self) -> Option<u32> {
        let used = self.stages.iter().find(|stage| stage.event == StageEvent::FirstUse);
        used.and_then(|stage| stage.line)
            .or(self.startup.map(|account| account.line))
    }

    /// Time between two lines on the axis, by one clock.
    pub fn apart(&self, from: &Line, to: &Line) -> Option<i64> {
        let ((a, from_clock), (b, to_clock)) = (self.axis.at(from)?, self.axis.at(to)?);
        let ns = b.checked_sub(a).filter(|ns| *ns >= 0)?;
        let one_clock = from_clock == to_clock || self.axis.host(from).is_some();
        // A step of the clock that is too short to part the axis is still no time that passed.
        match from_clock {
            Clock::Host => self.dates.passed(from, to, ns).filter(|_| one_clock),
            _ => one_clock.then_some(ns),
        }
    }

    /// The same; where the axis has no place for one of them, by the dates that a daemon gave them.
    pub fn apart_or_dated(&self, from: &Line, to: &Line) -> Option<i64> {
        let on_axis = || self.axis.at(from).is_some() && self.axis.at(to).is_some();
        match self.apart(from, to) {
            None if !on_axis() => self.dates.apart(from, to),
            ns => ns,
        }
    }

    /// Are two lines as far apart as dates of whole seconds say, and nothing closer?
    pub fn by_whole_dates(&self, from: &Line, to: &Line) -> bool {
        let whole = |line: &Line| received_ns(line).is_some_and(is_whole);
        let on_axis = || self.axis.at(from).is_some() && self.axis.at(to).is_some();
        (self.axis.late || !on_axis()) && whole(from) && whole(to)
    }

    pub fn parameter(&self, name: &str) -> bool {
        self.kernel.command_line.as_ref().is_some_and(|c| c.has(name))
    }
}

//! What costs what: every finding with its evidence, the technique that addresses it, and what it may gain.

mod calibration;
mod console;
mod images;
mod initcalls;
mod self_tests;
mod waits;

use serde::{Deserialize, Serialize};

use super::axis::Axis;
use super::deferred::DeferredProbes;
use crate::console::{BootLog, Line, LineKind};
use crate::firmware::FirmwareFacts;
use crate::kernel::{stamp, KernelFacts};
use crate::{Clock, Options};

/// Where an expected gain comes from. None of them is a promise: only a boot decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The log prints the number.
    Printed,
    /// Computed from stamps or counts of this log.
    Computed,
    /// Measured by others on another machine.
    Published,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Id of the technique of the catalogue that addresses it.
    pub technique: String,
    /// What was found.
    pub title: String,
    /// Time it takes here, if that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ns: Option<i64>,
    /// Time that may be gained; zero says that it would not help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_ns: Option<i64>,
    /// Where `gain_ns` comes from.
    pub basis: Basis,
    /// True when `gain_ns` is an upper bound: the evidence says what is lost again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// Physical lines that show it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lines: Vec<u32>,
    /// The evidence in words, with the numbers behind the computation.
    pub evidence: String,
    /// What to do, with values to use.
    pub advice: String,
}

/// What the rules look at.
pub(super) struct Context<'a> {
    pub boot: &'a BootLog,
    pub firmware: &'a FirmwareFacts,
    pub kernel: &'a KernelFacts,
    pub deferred: &'a DeferredProbes,
    pub axis: &'a Axis,
    pub clock: Clock,
    pub options: &'a Options,
    /// Kernel lines only, in file order.
    pub lines: Vec<&'a Line>,
}

impl<'a> Context<'a> {
    /// The first kernel line whose message starts with one of the texts.
    fn find(&self, starts: &[&str]) -> Option<(usize, &'a Line)> {
        self.find_from(0, starts)
    }

    /// The same, from an index of `lines` on.
    fn find_from(&self, from: usize, starts: &[&str]) -> Option<(usize, &'a Line)> {
        let rest = self.lines.get(from..)?;
        let at = rest
            .iter()
            .position(|l| starts.iter().any(|s| l.text.trim_start().starts_with(s)))?;
        Some((from + at, rest[at]))
    }

    fn stamp(&self, line: &Line) -> Option<i64> {
        stamp(line, self.clock)
    }

    /// Time between two lines on the kernel's clock, never negative.
    fn between(&self, from: &Line, to: &Line) -> Option<i64> {
        self.stamp(to)?.checked_sub(self.stamp(from)?).filter(|ns| *ns >= 0)
    }

    /// Gap behind a line.
    fn gap_after(&self, index: usize) -> Option<i64> {
        self.between(self.lines.get(index)?, self.lines.get(index + 1)?)
    }

    fn parameter(&self, name: &str) -> bool {
        self.kernel.command_line.as_ref().is_some_and(|c| c.has(name))
    }
}

/// Applies all rules; the largest expected gain comes first, what would not help last.
pub fn costs(
    boot: &BootLog,
    firmware: &FirmwareFacts,
    kernel: &KernelFacts,
    deferred: &DeferredProbes,
    axis: &Axis,
    options: &Options,
) -> Vec<Cost> {
    let clock = crate::kernel::kernel_clock(boot);
    let lines = boot.lines.iter().filter(|l| l.kind == LineKind::Kernel).collect();
    let context = Context {
        boot,
        firmware,
        kernel,
        deferred,
        axis,
        clock,
        options,
        lines,
    };
    let mut out = Vec::new();
    calibration::find(&context, &mut out);
    console::find(&context, &mut out);
    waits::find(&context, &mut out);
    initcalls::find(&context, &mut out);
    images::find(&context, &mut out);
    self_tests::find(&context, &mut out);
    out.sort_by_key(|cost| std::cmp::Reverse(cost.gain_ns.unwrap_or(1)));
    out
}

/// `1.234 s`, `12.345 ms` or `123 us`, for sentences.
pub(super) fn spell(ns: i64) -> String {
    match ns.unsigned_abs() {
        0..1_000_000 => format!("{} us", ns / 1000),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}

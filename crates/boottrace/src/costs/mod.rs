//! What costs what: every finding with its kind, its evidence and what it may gain.

mod bounds;
mod calibration;
mod console;
mod context;
pub mod cost;
mod firmware;
mod images;
mod initcalls;
pub mod kind;
mod network;
mod self_tests;
mod silences;
mod waits;

use crate::facts::boot::axis::Axis;
use crate::facts::boot::deferred::DeferredProbes;
use crate::facts::boot::gap::LargeGap;
use crate::facts::boot::stage::Stage;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::facts::kernel::facts::{kernel_clock, KernelFacts};
use crate::log::boot_log::BootLog;
use crate::log::line::LineKind;
use crate::options::Options;

use context::Context;
pub use cost::{Basis, Cost};
pub use kind::{CostKind, KINDS};

/// What a boot's costs are read from.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// Its lines.
    pub boot: &'a BootLog,
    /// What firmware and boot loaders said.
    pub firmware: &'a FirmwareFacts,
    /// What the kernel said.
    pub kernel: &'a KernelFacts,
    /// Deferred probes.
    pub deferred: &'a DeferredProbes,
    /// The clocks.
    pub axis: &'a Axis,
    /// The course of the boot.
    pub stages: &'a [Stage],
    /// Its silences.
    pub gaps: &'a [LargeGap],
    /// What the caller gave.
    pub options: &'a Options,
}

/// Applies all rules; what may be gained most comes first, then what takes long and has no known remedy, last what would
/// not help.
pub fn costs(evidence: &Evidence<'_>) -> Vec<Cost> {
    let clock = kernel_clock(evidence.boot);
    let lines = evidence
        .boot
        .lines
        .iter()
        .filter(|l| l.kind == LineKind::Kernel)
        .collect();
    let context = Context {
        boot: evidence.boot,
        firmware: evidence.firmware,
        kernel: evidence.kernel,
        deferred: evidence.deferred,
        axis: evidence.axis,
        stages: evidence.stages,
        gaps: evidence.gaps,
        clock,
        options: evidence.options,
        lines,
    };
    let mut out = Vec::new();
    calibration::find(&context, &mut out);
    console::find(&context, &mut out);
    waits::find(&context, &mut out);
    network::find(&context, &mut out);
    firmware::find(&context, &mut out);
    initcalls::find(&context, &mut out);
    images::find(&context, &mut out);
    self_tests::find(&context, &mut out);
    silences::find(&context, &mut out);
    bounds::apply(&context, &mut out);
    out.sort_by_key(|cost| std::cmp::Reverse(cost.weight_ns()));
    out
}

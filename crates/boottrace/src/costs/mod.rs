//! What costs what: every finding with its kind, its evidence and what it may gain.

mod calibration;
mod console;
mod context;
pub mod cost;
mod images;
mod initcalls;
pub mod kind;
mod self_tests;
mod waits;

use crate::facts::boot::axis::Axis;
use crate::facts::boot::deferred::DeferredProbes;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::facts::kernel::facts::{kernel_clock, KernelFacts};
use crate::log::boot_log::BootLog;
use crate::log::line::LineKind;
use crate::options::Options;

use context::Context;
pub use cost::{Basis, Cost};
pub use kind::{CostKind, KINDS};

/// Applies all rules; the largest expected gain comes first, what would not help last.
pub fn costs(
    boot: &BootLog,
    firmware: &FirmwareFacts,
    kernel: &KernelFacts,
    deferred: &DeferredProbes,
    axis: &Axis,
    options: &Options,
) -> Vec<Cost> {
    let clock = kernel_clock(boot);
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

// SPDX-License-Identifier: MIT
//! What a boot's costs are read from.

use crate::facts::boot::axis::Axis;
use crate::facts::boot::deferred::DeferredProbes;
use crate::facts::boot::gap::LargeGap;
use crate::facts::boot::stage::Stage;
use crate::facts::boot::startup::StartupAccount;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::facts::kernel::facts::KernelFacts;
use crate::log::boot_log::BootLog;
use crate::options::Options;

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
    /// systemd's own account of the start.
    pub startup: Option<&'a StartupAccount>,
    /// The first line that is none of the boot's, where neither first use nor that account shows its end.
    pub over: Option<u32>,
    /// What the caller gave.
    pub options: &'a Options,
}

// SPDX-License-Identifier: MIT
//! Driver probes: end lines with a printed duration, from which the start is computed.

use serde::{Deserialize, Serialize};

use crate::log::clock::Clock;

/// How a probe ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ProbeResult {
    /// The driver took the device.
    Bound,
    /// `-EPROBE_DEFER`: tried again later.
    Deferred,
    /// The driver does not serve this device (`-ENODEV`, `-ENXIO`).
    NotThere,
    /// Another error.
    Failed,
}

/// One attempt to probe one device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Probe {
    /// Device name.
    pub device: String,
    /// Driver, where a patched kernel prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Value as printed; its sign depends on the path that deferred.
    pub returned: i64,
    /// What the value means.
    pub result: ProbeResult,
    /// Printed duration.
    pub printed_us: u64,
    /// Physical line.
    pub line: u32,
    /// Clock of the two stamps.
    pub clock: Clock,
    /// End minus printed duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<i64>,
    /// Stamp of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_ns: Option<i64>,
    /// True when the duration has only the resolution of the timer tick, and the start with it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub jiffies_clock: bool,
    /// Index of the initcall in which it ran, when only one can be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<usize>,
}

/// `EPROBE_DEFER` of include/linux/errno.h.
pub const EPROBE_DEFER: i64 = 517;

/// Decides what a value means. Kernels before 5.13 return 1 for a bound device; `one_is_bound` says so.
pub fn result(returned: i64, one_is_bound: bool) -> ProbeResult {
    match returned.unsigned_abs() {
        0 => ProbeResult::Bound,
        1 if returned == 1 && one_is_bound => ProbeResult::Bound,
        517 => ProbeResult::Deferred,
        6 | 19 => ProbeResult::NotThere,
        _ => ProbeResult::Failed,
    }
}

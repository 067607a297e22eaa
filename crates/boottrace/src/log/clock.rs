// SPDX-License-Identifier: MIT
//! Which clock a time was read from. Two clocks never share a column.

use serde::{Deserialize, Serialize};

/// Nanoseconds of a second.
pub const NS_PER_S: i64 = 1_000_000_000;

/// The source of a time value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// The emulator's virtual time since power-on (exact).
    Virtual,
    /// The monotonic clock of the host that captured the console.
    Host,
    /// The kernel log's stamp (`local_clock()`); zero until the kernel's `sched_clock` runs.
    Printk,
    /// A boot loader's or firmware's own counter.
    Firmware,
    /// The clock of a trace buffer (`trace_clock`), perf's or KFT's.
    Trace,
    /// User-space time since the kernel started (`CLOCK_MONOTONIC`), as systemd and bootchart use it.
    Monotonic,
}

/// A time with its clock. Nanoseconds, signed because stamps can lie before the origin once clocks are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stamp {
    /// Nanoseconds since the origin of `clock`.
    pub ns: i64,
    /// Where the value comes from.
    pub clock: Clock,
}

/// Old x86 kernels start their stamps shortly before the overflow of jiffies; such stamps are no times.
///
/// The smallest is 4294667.296 (32-bit jiffies at 1000 Hz, 300 s before their overflow).
pub const JIFFIES_START_NS: i64 = 4_000_000_000_000_000;

/// Is it a stamp of jiffies on their way to their overflow, 300 s after the start? A machine that has been up for weeks has
/// stamps as large, and they are times (include/linux/jiffies.h, `INITIAL_JIFFIES`).
pub fn is_before_overflow(ns: i64) -> bool {
    const START_NS: i64 = 301 * NS_PER_S;
    [100, 250, 300, 1000].into_iter().any(|hz| {
        let overflow_ns = (1_i64 << 32) / hz * NS_PER_S;
        (overflow_ns - START_NS..=overflow_ns + NS_PER_S).contains(&ns)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jiffies_near_their_overflow() {
        for s in [4_294_667, 4_294_967, 42_949_372, 17_179_569, 14_316_257] {
            assert!(is_before_overflow(s * NS_PER_S), "{s}");
        }
        for s in [0, 100, 4_294_000, 10_295_736, 22_555_366] {
            assert!(!is_before_overflow(s * NS_PER_S), "{s}");
        }
    }
}

//! Which clock a time was read from. Two clocks never share a column.

use serde::{Deserialize, Serialize};

/// Nanoseconds of a second.
pub const NS_PER_S: i64 = 1_000_000_000;

/// The source of a time value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
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

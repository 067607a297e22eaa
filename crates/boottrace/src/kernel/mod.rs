//! What the kernel's own messages say.

mod banner;
mod calibration;
mod command_line;
mod facts;
mod fault;
mod initcall;
mod initcall_line;
pub(crate) mod milestone;
mod probe;
mod symbol;

pub use banner::KernelBanner;
pub use calibration::{Calibration, CalibrationForm};
pub use command_line::CommandLine;
pub use facts::{collect, kernel_clock, stamp, InitStart, KernelFacts};
pub use fault::{Fault, FaultKind};
pub use initcall::{CallFlag, Initcall};
pub use probe::{Probe, ProbeResult, EPROBE_DEFER};

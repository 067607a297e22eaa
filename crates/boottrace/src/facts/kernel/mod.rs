//! What the kernel's own messages say.

pub mod banner;
pub mod calibration;
pub mod command_line;
mod console_pace;
pub mod facts;
pub mod fault;
pub mod initcall;
pub mod initcall_line;
pub mod probe;
pub mod symbol;

pub use banner::KernelBanner;
pub use calibration::{Calibration, CalibrationForm};
pub use command_line::CommandLine;
pub use facts::{collect, kernel_clock, stamp, InitStart, KernelFacts};
pub use fault::{Fault, FaultKind};
pub use initcall::{CallFlag, Initcall};
pub use probe::{Probe, ProbeResult, EPROBE_DEFER};

// SPDX-License-Identifier: MIT
//! What the kernel's own messages say.

pub mod architecture;
pub mod banner;
pub mod calibration;
pub mod command_line;
mod console_pace;
pub mod facts;
pub mod fault;
pub mod hardware;
mod init_start;
pub mod initcall;
pub mod initcall_line;
pub mod probe;
pub mod protection;
pub mod symbol;

pub use architecture::{Architecture, ArchitectureName};
pub use banner::KernelBanner;
pub use calibration::{Calibration, CalibrationForm};
pub use command_line::CommandLine;
pub use facts::{collect, kernel_clock, stamp, KernelFacts};
pub use fault::{Fault, FaultKind};
pub use hardware::Hardware;
pub use init_start::InitStart;
pub use initcall::{CallFlag, Initcall};
pub use probe::{Probe, ProbeResult, EPROBE_DEFER};
pub use protection::Protection;

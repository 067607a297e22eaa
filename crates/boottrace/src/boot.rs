//! One boot with everything that was read and concluded.

use serde::{Deserialize, Serialize};

use crate::console::{kinds_of_stamps, BootLog, BootStart, Line};
use crate::kernel::{self, KernelFacts};
use crate::{Clock, Options};

/// One boot, or as much of it as the log holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Boot {
    /// Counts the boots of one input, from 1.
    pub number: u32,
    /// Why it starts where it does.
    pub start: BootStart,
    /// First physical line.
    pub from_line: u32,
    /// Last physical line.
    pub to_line: u32,
    /// False when the kernel never spoke: the boot ended in firmware or the boot loader.
    pub reached_kernel: bool,
    /// False when init was not started, or the log ends before.
    pub reached_user: bool,
    /// The clocks that stamp its lines.
    pub clocks: Vec<Clock>,
    /// Clock of the kernel's part.
    pub kernel_clock: Clock,
    /// What the kernel said.
    pub kernel: KernelFacts,
    /// All lines, when they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lines: Vec<Line>,
}

impl Boot {
    /// Analyses the lines of one boot.
    pub fn from_log(log: BootLog, number: u32, options: &Options) -> Self {
        let clock = kernel::kernel_clock(&log);
        let facts = kernel::collect(&log, clock);
        let (from_line, to_line) = log.span();
        Self {
            number,
            start: log.start.clone(),
            from_line,
            to_line,
            reached_kernel: log.kernel_from.is_some(),
            reached_user: log.user_from.is_some(),
            clocks: kinds_of_stamps(&log.lines),
            kernel_clock: clock,
            kernel: facts,
            lines: if options.keep_lines { log.lines } else { Vec::new() },
        }
    }
}

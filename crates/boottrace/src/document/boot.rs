// SPDX-License-Identifier: MIT
//! One boot with everything that was read and concluded.

use serde::{Deserialize, Serialize};

use crate::costs::cost::Cost;
use crate::costs::later_stretch::later_stretch;
use crate::costs::longest_stretch::{longest_stretch, LongestStretch};
use crate::costs::selection::is_searched;
use crate::costs::{costs, Evidence};
use crate::facts::boot;
use crate::facts::boot::axis::Axis;
use crate::facts::boot::blind_spot::BlindSpot;
use crate::facts::boot::critical_path::CriticalPath;
use crate::facts::boot::deferred::DeferredProbes;
use crate::facts::boot::end::BootEnd;
use crate::facts::boot::failure::{Failure, Outcome};
use crate::facts::boot::first_boot::FirstBoot;
use crate::facts::boot::gap::LargeGap;
use crate::facts::boot::interval::Interval;
use crate::facts::boot::stage::{Stage, StageEvent};
use crate::facts::boot::startup::StartupAccount;
use crate::facts::firmware;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::facts::kernel;
use crate::facts::kernel::facts::KernelFacts;
use crate::facts::services::{of_boot, Service};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::Clock;
use crate::log::line::Line;
use crate::options::Options;
use crate::readers::console::account::kinds_of_stamps;

/// One boot, or as much of it as the log holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Boot {
    /// Counts the boots of one input, from 1.
    pub number: u32,
    /// The guest of a hypervisor whose boot it is, by the number that the console has before its lines.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guest: Option<u16>,
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
    /// How it ended.
    pub outcome: Outcome,
    /// What went wrong.
    pub failures: Vec<Failure>,
    /// The last words of a boot that never came to user space, numbers taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_words: Option<String>,
    /// The clocks that stamp its lines.
    pub clocks: Vec<Clock>,
    /// Clock of the kernel's part.
    pub kernel_clock: Clock,
    /// The time axis and the clocks on it.
    pub axis: Axis,
    /// The eight classic events.
    pub stages: Vec<Stage>,
    /// systemd's own account of the start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub startup: Option<StartupAccount>,
    /// Whether it is the first boot of its system; absent where nothing says it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub first_boot: Option<FirstBoot>,
    /// Services that an init other than systemd started, in the order of their lines.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub services: Vec<Service>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end: Option<BootEnd>,
    /// Between neighbouring known events.
    pub intervals: Vec<Interval>,
    /// Where no clock ran.
    pub blind_spots: Vec<BlindSpot>,
    /// What firmware and boot loader said.
    pub firmware: FirmwareFacts,
    /// What the kernel said.
    pub kernel: KernelFacts,
    /// Deferred probing by device.
    pub deferred: DeferredProbes,
    /// The way to init.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critical_path: Option<CriticalPath>,
    /// The longest silences up to first use.
    pub gaps: Vec<LargeGap>,
    /// The longest stretch between two lines that no cost tells of, where no cost is as long.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub longest: Option<LongestStretch>,
    /// The longest time between two stamps of the kernel's behind the last line that is surely the boot's, in its first minute.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub later: Option<LongestStretch>,
    /// What costs what.
    pub costs: Vec<Cost>,
    /// All lines, when they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lines: Vec<Line>,
}

impl Boot {
    /// Analyses the lines of one boot.
    pub fn from_log(log: BootLog, number: u32, options: &Options) -> Self {
        let clock = kernel::kernel_clock(&log);
        let facts = kernel::collect(&log, clock);
        let firmware = firmware::collect(&log);
        let startup = boot::startup(&log);
        let first_boot = boot::first_boot(&log);
        let axis = Axis::of(&log, &firmware, startup.as_ref());
        let mut stages = boot::stages(&log, &firmware, &facts, &axis, options);
        if let Some(account) = &startup {
            boot::by_account(account, &axis, &mut stages);
        }
        boot::in_order(&log, &axis, &mut stages);
        let deferred = boot::deferred(&log, &facts);
        let first_use = stages.iter().find(|stage| stage.event == StageEvent::FirstUse);
        let services = of_boot(&log, &axis, first_use.and_then(|stage| stage.line));
        // Where no prompt is shown, systemd has started everything when it says so.
        let started = startup.as_ref().map(|account| account.line);
        let ended = first_use.and_then(|stage| stage.line).or(started);
        let over = ended.is_none().then(|| boot::over::over(&log)).flatten();
        // Where nothing else shows the end, what systemd starts for is reached: what is silent behind that is nobody's wait.
        let goal = ended.is_none().then(|| boot::over::goal(&log)).flatten();
        let behind = goal.map(|goal| goal.saturating_add(1));
        let silent_to = over.into_iter().chain(behind).min();
        let gaps = boot::gaps(&log, clock, &axis, (ended, silent_to));
        let outcome = boot::outcome(&log, &facts);
        let costs = costs(&Evidence {
            boot: &log,
            firmware: &firmware,
            kernel: &facts,
            deferred: &deferred,
            axis: &axis,
            stages: &stages,
            gaps: &gaps,
            startup: startup.as_ref(),
            over,
            options,
        });
        let (from_line, to_line) = log.span();
        Self {
            number,
            guest: log.guest,
            start: log.start,
            from_line,
            to_line,
            reached_kernel: log.kernel_from.is_some(),
            reached_user: log.user_from.is_some() || outcome == Outcome::UserSpace,
            outcome,
            failures: boot::failures(&log, &firmware, &facts),
            last_words: boot::last_words(&log, &facts),
            clocks: kinds_of_stamps(&log.lines),
            kernel_clock: clock,
            intervals: boot::intervals(&stages),
            blind_spots: boot::blind_spots(&log, &firmware, &axis),
            critical_path: boot::critical_path(&log, &facts, clock),
            longest: longest_stretch(&log, &costs, (ended, silent_to)).filter(|_| !is_searched(&log)),
            later: later_stretch(&log, &costs, (ended.or(goal), over)).filter(|_| !is_searched(&log)),
            costs,
            gaps,
            end: boot::end(&log, &firmware, &facts, &axis),
            stages,
            startup,
            first_boot,
            services,
            axis,
            firmware,
            kernel: facts,
            deferred,
            lines: if options.keep_lines { log.lines } else { Vec::new() },
        }
    }
}

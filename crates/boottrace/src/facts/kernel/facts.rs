// SPDX-License-Identifier: MIT
//! One walk over the kernel's lines of a boot: everything they state, before anything is concluded.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::architecture::{Architecture, Signs};
use super::banner::KernelBanner;
use super::calibration;
use super::calibration::{Calibration, CalibrationForm};
use super::command_line::CommandLine;
use super::console_pace;
use super::fault;
use super::fault::Fault;
use super::hardware;
use super::hardware::Hardware;
use super::init_start::InitStart;
use super::initcall;
use super::initcall::{CallFlag, Initcall, Pairing, Place};
use super::initcall_line;
use super::initcall_line::CallEvent;
use super::probe;
use super::probe::Probe;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::Clock;
use crate::log::line::{Caller, HostSource, Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;

/// What the kernel's lines state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelFacts {
    /// Version and compiler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banner: Option<KernelBanner>,
    /// Parameters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command_line: Option<CommandLine>,
    /// The machine's name, by `Machine model`, `Machine` or `DMI`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Physical line of `machine`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub machine_line: Option<u32>,
    /// Which processors the kernel is for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub architecture: Option<Architecture>,
    /// Memory, processors, consoles, clock.
    #[serde(skip_serializing_if = "Hardware::is_empty", default)]
    pub hardware: Hardware,
    /// Physical line of the clocksource switch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocksource_switch_line: Option<u32>,
    /// The end of kernel initialisation: physical line of `Freeing unused kernel memory`, or of what still comes before init.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freeing_init_line: Option<u32>,
    /// init's start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<InitStart>,
    /// Initcalls in order of appearance.
    pub initcalls: Vec<Initcall>,
    /// Probe attempts in order of appearance.
    pub probes: Vec<Probe>,
    /// Delay-loop calibrations (old x86 kernels print one a CPU).
    pub calibrations: Vec<Calibration>,
    /// Panics, oopses, stalls.
    pub faults: Vec<Fault>,
    /// How often a stamp was lower than the one before.
    pub backward_stamps: u32,
    /// Lines that look like initcall lines and are none: reason, count, first line.
    #[serde(skip)]
    pub look_alikes: BTreeMap<&'static str, (u64, u32)>,
}

/// A gap between arrivals shorter than the line takes at 57600 baud is no gap between events.
const SLOWEST_CHARACTER_NS: i64 = 173_611;
/// Faults beyond this are not kept; a stalled system prints them for ever.
const MAX_FAULTS: usize = 200;

/// The stamp of a line on the clock that the boot's kernel part is measured with.
pub fn stamp(line: &Line, clock: Clock) -> Option<i64> {
    match clock {
        Clock::Printk => line.printk_ns,
        Clock::Host | Clock::Virtual => line.live_host_ns(),
        _ => None,
    }
}

/// Chooses the clock for the kernel part: its own stamps, else a live capture's.
pub fn kernel_clock(boot: &BootLog) -> Clock {
    let kernel = &boot.lines[boot.kernel_from.unwrap_or(boot.lines.len())..];
    let mut live = None;
    for line in kernel {
        if line.printk_ns.is_some() {
            return Clock::Printk;
        }
        if line.live_host_ns().is_some() {
            live = Some(match line.host_source {
                Some(HostSource::Emulator) => Clock::Virtual,
                _ => Clock::Host,
            });
        }
    }
    live.unwrap_or(Clock::Printk)
}

/// Walks over the kernel part of a boot.
pub fn collect(boot: &BootLog, clock: Clock) -> KernelFacts {
    let lines = &boot.lines[boot.kernel_from.unwrap_or(boot.lines.len())..];
    let switches = lines
        .iter()
        .any(|l| milestone::of(&l.text) == Some(Milestone::ClocksourceSwitch));
    let one_is_bound = !lines
        .iter()
        .any(|l| l.text.contains("probe of ") && l.text.contains(" returned 0 after "));
    let mut walk = Walk {
        facts: KernelFacts::default(),
        signs: Signs::default(),
        pairing: Pairing::new(clock, switches),
        clock,
        jiffies: switches,
        one_is_bound,
        last_ns: None,
    };
    let mut skip_next = false;
    for (at, line) in lines.iter().enumerate() {
        if std::mem::take(&mut skip_next) || !matches!(line.kind, LineKind::Kernel | LineKind::User) {
            continue;
        }
        skip_next = walk.line(line, &lines[at + 1..]);
    }
    walk.facts.initcalls = walk.pairing.finish();
    initcall::returned_in_a_broken_line(&mut walk.facts.initcalls, lines);
    console_pace::take_off(&mut walk.facts.initcalls);
    if boot.start == BootStart::MiddleOfLog && walk.facts.init.as_ref().is_some_and(|init| !init.is_first()) {
        walk.facts.init = None;
    }
    walk.facts.user_space_first(boot);
    walk.facts.architecture = walk.signs.architecture(walk.facts.banner.as_ref());
    walk.facts
}

struct Walk {
    facts: KernelFacts,
    signs: Signs,
    pairing: Pairing,
    clock: Clock,
    jiffies: bool,
    one_is_bound: bool,
    last_ns: Option<i64>,
}

impl Walk {
    /// Takes one line. Returns whether the next one was used up with it.
    fn line(&mut self, line: &Line, following: &[Line]) -> bool {
        if let Some(ns) = line.printk_ns {
            if self.last_ns.is_some_and(|last| ns < last) {
                self.facts.backward_stamps += 1;
            }
            self.last_ns = Some(ns);
        }
        match initcall_line::event(&line.text) {
            Some(CallEvent::Incomplete) => return self.rejoin(line, following),
            Some(CallEvent::LookAlike(why)) => {
                let entry = self.facts.look_alikes.entry(why).or_insert((0, line.number));
                entry.0 += 1;
                return false;
            }
            Some(event) => {
                self.call(event, line, false);
                return false;
            }
            None => {}
        }
        self.milestone(line);
        self.statement(line, following);
        if line.kind == LineKind::Kernel {
            self.of_machine(line);
        }
        false
    }

    /// A line broken by a mail program or by another message: the rest has no stamp of its own.
    fn rejoin(&mut self, line: &Line, following: &[Line]) -> bool {
        let next = following.iter().take(3).enumerate().find(|(_, l)| {
            !l.has_kernel_prefix() && matches!(l.kind, LineKind::Kernel | LineKind::User) && !l.text.trim().is_empty()
        });
        let Some((distance, next)) = next else { return false };
        for joined in [
            format!("{}{}", line.text, next.text),
            format!("{} {}", line.text.trim_end(), next.text.trim_start()),
        ] {
            match initcall_line::event(&joined) {
                None | Some(CallEvent::Incomplete | CallEvent::LookAlike(_)) => {}
                Some(event) => {
                    self.call(event, line, true);
                    return distance == 0;
                }
            }
        }
        false
    }

    fn call(&mut self, event: CallEvent<'_>, line: &Line, rejoined: bool) {
        let task = match line.caller {
            Some(Caller::Task(pid)) => Some(pid),
            _ => None,
        };
        let ns = stamp(line, self.clock);
        if let CallEvent::Probe {
            device,
            driver,
            returned,
            printed_us,
        } = event
        {
            let duration_ns = i64::try_from(printed_us).unwrap_or(i64::MAX).saturating_mul(1000);
            self.facts.probes.push(Probe {
                device: device.to_owned(),
                driver: driver.map(str::to_owned),
                returned,
                result: probe::result(returned, self.one_is_bound),
                printed_us,
                line: line.number,
                clock: self.clock,
                start_ns: ns.map(|end| end.saturating_sub(duration_ns)),
                end_ns: ns,
                jiffies_clock: self.jiffies,
                within: self.pairing.running(task),
            });
            return;
        }
        self.pairing.event(
            event,
            Place {
                line: line.number,
                ns,
                task,
                characters: line.printed_characters(),
            },
            rejoined,
        );
    }

    fn milestone(&mut self, line: &Line) {
        let facts = &mut self.facts;
        let text = line.text.trim();
        match milestone::of(text) {
            Some(Milestone::KernelBanner) if facts.banner.is_none() => {
                facts.banner = KernelBanner::read(text, line.number);
            }
            Some(Milestone::ClocksourceSwitch) => {
                // Kernels may switch twice (to a refined TSC later); the first one ends the tick's reign.
                facts.clocksource_switch_line.get_or_insert(line.number);
                self.jiffies = false;
                self.pairing.clocksource_switched();
            }
            Some(step @ (Milestone::FreeingInit | Milestone::ClosingStep))
                if (step == Milestone::FreeingInit || facts.freeing_init_line.is_some()) && facts.init.is_none() =>
            {
                facts.freeing_init_line = Some(line.number);
            }
            Some(Milestone::InitStarted) => {
                let program = text
                    .strip_prefix("Run ")
                    .and_then(|t| t.strip_suffix(" as init process"));
                // An init that cannot be run is followed by the next candidate.
                facts.init = Some(InitStart {
                    line: line.number,
                    program: program.map(str::to_owned),
                    text: text.to_owned(),
                });
            }
            Some(Milestone::InitRunning) if milestone::is_nearer(facts.init.as_ref().map(|i| &*i.text), text) => {
                facts.init = Some(InitStart {
                    line: line.number,
                    program: None,
                    text: text.to_owned(),
                });
            }
            _ => {}
        }
    }

    fn of_machine(&mut self, line: &Line) {
        let text = line.text.trim();
        self.signs.line(text, line.number);
        self.facts.hardware.line(text, line.number);
        if self.facts.machine.is_none() {
            self.facts.machine = hardware::machine(text).map(str::to_owned);
            self.facts.machine_line = self.facts.machine.as_ref().map(|_| line.number);
        }
    }

    fn statement(&mut self, line: &Line, following: &[Line]) {
        let facts = &mut self.facts;
        let text = line.text.trim_start();
        if facts.command_line.is_none() {
            facts.command_line = CommandLine::read(text, line.number);
        }
        if let Some(mut found) = calibration::read(text) {
            found.line = line.number;
            let next = following.iter().find(|l| matches!(l.kind, LineKind::Kernel));
            if let Some(next) = next {
                if !found.finished {
                    // pr_cont came as a record of its own.
                    found.result(&next.text);
                }
                let timed = matches!(found.form, CalibrationForm::Measured | CalibrationForm::TimerRoutine);
                let gap = stamp(next, self.clock)
                    .zip(stamp(line, self.clock))
                    .and_then(|(end, start): (i64, i64)| end.checked_sub(start));
                found.cost_ns = gap.filter(|ns| *ns >= 0 && found.finished && timed);
                if self.clock != Clock::Printk {
                    // Before the console is up lines arrive in one burst, as fast as the port can send them.
                    let sending_ns = i64::try_from(line.text.len() + 2).unwrap_or(0) * SLOWEST_CHARACTER_NS;
                    found.cost_ns = found.cost_ns.filter(|ns| *ns > sending_ns);
                }
            }
            facts.calibrations.push(found);
        }
        if facts.faults.len() < MAX_FAULTS && line.kind == LineKind::Kernel {
            if let Some(kind) = fault::kind(text) {
                facts.faults.push(Fault {
                    line: line.number,
                    kind,
                    text: line.text.trim().to_owned(),
                });
            }
        }
    }
}

impl KernelFacts {
    /// A script that runs before init's own first words (OpenWrt's preinit, an initramfs) shows its start earlier.
    fn user_space_first(&mut self, boot: &BootLog) {
        let (Some(init), Some(from)) = (&mut self.init, boot.user_from) else {
            return;
        };
        let freed = self.freeing_init_line.unwrap_or(0);
        // Where a daemon wrote the log, programs stand among the kernel's lines before they were read.
        // Indented words without a stamp go on with a message of the kernel (its memory layout).
        let on_console = |l: &Line| freed > 0 || (l.process.is_none() && !l.text.starts_with([' ', '\t']));
        let first = boot.lines[from..]
            .iter()
            .find(|l| l.kind == LineKind::User && on_console(l));
        if let Some(line) = first.filter(|l| freed < l.number && l.number < init.line && init.program.is_none()) {
            *init = InitStart {
                line: line.number,
                program: None,
                text: line.text.trim().to_owned(),
            };
        }
    }

    /// Physical line with which user space starts: the one that names init's program, else the kernel's last step
    /// before it, else what init said first; `false` when it may have started before that line.
    pub fn user_space_line(&self) -> Option<(u32, bool)> {
        let init = self.init.as_ref();
        if let Some(init) = init.filter(|init| init.program.is_some()) {
            return Some((init.line, true));
        }
        match (self.freeing_init_line, init) {
            (Some(freed), Some(init)) if init.line < freed => Some((init.line, false)),
            (Some(freed), _) => Some((freed, true)),
            (None, init) => init.map(|init| (init.line, false)),
        }
    }

    /// Initcalls that carry a flag.
    pub fn flagged(&self, flag: CallFlag) -> usize {
        self.initcalls.iter().filter(|call| call.has(flag)).count()
    }
}

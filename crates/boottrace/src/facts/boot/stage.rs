// SPDX-License-Identifier: MIT
//! The eight classic events of a boot on its axis, and the intervals between them.

use serde::{Deserialize, Serialize};

use super::axis::Axis;
use super::dates::received_ns;
use super::unclaimed::{kernel_missing, unclaimed_from};
use super::{clock_set, first_use, initramfs};
use crate::facts::firmware::facts::{FirmwareFacts, FirmwareStep};
use crate::facts::kernel::facts::KernelFacts;
use crate::facts::services::words::word;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::{is_restored, leaves_out};
use crate::log::clock::Clock;
use crate::log::course::is_of_user_space;
use crate::log::hints::{is_of_scripts, is_user_space, starts_anew, starts_scripts};
use crate::log::line::{Line, LineKind};
use crate::log::milestone::{self, Milestone};
use crate::options::Options;
use crate::readers::console::account::sections;
use crate::text::shorten::shorten;

/// The events, in their order (CELF's definition of terms).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum StageEvent {
    /// Power is applied or reset released.
    PowerOn,
    /// The first program after the mask ROM speaks.
    Firmware,
    /// The kernel image begins to unpack itself.
    Decompression,
    /// The kernel's first instructions.
    KernelStart,
    /// init starts.
    UserSpaceStart,
    /// That init is one of an initramfs. Only in boots that have one.
    Initramfs,
    /// The initramfs hands over to the init of the real root file system. Only in boots that have one.
    SwitchRoot,
    /// The first script or service of init starts.
    RcScripts,
    /// The application starts.
    ApplicationStart,
    /// The system is usable.
    FirstUse,
}

/// An event, or why it is not known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stage {
    /// Which event.
    pub event: StageEvent,
    /// Axis time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ns: Option<i64>,
    /// The clock it was read from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    /// Physical line that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// True when the line itself has no stamp: the time is that of the last stamped line before it.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_least: bool,
    /// True when the event came no later than at this time, but may have come earlier: the line is the first that shows
    /// that it had.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// True when `at_least` is because the clock's own zero is known only so.
    #[serde(skip)]
    pub shifted: bool,
    /// Which sign of first use it is. Only of that event.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub shown_by: Option<UseSign>,
    /// What shows it, or why nothing does.
    pub basis: String,
}

/// What shows that a system can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UseSign {
    /// A login or shell prompt.
    Prompt,
    /// The text that the caller gave.
    Goal,
    /// Android set `sys.boot_completed`.
    BootCompleted,
}

/// Finds the events of a boot.
pub fn stages(
    boot: &BootLog,
    firmware: &FirmwareFacts,
    kernel: &KernelFacts,
    axis: &Axis,
    options: &Options,
) -> Vec<Stage> {
    let [(_, before), (_, middle), (_, user)] = sections(boot);
    // A machine that was restored from a snapshot had booted before.
    let user = &user[..user.iter().position(|l| is_restored(&l.text)).unwrap_or(user.len())];
    let unclaimed = unclaimed_from(boot).map(|at| &boot.lines[at]);
    let found = |event: StageEvent, line: Option<&Line>, missing: &str| match line {
        Some(line) => {
            let exact = axis.at(line);
            let at = exact.or_else(|| last_time_before(boot, line, axis));
            // A clock whose zero came some time after the loader's last words: no more than that is known of it.
            let shifted = at.is_some_and(|(_, clock)| axis.is_lower_bound(clock));
            Stage {
                event,
                ns: at.map(|(ns, _)| ns),
                clock: at.map(|(_, clock)| clock),
                line: Some(line.number),
                at_least: (exact.is_none() && at.is_some()) || shifted,
                at_most: axis.late && exact.is_some(),
                shifted,
                shown_by: None,
                basis: shorten(line.text.trim()),
            }
        }
        None => Stage {
            event,
            ns: None,
            clock: None,
            line: None,
            at_least: false,
            at_most: false,
            shifted: false,
            shown_by: None,
            basis: missing.to_owned(),
        },
    };
    let numbered = |number: Option<u32>| number.and_then(|n| boot.lines.iter().find(|l| l.number == n));
    let unpack = firmware
        .steps
        .iter()
        .find(|s| s.step == FirmwareStep::Decompressing)
        .map(|s| s.line);
    // What init says in a log that begins after its start is not its first.
    let shows_init = boot.start != BootStart::MiddleOfLog || kernel.banner.is_some() || kernel.init.is_some();
    let quiet = boot.kernel_from == boot.user_from;
    let initramfs = initramfs::initramfs(boot, kernel);
    let switch = initramfs.and_then(|from| initramfs::switch_root(boot, from));
    let scripts_from = switch.map_or(0, |(line, _)| line.number);
    let rc = user
        .iter()
        .skip(usize::from(!quiet))
        .find(|l| l.number >= scripts_from && starts_scripts(l) && !starts_anew(user, l))
        .filter(|_| shows_init);
    let in_ram = switch.is_none() && rc.is_some_and(|line| initramfs::goes_on(user, line));
    let rc = rc.filter(|_| !in_ram);
    let everywhere = |pattern: &Option<String>| {
        let pattern = pattern.as_deref()?;
        middle.iter().chain(user).find(|l| l.text.contains(pattern))
    };
    let application = everywhere(&options.application_pattern);
    let completed = first_use::boot_completed(user);
    let (usable, shown_by) = match (&options.goal_pattern, completed) {
        (Some(_), _) => (everywhere(&options.goal_pattern), UseSign::Goal),
        (None, Some(line)) => (Some(line), UseSign::BootCompleted),
        (None, None) => (first_use::first_prompt(boot, user), UseSign::Prompt),
    };
    let start = kernel.user_space_line();
    let script = |line: &Line| speaks_for_user_space(line) && (starts_scripts(line) || is_of_scripts(&line.text));
    // OpenRC's and other inits' own words, where no stamp makes rows of them.
    let service = |line: &Line| line.kind == LineKind::User && word(&line.text).is_some();
    let has_scripts = !shows_init && user.iter().any(|line| script(line) || service(line));
    let mut all = vec![
        power_on(boot, axis),
        found(
            StageEvent::Firmware,
            first_words(before).filter(|_| boot.start != BootStart::Kexec),
            if boot.start == BootStart::Kexec {
                "none ran: another kernel started this one"
            } else {
                "no firmware or boot loader output in the log"
            },
        ),
        found(
            StageEvent::Decompression,
            numbered(unpack),
            "no decompressor said that it starts",
        ),
        found(
            StageEvent::KernelStart,
            kernel_start(boot, kernel).or(unclaimed),
            kernel_missing(boot),
        ),
        found(
            StageEvent::UserSpaceStart,
            numbered(start.map(|(line, _)| line)).or_else(|| user.iter().find(|l| speaks_for_user_space(l))),
            "no line shows that init was started",
        ),
        found(
            StageEvent::RcScripts,
            rc,
            if in_ram {
                "an initramfs starts units too, and no line shows the real root file system's init"
            } else if has_scripts {
                "scripts or services of init had started before this piece, or in it: no line shows the first"
            } else {
                "no script or service of init was seen to start"
            },
        ),
        found(
            StageEvent::ApplicationStart,
            application,
            if options.application_pattern.is_some() {
                "the given pattern is in no line"
            } else {
                "give a pattern that the application prints"
            },
        ),
        found(
            StageEvent::FirstUse,
            usable,
            if options.goal_pattern.is_some() {
                "the goal's pattern is in no line"
            } else {
                "no login or shell prompt"
            },
        ),
    ];
    if unclaimed.is_some() {
        came_no_later(boot, axis, &mut all, StageEvent::KernelStart);
    }
    if clock_set::jumps_at_first(boot) {
        for stage in all
            .iter_mut()
            .filter(|s| s.event == StageEvent::KernelStart && s.ns == Some(0))
        {
            stage.at_least = true;
        }
    }
    if !start.is_some_and(|(_, first)| first) {
        came_no_later(boot, axis, &mut all, StageEvent::UserSpaceStart);
    }
    for stage in all
        .iter_mut()
        .filter(|s| s.event == StageEvent::FirstUse && s.line.is_some())
    {
        stage.shown_by = Some(shown_by);
    }
    if shown_by == UseSign::Prompt {
        let prompt = all.iter_mut().find(|s| s.event == StageEvent::FirstUse);
        if let (Some(stage), Some((ns, clock, at_most))) =
            (prompt, usable.and_then(|line| first_use::prompt_time(boot, line, axis)))
        {
            stage.ns = Some(ns);
            stage.clock = Some(clock);
            stage.at_most |= at_most;
        }
    }
    if let Some(from) = initramfs {
        let at = all
            .iter()
            .position(|s| s.event == StageEvent::RcScripts)
            .unwrap_or(all.len());
        let mut stages = vec![found(StageEvent::Initramfs, Some(from), "")];
        if let Some((line, no_later)) = switch {
            stages.push(found(StageEvent::SwitchRoot, Some(line), ""));
            if no_later {
                came_no_later(boot, axis, &mut stages, StageEvent::SwitchRoot);
            }
        } else {
            stages.push(found(
                StageEvent::SwitchRoot,
                None,
                "no line shows that the real root file system's init started",
            ));
        }
        all.splice(at..at, stages);
    }
    if axis.clock == Clock::Firmware {
        from_tables(firmware, &mut all);
    }
    all
}

/// Does user space speak in a line behind the start of init? What a page leaves out, or marks its blocks with, is nobody's.
fn speaks_for_user_space(line: &Line) -> bool {
    let told = || line.process.is_some() || is_user_space(&line.text) || is_of_user_space(&line.text);
    !leaves_out(line) && (line.kind == LineKind::User || (line.kind == LineKind::Kernel && told()))
}

/// The line is the first that shows that the event had come. Where it has no stamp, the first one behind it bounds it.
fn came_no_later(boot: &BootLog, axis: &Axis, stages: &mut [Stage], event: StageEvent) {
    for stage in stages.iter_mut().filter(|s| s.event == event) {
        let from = boot
            .lines
            .partition_point(|l| stage.line.is_none_or(|line| l.number <= line));
        // A daemon writes programs' lines between the kernel's in whatever order it reads them.
        let shown = from.checked_sub(1).map(|at| &boot.lines[at]);
        if stage.at_least && shown.is_some_and(|line| line.process.is_some() && received_ns(line).is_some()) {
            (stage.ns, stage.clock, stage.at_least) = (None, None, false);
            continue;
        }
        if stage.at_least && !stage.shifted {
            let behind = boot.lines[from..].iter().find_map(|l| axis.at(l));
            stage.ns = behind.map(|(ns, _)| ns);
            stage.clock = behind.map(|(_, clock)| clock);
            stage.at_least = false;
        }
        stage.at_most |= stage.ns.is_some();
    }
}

/// Marks of a boot loader's table stand for events that have no line with a time.
fn from_tables(firmware: &FirmwareFacts, stages: &mut [Stage]) {
    const NAMES: [(&str, StageEvent); 10] = [
        ("PBL, Start", StageEvent::Firmware),
        ("Reset vector", StageEvent::Firmware),
        ("1st timestamp", StageEvent::Firmware),
        ("jumping to kernel", StageEvent::KernelStart),
        ("board_init_f", StageEvent::Firmware),
        ("board_init_f start", StageEvent::Firmware),
        ("BOOTSTAGE_START_UBOOT_F", StageEvent::Firmware),
        ("start_kernel", StageEvent::KernelStart),
        ("BOOTSTAGE_KERNEL_START", StageEvent::KernelStart),
        ("BOOTSTAGE_KERNEL_END", StageEvent::UserSpaceStart),
    ];
    for mark in firmware.tables.iter().flat_map(|t| &t.marks) {
        let Some((_, event)) = NAMES.iter().find(|(name, _)| *name == mark.name) else {
            continue;
        };
        if let Some(stage) = stages
            .iter_mut()
            .find(|s| s.event == *event && (s.ns.is_none() || s.at_least))
        {
            *stage = Stage {
                event: *event,
                ns: Some(mark.ns),
                clock: Some(Clock::Firmware),
                line: Some(mark.line),
                at_least: false,
                at_most: false,
                shifted: false,
                shown_by: None,
                basis: format!("mark `{}` of the boot loader's table", mark.name),
            };
        }
    }
}

/// The first line of a section that says something: rulers frame names.
fn first_words(lines: &[Line]) -> Option<&Line> {
    let mut spoken = lines.iter().filter(|l| l.kind == LineKind::Firmware);
    let words = spoken
        .clone()
        .find(|l| l.text.bytes().any(|b| b.is_ascii_alphanumeric()));
    words.or_else(|| spoken.next())
}

/// The time of the last stamped line before an unstamped one.
pub(super) fn last_time_before(boot: &BootLog, line: &Line, axis: &Axis) -> Option<(i64, Clock)> {
    let end = boot.lines.partition_point(|l| l.number < line.number);
    boot.lines[..end].iter().rev().find_map(|l| axis.at(l))
}

fn power_on(boot: &BootLog, axis: &Axis) -> Stage {
    let (ns, basis) = match axis.clock {
        _ if boot.start == BootStart::Kexec => (None, "the power was on: another kernel started this one by kexec"),
        Clock::Firmware => (Some(0), "zero of the boot loader's timer; power may have come earlier"),
        Clock::Host | Clock::Virtual => (
            None,
            "before the first captured line; the capture does not see power-on",
        ),
        _ if boot.lines.iter().all(|l| l.printk_ns.is_none()) => (None, "no line carries a stamp"),
        _ => (None, "the log has only the kernel's clock"),
    };
    Stage {
        event: StageEvent::PowerOn,
        ns,
        clock: ns.map(|_| axis.clock),
        line: None,
        at_least: false,
        at_most: false,
        shifted: false,
        shown_by: None,
        basis: basis.to_owned(),
    }
}

/// The first kernel line of a boot whose beginning the log has: by its banner, or by what it says before that.
fn kernel_start<'a>(boot: &'a BootLog, kernel: &KernelFacts) -> Option<&'a Line> {
    let first = boot.lines[boot.kernel_from?..]
        .iter()
        .find(|l| l.kind == LineKind::Kernel)?;
    let begins = || milestone::of(&first.text) == Some(Milestone::BootingLinux);
    (kernel.banner.is_some() || begins()).then_some(first)
}

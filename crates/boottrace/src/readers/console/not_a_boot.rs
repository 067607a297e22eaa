// SPDX-License-Identifier: MIT
//! Text that is no boot: the messages of a suspend and resume, the log of a recovery system's program.

use super::running::{fault, ran_for_hours, running};
use super::shutdown::shutdown;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::hints::{accounts_for_start, is_boot_initcall, is_kernel_fault, is_user_space, waits_in_vain};
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;
use crate::log::starting::starts_system;
use crate::text::shorten::shorten;

/// Says what the lines are and how that was seen, when they are no boot. `alone`: the input holds nothing else; `first`:
/// nothing else stands before them. Where
/// other boots stand beside it, a kernel that fails is the end of one of them.
pub fn not_a_boot(log: &BootLog, alone: bool, first: bool) -> Option<(&'static str, String)> {
    recovery(log)
        .or_else(|| suspend(log))
        .or_else(|| shutdown(log))
        .or_else(|| program(log))
        .or_else(|| records(log))
        .or_else(|| {
            let goes_on = || fault(log).is_none() || only_warns(log);
            running(log).filter(|_| alone || (first && !panics(log)) || goes_on() || ran_for_hours(log))
        })
        .or_else(|| report(log).filter(|_| alone))
}

/// Records of the kernel's audit alone, without a time since its start: a system that is up writes them too.
fn records(log: &BootLog) -> Option<(&'static str, String)> {
    if log.start != BootStart::MiddleOfLog {
        return None;
    }
    let is_record = |l: &Line| l.text.trim_start().starts_with("audit: type=") || l.text.contains(" audit(");
    let mut spoken = log
        .lines
        .iter()
        .filter(|l| matches!(l.kind, LineKind::Kernel | LineKind::User) && !l.text.trim().is_empty());
    let line = spoken.clone().next()?;
    let alone = spoken.all(|l| is_record(l) && l.printk_ns.unwrap_or(0) == 0);
    let why = || {
        format!(
            "line {} and what follows are records of the kernel's audit, and none shows a start",
            line.number
        )
    };
    alone.then(|| ("running-system", why()))
}

/// Did the kernel stop? What another boot follows is the end of one.
fn panics(log: &BootLog) -> bool {
    log.lines.iter().any(|l| l.text.contains("Kernel panic - not syncing"))
}

/// Are all faults warnings, behind which a kernel goes on? Then no boot ends with them.
fn only_warns(log: &BootLog) -> bool {
    const CUT: &str = "------------[ cut here ]------------";
    let mut faults = log.lines.iter().filter(|l| is_kernel_fault(&l.text));
    let warned = log.lines.iter().any(|l| l.text.trim_start().starts_with("WARNING: "));
    warned && faults.all(|l| l.text.trim_start().starts_with(CUT))
}

/// Levels that web servers and others print in brackets behind their date.
const LEVELS: [&str; 11] = [
    "[notice]", "[error]", "[warn]", "[info]", "[debug]", "[crit]", "[alert]", "[emerg]", "[INFO]", "[ERROR]", "[WARN]",
];

/// The log of programs: nothing in it is the kernel's, and no init starts.
fn program(log: &BootLog) -> Option<(&'static str, String)> {
    if log.start != BootStart::MiddleOfLog {
        return None;
    }
    let spoken = || {
        log.lines
            .iter()
            .filter(|l| matches!(l.kind, LineKind::Kernel | LineKind::User))
    };
    // A stamp of the kernel's form, a step of a boot, or words that init prints only when it starts.
    let shows_boot = |l: &Line| {
        l.printk_ns.is_some()
            || l.level.is_some()
            || matches!(
                milestone::of(&l.text),
                Some(found) if found != Milestone::InitRunning
            )
            || is_kernel_fault(&l.text)
            || l.text.contains(" running in system mode")
            || accounts_for_start(&l.text)
            || l.text.starts_with("INIT: ")
            || l.text.starts_with("init started: ")
            || waits_in_vain(&l.text)
            || (l.process.is_none() && is_user_space(&l.text))
    };
    if spoken().any(shows_boot) {
        return None;
    }
    let all = spoken().count();
    // Dates in brackets are `dmesg -T` too: the kernel's lines have no level behind them.
    let levels = spoken()
        .filter(|l| LEVELS.iter().any(|level| l.text.trim_start().starts_with(level)))
        .count();
    let by_kernel = spoken().filter(|l| l.kind == LineKind::Kernel).count();
    if by_kernel > 0 && levels * 2 < all {
        return None;
    }
    let line = spoken().next()?;
    let who = line
        .process
        .as_deref()
        .map_or(String::new(), |name| format!(" of `{name}`"));
    let unit = spoken().find(|line| starts_system(line));
    let shown = unit.map_or("; no known line of a start was found".to_owned(), |unit| {
        format!("; line {} is of a start: `{}`", unit.number, shorten(unit.text.trim()))
    });
    let why = format!(
        "line {} begins a log{who}, and none of its lines is the kernel's{shown}",
        line.number
    );
    Some(("program-log", why))
}

/// A kernel's report of its failure in a program's task, alone, as people keep them: the system had started.
fn report(log: &BootLog) -> Option<(&'static str, String)> {
    if log.start != BootStart::MiddleOfLog {
        return None;
    }
    let timed = |l: &Line| {
        l.printk_ns.is_some()
            || l.host_ns.is_some()
            || l.level.is_some()
            || l.kind == LineKind::User
            || milestone::of(&l.text).is_some()
            || l.text.trim_start().starts_with("VFS: ")
    };
    let task = log.lines.iter().find_map(|l| Some(l.text.split_once(" Comm: ")?.1));
    let starts = |task: &str| {
        ["swapper", "kworker", "init", "systemd"]
            .iter()
            .any(|name| task.starts_with(name))
    };
    if log.lines.iter().any(timed) || task.is_none_or(starts) {
        return None;
    }
    let why = format!(
        "no line is stamped or shows a start, and a program's task failed{}",
        fault(log)?
    );
    Some(("report", why))
}

/// The last lines of a boot that another one follows in the same input: they show neither its start nor an init.
pub fn tail_of_earlier(log: &BootLog) -> Option<(&'static str, String)> {
    if log.start != BootStart::MiddleOfLog {
        return None;
    }
    let shows = |l: &Line| {
        matches!(
            milestone::of(&l.text),
            Some(
                Milestone::KernelBanner
                    | Milestone::BootingLinux
                    | Milestone::FreeingInit
                    | Milestone::InitStarted
                    | Milestone::ClocksourceSwitch
            )
        ) || is_boot_initcall(&l.text)
            || is_kernel_fault(&l.text)
            || accounts_for_start(&l.text)
            || l.text.contains(" running in system mode")
            || l.text.starts_with("init started: ")
            || l.text.starts_with("INIT: version ")
    };
    // What follows in a page need not be the next.
    let in_page = log.lines.iter().any(|l| l.text.trim_start().starts_with("```"));
    // `journalctl -u UNIT` over several boots: each has its own start of the unit.
    let mut spoken = log
        .lines
        .iter()
        .filter(|l| matches!(l.kind, LineKind::Kernel | LineKind::User));
    let of_a_unit = spoken.all(|l| l.process.as_deref() == Some("systemd"));
    if in_page || of_a_unit || log.lines.iter().any(shows) {
        return None;
    }
    if let Some(xen) = log
        .lines
        .iter()
        .find(|l| l.text.trim_start().starts_with("Xen version "))
    {
        let why = format!(
            "line {} says `{}`: its stamps are not the kernel's",
            xen.number,
            xen.text.trim()
        );
        return Some(("hypervisor", why));
    }
    let line = log.lines.iter().find(|l| !l.text.trim().is_empty())?;
    let why = format!(
        "it begins with `{}`, shows no start, and another boot follows it",
        shorten(line.text.trim())
    );
    Some(("tail", why))
}

/// Is this the first line of `recovery.log`, which Android's recovery and TWRP write and no console shows?
///
/// Source: bootable/recovery/recovery_main.cpp, twrp.cpp.
pub fn begins_recovery(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("Starting recovery (pid ") || text.starts_with("Starting TWRP ")
}

fn recovery(log: &BootLog) -> Option<(&'static str, String)> {
    if log.start != BootStart::Recovery {
        return None;
    }
    let line = log.lines.iter().find(|l| begins_recovery(&l.text))?;
    let why = format!(
        "line {} says `{}`: what a recovery system's program did; its kernel's log is /proc/last_kmsg or pstore",
        line.number,
        shorten(line.text.trim())
    );
    Some(("recovery", why))
}

fn suspend(log: &BootLog) -> Option<(&'static str, String)> {
    const SUSPEND: [&str; 18] = [
        "Reached target Sleep",
        "Reached target sleep.target",
        "Starting Suspend",
        "Starting System Suspend",
        "Starting systemd-suspend.service",
        "System returned from sleep operation",
        "PM: suspend entry",
        "PM: Syncing filesystems",
        "PM: Preparing system for",
        "PM: Entering ",
        "PM: hibernation entry",
        "PM: hibernation: hibernation entry",
        "Suspending console(s)",
        "PM: dpm_run_callback(): ",
        "PM: Suspending system (",
        "PM: suspend of devices complete",
        "ACPI: Waking up from system sleep state",
        "Freezing user space processes",
    ];
    if log.start != BootStart::MiddleOfLog {
        return None;
    }
    // A boot's mark anywhere makes it a boot, even if the machine slept later.
    if log
        .lines
        .iter()
        .any(|l| milestone::of(&l.text).is_some() || is_boot_initcall(&l.text) || accounts_for_start(&l.text))
    {
        return None;
    }
    let line = log
        .lines
        .iter()
        .find(|l| SUSPEND.iter().any(|s| l.text.trim_start().starts_with(s)))?;
    let why = format!(
        "line {} says `{}`, and no line of the log belongs to a boot (no kernel banner, no initcall, no init)",
        line.number,
        line.text.trim()
    );
    Some(("suspend", why))
}

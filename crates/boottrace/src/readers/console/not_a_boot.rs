//! Text that is no boot: the messages of a suspend and resume, the log of a recovery system's program.

use crate::log::boot_log::{BootLog, BootStart};
use crate::log::milestone;

/// Says what the lines are and how that was seen, when they are no boot.
pub fn not_a_boot(log: &BootLog) -> Option<(&'static str, String)> {
    recovery(log).or_else(|| suspend(log))
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
        crate::text::shorten::shorten(line.text.trim())
    );
    Some(("recovery", why))
}

fn suspend(log: &BootLog) -> Option<(&'static str, String)> {
    const SUSPEND: [&str; 8] = [
        "PM: suspend entry",
        "PM: Syncing filesystems",
        "PM: Preparing system for",
        "PM: Entering ",
        "PM: hibernation entry",
        "PM: hibernation: hibernation entry",
        "Suspending console(s)",
        "Freezing user space processes",
    ];
    if log.start != BootStart::MiddleOfLog || log.kernel_from.is_none() {
        return None;
    }
    // A boot's mark anywhere makes it a boot, even if the machine slept later.
    if log
        .lines
        .iter()
        .any(|l| milestone::of(&l.text).is_some() || is_boot_initcall(&l.text))
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

fn is_boot_initcall(text: &str) -> bool {
    text.starts_with("initcall ") && text.contains(" returned ") && text.contains(" after ")
}

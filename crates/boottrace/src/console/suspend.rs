//! Kernel messages that are no boot: a suspend and resume, or any other piece of a running system's log.

use super::boots::{BootLog, BootStart};
use crate::kernel::milestone;

/// Says what the lines are and how that was seen, when they are no boot.
pub fn not_a_boot(log: &BootLog) -> Option<(&'static str, String)> {
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

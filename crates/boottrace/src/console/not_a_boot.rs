//! Text that is no boot: the messages of a suspend and resume, the log of a recovery system's program.

use super::boots::{BootLog, BootStart};
use crate::kernel::milestone;

/// What the log of a recovery system's program is called.
pub const RECOVERY: &str = "recovery";

/// Says what the lines are and how that was seen, when they are no boot.
pub fn not_a_boot(log: &BootLog) -> Option<(&'static str, String)> {
    recovery(log).or_else(|| suspend(log))
}

/// `recovery.log` of Android's recovery and of TWRP, which is no console's: bootable/recovery/recovery_main.cpp, twrp.cpp.
fn recovery(log: &BootLog) -> Option<(&'static str, String)> {
    if log.kernel_from.is_some() {
        return None;
    }
    let is_first = |text: &str| text.starts_with("Starting recovery (pid ") || text.starts_with("Starting TWRP ");
    let line = log.lines.iter().take(3).find(|l| is_first(l.text.trim_start()))?;
    let why = format!(
        "line {} says `{}`: what a recovery system's program did; its kernel's log is /proc/last_kmsg or pstore",
        line.number,
        crate::analysis::shorten(line.text.trim())
    );
    Some((RECOVERY, why))
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

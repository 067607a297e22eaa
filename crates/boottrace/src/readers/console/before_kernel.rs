// SPDX-License-Identifier: MIT
//! What syslog writes of a start before the kernel's own lines of the same boot: the journal hands over what it kept, and
//! the kernel's ring is read behind it.

use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::NS_PER_S;
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// Dates of one boot's lines that syslog writes when it starts are no further apart.
const APART_NS: i64 = 60 * NS_PER_S;

/// The first line of the boot that follows at once.
#[derive(Debug, Clone, Copy)]
pub struct Next {
    /// Its number.
    pub line: u32,
    /// Its date, where it has one.
    pub host_ns: Option<i64>,
}

/// Are these lines without the kernel, with a start in them, and does the kernel's log of that start follow?
pub fn before_kernel(log: &BootLog, next: Next) -> Option<(&'static str, String)> {
    // The first words of the kernel's log, where it begins a line or two before its banner: at its zero, or a daemon's of it.
    let first = |line: &Line| {
        const STARTS: [&str; 3] = ["Initializing cgroup subsys ", "imklog ", "klogd "];
        let text = line.text.trim_start();
        let said = || STARTS.iter().any(|start| text.starts_with(start));
        line.printk_ns == Some(0) || (line.printk_ns.is_none() && said())
    };
    let by_kernel = |line: &Line| (line.printk_ns.is_some() || line.kind == LineKind::Kernel) && !first(line);
    if log.start != BootStart::MiddleOfLog || log.lines.iter().any(by_kernel) {
        return None;
    }
    let unit = log.lines.iter().rev().find(|line| shows_start(line))?;
    let apart = next.host_ns?.saturating_sub(unit.host_ns?);
    (apart.saturating_abs() <= APART_NS).then(|| {
        let why = format!(
            "line {} says `{}`: it is of a start, and its date is that of the kernel's lines that follow from line {}",
            unit.number,
            shorten(unit.text.trim()),
            next.line
        );
        ("before-kernel", why)
    })
}

/// Does the system's manager say what it says only when a system starts? A user's manager has no such units, and no
/// package that is installed starts them again (systemd: units/*.target, systemd-update-utmp.service).
pub(super) fn shows_start(line: &Line) -> bool {
    const DONE: [&str; 3] = ["Reached target ", "Started ", "Finished "];
    const UNITS: [&str; 6] = [
        "System Initialization",
        "Local File Systems",
        "Multi-User System",
        "Graphical Interface",
        "Update UTMP about System Boot/Shutdown",
        "Create Static Device Nodes in /dev",
    ];
    let text = line.text.trim_start();
    // The log daemons' own first words.
    match line.process.as_deref() {
        Some("systemd-journald" | "journal" | "systemd-journal") if text.starts_with("Runtime ") => return true,
        Some("rsyslogd") if text.ends_with("] start") => return true,
        _ => {}
    }
    let rest = DONE.iter().find_map(|done| text.strip_prefix(done));
    line.process.as_deref() == Some("systemd")
        && rest.is_some_and(|rest| {
            // Newer systemd: `Reached target sysinit.target - System Initialization.`
            let name = rest.split_once(" - ").map_or(rest, |(_, name)| name);
            UNITS.iter().any(|unit| name.starts_with(unit))
        })
}

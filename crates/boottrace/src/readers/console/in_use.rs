// SPDX-License-Identifier: MIT
//! Dated lines of a system that somebody uses: what daemons and the kernel say then is of no boot.

use crate::log::boot_log::BootLog;
use crate::log::line::{Line, LineKind};
use crate::log::starting::{enters_a_runlevel, starts_a_log};
use crate::text::shorten::shorten;

/// A sign behind so many lines may follow a start whose end they show.
const FIRST: usize = 20;

/// The line near the beginning that shows it, where every line has a date and none a stamp of the kernel's own.
pub(super) fn in_use(log: &BootLog) -> Option<(&'static str, String)> {
    let mut spoken = log
        .lines
        .iter()
        .filter(|line| matches!(line.kind, LineKind::Kernel | LineKind::User));
    if !spoken
        .clone()
        .all(|line| line.host_ns.is_some() && line.printk_ns.is_none())
    {
        return None;
    }
    let starts = |line: &&Line| line.text.trim_start().starts_with("Reached target ");
    let used = spoken
        .by_ref()
        .take(FIRST)
        .take_while(|line| !starts(line))
        .find(|line| is_used(line))?;
    // Its first lines may be of a start, of which nothing is measured: nobody knows how long after it somebody came.
    let begun = log
        .lines
        .iter()
        .find(|line| enters_a_runlevel(line) || starts_a_log(line));
    let start = begun.filter(|begun| begun.number < used.number).map_or_else(
        || "no known line of a start was found".to_owned(),
        |begun| format!("line {} is of a start, how long it took is not told", begun.number),
    );
    let why = format!(
        "{start}, and line {} is of a system in use: `{}`",
        used.number,
        shorten(used.text.trim())
    );
    Some(("running-system", why))
}

/// Does somebody give a command or come in, or does something come round by its hour?
fn is_used(line: &Line) -> bool {
    let text = line.text.trim();
    let by = |name: &str| {
        line.process
            .as_deref()
            .is_some_and(|who| who.eq_ignore_ascii_case(name))
    };
    (by("sudo") && text.contains(" COMMAND="))
        || ((by("cron") || by("crond")) && text.contains(" CMD ("))
        || (by("systemd") && text == "Starting Cleanup of Temporary Directories...")
        || (by("sshd") && text.starts_with("Accepted "))
}

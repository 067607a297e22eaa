// SPDX-License-Identifier: MIT
//! What syslog writes of a start before the kernel's own lines of the same boot: the journal hands over what it kept, and
//! the kernel's ring is read behind it.

use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::NS_PER_S;
use crate::log::line::{Line, LineKind};
use crate::log::starting::starts_once;
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
        const STARTS: [&str; 7] = [
            "Initializing cgroup subsys ",
            "imklog ",
            "klogd ",
            "Inspecting /",
            "Cannot find map file",
            "Loaded ",
            "No module symbols loaded",
        ];
        let text = line.text.trim_start();
        let said = || STARTS.iter().any(|start| text.starts_with(start));
        // What it says before its banner, where a daemon's dates are all there is.
        let apart = line.host_ns.zip(next.host_ns).map(|(a, b)| a.abs_diff(b));
        let near = || apart.is_some_and(|ns| ns <= NS_PER_S.unsigned_abs());
        line.printk_ns == Some(0) || (line.printk_ns.is_none() && (said() || near()))
    };
    let by_kernel = |line: &Line| (line.printk_ns.is_some() || line.kind == LineKind::Kernel) && !first(line);
    if log.start != BootStart::MiddleOfLog || log.lines.iter().any(by_kernel) {
        return None;
    }
    let unit = log.lines.iter().rev().find(|line| starts_once(line))?;
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

// SPDX-License-Identifier: MIT
//! The services of one boot's log.

use super::rows::{Service, ServiceLog};
use crate::facts::boot::axis::Axis;
use crate::log::boot_log::BootLog;
use crate::log::clock::NS_PER_S;
use crate::log::line::{Line, LineKind};

/// What begins later than this behind the first service is none of the system's start.
const START_NS: i64 = 180 * NS_PER_S;

/// Reads the lines of a boot up to its first use, where the log shows that.
pub fn of_boot(log: &BootLog, axis: &Axis, first_use: Option<u32>) -> Vec<Service> {
    let mut found = ServiceLog::default();
    let mut began = None;
    for line in &log.lines {
        if first_use.is_some_and(|end| line.number > end) {
            break;
        }
        let Some((ns, _)) = axis.at(line) else { continue };
        let Some(text) = said(line) else {
            found.other(ns);
            continue;
        };
        if found.line(line.number, &text, ns, ns) {
            let began = *began.get_or_insert(ns);
            if ns.saturating_sub(began) > START_NS {
                break;
            }
        }
    }
    found.services()
}

/// What an init may have said: user space's own lines, and those that Android's init and upstart write to the kernel.
fn said(line: &Line) -> Option<String> {
    match line.process.as_deref() {
        Some("init") => Some(format!("init: {}", line.text.trim_start())),
        None if line.kind == LineKind::User && !line.has_kernel_prefix() => Some(line.text.clone()),
        None if line.has_kernel_prefix() && line.text.starts_with("init: ") => Some(line.text.clone()),
        Some(_) | None => None,
    }
}

// SPDX-License-Identifier: MIT
//! The head of a mail and the words below it, in front of a kernel's log that it shows: nobody's output.

use crate::log::banner::{banner, is_loaders_own, looks_like_loader};
use crate::log::boot_log::{BootLog, Split};
use crate::log::hand_over::hands_over;
use crate::log::line::{Line, LineKind};

/// Lines in which a head ends.
const LONGEST: usize = 60;

/// Marks them in each boot in which no firmware or boot loader is known to speak before the kernel.
pub(super) fn mark(out: &mut Split) {
    for boot in &mut out.boots {
        mark_in(boot);
    }
}

fn mark_in(boot: &mut BootLog) {
    let Some(kernel) = boot.kernel_from.filter(|kernel| *kernel < boot.lines.len()) else {
        return;
    };
    let before = &boot.lines[..kernel];
    if !has_head(before) || before.iter().any(by_machine) {
        return;
    }
    for line in &mut boot.lines[..kernel] {
        if matches!(line.kind, LineKind::Firmware | LineKind::Outside) {
            line.kind = LineKind::Prose;
        }
    }
}

/// `From: ...`, and when it was sent or what it is about, down to the first empty line.
fn has_head(lines: &[Line]) -> bool {
    let head = || {
        lines
            .iter()
            .take(LONGEST)
            .take_while(|line| !line.text.trim().is_empty())
    };
    let has = |name: &str| head().any(|line| line.text.starts_with(name));
    has("From: ") && (has("Subject: ") || has("Date: ") || has("Message-I"))
}

fn by_machine(line: &Line) -> bool {
    let stamped = line.printk_ns.or(line.firmware_ns).or(line.host_ns).is_some() || line.cycles.is_some();
    stamped
        || looks_like_loader(&line.text)
        || is_loaders_own(line.text.trim())
        || hands_over(&line.text)
        || banner(&line.text).is_some()
}

//! Text that quotes or mentions what a boot prints.

use crate::log::banner::{banner, is_loaders_own};
use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;
use crate::readers::firmware_table::is_table_row;

/// A report about a system may print /proc/version before its log: that was no boot.
pub fn take_back_quoted(out: &mut Split) {
    let [first, second, ..] = out.boots.as_slice() else {
        return;
    };
    let banner = |boot: &BootLog| {
        let line = boot
            .lines
            .iter()
            .find(|l| milestone::of(&l.text) == Some(Milestone::KernelBanner))?;
        Some((line.text.clone(), line.printk_ns.is_some()))
    };
    let quoted = first.start == BootStart::KernelBanner
        && first.lines.iter().all(|l| !l.has_kernel_prefix())
        && banner(first).is_some_and(|(text, _)| banner(second) == Some((text, true)));
    if quoted {
        let mut lines = out.boots.remove(0).lines;
        for line in &mut lines {
            if matches!(line.kind, LineKind::Kernel | LineKind::User) {
                line.kind = LineKind::Outside;
            }
        }
        out.outside.append(&mut lines);
    }
}

/// /proc/version, as notes about a system and people at its prompt print it: no line around it is a kernel's.
fn is_version_alone(boot: &BootLog) -> bool {
    const EARLY: [&str; 22] = [
        "Kernel command line:",
        "Command line:",
        "Memory: ",
        "Calibrating delay loop",
        "Console: ",
        "console [",
        "CPU: ",
        "CPU0",
        "CPU revision is",
        "Booting Linux on",
        "Machine model",
        "Machine:",
        "Zone ranges",
        "Freeing ",
        "PID hash table",
        "Dentry cache",
        "Dentry-cache",
        "NET: Registered",
        "Linux NET4",
        "Mount-cache",
        "Determined physical RAM map",
        "Using ",
    ];
    let kernels = |line: &Line| {
        let text = line.text.trim_start();
        line.has_kernel_prefix()
            || line.host_ns.is_some()
            || line.process.is_some()
            || EARLY.iter().any(|words| text.starts_with(words))
    };
    let firmware = |line: &Line| line.kind == LineKind::Firmware;
    boot.start == BootStart::KernelBanner && !boot.lines.iter().any(|line| kernels(line) || firmware(line))
}

/// Notes, scripts and lists mention boot loaders; without a name, a time or a word of its own none has spoken.
pub fn take_back_mentions(out: &mut Split) {
    let speaks = |line: &Line| {
        let text = line.text.trim();
        line.firmware_ns.is_some() || banner(text).is_some() || is_loaders_own(text) || is_table_row(text)
    };
    let (mentions, boots) = std::mem::take(&mut out.boots)
        .into_iter()
        .partition::<Vec<_>, _>(|boot| {
            (boot.start == BootStart::Firmware && boot.kernel_from.is_none() && !boot.lines.iter().any(speaks))
                || is_version_alone(boot)
        });
    out.boots = boots;
    if mentions.is_empty() {
        return;
    }
    for mut line in mentions.into_iter().flat_map(|boot| boot.lines) {
        if matches!(line.kind, LineKind::Firmware | LineKind::Kernel | LineKind::User) {
            line.kind = LineKind::Outside;
        }
        out.outside.push(line);
    }
    out.outside.sort_by_key(|line| line.number);
}

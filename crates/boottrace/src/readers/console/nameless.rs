// SPDX-License-Identifier: MIT
//! Boot loaders that say no name: by what else they say, their lines belong to the boot that follows.

use crate::log::banner::looks_like_loader;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::NS_PER_S;
use crate::log::hand_over::hands_over;
use crate::log::line::{Line, LineKind};
use crate::log::milestone::{self, Milestone};

/// Lines before the kernel's banner that are searched for a boot loader's words.
const LINES_OF_HANDOVER: usize = 12;

/// Words of boot loaders near the end of what they print; a report or a mail around a log has none of them.
pub fn ends_like_loader(outside: &[Line]) -> bool {
    const WORDS: [&str; 12] = [
        "compress",
        "jump",
        "booting ",
        "boot from",
        "entry point",
        "load kernel",
        "loading kernel",
        "loading linux",
        "starting kernel",
        "kernel image",
        "image found",
        "boot image",
    ];
    // What stands before a tool's or a person's lines is not claimed either.
    let machine = outside
        .iter()
        .rev()
        .take_while(|l| !matches!(l.kind, LineKind::Harness | LineKind::Typed));
    let last = machine.filter(|l| l.kind == LineKind::Outside);
    let said: Vec<String> = last
        .take(LINES_OF_HANDOVER)
        .map(|l| l.text.to_ascii_lowercase())
        .collect();
    // A command typed at a prompt stands right before its output.
    let typed = said
        .first()
        .is_some_and(|text| text.contains("dmesg") || text.contains("journalctl"));
    !typed && said.iter().any(|text| WORDS.iter().any(|word| text.contains(word)))
}

/// Where a loader that said no name began to speak, behind the last stamped line of the boot that another one follows.
pub fn loader_from(boot: &BootLog) -> Option<usize> {
    if is_loaders_alone(boot) {
        return Some(0);
    }
    let last = boot.lines.iter().rposition(Line::has_kernel_prefix)?;
    let said = &boot.lines[last].text;
    let after = last + 1;
    if ["estarting system", "ebooting", "eboot: "]
        .iter()
        .any(|word| said.contains(word))
    {
        return (after < boot.lines.len()).then_some(after);
    }
    let found = boot.lines[after..].iter().position(|l| looks_like_loader(&l.text))?;
    Some(after + found)
}

/// Where what the next boot printed before its first name began, at the end of a boot: behind the machine's last words, with a
/// page's next block, or with lines that only firmware writes. `left`: this boot's own firmware had left the machine.
/// `block_at`: where the page's last block began.
pub fn head_from(boot: &BootLog, left: bool, block_at: Option<usize>) -> Option<usize> {
    let lines = &boot.lines;
    let running = |line: &Line| line.has_kernel_prefix() || line.process.is_some();
    let behind = lines.iter().rposition(running).map_or(0, |at| at + 1);
    let restarts = lines[behind.saturating_sub(1)..]
        .iter()
        .rposition(|line| restarts(&line.text));
    if let Some(at) = restarts {
        let from = behind.saturating_sub(1) + at + 1;
        return (from < lines.len()).then_some(from);
    }
    if let Some(at) = block_at.filter(|at| *at >= behind && *at > 0) {
        return (at < lines.len()).then_some(at);
    }
    let mut from = None;
    for (at, line) in lines.iter().enumerate().skip(behind).rev() {
        match line.kind {
            LineKind::Blank | LineKind::Harness | LineKind::Garbage => {}
            _ if left && is_of_firmware(&line.text) => from = Some(at),
            _ => break,
        }
    }
    from
}

/// The machine's last words before its reset (kernel/reboot.c; common/board_r.c and drivers/sysreset of U-Boot).
fn restarts(text: &str) -> bool {
    const STARTS: [&str; 5] = [
        "reboot: Restarting system",
        "Restarting system",
        "resetting ...",
        "Rebooting in ",
        "Resetting CPU",
    ];
    let text = text.trim();
    STARTS.iter().any(|start| text.starts_with(start)) || text == "Rebooting."
}

/// The levels with which TF-A and coreboot begin their lines, wide as they write them: programs write them otherwise.
fn is_of_firmware(text: &str) -> bool {
    const LEVELS: [&str; 12] = [
        "NOTICE:  ",
        "INFO:    ",
        "ERROR:   ",
        "WARNING: ",
        "VERBOSE: ",
        "[NOTE ]  ",
        "[INFO ]  ",
        "[DEBUG]  ",
        "[SPEW ]  ",
        "[WARN ]  ",
        "[ERROR]  ",
        "[EMERG]  ",
    ];
    LEVELS.iter().any(|level| text.starts_with(level)) && !hands_over(text)
}

/// Is all of a boot what a loader without a known name printed, with stamps in the kernel's form? It begins early, says nothing
/// that a kernel says, and starts a kernel with its last words.
fn is_loaders_alone(boot: &BootLog) -> bool {
    const LONGEST_NS: i64 = 120 * NS_PER_S;
    let spoken = || boot.lines.iter().filter(|line| line.kind != LineKind::Blank);
    let plain = |line: &Line| {
        let steps = milestone::of(&line.text).is_some_and(|found| found != Milestone::InitRunning);
        let early = line.printk_ns.is_none_or(|ns| ns < LONGEST_NS);
        early && !steps && line.caller.is_none() && line.level.is_none() && line.process.is_none()
    };
    boot.start == BootStart::MiddleOfLog
        && boot.user_from.is_none()
        && spoken().next_back().is_some_and(|line| hands_over(&line.text))
        && spoken().all(plain)
}

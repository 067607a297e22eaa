// SPDX-License-Identifier: MIT
//! What speaks behind a boot loader's last words without a name: the kernel's first steps, or user space behind a quiet
//! kernel.

use crate::log::banner::{banner, is_loaders_own};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::hand_over::hands_over;
use crate::log::hints::loader_goes_on;
use crate::log::line::LineKind;
use crate::readers::firmware_table::is_table_row;

/// A loader may add a line to its last words.
const LINES: usize = 2;

/// Index of the first such line of a boot whose kernel was never recognised; `None` where a loader had the last word.
pub(super) fn unclaimed_from(boot: &BootLog) -> Option<usize> {
    if boot.kernel_from.is_some() {
        return None;
    }
    let last = boot.lines.iter().rposition(|line| is_loaders(&line.text))?;
    let words = &boot.lines[last].text;
    if !gives_away(words) || is_table_row(words) {
        return None;
    }
    let mut behind = (last + 1..boot.lines.len()).filter(|at| boot.lines[*at].kind == LineKind::Firmware);
    let first = behind.next()?;
    (behind.count() + 1 >= LINES).then_some(first)
}

/// Last words of a loader, or of SeaBIOS where an emulator hands it the kernel (src/boot.c, `boot_rom()`): iPXE, which is
/// started so too, says its name.
fn gives_away(text: &str) -> bool {
    hands_over(text) || text.contains("Booting from ROM.")
}

fn is_loaders(text: &str) -> bool {
    gives_away(text) || is_loaders_own(text) || banner(text).is_some() || loader_goes_on(text) || text.contains("iPXE")
}

/// Why no line shows the kernel's start.
pub(super) fn kernel_missing(boot: &BootLog) -> &'static str {
    if boot.kernel_from.is_some() {
        match boot.start {
            BootStart::Firmware | BootStart::Kexec if boot.kernel_from == boot.user_from => {
                "the kernel printed nothing before user space spoke"
            }
            BootStart::Firmware => "no line shows the kernel's first message",
            _ => "the log begins after the kernel's banner",
        }
    } else {
        "no line of a Linux kernel was found"
    }
}

// SPDX-License-Identifier: MIT
//! Lines that somebody chose: what lies between two of them, they do not tell.

use super::context::Context;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::leaves_out;
use crate::log::line::LineKind;

/// May lines be missing from what is there? A piece is a choice, and so is a kernel's log of so few lines.
pub(super) fn is_selected(context: &Context<'_>) -> bool {
    const WHOLE: usize = 60;
    let boot = context.boot;
    let stamped = || boot.lines.iter().filter(|line| line.printk_ns.is_some()).count();
    let cut = || {
        let spoken = boot.lines.iter().take_while(|line| line.kind != LineKind::User);
        spoken
            .clone()
            .any(|line| leaves_out(line) && !line.text.trim_start().starts_with(['`', '~']))
    };
    boot.start == BootStart::MiddleOfLog || (boot.kernel_from.is_some() && (1..WHOLE).contains(&stamped()) && cut())
}

/// Are the lines of a piece those of one driver or subsystem, or do all of them hold one word, as those that a search lets
/// through do? Somebody chose them, and others spoke meanwhile.
pub(crate) fn is_a_choice(boot: &BootLog) -> bool {
    const LINES: usize = 5;
    const SHORTEST: usize = 3;
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let names = words.filter(|word| word.len() >= SHORTEST && word.contains(|c: char| c.is_ascii_alphabetic()));
        names.map(str::to_ascii_lowercase).collect()
    };
    let mut spoken = boot.lines.iter().filter(|line| line.printk_ns.is_some());
    if boot.start != BootStart::MiddleOfLog || spoken.clone().count() < LINES {
        return false;
    }
    let mut shared = spoken.next().map_or_else(Vec::new, |line| words(&line.text));
    for line in spoken {
        let said = words(&line.text);
        shared.retain(|word| said.contains(word));
        if shared.is_empty() {
            return false;
        }
    }
    !shared.is_empty()
}

/// The same of lines that begin in different ways: only a search puts those together, and not one device.
pub(crate) fn is_searched(boot: &BootLog) -> bool {
    let stamped = boot.lines.iter().filter(|line| line.printk_ns.is_some());
    let mut first = stamped.map(|line| line.text.split([':', ' ', '[']).next());
    let one = first.next();
    is_a_choice(boot) && first.any(|word| Some(word) != one)
}

// SPDX-License-Identifier: MIT
//! Lines that somebody chose: what lies between two of them, they do not tell.

use super::context::Context;
use crate::log::boot_log::BootStart;
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

// SPDX-License-Identifier: MIT
//! How far the boot that is read has come: its loader, its kernel, its user space.

use super::Splitter;
use crate::log::boot_log::BootLog;
use crate::log::breaks::leaves_out;
use crate::log::line::Line;
use crate::log::milestone::Milestone;
use crate::log::sentence::is_sentence;

impl Splitter<'_> {
    /// Is the line's stamp before the latest one?
    pub(super) fn fell(&self, line: &Line) -> bool {
        line.printk_ns
            .zip(self.state.max_printk_ns)
            .is_some_and(|(ns, max)| ns < max)
    }

    /// The kernel has freed its init memory.
    pub(super) fn note_freed(&mut self) {
        self.state.freed = true;
        if let Some(boot) = &self.state.boot {
            self.state.freed_at.get_or_insert(boot.lines.len());
        }
    }

    /// The kernel frees its init memory, or goes on behind that: init cannot have run before this.
    pub(super) fn note_closing(&mut self, milestone: Option<Milestone>) {
        let again = self.state.freed && matches!(milestone, Some(Milestone::FreeingInit | Milestone::ClosingStep));
        if milestone == Some(Milestone::FreeingInit) {
            self.note_freed();
        }
        if !again {
            return;
        }
        if let Some(boot) = self.state.boot.as_ref().filter(|boot| boot.user_from.is_none()) {
            self.state.freed_at = Some(boot.lines.len());
        }
    }

    /// Is a line of no machine: in a log of stamped lines, what a person writes below it, or a page's mark?
    pub(super) fn is_beside_the_log(&self, line: &Line) -> bool {
        self.state.stamped_lines > 0 && (leaves_out(line) || is_sentence(line.text.trim()))
    }

    /// Does a program behind the hand-over count the time from its own start? The kernel prints nothing, and the boot loader
    /// had no clock: it is user space.
    pub(super) fn counts_anew(&self, line: &Line) -> bool {
        const FIRST_NS: i64 = 1_000_000_000;
        let first = line.firmware_ns.is_some_and(|ns| ns < FIRST_NS) && line.printk_ns.is_none();
        let clockless = |boot: &BootLog| boot.user_from.is_none() && boot.lines.iter().all(|l| l.firmware_ns.is_none());
        first && self.state.handed_over && self.state.boot.as_ref().is_some_and(clockless)
    }

    pub(super) fn in_kernel(&self) -> bool {
        self.state.boot.as_ref().is_some_and(|boot| boot.kernel_from.is_some())
    }

    pub(super) fn enter_kernel(&mut self) {
        if let Some(boot) = &mut self.state.boot {
            boot.kernel_from.get_or_insert(boot.lines.len());
        }
    }

    pub(super) fn enter_user(&mut self) {
        if let Some(boot) = &mut self.state.boot {
            boot.user_from.get_or_insert(boot.lines.len());
        }
    }
}

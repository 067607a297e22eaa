//! How far the boot that is read has come: its loader, its kernel, its user space.

use super::Splitter;
use crate::log::line::Line;

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

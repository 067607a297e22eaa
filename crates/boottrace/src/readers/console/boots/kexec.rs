// SPDX-License-Identifier: MIT
//! A kernel that starts another one: one power-on, two boots.

use super::Splitter;
use crate::log::banner::banner;
use crate::log::boot_log::BootStart;
use crate::log::hand_over::{starts_another_kernel, unpacks};
use crate::log::line::{Line, LineKind};
use crate::log::milestone::{self, Milestone};

impl Splitter<'_> {
    /// Begins another boot where another kernel speaks, or its user space where that kernel is quiet: the one before
    /// said that it starts it.
    pub(super) fn enter_next_kernel(&mut self, line: &Line) {
        if self.starts_freebsd_again(line) {
            self.begin(BootStart::MiddleOfLog);
            self.enter_kernel();
            return;
        }
        if !self.state.leaves || !is_of_machine(line.kind) || self.is_last_word(line) {
            return;
        }
        self.state.leaves = false;
        if banner(&line.text).is_some() {
            // The machine was reset in the middle of it.
            return;
        }
        self.begin(BootStart::Kexec);
        self.state.handed_over = true;
        if line.kind != LineKind::Kernel && milestone::of(&line.text).is_none() && !unpacks(&line.text) {
            self.enter_kernel();
            self.enter_user();
        }
    }

    /// Remembers that the kernel said so.
    pub(super) fn note_leaving(&mut self, line: &Line) {
        self.state.leaves |= is_of_machine(line.kind) && self.in_kernel() && starts_another_kernel(&line.text);
    }

    /// Does the kernel that leaves still speak (`Bye!`)?
    fn is_last_word(&self, line: &Line) -> bool {
        let another = milestone::of(&line.text) == Some(Milestone::KernelBanner);
        let goes_on = line.printk_ns.is_some() && !self.fell(line) && !another;
        goes_on || starts_another_kernel(&line.text) || line.text.trim() == "Bye!"
    }
}

fn is_of_machine(kind: LineKind) -> bool {
    use LineKind::{Blank, Garbage, Harness, Property, Prose, Report, Typed};
    !matches!(kind, Blank | Garbage | Harness | Property | Prose | Report | Typed)
}

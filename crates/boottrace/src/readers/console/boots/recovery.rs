// SPDX-License-Identifier: MIT
//! The log of a recovery program, which is no boot of its own.

use super::Splitter;
use super::State;
use crate::log::banner::banner;
use crate::log::boot_log::BootStart;
use crate::log::line::Line;
use crate::log::milestone;
use crate::log::milestone::Milestone;
use crate::readers::console::not_a_boot;

impl Splitter<'_> {
    /// Is the line one of a recovery program's log? The first of them begins it, a machine's banner ends it.
    pub(super) fn is_recovery(&mut self, line: &Line) -> bool {
        match &self.state.boot {
            None if not_a_boot::begins_recovery(&line.text) => {
                self.begin(BootStart::Recovery);
                true
            }
            Some(boot) if boot.start == BootStart::Recovery => {
                let machine = matches!(
                    milestone::of(&line.text),
                    Some(Milestone::KernelBanner | Milestone::BootingLinux)
                );
                if machine || banner(&line.text).is_some() {
                    self.finish();
                    self.state = State::default();
                    return false;
                }
                true
            }
            _ => false,
        }
    }
}

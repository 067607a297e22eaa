// SPDX-License-Identifier: MIT
//! Lines before the first banner of an input.

use super::Splitter;
use crate::log::line::{Line, LineKind};
use crate::log::sentence::is_sentence;

impl Splitter<'_> {
    /// What the machine printed before the first banner belongs to the first boot.
    pub(super) fn claim_before(&mut self) {
        let outside = &mut self.out.outside;
        let from = outside
            .iter()
            .rposition(|l| {
                matches!(l.kind, LineKind::Harness | LineKind::Typed | LineKind::Prose)
                    || (l.kind == LineKind::Outside && is_sentence(l.text.trim()))
            })
            .map_or(0, |at| at + 1);
        let mut lines = outside.split_off(from);
        for line in &mut lines {
            if line.kind == LineKind::Outside {
                line.kind = LineKind::Firmware;
            }
        }
        // Kernels of the 3.x series say this before their banner.
        let early = |line: &Line| line.text.starts_with("Initializing cgroup subsys");
        let said = lines.iter().rev().filter(|l| l.kind != LineKind::Blank);
        let kernel = (said.take_while(|l| early(l)).count() > 0).then(|| {
            lines
                .iter()
                .rposition(|l| l.kind != LineKind::Blank && !early(l))
                .map_or(0, |at| at + 1)
        });
        for line in lines.iter_mut().skip(kernel.unwrap_or(usize::MAX)) {
            if line.kind == LineKind::Firmware {
                line.kind = LineKind::Kernel;
            }
        }
        if let Some(boot) = &mut self.state.boot {
            boot.kernel_from = kernel;
            boot.lines = lines;
        }
    }
}

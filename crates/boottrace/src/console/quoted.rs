//! A banner that was quoted, not printed by a boot.

use super::boots::{BootLog, BootStart, Split};
use super::line::LineKind;
use crate::kernel::milestone::{self, Milestone};

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

// SPDX-License-Identifier: MIT
//! Stamps that were not taken by the booted system: which lines carry them, and whether they suffice for an axis.

use crate::log::line::{HostSource, Line, LineKind};

/// True when an axis can be made of the host's stamps: a time of day that some program of the booted system prints
/// stamps a few lines only.
pub(super) fn host_saw_all(lines: &[Line]) -> bool {
    let speaking = |l: &&Line| matches!(l.kind, LineKind::Firmware | LineKind::Kernel | LineKind::User);
    let stamped = |l: &&Line| l.live_host_ns().is_some();
    let (all, seen) = (
        lines.iter().filter(speaking).count(),
        lines.iter().filter(speaking).filter(stamped).count(),
    );
    seen > 0 && seen * 3 >= all
}

/// The date that `dmesg -T` gave a line.
pub(super) fn date_ns(line: &Line) -> Option<i64> {
    line.host_ns.filter(|_| line.host_source == Some(HostSource::Computed))
}

/// When a daemon read a line.
pub(super) fn received_ns(line: &Line) -> Option<i64> {
    line.host_ns.filter(|_| line.host_source == Some(HostSource::Syslog))
}

/// True when most lines have only that.
pub(super) fn received_alone(lines: &[Line]) -> bool {
    let spoken = lines
        .iter()
        .filter(|l| matches!(l.kind, LineKind::Kernel | LineKind::User))
        .count();
    let received = lines.iter().filter(|l| received_ns(l).is_some()).count();
    received > 0 && received * 3 >= spoken && lines.iter().all(|l| l.printk_ns.is_none())
}

/// True when most lines have such a date and none has the stamp it was made from.
pub(super) fn dates_alone(lines: &[Line]) -> bool {
    let dated = lines.iter().filter(|l| date_ns(l).is_some()).count();
    dated * 3 >= lines.len().max(1) * 2 && lines.iter().all(|l| l.printk_ns.is_none())
}

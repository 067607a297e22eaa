// SPDX-License-Identifier: MIT
//! Kernels of phones that print a date with microseconds where others print the time since their start:
//! `<6>[01-01 00:00:01.000410] [16: kworker/0:1]text`. The date is set while the kernel starts.

use super::reader::Lines;
use crate::log::line::{HostSource, Line};
use crate::log::milestone::{self, Milestone};

/// So many lines make a log of such a kernel.
const LEAST: usize = 5;
/// A date that goes back by more was set, and so was one that goes forth by more.
const BACK_NS: i64 = 1_000_000_000;
const FORTH_NS: i64 = 3_600_000_000_000;

/// The date of such a line.
fn date_ns(line: &Line) -> Option<i64> {
    let own = line.level.is_some() && line.printk_ns.is_none() && line.process.is_none();
    line.host_ns
        .filter(|_| own && line.host_source == Some(HostSource::Computed))
}

/// Makes the dates times since the kernel's banner, without the steps at which the date was set.
pub fn count_from_the_start(lines: &mut Lines) {
    let dates = || lines.lines.iter().filter_map(date_ns);
    let stamped = lines.lines.iter().any(|line| line.printk_ns.is_some());
    // `dmesg -T` computes whole seconds, and has no levels beside them.
    if stamped || dates().count() < LEAST || dates().all(|ns| ns % 1_000_000_000 == 0) {
        return;
    }
    let (mut origin, mut before) = (0, None::<i64>);
    for line in &mut lines.lines {
        let Some(ns) = date_ns(line) else { continue };
        let step = before.map_or(0, |last| ns.saturating_sub(last));
        let starts = milestone::of(&line.text) == Some(Milestone::KernelBanner) && step < 0;
        if before.is_none() || starts {
            origin = ns;
        } else if step <= -BACK_NS || step >= FORTH_NS {
            origin = origin.saturating_add(step);
        }
        before = Some(ns);
        line.printk_ns = Some(ns.saturating_sub(origin).max(0));
        line.host_ns = None;
        line.host_source = None;
    }
}

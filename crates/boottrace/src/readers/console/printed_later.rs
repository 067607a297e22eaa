// SPDX-License-Identifier: MIT
//! A kernel's log that was printed from its buffer while a host stamped the characters: `dmesg` on a captured console. Those
//! stamps say when it was printed, so they time nothing of the boot.

use crate::log::boot_log::{BootLog, Split};
use crate::log::clock::NS_PER_S;
use crate::log::line::Line;

/// A live console may print what the kernel kept for it until then, but shows the rest as it comes.
const TIMES_FASTER: i64 = 4;
const ENOUGH_LINES: usize = 50;
const ENOUGH_NS: i64 = NS_PER_S / 10;

/// Takes the host's stamps away from the kernel's lines of such boots.
pub(super) fn forget_when_printed(out: &mut Split) {
    out.boots.iter_mut().filter(|boot| printed_later(boot)).for_each(forget);
}

fn forget(boot: &mut BootLog) {
    for line in boot.lines.iter_mut().filter(|line| both(line).is_some()) {
        line.host_ns = None;
        line.host_source = None;
    }
}

/// The kernel's stamp and the host's.
fn both(line: &Line) -> Option<(i64, i64)> {
    Some((line.printk_ns?, line.live_host_ns()?))
}

/// True when the kernel's own time runs several times as fast as the host's, also in the second half of its lines.
fn printed_later(boot: &BootLog) -> bool {
    let stamps: Vec<(i64, i64)> = boot.lines.iter().filter_map(both).collect();
    let whole = stamps.iter().all(|(_, host)| host % NS_PER_S == 0);
    let resolution = if whole { NS_PER_S } else { 0 };
    let too_fast = |part: &[(i64, i64)]| {
        let (Some(first), Some(last)) = (part.first(), part.last()) else {
            return false;
        };
        let (kernel, host) = (last.0.saturating_sub(first.0), last.1.saturating_sub(first.1));
        let longest = host.saturating_add(resolution).saturating_mul(TIMES_FASTER);
        host >= 0 && kernel > ENOUGH_NS && kernel > longest
    };
    stamps.len() >= ENOUGH_LINES && too_fast(&stamps) && too_fast(&stamps[stamps.len() / 2..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::boot_log::BootStart;
    use crate::log::line::HostSource;

    fn boot(stamps: impl Iterator<Item = (i64, i64)>) -> BootLog {
        let mut boot = BootLog::new(BootStart::KernelBanner);
        for (number, (kernel_ms, host_ms)) in (1..).zip(stamps) {
            let mut line = Line::plain(number, 0, "usb 1-1: new device".to_owned());
            line.printk_ns = Some(kernel_ms * 1_000_000);
            line.host_ns = Some(host_ms * 1_000_000);
            line.host_source = Some(HostSource::Capture);
            boot.lines.push(line);
        }
        boot
    }

    #[test]
    fn a_log_of_two_seconds_that_comes_within_a_tenth_was_kept() {
        let mut out = Split::default();
        out.boots.push(boot((0..200).map(|n| (n * 10, 5000 + n / 2))));
        forget_when_printed(&mut out);
        assert!(out.boots[0].lines.iter().all(|line| line.host_ns.is_none()));
    }

    #[test]
    fn a_console_that_is_switched_on_late_shows_the_rest_as_it_comes() {
        let late = (0..200).map(|n| (n * 10, if n < 150 { 0 } else { n * 10 - 1500 }));
        assert!(!printed_later(&boot(late)));
    }

    #[test]
    fn whole_seconds_hide_less_than_one() {
        assert!(!printed_later(&boot((0..200).map(|n| (n * 10, 5000)))));
        assert!(printed_later(&boot((0..200).map(|n| (n * 100, 5000)))));
    }

    #[test]
    fn a_few_lines_say_nothing() {
        assert!(!printed_later(&boot((0..20).map(|n| (n * 100, 5)))));
    }
}

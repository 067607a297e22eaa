//! Silences between two messages of the kernel.

use serde::{Deserialize, Serialize};

use crate::facts::kernel::facts::stamp;
use crate::log::boot_log::BootLog;
use crate::log::clock::Clock;
use crate::log::clock::JIFFIES_START_NS;
use crate::log::line::LineKind;
use crate::text::shorten::shorten;

/// A long silence with its neighbours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LargeGap {
    /// Begin, ns of the kernel's clock.
    pub start_ns: i64,
    /// Length.
    pub duration_ns: i64,
    /// Physical line before it.
    pub after_line: u32,
    /// That line's message.
    pub after: String,
    /// Physical line behind it.
    pub before_line: u32,
    /// That line's message.
    pub before: String,
    /// True when init had been started before.
    pub in_user_space: bool,
}

/// Gaps that are listed.
const MAX_GAPS: usize = 20;
/// Shorter silences are not worth a line.
const SHORTEST_NS: i64 = 5_000_000;

/// The longest silences, longest first. A stamp that goes back makes no gap.
pub fn gaps(boot: &BootLog, clock: Clock) -> Vec<LargeGap> {
    let Some(from) = boot.kernel_from else {
        return Vec::new();
    };
    let user = boot.user_from.unwrap_or(boot.lines.len());
    let mut out: Vec<LargeGap> = Vec::new();
    let mut last: Option<(i64, usize)> = None;
    for (at, line) in boot.lines.iter().enumerate().skip(from) {
        if line.kind != LineKind::Kernel {
            continue;
        }
        let Some(ns) = stamp(line, clock) else { continue };
        if let Some((before_ns, before_at)) = last {
            // The odd start of old x86 stamps is no silence.
            let sane = (before_ns < JIFFIES_START_NS) == (ns < JIFFIES_START_NS);
            let length = ns.saturating_sub(before_ns);
            let first = before_ns == 0 && ns > 0 && length > 0;
            if length >= SHORTEST_NS && sane && !first {
                let before = &boot.lines[before_at];
                out.push(LargeGap {
                    start_ns: before_ns,
                    duration_ns: length,
                    after_line: before.number,
                    after: shorten(before.text.trim()),
                    before_line: line.number,
                    before: shorten(line.text.trim()),
                    in_user_space: before_at >= user,
                });
                if out.len() > 4 * MAX_GAPS {
                    keep_longest(&mut out);
                }
            }
        }
        last = Some((ns, at));
    }
    keep_longest(&mut out);
    out
}

fn keep_longest(gaps: &mut Vec<LargeGap>) {
    gaps.sort_by_key(|gap| (std::cmp::Reverse(gap.duration_ns), gap.after_line));
    gaps.truncate(MAX_GAPS);
}

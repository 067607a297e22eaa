// SPDX-License-Identifier: MIT
//! Silences of logs that have dates of whole seconds only: those are told whose lines name their cause.

use super::context::Context;
use super::cost::Cost;
use super::named_silences;
use super::silences::is_one_wait;
use crate::facts::boot::gap::{BootPart, LargeGap};
use crate::log::breaks::{leaves_out, loses};
use crate::log::line::LineKind;
use crate::text::shorten::shorten;

/// A shorter one may be half as long: a date is good to a second.
const SHORTEST_NS: i64 = 5_000_000_000;
/// A longer one is no wait of a boot's.
const LONGEST_NS: i64 = 600_000_000_000;
/// Silences looked at.
const MOST: usize = 40;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    if !context.axis.late {
        return;
    }
    let end = context.end_line();
    let mut last = None;
    let mut silences: Vec<LargeGap> = Vec::new();
    for line in context
        .boot
        .lines
        .iter()
        .take_while(|line| end.is_none_or(|end| line.number <= end))
    {
        if leaves_out(line) || loses(&line.text) {
            last = None;
        }
        let Some((ns, clock)) = context.axis.at(line).filter(|_| line.kind != LineKind::Blank) else {
            continue;
        };
        let before = last.replace((ns, line));
        let Some((from_ns, from)) = before else { continue };
        let length = ns.saturating_sub(from_ns);
        let stepped = context.dates.set_between(from, line);
        if (SHORTEST_NS..=LONGEST_NS).contains(&length) && !stepped && silences.len() < MOST {
            silences.push(LargeGap {
                start_ns: from_ns,
                duration_ns: length,
                after_line: from.number,
                after: shorten(from.text.trim()),
                before_line: line.number,
                before: shorten(line.text.trim()),
                in_user_space: true,
                part: BootPart::UserSpace,
                clock,
            });
        }
    }
    let told = |gap: &LargeGap| {
        let there = |line: &u32| (gap.after_line..=gap.before_line).contains(line);
        out.iter().any(|cost| {
            let within = || {
                let (from, to) = (cost.lines.iter().min(), cost.lines.iter().max());
                from.is_some_and(|from| *from <= gap.after_line) && to.is_some_and(|to| gap.before_line <= *to)
            };
            // The silence is most of a wait that is told already.
            let most = |ns: i64| gap.duration_ns >= ns / 10 * 8;
            let same = || is_one_wait(cost.kind) && cost.cost_ns.is_some_and(most) && within();
            cost.cost_ns.is_some() && (cost.lines.iter().any(there) || same())
        })
    };
    let open: Vec<LargeGap> = silences.into_iter().filter(|gap| !told(gap)).collect();
    named_silences::find(context, &open.iter().collect::<Vec<_>>(), out);
}

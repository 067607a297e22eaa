// SPDX-License-Identifier: MIT
//! Which of the costs found are the start's: none behind its end, none of a session, none before the start that an account is of.

use super::bounds;
use super::context::Context;
use super::cost::{Cost, Wording};
use super::kind::CostKind;
use super::start_jobs::of_systemd;
use crate::facts::boot::dates::received_ns;
use crate::facts::boot::over::goal;
use crate::log::boot_log::BootStart;
use crate::log::clock::NS_PER_S;
use crate::log::in_use::is_at_work;
use crate::log::line::Line;

/// Keeps those that are.
pub(super) fn keep(context: &Context<'_>, out: &mut Vec<Cost>) {
    drop_later(context, out);
    drop_behind_goal(context, out);
    drop_of_a_session(context, out);
    drop_earlier(context, out);
}

/// Leaves out what lies behind the boot's end: nobody has waited for it.
fn drop_later(context: &Context<'_>, out: &mut Vec<Cost>) {
    let Some(over) = context.over else {
        return;
    };
    // The silence before that line is the idle time itself.
    let later = |cost: &Cost| {
        let (first, last) = (cost.lines.iter().min(), cost.lines.iter().max());
        // What a single line states of the time before it stays.
        let many = cost.lines.len() > 1;
        first.is_some_and(|first| *first > over || (many && *first == over)) || (many && last >= Some(&over))
    };
    out.retain(|cost| cost.wording == Wording::Mark || bounds::is_before_kernel(cost.kind) || !later(cost));
}

/// The same, where systemd says that all is up, or that what it starts for is reached: what is printed later was asked for
/// later. A unit that was asked for before may still come up behind its target, and a program may tell of the time it took.
fn drop_behind_goal(context: &Context<'_>, out: &mut Vec<Cost>) {
    let account = context.startup.map(|account| account.line);
    let Some(end) = account.or_else(|| goal(context.boot)) else {
        return;
    };
    let lines = &context.boot.lines;
    let at = lines.partition_point(|line| line.number <= end);
    let up_ns = lines[..at].iter().filter_map(|line| line.printk_ns).max();
    let date = lines[..at].iter().rev().find_map(received_ns);
    let late = |number: &u32| {
        let Some(line) = lines.get(lines.partition_point(|line| line.number < *number)) else {
            return false;
        };
        // Daemons write a little out of order.
        let dated = || Some(received_ns(line)? > date?.saturating_add(NS_PER_S));
        let stamped = line.printk_ns.zip(up_ns).map(|(ns, up)| ns > up);
        *number > end && stamped.or_else(dated).unwrap_or(false)
    };
    let queued =
        |kind| account.is_none() && matches!(kind, CostKind::UnitStart | CostKind::UnitFailure | CostKind::StatedTime);
    out.retain(|cost| {
        let marked = cost.wording == Wording::Mark || cost.lines.is_empty() || queued(cost.kind);
        marked || !cost.lines.iter().all(late)
    });
}

/// Leaves out silences behind the first sign that somebody is at work, up to systemd's account of the start: a unit may keep the
/// start open for minutes, and only the end of such a unit ends a wait of the start's.
fn drop_of_a_session(context: &Context<'_>, out: &mut Vec<Cost>) {
    let Some(used) = used_from(context) else { return };
    let lines = &context.boot.lines;
    let line = |number: u32| lines.get(lines.partition_point(|line| line.number < number));
    let of_session = |cost: &Cost| {
        let first = cost.lines.iter().min().is_some_and(|first| *first >= used);
        let last = cost.lines.iter().max().and_then(|last| line(*last));
        first && !last.is_some_and(is_unit_job)
    };
    out.retain(|cost| cost.kind != CostKind::Silence || cost.wording == Wording::Mark || !of_session(cost));
}

/// The first line that shows somebody at work.
pub(super) fn used_from(context: &Context<'_>) -> Option<u32> {
    let mut lines = context.boot.lines.iter();
    lines.find(|line| is_at_work(line)).map(|line| line.number)
}

/// Does systemd say that the job of a unit is over?
pub(super) fn is_unit_job(line: &Line) -> bool {
    const DONE: [&str; 6] = [
        "Started ",
        "Finished ",
        "Failed to start ",
        "Reached target ",
        "Mounted ",
        "Stopped ",
    ];
    of_systemd(line).is_some_and(|said| DONE.iter().any(|done| said.starts_with(done)))
}

/// Leaves out what daemons' dates put before the start that systemd's account is of: the log shows a system that ran before.
fn drop_earlier(context: &Context<'_>, out: &mut Vec<Cost>) {
    const SLACK_NS: i64 = 10_000_000_000;
    let Some(account) = context.startup.filter(|_| context.boot.start == BootStart::MiddleOfLog) else {
        return;
    };
    let told = context.boot.lines.iter().find(|line| line.number == account.line);
    let Some(begin) = told
        .and_then(received_ns)
        .map(|ns| ns.saturating_sub(account.since_kernel_ns()))
    else {
        return;
    };
    // Where the clock was set meanwhile, an early date is no early line.
    let set = |line: &Line| told.is_some_and(|told| context.dates.set_between(line, told));
    let early = |line: &&Line| received_ns(line).is_some_and(|ns| ns < begin.saturating_sub(SLACK_NS)) && !set(line);
    let Some(last) = context
        .boot
        .lines
        .iter()
        .rev()
        .skip_while(|line| line.number > account.line)
        .find(early)
    else {
        return;
    };
    out.retain(|cost| {
        cost.wording == Wording::Mark || cost.lines.iter().min().is_none_or(|first| *first > last.number)
    });
}

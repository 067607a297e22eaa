// SPDX-License-Identifier: MIT
//! No cost and no gain is larger than the part of the boot that it lies in: arithmetic that says so rests on something that
//! is not so here.

use super::cloud_init;
use super::context::Context;
use super::cost::{Basis, Cost};
use super::kind::CostKind;
use crate::facts::boot::dates::received_ns;
use crate::facts::boot::stage::StageEvent;
use crate::log::boot_log::BootStart;
use crate::log::breaks::{is_restored, is_taken_out, shuts_down, sleeps, stops_late};
use crate::log::clock::Clock;

pub(super) fn apply(context: &Context<'_>, out: &mut Vec<Cost>) {
    let (kernel, boot) = (kernel_ns(context), boot_ns(context));
    out.retain_mut(|cost| {
        let bound = if is_of_kernel(cost.kind) && !is_behind_init(context, cost) {
            kernel
        } else if is_off_the_axis(context, cost) || began_before(context, cost) {
            None
        } else {
            boot
        };
        let Some(bound) = bound else { return true };
        let over = |ns: Option<i64>| ns.is_some_and(|ns| ns > bound);
        if !over(cost.cost_ns) && !over(cost.gain_ns) {
            return true;
        }
        cost.cost_ns = cost.cost_ns.filter(|ns| *ns <= bound);
        cost.gain_ns = None;
        // What was computed from characters and a baud rate is nothing without its figure.
        !matches!(cost.kind, CostKind::ConsoleOutput | CostKind::InitcallDebug)
    });
    positive(out);
    within(context, out);
    once(context, out);
    let timed = |kind: CostKind| out.iter().any(|cost| cost.kind == kind && cost.cost_ns.is_some());
    if timed(CostKind::RandomNumberWait) {
        out.retain(|cost| cost.kind != CostKind::RandomNumberWait || cost.cost_ns.is_some());
    }
    let mut seen = Vec::new();
    out.retain(|cost| {
        let first = !seen.contains(&(cost.kind, cost.title.clone()));
        seen.push((cost.kind, cost.title.clone()));
        first
    });
}

/// No time is negative, and nobody gains more than is spent. A gain of zero says that there is nothing to gain.
fn positive(out: &mut Vec<Cost>) {
    for cost in out.iter_mut() {
        cost.cost_ns = cost.cost_ns.filter(|ns| *ns >= 0);
        cost.gain_ns = cost.gain_ns.filter(|ns| *ns >= 0);
        if let (Some(spent), Some(gain)) = (cost.cost_ns, cost.gain_ns) {
            cost.gain_ns = Some(gain.min(spent));
        }
        cost.at_least &= cost.cost_ns.is_some();
        cost.at_most &= cost.gain_ns.is_some();
    }
    // A countdown that does not last is none.
    let counted = |cost: &Cost| cost.cost_ns.is_some_and(|ns| ns > 0);
    out.retain(|cost| cost.kind != CostKind::BootLoaderDelay || counted(cost));
}

/// What begins behind the end of a boot is none of its costs. Firmware's tables, and the kernel's log, may be printed later.
fn within(context: &Context<'_>, out: &mut Vec<Cost>) {
    let used = context.stages.iter().find(|stage| stage.event == StageEvent::FirstUse);
    let restored = context.boot.lines.iter().find(|line| is_restored(&line.text));
    let down = context.boot.lines.iter().find(|line| shuts_down(line));
    if let Some(late) = down.filter(|line| stops_late(&line.text)) {
        out.retain(|cost| cost.lines.iter().max().is_none_or(|last| *last < late.number));
    }
    let piece = context.boot.start == BootStart::MiddleOfLog;
    // What goes on beyond a sleep is not of the boot either.
    let asleep = context
        .boot
        .lines
        .iter()
        .find(|line| sleeps(&line.text) || (piece && is_taken_out(&line.text)))
        .map(|line| line.number);
    if let Some(asleep) = asleep {
        let kernels = |cost: &Cost| is_before_kernel(cost.kind) || is_of_kernel(cost.kind);
        out.retain(|cost| kernels(cost) || cost.lines.iter().max().is_none_or(|last| *last < asleep));
    }
    let ends = used
        .and_then(|stage| stage.line)
        .into_iter()
        .chain(restored.map(|line| line.number))
        .chain(down.map(|line| line.number));
    let Some(end) = ends.min() else { return };
    out.retain(|cost| {
        let later = is_before_kernel(cost.kind) || is_of_kernel(cost.kind);
        later || cost.lines.iter().min().is_none_or(|first| *first <= end)
    });
}

/// From when to when a cost lasts, by the stamps of its lines, or from its only line on.
fn stretch(context: &Context<'_>, cost: &Cost) -> Option<(i64, i64)> {
    let at = |number: &u32| {
        let line = context.boot.lines.iter().find(|line| line.number == *number)?;
        context.stamp(line)
    };
    let (first, last) = (cost.lines.iter().min()?, cost.lines.iter().max()?);
    let from = at(first)?;
    let to = if first == last {
        from.checked_add(cost.cost_ns?)?
    } else {
        at(last)?
    };
    (from < to).then_some((from, to))
}

/// What lies inside another wait's time is that time again, and no further cost.
fn once(context: &Context<'_>, out: &mut Vec<Cost>) {
    use CostKind as Kind;
    const LISTED: usize = 200;
    if out.len() > LISTED {
        return;
    }
    let waits =
        |cost: &&Cost| matches!(cost.kind, Kind::NetworkConfiguration | Kind::RootDelay) && cost.cost_ns.is_some();
    let of = |cost: &Cost| Some((stretch(context, cost)?, cost.cost_ns?));
    let whole: Vec<((i64, i64), i64)> = out.iter().filter(waits).filter_map(of).collect();
    out.retain(|cost| {
        let part = matches!(cost.kind, Kind::Silence | Kind::DeviceTimeout | Kind::FileSystemMount);
        let Some((from, to)) = stretch(context, cost).filter(|_| part) else {
            return true;
        };
        let spent = cost.cost_ns.unwrap_or(0);
        !whole.iter().any(|((begin, end), ns)| {
            let shared = to.min(*end).saturating_sub(from.max(*begin));
            let fills = *ns >= end.saturating_sub(*begin) / 10 * 8;
            fills && spent <= *ns && shared >= to.saturating_sub(from) / 10 * 8
        })
    });
}

/// Is the cost from a clock, or from before the time, that the boot's axis shows?
fn is_off_the_axis(context: &Context<'_>, cost: &Cost) -> bool {
    // printk's clock begins with the kernel; systemd's own figures are printed where user space has no stamps, or
    // where a clock that was set cuts the axis.
    (is_before_kernel(cost.kind) && context.axis.clock == Clock::Printk)
        || (is_of_units(cost.kind) && cost.basis == Basis::Printed)
        || is_by_dates(context, cost)
        || (context.axis.clock == Clock::Host && cloud_init::counts_from_the_kernel(cost, &context.boot.lines))
}

/// Are its lines those of programs, whose dates have no place on the axis?
fn is_by_dates(context: &Context<'_>, cost: &Cost) -> bool {
    let lines = context.boot.lines.iter();
    let mut dated = lines.filter(|line| received_ns(line).is_some() && context.axis.at(line).is_none());
    cost.basis == Basis::Computed && dated.any(|line| cost.lines.contains(&line.number))
}

/// A wait that a line states may have begun before a piece of a log does, but not before the kernel.
fn began_before(context: &Context<'_>, cost: &Cost) -> bool {
    let line = || context.boot.lines.iter().find(|line| cost.lines.contains(&line.number));
    let stated = cost.kind == CostKind::StatedTime && context.boot.start == BootStart::MiddleOfLog;
    let at = line().filter(|_| stated).and_then(|line| line.printk_ns);
    at.zip(cost.cost_ns).is_some_and(|(at, ns)| ns <= at)
}

/// Costs of what the kernel does before init.
fn is_of_kernel(kind: CostKind) -> bool {
    use CostKind as Kind;
    matches!(
        kind,
        Kind::DelayCalibration
            | Kind::ConsoleOutput
            | Kind::InitcallDebug
            | Kind::InitramfsUnpacking
            | Kind::LongInitcall
            | Kind::FunctionTracingSetUp
            | Kind::Raid6Benchmark
            | Kind::XorBenchmark
            | Kind::SecondaryProcessors
    )
}

/// Does a module's initcall begin behind the kernel's own part?
fn is_behind_init(context: &Context<'_>, cost: &Cost) -> bool {
    let init = context.kernel.user_space_line().map(|(line, _)| line);
    cost.kind == CostKind::LongInitcall && init.is_some_and(|init| cost.lines.first() > Some(&init))
}

/// Costs of what systemd starts.
fn is_of_units(kind: CostKind) -> bool {
    use CostKind as Kind;
    matches!(
        kind,
        Kind::UnitStart | Kind::UnitFailure | Kind::UserSpaceStart | Kind::DeviceWait | Kind::UdevSettle
    )
}

/// Costs of what firmware and boot loaders do.
pub(super) fn is_before_kernel(kind: CostKind) -> bool {
    use CostKind as Kind;
    matches!(
        kind,
        Kind::BootLoaderDelay
            | Kind::BootLoaderRead
            | Kind::BootLoaderUsb
            | Kind::FirmwareStep
            | Kind::FirmwareConsole
            | Kind::KernelDecompression
    )
}

/// From the kernel's first stamp to the line with which user space starts, on the kernel's clock.
fn kernel_ns(context: &Context<'_>) -> Option<i64> {
    let (end, _) = context.kernel.user_space_line()?;
    let end = context.boot.lines.iter().filter(|l| l.number <= end);
    let stamps: Vec<i64> = end.filter_map(|l| context.stamp(l)).collect();
    let (first, last) = (stamps.iter().min()?, stamps.last()?);
    // Stamps begin at zero some time after the kernel did.
    last.checked_sub((*first).min(*last)).filter(|ns| *ns > 0)
}

/// From the axis' first time to its last.
fn boot_ns(context: &Context<'_>) -> Option<i64> {
    let times = context
        .boot
        .lines
        .iter()
        .filter_map(|l| context.axis.at(l))
        .map(|(ns, _)| ns);
    let marks = context
        .firmware
        .tables
        .iter()
        .flat_map(|table| &table.marks)
        .map(|mark| mark.ns);
    let (mut low, mut high) = (i64::MAX, i64::MIN);
    for ns in times.chain(marks).chain(context.stage_ns(StageEvent::PowerOn)) {
        low = low.min(ns);
        high = high.max(ns);
    }
    high.checked_sub(low).filter(|ns| *ns > 0)
}

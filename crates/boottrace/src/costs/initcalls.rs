// SPDX-License-Identifier: MIT
//! Initcalls that fail, that find nothing, or that hold init up.

use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use crate::facts::kernel::initcall::Initcall;

/// Names listed in a sentence.
const NAMED: usize = 12;
/// An initcall of the first task that takes longer is worth a line of its own.
const LONG_NS: i64 = 20_000_000;

/// What to do about code that is built into the kernel ...
const BUILT_IN: &str = "leave it out, make it a module that is loaded later, or let its driver probe asynchronously \
                        (driver_async_probe=); the kernel still waits for asynchronous probes before init";
/// ... and about a module, which the initramfs loads.
const OF_A_MODULE: &str =
    "load the module later or leave it out of the initramfs, or let its driver probe asynchronously \
                           (MODULE.async_probe, driver_async_probe=)";

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let calls = &context.kernel.initcalls;
    let absent: Vec<&Initcall> = calls
        .iter()
        .filter(|c| matches!(c.returned, Some(-19 | 19 | -6 | 6)))
        .collect();
    push(
        out,
        &absent,
        CostKind::AbsentDevice,
        "initcalls of drivers that found no device",
        "leave these drivers out of the configuration; try first with initcall_blacklist= (needs KALLSYMS, built-in code \
         only). Some belong to other machines that the kernel also supports",
    );
    let failed: Vec<&Initcall> = calls
        .iter()
        .filter(|c| c.returned.is_some_and(|r| r != 0 && !matches!(r.abs(), 6 | 19 | 517)))
        .collect();
    push(
        out,
        &failed,
        CostKind::FailedInitcall,
        "initcalls that failed",
        "find out why; what fails on every boot can be left out",
    );
    let until = context.kernel.user_space_line().map_or(u32::MAX, |(line, _)| line);
    let mut long: Vec<(&Initcall, i64)> = calls
        .iter()
        .filter(|c| matches!(c.pid, None | Some(0 | 1)) && c.end_line.is_some_and(|l| l <= until))
        .filter_map(|c| Some((c, c.best_duration_ns().filter(|ns| *ns >= LONG_NS)?)))
        .filter(|(c, _)| !is_tracing(&c.name) && !c.name.starts_with("populate_rootfs"))
        .collect();
    long.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    for (call, ns) in long.into_iter().take(10) {
        let (kind, advice) = if tests_itself(&call.name) {
            (
                CostKind::CryptoSelfTest,
                "most of it may be the algorithms' self-tests: boot with cryptomgr.notests, which a FIPS system must not",
            )
        } else {
            (
                CostKind::LongInitcall,
                if call.module.is_some() { OF_A_MODULE } else { BUILT_IN },
            )
        };
        let evidence = if call.module.is_some() {
            format!("{} in the process that loads the module", spell(ns))
        } else {
            format!("{} on the first task before init", spell(ns))
        };
        out.push(held_up(call, (kind, ns), evidence, advice));
    }
    beside_init(context, until, out);
    let tracing: Vec<&Initcall> = calls.iter().filter(|c| is_tracing(&c.name)).collect();
    let total: i64 = tracing
        .iter()
        .filter_map(|c| c.best_duration_ns())
        .fold(0, i64::saturating_add);
    if total > 1_000_000 {
        out.push(Cost {
            title: "set-up of the tracers".to_owned(),
            cost_ns: Some(total),
            gain_ns: Some(total),
around: Vec::new(),
            lines: tracing.iter().filter_map(|c| c.start_line).take(5).collect(),
            evidence: format!("{} initcalls take {}: {}", tracing.len(), spell(total), names(&tracing)),
            advice: "boot with initcall_blacklist=trace_eval_init,tracer_init_tracefs, or build without FTRACE, KPROBE_EVENTS \
                     and EVENT_TRACING in production"
                .to_owned(),
            ..Cost::of(CostKind::TracerSetUp)
        });
    }
}

/// The longest initcalls of modules that other processes than init load while it starts the system: somebody may wait for
/// them.
fn beside_init(context: &Context<'_>, until: u32, out: &mut Vec<Cost>) {
    const LONG_NS: i64 = 1_000_000_000;
    const LATEST_NS: i64 = 60_000_000_000;
    const LISTED: usize = 2;
    let loaded = context.kernel.initcalls.iter().filter(|call| {
        let early = call.start_ns.is_some_and(|ns| ns < LATEST_NS);
        let other = call.module.is_some() && call.pid.is_some_and(|pid| pid > 1);
        early && other && call.start_line.is_some_and(|line| line > until)
    });
    let mut long: Vec<(&Initcall, i64)> = loaded
        .filter_map(|call| Some((call, call.best_duration_ns().filter(|ns| *ns >= LONG_NS)?)))
        .collect();
    long.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    for (call, ns) in long.into_iter().take(LISTED) {
        let evidence = format!(
            "{} in the process that loads the module, beside init; who waits for it was not found",
            spell(ns)
        );
        out.push(held_up(call, (CostKind::LongInitcall, ns), evidence, OF_A_MODULE));
    }
}

/// Initcalls of the crypto subsystem, which test the algorithms that they register (crypto/testmgr.c).
fn tests_itself(name: &str) -> bool {
    name.starts_with("crypto_") || name.starts_with("jent_")
}

fn is_tracing(name: &str) -> bool {
    const NAMES: [&str; 10] = [
        "init_kprobe_trace",
        "tracer_init_tracefs",
        "event_trace_init",
        "trace_eval_sync",
        "init_trace_printk",
        "init_events",
        "trace_events_synth_init",
        "init_dynamic_event",
        "init_function_trace",
        "tracer_alloc_buffers",
    ];
    NAMES.contains(&name)
}

fn push(out: &mut Vec<Cost>, calls: &[&Initcall], kind: CostKind, title: &str, advice: &str) {
    if calls.is_empty() {
        return;
    }
    let total = calls
        .iter()
        .filter_map(|c| c.best_duration_ns())
        .fold(0, i64::saturating_add);
    let mut longest = calls.to_vec();
    longest.sort_by_key(|c| std::cmp::Reverse(c.best_duration_ns()));
    out.push(Cost {
        title: title.to_owned(),
        cost_ns: Some(total),
        gain_ns: Some(total),
        lines: longest.iter().filter_map(|c| c.end_line).take(NAMED).collect(),
        evidence: format!("{} of them take {}: {}", calls.len(), spell(total), names(&longest)),
        advice: advice.to_owned(),
        ..Cost::of(kind)
    });
}

fn names(calls: &[&Initcall]) -> String {
    let mut text = calls
        .iter()
        .take(NAMED)
        .map(|c| c.label())
        .collect::<Vec<_>>()
        .join(", ");
    if calls.len() > NAMED {
        text.push_str(" …");
    }
    text
}

/// An initcall that init waits for, for so many nanoseconds.
pub(super) fn held_up(call: &Initcall, (kind, ns): (CostKind, i64), evidence: String, advice: &str) -> Cost {
    Cost {
        title: if call.module.is_some() {
            format!("the module's `{}` takes long", call.label())
        } else {
            format!("`{}` holds init up", call.label())
        },
        cost_ns: Some(ns),
        lines: call.start_line.into_iter().chain(call.end_line).collect(),
        evidence,
        advice: advice.to_owned(),
        ..Cost::of(kind)
    }
}

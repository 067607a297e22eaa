// SPDX-License-Identifier: MIT
//! Benchmarks, self-tests and debugging aids that run on every boot.

use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// Messages to start with, messages to end with, kind, title, advice.
type Stretch = (
    &'static [&'static str],
    &'static [&'static str],
    CostKind,
    &'static str,
    &'static str,
);

const STRETCHES: [Stretch; 4] = [
    (
        &["raid6: "],
        &["raid6: using algorithm", "raid6: using ", "raid6: .... xor()"],
        CostKind::Raid6Benchmark,
        "RAID-6 algorithms are measured",
        "build without RAID6_PQ_BENCHMARK, or leave btrfs and RAID out",
    ),
    (
        &["xor: measuring software checksum speed"],
        &["xor: using function"],
        CostKind::XorBenchmark,
        "XOR routines are measured",
        "leave out what selects XOR_BLOCKS (btrfs, RAID-4/5/6), or make it a module",
    ),
    (
        &["smp: Bringing up secondary CPUs", "x86: Booting SMP configuration"],
        &["smp: Brought up", "Brought up "],
        CostKind::SecondaryProcessors,
        "secondary CPUs are started",
        "start fewer (maxcpus=) and the others later, or use a kernel that starts them in parallel; only a boot tells \
         the net gain",
    ),
    (
        &["i8042: PNP: No PS/2 controller found", "i8042: Probing ports directly"],
        &[
            "mousedev: ",
            "serio: ",
            "i8042: No controller found",
            "i8042: Can't read CTR",
        ],
        CostKind::Ps2ControllerSearch,
        "a PS/2 controller is looked for",
        "boot with i8042.nopnp i8042.noaux i8042.dumbkbd, or build without SERIO_I8042",
    ),
];

/// Shorter ones are not worth a line.
const SHORTEST_NS: i64 = 2_000_000;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    for (starts, ends, kind, title, advice) in STRETCHES {
        let Some((at, line)) = context.find(starts) else {
            continue;
        };
        let Some((behind, end)) = context.find_from(at + 1, ends) else {
            continue;
        };
        // Behind the built-in drivers, the second line is another driver's, loaded later.
        if context.lines[at..behind].iter().any(|line| ends_initcalls(&line.text)) {
            continue;
        }
        // The first message comes after the first measurement.
        let from = if kind == CostKind::Raid6Benchmark {
            before(context, at).unwrap_or(line)
        } else {
            line
        };
        if let Some(ns) = context.between(from, end).filter(|ns| *ns >= SHORTEST_NS) {
            let fewer = kind == CostKind::SecondaryProcessors;
            let mut evidence = format!("{} up to `{}`", spell(ns), end.text.trim());
            if fewer {
                evidence += "; with one processor that goes, and what ran beside each other then runs in turn";
            }
            let title = if fewer {
                started(title, &context.lines[at..=behind])
            } else {
                title
            };
            let mut found = cost(kind, title, Some(ns), line, evidence, advice);
            found.at_most = fewer;
            out.push(found);
        }
    }
    let known = context.kernel.initcalls.iter().any(|c| c.name == "init_kprobe_trace");
    if let (Some((at, line)), false) = (context.find(&["ftrace: allocating "]), known) {
        if let Some(ns) = context.gap_after(at).filter(|ns| *ns >= SHORTEST_NS) {
            let evidence = format!("{} behind `{}`", spell(ns), line.text.trim());
            let advice = "build without FTRACE in production";
            out.push(cost(
                CostKind::FunctionTracingSetUp,
                "functions are prepared for tracing",
                Some(ns),
                line,
                evidence,
                advice,
            ));
        }
    }
    for (text, kind, title, advice) in DEBUG_AIDS {
        if let Some(line) = context.lines.iter().find(|l| l.text.contains(text)) {
            let evidence = format!("`{}`", shorten(line.text.trim()));
            out.push(cost(kind, title, None, line, evidence, advice));
        }
    }
}

/// What became of the processors that were to start (kernel/smp.c, arch/*/kernel/smpboot.c).
fn started<'a>(title: &'a str, lines: &[&Line]) -> &'a str {
    const FAILS: [&str; 5] = [
        "failed to come online",
        "failed to report alive",
        "will not boot",
        "ot responding",
        "is stuck",
    ];
    let alone = |text: &str| text.ends_with(", 1 CPU") || text.ends_with("Brought up 1 CPUs");
    if lines.last().is_some_and(|line| alone(line.text.trim_end())) {
        "secondary CPUs are looked for, and none is started"
    } else if lines
        .iter()
        .any(|line| FAILS.iter().any(|words| line.text.contains(words)))
    {
        "secondary CPUs are started, and not all of them come"
    } else {
        title
    }
}

/// Are the initcalls over with this line?
fn ends_initcalls(text: &str) -> bool {
    const STARTS: [&str; 4] = ["Freeing unused kernel", "Freeing init memory", "Run /", "systemd["];
    STARTS.iter().any(|start| text.trim_start().starts_with(start))
}

/// Message, kind, title, advice.
const DEBUG_AIDS: [(&str, CostKind, &str, &str); 4] = [
    (
        "KernelAddressSanitizer initialized",
        CostKind::DebugChecks,
        "KASAN is built in",
        "measure boot time without KASAN: it slows everything down",
    ),
    (
        "Lock dependency validator",
        CostKind::DebugChecks,
        "lock checking (lockdep) is built in",
        "measure boot time without PROVE_LOCKING",
    ),
    (
        "trace_printk() being used",
        CostKind::DebugChecks,
        "the kernel calls itself a debug kernel",
        "remove trace_printk() calls from the kernel",
    ),
    (
        "Running ring buffer tests",
        CostKind::SelfTest,
        "the ring buffer tests itself",
        "build without RING_BUFFER_STARTUP_TEST (its help text says at least 10 s)",
    ),
];

fn before<'a>(context: &Context<'a>, at: usize) -> Option<&'a Line> {
    context.lines.get(at.checked_sub(1)?).copied()
}

fn cost(kind: CostKind, title: &str, ns: Option<i64>, line: &Line, evidence: String, advice: &str) -> Cost {
    Cost {
        title: title.to_owned(),
        cost_ns: ns,
        gain_ns: ns,
        lines: vec![line.number],
        evidence,
        advice: advice.to_owned(),
        ..Cost::of(kind)
    }
}

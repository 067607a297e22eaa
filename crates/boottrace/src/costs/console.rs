// SPDX-License-Identifier: MIT
//! The console: characters times baud rate.

use super::characters::{characters, on_console, transmission_ns};
use super::console_replay::Replay;
use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use crate::facts::kernel::command_line::CommandLine;
use crate::log::clock::Clock;
use crate::log::line::Line;

pub(super) fn find(context: &Context<'_>, replay: Option<&Replay>, out: &mut Vec<Cost>) {
    let init = context.kernel.user_space_line().map(|(line, _)| line);
    let until = init.unwrap_or(u32::MAX);
    // A piece that shows neither the kernel's begin nor init's may be anything's: nobody knows what of it is the boot's.
    let init = init.or(context
        .boot
        .user_from
        .and_then(|at| Some(context.boot.lines.get(at)?.number)));
    let whole = init.is_some() || context.kernel.banner.is_some();
    let up_to = if init.is_some() { "init" } else { "the log's last line" };
    let before_init: Vec<&&Line> = context
        .lines
        .iter()
        .filter(|l| l.number <= until && on_console(l))
        .collect();
    let command_line = context.kernel.command_line.as_ref();
    let baud = context
        .options
        .baud
        .or_else(|| command_line.and_then(CommandLine::baud));
    let serial = context.options.baud.is_some()
        || command_line.is_some_and(CommandLine::serial_console)
        || is_captured(&context.boot.lines);
    let quiet = context.parameter("quiet") || context.parameter("silent");
    let debug: Vec<&&&Line> = before_init.iter().filter(|l| is_initcall_debug(&l.text)).collect();
    // A baud rate given by hand is a model; one on the command line is only a word where nothing keeps to it.
    let modelled = context.options.baud.is_some();
    let keeps_to_it =
        modelled || baud.is_none_or(|baud| !is_emulated(context) && keeps_pace(context, &before_init, baud));
    if whole && !quiet && serial && keeps_to_it && before_init.len() > 20 {
        let others = before_init.iter().filter(|l| !is_initcall_debug(&l.text));
        let characters: u64 = others.map(|l| characters(l)).sum();
        let ns = baud.map(|baud| transmission_ns(characters, baud));
        out.push(Cost {
            title: "kernel messages on a serial console".to_owned(),
            cost_ns: ns,
            gain_ns: ns,
            lines: first_and_last(&before_init),
            evidence: match (baud, ns) {
                (Some(baud), Some(ns)) => format!(
                    "{characters} characters up to {up_to} take {} at {baud} baud, 10 bits each; `quiet` is not on the \
                     command line",
                    spell(ns)
                ),
                _ => format!("{characters} characters up to {up_to}; the log does not say the baud rate (give it)"),
            },
            advice: "boot with `quiet`, or loglevel=4; the messages stay readable with dmesg. With a console that \
                     prints in the background (PREEMPT_RT, nbcon) the gain is smaller"
                .to_owned(),
            ..Cost::of(CostKind::ConsoleOutput)
        });
    }
    if debug.len() > 10 {
        let characters: u64 = debug.iter().map(|l| characters(l)).sum();
        let ns = baud
            .filter(|_| whole && serial && !quiet && keeps_to_it)
            .map(|baud| transmission_ns(characters, baud));
        out.push(Cost {
            title: "initcall_debug is on".to_owned(),
            cost_ns: ns,
            gain_ns: ns,
            lines: debug.first().map(|l| l.number).into_iter().collect(),
            evidence: format!(
                "{} lines and {characters} characters up to {up_to} come from it",
                debug.len()
            ),
            advice: "take initcall_debug off the command line when the measurement is done; its own lines lengthen \
                     what it measures"
                .to_owned(),
            ..Cost::of(CostKind::InitcallDebug)
        });
    }
    tell_replay(replay, out);
}

/// Was the console captured? Then most stamps of a host are of when the characters came, and no dates of a daemon's.
fn is_captured(lines: &[Line]) -> bool {
    let stamped = lines.iter().filter(|line| line.host_ns.is_some()).count();
    let live = lines.iter().filter(|line| line.live_host_ns().is_some()).count();
    live > 0 && live * 2 >= stamped
}

/// The part of the output that is sent in one piece counts once: in the cost of the whole output, where that is told.
fn tell_replay(replay: Option<&Replay>, out: &mut Vec<Cost>) {
    let Some(replay) = replay else { return };
    let whole = out
        .iter_mut()
        .find(|cost| cost.kind == CostKind::ConsoleOutput && cost.cost_ns.is_some_and(|ns| ns >= replay.ns));
    if let Some(cost) = whole {
        cost.evidence = format!("{}; {}", cost.evidence, replay.evidence());
        cost.lines.push(replay.line);
        return;
    }
    out.retain(|cost| cost.kind != CostKind::ConsoleOutput);
    out.push(Cost {
        title: "the console prints all earlier messages when it is registered".to_owned(),
        cost_ns: Some(replay.ns),
        gain_ns: Some(replay.ns),
        lines: vec![replay.line],
        evidence: replay.evidence(),
        advice: "boot with `quiet`, or a higher baud rate; the messages stay readable with dmesg".to_owned(),
        ..Cost::of(CostKind::ConsoleOutput)
    });
}

/// Machines whose serial port takes characters as fast as they come.
fn is_emulated(context: &Context<'_>) -> bool {
    const MACHINES: [&str; 12] = [
        "QEMU",
        "linux,dummy-virt",
        "VirtualBox",
        "VMware",
        "Virtual Machine",
        "KVM",
        "Bochs",
        "FVP",
        "Foundation-v8",
        "Xen ",
        "Google Compute Engine",
        "Amazon EC2",
    ];
    const WORDS: [&str; 4] = [
        "Hypervisor detected: ",
        "Booting paravirtualized kernel on KVM",
        "Booting paravirtualized kernel on Xen",
        "Booting paravirtualized kernel on VMware",
    ];
    let machine = context.kernel.machine.as_deref().unwrap_or_default();
    context.axis.clock == Clock::Virtual
        || MACHINES.iter().any(|name| machine.contains(name))
        || context
            .lines
            .iter()
            .take(600)
            .any(|l| WORDS.iter().any(|words| l.text.trim_start().starts_with(words)))
}

/// Do the stamps allow that each line was sent at the baud rate before the next one was printed? Behind a log that was
/// read out of memory, or a port that is faster than it says, they do not.
fn keeps_pace(context: &Context<'_>, lines: &[&&Line], baud: u32) -> bool {
    let from = lines
        .iter()
        .rposition(|l| l.text.contains("console [tty") && l.text.contains("enabled"))
        .unwrap_or(0);
    let (mut judged, mut too_fast) = (0_u32, 0_u32);
    for pair in lines[from..].windows(2) {
        let Some(gap) = context.between(pair[0], pair[1]) else {
            continue;
        };
        judged += 1;
        too_fast += u32::from(gap < transmission_ns(characters(pair[0]), baud) / 2);
    }
    judged < 8 || too_fast * 10 <= judged * 3
}

fn is_initcall_debug(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("calling  ")
        || text.starts_with("entering initcall level")
        || ((text.starts_with("initcall ") || text.starts_with("probe of ")) && text.contains(" returned "))
}

fn first_and_last(lines: &[&&Line]) -> Vec<u32> {
    lines
        .first()
        .into_iter()
        .chain(lines.last())
        .map(|l| l.number)
        .collect()
}

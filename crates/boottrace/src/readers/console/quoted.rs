// SPDX-License-Identifier: MIT
//! Text that quotes or mentions what a boot prints.

use std::collections::HashMap;

use crate::log::banner::{banner, is_loaders_own};
use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;
use crate::log::sentence::is_sentence;
use crate::readers::firmware_table::is_table_row;

/// Lines that notes have before the log which they are about.
const HEAD_OF_NOTES: usize = 40;

/// Stamped lines that must stand in the boot behind it.
const EXCERPT: usize = 3;

/// Gives back what no boot printed where it stands.
pub fn take_back(out: &mut Split) {
    take_back_quoted(out);
    take_back_excerpts(out);
    take_back_repeated(out);
    take_back_mentions(out);
    take_back_letters(out);
}

/// Somebody writes about a log and shows a line or two of it once more: they are no boot of their own.
fn take_back_repeated(out: &mut Split) {
    let mut at = 0;
    while at < out.boots.len() {
        let piece = &out.boots[at];
        let others = out.boots.iter().enumerate().filter(|(other, _)| *other != at);
        if others.map(|(_, whole)| whole).any(|whole| repeats(piece, whole)) {
            let lines = out.boots.remove(at).lines;
            give_back(&mut out.outside, lines);
        } else {
            at += 1;
        }
    }
}

/// Does a longer log hold all messages of a piece, each with its stamp? Stamps of two boots differ in their last digits.
fn repeats(piece: &BootLog, whole: &BootLog) -> bool {
    const TICK_NS: i64 = 1_000_000;
    let all = stamped(piece).count();
    let logged = piece.lines.iter().filter(|line| line.has_kernel_prefix()).count();
    if piece.start != BootStart::MiddleOfLog || all == 0 || all < logged || all >= stamped(whole).count() {
        return false;
    }
    let told = stamped(piece).any(|(ns, _)| ns % TICK_NS != 0);
    // Most pieces fail at their first message.
    let first = stamped(piece).next().map(|(ns, _)| ns);
    if !told || !stamped(whole).any(|(ns, _)| Some(ns) == first) {
        return false;
    }
    let mut said: HashMap<i64, Vec<&str>> = HashMap::new();
    for (ns, text) in stamped(whole) {
        said.entry(ns).or_default().push(text);
    }
    let there = |(ns, text): (i64, &str)| {
        let shown = text.trim_end_matches(['.', '…']).trim_end();
        said.get(&ns)
            .is_some_and(|all| all.iter().any(|text| text.starts_with(shown)))
    };
    stamped(piece).all(there)
}

/// A page that explains a log shows parts of it first, perhaps shortened, and then the whole: the parts are no boot.
fn take_back_excerpts(out: &mut Split) {
    let mut at = 0;
    while at + 1 < out.boots.len() {
        if is_excerpt(&out.boots[at], &out.boots[at + 1]) {
            let boot = out.boots.remove(at);
            give_back(&mut out.outside, boot.lines);
        } else {
            at += 1;
        }
    }
}

fn is_excerpt(part: &BootLog, whole: &BootLog) -> bool {
    // Boot loaders that count from the reset say the same at the same time in each boot: only a page has such marks.
    if !part.lines.iter().any(|line| line.text.trim_start().starts_with("```")) {
        return false;
    }
    let mut said: HashMap<i64, Vec<&str>> = HashMap::new();
    for (ns, text) in stamped(whole) {
        said.entry(ns).or_default().push(text);
    }
    let (mut quoted, mut there) = (0, 0);
    for (ns, text) in stamped(part) {
        quoted += 1;
        let shown = text.trim_end_matches(['.', '…']).trim_end();
        there += usize::from(
            said.get(&ns)
                .is_some_and(|all| all.iter().any(|text| text.starts_with(shown))),
        );
    }
    quoted >= EXCERPT && there * 10 >= quoted * 8
}

fn stamped(boot: &BootLog) -> impl Iterator<Item = (i64, &str)> {
    let lines = boot.lines.iter();
    lines.filter_map(|l| Some((l.firmware_ns.or(l.printk_ns).filter(|ns| *ns > 0)?, l.text.trim())))
}

/// Puts lines of what was no boot to those outside of all.
fn give_back(outside: &mut Vec<Line>, lines: Vec<Line>) {
    for mut line in lines {
        if matches!(line.kind, LineKind::Firmware | LineKind::Kernel | LineKind::User) {
            line.kind = LineKind::Outside;
        }
        outside.push(line);
    }
    outside.sort_by_key(|line| line.number);
}

/// A report about a system may print /proc/version before its log: that was no boot.
fn take_back_quoted(out: &mut Split) {
    let [first, second, ..] = out.boots.as_slice() else {
        return;
    };
    let banner = |boot: &BootLog| {
        let line = boot
            .lines
            .iter()
            .find(|l| milestone::of(&l.text) == Some(Milestone::KernelBanner))?;
        Some((line.text.clone(), line.printk_ns.is_some()))
    };
    // Notes name the versions of the boot loaders too, and that is all.
    let named = first.start == BootStart::KernelBanner || first.lines.len() <= HEAD_OF_NOTES;
    let quoted = named
        && first.lines.iter().all(|l| !l.has_kernel_prefix())
        && banner(first).is_some_and(|(text, _)| banner(second) == Some((text, true)));
    if quoted {
        let lines = out.boots.remove(0).lines;
        give_back(&mut out.outside, lines);
    }
}

/// /proc/version, as notes about a system and people at its prompt print it: no line around it is a kernel's.
fn is_version_alone(boot: &BootLog) -> bool {
    const EARLY: [&str; 22] = [
        "Kernel command line:",
        "Command line:",
        "Memory: ",
        "Calibrating delay loop",
        "Console: ",
        "console [",
        "CPU: ",
        "CPU0",
        "CPU revision is",
        "Booting Linux on",
        "Machine model",
        "Machine:",
        "Zone ranges",
        "Freeing ",
        "PID hash table",
        "Dentry cache",
        "Dentry-cache",
        "NET: Registered",
        "Linux NET4",
        "Mount-cache",
        "Determined physical RAM map",
        "Using ",
    ];
    let kernels = |line: &Line| {
        let text = line.text.trim_start();
        line.has_kernel_prefix()
            || line.host_ns.is_some()
            || line.process.is_some()
            || EARLY.iter().any(|words| text.starts_with(words))
    };
    let firmware = |line: &Line| line.kind == LineKind::Firmware;
    boot.start == BootStart::KernelBanner && !boot.lines.iter().any(|line| kernels(line) || firmware(line))
}

/// Does a person write of boot loaders by their full names? Of what stands there, a third are sentences.
fn is_letter(boot: &BootLog) -> bool {
    const SENTENCES: usize = 2;
    let spoken = || boot.lines.iter().filter(|line| line.kind == LineKind::Firmware);
    let sentences = spoken().filter(|line| is_sentence(line.text.trim())).count();
    let stamped = || {
        boot.lines
            .iter()
            .any(|line| line.firmware_ns.is_some() || line.host_ns.is_some())
    };
    boot.kernel_from.is_none() && sentences >= SENTENCES && sentences * 3 >= spoken().count() && !stamped()
}

/// What a person writes below a boot loader's last words is none of them.
fn take_back_letters(out: &mut Split) {
    for boot in &mut out.boots {
        if boot.kernel_from.is_some() {
            continue;
        }
        let of_person = |line: &Line| line.kind == LineKind::Firmware && is_sentence(line.text.trim());
        let last = boot
            .lines
            .iter()
            .rposition(|line| line.kind != LineKind::Blank && !of_person(line));
        let from = last.map_or(0, |at| at + 1);
        if from > 0 && boot.lines[from..].iter().any(of_person) {
            give_back(&mut out.outside, boot.lines.split_off(from));
        }
    }
}

/// Notes, scripts and lists mention boot loaders; without a name, a time or a word of its own none has spoken.
fn take_back_mentions(out: &mut Split) {
    let speaks = |line: &Line| {
        let text = line.text.trim();
        line.firmware_ns.is_some() || banner(text).is_some() || is_loaders_own(text) || is_table_row(text)
    };
    let (mentions, boots) = std::mem::take(&mut out.boots)
        .into_iter()
        .partition::<Vec<_>, _>(|boot| {
            (boot.start == BootStart::Firmware && boot.kernel_from.is_none() && !boot.lines.iter().any(speaks))
                || is_version_alone(boot)
                || is_letter(boot)
        });
    out.boots = boots;
    if !mentions.is_empty() {
        give_back(
            &mut out.outside,
            mentions.into_iter().flat_map(|boot| boot.lines).collect(),
        );
    }
}

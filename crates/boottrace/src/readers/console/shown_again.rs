// SPDX-License-Identifier: MIT
//! The log of a boot that one input holds twice: typed `dmesg`, a log daemon that writes to the console, a report with the
//! kernel's log and the journal.

use std::collections::HashSet;

use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::clock::JIFFIES_START_NS;
use crate::log::line::{HostSource, Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;

/// Stamped lines compared, and how many must be there: stamps of two boots differ in their last digits.
const COMPARED: usize = 40;
const ENOUGH: usize = 3;

/// Joins what repeats a boot to that boot: its lines were printed again, and what is new in it came later.
pub fn join_shown_again(out: &mut Split) {
    let mut at = 1;
    while at < out.boots.len() {
        let (a, b) = (&out.boots[at - 1], &out.boots[at]);
        if repeats(a, b) || (reported(a, b) && alone(&out.boots, at)) {
            let again = out.boots.remove(at);
            join(&mut out.boots[at - 1], again, &mut out.replayed);
        } else {
            at += 1;
        }
    }
}

fn banner(boot: &BootLog) -> Option<&Line> {
    boot.lines
        .iter()
        .find(|l| milestone::of(&l.text) == Some(Milestone::KernelBanner))
}

fn same_kernel(a: &BootLog, b: &BootLog) -> bool {
    let first = b.lines.iter().find(|l| l.kind != LineKind::Blank);
    let kernel_first = first.is_some_and(|l| l.kind == LineKind::Kernel);
    b.start == BootStart::KernelBanner
        && kernel_first
        && a.guest == b.guest
        && banner(a)
            .zip(banner(b))
            .is_some_and(|(a, b)| same_or_cut(a.text.trim(), b.text.trim()))
}

/// Are the texts equal as far as a terminal showed them? It cuts long lines and puts their last character at its edge.
fn same_or_cut(a: &str, b: &str) -> bool {
    const TELLING: usize = 60;
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let shown = short.char_indices().last().map_or("", |(at, _)| &short[..at]);
    a == b || (shown.len() >= TELLING && long.starts_with(shown))
}

/// A stamp that no other boot shares by chance: clocks that tick every millisecond or less often give the same again.
fn stamp(line: &Line) -> Option<i64> {
    line.printk_ns
        .filter(|ns| (1..JIFFIES_START_NS).contains(ns) && ns % 1_000_000 != 0)
}

fn repeats(a: &BootLog, b: &BootLog) -> bool {
    if !same_kernel(a, b) || restarts(a) {
        return false;
    }
    let said: HashSet<(i64, &str)> = a
        .lines
        .iter()
        .filter_map(|l| Some((stamp(l)?, l.text.trim_end())))
        .collect();
    // What is new in the other came later.
    let last = a.lines.iter().filter_map(stamp).max().unwrap_or(0);
    let again = b.lines.iter().filter_map(|l| Some((stamp(l)?, l.text.trim_end())));
    let again = again.filter(|(ns, _)| *ns <= last);
    let compared: Vec<bool> = again.take(COMPARED).map(|line| said.contains(&line)).collect();
    let found = compared.iter().filter(|found| **found).count();
    found >= ENOUGH && found * 10 >= compared.len() * 8
}

fn restarts(boot: &BootLog) -> bool {
    let last = boot.lines.iter().rev().find(|l| l.kind != LineKind::Blank);
    last.is_some_and(|l| l.text.contains("estarting system") || l.text.contains("eboot: "))
}

fn is_daemons(line: &Line) -> bool {
    line.host_source == Some(HostSource::Syslog)
}

/// The kernel's log through a log daemon, behind the same without one.
fn reported(a: &BootLog, b: &BootLog) -> bool {
    same_kernel(a, b) && banner(b).is_some_and(is_daemons) && banner(a).is_none_or(|l| l.host_ns.is_none())
}

/// Is it the only boot that a log daemon wrote of? Of several nobody knows which.
fn alone(boots: &[BootLog], at: usize) -> bool {
    let others = boots.iter().enumerate().filter(|(number, _)| *number != at);
    others
        .filter_map(|(_, boot)| banner(boot))
        .all(|line| !is_daemons(line))
}

fn join(boot: &mut BootLog, again: BootLog, replayed: &mut Vec<u32>) {
    let stamps = boot.lines.iter().filter_map(|l| l.printk_ns);
    let shown = stamps.filter(|ns| *ns < JIFFIES_START_NS).max().unwrap_or(0);
    let had_dates = boot.lines.iter().any(|l| l.host_ns.is_some());
    let user = again.user_from.and_then(|at| Some(again.lines.get(at)?.number));
    let mut user_from = boot.user_from;
    for mut line in again.lines {
        let kernels = line.kind == LineKind::Kernel && line.process.is_none();
        let repeated = kernels && line.printk_ns.map_or(is_daemons(&line), |ns| ns <= shown);
        if repeated {
            replayed.push(line.number);
            continue;
        }
        if !had_dates {
            line.host_ns = None;
            line.host_source = None;
        }
        if user_from.is_none() && user.is_some_and(|from| line.number >= from) {
            user_from = Some(boot.lines.len());
        }
        boot.lines.push(line);
    }
    boot.user_from = user_from;
}

// SPDX-License-Identifier: MIT
//! A console that is registered late prints all that was said before (kernel/printk/printk.c: `register_console`,
//! CON_PRINTBUFFER): the kernel stands still for as long as these characters take.

use super::characters::{characters, on_console, transmission_ns};
use super::context::Context;
use super::cost::spell;
use crate::facts::boot::gap::LargeGap;
use crate::facts::kernel::command_line::CommandLine;
use crate::log::line::Line;

/// Rates that ports are set to.
const BAUDS: [u32; 9] = [
    9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600, 1_500_000,
];
/// Characters and pause agree within this share; logs of six boards agree within 5 %.
const TOLERANCE_PERCENT: u64 = 6;
/// A shorter pause could be anything's.
const SHORTEST_NS: i64 = 50_000_000;
/// Lines in front in which the port announces itself.
const NEAR: usize = 60;

/// Messages that were sent in one piece.
pub(super) struct Replay {
    pub ns: i64,
    pub characters: u64,
    pub baud: u32,
    /// The line that says that the console is enabled.
    pub line: u32,
    from: u32,
    to: u32,
}

impl Replay {
    pub fn evidence(&self) -> String {
        format!(
            "{} of it pass at once when the console is registered (line {}): {} characters were waiting, and take {} at \
             {} baud",
            spell(self.ns),
            self.line,
            self.characters,
            spell(transmission_ns(self.characters, self.baud)),
            self.baud
        )
    }

    /// Does a silence lie in it?
    pub fn covers(&self, gap: &LargeGap) -> bool {
        gap.after_line >= self.from && gap.before_line <= self.to
    }
}

/// The pause around `console [ttyX] enabled` that agrees with the characters before it, if one does.
pub(super) fn find(context: &Context<'_>) -> Option<Replay> {
    let baud = context
        .options
        .baud
        .or_else(|| context.kernel.command_line.as_ref().and_then(CommandLine::baud));
    let bauds = baud.map_or(BAUDS.to_vec(), |baud| vec![baud]);
    let lines = &context.lines;
    let mut before: u64 = 0;
    let mut best: Option<(u64, Replay)> = None;
    for (at, line) in lines.iter().enumerate() {
        if on_console(line) {
            before += characters(line);
        }
        let Some(port) = enabled_port(&line.text) else { continue };
        for (from, to) in spans(lines, at, port) {
            let Some(ns) = context.between(from, to).filter(|ns| *ns >= SHORTEST_NS) else {
                continue;
            };
            for baud in &bauds {
                let expected = transmission_ns(before, *baud).max(1);
                let apart = ns.abs_diff(expected).saturating_mul(1000) / expected.unsigned_abs();
                if apart > TOLERANCE_PERCENT * 10 || best.as_ref().is_some_and(|(least, _)| *least <= apart) {
                    continue;
                }
                let found = Replay {
                    ns,
                    characters: before,
                    baud: *baud,
                    line: line.number,
                    from: from.number,
                    to: to.number,
                };
                best = Some((apart, found));
            }
        }
    }
    best.map(|(_, replay)| replay)
}

/// The serial port that a line says is a console now; a screen and a hypervisor's console take no time.
fn enabled_port(text: &str) -> Option<&str> {
    let text = text.trim();
    let (_, rest) = text.split_once("console [").filter(|_| text.contains("enabled"))?;
    let (port, _) = rest.split_once(']')?;
    let serial = port
        .strip_prefix("tty")?
        .starts_with(|c: char| c.is_ascii_uppercase() || c == 'm');
    (serial && !text.contains("bootconsole")).then_some(port)
}

/// Where the pause may lie: before the line, behind it, around it, or since the port announced itself.
fn spans<'a>(lines: &[&'a Line], at: usize, port: &str) -> Vec<(&'a Line, &'a Line)> {
    let mut out = Vec::new();
    let behind = lines.get(at + 1).copied();
    if let Some(before) = at.checked_sub(1).map(|before| lines[before]) {
        out.push((before, lines[at]));
        out.extend(behind.map(|behind| (before, behind)));
    }
    out.extend(behind.map(|behind| (lines[at], behind)));
    let near = lines[at.saturating_sub(NEAR)..at].iter().rev();
    let announced = near.filter(|line| line.text.contains(port)).take(3);
    out.extend(announced.map(|line| (*line, lines[at])));
    out
}

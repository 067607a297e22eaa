// SPDX-License-Identifier: MIT
//! Programs that run once, while the system starts: from the first to the last line of one, it was at work, and likely longer.

use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use crate::facts::boot::stage::StageEvent;
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// The program's name as a log gives it, what it does, what helps.
const PROGRAMS: [(&str, &str, &str); 16] = [
    ("systemd-fsck", "file systems are checked", FSCK),
    ("fsck", "file systems are checked", FSCK),
    ("e2fsck", "file systems are checked", FSCK),
    ("systemd-tpm2-setup", "keys are made or unsealed in the TPM", TPM),
    ("systemd-tpm2-setup-early", "keys are made or unsealed in the TPM", TPM),
    ("systemd-pcrextend", "the TPM is extended", TPM),
    ("systemd-pcrphase", "the TPM is extended", TPM),
    (
        "systemd-cryptsetup",
        "an encrypted disk is unlocked",
        "see how long the key's derivation takes (cryptsetup luksDump)",
    ),
    ("systemd-growfs", "a file system is made larger", ONCE),
    ("systemd-repart", "partitions are made", ONCE),
    ("systemd-makefs", "a file system is made", ONCE),
    ("resize2fs", "a file system is made larger", ONCE),
    ("systemd-hwdb", "the database of hardware is compiled", ONCE),
    (
        "systemd-modules-load",
        "modules are loaded",
        "load fewer modules before the goal",
    ),
    (
        "systemd-remount-fs",
        "file systems are mounted anew",
        "see what the mount waits for",
    ),
    (
        "dracut-initqueue",
        "the initramfs (dracut) waits for its devices",
        "see which device or address it waits for",
    ),
];
const FSCK: &str = "leave the check to a journal (fsck.mode=skip, pass 0 in fstab), or check after the goal; a check that comes at every \
                    boot has a reason: a clock that is wrong, or a system that is not shut down";
const TPM: &str = "see whether the goal needs what the TPM keeps; a TPM on a slow bus takes its time for every command";
const ONCE: &str = "it runs when the system is installed or changed: make it before, or behind the goal";

/// Stamps of less than a second between lines tell nothing.
const SHORTEST_NS: i64 = 1_000_000_000;
/// Dates are good to a second.
const SHORTEST_BY_DATES_NS: i64 = 2_000_000_000;
/// A program that writes for longer than this is started again and again.
const LONGEST_NS: i64 = 3_600_000_000_000;
/// Programs told of one boot.
const LISTED: usize = 20;

struct Run<'a> {
    row: usize,
    who: &'a str,
    first: &'a Line,
    last: &'a Line,
    lines: usize,
}

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let used = context.stages.iter().find(|stage| stage.event == StageEvent::FirstUse);
    let end = used.and_then(|stage| stage.line);
    let mut runs: Vec<Run<'_>> = Vec::new();
    let boot = context.boot;
    for line in boot
        .lines
        .iter()
        .take_while(|line| end.is_none_or(|end| line.number <= end))
    {
        let Some((row, who)) = program(line) else { continue };
        if context.axis.at(line).is_none() {
            continue;
        }
        if let Some(run) = runs.iter_mut().find(|run| run.who == who && run.row == row) {
            (run.last, run.lines) = (line, run.lines + 1);
        } else if runs.len() < LISTED {
            runs.push(Run {
                row,
                who,
                first: line,
                last: line,
                lines: 1,
            });
        }
    }
    let shortest = if context.axis.late {
        SHORTEST_BY_DATES_NS
    } else {
        SHORTEST_NS
    };
    for run in runs {
        let (name, what, advice) = PROGRAMS[run.row];
        let Some(ns) = context
            .apart(run.first, run.last)
            .filter(|ns| (shortest..=LONGEST_NS).contains(ns))
        else {
            continue;
        };
        // A unit, a wait or a line of its own tells it already.
        let told = out.iter().any(|cost| {
            let covers = cost.lines.iter().min().zip(cost.lines.iter().max());
            cost.cost_ns.is_some_and(|told| told >= ns / 10 * 8)
                && covers.is_some_and(|(from, to)| {
                    *from <= run.first.number.saturating_add(1) && run.last.number <= to.saturating_add(1)
                })
        });
        if told {
            continue;
        }
        let by_dates = if context.axis.late {
            " (by dates of whole seconds)"
        } else {
            ""
        };
        out.push(Cost {
            title: format!("{what}: `{name}` is at work"),
            cost_ns: Some(ns),
            at_least: true,
            lines: vec![run.first.number, run.last.number],
            evidence: format!(
                "at the least {}{by_dates}, from the first to the last of its {} lines: `{}` to `{}`",
                spell(ns),
                run.lines,
                shorten(run.first.text.trim()),
                shorten(run.last.text.trim())
            ),
            advice: advice.to_owned(),
            ..Cost::of(CostKind::ProgramRun)
        });
    }
}

/// The row of a line's program, and the program with its process, as far as the line tells it.
fn program(line: &Line) -> Option<(usize, &str)> {
    let row = |name: &str| PROGRAMS.iter().position(|(known, ..)| *known == name);
    if let Some(name) = line.process.as_deref() {
        return Some((row(name)?, name));
    }
    // `systemd-tpm2-setup[621]: …` behind a stamp.
    let (who, _) = line.text.trim_start().split_once("]: ")?;
    let (name, pid) = who.split_once('[')?;
    let number = !pid.is_empty() && pid.bytes().all(|b| b.is_ascii_digit());
    Some((row(name).filter(|_| number)?, who))
}

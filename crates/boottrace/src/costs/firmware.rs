// SPDX-License-Identifier: MIT
//! What firmware and boot loaders spend time on, where they say so or a clock beside them does.

use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use crate::facts::firmware::coreboot_states::BootState;
use crate::facts::firmware::countdown::countdown_ns;
use crate::facts::firmware::reads::FileRead;
use crate::log::line::{Line, LineKind};
use crate::readers::firmware_table::table::{TableMark, TableSource, TimeTable};
use crate::text::shorten::shorten;

/// Steps listed of one table, and their least length.
const LISTED: usize = 5;
const SHORTEST_NS: i64 = 50_000_000;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    countdown(context, out);
    reads(context, out);
    usb(context, out);
    ubi(context, out);
    states(context, out);
    for table in &context.firmware.tables {
        steps(table, out);
    }
}

fn firmware_lines<'a>(context: &Context<'a>) -> &'a [Line] {
    &context.boot.lines[..context.boot.kernel_from.unwrap_or(context.boot.lines.len())]
}

/// A loader that counts down until somebody presses a key.
fn countdown(context: &Context<'_>, out: &mut Vec<Cost>) {
    let lines = firmware_lines(context);
    let Some((at, counted)) = lines
        .iter()
        .enumerate()
        .find_map(|(at, line)| Some((at, countdown_ns(line.text.trim())?)))
    else {
        return;
    };
    if counted == Some(0) {
        return; // nothing is waited for: what passes to the next line is the boot loader's work
    }
    let behind = &lines[at + 1..];
    let typed = behind
        .iter()
        .take(3)
        .any(|l| l.kind == LineKind::Typed || crate::log::harness::prompt_command(&l.text).is_some());
    let next = behind
        .iter()
        .find(|l| l.kind == LineKind::Firmware && context.axis.at(l).is_some());
    let measured = next
        .and_then(|next| context.apart(&lines[at], next))
        // The loader's work follows the countdown without a word; a stamp at a line's end is too late for it.
        .filter(|ns| !typed && *ns > 1_000_000 && counted.is_none_or(|counted| *ns >= counted / 2));
    let ns = match (measured, counted) {
        (Some(measured), Some(counted)) => measured.min(counted.saturating_add(500_000_000)),
        (measured, counted) => match measured.or(counted) {
            Some(ns) => ns,
            None => return,
        },
    };
    let mut found = Cost::printed(
        CostKind::BootLoaderDelay,
        "the boot loader waits for a key".to_owned(),
        Some(ns),
        vec![lines[at].number],
        format!("`{}`", shorten(lines[at].text.trim())),
        "set bootdelay to 0 (a key held down still stops it), or to -2 for no check at all; other loaders have a \
         timeout of their own",
    );
    found.gain_ns = Some(ns);
    if measured.is_some() {
        found.basis = Basis::Computed;
    }
    out.push(found);
}

/// `4103240 bytes read in 276 ms (14.2 MiB/s)`.
fn reads(context: &Context<'_>, out: &mut Vec<Cost>) {
    let reads: Vec<&FileRead> = context.firmware.reads.iter().collect();
    let total: i64 = reads.iter().map(|read| read.ns).fold(0, i64::saturating_add);
    let Some(longest) = reads.iter().max_by_key(|read| read.ns).filter(|_| total >= 1_000_000) else {
        return;
    };
    let bytes = reads.iter().map(|read| read.bytes).fold(0, u64::saturating_add);
    out.push(Cost::printed(
        CostKind::BootLoaderRead,
        "the boot loader reads files".to_owned(),
        Some(total),
        reads.iter().map(|read| read.line).take(20).collect(),
        format!(
            "{} reads, {bytes} bytes in {}; the longest: {} bytes in {}",
            reads.len(),
            spell(total),
            longest.bytes,
            spell(longest.ns)
        ),
        "load less (a smaller kernel, no initramfs, no splash), from a faster medium or bus mode; compression helps where \
         reading is slower than unpacking",
    ));
}

/// From `starting USB...` to what was found.
fn usb(context: &Context<'_>, out: &mut Vec<Cost>) {
    let lines = firmware_lines(context);
    let Some(at) = lines.iter().position(|l| {
        let text = l.text.trim_start();
        text.starts_with("starting USB...") || text.starts_with("(Re)start USB...")
    }) else {
        return;
    };
    let end = lines[at + 1..].iter().rev().find(|l| {
        l.text.contains("Storage Device(s) found")
            || l.text.contains("USB Device(s) found")
            || l.text.contains("Ethernet Device(s) found")
    });
    let ns = end.and_then(|end| context.apart(&lines[at], end));
    out.push(Cost::printed(
        CostKind::BootLoaderUsb,
        "the boot loader starts USB".to_owned(),
        ns,
        std::iter::once(lines[at].number).chain(end.map(|l| l.number)).collect(),
        match (ns, end) {
            (Some(ns), Some(end)) => format!("{} to `{}`", spell(ns), shorten(end.text.trim())),
            _ => format!("`{}`, and no clock beside it", shorten(lines[at].text.trim())),
        },
        "take `usb start` out of preboot and bootcmd, or usb from boot_targets, when the system does not boot from USB",
    ));
}

/// UBI reads two headers of each block, unless a fastmap says what they hold.
fn ubi(context: &Context<'_>, out: &mut Vec<Cost>) {
    let lines = &context.boot.lines;
    let begins = |l: &Line| l.text.contains(": attaching mtd") || l.text.contains("UBI: attaching mtd");
    let ends = |l: &Line| l.text.contains(": attached mtd") || l.text.contains("UBI: attached mtd");
    let Some(at) = lines.iter().position(begins) else {
        return;
    };
    let Some(end) = lines[at..].iter().find(|l| ends(l)) else {
        return;
    };
    let on_kernel = || context.between(&lines[at], end);
    let Some(ns) = on_kernel()
        .or_else(|| context.apart(&lines[at], end))
        .filter(|ns| *ns >= 1_000_000)
    else {
        return;
    };
    out.push(Cost::printed(
        CostKind::UbiAttach,
        "UBI reads the flash to attach".to_owned(),
        Some(ns),
        vec![lines[at].number, end.number],
        format!(
            "{} from `{}` to `{}`",
            spell(ns),
            shorten(lines[at].text.trim()),
            shorten(end.text.trim())
        ),
        "build with MTD_UBI_FASTMAP and boot with ubi.fm_autoconvert=1, or attach a smaller partition",
    ));
}

/// coreboot's `BS: BS_DEV_RESOURCES run times (exec / console): 14 / 2072 ms`.
fn states(context: &Context<'_>, out: &mut Vec<Cost>) {
    let states: &[BootState] = &context.firmware.states;
    let printing: i64 = states.iter().map(|state| state.console_ns).fold(0, i64::saturating_add);
    let working: i64 = states
        .iter()
        .filter_map(|state| state.exec_ns)
        .fold(0, i64::saturating_add);
    if printing >= SHORTEST_NS {
        let mut found = Cost::printed(
            CostKind::FirmwareConsole,
            "coreboot prints what it does".to_owned(),
            Some(printing),
            states
                .first()
                .into_iter()
                .chain(states.last())
                .map(|state| state.line)
                .collect(),
            format!(
                "by its own account it works {} and prints {}",
                spell(working),
                spell(printing)
            ),
            "build it with a lower console log level (DEFAULT_CONSOLE_LOGLEVEL), or write to CBMEM only",
        );
        found.gain_ns = Some(printing);
        out.push(found);
    }
    let mut longest: Vec<&BootState> = states.iter().filter(|state| state.ns() >= SHORTEST_NS).collect();
    longest.sort_by_key(|state| std::cmp::Reverse(state.ns()));
    for state in longest.into_iter().take(LISTED) {
        let exec = state.exec_ns.map_or("an unknown time".to_owned(), spell);
        let evidence = if state.console_ns == 0 {
            format!("{exec} by its own account")
        } else {
            format!("{exec} of work and {} of printing", spell(state.console_ns))
        };
        out.push(Cost::printed(
            CostKind::FirmwareStep,
            format!("coreboot's {}", state.name),
            Some(state.ns()),
            vec![state.line],
            evidence,
            "less of it is printing than it seems only where the log level is low: lower that first",
        ));
    }
}

/// The longest steps of a table of marks.
fn steps(table: &TimeTable, out: &mut Vec<Cost>) {
    let mut steps: Vec<(&TableMark, &TableMark, i64)> = table
        .marks
        .windows(2)
        .map(|pair| (&pair[0], &pair[1], pair[1].ns.saturating_sub(pair[0].ns)))
        .filter(|(.., ns)| *ns >= SHORTEST_NS)
        .collect();
    steps.sort_by_key(|(.., ns)| std::cmp::Reverse(*ns));
    for (from, to, ns) in steps.into_iter().take(LISTED) {
        let name = |mark: &TableMark| {
            let name = mark.name.trim();
            if name.is_empty() {
                "a mark without a name".to_owned()
            } else {
                shorten(name)
            }
        };
        out.push(Cost::printed(
            CostKind::FirmwareStep,
            format!("from `{}` to `{}`{}", name(from), name(to), between(table, from, to)),
            Some(ns),
            vec![from.line, to.line],
            format!("{} by the firmware's own table", spell(ns)),
            "look what the firmware does between these marks: more marks, or a higher log level for one boot",
        ));
    }
}

/// coreboot's rows follow each other: where lines stand between two, somebody left rows out.
fn between(table: &TimeTable, from: &TableMark, to: &TableMark) -> &'static str {
    let apart = to.line > from.line.saturating_add(1);
    if apart && table.source == TableSource::Cbmem {
        ", where rows are left out"
    } else {
        ""
    }
}

// SPDX-License-Identifier: MIT
//! Waits that the kernel announces: root device, root delay, RAID, network, random numbers, deferred probes.

use super::asked_delay;
use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use crate::facts::boot::gap::{in_background, BootPart, LargeGap};
use crate::log::clock::{Clock, JIFFIES_START_NS};
use crate::log::line::Line;
use crate::text::shorten::shorten;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    root_delay(context, out);
    root_wait(context, out);
    raid(context, out);
    random(context, out);
    deferred(context, out);
    open_wait(context, out);
}

/// A start script waits for udev, and behind that nobody speaks but timers: it still waits where the log ends.
fn open_wait(context: &Context<'_>, out: &mut Vec<Cost>) {
    let lines = &context.boot.lines;
    let waits = |line: &Line| {
        let text = line.text.trim_end();
        line.printk_ns.is_none() && text.ends_with("Waiting for /dev to be fully populated...")
    };
    let Some(at) = lines.iter().position(waits) else { return };
    let idle = |line: &&Line| line.text.trim().is_empty() || in_background(line, BootPart::UserSpace);
    let behind = || lines[at + 1..].iter().filter(|line| line.printk_ns.is_some());
    let from = lines[..at].iter().rev().find_map(|line| line.printk_ns);
    let ns = from.zip(behind().next_back().and_then(|line| line.printk_ns));
    let ns = ns
        .map(|(from, to)| to.saturating_sub(from))
        .filter(|ns| *ns >= 1_000_000_000);
    let Some(ns) = ns.filter(|_| behind().all(|line| idle(&line))) else {
        return;
    };
    out.push(Cost {
        title: "the boot waits until udev has dealt with every device".to_owned(),
        cost_ns: Some(ns),
        at_least: true,
        lines: vec![lines[at].number],
        evidence: format!(
            "at the least {}: nothing but timers speaks up to the log's end",
            spell(ns)
        ),
        advice: "see what udev's rules run, and which device does not answer: the kernel's lines, udev_log=debug"
            .to_owned(),
        ..Cost::of(CostKind::UdevSettle)
    });
}

pub(super) fn push(
    out: &mut Vec<Cost>,
    kind: CostKind,
    title: &str,
    ns: Option<i64>,
    line: &Line,
    evidence: String,
    advice: &str,
) {
    out.push(Cost {
        title: title.to_owned(),
        cost_ns: ns,
        gain_ns: ns,
        lines: vec![line.number],
        evidence,
        advice: advice.to_owned(),
        ..Cost::of(kind)
    });
}

fn root_delay(context: &Context<'_>, out: &mut Vec<Cost>) {
    let Some((at, line)) = context
        .lines
        .iter()
        .enumerate()
        .find(|(_, l)| l.text.trim_start().starts_with("Waiting ") && l.text.contains("sec before mounting root"))
    else {
        return asked_delay::find(context, out);
    };
    let printed = line
        .text
        .split_ascii_whitespace()
        .nth(1)
        .and_then(|n| n.trim_end_matches("sec").parse::<i64>().ok());
    let ns = printed
        .map(|s| s.saturating_mul(1_000_000_000))
        .or_else(|| context.gap_after(at));
    out.push(Cost {
        title: "rootdelay= sleeps before the root file system is mounted".to_owned(),
        cost_ns: ns,
        gain_ns: ns,
        basis: Basis::Printed,
        lines: vec![line.number],
        evidence: format!("`{}`", line.text.trim()),
        advice: "replace rootdelay= by rootwait, which goes on as soon as the device is there; what the device needs \
                 remains"
            .to_owned(),
        ..Cost::of(CostKind::RootDelay)
    });
}

fn root_wait(context: &Context<'_>, out: &mut Vec<Cost>) {
    let Some((at, line)) = context.find(&["Waiting for root device "]) else {
        return;
    };
    let mounted = context.find_from(
        at + 1,
        &["VFS: Mounted root", "EXT4-fs (", "EXT3-fs (", "Freeing unused kernel"],
    );
    let waits_for = line
        .text
        .trim_start()
        .strip_prefix("Waiting for root device ")
        .unwrap_or("");
    // The kernel looks again every few milliseconds: it goes on as soon as the device is there.
    let came = mounted
        .is_none()
        .then(|| device_comes(&context.lines[at + 1..], waits_for))
        .flatten();
    let end = mounted.map(|(_, end)| end).or(came);
    let last = context.lines.last().copied();
    let ns = end.and_then(|end| context.between(line, end));
    let shown = || last.and_then(|last| context.between(line, last)).filter(|ns| *ns > 0);
    let (cost_ns, evidence) = match (ns, end, last) {
        (Some(ns), Some(end), _) => (Some(ns), format!("{} until `{}`", spell(ns), shorten(end.text.trim()))),
        (_, None, Some(last)) if shown().is_some() => (
            shown(),
            format!(
                "at the least up to `{}`: no line shows that it came",
                shorten(last.text.trim())
            ),
        ),
        _ => (None, format!("`{}` and no mount after it", line.text.trim())),
    };
    out.push(Cost {
        title: "the kernel waits for the root device".to_owned(),
        cost_ns,
        // What does not come gains nothing by coming earlier.
        gain_ns: ns,
        at_least: end.is_none() && cost_ns.is_some(),
        lines: vec![line.number],
        evidence,
        advice:
            "make the root device's driver built in and probe early, or use a faster medium; part of the wait is the \
                 hardware's"
                .to_owned(),
        ..Cost::of(CostKind::RootDeviceWait)
    });
}

/// The line by which the device that is waited for, `/dev/mmcblk0p2...`, announces itself.
fn device_comes<'a>(lines: &[&'a Line], waits_for: &str) -> Option<&'a Line> {
    let name = waits_for.trim_end_matches('.').trim_start_matches("/dev/");
    let disk = name
        .split('p')
        .next()
        .unwrap_or(name)
        .trim_end_matches(|c: char| c.is_ascii_digit());
    let host = name.strip_prefix("mmcblk").map(|rest| {
        format!(
            "mmc{}",
            rest.chars().take_while(char::is_ascii_digit).collect::<String>()
        )
    });
    lines.iter().copied().find(|line| {
        let text = line.text.trim();
        match &host {
            Some(host) => text
                .strip_prefix(host.as_str())
                .is_some_and(|rest| rest.starts_with(": new ") || rest.starts_with(": Command Queue Engine enabled")),
            None => !disk.is_empty() && name.starts_with("sd") && text.contains(&format!("[{disk}] Attached")),
        }
    })
}

fn raid(context: &Context<'_>, out: &mut Vec<Cost>) {
    let Some((at, line)) = context.find(&["md: Waiting for all devices to be available before autodetect"]) else {
        return;
    };
    let done = context.find_from(
        at + 1,
        &[
            "md: ... autorun DONE",
            "md: Autodetecting RAID arrays",
            "md: autorun ...",
        ],
    );
    let last = context.find_from(at + 1, &["md: ... autorun DONE"]).or(done);
    let ns = last.and_then(|(_, end)| context.between(line, end));
    let evidence = ns.map_or("the end of the wait is not in the log".to_owned(), |ns| {
        format!("{} until autodetection was done", spell(ns))
    });
    push(
        out,
        CostKind::RaidAutodetection,
        "RAID autodetection waits for all devices",
        ns,
        line,
        evidence,
        "boot with raid=noautodetect, or build without MD_AUTODETECT",
    );
}

fn random(context: &Context<'_>, out: &mut Vec<Cost>) {
    // What helps is on the command line: the numbers were there, whatever is said later.
    if context
        .boot
        .lines
        .iter()
        .any(|line| line.text.contains("random.trust_cpu=on"))
    {
        return;
    }
    let Some((_, line)) = context.find(&["random: crng init done"]) else {
        return;
    };
    let Some(init) = &context.kernel.init else {
        return random_in_a_piece(context, line, out);
    };
    let started = context.lines.iter().find(|l| l.number == init.line);
    let Some(ns) = started.and_then(|start| context.between(start, line)) else {
        return;
    };
    if line.number < init.line || ns < 500_000_000 {
        return;
    }
    let evidence = format!(
        "{} after init; programs that call getrandom() before wait so long",
        spell(ns)
    );
    out.push(late_numbers(line, evidence));
}

/// No line shows init, but user space runs: when the numbers are ready is known by the kernel's own stamp.
fn random_in_a_piece(context: &Context<'_>, line: &Line, out: &mut Vec<Cost>) {
    const LATE_NS: i64 = 5_000_000_000;
    let shown = context.boot.user_from.and_then(|from| context.boot.lines.get(from));
    let runs = shown.is_some_and(|shown| shown.number < line.number) || read_before(&context.boot.lines, line.number);
    let ready = context
        .stamp(line)
        .filter(|ns| (LATE_NS..JIFFIES_START_NS).contains(ns));
    let Some(ns) = ready.filter(|_| runs && context.clock == Clock::Printk) else {
        return;
    };
    let evidence = format!(
        "{} after the kernel's start; programs that call getrandom() before wait so long",
        spell(ns)
    );
    out.push(late_numbers(line, evidence));
}

/// Has a program asked for random numbers before this line?
fn read_before(lines: &[Line], number: u32) -> bool {
    let before = lines.iter().take_while(|line| line.number < number);
    before.filter(|line| line.printk_ns.is_some()).any(|line| {
        line.text.trim_start().starts_with("random: ") && line.text.contains(": uninitialized urandom read (")
    })
}

/// Lines that somebody chose still tell when random numbers were ready: by the kernel's stamp.
pub(crate) fn numbers_ready_late(lines: &[Line]) -> Option<Cost> {
    const LATE_NS: i64 = 5_000_000_000;
    let ready = |line: &&Line| {
        let text = line.text.trim_start();
        text.starts_with("random: crng init done") || text.starts_with("random: nonblocking pool is initialized")
    };
    let line = lines.iter().find(ready)?;
    let ns = line.printk_ns.filter(|ns| (LATE_NS..JIFFIES_START_NS).contains(ns))?;
    let evidence = format!(
        "{} after the kernel's start; programs that call getrandom() before wait so long",
        spell(ns)
    );
    Some(late_numbers(line, evidence))
}

fn late_numbers(line: &Line, evidence: String) -> Cost {
    Cost::without_time(
        CostKind::RandomNumberWait,
        "random numbers are ready late".to_owned(),
        line.number,
        evidence,
        "give the kernel entropy early: random.trust_cpu=on, a seed from the boot loader, a hardware or virtio \
         generator",
    )
}

fn deferred(context: &Context<'_>, out: &mut Vec<Cost>) {
    let block = context.deferred;
    if block.deferrals > 0 {
        let ns = i64::try_from(block.attempts_us)
            .unwrap_or(i64::MAX)
            .saturating_mul(1000);
        let worst = block.devices.iter().max_by_key(|d| d.deferrals);
        out.push(Cost {
            title: "probes are tried before their suppliers are there".to_owned(),
            cost_ns: Some(ns).filter(|ns| *ns > 0),
            // Zero only says that the durations were read from the timer tick.
            gain_ns: Some(ns).filter(|ns| *ns > 0),
            basis: Basis::Printed,
            lines: block.devices.iter().take(5).map(|d| d.first_line).collect(),
            evidence: format!(
                "{} deferred attempts of {} devices take {} together{}",
                block.deferrals,
                block.devices.len(),
                spell(ns),
                worst.map_or(String::new(), |d| format!(
                    "; `{}` is tried {} times",
                    d.device, d.tries
                )),
            ),
            advice: "build the suppliers in, or load their modules first (see the suggested order); the gain is an \
                     upper bound, because attempts overlap with other work"
                .to_owned(),
            ..Cost::of(CostKind::DeferredProbes)
        });
    }
    let late = context.lines.iter().find(|l| {
        l.text.contains("deferred probe timeout") || l.text.contains("deferred probe pending") || {
            l.text.contains("probe deferral timeout")
        }
    });
    // Where a silence ends with it, that is told with its time.
    if let Some(line) = late.filter(|line| {
        !context
            .gaps
            .iter()
            .any(|gap| ends_with_pending(context, gap, line.number))
    }) {
        let ns = context.stamp(line);
        let at = ns.map_or(String::new(), |ns| format!(" at {}", spell(ns)));
        out.push(Cost::without_time(
            CostKind::MissingSupplier,
            "a device still waits for a supplier that does not come".to_owned(),
            line.number,
            format!("`{}`{at}", shorten(line.text.trim())),
            "enable the supplier's driver, or boot with deferred_probe_timeout=0 (fw_devlink=permissive) and \
             check that nothing is missing",
        ));
    }
}

/// Does a silence end where the kernel gives up waiting for suppliers: at a line, or a few lines before it, at the same moment?
/// The probes that it tries once more then speak first (drivers/base/dd.c, `deferred_probe_timeout_work_func()`).
pub(super) fn ends_with_pending(context: &Context<'_>, gap: &LargeGap, pending: u32) -> bool {
    const LINES: u32 = 8;
    const MOMENT_NS: i64 = 100_000_000;
    const SHORTEST_NS: i64 = 1_000_000_000;
    let near = gap.before_line <= pending && pending <= gap.before_line.saturating_add(LINES);
    let at = |number: u32| {
        let line = context.lines.iter().find(|line| line.number == number)?;
        context.stamp(line)
    };
    let apart = || Some(at(pending)?.saturating_sub(at(gap.before_line)?));
    near && gap.duration_ns >= SHORTEST_NS && apart().is_some_and(|ns| (0..MOMENT_NS).contains(&ns))
}

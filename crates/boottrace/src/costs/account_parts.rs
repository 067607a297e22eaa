// SPDX-License-Identifier: MIT
//! The parts of a start as systemd's own account counts them: those before user space, and user space as a whole.

use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use super::start_jobs::of_systemd;
use super::start_jobs::UNIT_ADVICE;
use crate::facts::boot::dates::received_ns;
use crate::facts::boot::over::goal;
use crate::facts::boot::stage::StageEvent;
use crate::log::clock::NS_PER_S;
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// A shorter part of a boot is not told.
const SHORTEST_NS: i64 = 1_000_000_000;
/// Nor is a shorter start of user space.
const SHORTEST_USER_NS: i64 = 100_000_000;
/// User space as a whole is told unless a unit accounts for this part of it.
const PART: i64 = 4;

/// The parts before user space, in order: name, kind, what happens, what to do.
const PARTS: [(&str, CostKind, &str, &str); 4] = [
    (
        "firmware",
        CostKind::FirmwareAccount,
        "the firmware sets the machine up",
        "look at its own settings: fast boot, memory training that is kept, devices and network start-up that nobody \
         needs",
    ),
    (
        "loader",
        CostKind::LoaderAccount,
        "the boot loader runs: its menu's time, and what it loads",
        "shorten the menu's time (GRUB_TIMEOUT, loader.conf: timeout), and load less: a smaller initrd",
    ),
    (
        "kernel",
        CostKind::KernelAccount,
        "the kernel starts",
        "add the text of dmesg: it shows what takes the time; where the disk is encrypted, see how long the key's \
         derivation takes (cryptsetup luksDump)",
    ),
    (
        "initrd",
        CostKind::InitramfsRun,
        "the initramfs runs before the real root file system is used",
        "leave out of it what finding root does not need; see systemd-analyze plot for what it starts",
    ),
];

/// The parts of an account as costs, in the order of time. `ns`: the length of a part that the account names.
pub(crate) fn parts(line: Option<u32>, ns: impl Fn(&str) -> Option<i64>) -> Vec<Cost> {
    let apart = ns("initrd").is_some();
    PARTS
        .iter()
        .filter_map(|(name, kind, title, advice)| {
            let ns = ns(name)?;
            let held = if *kind == CostKind::KernelAccount && !apart {
                "; an initramfs without systemd counts here too, with a passphrase that it asks for"
            } else {
                ""
            };
            let evidence = format!("{} ({name}) by systemd's own account{held}", spell(ns));
            let lines = line.into_iter().collect();
            Some(Cost::printed(
                *kind,
                (*title).to_owned(),
                Some(ns),
                lines,
                evidence,
                advice,
            ))
        })
        .collect()
}

/// The longest part, where it is longer than every cost found and the log's own stamps show nothing of it.
pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let Some(account) = context.startup else { return };
    let longest = account.parts.iter().max_by_key(|part| part.ns);
    let known = out.iter().filter_map(|cost| cost.cost_ns).max().unwrap_or(0);
    let Some(longest) = longest.filter(|part| part.ns > known.max(SHORTEST_NS)) else {
        return;
    };
    let shown = match longest.name.as_str() {
        "firmware" | "loader" => context.boot.lines.iter().any(|line| line.kind == LineKind::Firmware),
        _ => !context.axis.late,
    };
    if !shown {
        out.extend(parts(Some(account.line), |name| {
            (name == longest.name).then_some(longest.ns)
        }));
    }
}

/// systemd's own time of user space: told when no unit accounts for a large part of it.
pub(super) fn user_space(context: &Context<'_>, longest_ns: i64, out: &mut Vec<Cost>) {
    let Some(account) = context.startup else { return };
    let Some(ns) = account.part("userspace").filter(|ns| *ns >= SHORTEST_USER_NS) else {
        return;
    };
    let used = context.stages.iter().find(|stage| stage.event == StageEvent::FirstUse);
    // Behind first use nobody waits for it.
    if used
        .and_then(|stage| stage.line)
        .is_some_and(|line| line < account.line)
        || longest_ns >= ns / PART
    {
        return;
    }
    out.extend(last_wait(context));
    out.push(Cost::printed(
        CostKind::UserSpaceStart,
        "systemd starts user space".to_owned(),
        Some(ns),
        vec![account.line],
        format!(
            "{} of user space by systemd's own account, up to its last unit",
            spell(ns)
        ),
        "ask on the system what the time goes to: `systemd-analyze critical-chain` and `systemd-analyze blame`, \
         and give their text to `bootlab analyze`",
    ));
}

/// A unit that does nothing but wait, whose job ends where the start's goal is reached, and whose beginning the piece does not
/// show: it held the start open.
fn last_wait(context: &Context<'_>) -> Option<Cost> {
    const DONE: [&str; 4] = ["Started ", "Finished ", "Stopped ", "Failed to start "];
    const WAITS: [&str; 3] = ["Wait until ", "Wait for ", "Wait For "];
    let goal = goal(context.boot)?;
    let lines = &context.boot.lines;
    let at = lines.partition_point(|line| line.number < goal);
    let reached = received_ns(lines.get(at)?)?;
    let near = |line: &&Line| received_ns(line).is_none_or(|ns| reached.saturating_sub(ns) <= NS_PER_S);
    let waiter = |line: &'_ Line| {
        let said = of_systemd(line)?.trim_end_matches('.');
        let name = DONE.iter().find_map(|done| said.strip_prefix(done))?;
        WAITS.iter().any(|wait| name.starts_with(wait)).then(|| name.to_owned())
    };
    let mut before = lines[..at].iter().rev().take_while(near);
    let (line, name) = before.find_map(|line| Some((line, waiter(line)?)))?;
    let begins = format!("Starting {name}...");
    let shown = lines[..at].iter().any(|line| of_systemd(line) == Some(&begins));
    (!shown).then(|| {
        Cost::without_time(
            CostKind::UnitStart,
            format!("systemd waits for the unit `{}`", shorten(&name)),
            line.number,
            format!(
                "`{}`, and what the system starts for is reached at once (line {goal}); when the wait began is not known",
                shorten(line.text.trim())
            ),
            UNIT_ADVICE,
        )
    })
}

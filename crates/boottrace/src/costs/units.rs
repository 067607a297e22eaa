// SPDX-License-Identifier: MIT
//! What systemd starts before the system is usable: the units that take longest, by its own lines, and the whole of its
//! start where no line tells more.

use std::collections::{HashMap, HashSet};

use super::account_parts::user_space;
use super::causes::named;
use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use super::start_jobs::{
    at_most_apart, dracut, given_up, is_device, job, of_systemd, whole_name, DEVICE_ADVICE, UNIT_ADVICE,
};
use crate::facts::boot::dates::received_ns;
use crate::facts::boot::over::goal;
use crate::log::clock::NS_PER_S;
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// Units listed.
const LISTED: usize = 5;
/// Shorter starts are not worth a line.
const SHORTEST_NS: i64 = 100_000_000;
/// The same where the stamps have whole seconds.
const SHORTEST_DATED_NS: i64 = 2 * NS_PER_S;
/// They wait for all others, and cost nothing themselves.
const WAITERS: [&str; 2] = ["plymouth-quit-wait.service", "Hold until boot process finishes up"];
/// Units of a user's session.
const SESSIONS: [&str; 3] = ["User Manager for UID ", "User Runtime Directory ", "Session "];
/// Names kept: a log may be anything.
const MAX_NAMES: usize = 20_000;
/// Where nothing says that a system is up, units that begin later than this are none of its start.
const START_NS: i64 = 180 * NS_PER_S;

/// How a unit's start ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Up,
    Failed,
}

/// One unit's start.
struct Start<'a> {
    name: &'a str,
    ns: i64,
    /// It was not over when systemd last spoke of it, or the clock was set meanwhile.
    at_least: bool,
    end: End,
    basis: Basis,
    lines: Vec<u32>,
    evidence: String,
}

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let mut starts = starts(context);
    starts.sort_by_key(|start| std::cmp::Reverse(start.ns));
    let longest = starts.first().map_or(0, |start| start.ns);
    let told: Vec<&str> = starts.iter().map(|start| start.name).collect();
    given_up(context, last_line(context), &told, out);
    dracut(context, out);
    out.extend(starts.into_iter().take(LISTED).map(cost));
    user_space(context, longest, out);
}

fn cost(start: Start<'_>) -> Cost {
    let name = shorten(start.name);
    let failed = start.end == End::Failed;
    let device = is_device(start.name) && !failed;
    let settle = named("", start.name, true).filter(|named| named.cause.kind == CostKind::UdevSettle);
    let kind = if settle.is_some() {
        CostKind::UdevSettle
    } else if failed {
        CostKind::UnitFailure
    } else if device {
        CostKind::DeviceWait
    } else {
        CostKind::UnitStart
    };
    Cost {
        title: if failed {
            format!("the unit `{name}` is waited for and does not come up")
        } else if device {
            format!("systemd waits for the device `{name}`")
        } else {
            format!("systemd starts the unit `{name}`")
        },
        cost_ns: Some(start.ns),
        gain_ns: failed.then_some(start.ns),
        basis: start.basis,
        at_most: failed && !start.at_least,
        at_least: start.at_least,
        lines: start.lines,
        evidence: start.evidence,
        advice: if let Some(settle) = settle {
            settle.cause.advice.to_owned()
        } else if failed {
            "find out why it fails; until then mask it, mark the mount `nofail`, or give it a shorter \
             JobTimeoutSec= or TimeoutStartSec="
                .to_owned()
        } else if device {
            DEVICE_ADVICE.to_owned()
        } else {
            UNIT_ADVICE.to_owned()
        },
        ..Cost::of(kind)
    }
}

/// Does somebody log in at a console, over the network or at a greeter, with a password? What starts then is his session's.
fn somebody_comes_in(line: &Line) -> bool {
    const BY: [&str; 4] = ["login", "sshd", "sshd-session", "gdm-password"];
    let by = |name: &str| BY.contains(&name.trim_end_matches(']'));
    line.process.as_deref().is_some_and(by) && line.text.contains(": session opened for user ")
}

/// Starts with their times, up to first use.
fn starts<'a>(context: &Context<'a>) -> Vec<Start<'a>> {
    let lines = &context.boot.lines;
    let end = last_line(context);
    let mut pending: HashMap<&str, &Line> = HashMap::new();
    let mut waited: HashMap<&str, (i64, &Line)> = HashMap::new();
    let mut found: HashMap<&str, Start<'a>> = HashMap::new();
    let mut failures: HashSet<&str> = HashSet::new();
    let mut began: Option<i64> = None;
    let mut dated: Option<&Line> = None;
    let mut came_in = false;
    for line in lines.iter().take_while(|line| end.is_none_or(|end| line.number <= end)) {
        came_in = came_in || somebody_comes_in(line);
        let Some(text) = of_systemd(line) else { continue };
        let now = context.axis.at(line).map(|(ns, _)| ns);
        began = began.or(now);
        dated = dated.or_else(|| received_ns(line).map(|_| line));
        let since = now.zip(began).map(|(now, began)| now.saturating_sub(began));
        let since = since.or_else(|| context.dates.apart(dated?, line));
        // What began before may still end.
        let late = end.is_none() && since.is_some_and(|since| since > START_NS);
        let over = || ends(text).or_else(|| gives_up(text, &pending));
        if late && !over().is_some_and(|(name, _)| pending.contains_key(name)) {
            continue;
        }
        if let Some((name, ns)) = job(text) {
            if waited.len() < MAX_NAMES {
                let name = whole_name(name, pending.keys().copied());
                let longest = waited.entry(name).or_insert((ns, line));
                if ns >= longest.0 {
                    *longest = (ns, line);
                }
            }
        } else if let Some(name) = begins(text) {
            let of_session = came_in && SESSIONS.iter().any(|start| name.starts_with(start));
            if pending.len() < MAX_NAMES && !of_session {
                pending.insert(name, line);
            }
        } else if let Some((name, end)) = ends(text).or_else(|| gives_up(text, &pending)) {
            if end == End::Failed && failures.len() < MAX_NAMES {
                failures.insert(name);
            }
            let Some(start) = pending.remove(name) else { continue };
            let known = context.apart_or_dated(start, line);
            let Some(ns) = known.or_else(|| context.dates.at_least(start, line)) else {
                continue;
            };
            // A daemon's dates have whole seconds: one is anything up to two.
            let whole = context.by_whole_dates(start, line);
            if (whole && ns < SHORTEST_DATED_NS) || is_too_long(context, line, ns) {
                continue;
            }
            let whole = if whole { " in the log's whole seconds" } else { "" };
            let set = if known.is_none() {
                ", at the least: the dates go back or jump in between, and those steps are not counted,"
            } else if context.dates.set_between(start, line) {
                ", without the step by which the clock was set,"
            } else {
                ""
            };
            let evidence = format!(
                "{}{whole}{set} from `{}` to `{}`; other units may have started beside it",
                spell(ns),
                shorten(start.text.trim()),
                shorten(line.text.trim())
            );
            // What is restarted later is not the boot's.
            found.entry(name).or_insert(Start {
                name,
                ns,
                at_least: known.is_none(),
                end,
                basis: Basis::Computed,
                lines: vec![start.number, line.number],
                evidence,
            });
        }
    }
    let failed = |name: &str| failures.contains(name);
    for (name, (ns, line)) in waited {
        if found.get(name).is_some_and(|start| start.ns >= ns) {
            continue;
        }
        let end = if failed(name) { End::Failed } else { End::Up };
        found.insert(
            name,
            still_waiting(context, name, pending.get(name).copied(), (ns, line), end),
        );
    }
    if let [(name, begun)] = pending.iter().collect::<Vec<_>>()[..] {
        if found.is_empty() && !failed(name) {
            found.extend(cut_off(context, name, begun).map(|start| (start.name, start)));
        }
    }
    let mut all: Vec<Start<'a>> = found
        .into_values()
        .filter(|start| start.ns >= SHORTEST_NS && !is_waiter(start.name) && !is_timers(start.name))
        .collect();
    // Names break ties: the order of a hash map is no order.
    all.sort_by(|a, b| a.name.cmp(b.name));
    all
}

/// Is it longer than all that systemd started by then, by its own account? Then the two dates are of two settings of the clock.
fn is_too_long(context: &Context<'_>, end: &Line, ns: i64) -> bool {
    let account = context.startup.filter(|account| end.number <= account.line);
    account.is_some_and(|account| {
        let most = account.since_kernel_ns().saturating_add(SHORTEST_DATED_NS);
        account.part("userspace").is_some() && ns > most
    })
}

/// A start that has not ended where the log of one unit does (`journalctl -u`): the unit's program has spoken, and systemd
/// has not said that it is up.
fn cut_off<'a>(context: &Context<'a>, name: &'a str, begun: &Line) -> Option<Start<'a>> {
    let spoken = || context.boot.lines.iter().filter(|line| line.process.is_some());
    let last = spoken().next_back()?;
    let whose = last.process.as_deref()?;
    let of_one = |line: &Line| {
        line.process
            .as_deref()
            .is_some_and(|who| who == "systemd" || who == whose)
    };
    let stamped = |line: &&Line| line.has_kernel_prefix() || line.host_ns.is_some();
    let alone = whose != "systemd" && context.boot.lines.iter().filter(stamped).all(of_one);
    // Another boot may follow, and begins it again.
    let again = |line: &&Line| of_systemd(line).and_then(begins) == Some(name);
    let begun = context.boot.lines.iter().rev().find(again).unwrap_or(begun);
    let ns = context.apart(begun, last).filter(|_| alone)?;
    Some(Start {
        name,
        ns,
        at_least: true,
        end: End::Up,
        basis: Basis::Computed,
        lines: vec![begun.number, last.number],
        evidence: format!(
            "{} from `{}` to the log's last line, and systemd has not said by then that it is up",
            spell(ns),
            shorten(begun.text.trim())
        ),
    })
}

/// A start that systemd still waits for when it last speaks of it. It counts from when the job was queued; where the log
/// shows when the start itself began, that is the shorter time.
fn still_waiting<'a>(
    context: &Context<'a>,
    name: &'a str,
    begun: Option<&Line>,
    (ns, line): (i64, &Line),
    end: End,
) -> Start<'a> {
    let said = shorten(line.text.trim());
    let shown = begun.and_then(|begun| Some((begun, at_most_apart(context, begun, line)?)));
    let (ns, basis, lines, evidence) = match shown.filter(|(_, shown)| *shown < ns) {
        Some((begun, shown)) => (
            shown,
            Basis::Computed,
            vec![begun.number, line.number],
            format!(
                "{} from `{}` on, and not over by then; systemd counts {} since it was asked for: `{said}`",
                spell(shown),
                shorten(begun.text.trim()),
                spell(ns)
            ),
        ),
        None => (
            ns,
            Basis::Printed,
            vec![line.number],
            format!("{} at the least, since it was asked for, by `{said}`", spell(ns)),
        ),
    };
    Start {
        name,
        ns,
        at_least: end == End::Up,
        end,
        basis,
        lines,
        evidence,
    }
}

/// Is it a unit that waits until the others are up, by its name, its description or both?
pub(crate) fn is_waiter(name: &str) -> bool {
    WAITERS
        .iter()
        .any(|waiter| name.starts_with(waiter) || name.ends_with(waiter))
}

/// Does a timer start the unit, by its name or its description? It may run while the system starts, and nobody waits for it
/// (apt, logrotate, man-db, util-linux, plocate, e2fsprogs, dnf, fwupd).
pub(super) fn is_timers(name: &str) -> bool {
    const STARTS: [&str; 16] = [
        "Daily ",
        "apt-daily",
        "Rotate log files",
        "logrotate.service",
        "man-db.service",
        "Discard unused blocks",
        "fstrim.service",
        "Update a database for mlocate",
        "Update the plocate database",
        "plocate-updatedb.service",
        "Message of the Day",
        "motd-news.service",
        "Online ext4 Metadata Check for All Filesystems",
        "Cleanup of Temporary Directories",
        "dnf makecache",
        "Refresh fwupd metadata",
    ];
    STARTS.iter().any(|start| name.starts_with(start)) || name.ends_with(" Daily apt activities")
}

/// The line up to which units are started for somebody who waits: first use; else where systemd says that all is up.
pub(super) fn last_line(context: &Context<'_>) -> Option<u32> {
    context.end_line().or_else(|| goal(context.boot))
}

fn begins(text: &str) -> Option<&str> {
    let said = text.strip_suffix("...").or_else(|| text.strip_suffix('…'))?;
    ["Starting ", "Mounting ", "Activating swap ", "Expecting device "]
        .iter()
        .find_map(|verb| said.strip_prefix(verb))
        .filter(|name| !name.is_empty())
}

fn ends(text: &str) -> Option<(&str, End)> {
    let said = text.strip_suffix('.')?;
    let of = |verbs: &[&str], end: End| {
        let name = verbs.iter().find_map(|verb| said.strip_prefix(verb))?;
        (!name.is_empty()).then_some((name, end))
    };
    of(
        &["Started ", "Finished ", "Mounted ", "Activated swap ", "Found device "],
        End::Up,
    )
    .or_else(|| {
        of(
            &[
                "Failed to start ",
                "Failed to mount ",
                "Failed to activate swap ",
                "Timed out waiting for device ",
                "Timed out starting ",
                "Timed out mounting ",
            ],
            End::Failed,
        )
    })
}

/// `frob.service: Failed with result 'timeout'.`: the start that begins with that unit's name is over.
fn gives_up<'a>(text: &str, pending: &HashMap<&'a str, &Line>) -> Option<(&'a str, End)> {
    let (unit, _) = text.split_once(": Failed with result '")?;
    let name = pending.keys().find(|name| name.split(' ').next() == Some(unit))?;
    Some((*name, End::Failed))
}

#[cfg(test)]
mod tests;

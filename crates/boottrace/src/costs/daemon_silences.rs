// SPDX-License-Identifier: MIT
//! Who takes the time of user space where programs' lines have a daemon's dates only: one program that alone is logged for
//! seconds, one that says nothing between two of its lines while it is waited for, or nobody at all.

use super::context::Context;
use super::cost::{Cost, Wording};
use super::of_start::{is_unit_job, used_from};
use super::silences::is_one_wait;
use super::units::{is_timers, last_line};
use crate::facts::boot::dates::{is_whole, received_ns};
use crate::facts::boot::gap::ends_the_boot;
use crate::facts::boot::idle::Often;
use crate::facts::boot::inside::last_started;
use crate::log::boot_log::BootStart;
use crate::log::breaks::{filtering_command, leaves_out, shuts_down};
use crate::log::clock::NS_PER_S;
use crate::log::course::comes_by_itself;
use crate::log::in_use::is_in_use;
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// Dates of whole seconds are good to one of them.
const SHORTEST_WHOLE_NS: i64 = 3 * NS_PER_S;
/// The same where they have fractions.
const SHORTEST_NS: i64 = NS_PER_S;
/// A longer one is no wait of a boot's.
const LONGEST_NS: i64 = 600 * NS_PER_S;
/// Where no line says that all is up: a system is up after a silence as long as its start, and no shorter than this ...
const SETTLED_NS: i64 = 10 * NS_PER_S;
/// ... and nothing later than this is told, and nothing longer.
const LATEST_NS: i64 = 60 * NS_PER_S;
/// Costs told.
const LISTED: usize = 3;
/// Lines looked at.
const MOST: usize = 20_000;

/// A stretch of dated lines.
struct Stretch<'a> {
    from: &'a Line,
    to: &'a Line,
    ns: i64,
    who: Who<'a>,
    /// Lines that come by themselves stand in it.
    timers: bool,
}

enum Who<'a> {
    /// One program logs alone.
    Alone(&'a str),
    /// A program that waits: others speak meanwhile, and then nobody does.
    Waits(&'a str),
    /// Nobody logs.
    Nobody,
}

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    // A piece may show a system that is in use.
    if context.boot.start == BootStart::MiddleOfLog && context.startup.is_none() {
        return;
    }
    // Between lines that somebody chose, others may have spoken.
    if context.boot.lines.iter().any(chooses_the_journals) {
        return;
    }
    let lines = dated(context);
    let mut found = blocks(context, &lines);
    found.extend(silences(context, &lines));
    // What comes again and again is no course of a start.
    let often = Often::of(lines.iter().filter_map(|line| Some((*line, received_ns(line)?))));
    let used = used_from(context);
    let of_session =
        |stretch: &Stretch<'_>| used.is_some_and(|used| stretch.from.number >= used) && !is_unit_job(stretch.to);
    found.retain(|stretch| !of_session(stretch));
    found.retain(|stretch| !often.holds(stretch.from) && !often.holds(stretch.to) && !told(stretch, out));
    found.sort_by_key(|stretch| (std::cmp::Reverse(stretch.ns), stretch.from.number));
    let mut chosen: Vec<Stretch<'_>> = Vec::new();
    for stretch in found {
        let apart =
            |other: &Stretch<'_>| stretch.to.number <= other.from.number || other.to.number <= stretch.from.number;
        if chosen.len() < LISTED && chosen.iter().all(apart) {
            chosen.push(stretch);
        }
    }
    out.extend(chosen.iter().map(cost));
}

/// `journalctl -b | grep -i frob`, as somebody typed it.
fn chooses_the_journals(line: &Line) -> bool {
    let logged = line.host_ns.is_some() || line.process.is_some() || line.has_kernel_prefix();
    !logged && filtering_command(&line.text).is_some_and(|command| command.starts_with("journalctl"))
}

/// The lines of a start that a daemon dated, from the first of a program on.
fn dated<'a>(context: &Context<'a>) -> Vec<&'a Line> {
    let end = last_line(context);
    // Up to here, something starts that starts once.
    let starts = last_started(context.boot);
    let mut lines: Vec<&Line> = Vec::new();
    for line in &context.boot.lines {
        if end.is_some_and(|end| line.number > end) || ends_the_boot(line) || shuts_down(line) || leaves_out(line) {
            break;
        }
        let spoken = matches!(line.kind, LineKind::Kernel | LineKind::User) && !line.text.trim().is_empty();
        let program = || program(line).is_some() || line.process.is_some();
        // What a timer prints is nobody's progress.
        let nobodys = !spoken || comes_by_itself(&line.text);
        if nobodys || received_ns(line).is_none() || (lines.is_empty() && !program()) {
            continue;
        }
        let over = || context.over.is_some_and(|over| line.number >= over) || is_in_use(line);
        if end.is_none() && line.number > starts && (over() || settled(context, &lines, line)) {
            break;
        }
        if lines.len() == MOST {
            break;
        }
        lines.push(line);
    }
    lines
}

/// Where no line says that all is up: has the system started long ago, or been silent for too long?
fn settled(context: &Context<'_>, lines: &[&Line], line: &Line) -> bool {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
        return false;
    };
    // Two daemons write a little out of order.
    let apart = |from: &Line, to: &Line| {
        let back = received_ns(to) < received_ns(from);
        context.dates.apart(from, to).or_else(|| back.then_some(0))
    };
    let (elapsed, silent) = (apart(first, last), apart(last, line));
    // Where the clock was set, nobody knows.
    let (Some(elapsed), Some(silent)) = (elapsed, silent) else {
        return true;
    };
    elapsed > LATEST_NS || silent > elapsed.clamp(SETTLED_NS, LATEST_NS / 2)
}

/// A program that starts nobody else.
fn program(line: &Line) -> Option<&str> {
    const OTHERS: [&str; 8] = [
        "systemd",
        "kernel",
        "init",
        "rsyslogd",
        "syslogd",
        "dbus-daemon",
        "dbus",
        "systemd-journald",
    ];
    line.process.as_deref().filter(|name| !OTHERS.contains(name))
}

/// Is it one run of a program that says two lines? Its number tells, where the log has it.
fn is_same_run(a: &Line, b: &Line) -> bool {
    program(a) == program(b) && a.pid.zip(b.pid).is_none_or(|(a, b)| a == b)
}

/// The shortest time between two lines that is told.
fn shortest(from: &Line, to: &Line) -> i64 {
    let whole = |line: &Line| received_ns(line).is_some_and(is_whole);
    if whole(from) && whole(to) {
        SHORTEST_WHOLE_NS
    } else {
        SHORTEST_NS
    }
}

/// The time between two lines, where it is long enough to be told.
fn long(context: &Context<'_>, from: &Line, to: &Line) -> Option<i64> {
    let ns = context.dates.apart(from, to)?;
    (shortest(from, to)..=LONGEST_NS).contains(&ns).then_some(ns)
}

/// Programs that are logged alone for a while.
fn blocks<'a>(context: &Context<'a>, lines: &[&'a Line]) -> Vec<Stretch<'a>> {
    let same = |a: &&Line, b: &&Line| program(a).is_some() && is_same_run(a, b);
    let blocks = lines.chunk_by(same).filter(|block| block.len() > 1);
    blocks
        .filter_map(|block| {
            let (from, to) = (*block.first()?, *block.last()?);
            let who = Who::Alone(program(from)?);
            Some(Stretch {
                from,
                to,
                ns: long(context, from, to)?,
                who,
                timers: false,
            })
        })
        .collect()
}

/// Times in which nobody logs, or a program waits that spoke a little before.
fn silences<'a>(context: &Context<'a>, lines: &[&'a Line]) -> Vec<Stretch<'a>> {
    let mut out = Vec::new();
    let mut dates: Vec<i64> = context.boot.lines.iter().filter_map(received_ns).collect();
    dates.sort_unstable();
    for (at, two) in lines.windows(2).enumerate() {
        let (from, to) = (two[0], two[1]);
        // Between two of the kernel's own, its stamps tell better.
        let stamped = from.printk_ns.is_some() && to.printk_ns.is_some();
        let Some(ns) = long(context, from, to).filter(|_| !stamped && !ends_a_timers(to)) else {
            continue;
        };
        if is_logged_meanwhile(&dates, from, to) {
            continue;
        }
        if let Some(name) = program(to) {
            // What it does may have begun with its line before.
            let before = lines[..=at].iter().rev().find(|line| is_same_run(line, to));
            let waited = before.and_then(|before| Some((*before, context.dates.apart(before, to)?)));
            if let Some((before, span)) = waited.filter(|(_, span)| *span <= ns / 2 * 3) {
                out.push(Stretch {
                    from: before,
                    to,
                    ns: span,
                    who: Who::Waits(name),
                    timers: false,
                });
                continue;
            }
        }
        out.push(Stretch {
            from,
            to,
            ns,
            who: Who::Nobody,
            timers: logged_between(context, from, to),
        });
    }
    out
}

/// Has any line a date between those of two lines? Daemons write out of order: what comes later in a log may have been said before.
fn is_logged_meanwhile(dates: &[i64], from: &Line, to: &Line) -> bool {
    let (Some(begin), Some(end)) = (received_ns(from), received_ns(to)) else {
        return false;
    };
    let next = dates.partition_point(|date| *date <= begin);
    dates.get(next).is_some_and(|date| *date < end)
}

/// Is anything logged between two lines?
fn logged_between(context: &Context<'_>, from: &Line, to: &Line) -> bool {
    let lines = &context.boot.lines;
    let behind = &lines[lines.partition_point(|line| line.number <= from.number)..];
    let mut inside = behind.iter().take_while(|line| line.number < to.number);
    inside.any(|line| !line.text.trim().is_empty())
}

/// Does systemd say that a unit is done which a timer started? Nobody has waited for it.
fn ends_a_timers(line: &Line) -> bool {
    let text = line.text.trim_start();
    let ended = [": Succeeded.", ": Deactivated successfully."];
    let name = ["Started ", "Finished "]
        .iter()
        .find_map(|done| text.strip_prefix(done));
    let name = name.or_else(|| ended.iter().find_map(|end| text.trim_end().strip_suffix(end)));
    line.process.as_deref() == Some("systemd") && name.is_some_and(is_timers)
}

/// Does a cost that was found tell of the same time?
fn told(stretch: &Stretch<'_>, costs: &[Cost]) -> bool {
    let (begin, end) = (stretch.from.number, stretch.to.number);
    costs.iter().any(|cost| {
        let (Some(first), Some(last)) = (cost.lines.iter().min(), cost.lines.iter().max()) else {
            return false;
        };
        let around = is_one_wait(cost.kind) && *first <= begin && end <= *last;
        let there = *first < end && begin < *last;
        cost.cost_ns
            .is_some_and(|ns| around || (there && ns >= stretch.ns / 10 * 6))
    })
}

fn cost(stretch: &Stretch<'_>) -> Cost {
    let (from, to) = (stretch.from, stretch.to);
    let (after, before) = (words(from), words(to));
    let title = match stretch.who {
        Who::Alone(name) => format!("nothing is logged but by `{name}`, from `{after}` to `{before}`"),
        Who::Waits(name) => format!("nothing is logged by `{name}` between `{after}` and `{before}`"),
        Who::Nobody => {
            let (from, to) = (named(from), named(to));
            // What timers print is logged too.
            let of = if stretch.timers { "that shows progress " } else { "" };
            format!("nothing is logged {of}between `{from}` and `{to}`")
        }
    };
    let whole = [from, to].into_iter().filter_map(received_ns).all(is_whole);
    let by = if whole {
        "dates of whole seconds, good to one"
    } else {
        "dates"
    };
    let between = matches!(stretch.who, Who::Nobody) && !stretch.timers;
    let wording = if between {
        Wording::NothingBetween
    } else {
        Wording::NothingBut
    };
    Cost::silence_between(
        title,
        stretch.ns,
        (from, to),
        &format!("by {by}"),
        "look what that program does then, and whether what starts behind it has to wait: its own log, \
         systemd-analyze critical-chain, or stamps in the start scripts",
    )
    .with(wording)
}

/// What a line says, cut where it is long.
fn words(line: &Line) -> String {
    const LONGEST: usize = 60;
    let text = line.text.trim();
    let short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        return shorten(&format!("{}…", short.trim_end()));
    }
    shorten(&short)
}

/// The same with its program in front.
fn named(line: &Line) -> String {
    match line.process.as_deref() {
        Some(name) => format!("{name}: {}", words(line)),
        None => words(line),
    }
}

// SPDX-License-Identifier: MIT
//! Silences whose lines say what they are: one cost for each cause and each subject, however often it falls silent.

use super::causes::{meanwhile, named, of_controller, timed_out, Named};
use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::grouped_silences::{Group, Meanwhile, NOTHING};
use super::initcalls::held_up;
use super::kind::CostKind;
use super::selection::is_selected;
use super::stated_lines::stated;
use super::stated_time::stated_ns;
use super::waits::ends_with_pending;
use crate::facts::boot::gap::{in_background, BootPart, LargeGap};
use crate::facts::kernel::initcall::Initcall;
use crate::log::clock::Clock;
use crate::log::hints::waits_in_vain;
use crate::log::line::{Line, LineKind};
use crate::log::sentence::is_sentence;
use crate::text::shorten::shorten;

/// How the title of a wait begins that a line before the silence speaks of.
const BEHIND: &str = "nothing is printed behind a line that speaks of a wait";
/// Empty messages looked beyond.
const EMPTY: u32 = 2;

/// Tells the costs of silences that have a name; returns those that have none.
pub(super) fn find<'a>(context: &Context<'_>, gaps: &[&'a LargeGap], out: &mut Vec<Cost>) -> Vec<&'a LargeGap> {
    let mut nameless = Vec::new();
    let mut groups: Vec<Group<'a>> = Vec::new();
    let selected = is_selected(context);
    for gap in gaps {
        if let Some(cost) = by_initcall(context, gap) {
            if !out.iter().any(|one: &Cost| one.title == cost.title) {
                out.push(cost);
            }
            continue;
        }
        let (after, before) = (
            spoken_before(context, gap.after_line),
            spoken_behind(context, gap.before_line),
        );
        let name = gave_up_on_suppliers(context, gap)
            .or_else(|| named(after, before, goes_on(gap, context.gaps)))
            // What a line in the silence says of a wait tells more than that nothing else is printed.
            .map(|name| waited_inside(context, gap, &name).unwrap_or(name))
            // Numbers come by themselves: who speaks meanwhile does not wait for them.
            .filter(|name| name.cause.kind != CostKind::RandomNumberWait || !others_speak(context, gap))
            .filter(|name| !name.title().starts_with(BEHIND) || !talk_goes_on(context, gap))
            .or_else(|| of_controller(after, before))
            .or_else(|| timed_out_or_stated(context, gap, (after, before), out))
            // A time that ran out lies before the line that says so.
            .filter(|name| name.line.trim() != after.trim() || !ran_out_before(context, gap))
            .map(|name| Named {
                sure: name.sure && !(name.by_its_end && selected) && !outlasts_a_driver(gap, &name, before),
                ..name
            });
        match name {
            Some(name) => Group::add(&mut groups, gap, &name, meanwhile_spoken(context, gap)),
            None if says_its_time(context, gap, (after, before)).is_some() => {}
            // It is part of a longer wait, of which its end tells.
            None if stated(before).is_some_and(|told| told.waited && told.ns >= gap.duration_ns) => {}
            None => nameless.push(*gap),
        }
    }
    out.extend(groups.into_iter().map(Group::cost));
    nameless
}

/// Is a silence that ends with a device's word of trouble longer than any driver waits (NVMe's commands: 60 s)? Then the device
/// was also idle.
fn outlasts_a_driver(gap: &LargeGap, name: &Named<'_>, before: &str) -> bool {
    use CostKind as Kind;
    const LONGEST_NS: i64 = 75_000_000_000;
    let device = matches!(
        name.cause.kind,
        Kind::DeviceTimeout | Kind::I2cTimeout | Kind::SataLink | Kind::UsbError | Kind::MmcTimeout
    );
    device && gap.duration_ns > LONGEST_NS && name.line.trim() == before.trim()
}

/// Does the line before a silence say that a time ran out, which passed before that line?
fn ran_out_before(context: &Context<'_>, gap: &LargeGap) -> bool {
    let says = gap.after.contains("imeout") || gap.after.contains("imed out");
    let lines = &context.boot.lines;
    let at = lines.partition_point(|line| line.number < gap.after_line);
    let stamped = |line: &Line| line.printk_ns.filter(|_| gap.clock == Clock::Printk);
    let before = lines[..at].iter().rev().find_map(stamped);
    says && before.is_some_and(|ns| gap.start_ns.saturating_sub(ns) > gap.duration_ns.saturating_mul(2))
}

/// A silence at whose end the kernel gives up waiting for suppliers: the line that says so stands a little behind it.
fn gave_up_on_suppliers<'a>(context: &Context<'a>, gap: &LargeGap) -> Option<Named<'a>> {
    // Behind init's start nobody waits for them.
    if gap.part == BootPart::UserSpace {
        return None;
    }
    let lines: &'a [Line] = &context.boot.lines;
    let from = lines.partition_point(|line| line.number < gap.before_line);
    let line = lines[from..]
        .iter()
        .find(|line| line.text.contains("deferred probe pending") && ends_with_pending(context, gap, line.number))?;
    // The line that ends the silence stands before it.
    let found = named("", &line.text, true)?;
    Some(Named {
        line: text_of(context, gap.before_line),
        ..found
    })
}

/// The same, where the lines around the silence say no more than that nothing is printed.
fn waited_inside<'a>(context: &Context<'a>, gap: &LargeGap, name: &Named<'_>) -> Option<Named<'a>> {
    let modest = name.title().starts_with(NOTHING);
    said_inside(context, gap).filter(|inside| modest && inside.tells_of_a_wait())
}

/// What a machine's line without a stamp says of a wait, where it stands in the silence.
fn said_inside<'a>(context: &Context<'a>, gap: &LargeGap) -> Option<Named<'a>> {
    const LONGEST: usize = 120;
    let lines: &'a [Line] = &context.boot.lines;
    let from = lines.partition_point(|line| line.number <= gap.after_line);
    let inside = lines[from..].iter().take_while(|line| line.number < gap.before_line);
    let inside = inside.filter(|line| !goes_on_from(gap, line));
    let bare = inside.filter(|line| line.printk_ns.is_none() && line.host_ns.is_none());
    // systemd's names of units speak of waits too.
    let plain = |text: &str| text.len() <= LONGEST && !text.contains("Start") && !text.contains('\\');
    let machines = bare.filter(|line| line.kind != LineKind::Blank && !is_sentence(line.text.trim()));
    let machines = machines.filter(|line| plain(&line.text));
    machines.map(|line| line.text.as_str()).find_map(meanwhile)
}

/// Do others say so much meanwhile that nobody waits for what the line before them waits for?
fn talk_goes_on(context: &Context<'_>, gap: &LargeGap) -> bool {
    const LINES: usize = 10;
    let lines = &context.boot.lines;
    let from = lines.partition_point(|line| line.number <= gap.after_line);
    let inside = lines[from..].iter().take_while(|line| line.number < gap.before_line);
    inside.filter(|line| line.kind != LineKind::Blank).count() >= LINES
}

/// Does anything stand between the two lines around a silence, without a stamp?
fn others_speak(context: &Context<'_>, gap: &LargeGap) -> bool {
    let lines = &context.boot.lines;
    let from = lines.partition_point(|line| line.number <= gap.after_line);
    let mut inside = lines[from..].iter().take_while(|line| line.number < gap.before_line);
    inside.any(|line| {
        let bare = line.kind != LineKind::Blank && line.process.is_none();
        bare && !in_background(line, gap.part)
    })
}

/// What is printed between the two lines around a silence.
fn meanwhile_spoken(context: &Context<'_>, gap: &LargeGap) -> Meanwhile {
    let lines = &context.boot.lines;
    let from = lines.partition_point(|line| line.number <= gap.after_line);
    let inside = || lines[from..].iter().take_while(|line| line.number < gap.before_line);
    if inside().any(|line| line.printk_ns.is_some() && !line.text.trim().is_empty()) {
        Meanwhile::Timers
    } else if inside().any(|line| line.kind != LineKind::Blank && !goes_on_from(gap, line)) {
        Meanwhile::WithoutStamps
    } else {
        Meanwhile::Nothing
    }
}

/// What begins with a small letter right behind a message is the rest of it, which a mail broke.
fn goes_on_from(gap: &LargeGap, line: &Line) -> bool {
    line.number == gap.after_line + 1 && line.text.starts_with(|c: char| c.is_ascii_lowercase())
}

/// An initcall that another piece of the log shows, and that runs for most of a silence.
fn by_initcall(context: &Context<'_>, gap: &LargeGap) -> Option<Cost> {
    if gap.part != BootPart::Kernel || gap.clock != Clock::Printk {
        return None;
    }
    let over = |call: &&Initcall| {
        let apart = |line: Option<u32>| line.is_some_and(|line| line < gap.after_line || line > gap.before_line);
        if !apart(call.start_line) || !apart(call.end_line) || !matches!(call.pid, None | Some(0 | 1)) {
            return false;
        }
        let times = call.end_ns.zip(call.best_duration_ns());
        let Some((end, length)) = times.filter(|_| call.clock == Clock::Printk) else {
            return false;
        };
        let (from, to) = (
            end.saturating_sub(length).max(gap.start_ns),
            end.min(gap.start_ns.saturating_add(gap.duration_ns)),
        );
        to.saturating_sub(from) >= gap.duration_ns / 10 * 8
    };
    let call = context.kernel.initcalls.iter().find(over)?;
    let ns = call.best_duration_ns()?;
    let evidence = format!(
        "{}; nothing else is printed for {} of it, from line {} on",
        spell(ns),
        spell(gap.duration_ns),
        gap.after_line
    );
    let advice = "look what it waits for: ftrace=function_graph for that function, or the driver's or firmware's own messages; leave \
                  it out where nobody needs it";
    Some(held_up(call, (CostKind::LongInitcall, ns), evidence, advice))
}

/// A line that states its time is a cost of its own; else the general rows are asked.
fn timed_out_or_stated<'a>(
    context: &Context<'a>,
    gap: &LargeGap,
    (after, before): (&'a str, &'a str),
    out: &mut Vec<Cost>,
) -> Option<Named<'a>> {
    let Some((line, ns)) = says_its_time(context, gap, (after, before)) else {
        // What systemd gave up on is told with its limit.
        let told = waits_in_vain(after) || waits_in_vain(before);
        return timed_out(after, before)
            .or_else(|| concluded(context, gap, before))
            .or_else(|| said_inside(context, gap))
            .filter(|_| !told);
    };
    out.push(Cost {
        title: format!("`{}`", shorten(line.trim())),
        cost_ns: Some(ns.min(gap.duration_ns)),
        basis: Basis::Printed,
        lines: vec![gap.after_line, gap.before_line],
        evidence: format!(
            "the line states {}; {} pass between lines {} and {}",
            spell(ns),
            spell(gap.duration_ns),
            gap.after_line,
            gap.before_line
        ),
        advice: "the line says what takes the time: look who prints it, and whether that is needed before the goal"
            .to_owned(),
        ..Cost::of(CostKind::StatedTime)
    });
    None
}

/// A driver says what failed, and with its next words that the time ran out: the wait is what came before the first.
fn concluded<'a>(context: &Context<'a>, gap: &LargeGap, before: &'a str) -> Option<Named<'a>> {
    const FAILS: [&str; 6] = [" not ", "ailed", "nable to", "rror", " no ", "ouldn't"];
    let who = |text: &str| {
        text.split_ascii_whitespace()
            .take(2)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let lines: &'a [Line] = &context.boot.lines;
    let at = lines.partition_point(|line| line.number <= gap.before_line);
    let fails = || FAILS.iter().any(|words| before.contains(words));
    let next = lines.get(at..)?.iter().take(2).map(|line| line.text.as_str());
    next.take_while(|text| fails() && who(text) == who(before))
        .filter(|text| text.contains("-110"))
        .find_map(|text| timed_out(&gap.after, text))
        .map(|found| (found.cause, found.subject, found.sure, found.by_its_end))
        .map(|(cause, subject, sure, by_its_end)| Named {
            cause,
            subject,
            line: before,
            sure,
            by_its_end,
        })
}

/// The line around a silence that states its own time, where that is most of the silence. What is printed at the same
/// moment as the line that ends it may say so too.
fn says_its_time<'a>(
    context: &Context<'a>,
    gap: &LargeGap,
    (after, before): (&'a str, &'a str),
) -> Option<(&'a str, i64)> {
    let at_once = at_once(context, gap).map(|line| (line, false));
    let around = [(before, false), (after, true)].into_iter();
    around.chain(at_once).find_map(|(line, begins)| {
        let ns = stated_ns(line, begins)?;
        let enough = ns >= gap.duration_ns / 10 * 6 && ns <= gap.duration_ns.saturating_add(gap.duration_ns / 10);
        enough.then_some((line, ns))
    })
}

/// The next few lines that have the same stamp as the one that ends a silence.
fn at_once<'a>(context: &Context<'a>, gap: &LargeGap) -> impl Iterator<Item = &'a str> {
    let lines: &'a [Line] = &context.boot.lines;
    let at = lines.partition_point(|line| line.number < gap.before_line);
    let stamp = |line: &Line| line.firmware_ns.or(line.printk_ns).or(line.host_ns);
    let ended = lines.get(at).and_then(stamp);
    let behind = lines.get(at + 1..).unwrap_or_default().iter().take(3);
    behind
        .take_while(move |line| ended.is_some() && stamp(line) == ended)
        .map(|line| line.text.as_str())
}

/// Is something printed at once behind a silence? Else what ends it only came by in the middle of a longer one.
fn goes_on(gap: &LargeGap, gaps: &[LargeGap]) -> bool {
    !gaps
        .iter()
        .any(|next| next.after_line == gap.before_line && next.duration_ns >= gap.duration_ns / 4)
        && !gaps
            .iter()
            .any(|next| follows_at_once(gap, next) && next.duration_ns / 2 >= gap.duration_ns)
}

/// Does one silence begin a few lines behind another, at the same moment?
fn follows_at_once(gap: &LargeGap, next: &LargeGap) -> bool {
    const MOMENT_NS: i64 = 10_000_000;
    let apart = next
        .start_ns
        .saturating_sub(gap.start_ns.saturating_add(gap.duration_ns));
    let later = next.after_line > gap.before_line && next.after_line <= gap.before_line.saturating_add(3);
    later && next.clock == gap.clock && (0..MOMENT_NS).contains(&apart)
}

/// The last words before a silence: those of a message that ended with an empty one.
fn spoken_before<'a>(context: &Context<'a>, number: u32) -> &'a str {
    let here = text_of(context, number);
    if !here.trim().is_empty() {
        return here;
    }
    // Of messages that ran together, the last.
    let lines = &context.boot.lines;
    let behind = lines.partition_point(|line| line.number <= number);
    let earlier = lines[..behind].iter().rev();
    earlier
        .take_while(|line| line.number.saturating_add(EMPTY) >= number)
        .map(|line| line.text.as_str())
        .find(|text| !text.trim().is_empty())
        .unwrap_or("")
}

/// The first words behind it.
fn spoken_behind<'a>(context: &Context<'a>, number: u32) -> &'a str {
    let mut behind = (0..=EMPTY).map(|more| text_of(context, number.saturating_add(more)));
    behind.find(|text| !text.trim().is_empty()).unwrap_or("")
}

fn text_of<'a>(context: &Context<'a>, number: u32) -> &'a str {
    let lines = &context.boot.lines;
    let at = lines.partition_point(|line| line.number < number);
    let here = || lines[at..].iter().take_while(|line| line.number == number);
    // Messages that ran together share a number, and what stands before a message has none of its stamps.
    let stamped = here().find(|line| context.axis.at(line).is_some() || line.firmware_ns.is_some());
    stamped.or_else(|| here().next()).map_or("", |line| &line.text)
}

// SPDX-License-Identifier: MIT
//! What is said of a boot first: how long it took, what of it is the kernel's, and what costs most.

use boottrace::costs::cost::Cost;
use boottrace::costs::kind::CostKind;
use boottrace::costs::longest_stretch::LongestStretch;
use boottrace::document::boot::Boot;
use boottrace::facts::boot::failure::Outcome;
use boottrace::facts::boot::stage::{Stage, StageEvent};
use boottrace::facts::boot::startup::StartupAccount;
use boottrace::log::boot_log::BootStart;

use crate::cost_words::{gain, is_timed, largest, size_ns, spent, sure_costs};
use crate::figures::seconds;
use crate::names::{event_words, use_words};
use crate::sureness::{kernel_end, stage, sureness, timed, Sureness};

/// Whose account it is.
pub const OWN: &str = "by its own account";

/// The sentences that a person reads first. `goal`: the sentence of a recording that knows when the goal came; then the
/// log is not asked.
pub fn headline(boot: &Boot, goal: Option<&str>) -> Vec<String> {
    let whole = goal.map_or_else(|| whole(boot), |told| Some(told.to_owned()));
    let started = if whole.is_none() { started(boot) } else { None };
    let account = match &boot.startup {
        Some(account) if started.is_none() || started_ns(account) == 0 => {
            Some(format!("By systemd's own account: {}.", parts(account)))
        }
        _ => None,
    };
    let told: Vec<String> = [whole.or(started), kernel(boot), account, costs(boot)]
        .into_iter()
        .flatten()
        .collect();
    if told.is_empty() {
        vec![untimed(boot)]
    } else {
        told
    }
}

/// A wait of which no time is known; it has a line.
pub fn unknown_wait(cost: &Cost) -> String {
    let line = cost.lines.first().copied().unwrap_or_default();
    if cost.kind == CostKind::StatedTime {
        return format!("No log here shows what takes the time; {} (line {line}).", cost.title);
    }
    format!("It is not shown how long this takes: {} (line {line}).", cost.title)
}

fn is_untimed_wait(cost: &Cost) -> bool {
    !is_timed(cost) && cost.gain_ns.is_none() && !cost.lines.is_empty()
}

/// What a log tells that bounds no part of a boot: a wait of unknown length, or that there are no times.
fn untimed(boot: &Boot) -> String {
    if let Some(cost) = boot.costs.iter().find(|cost| is_untimed_wait(cost)) {
        return unknown_wait(cost);
    }
    if boot.clocks.is_empty() && !boot.axis.late {
        return "the log gives no times for this boot".to_owned();
    }
    "The log has times, but they bound no part of a boot.".to_owned()
}

fn whole(boot: &Boot) -> Option<String> {
    let known = timed(boot);
    if let Some(((what, end_ns), first)) = kernel_end(boot).zip(known.first()) {
        let length = length(end_ns, at(first), sureness(Some(first), None, false));
        return Some(length.map_or_else(
            || format!("The kernel {what}."),
            |length| format!("The kernel {what} {length} after {}.", event_words(first.event)),
        ));
    }
    let used = stage(boot, StageEvent::FirstUse);
    if let (Some(used), Some(first)) = (used.filter(|used| used.ns.is_some()), known.first()) {
        if used.event != first.event {
            if let Some(length) = length(at(used), at(first), sureness(Some(first), Some(used), false)) {
                let text = format!("{length} from {} to {}.", event_words(first.event), use_words(used));
                return Some(sentence(&text));
            }
        }
    }
    if let Some((used, line)) = used.and_then(|used| used.line.map(|line| (used, line))) {
        return Some(format!(
            "It came to {} (line {line}); no clock tells when.",
            use_words(used)
        ));
    }
    let end = boot
        .end
        .as_ref()
        .filter(|_| !boot.reached_kernel && !known.is_empty())?;
    Some(format!(
        "The firmware took {} up to its last time (line {}); no kernel follows.",
        seconds(end.ns?),
        end.line
    ))
}

/// How far a boot came whose log shows no prompt: by systemd's account, or to its last event.
fn started(boot: &Boot) -> Option<String> {
    if let Some(account) = boot.startup.as_ref().filter(|account| started_ns(account) != 0) {
        let whole = seconds(started_ns(account));
        return Some(format!(
            "{whole} until systemd had started everything, {OWN}: {}.",
            parts(account)
        ));
    }
    let known = timed(boot);
    if known.len() < 2 || boot.outcome != Outcome::UserSpace {
        return None;
    }
    // A bound may lie before the stage before it.
    let first = known[0];
    let last = known
        .iter()
        .copied()
        .fold(first, |last, stage| if at(stage) > at(last) { stage } else { last });
    let length = length(at(last), at(first), sureness(Some(first), Some(last), false))?;
    Some(sentence(&format!(
        "{length} from {} to {}; the log does not show when the system could be used.",
        event_words(first.event),
        event_words(last.event)
    )))
}

fn kernel(boot: &Boot) -> Option<String> {
    let (start, user) = (
        stage(boot, StageEvent::KernelStart)?,
        stage(boot, StageEvent::UserSpaceStart)?,
    );
    let length = length(user.ns?, start.ns?, sureness(Some(start), Some(user), false))?;
    Some(format!("The kernel took {length}."))
}

fn parts(account: &StartupAccount) -> String {
    let parts: Vec<String> = account
        .parts
        .iter()
        .map(|part| format!("{} {}", seconds(part.ns), part.name))
        .collect();
    format!("{} (line {})", parts.join(" + "), account.line)
}

fn started_ns(account: &StartupAccount) -> i64 {
    let whole = account.total_ns.filter(|ns| *ns != 0);
    whole.unwrap_or_else(|| account.parts.iter().fold(0, |sum, part| sum.saturating_add(part.ns)))
}

/// A silence so many times as long dwarfs a cost.
const DWARFS: i64 = 50;
/// A cost that is so small a part of all that the stamps span is no headline.
const SPANS: i64 = 500;
/// In a piece, a shorter one is not told beside a wait whose time is not known.
const SMALL_NS: i64 = 100_000_000;
/// Nor is a shorter one.
const SHORTEST_NS: i64 = 1_000_000;

fn costs(boot: &Boot) -> Option<String> {
    let told: Vec<&Cost> = boot.costs.iter().filter(|cost| is_timed(cost)).collect();
    let sure = sure_costs(boot);
    let unsure = told
        .iter()
        .copied()
        .filter(|cost| !sure.iter().any(|one| std::ptr::eq(*one, *cost)));
    let silent = unsure.map(size_ns).max().unwrap_or(0);
    // A cost that is small beside a silence that may be the boot's is not called its largest.
    let most = largest(sure.iter().copied(), size_ns).filter(|cost| silent / DWARFS < size_ns(cost));
    let span = boot.longest.as_ref().map_or(0, |stretch| stretch.span_ns);
    // What is a small part of the time that the stamps span is no headline.
    let told_in_span = |ns: i64| ns >= SHORTEST_NS && span / SPANS < ns;
    let most = most.filter(|cost| told_in_span(size_ns(cost)));
    // In a piece, a short one says nothing beside a wait of unknown length.
    let short =
        |ns: i64| boot.start == BootStart::MiddleOfLog && ns < SMALL_NS && boot.costs.iter().any(is_untimed_wait);
    let longer = boot.longest.as_ref().filter(|stretch| !short(stretch.duration_ns));
    let longer = longer.filter(|stretch| most.is_none_or(|cost| stretch.duration_ns > size_ns(cost)));
    let mut sentences: Vec<String> = longer.map(longest).into_iter().collect();
    if let Some(cost) = most {
        // A silence that may be the boot's is longer.
        let beside = silent > size_ns(cost) && longer.is_none_or(|stretch| stretch.duration_ns < silent);
        sentences.push(if beside || longer.is_some() {
            let of = if beside { "cost that is surely of the boot" } else { "of the costs found" };
            let (spent, gain) = (spent(cost), gain(cost));
            format!("The largest {of} is {spent}: {}, {gain}.", cost.title)
        } else if outlasts_the_clock(boot, cost) {
            let line = cost.lines.first().copied().unwrap_or(boot.from_line);
            format!(
                "Line {line} states {}: {}; whether anything takes longer is not shown, the log's own stamps span less.",
                spent(cost),
                cost.title
            )
        } else if let Some(wait) = unbounded_wait(boot, cost) {
            format!(
                "{} The largest cost whose time is shown is {}: {}, {}.",
                unknown_wait(wait),
                spent(cost),
                cost.title,
                gain(cost)
            )
        } else {
            largest_cost(cost)
        });
        // A wait whose time is not known may be longer.
        let wait = boot.costs.iter().find(|cost| is_untimed_wait(cost));
        let wait = wait
            .filter(|_| (boot.start == BootStart::MiddleOfLog || boot.clocks.is_empty()) && size_ns(cost) < SMALL_NS);
        if let Some(wait) = wait {
            sentences = vec![unknown_wait(wait)];
        }
    } else if longer.is_some() {
        let wait = boot.costs.iter().find(|cost| is_untimed_wait(cost));
        sentences.extend(wait.map(unknown_wait));
    }
    let told_already = longer.is_some_and(|stretch| stretch.duration_ns >= silent);
    if silent != 0 && !told_already && most.is_none_or(|cost| silent > size_ns(cost)) {
        // A wait that a line names is told before a silence that may be nobody's.
        let wait = boot
            .costs
            .iter()
            .find(|cost| is_untimed_wait(cost) && sentences.is_empty());
        sentences.extend(wait.map(unknown_wait));
        let length = seconds(silent);
        let told = format!("User space is silent for up to {length}; whether it still boots then is not shown.");
        sentences.extend(Some(told).filter(|_| wait.is_none() || silent >= SMALL_NS));
    }
    let gains = told
        .iter()
        .copied()
        .filter(|cost| cost.gain_ns.is_some_and(told_in_span));
    let best = largest(gains, |cost| cost.gain_ns.unwrap_or(0));
    if let Some(best) = best.filter(|best| most.is_none_or(|most| !std::ptr::eq(*best, most))) {
        sentences.push(format!(
            "The largest known gain lies elsewhere: {}, {}.",
            best.title,
            gain(best)
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// A device or a unit that was waited for until its limit, by a line: no time is shown, and the limits are longer than this
/// cost, so that it is not the largest.
fn unbounded_wait<'a>(boot: &'a Boot, cost: &Cost) -> Option<&'a Cost> {
    const LIMIT_NS: i64 = 30_000_000_000;
    let of_a_limit = |wait: &&Cost| {
        matches!(wait.kind, CostKind::RootDeviceWait | CostKind::ResumeDeviceWait)
            || (wait.kind == CostKind::DeviceWait && wait.title.contains("until its limit"))
    };
    let mut waits = boot.costs.iter().filter(|wait| is_untimed_wait(wait));
    waits.find(of_a_limit).filter(|_| size_ns(cost) < LIMIT_NS)
}

/// What is known of a stretch that no cost tells of.
fn longest(stretch: &LongestStretch) -> String {
    let least = if stretch.at_least { "At least " } else { "" };
    let cut = if stretch.left_out {
        ", where lines are left out"
    } else {
        ""
    };
    format!(
        "{least}{} pass between line {} and line {} (`{}` and `{}`){cut}; no cost found here tells of them.",
        seconds(stretch.duration_ns),
        stretch.after_line,
        stretch.before_line,
        stretch.after,
        stretch.before
    )
}

/// Does a line state more than passes from the first stage to the last? Then the stamps are of another clock than the boot,
/// or of its end alone, and nothing can be said of what takes longest.
fn outlasts_the_clock(boot: &Boot, cost: &Cost) -> bool {
    let known = timed(boot);
    let ends = known.iter().map(|stage| at(stage));
    let (Some(first), Some(last)) = (ends.clone().min(), ends.max()) else {
        return false;
    };
    cost.kind == CostKind::StatedTime && last.saturating_sub(first) < size_ns(cost)
}

/// The sentence about the largest cost.
pub fn largest_cost(cost: &Cost) -> String {
    let words = words_around(cost).map_or(String::new(), |words| format!(" (between {words})"));
    format!(
        "The largest cost is {}: {}{words}, {}.",
        spent(cost),
        cost.title,
        gain(cost)
    )
}

/// The lines around a silence, in their own words: all that is known of it.
fn words_around(cost: &Cost) -> Option<&str> {
    const LONGEST: usize = 240;
    let (_, words) = cost.evidence.split_once(" between ")?;
    let quoted = cost.kind == CostKind::Silence && words.starts_with('`') && words.ends_with('`');
    let empty = words.starts_with("``") || words.ends_with("``");
    (quoted && !empty && words.len() <= LONGEST && !cost.title.contains('`')).then_some(words)
}

/// `at least 801 ms` for a boot whose length to first use its log only bounds; none for any other.
pub fn whole_bound(boot: &Boot) -> Option<String> {
    let known = timed(boot);
    let first = known.first()?;
    let ends = [StageEvent::ApplicationStart, StageEvent::FirstUse];
    let used = known.iter().find(|stage| ends.contains(&stage.event))?;
    if used.event == first.event {
        return None;
    }
    let length = seconds(at(used).saturating_sub(at(first)));
    match sureness(Some(first), Some(used), false) {
        Sureness::Exact => None,
        Sureness::Unknown => Some(format!("about {length}, bounded on no side")),
        sure => Some(format!("{}{length}", sure.words().unwrap_or_default())),
    }
}

/// A time of a stage that has one.
pub fn at(stage: &Stage) -> i64 {
    stage.ns.unwrap_or(0)
}

/// A length with its bound; none where its ends do not bound it, or lie in no order.
fn length(end_ns: i64, begin_ns: i64, sure: Sureness) -> Option<String> {
    let ns = end_ns.checked_sub(begin_ns).filter(|ns| *ns > 0)?;
    sure.words().map(|words| format!("{words}{}", seconds(ns)))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

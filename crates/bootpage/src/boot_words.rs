// SPDX-License-Identifier: MIT
//! What is said of a boot first: how long it took, what of it is the kernel's, and what costs most.

use boottrace::document::boot::Boot;
use boottrace::facts::boot::failure::{Failure, FailureKind, Outcome};
use boottrace::facts::boot::stage::{Stage, StageEvent};
use boottrace::facts::boot::startup::StartupAccount;
use boottrace::log::clock::{Clock, NS_PER_S};

use crate::cost_headline::{costs, is_untimed_wait, unknown_wait};
use crate::cost_words::{largest, size_ns, sure_costs};
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
    let failed = failed(boot);
    let first = boot.outcome == Outcome::Panic
        || largest(sure_costs(boot), size_ns).is_none_or(|cost| size_ns(cost) < NS_PER_S);
    let behind = failed.clone().filter(|_| !first);
    let begin = [whole.or(started), kernel(boot), account, failed.filter(|_| first)];
    let told: Vec<String> = begin
        .into_iter()
        .flatten()
        .chain(costs(boot))
        .chain(trouble_before(boot).or(behind))
        .collect();
    if told.is_empty() {
        vec![untimed(boot)]
    } else {
        told
    }
}

/// What a log tells that bounds no part of a boot: a wait of unknown length, or that there are no times.
fn untimed(boot: &Boot) -> String {
    if let Some(cost) = boot.costs.iter().find(|cost| is_untimed_wait(cost)) {
        return unknown_wait(cost);
    }
    if boot.clocks.is_empty() && !boot.axis.late {
        return "No times were read in the lines of this boot.".to_owned();
    }
    "Times were read, but none of them bounds a part of the boot that was found.".to_owned()
}

fn whole(boot: &Boot) -> Option<String> {
    let known = timed(boot);
    if let Some(((what, end_ns), first)) = kernel_end(boot).zip(known.first()) {
        let length = length(boot, end_ns, at(first), sureness(Some(first), None, false));
        return Some(length.map_or_else(
            || format!("The kernel {what}."),
            |length| format!("The kernel {what} {length} after {}.", event_words(first.event)),
        ));
    }
    let used = stage(boot, StageEvent::FirstUse);
    if let (Some(used), Some(first)) = (used.filter(|used| used.ns.is_some()), known.first()) {
        if used.event != first.event {
            if let Some(length) = length(boot, at(used), at(first), sureness(Some(first), Some(used), false)) {
                let text = format!("{length} from {} to {}.", event_words(first.event), use_words(used));
                return Some(sentence(&text));
            }
        }
    }
    if let Some((used, line)) = used.and_then(|used| used.line.map(|line| (used, line))) {
        return Some(format!(
            "It came to {} (line {line}); no time was read for that.",
            use_words(used)
        ));
    }
    let end = boot
        .end
        .as_ref()
        .filter(|_| !boot.reached_kernel && !known.is_empty())?;
    Some(format!(
        "The firmware's last time here is {} (line {}); no line of a Linux kernel was found behind it, up to line {}.",
        seconds(end.ns?),
        end.line,
        boot.to_line
    ))
}

/// How far a boot came whose log shows no prompt: by systemd's account, or to its last event.
fn started(boot: &Boot) -> Option<String> {
    if let Some(account) = boot.startup.as_ref().filter(|account| started_ns(account) != 0) {
        let whole = seconds(started_ns(account));
        let what = if account.rescued {
            "had come to its emergency or rescue shell"
        } else {
            "had started everything"
        };
        return Some(format!("{whole} until systemd {what}, {OWN}: {}.", parts(account)));
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
    let length = length(boot, at(last), at(first), sureness(Some(first), Some(last), false))?;
    Some(sentence(&format!(
        "{length} from {} to {}, the last event whose time was found.",
        event_words(first.event),
        event_words(last.event)
    )))
}

/// What went wrong with the kernel up to first use: of a panic, the first message that leads to it.
fn failed(boot: &Boot) -> Option<String> {
    use FailureKind as Kind;
    let used = stage(boot, StageEvent::FirstUse).and_then(|used| used.line);
    let early = |failure: &&Failure| used.is_none_or(|used| failure.line < used);
    let stopped = boot.outcome == Outcome::Panic;
    let fails = |kind| match kind {
        Kind::Oops | Kind::Warning => true,
        Kind::Panic | Kind::NoInit => stopped,
        // A piece may end before the panic.
        Kind::NoRoot => stopped || !boot.reached_user,
        _ => false,
    };
    let failure = boot.failures.iter().filter(early).find(|failure| fails(failure.kind))?;
    Some(format!(
        "Line {} says `{}`: {}.",
        failure.line, failure.text, failure.meaning
    ))
}

/// What failed before the largest cost begins may be why it is one: that is quoted, and not claimed.
fn trouble_before(boot: &Boot) -> Option<String> {
    let most = largest(sure_costs(boot), size_ns).filter(|cost| size_ns(cost) >= NS_PER_S)?;
    let from = most.lines.iter().min()?;
    let fails = |kind| matches!(kind, FailureKind::Oops | FailureKind::Stall);
    let before = |failure: &&Failure| fails(failure.kind) && failure.line < *from;
    let failure = boot.failures.iter().find(before)?;
    Some(format!(
        "Line {} says `{}`, before the largest of the costs found begins.",
        failure.line, failure.text
    ))
}

fn kernel(boot: &Boot) -> Option<String> {
    let (start, user) = (
        stage(boot, StageEvent::KernelStart)?,
        stage(boot, StageEvent::UserSpaceStart)?,
    );
    let length = length(boot, user.ns?, start.ns?, sureness(Some(start), Some(user), false))?;
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

/// A length with its bound; none where its ends do not bound it, or lie in no order. Of dates in whole seconds none is exact.
fn length(boot: &Boot, end_ns: i64, begin_ns: i64, sure: Sureness) -> Option<String> {
    let ns = end_ns.checked_sub(begin_ns).filter(|ns| *ns > 0)?;
    let whole = |ns: i64| ns % NS_PER_S == 0;
    if sure == Sureness::Exact && boot.axis.clock == Clock::Host && whole(begin_ns) && whole(end_ns) {
        return Some(format!("about {}", seconds(ns)));
    }
    sure.words().map(|words| format!("{words}{}", seconds(ns)))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

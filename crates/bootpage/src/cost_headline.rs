// SPDX-License-Identifier: MIT
//! What is said first of the costs of a boot: the largest, as far as the log can show that one is.

use boottrace::costs::cost::{Cost, Wording, BESIDE};
use boottrace::costs::kind::CostKind;
use boottrace::costs::longest_stretch::LongestStretch;
use boottrace::document::boot::Boot;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::log::boot_log::BootStart;

use crate::boot_words::at;
use crate::cost_words::{gain, is_timed, largest, size_ns, spent, sure_costs};
use crate::figures::seconds;
use crate::sureness::timed;

/// A wait of which no time is known; it has a line.
pub fn unknown_wait(cost: &Cost) -> String {
    let line = cost.lines.first().copied().unwrap_or_default();
    if let Some(words) = cost.title.strip_prefix(BESIDE) {
        return format!("Beside the log, {words} (line {line}).");
    }
    if !matches!(cost.kind, CostKind::StatedTime | CostKind::Quotation) && cost.quotes_a_time() {
        return format!("The line's own words give a time: {} (line {line}).", cost.title);
    }
    // Of what it says, nothing more is claimed.
    if let (Some(span), Some(last)) = (cost.stamps_span(), cost.lines.last()) {
        return format!(
            "{} (lines {line} to {last}, whose stamps span {span}).",
            capital(&cost.title)
        );
    }
    format!("{} (line {line}).", capital(&cost.title))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        format!("{}{}", first.to_uppercase(), letters.as_str())
    })
}

/// Whether a cost is a wait whose time no line shows.
pub fn is_untimed_wait(cost: &Cost) -> bool {
    use CostKind as Kind;
    // What a kernel was built or asked for is nothing that is waited for.
    let set = matches!(
        cost.kind,
        Kind::InitcallDebug | Kind::DebugChecks | Kind::ConsoleOutput | Kind::SelfTest
    );
    !set && !is_timed(cost) && cost.gain_ns.is_none() && !cost.lines.is_empty()
}

/// A silence so many times as long dwarfs a cost.
const DWARFS: i64 = 50;
/// A cost that is so small a part of all that the stamps span is no headline.
const SPANS: i64 = 500;
/// One as long is a headline whatever the stamps span.
const LONG_NS: i64 = 60_000_000_000;
/// In a piece, a shorter one is not told beside a wait whose time is not known.
const SMALL_NS: i64 = 100_000_000;
/// Nor is a shorter one.
const SHORTEST_NS: i64 = 1_000_000;

/// What of a boot costs most, and what of it may be gained; then a longer silence behind its last sure line.
pub fn costs(boot: &Boot) -> Vec<String> {
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
    // What is a small part of the time that the stamps of a piece span is no headline.
    let told_in_span = |ns: i64| ns >= SHORTEST_NS && (span / SPANS).min(LONG_NS) < ns;
    let most = most.filter(|cost| boot.start != BootStart::MiddleOfLog || told_in_span(size_ns(cost)));
    // In a piece, a short one says nothing beside a wait of unknown length.
    let short = |ns: i64| is_part(boot) && ns < SMALL_NS && boot.costs.iter().any(is_untimed_wait);
    let longer = boot.longest.as_ref().filter(|stretch| !short(stretch.duration_ns));
    // A cost as long may be of the same time.
    let as_long = |cost: &Cost| size_ns(cost).saturating_add(size_ns(cost) / 20);
    let longer = longer.filter(|stretch| most.is_none_or(|cost| stretch.duration_ns > as_long(cost)));
    // Alone beside a longer silence, it says nothing.
    let longer = longer.filter(|stretch| most.is_some() || stretch.duration_ns >= silent);
    let mut sentences: Vec<String> = longer.map(|stretch| longest(boot, stretch)).into_iter().collect();
    if let Some(cost) = most {
        // A silence that may be the boot's is longer.
        let beside = silent > size_ns(cost) && longer.is_none_or(|stretch| stretch.duration_ns < silent);
        let stage = longer_stage(boot, cost);
        sentences.extend(stage.clone());
        sentences.push(if beside || longer.is_some() || stage.is_some() {
            let of = if silent <= size_ns(cost) {
                "The largest of the costs found"
            } else {
                "One of the costs found"
            };
            let (spent, gain) = (spent(cost), gain(cost));
            format!("{of} is {spent}: {}, {gain}.", cost.title)
        } else if outlasts_the_clock(boot, cost) {
            // What lies between two lines, neither of them states.
            if let [from, to] = cost.lines[..] {
                format!("{} lie between lines {from} and {to}: {}.", spent(cost), cost.title)
            } else {
                let line = cost.lines.first().copied().unwrap_or(boot.from_line);
                format!("Line {line} states {}: {}.", spent(cost), cost.title)
            }
        } else if let Some(wait) = unbounded_wait(boot, cost) {
            format!(
                "{} The largest cost whose time was found is {}: {}, {}.",
                unknown_wait(wait),
                spent(cost),
                cost.title,
                gain(cost)
            )
        } else if boot.start == BootStart::MiddleOfLog {
            largest_shown(boot, cost)
        } else {
            largest_cost(cost)
        });
        // A wait whose time is not known may be longer.
        let wait = boot.costs.iter().find(|cost| is_untimed_wait(cost));
        let wait = wait.filter(|_| (is_part(boot) || boot.clocks.is_empty()) && size_ns(cost) < SMALL_NS);
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
        let told = silent_user_space(boot, silent);
        // What is longer is told first.
        let place = if most.is_some() { 0 } else { sentences.len() };
        if wait.is_none() || silent >= SMALL_NS {
            sentences.insert(place, told);
        }
    }
    let gains = told
        .iter()
        .copied()
        .filter(|cost| cost.gain_ns.is_some_and(told_in_span));
    let best = largest(gains, |cost| cost.gain_ns.unwrap_or(0));
    if let Some(best) = best.filter(|best| most.is_none_or(|most| !std::ptr::eq(*best, most))) {
        sentences.push(format!(
            "The largest gain found lies elsewhere: {}, {}.",
            best.title,
            gain(best)
        ));
    }
    let told = most.map_or(silent, |cost| silent.max(size_ns(cost)));
    let told = told.max(boot.longest.as_ref().map_or(0, |stretch| stretch.duration_ns));
    let later = boot
        .later
        .as_ref()
        .filter(|stretch| stretch.duration_ns > told)
        .map(later);
    let joined = (!sentences.is_empty()).then(|| sentences.join(" "));
    joined.into_iter().chain(later).collect()
}

/// A silence behind the last line that is surely the boot's.
fn later(stretch: &LongestStretch) -> String {
    format!(
        "Later, {} pass between line {} and line {} (`{}` and `{}`); not every such time is a wait of the boot.",
        seconds(stretch.duration_ns),
        stretch.after_line,
        stretch.before_line,
        stretch.after,
        stretch.before
    )
}

/// The longest time that no step of a boot is known for, by the lines around it: who was silent then, they do not tell.
fn silent_user_space(boot: &Boot, ns: i64) -> String {
    let length = seconds(ns);
    let found = boot.costs.iter().find(|cost| size_ns(cost) == ns);
    if let Some(cost) = found.filter(|cost| cost.kind != CostKind::Silence) {
        let lines: Vec<String> = cost.lines.iter().map(u32::to_string).collect();
        return format!(
            "Behind init's last step that was found: {}, {length} (lines {}).",
            cost.title,
            lines.join(" and ")
        );
    }
    let Some((cost, [from, to])) = found.and_then(|cost| Some((cost, <[u32; 2]>::try_from(&cost.lines[..]).ok()?)))
    else {
        return format!("Up to {length} pass between two lines; not every such time is a wait of the boot.");
    };
    let words = words_around(cost).map_or(String::new(), |words| format!(" ({words})"));
    if boot.start == BootStart::MiddleOfLog {
        return format!("{length} pass between line {from} and line {to} of this piece{words}.");
    }
    let still = if steps_behind(boot, to) {
        ""
    } else {
        "; not every such time is a wait of the boot"
    };
    format!("{length} pass between line {from} and line {to}{words}{still}.")
}

/// Does init take a step, or is the system used, in this line or behind it? Then it still boots there.
fn steps_behind(boot: &Boot, line: u32) -> bool {
    let step = |event| {
        matches!(
            event,
            StageEvent::RcScripts | StageEvent::ApplicationStart | StageEvent::FirstUse
        )
    };
    let mut lines = boot
        .stages
        .iter()
        .filter(|stage| step(stage.event))
        .filter_map(|stage| stage.line);
    lines.any(|step| step >= line)
}

/// A piece of a log, or a boot loader's words that no kernel follows.
fn is_part(boot: &Boot) -> bool {
    boot.start == BootStart::MiddleOfLog || !boot.reached_kernel
}

/// A device or a unit that was waited for until its limit, by a line: no time is shown, and the limits are longer than this
/// cost, so that it is not the largest.
fn unbounded_wait<'a>(boot: &'a Boot, cost: &Cost) -> Option<&'a Cost> {
    const LIMIT_NS: i64 = 30_000_000_000;
    let of_a_limit = |wait: &&Cost| {
        matches!(wait.kind, CostKind::RootDeviceWait | CostKind::ResumeDeviceWait)
            || (wait.kind == CostKind::DeviceWait && wait.wording == Wording::GivenUp)
            || wait.wording == Wording::Mark
    };
    let mut waits = boot.costs.iter().filter(|wait| is_untimed_wait(wait));
    waits.find(of_a_limit).filter(|_| size_ns(cost) < LIMIT_NS)
}

/// The longest stage of systemd's own account, where it is longer than the largest cost. User space, of which that cost is
/// a part, only where another stage is longer too, or where the cost is less than half of it.
fn longer_stage(boot: &Boot, cost: &Cost) -> Option<String> {
    let account = boot.startup.as_ref()?;
    let stage = account.parts.iter().max_by_key(|part| part.ns)?;
    let longer = |name: bool| {
        let parts = account
            .parts
            .iter()
            .filter(move |part| (part.name == "userspace") == name);
        parts.map(|part| part.ns).max().unwrap_or(0)
    };
    let told = longer(false) > size_ns(cost) || longer(true) / 2 > size_ns(cost);
    let text = format!(
        "The longest stage of that account is {}: {}.",
        stage.name,
        seconds(stage.ns)
    );
    (told && stage.ns > size_ns(cost)).then_some(text)
}

/// What is known of a stretch that no cost tells of.
fn longest(boot: &Boot, stretch: &LongestStretch) -> String {
    let least = if stretch.at_least { "At least " } else { "" };
    let cut = if stretch.left_out {
        ", where lines are left out"
    } else {
        ""
    };
    let span = stretch.after_line..=stretch.before_line;
    let inside = |cost: &Cost| {
        let lies = !cost.lines.is_empty() && cost.lines.iter().all(|line| span.contains(line));
        lies && size_ns(cost) > 0
    };
    // One that lies inside tells of a part.
    let told = if boot.costs.iter().any(inside) {
        ""
    } else {
        "; no cost found here tells of them"
    };
    format!(
        "{least}{} pass between line {} and line {} (`{}` and `{}`){cut}{told}.",
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
        "The largest cost found is {}: {}{words}, {}.",
        spent(cost),
        cost.title,
        gain(cost)
    )
}

/// The same of a piece: what it leaves out may take longer, and a silence of it is nobody's.
fn largest_shown(boot: &Boot, cost: &Cost) -> String {
    match (cost.kind, cost.lines.as_slice()) {
        (CostKind::Silence, [from, to]) => {
            let words = words_around(cost).map_or(String::new(), |words| format!(", {words}"));
            let place = if from == to {
                format!("in line {from}")
            } else {
                format!("lines {from} and {to}")
            };
            let told = cost
                .told_by_its_end()
                .map_or_else(|| "what".to_owned(), |line| format!("it ends with `{line}`. What"));
            format!(
                "The longest silence found in this piece{} is {} ({place}{words}); {told} the piece leaves \
                 out may take longer.",
                before_first_use(boot),
                spent(cost)
            )
        }
        _ => format!(
            "The largest cost found in this piece is {}: {}, {}.",
            spent(cost),
            cost.title,
            gain(cost)
        ),
    }
}

/// Where a piece goes on behind the first use, what is longest is so of what comes before.
fn before_first_use(boot: &Boot) -> String {
    let used = boot.stages.iter().find(|stage| stage.event == StageEvent::FirstUse);
    used.and_then(|stage| stage.line)
        .map_or(String::new(), |line| format!(", up to its first use in line {line},"))
}

/// The lines around a silence, in their own words: all that is known of it.
fn words_around(cost: &Cost) -> Option<String> {
    const LONGEST: usize = 240;
    let [after, before] = cost.around.as_slice() else {
        return None;
    };
    let words = format!("`{after}` and `{before}`");
    let empty = after.is_empty() || before.is_empty();
    (!empty && words.len() <= LONGEST && !cost.title.contains('`')).then_some(words)
}

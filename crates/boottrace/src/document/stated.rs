// SPDX-License-Identifier: MIT
//! Lines that belong to no boot, and yet say how long something took in one.

use super::asked_root_delay;
use super::boot::Boot;
use super::document::Part;
use super::start_scripts;
use super::start_scripts::Scripts;
use super::units::UnitReport;
use crate::costs::cost::{Wording, BESIDE};
use crate::costs::persons_words::Told;
use crate::costs::{
    cloud_init, installer_steps, longest_gap, persons_words, robots, stage_tables, stated_lines, step_tables, untimed,
    Cost, CostKind,
};
use crate::facts::boot::Outcome;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::is_fence;
use crate::log::clock::{Clock, NS_PER_S};
use crate::log::line::{Line, LineKind};
use crate::log::sentence::is_sentence;

/// What the lines outside of all boots state, where nothing else was found; beside silences alone also what persons write.
/// `within`: what persons write inside pieces of logs.
pub(super) fn of_text(outside: &[Line], within: &[Line], placed: &[(u32, Part)]) -> Option<(u32, Part)> {
    let mut found = of_lines(outside, within, placed)?;
    if let Part::Units(report) = &mut found.1 {
        if is_silent(report) {
            let most = report.costs.iter().filter_map(|cost| cost.cost_ns).max();
            let told = persons_words::of_lines(text_of(outside));
            let told = told.filter(|told| told.why || told.titled || told.ns > most);
            report.costs.extend(told.into_iter().flat_map(Told::costs));
        }
    }
    Some(found)
}

/// The lines that are no machine's.
fn text_of(outside: &[Line]) -> impl Iterator<Item = &Line> + Clone {
    // A page's marks tell which of them it shows as a machine's.
    let own = |line: &Line| matches!(line.kind, LineKind::Outside | LineKind::Prose | LineKind::Harness);
    let kept = move |line: &&Line| own(line) || line.kind == LineKind::Blank && is_fence(line.text.trim());
    outside.iter().filter(kept)
}

/// Does a report tell silences alone?
fn is_silent(report: &UnitReport) -> bool {
    let silent = report.costs.iter().all(|cost| cost.kind == CostKind::Silence);
    report.startup.is_none() && silent && !report.costs.is_empty()
}

/// What persons write behind pieces of logs belongs to no log.
pub(super) fn persons_in(logs: &[BootLog]) -> Vec<Line> {
    /// A longer log is no piece.
    const LONGEST: usize = 400;
    let pieces = logs
        .iter()
        .filter(|log| log.start == BootStart::MiddleOfLog && log.lines.len() <= LONGEST);
    let spoken = |line: &&Line| !line.is_beside() && (line.kind == LineKind::Prose || is_persons(line));
    let quotes = |line: &Line| line.text.trim_start().starts_with('>');
    pieces
        .flat_map(|log| {
            // What a mail goes on with behind its last stamp, it says whole: its broken lines are sentences together only.
            let logged = |line: &Line| line.has_kernel_prefix() || line.process.is_some() || line.host_ns.is_some();
            let end = log.lines.iter().rposition(logged).map_or(log.lines.len(), |at| at + 1);
            let (within, behind) = log.lines.split_at(end);
            let told = |line: &&Line| spoken(line) || quotes(line) && !line.is_beside();
            within.iter().filter(spoken).chain(behind.iter().filter(told))
        })
        .cloned()
        .collect()
}

fn of_lines(outside: &[Line], within: &[Line], placed: &[(u32, Part)]) -> Option<(u32, Part)> {
    // A report that holds no time says nothing either.
    let nothing = placed.iter().all(|(_, part)| match part {
        Part::NotABoot(_) => true,
        Part::Units(report) => report.costs.is_empty() && report.startup.is_none() && report.units.is_empty(),
        _ => false,
    });
    let text = text_of(outside);
    if let Some(cost) = robots::of_lines(outside) {
        return report(vec![cost]);
    }
    // A page's own table of stages, where nothing else on it shows a longer time.
    let stages = stage_tables::of_lines(text.clone());
    let longest = stages.first().and_then(|cost| cost.cost_ns);
    if longest.is_some_and(|ns| placed.iter().all(|(_, part)| shown_ns(part) < ns)) {
        return report(stages);
    }
    if !nothing {
        // So does a record of cloud-init's own.
        let records = cloud_init::of_records(text.clone());
        let longest = records.iter().filter_map(|cost| cost.cost_ns).max();
        if longest.is_some_and(|ns| placed.iter().all(|(_, part)| shown_ns(part) < ns)) {
            return report(records);
        }
        return beside_pieces(text, within, placed);
    }
    let mut costs = step_tables::of_lines(text.clone());
    if costs.is_empty() {
        costs = cloud_init::of_records(text.clone());
    }
    if costs.is_empty() {
        let page = text.clone().any(|line| line.text.starts_with("## "));
        costs = stated_lines::of_lines(
            text.clone()
                .filter(|line| !(is_persons(line) || page && is_bullet(line))),
        );
        // The steps of cloud-init hold what its lines state: both are told only where a step is longer by far.
        let steps = cloud_init::of_lines(text.clone());
        let longest = |costs: &[Cost]| costs.iter().filter_map(|cost| cost.cost_ns).max().unwrap_or(0);
        if longest(&steps) > longest(&costs).saturating_mul(5) / 4 {
            // What is waited for meanwhile, its lines say.
            costs.splice(0..0, steps.into_iter().chain(untimed::of_lines(text.clone())));
        } else {
            costs.extend(steps.into_iter().filter(|step| step.lines.len() == 1));
        }
        let commands = cloud_init::commands(text.clone());
        // A line that states the command's own time says it better.
        let near = |a: i64, b: i64| a.abs_diff(b) < 100_000_000;
        let times: Vec<i64> = costs.iter().filter_map(|cost| cost.cost_ns).collect();
        let stated = |ns: Option<i64>| ns.is_some_and(|ns| times.iter().any(|time| near(*time, ns)));
        let commands: Vec<Cost> = commands.into_iter().filter(|cost| !stated(cost.cost_ns)).collect();
        costs.extend(commands);
        costs.sort_by_key(|cost| std::cmp::Reverse(cost.weight_ns()));
    }
    if costs.is_empty() {
        costs.extend(text.clone().find_map(asked_root_delay::root_delay));
    }
    let steps = installer_steps::of_lines(text.clone());
    if steps.first().and_then(|cost| cost.cost_ns) > costs.iter().filter_map(|cost| cost.cost_ns).max() {
        costs.splice(0..0, steps);
    }
    let logcat = start_scripts::of_logcat(text.clone());
    if logcat.first().and_then(|cost| cost.cost_ns) > costs.iter().filter_map(|cost| cost.cost_ns).max() {
        costs.splice(0..0, logcat);
    }
    // Start scripts' steps are no person's words.
    let scripts = start_scripts::of_lines(text.clone());
    if costs.iter().all(|cost| cost.cost_ns.is_none()) {
        match scripts {
            Some(Scripts::Timed(silences)) if !silences.is_empty() => return report(silences),
            Some(Scripts::Untimed(part)) if placed.is_empty() => {
                return Some((part.from_line, Part::NotABoot(part)));
            }
            _ => {}
        }
    }
    if costs.is_empty() {
        // Nobody waits for a boot where the system has been running.
        let runs = placed.iter().any(|(_, part)| matches!(part, Part::NotABoot(_)));
        costs = untimed::of_lines(text.clone());
        if in_use(placed) {
            // What sentences say of waits there is of no start, and neither is what waits where a machine goes down.
            let down = goes_down(placed);
            costs.retain(|cost| !is_quoted(cost) && !down);
        }
        if placed.is_empty() && costs.iter().all(|cost| cost.cost_ns.is_none()) && !costs.is_empty() {
            let told = persons_words::of_lines(text.clone());
            // What is quoted of a line, its sentence says as a whole.
            let manual = persons_words::is_manual(text.clone());
            costs.retain(|cost| !is_quoted(cost) || told.is_none() && !manual);
            costs.extend(told.into_iter().flat_map(Told::costs));
        }
        if !runs && costs.iter().all(|cost| cost.cost_ns.is_none()) {
            costs.splice(0..0, longest_gap::of_lines(outside));
        }
    }
    let all = with_persons(text.clone(), within);
    if costs.is_empty() {
        costs = of_persons(all.into_iter(), placed.is_empty(), in_use(placed));
    } else if text.count() <= OF_A_QUESTION && !costs.iter().any(is_of_a_person) {
        // A title on a slow start beside what a line of the piece states.
        let told = persons_words::of_lines(all.into_iter()).filter(|told| !told.weak && (told.titled || told.why));
        costs.extend(told.into_iter().flat_map(Told::costs));
    }
    report(costs)
}

/// Lines of a page, with what persons write inside pieces of logs.
fn with_persons<'a>(text: impl Iterator<Item = &'a Line>, within: &'a [Line]) -> Vec<&'a Line> {
    let mut all: Vec<&Line> = text.chain(within).collect();
    all.sort_by_key(|line| line.number);
    all
}

/// Is it a quotation of a text's sentences, lists or commands? Who wrote them, a person or a program, nobody can see.
fn is_of_a_person(cost: &Cost) -> bool {
    matches!(cost.wording, Wording::Statement | Wording::Listing)
}

/// What persons write; where that says nothing, a line of theirs that states a time. `alone`: nothing else was read; `used`:
/// nothing but a system that has been running, of which only words on a start are told.
fn of_persons<'a>(text: impl Iterator<Item = &'a Line> + Clone, alone: bool, used: bool) -> Vec<Cost> {
    let mut stated = stated_lines::of_lines(text.clone());
    // Words of neither a time nor a start say nothing of one; a title may.
    let told = persons_words::of_lines(text)
        .filter(|told| (told.of_start && (!used || told.speaks)) || (alone && told.titled));
    if used && told.is_none() {
        return Vec::new();
    }
    let Some(told) = told.filter(|told| !told.weak && (alone || told.ns.is_some()) || stated.is_empty()) else {
        for cost in &mut stated {
            cost.title = format!("the text says {}", cost.title);
            cost.wording = Wording::Statement;
        }
        return stated;
    };
    // One sentence, found twice: its time is known.
    let same = stated.iter().find(|cost| told.ns.is_some() && cost.cost_ns == told.ns);
    let mut told = told;
    told.cost = same.map_or_else(
        || told.cost.clone(),
        |same| Cost {
            title: told.cost.title.clone(),
            wording: told.cost.wording,
            ..same.clone()
        },
    );
    told.costs().collect()
}

/// The longest time that a part of a document shows.
pub(super) fn shown_ns(part: &Part) -> i64 {
    let longest = |costs: &[Cost]| costs.iter().filter_map(|cost| cost.cost_ns).max();
    let account = |parts: &mut dyn Iterator<Item = u64>| parts.max().and_then(|ns| i64::try_from(ns).ok());
    let ns = match part {
        Part::Units(report) => {
            let startup = report.startup.as_ref();
            let mut stages = startup
                .iter()
                .flat_map(|startup| startup.parts.iter().map(|(_, ns)| *ns));
            longest(&report.costs).max(account(&mut stages))
        }
        Part::Boot(boot) => {
            let stretch = boot.longest.as_ref().map(|stretch| stretch.duration_ns);
            longest(&boot.costs).max(stretch)
        }
        _ => None,
    };
    ns.unwrap_or(0)
}

/// Longer texts are documents: their figures are of many machines.
const OF_A_QUESTION: usize = 80;
/// A wait that a person names without a time is told beside pieces that show no longer one.
const SHORT_NS: i64 = 1_000_000_000;

/// What the text around logs says of a time that is longer than all that they show, and, around pieces, of why.
fn beside_pieces<'a>(
    text: impl Iterator<Item = &'a Line> + Clone,
    within: &'a [Line],
    placed: &[(u32, Part)],
) -> Option<(u32, Part)> {
    let (mut account, mut whole) = (false, false);
    let of_a_boot = placed.iter().any(|(_, part)| matches!(part, Part::Boot(_)));
    let mut runs = false;
    let shown_ns = placed.iter().try_fold(0, |most: i64, (_, part)| match part {
        Part::Boot(boot) if boot.start == BootStart::MiddleOfLog || !boot.reached_kernel || ends_early(boot) => {
            let costs = boot.costs.iter().filter_map(|cost| cost.cost_ns.or(cost.gain_ns));
            let stretch = boot.longest.as_ref().map(|stretch| stretch.duration_ns);
            Some(costs.chain(stretch).fold(most, i64::max))
        }
        Part::NotABoot(part) if matches!(part.what.as_str(), "excerpt" | "program-log") => Some(most),
        // A mail on a machine that starts anew shows what it said before too.
        Part::NotABoot(part) if of_a_boot && matches!(part.what.as_str(), "running-system" | "tail") => {
            runs = true;
            Some(most)
        }
        Part::Units(report) => {
            account |= !is_silent(report);
            Some(most.max(shown_ns(part)))
        }
        Part::Boot(_) => {
            whole = true;
            Some(most.max(shown_ns(part)))
        }
        _ => None,
    })?;
    let document = text.clone().count() > OF_A_QUESTION;
    let longer = |ns: Option<i64>| ns.is_some_and(|ns| ns > shown_ns.max(SHORT_NS));
    // A whole log that shows longer times shows what they are of.
    let as_long = |ns: Option<i64>| ns.is_none_or(|ns| ns.saturating_mul(2) >= shown_ns);
    let mut costs = Vec::new();
    let plain = !account && !whole && !document && !runs;
    if plain {
        costs = stated_lines::of_lines(text.clone());
        costs.retain(|cost| longer(cost.cost_ns));
    }
    if costs.is_empty() && plain && shown_ns < SHORT_NS {
        costs = untimed::of_lines(text.clone());
        costs.retain(|cost| {
            matches!(
                cost.kind,
                CostKind::DeviceWait | CostKind::RootDeviceWait | CostKind::UnitFailure
            )
        });
    }
    if costs.is_empty() {
        // Beside systemd's account, a whole log and in a document only what says why.
        let all = with_persons(text, within);
        let told = persons_words::of_lines_near(all.into_iter(), shown_ns >= SHORT_NS).filter(|told| {
            if !told.of_start {
                return false;
            }
            let untold = longer(told.ns) || told.ns.is_none() && shown_ns < SHORT_NS;
            told.why && (!whole || as_long(told.ns)) || !account && !whole && (told.titled || !document && untold)
        });
        costs.extend(told.into_iter().flat_map(Told::costs).map(|cost| Cost {
            title: format!("{BESIDE}{}", cost.title),
            evidence: "these are the text's own words".to_owned(),
            ..cost
        }));
    }
    report(costs)
}

/// Does a short log end in the kernel? Its author says why he shows it.
fn ends_early(boot: &Boot) -> bool {
    const LINES: u32 = 60;
    boot.outcome == Outcome::EndsInKernel && boot.to_line.saturating_sub(boot.from_line) < LINES
}

/// Is all that was found a system that has been running, sleeps or goes down?
fn in_use(placed: &[(u32, Part)]) -> bool {
    let runs = |part: &Part| match part {
        Part::NotABoot(part) => matches!(part.what.as_str(), "running-system" | "suspend" | "shutdown"),
        _ => false,
    };
    !placed.is_empty() && placed.iter().all(|(_, part)| runs(part))
}

/// Does a machine go down in some part?
fn goes_down(placed: &[(u32, Part)]) -> bool {
    placed.iter().any(|(_, part)| match part {
        Part::NotABoot(part) => part.what == "shutdown",
        _ => false,
    })
}

/// Is it a quotation, of which no time is known?
fn is_quoted(cost: &Cost) -> bool {
    cost.cost_ns.is_none() && cost.wording == Wording::Statement
}

/// What a person writes of a time is not what a log states.
fn is_persons(line: &Line) -> bool {
    let text = line.text.trim_start_matches(['>', ' ', '\t']).trim_end();
    !line.has_kernel_prefix() && line.process.is_none() && is_sentence(text)
}

/// An item of a list on a page with headings.
fn is_bullet(line: &Line) -> bool {
    let text = line.text.trim_start();
    ["- ", "* ", "**", "#"].iter().any(|mark| text.starts_with(mark))
}

/// A title and a quotation of one line state the same time, to the millisecond: it passed once.
fn once(mut costs: Vec<Cost>) -> Vec<Cost> {
    let mut known: Vec<i64> = Vec::new();
    costs.retain(|cost| {
        let stated = cost
            .cost_ns
            .filter(|ns| cost.kind == CostKind::StatedTime && ns % NS_PER_S != 0);
        let again = stated.is_some_and(|ns| known.contains(&ns));
        known.extend(stated);
        !again
    });
    costs
}

fn report(costs: Vec<Cost>) -> Option<(u32, Part)> {
    let costs = once(costs);
    let first = costs.iter().flat_map(|cost| &cost.lines).min().copied()?;
    let last = costs.iter().flat_map(|cost| &cost.lines).max().copied()?;
    Some((
        first,
        Part::Units(UnitReport::of_lines(costs, (first, last), Clock::Host)),
    ))
}

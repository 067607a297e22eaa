// SPDX-License-Identifier: MIT
//! What costs most in a report about systemd's units, and for the boot that the report is about.

use super::boot::Boot;
use super::chain_costs;
use super::document::Part;
use super::unit_cost::{cost, signed, told, LISTED, SHORTEST_NS};
use super::units::{Startup, Unit, UnitReport};
use crate::costs::account_parts;
use crate::costs::cost::Cost;
use crate::costs::kind::CostKind;
use crate::costs::units::is_waiter;

/// No start takes a day.
const LONGEST_NS: i64 = 86_400_000_000_000;
/// Shorter times that a program states of itself are not told where nothing shows a boot.
const SHORTEST_STATED_NS: i64 = 1_000_000_000;
/// Two times of one output that differ by less than one in so many are alike.
const ALIKE: u64 = 50;
/// All of user space is told too, unless a unit or the chain accounts for one part in so many.
const PART: u64 = 2;

/// The units that take longest, those on the critical chain with what may be gained, the devices that systemd waited for,
/// gaps of the chain, and the parts of the start that lie before user space; without units the whole of user space.
pub(super) fn of(report: &UnitReport) -> Vec<Cost> {
    let one_boot = !contradicts(report);
    let mut out: Vec<Cost> = if one_boot {
        chain_costs::of_units(report)
    } else {
        Vec::new()
    };
    out.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
    out.truncate(LISTED);
    let target = report.chain.iter().find(|link| link.depth == 0).filter(|_| one_boot);
    let target = target.map(|link| link.unit.as_str());
    let reached_ns = report.startup.as_ref().and_then(|startup| startup.target_after_ns);
    // What took longer than it took to reach the goal was not waited for.
    let start_ns = user_space_ns(report).into_iter().chain(reached_ns).min();
    let shortest_ns = shortest_ns(report);
    let blamed = report.units.iter().filter(|unit| {
        let waited = one_boot
            && report
                .chain
                .iter()
                .any(|link| link.unit == unit.unit && link.took_ns.is_some());
        // What took longer than the whole start was begun by a timer, or by somebody, behind it.
        let of_start = |ns: u64| ns >= shortest_ns && start_ns.is_none_or(|whole| ns <= whole + whole / ALIKE);
        !waited && !is_waiter(&unit.unit) && unit.time_ns.is_some_and(of_start)
    });
    for unit in blamed.take(LISTED) {
        let ns = unit.time_ns.unwrap_or(0);
        let linked = report.chain.iter().any(|link| link.unit == unit.unit);
        let beside = target.filter(|_| !linked).map_or(String::new(), |target| {
            format!("; the critical chain of `{target}` was read without it, so it may run beside what is waited for")
        });
        let evidence = format!("{} until `{}` was up{beside}", told(ns), unit.unit);
        out.push(cost(&unit.unit, ns, None, unit.line, evidence));
    }
    if one_boot {
        out.extend(chain_costs::gaps(report));
    }
    let before = parts_before(report);
    if out.is_empty() || !one_boot || is_unexplained(report, &out) || is_longest(&before, &out) {
        out.extend(whole(report));
    }
    out.extend(before);
    out.extend(beyond(report));
    // A clock that was set while units started.
    out.retain(|cost| cost.cost_ns.is_none_or(|ns| ns <= LONGEST_NS));
    out.sort_by_key(|cost| std::cmp::Reverse(cost.weight_ns()));
    out
}

/// A shorter start is not told, unless somebody shows nothing but such.
fn shortest_ns(report: &UnitReport) -> u64 {
    const LEAST_NS: u64 = 1_000_000;
    let longer = report.units.iter().any(|unit| unit.time_ns >= Some(SHORTEST_NS));
    if longer || report.startup.is_some() || !report.chain.is_empty() {
        SHORTEST_NS
    } else {
        LEAST_NS
    }
}

/// What systemd says of single units, as `journalctl -u UNIT` shows it: no boot, but how long their starts took.
/// A log of so many lines that shows no start is of a system that runs: whatever it starts then, no boot waits for.
pub(super) fn of_lines(boot: &Boot) -> Option<UnitReport> {
    use CostKind as Kind;
    const WHOLE: u32 = 200;
    if boot.to_line.saturating_sub(boot.from_line) >= WHOLE {
        return None;
    }
    let of_unit = |cost: &&Cost| {
        let kind = matches!(
            cost.kind,
            Kind::UnitStart
                | Kind::UnitFailure
                | Kind::DeviceWait
                | Kind::UdevSettle
                | Kind::StatedTime
                | Kind::ProgramRun
        );
        // A program's log is full of short times that nobody waits for.
        let least = if cost.kind == Kind::StatedTime {
            SHORTEST_STATED_NS
        } else {
            0
        };
        kind && cost.cost_ns.is_some_and(|ns| ns >= least)
    };
    let costs: Vec<Cost> = boot.costs.iter().filter(of_unit).cloned().collect();
    (!costs.is_empty()).then(|| UnitReport::of_lines(costs, (boot.from_line, boot.to_line), boot.axis.clock))
}

/// How long user space took to start, by systemd's account or by its chain.
fn user_space_ns(report: &UnitReport) -> Option<u64> {
    let startup = report.startup.as_ref();
    let part = |startup: &Startup| {
        startup
            .parts
            .iter()
            .find(|(name, _)| name == "userspace")
            .map(|(_, ns)| *ns)
    };
    let chain = || {
        report
            .chain
            .first()
            .and_then(|link| Some(link.at_ns? + link.took_ns.unwrap_or(0)))
    };
    startup.and_then(part).or_else(chain)
}

/// The parts of the start before user space, as systemd counts them.
fn parts_before(report: &UnitReport) -> Vec<Cost> {
    let Some(startup) = &report.startup else {
        return Vec::new();
    };
    account_parts::parts(startup.line, |name| {
        let mut parts = startup.parts.iter();
        let (_, ns) = parts.find(|(part, ns)| part == name && *ns >= SHORTEST_NS)?;
        Some(signed(*ns))
    })
}

/// Units that took longer than the whole start: begun by a timer or by somebody, or left running behind the goal. The start did
/// not wait for all of it.
fn beyond(report: &UnitReport) -> Vec<Cost> {
    const LISTED: usize = 2;
    let Some(whole_ns) = report.startup.as_ref().and_then(|_| user_space_ns(report)) else {
        return Vec::new();
    };
    let longer = |unit: &&Unit| {
        unit.time_ns.is_some_and(|ns| {
            ns > whole_ns + whole_ns / ALIKE && !is_waiter(&unit.unit) && !unit.unit.ends_with(".device")
        })
    };
    let told = report.units.iter().filter(longer).take(LISTED).filter_map(|unit| {
        let ns = unit.time_ns?;
        let title = format!("the unit `{}` goes on when the start is over", unit.unit);
        let evidence = format!(
            "{} until it was up, which is longer than the {} of all user space: the start did not wait for all of it",
            told(ns),
            told(whole_ns)
        );
        let advice =
            "see what begins it (`systemctl list-timers`, `systemctl list-dependencies --reverse`): what runs \
                      beside the start takes its processor and its disk";
        Some(Cost {
            lines: unit.line.into_iter().collect(),
            ..Cost::without_time(CostKind::UnitStart, title, unit.line.unwrap_or(0), evidence, advice)
        })
    });
    told.collect()
}

/// Does the chain reach the goal at another time than the account says? Then they are of two boots, or made up.
fn contradicts(report: &UnitReport) -> bool {
    let account = report.startup.as_ref();
    let told = account.and_then(|account| Some((account.target.as_deref()?, account.target_after_ns?)));
    let Some(((goal, reached), first)) = told.zip(report.chain.first()) else {
        return false;
    };
    first.unit == goal && first.at_ns.is_some_and(|at| at.abs_diff(reached) > 1_000_000_000)
}

/// Does neither a unit nor the chain account for a large part of user space?
fn is_unexplained(report: &UnitReport, told: &[Cost]) -> bool {
    let account = report.startup.as_ref();
    let user = account.and_then(|account| account.parts.iter().find(|(name, _)| name == "userspace"));
    let Some((_, user_ns)) = user else { return false };
    let reached = account.and_then(|account| account.target_after_ns);
    let user_ns = &reached.filter(|reached| *reached < *user_ns / PART).unwrap_or(*user_ns);
    let longest = told.iter().filter_map(|cost| cost.cost_ns).max();
    let longest = longest.and_then(|ns| u64::try_from(ns).ok()).unwrap_or(0);
    let links = report.chain.iter().filter_map(|link| link.took_ns);
    let chain = links.fold(0_u64, u64::saturating_add);
    longest.max(chain).saturating_mul(PART) < *user_ns
}

/// Is a part before user space the longest of all? It is compared with all of user space then, and not with its units.
fn is_longest(before: &[Cost], told: &[Cost]) -> bool {
    let longest = |costs: &[Cost]| costs.iter().filter_map(|cost| cost.cost_ns).max().unwrap_or(0);
    longest(before) > longest(told)
}

fn whole(report: &UnitReport) -> Option<Cost> {
    let startup = report.startup.as_ref()?;
    let (_, all) = startup.parts.iter().find(|(name, _)| name == "userspace")?;
    // What goes on behind the goal is nobody's wait.
    let goal = startup.target.as_deref().zip(startup.target_after_ns);
    let goal = goal.filter(|(_, reached)| *reached < *all / PART);
    let ns = &goal.map_or(*all, |(_, reached)| reached);
    let last = report.units.iter().find(|unit| is_waiter(&unit.unit));
    let waits = last.and_then(|unit| {
        let took = unit.time_ns.filter(|took| *took >= SHORTEST_NS && took <= ns)?;
        Some(format!(" (`{}` waits {} for the others)", unit.unit, told(took)))
    });
    let title = match goal {
        Some((goal, _)) => format!("systemd starts user space up to `{goal}`"),
        None => format!("systemd starts user space{}", waits.unwrap_or_default()),
    };
    let evidence = match goal {
        Some((goal, _)) => format!(
            "`{goal}` is reached after {} of user space, by systemd's own account; {} until it had started everything",
            told(*ns),
            told(*all)
        ),
        None => format!("{} of user space by systemd's own account", told(*ns)),
    };
    let advice = "add the text of `systemd-analyze critical-chain` and `systemd-analyze blame`: they name the units";
    let lines = startup.line.into_iter().collect();
    (*ns >= SHORTEST_NS).then(|| {
        Cost::printed(
            CostKind::UserSpaceStart,
            title,
            Some(signed(*ns)),
            lines,
            evidence,
            advice,
        )
    })
}

/// Tells the boot behind whose start a report about units was printed what the report says. A report about another boot
/// may stand anywhere; one in the middle of a boot's lines, or behind the only boot, is about that boot.
pub(super) fn tell_boots(placed: &mut [(u32, Part)]) {
    let boots = placed.iter().filter(|(_, part)| matches!(part, Part::Boot(_))).count();
    let reports: Vec<(u32, UnitReport)> = placed
        .iter()
        .filter_map(|(line, part)| match part {
            Part::Units(report) => Some((*line, report.clone())),
            _ => None,
        })
        .collect();
    for (line, report) in reports {
        let boot = placed.iter_mut().find_map(|(_, part)| match part {
            Part::Boot(boot) => {
                let behind = boot.from_line < line && (boots == 1 || line <= boot.to_line);
                Some(boot).filter(|_| behind)
            }
            _ => None,
        });
        if let Some(boot) = boot {
            join(boot, &report);
        }
    }
}

/// Tells a boot the units of a report that was printed on its console: exact times and names in place of what its lines
/// let compute.
fn join(boot: &mut Boot, report: &UnitReport) {
    let of_units = |kind| matches!(kind, CostKind::UnitStart | CostKind::UserSpaceStart);
    let units: Vec<Cost> = report
        .costs
        .iter()
        .filter(|cost| cost.kind == CostKind::UnitStart)
        .cloned()
        .collect();
    let other_boot = || {
        let part = |name: &str| {
            let startup = report.startup.as_ref()?;
            startup
                .parts
                .iter()
                .find(|(part, _)| part == name)
                .map(|(_, ns)| signed(*ns))
        };
        let account = boot.startup.as_ref();
        ["kernel", "userspace"].into_iter().any(|name| {
            let both = account.and_then(|account| account.part(name)).zip(part(name));
            both.is_some_and(|(a, b)| a.abs_diff(b) > 10_000_000)
        })
    };
    if units.is_empty() || other_boot() {
        return;
    }
    boot.costs.retain(|cost| !of_units(cost.kind));
    boot.costs.extend(units);
    boot.costs.sort_by_key(|cost| std::cmp::Reverse(cost.weight_ns()));
}

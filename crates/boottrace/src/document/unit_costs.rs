//! What costs most in a report about systemd's units, and for the boot that the report is about.

use super::boot::Boot;
use super::document::Part;
use super::units::{ChainRow, UnitReport};
use crate::costs::cost::{spell, Basis, Cost};
use crate::costs::kind::CostKind;
use crate::costs::units::{is_waiter, ADVICE};

/// Units told.
const LISTED: usize = 5;
/// Shorter starts are not worth a line.
const SHORTEST_NS: u64 = 100_000_000;

/// The units that take longest, those on the critical chain with what may be gained; without units the whole of user
/// space.
pub(super) fn of(report: &UnitReport) -> Vec<Cost> {
    let mut out: Vec<Cost> = report.chain.iter().filter_map(|link| on_chain(report, link)).collect();
    out.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
    out.truncate(LISTED);
    let target = report.chain.first().map(|link| link.unit.as_str());
    let blamed = report.units.iter().filter(|unit| {
        let waited = report.chain.iter().any(|link| link.unit == unit.unit);
        !waited && !is_waiter(&unit.unit) && unit.time_ns.is_some_and(|ns| ns >= SHORTEST_NS)
    });
    for unit in blamed.take(LISTED) {
        let ns = unit.time_ns.unwrap_or(0);
        let beside = target.map_or(String::new(), |target| {
            format!("; the critical chain of `{target}` does not show it, so it may run beside what is waited for")
        });
        let evidence = format!("{} until `{}` was up{beside}", told(ns), unit.unit);
        out.push(cost(&unit.unit, ns, None, unit.line, evidence));
    }
    if out.is_empty() {
        out.extend(whole(report));
    }
    out.sort_by_key(|cost| std::cmp::Reverse(cost.weight_ns()));
    out
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

fn told(ns: u64) -> String {
    spell(signed(ns))
}

fn on_chain(report: &UnitReport, link: &ChainRow) -> Option<Cost> {
    let ns = link.took_ns.filter(|ns| *ns >= SHORTEST_NS && !is_waiter(&link.unit))?;
    let target = &report.chain.first()?.unit;
    let evidence = format!("{} on the critical chain of `{target}`, which waits for it", told(ns));
    Some(cost(&link.unit, ns, Some(ns), link.line, evidence))
}

fn cost(unit: &str, ns: u64, gain: Option<u64>, line: Option<u32>, evidence: String) -> Cost {
    Cost {
        kind: CostKind::UnitStart,
        title: format!("systemd starts the unit `{unit}`"),
        cost_ns: Some(signed(ns)),
        gain_ns: gain.map(signed),
        basis: Basis::Printed,
        at_most: gain.is_some(),
        lines: line.into_iter().collect(),
        evidence,
        advice: ADVICE.to_owned(),
    }
}

fn whole(report: &UnitReport) -> Option<Cost> {
    let startup = report.startup.as_ref()?;
    let (_, ns) = startup.parts.iter().find(|(name, _)| name == "userspace")?;
    (*ns >= SHORTEST_NS).then(|| Cost {
        kind: CostKind::UserSpaceStart,
        title: "systemd starts user space".to_owned(),
        cost_ns: Some(signed(*ns)),
        gain_ns: None,
        basis: Basis::Printed,
        at_most: false,
        lines: startup.line.into_iter().collect(),
        evidence: format!("{} of user space by systemd's own account", told(*ns)),
        advice: "add the text of `systemd-analyze critical-chain` and `systemd-analyze blame`: they name the units"
            .to_owned(),
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

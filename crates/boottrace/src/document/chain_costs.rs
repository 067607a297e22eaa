// SPDX-License-Identifier: MIT
//! What the critical chain tells of costs: its units, and the times that none of them explains.

use super::unit_cost::{cost, signed, told, LISTED, SHORTEST_NS};
use super::units::{ChainRow, UnitReport};
use crate::costs::cost::{Basis, Cost};
use crate::costs::kind::CostKind;
use crate::costs::units::is_waiter;

/// A chain that begins later than this has no beginning.
const LATE_NS: u64 = 5_000_000_000;
/// A shorter time between two links of a chain is everybody's.
const SHORTEST_GAP_NS: u64 = 500_000_000;

/// The units of the chain that took time.
pub(super) fn of_units(report: &UnitReport) -> Vec<Cost> {
    let mut above = Above::default();
    let links = report.chain.iter().filter_map(|link| {
        above.go_on(link);
        on_chain(&above, link)
    });
    links.collect()
}

/// Times of the critical chain that none of its units explains: a unit began long after the one before it was up. A unit
/// that came later than the one that follows it was not waited for there, and shows nothing.
pub(super) fn gaps(report: &UnitReport) -> Vec<Cost> {
    let mut found: Vec<Cost> = Vec::new();
    let mut later: Option<&ChainRow> = None;
    let mut latest: Option<u64> = None;
    for row in &report.chain {
        // Each chain begins with its goal.
        latest = latest.filter(|_| row.depth != 0);
        if latest.zip(row.at_ns).is_some_and(|(latest, this)| this > latest) {
            continue;
        }
        latest = row.at_ns.or(latest);
        found.extend(later.and_then(|later| gap_of_chain(report, later, row)));
        later = Some(row);
    }
    found.extend(later.and_then(|first| before_the_first(report, first)));
    found.sort_by_key(|cost| std::cmp::Reverse(cost.cost_ns));
    found.truncate(LISTED);
    found
}

/// The chain's first unit to start may have begun late: what came before it is not shown.
fn before_the_first(report: &UnitReport, first: &ChainRow) -> Option<Cost> {
    let at = first.at_ns.filter(|at| *at >= LATE_NS && !is_filled(report, *at))?;
    let title = format!("nothing that was read explains the time before `{}`", first.unit);
    let evidence = format!("no unit before it was read in the chain, and it begins at {}", told(at));
    let advice =
        "show the whole chain, or the whole blame: `systemd-analyze critical-chain`, `systemd-analyze blame`; and see \
                  `journalctl -b` before that time";
    Some(Cost {
        cost_ns: Some(signed(at)),
        basis: Basis::Printed,
        ..Cost::without_time(CostKind::ChainGap, title, first.line?, evidence, advice)
    })
}

/// Does a unit that the chain leaves out take as long? Then it is no riddle.
fn is_filled(report: &UnitReport, ns: u64) -> bool {
    let fills = |took: u64| took >= ns / 10 * 8 && took <= ns + ns / 20;
    report.units.iter().any(|unit| unit.time_ns.is_some_and(fills))
}

fn gap_of_chain(report: &UnitReport, later: &ChainRow, earlier: &ChainRow) -> Option<Cost> {
    let up_ns = earlier.at_ns? + earlier.took_ns.unwrap_or(0);
    let ns = later.at_ns?.checked_sub(up_ns).filter(|ns| *ns >= SHORTEST_GAP_NS)?;
    if is_filled(report, ns) {
        return None;
    }
    (later.depth > earlier.depth || earlier.depth > later.depth).then(|| Cost {
        title: format!("nothing that was read explains the time before `{}`", later.unit),
        cost_ns: Some(signed(ns)),
        lines: later.line.into_iter().chain(earlier.line).collect(),
        evidence: format!(
            "`{}` was up at {}, `{}` comes at {}",
            earlier.unit,
            told(up_ns),
            later.unit,
            told(later.at_ns.unwrap_or(0))
        ),
        advice: format!(
            "something else was waited for that failed or that the chain leaves out: a device, a swap or a mount \
             that timed out (90 s unless set), a job without a unit of its own; see `journalctl -b` between these \
             times, and `systemctl list-dependencies {}`",
            later.unit
        ),
        ..Cost::of(CostKind::ChainGap)
    })
}

/// What stands above a link of the chain.
#[derive(Default)]
struct Above<'a> {
    goal: Option<&'a ChainRow>,
    /// The unit that was started first of those above, and when.
    first: Option<(&'a ChainRow, u64)>,
    last: Option<&'a ChainRow>,
}

impl<'a> Above<'a> {
    fn go_on(&mut self, link: &'a ChainRow) {
        // A page shows several chains, one behind the other: each begins with its goal.
        if link.depth == 0 {
            *self = Self {
                goal: Some(link),
                ..Self::default()
            };
        } else if let Some((above, at)) = self.last.and_then(|above| Some((above, above.at_ns?))) {
            if self.first.is_none_or(|(_, first)| at < first) {
                self.first = Some((above, at));
            }
        }
        self.last = Some(link);
    }

    /// The unit above that was started before this one was up, and did not wait for it.
    fn overtaken_by(&self, link: &ChainRow, ns: u64) -> Option<&'a ChainRow> {
        let up = link.at_ns?.saturating_add(ns);
        let (above, at) = self.first.filter(|_| link.depth > 0)?;
        (up > at.saturating_add(SHORTEST_NS)).then_some(above)
    }
}

fn on_chain(above: &Above<'_>, link: &ChainRow) -> Option<Cost> {
    let ns = link.took_ns.filter(|ns| *ns >= SHORTEST_NS && !is_waiter(&link.unit))?;
    let (gain, evidence) = match (above.overtaken_by(link, ns), above.goal) {
        (Some(other), _) => (
            None,
            format!(
                "{} until it was up, which was after `{}` had begun: that did not wait for it",
                told(ns),
                other.unit
            ),
        ),
        (None, Some(goal)) if link.depth == 0 && goal.unit == link.unit => (
            Some(ns),
            format!("{} until it was up; it is what the chain is asked for", told(ns)),
        ),
        (None, Some(goal)) => (
            Some(ns),
            format!(
                "{} on the critical chain of `{}`, which waits for it",
                told(ns),
                goal.unit
            ),
        ),
        (None, None) => (
            Some(ns),
            format!("{} on a critical chain whose goal was not found", told(ns)),
        ),
    };
    Some(cost(&link.unit, ns, gain, link.line, evidence))
}

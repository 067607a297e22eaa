// SPDX-License-Identifier: MIT
//! What is said first of a report about systemd's units.

use boottrace::document::units::{Startup, UnitReport};

use crate::boot_words::{largest_cost, unknown_wait, OWN};
use crate::cost_words::{largest, size_ns};
use crate::figures::seconds;

/// All of a start, ns.
pub fn whole_ns(startup: &Startup) -> i64 {
    let sum = || startup.parts.iter().fold(0_u64, |sum, (_, ns)| sum.saturating_add(*ns));
    i64::try_from(startup.total_ns.unwrap_or_else(sum)).unwrap_or(i64::MAX)
}

/// The sentences that a person reads first; none where the report holds no time.
pub fn units_headline(report: &UnitReport) -> Vec<String> {
    let mut told = Vec::new();
    if let Some(startup) = report.startup.as_ref().filter(|startup| !startup.parts.is_empty()) {
        let parts: Vec<String> = startup
            .parts
            .iter()
            .map(|(name, ns)| format!("{} {name}", seconds(i64::try_from(*ns).unwrap_or(i64::MAX))))
            .collect();
        let whole = seconds(whole_ns(startup));
        told.push(format!(
            "{whole} until systemd had started everything, {OWN}: {}.",
            parts.join(" + ")
        ));
    }
    let timed = report
        .costs
        .iter()
        .filter(|cost| cost.cost_ns.is_some_and(|ns| ns != 0));
    told.extend(largest(timed, size_ns).map(largest_cost));
    // Lines that name a wait, and no time.
    let waits = || report.costs.iter().find(|cost| !cost.lines.is_empty());
    if told.is_empty() {
        told.extend(waits().map(unknown_wait));
    }
    told
}

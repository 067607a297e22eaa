// SPDX-License-Identifier: MIT
//! One unit's start as a cost, and how its times are told.

use crate::costs::cost::{spell, Basis, Cost};
use crate::costs::kind::CostKind;
use crate::costs::start_jobs::UNIT_ADVICE;

/// Units told.
pub(super) const LISTED: usize = 5;
/// Shorter starts are not worth a line.
pub(super) const SHORTEST_NS: u64 = 100_000_000;

pub(super) fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

pub(super) fn told(ns: u64) -> String {
    spell(signed(ns))
}

pub(super) fn cost(unit: &str, ns: u64, gain: Option<u64>, line: Option<u32>, evidence: String) -> Cost {
    if let Some(device) = unit.strip_suffix(".device") {
        let advice =
            "nothing starts a device: the time runs until udev announces it. See why it comes late: its driver \
                      and its bus (dmesg), udev's rules, a module that is loaded late";
        let title = format!("the device `{device}` appears late");
        let lines = line.into_iter().collect();
        return Cost::printed(CostKind::DeviceWait, title, Some(signed(ns)), lines, evidence, advice);
    }
    Cost {
        title: format!("systemd starts the unit `{unit}`"),
        cost_ns: Some(signed(ns)),
        gain_ns: gain.map(signed),
        basis: Basis::Printed,
        at_most: gain.is_some(),
        lines: line.into_iter().collect(),
        evidence,
        advice: UNIT_ADVICE.to_owned(),
        ..Cost::of(CostKind::UnitStart)
    }
}

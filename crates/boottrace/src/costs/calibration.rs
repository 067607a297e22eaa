// SPDX-License-Identifier: MIT
//! Delay-loop calibration: what a preset would save, or why it would not.

use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use crate::facts::kernel::calibration::CalibrationForm;

/// A preset of `lpj=` saved this much on a BeagleBone Black with Linux 6.1 (Bootlin's boot time slides).
const PUBLISHED_NS: i64 = 83_000_000;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    for found in &context.kernel.calibrations {
        let (gain_ns, basis, advice) = match found.form {
            CalibrationForm::Measured | CalibrationForm::TimerRoutine if !found.finished => continue,
            CalibrationForm::Measured => {
                let value = found
                    .lpj
                    .map_or("the value that a newer kernel prints".to_owned(), |lpj| lpj.to_string());
                let advice = format!("boot with lpj={value}; validate it on each board, a wrong value breaks delays");
                match found.cost_ns {
                    Some(ns) => (ns, Basis::Computed, advice),
                    None => (PUBLISHED_NS, Basis::Published, advice),
                }
            }
            CalibrationForm::TimerRoutine => (
                found.cost_ns.unwrap_or(0),
                Basis::Computed,
                found.lpj.map_or_else(
                    || "the timer routine is quick; a preset saves little".to_owned(),
                    |lpj| format!("lpj={lpj} would skip it; the timer routine is quick, so little is to be gained"),
                ),
            ),
            CalibrationForm::Preset => (0, Basis::Printed, "already preset: nothing to gain".to_owned()),
            CalibrationForm::TimerFrequency => (
                0,
                Basis::Printed,
                "lpj= would not help: the value comes from the timer's frequency".to_owned(),
            ),
            CalibrationForm::Cached => (
                0,
                Basis::Printed,
                "nothing to gain: a known value was used again".to_owned(),
            ),
        };
        let cost = found.cost_ns.map_or(unmeasured(found.form).to_owned(), |ns| {
            format!("{} passed until the next line", spell(ns))
        });
        out.push(Cost {
            title: "delay-loop calibration".to_owned(),
            cost_ns: found.cost_ns,
            gain_ns: Some(gain_ns),
            basis,
            lines: vec![found.line],
            evidence: cost,
            advice,
            ..Cost::of(CostKind::DelayCalibration)
        });
        // The first line stands for all CPUs; old kernels print one each.
        if out.len() > 16 {
            return;
        }
    }
}

fn unmeasured(form: CalibrationForm) -> &'static str {
    match form {
        CalibrationForm::Measured | CalibrationForm::TimerRoutine => "no stamps tell its length",
        _ => "the kernel skipped it",
    }
}

// SPDX-License-Identifier: MIT
//! The delay-loop calibration line (init/calibrate.c) and what it cost.

use serde::{Deserialize, Serialize};

/// How the value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CalibrationForm {
    /// `Calibrating delay loop... `: measured, which takes time.
    Measured,
    /// `(skipped) preset value..`: given on the command line or by the platform.
    Preset,
    /// `(skipped), value calculated using timer frequency..`.
    TimerFrequency,
    /// `Calibrating delay using timer specific routine..`: measured against a timer.
    TimerRoutine,
    /// `(skipped), using cached value` or `already calibrated this CPU`.
    Cached,
}

/// One calibration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Calibration {
    /// Physical line.
    pub line: u32,
    /// How.
    pub form: CalibrationForm,
    /// Value for `lpj=`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lpj: Option<u64>,
    /// The printed speed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bogomips: Option<f64>,
    /// Gap to the next line (the text is stamped when the calibration begins); only where something was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ns: Option<i64>,
    /// False when the result never came.
    pub finished: bool,
}

/// Recognises the line. DRAM training and local timers are not meant.
pub fn read(text: &str) -> Option<Calibration> {
    let text = text.trim_start();
    let rest = text.strip_prefix("Calibrating delay ")?;
    let form = if rest.starts_with("using timer specific routine") {
        CalibrationForm::TimerRoutine
    } else if !rest.starts_with("loop") {
        return None;
    } else if rest.contains("preset value") {
        CalibrationForm::Preset
    } else if rest.contains("timer frequency") {
        CalibrationForm::TimerFrequency
    } else if rest.contains("cached") || rest.contains("already calibrated") {
        CalibrationForm::Cached
    } else {
        CalibrationForm::Measured
    };
    let mut found = Calibration {
        line: 0,
        form,
        lpj: None,
        bogomips: None,
        cost_ns: None,
        finished: false,
    };
    found.result(rest);
    Some(found)
}

impl Calibration {
    /// Reads `996.14 BogoMIPS (lpj=4980736)`, on the same line or on the next.
    pub fn result(&mut self, text: &str) {
        let Some((before, after)) = text.split_once(" BogoMIPS") else {
            return;
        };
        self.finished = true;
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        self.bogomips = before[number..].trim_start_matches('.').parse().ok();
        self.lpj = after.split_once("lpj=").and_then(|(_, value)| {
            let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
            value[..end].parse().ok()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms() {
        let full = read("Calibrating delay loop... 996.14 BogoMIPS (lpj=4980736)").unwrap();
        assert_eq!(
            (full.form, full.lpj, full.bogomips),
            (CalibrationForm::Measured, Some(4_980_736), Some(996.14))
        );
        let skipped = read(
            "Calibrating delay loop (skipped), value calculated using timer frequency.. 38.40 BogoMIPS (lpj=19200)",
        );
        assert_eq!(skipped.unwrap().form, CalibrationForm::TimerFrequency);
        let preset = read("Calibrating delay loop (skipped) preset value.. 7186.49 BogoMIPS (lpj=3593246)").unwrap();
        assert_eq!((preset.form, preset.bogomips), (CalibrationForm::Preset, Some(7186.49)));
        let old = read("Calibrating delay loop... 83.76 BogoMIPS").unwrap();
        assert_eq!((old.lpj, old.finished, old.bogomips), (None, true, Some(83.76)));
        assert!(!read("Calibrating delay loop... ").unwrap().finished);
        assert_eq!(read("Calibrating local timer... 491.16MHz."), None);
        assert_eq!(read("[Calibration Summary] Freqency 0"), None);
    }
}

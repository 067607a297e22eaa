// SPDX-License-Identifier: MIT
//! From which difference on something is called slower or faster.

use serde::{Deserialize, Serialize};

use super::budget::time_ns;
use crate::error::Error;

/// A difference must exceed both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Threshold {
    /// Absolute, nanoseconds.
    pub ns: i64,
    /// Share of the base's median.
    pub percent: f64,
}

impl Threshold {
    /// True when a difference from `base_ns` is beyond it.
    pub fn exceeded(&self, base_ns: i64, difference_ns: i64) -> bool {
        let size = difference_ns.unsigned_abs();
        size > self.ns.unsigned_abs() && size as f64 * 100.0 > base_ns.unsigned_abs() as f64 * self.percent
    }
}

/// Kinds that may have a threshold of their own, with the first words of their quantities.
pub const KINDS: [(&str, &[&str]); 6] = [
    (
        "stage",
        &["kernel", "stage", "mark", "accumulated", "startup", "target"],
    ),
    ("initcall", &["initcall"]),
    ("probe", &["probe"]),
    ("unit", &["unit"]),
    ("function", &["self", "total"]),
    ("process", &["process"]),
];

/// The threshold of each kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thresholds {
    /// For kinds without their own.
    pub general: Threshold,
    /// Kind and threshold.
    pub kinds: Vec<(String, Threshold)>,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self::new(1_000_000, 5.0)
    }
}

impl Thresholds {
    /// One for all kinds but functions, which are shorter: a tenth of it for those.
    pub fn new(ns: i64, percent: f64) -> Self {
        Self {
            general: Threshold { ns, percent },
            kinds: vec![("function".to_owned(), Threshold { ns: ns / 10, percent })],
        }
    }

    /// Takes `initcall=2ms`, `initcall=2ms,10%` or `function=10%`.
    ///
    /// # Errors
    /// [`Error::Threshold`] with what is wrong.
    pub fn set(&mut self, given: &str) -> Result<(), Error> {
        let failed = |why: &str| Error::Threshold {
            given: given.to_owned(),
            why: why.to_owned(),
        };
        let (kind, values) = given.split_once('=').ok_or_else(|| failed("there is no `=`"))?;
        let kind = kind.trim();
        if !KINDS.iter().any(|(name, _)| *name == kind) {
            let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            return Err(failed(&format!("the kind is none of {}", names.join(", "))));
        }
        let mut found = self.of_kind(kind);
        for value in values.split(',').map(str::trim) {
            if let Some(percent) = value.strip_suffix('%') {
                let percent: f64 = percent
                    .trim()
                    .parse()
                    .map_err(|_| failed("there is no number before %"))?;
                if !(0.0..=1e6).contains(&percent) {
                    return Err(failed("the percentage is not between 0 and 1000000"));
                }
                found.percent = percent;
            } else {
                found.ns = time_ns(value).map_err(failed)?;
            }
        }
        self.kinds.retain(|(name, _)| name != kind);
        self.kinds.push((kind.to_owned(), found));
        Ok(())
    }

    fn of_kind(&self, kind: &str) -> Threshold {
        let own = self.kinds.iter().find(|(name, _)| name == kind);
        own.map_or(self.general, |(_, threshold)| *threshold)
    }

    /// The threshold of a quantity, by its first word.
    pub fn of(&self, quantity: &str) -> Threshold {
        let word = quantity.split(':').next().unwrap_or(quantity);
        let kind = KINDS.iter().find(|(_, words)| words.contains(&word));
        kind.map_or(self.general, |(name, _)| self.of_kind(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_own() {
        let mut all = Thresholds::default();
        assert_eq!(all.of("self:memcpy").ns, 100_000);
        all.set("function=50us,10%").unwrap();
        all.set("initcall=20%").unwrap();
        assert_eq!(
            all.of("total:memcpy"),
            Threshold {
                ns: 50_000,
                percent: 10.0
            }
        );
        assert_eq!(
            all.of("initcall:foo"),
            Threshold {
                ns: 1_000_000,
                percent: 20.0
            }
        );
        assert_eq!(all.of("kernel"), all.general);
        for bad in ["initcall", "nonsense=1ms", "unit=1", "unit=x%", "unit=-1%"] {
            assert!(all.set(bad).is_err(), "{bad}");
        }
        let one = Threshold { ns: 10, percent: 5.0 };
        assert!(one.exceeded(100, 11) && !one.exceeded(1000, 50) && one.exceeded(1000, -51) && !one.exceeded(0, 10));
    }
}

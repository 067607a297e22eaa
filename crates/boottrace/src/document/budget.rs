// SPDX-License-Identifier: MIT
//! Limits for CI: `kernel=500ms`.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A limit on one measured quantity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Budget {
    /// Quantity, as [`crate::document::comparison::Comparison`] names it.
    pub quantity: String,
    /// Limit.
    pub limit_ns: i64,
}

impl Budget {
    /// Reads `name=500ms` (`us`, `ms`, `s`; a decimal point is allowed).
    ///
    /// # Errors
    /// [`Error::Budget`] with what is wrong.
    pub fn parse(given: &str) -> Result<Self, Error> {
        let failed = |why: &str| Error::Budget {
            given: given.to_owned(),
            why: why.to_owned(),
        };
        let (quantity, limit) = given.rsplit_once('=').ok_or_else(|| failed("there is no `=`"))?;
        if quantity.trim().is_empty() {
            return Err(failed("there is no name before `=`"));
        }
        let limit_ns = time_ns(limit).map_err(failed)?;
        Ok(Self {
            quantity: quantity.trim().to_owned(),
            limit_ns,
        })
    }
}

/// Reads `500ms` (`us`, `ms`, `s`; a decimal point is allowed).
pub(super) fn time_ns(text: &str) -> Result<i64, &'static str> {
    let unit_at = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .ok_or("there is no unit (us, ms, s)")?;
    let scale = match text[unit_at..].trim() {
        "us" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err("the unit is not us, ms or s"),
    };
    let value: f64 = text[..unit_at].parse().map_err(|_| "there is no number")?;
    let ns = value * scale;
    if !ns.is_finite() || ns > 1e18 {
        return Err("the time is too large");
    }
    Ok(ns as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_limits() {
        let budget = Budget::parse("kernel=500ms").unwrap();
        assert_eq!((budget.quantity.as_str(), budget.limit_ns), ("kernel", 500_000_000));
        assert_eq!(Budget::parse("initcall:a=1.5s").unwrap().limit_ns, 1_500_000_000);
        for bad in ["kernel", "kernel=5", "kernel=ms", "=5ms", "kernel=5h"] {
            assert!(Budget::parse(bad).is_err(), "{bad}");
        }
    }
}

// SPDX-License-Identifier: MIT
//! Several runs against several others: what is new, gone, faster, slower.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::Budget;
use super::document::Document;
use super::quantity::runs;
use super::threshold::{Threshold, Thresholds};

/// Values of one quantity over the runs of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sample {
    /// Runs that have it.
    pub count: usize,
    /// Middle value; the mean of the two middle ones for an even count.
    pub median_ns: i64,
    /// Smallest.
    pub min_ns: i64,
    /// Largest.
    pub max_ns: i64,
}

impl Sample {
    /// `None` without values.
    pub fn of(mut values: Vec<i64>) -> Option<Self> {
        values.sort_unstable();
        let (min_ns, max_ns) = (*values.first()?, *values.last()?);
        let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        // Halved first: the sum of two extreme stamps does not fit.
        let median_ns = low / 2 + high / 2 + (low % 2 + high % 2) / 2;
        Some(Self {
            count: values.len(),
            median_ns,
            min_ns,
            max_ns,
        })
    }
}

/// What happened to a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Longer, beyond the threshold, and every new value lies above every old one.
    Slower,
    /// Shorter, in the same sense.
    Faster,
    /// Within the threshold.
    Same,
    /// Beyond the threshold, but the values of both sides overlap.
    Unclear,
    /// Only in the new runs.
    New,
    /// Only in the base.
    Gone,
}

/// One quantity on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Row {
    /// `kernel`, `stage:...`, `initcall:name [module] #2`, `probe:device`, `unit:name`, `self:function` ...
    pub quantity: String,
    /// Base side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Sample>,
    /// New side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Sample>,
    /// Median of how often a function was called in the base.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub base_calls: Option<i64>,
    /// The same on the new side.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub new_calls: Option<i64>,
    /// New median minus base median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_ns: Option<i64>,
    /// Verdict.
    pub change: Change,
}

/// A budget and whether it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BudgetResult {
    /// The budget, with the quantity's full name where it was found.
    pub budget: Budget,
    /// The new side's median; absent when no run has the quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ns: Option<i64>,
    /// A budget on something that was not measured is not kept.
    pub kept: bool,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Boots, traces and reports of the base.
    pub base_runs: usize,
    /// Those compared with it.
    pub new_runs: usize,
    /// Differences up to these are no change.
    pub thresholds: Thresholds,
    /// All quantities, the largest difference first.
    pub rows: Vec<Row>,
    /// Budgets, judged on the new side.
    pub budgets: Vec<BudgetResult>,
}

/// Values and call counts of one quantity on both sides.
#[derive(Default)]
struct Found {
    times: [Vec<i64>; 2],
    calls: [Vec<i64>; 2],
}

/// Compares two groups of documents: their boots, traces and reports, each with its like. A change must exceed the
/// threshold of its kind.
pub fn compare(base: &[&Document], new: &[&Document], thresholds: &Thresholds, budgets: &[Budget]) -> Comparison {
    let sides = [base, new].map(|side| side.iter().flat_map(|document| runs(document)).collect::<Vec<_>>());
    let mut values: BTreeMap<&str, Found> = BTreeMap::new();
    for (side, runs) in sides.iter().enumerate() {
        for run in runs {
            for (quantity, ns) in &run.times {
                let found = values.entry(quantity).or_default();
                found.times[side].push(*ns);
                let count = run
                    .calls
                    .get(quantity)
                    .map(|count| i64::try_from(*count).unwrap_or(i64::MAX));
                found.calls[side].extend(count);
            }
        }
    }
    let listed = |side: usize, quantity: &str| {
        let word = quantity.split(':').next().unwrap_or(quantity);
        !sides[side].iter().any(|run| run.cut_kinds.contains(&word))
    };
    let mut rows: Vec<Row> = values
        .into_iter()
        .filter(|(quantity, found)| {
            // Neither new nor gone: it may only have fallen out of a list that was cut.
            (0..2).all(|side| !found.times[side].is_empty() || sides[side].is_empty() || listed(side, quantity))
        })
        .map(|(quantity, found)| row(quantity, found, thresholds.of(quantity)))
        .collect();
    let budgets = budgets.iter().map(|budget| judge(budget, &rows)).collect();
    rows.sort_by_key(|row| {
        let only = || {
            row.base
                .as_ref()
                .or(row.new.as_ref())
                .map_or(0, |s| s.median_ns.unsigned_abs())
        };
        let size = row.difference_ns.map_or_else(only, i64::unsigned_abs);
        (std::cmp::Reverse(size), row.quantity.clone())
    });
    Comparison {
        base_runs: sides[0].len(),
        new_runs: sides[1].len(),
        thresholds: thresholds.clone(),
        rows,
        budgets,
    }
}

/// Kinds that a name without one is looked for in, in this order.
const KINDS: [&str; 11] = [
    "stage",
    "startup",
    "target",
    "mark",
    "accumulated",
    "initcall",
    "probe",
    "unit",
    "total",
    "self",
    "process",
];

/// The row that a budget names: in full, or without its kind, whatever its case.
fn named<'a>(quantity: &str, rows: &'a [Row]) -> Option<&'a Row> {
    let exact = |name: &str| rows.iter().find(|row| row.quantity.eq_ignore_ascii_case(name));
    exact(quantity).or_else(|| KINDS.iter().find_map(|kind| exact(&format!("{kind}:{quantity}"))))
}

fn judge(budget: &Budget, rows: &[Row]) -> BudgetResult {
    let found = named(&budget.quantity, rows);
    let median_ns = found.and_then(|row| row.new.as_ref()).map(|sample| sample.median_ns);
    BudgetResult {
        budget: Budget {
            quantity: found.map_or_else(|| budget.quantity.clone(), |row| row.quantity.clone()),
            limit_ns: budget.limit_ns,
        },
        median_ns,
        kept: median_ns.is_some_and(|ns| ns <= budget.limit_ns),
    }
}

fn row(quantity: &str, found: Found, threshold: Threshold) -> Row {
    let [base, new] = found.times.map(Sample::of);
    let [base_calls, new_calls] = found
        .calls
        .map(|calls| Sample::of(calls).map(|sample| sample.median_ns));
    let mut difference_ns = None;
    let change = match (&base, &new) {
        (Some(a), Some(b)) => {
            let difference = b.median_ns.saturating_sub(a.median_ns);
            difference_ns = Some(difference);
            match threshold.exceeded(a.median_ns, difference) {
                false => Change::Same,
                true if b.min_ns > a.max_ns => Change::Slower,
                true if b.max_ns < a.min_ns => Change::Faster,
                true => Change::Unclear,
            }
        }
        (None, _) => Change::New,
        (_, None) => Change::Gone,
    };
    Row {
        quantity: quantity.to_owned(),
        base,
        new,
        base_calls,
        new_calls,
        difference_ns,
        change,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_need_distance_and_size() {
        let threshold = Threshold { ns: 10, percent: 5.0 };
        let change = |a: &[i64], b: &[i64]| {
            let times = [a.to_vec(), b.to_vec()];
            let found = Found {
                times,
                ..Found::default()
            };
            row("", found, threshold).change
        };
        assert_eq!(change(&[100, 101], &[200, 201]), Change::Slower);
        assert_eq!(change(&[200], &[100]), Change::Faster);
        assert_eq!(change(&[100, 300], &[200, 250]), Change::Unclear);
        assert_eq!(change(&[1000], &[1020]), Change::Same);
        assert_eq!(change(&[100], &[105]), Change::Same);
        assert_eq!((change(&[], &[1]), change(&[1], &[])), (Change::New, Change::Gone));
        assert_eq!(Sample::of(vec![3, 1, 2, 4]).unwrap().median_ns, 2);
        assert_eq!(
            Sample::of(vec![i64::MAX, i64::MAX - 1]).unwrap().median_ns,
            i64::MAX - 1
        );
    }
}

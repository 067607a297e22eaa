//! Several boots against several others: what is new, gone, faster, slower.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::budget::Budget;
use crate::boot::Boot;

/// Values of one quantity over the boots of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    /// Boots that have it.
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
    /// Only in the new boots.
    New,
    /// Only in the base.
    Gone,
}

/// One quantity on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// `kernel`, `stage:...`, `initcall:name [module] #2`, `probe:device`.
    pub quantity: String,
    /// Base side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Sample>,
    /// New side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new: Option<Sample>,
    /// New median minus base median.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_ns: Option<i64>,
    /// Verdict.
    pub change: Change,
}

/// A budget and whether it was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetResult {
    /// The budget.
    pub budget: Budget,
    /// The new side's median; absent when no boot has the quantity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_ns: Option<i64>,
    /// A budget on something that was not measured is not kept.
    pub kept: bool,
}

/// The result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// Boots of the base.
    pub base_boots: usize,
    /// Boots compared with it.
    pub new_boots: usize,
    /// Differences up to this are no change.
    pub threshold_ns: i64,
    /// All quantities, the largest difference first.
    pub rows: Vec<Row>,
    /// Budgets, judged on the new side.
    pub budgets: Vec<BudgetResult>,
}

/// Compares two groups of boots. A change must exceed `threshold_ns` and 5 % of the base.
pub fn compare(base: &[&Boot], new: &[&Boot], threshold_ns: i64, budgets: &[Budget]) -> Comparison {
    let mut values: BTreeMap<String, [Vec<i64>; 2]> = BTreeMap::new();
    for (side, boots) in [base, new].into_iter().enumerate() {
        for boot in boots {
            for (quantity, ns) in quantities(boot) {
                values.entry(quantity).or_default()[side].push(ns);
            }
        }
    }
    let mut rows: Vec<Row> = values
        .into_iter()
        .map(|(quantity, [base, new])| row(quantity, Sample::of(base), Sample::of(new), threshold_ns))
        .collect();
    let budgets = budgets
        .iter()
        .map(|budget| {
            let found = rows
                .iter()
                .find(|r| r.quantity == budget.quantity)
                .and_then(|r| r.new.as_ref());
            let median_ns = found.map(|s| s.median_ns);
            let kept = median_ns.is_some_and(|ns| ns <= budget.limit_ns);
            BudgetResult {
                budget: budget.clone(),
                median_ns,
                kept,
            }
        })
        .collect();
    rows.sort_by_key(|row| {
        let size = row.difference_ns.map_or_else(
            || {
                row.base
                    .as_ref()
                    .or(row.new.as_ref())
                    .map_or(0, |s| s.median_ns.unsigned_abs())
            },
            i64::unsigned_abs,
        );
        (std::cmp::Reverse(size), row.quantity.clone())
    });
    Comparison {
        base_boots: base.len(),
        new_boots: new.len(),
        threshold_ns,
        rows,
        budgets,
    }
}

fn row(quantity: String, base: Option<Sample>, new: Option<Sample>, threshold_ns: i64) -> Row {
    let mut difference_ns = None;
    let change = match (&base, &new) {
        (Some(a), Some(b)) => {
            let difference = b.median_ns.saturating_sub(a.median_ns);
            difference_ns = Some(difference);
            let relevant = difference.unsigned_abs() > threshold_ns.unsigned_abs()
                && difference.unsigned_abs().saturating_mul(20) > a.median_ns.unsigned_abs();
            match relevant {
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
        quantity,
        base,
        new,
        difference_ns,
        change,
    }
}

/// Everything of a boot that can be compared.
pub fn quantities(boot: &Boot) -> Vec<(String, i64)> {
    let mut out = Vec::new();
    if let Some(path) = &boot.critical_path {
        out.push(("kernel".to_owned(), path.to_ns.saturating_sub(path.from_ns)));
    }
    for interval in &boot.intervals {
        if let Some(ns) = interval.duration_ns {
            let name = |event| serde_json::to_value(event).ok()?.as_str().map(str::to_owned);
            if let (Some(from), Some(to)) = (name(interval.from), name(interval.to)) {
                out.push((format!("stage:{from}..{to}"), ns));
            }
        }
    }
    for call in &boot.kernel.initcalls {
        if let Some(ns) = call.best_duration_ns() {
            out.push((format!("initcall:{}", call.label()), ns));
        }
    }
    let mut probes: BTreeMap<&str, i64> = BTreeMap::new();
    for probe in &boot.kernel.probes {
        let ns = i64::try_from(probe.printed_us).unwrap_or(i64::MAX).saturating_mul(1000);
        let sum = probes.entry(&probe.device).or_insert(0);
        *sum = sum.saturating_add(ns);
    }
    out.extend(probes.into_iter().map(|(device, ns)| (format!("probe:{device}"), ns)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_need_distance_and_size() {
        let sample = |values: &[i64]| Sample::of(values.to_vec());
        let change = |a: &[i64], b: &[i64]| row(String::new(), sample(a), sample(b), 10).change;
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

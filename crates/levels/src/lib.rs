// SPDX-License-Identifier: MIT
//! Where a noisy series changed its level: Pettitt's test (Applied Statistics 28, 1979) for one change in the ranks of
//! a series, its p value by shuffling the series, and again in both parts.

mod cut;
mod random;
mod ranks;

use cut::{cuts, Cut};

/// The level moved between value `before` and the next one (counted from 0).
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The last value of the old level.
    pub before: usize,
    /// The median of the level before it, nanoseconds; of two middle values their mean, to even.
    pub from_ns: i64,
    /// The median of the level behind it.
    pub to_ns: i64,
    /// How often shuffled values differ as much.
    pub p_value: f64,
}

/// The changes of level by `smallest_ns` or more, in order.
///
/// `alpha`: how often a series without a change is said to have one, at most.
pub fn changes(values_ns: &[i64], smallest_ns: i64, alpha: f64) -> Vec<Change> {
    let (Some(least), Some(most)) = (values_ns.iter().min(), values_ns.iter().max()) else {
        return Vec::new();
    };
    if most.saturating_sub(*least) < smallest_ns {
        // No two medians lie further apart than the values do, and nothing needs to be shuffled for that.
        return Vec::new();
    }
    let found = cuts(values_ns, 0, alpha);
    (0..found.len())
        .filter_map(|number| change(values_ns, &found, number, smallest_ns))
        .collect()
}

fn change(values_ns: &[i64], cuts: &[Cut], number: usize, smallest_ns: i64) -> Option<Change> {
    let place = cuts[number].place;
    let start = if number == 0 { 0 } else { cuts[number - 1].place };
    let end = cuts.get(number + 1).map_or(values_ns.len(), |next| next.place);
    let (old, new) = (median(&values_ns[start..place]), median(&values_ns[place..end]));
    ((new - old).abs() >= smallest_ns as f64).then(|| Change {
        before: place - 1,
        from_ns: old.round_ties_even() as i64,
        to_ns: new.round_ties_even() as i64,
        p_value: cuts[number].p_value,
    })
}

fn median(values: &[i64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        sorted[middle] as f64
    } else {
        f64::midpoint(sorted[middle - 1] as f64, sorted[middle] as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A bell-like noise: the sum of four draws.
    fn noisy(random: &mut Random, level: i64, width: usize) -> i64 {
        level + (0..4).map(|_| i64::try_from(random.below(width)).unwrap()).sum::<i64>()
    }

    #[test]
    fn two_changes_are_found_where_they_are() {
        let mut random = Random::new([7, 0, 0]);
        let levels = [3_000_000_000, 3_100_000_000, 2_900_000_000];
        let values: Vec<i64> = levels
            .iter()
            .flat_map(|level| vec![*level; 15])
            .map(|level| noisy(&mut random, level, 20_000_000))
            .collect();
        let found = changes(&values, 30_000_000, 0.01);
        let places: Vec<usize> = found.iter().map(|one| one.before).collect();
        assert_eq!(places, [14, 29]);
        assert!(found[0].to_ns > found[0].from_ns && found[1].to_ns < found[1].from_ns);
        assert_eq!(changes(&values, 30_000_000, 0.01), found);
        assert!(changes(&values, 300_000_000, 0.01).is_empty());
    }

    #[test]
    fn medians_are_of_the_levels_beside_a_change() {
        let values: Vec<i64> = [4, 5].repeat(5).into_iter().chain([104, 105, 103].repeat(3)).collect();
        let found = changes(&values, 1, 0.01);
        assert_eq!(found.len(), 1);
        // 4.5 and, to even, 4.
        assert_eq!((found[0].before, found[0].from_ns, found[0].to_ns), (9, 4, 104));
    }

    #[test]
    fn few_series_without_a_change_have_one() {
        let mut random = Random::new([5, 0, 0]);
        let mut said = 0;
        for _ in 0..1000 {
            let values: Vec<i64> = (0..24).map(|_| noisy(&mut random, 3_000_000_000, 30_000_000)).collect();
            said += usize::from(!changes(&values, 1, 0.01).is_empty());
        }
        // Ten are expected; more than 25 come in less than one of ten thousand such thousands, none as seldom.
        assert!((1..=25).contains(&said), "{said} of 1000");
    }

    #[test]
    fn series_too_short_or_without_width_have_no_change() {
        assert!(changes(&[], 0, 0.01).is_empty());
        assert!(changes(&[1], 0, 0.01).is_empty());
        assert!(changes(&[1, 1, 1, 9, 9, 9, 9], 1, 0.01).is_empty());
        assert!(changes(&[5; 100], 0, 0.01).is_empty());
        assert!(changes(&[i64::MIN, i64::MAX, 0, 0, 0, 0, 0, 0], 1, 0.01).is_empty());
    }
}

// SPDX-License-Identifier: MIT
//! Where a series is cut in two, and how often chance does as much.

use crate::random::Random;
use crate::ranks::doubled_ranks;

const SHUFFLES: u32 = 2000;
const ONE_SERIES_IN: f64 = 1e-6;
/// So many values on each side of a change, at least.
const LEAST: usize = 4;
/// By what sizes that are equal may differ in their last digits.
const ROUNDING: f64 = 1e-9;

/// A change before the value `place`.
pub(crate) struct Cut {
    pub(crate) place: usize,
    pub(crate) p_value: f64,
}

/// The places where a series that begins at `start` of the whole one changes its level, in order.
pub(crate) fn cuts(values: &[i64], start: usize, alpha: f64) -> Vec<Cut> {
    if values.len() < 2 * LEAST {
        return Vec::new();
    }
    let ranks = doubled_ranks(values);
    let spreads = spreads(ranks.len());
    let (place, size) = largest(&ranks, &spreads);
    let p_value = p_value(ranks, &spreads, size, alpha, start);
    if p_value > alpha {
        return Vec::new();
    }
    // The parts are looked at only because there was a change, so that the rate holds for series without one.
    let (left, right) = values.split_at(place);
    let mut found = cuts(left, start, alpha / 2.0);
    found.push(Cut {
        place: start + place,
        p_value,
    });
    found.extend(cuts(right, start + place, alpha / 2.0));
    found
}

/// What chance does to twice the rank sum of the first values, for each place where a cut may be, but for a factor.
fn spreads(count: usize) -> Vec<f64> {
    (LEAST..=count - LEAST)
        .map(|taken| 2.0 * (taken as f64 * (count - taken) as f64).sqrt())
        .collect()
}

/// How far twice a rank sum of `taken` values lies from what is expected of it.
fn off(sum: u64, taken: usize, count: usize) -> f64 {
    sum.abs_diff(taken as u64 * (count as u64 + 1)) as f64
}

/// Where the rank sums of both parts differ most beside what chance does there, and by how much.
fn largest(ranks: &[u32], spreads: &[f64]) -> (usize, f64) {
    let mut best = (LEAST, -1.0);
    let mut sum = 0;
    for (before, &rank) in ranks[..ranks.len() - LEAST].iter().enumerate() {
        sum += u64::from(rank);
        let taken = before + 1;
        if taken >= LEAST {
            let size = off(sum, taken, ranks.len()) / spreads[taken - LEAST];
            if size > best.1 {
                best = (taken, size);
            }
        }
    }
    best
}

/// How often shuffled ranks differ as much; above `alpha` only that it is more often than that.
///
/// Years of boots are shuffled only where that decides: a change so large that no shuffle comes near it needs none, and
/// where enough shuffles were as large, the others cannot make it a change any more.
fn p_value(mut ranks: Vec<u32>, spreads: &[f64], size: f64, alpha: f64, start: usize) -> f64 {
    let all = f64::from(1 + SHUFFLES);
    if no_shuffle_reaches(size, ranks.len()) {
        return 1.0 / all;
    }
    let reach: Vec<f64> = spreads.iter().map(|spread| (size - ROUNDING) * spread).collect();
    let mut random = Random::new([1, start as u64, ranks.len() as u64]);
    let mut as_large = 0;
    for _ in 0..SHUFFLES {
        as_large += u32::from(shuffle_reaches(&mut ranks, &reach, &mut random));
        if f64::from(1 + as_large) / all > alpha {
            break;
        }
    }
    f64::from(1 + as_large) / all
}

/// Shuffles ranks, and tells whether their sums lie so far off somewhere that they reach what is given for each place.
///
/// It stops at the first such place: what was not drawn yet is shuffled by the next one, which needs no order of before.
fn shuffle_reaches(ranks: &mut [u32], reach: &[f64], random: &mut Random) -> bool {
    let count = ranks.len();
    let mut sum = 0;
    for before in 0..count - LEAST {
        ranks.swap(before, before + random.below(count - before));
        sum += u64::from(ranks[before]);
        let taken = before + 1;
        if taken >= LEAST && off(sum, taken, count) >= reach[taken - LEAST] {
            return true;
        }
    }
    false
}

/// Tells whether one of the shuffles would be as large in less than one of a million series.
///
/// A rank sum has the tails of a normal variable of its own variance, k (n - k) (n + 1) / 12, at most (Chernoff): its
/// generating function is that of Mann and Whitney (Annals 18, 1947), a product of sinh(a x) i / (a sinh(i x)), and
/// log(sinh(x) / x) is a concave function of the square of x. Middle ranks of equal values spread less. That, for each
/// place of a cut.
fn no_shuffle_reaches(size: f64, count: usize) -> bool {
    let (count, shuffles) = (count as f64, f64::from(SHUFFLES));
    2.0 * count * shuffles * (-6.0 * size.powi(2) / (count + 1.0)).exp() < ONE_SERIES_IN
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every order of the ranks in which the first values are taken, as sums of those taken.
    fn sums(ranks: &[u32], taken: usize) -> Vec<u64> {
        (0_u32..1 << ranks.len())
            .filter(|chosen| chosen.count_ones() as usize == taken)
            .map(|chosen| {
                (0..ranks.len())
                    .filter(|at| chosen >> at & 1 == 1)
                    .map(|at| u64::from(ranks[at]))
                    .sum()
            })
            .collect()
    }

    #[test]
    fn the_tails_of_a_rank_sum_are_no_heavier_than_the_bound() {
        // Of every way to take some of ten ranks, which is what shuffling draws from; equal values too.
        for values in [
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
            [1, 1, 1, 1, 2, 2, 2, 3, 3, 4],
            [0, 0, 0, 0, 0, 1, 1, 1, 1, 1],
        ] {
            let ranks = doubled_ranks(&values);
            for taken in 1..ranks.len() {
                let spread = 2.0 * ((taken * (ranks.len() - taken)) as f64).sqrt();
                let sizes: Vec<f64> = sums(&ranks, taken)
                    .into_iter()
                    .map(|sum| off(sum, taken, ranks.len()) / spread)
                    .collect();
                for size in &sizes {
                    let share = sizes.iter().filter(|one| *one >= size).count() as f64 / sizes.len() as f64;
                    let bound = 2.0 * (-6.0 * size.powi(2) / (ranks.len() as f64 + 1.0)).exp();
                    assert!(share <= bound + 1e-12, "{values:?} {taken} {size}: {share} {bound}");
                }
            }
        }
    }

    #[test]
    fn a_change_that_is_not_shuffled_is_one_that_no_shuffle_reaches() {
        for (count, half) in [(60_usize, 30_i64), (400, 200)] {
            // Two levels apart: the ranks of each in some order.
            let values: Vec<i64> = (0..2 * half).map(|at| at * 37 % half + at / half * 1000).collect();
            let ranks = doubled_ranks(&values);
            let spreads = spreads(count);
            let (place, size) = largest(&ranks, &spreads);
            assert_eq!(place, count / 2);
            assert_eq!(no_shuffle_reaches(size, count), count == 400);
            let reach: Vec<f64> = spreads.iter().map(|spread| size * spread).collect();
            let mut random = Random::new([5, 0, 0]);
            let mut ranks = ranks;
            assert!((0..2000).all(|_| !shuffle_reaches(&mut ranks, &reach, &mut random)));
        }
    }

    #[test]
    fn shuffles_are_as_large_as_often_as_orders_are() {
        // Of eight different values there is one place for a cut, and 70 ways to take four: 2 of them differ most.
        let ranks = doubled_ranks(&[1, 2, 3, 4, 5, 6, 7, 8]);
        let spreads = spreads(8);
        let (place, size) = largest(&ranks, &spreads);
        assert_eq!(place, 4);
        let found = p_value(ranks, &spreads, size, 1.0, 0);
        // 2000 shuffles: 57 are expected, with a deviation of 7.4.
        assert!((found - 2.0 / 70.0).abs() < 5.0 * 7.4 / 2000.0, "{found}");
    }

    #[test]
    fn a_search_ends_where_it_is_no_change_any_more() {
        let values = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8];
        let ranks = doubled_ranks(&values);
        let spreads = spreads(values.len());
        let (_, size) = largest(&ranks, &spreads);
        let found = p_value(ranks, &spreads, size, 0.01, 0);
        assert!(found > 0.01 && found < 0.011, "{found}");
        assert!(cuts(&values, 0, 0.01).is_empty());
    }
}

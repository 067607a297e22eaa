// SPDX-License-Identifier: MIT
//! Random numbers for shuffles: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), the same for the same seed.

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A source of random numbers.
pub(crate) struct Random(u64);

impl Random {
    /// One for a seed of three numbers, each of which changes all that is drawn.
    pub(crate) fn new(seed: [u64; 3]) -> Self {
        let mut state = Self(0);
        for part in seed {
            state.0 = state.next() ^ part;
        }
        Self(state.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, each as likely as every other but for `count` in 2 to the 64th.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        // Lemire, ACM Transactions on Modeling and Computer Simulation 29 (2019), without its rejection.
        ((u128::from(self.next()) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_the_published_ones() {
        // The test vector of Vigna's splitmix64.c for the seed 1234567.
        let mut random = Random(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn each_number_is_drawn_as_often() {
        let mut random = Random::new([1, 2, 3]);
        let mut counts = [0_u32; 7];
        for _ in 0..70_000 {
            counts[random.below(7)] += 1;
        }
        // 10 000 are expected, with a deviation of 93.
        assert!(counts.iter().all(|count| count.abs_diff(10_000) < 500), "{counts:?}");
    }

    #[test]
    fn every_part_of_a_seed_counts() {
        let first = |seed| Random::new(seed).next();
        let seeds = [[1, 2, 3], [2, 2, 3], [1, 3, 3], [1, 2, 4], [3, 2, 1]];
        let drawn: std::collections::BTreeSet<u64> = seeds.into_iter().map(first).collect();
        assert_eq!(drawn.len(), seeds.len());
    }
}

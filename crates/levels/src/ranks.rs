// SPDX-License-Identifier: MIT
//! Ranks of the values of a series.

/// Twice the rank of each value, the smallest 2; equal values share the middle of their ranks.
///
/// Twice, so that all of them are whole numbers.
pub(crate) fn doubled_ranks(values: &[i64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..values.len() as u32).collect();
    order.sort_unstable_by_key(|&place| values[place as usize]);
    let mut ranks = vec![0; values.len()];
    let mut first = 0;
    for equal in order.chunk_by(|&one, &other| values[one as usize] == values[other as usize]) {
        let last = first + equal.len();
        for &place in equal {
            ranks[place as usize] = (first + last + 1) as u32;
        }
        first = last;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_a_rank() {
        assert_eq!(doubled_ranks(&[30, 10, 20]), [6, 2, 4]);
        // Ranks 1.5, 1.5, 3, and 5 for the three that are rank 4 to 6.
        assert_eq!(doubled_ranks(&[5, 5, 7, 9, 9, 9]), [3, 3, 6, 10, 10, 10]);
        assert_eq!(doubled_ranks(&[]), [0; 0]);
    }
}

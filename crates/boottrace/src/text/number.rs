// SPDX-License-Identifier: MIT
//! Numbers as traces print them, from bytes.

/// Leading decimal digits: the value (saturating) and how many.
#[inline]
pub fn digits(bytes: &[u8]) -> (u64, usize) {
    let mut value = 0_u64;
    let mut count = 0;
    while let Some(digit) = bytes.get(count).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
        value = value.saturating_mul(10).saturating_add(u64::from(digit));
        count += 1;
    }
    (value, count)
}

/// A decimal number in units of `unit_ns`, such as `12.345` microseconds with 1000: nanoseconds and bytes used.
/// Digits finer than a nanosecond are dropped.
#[inline]
pub fn decimal_ns(bytes: &[u8], unit_ns: u64) -> Option<(u64, usize)> {
    if let Some(found) = thousandths(bytes).filter(|_| unit_ns == 1000) {
        return Some(found);
    }
    let (whole, mut used) = digits(bytes);
    if used == 0 {
        return None;
    }
    let mut ns = whole.saturating_mul(unit_ns);
    if bytes.get(used) == Some(&b'.') {
        if let Some(millionths) = six_digits(&bytes[used + 1..]).filter(|_| unit_ns == 1_000_000_000) {
            return Some((ns.saturating_add(millionths * 1000), used + 7));
        }
        let mut place_ns = unit_ns;
        let mut at = used + 1;
        while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|&d| d < 10) {
            place_ns /= 10;
            ns = ns.saturating_add(u64::from(digit) * place_ns);
            at += 1;
        }
        if at > used + 1 {
            used = at;
        }
    }
    Some((ns, used))
}

/// Exactly six digits and then something else, as stamps have them; all eight bytes at once.
#[inline]
pub(crate) fn six_digits(bytes: &[u8]) -> Option<u64> {
    let word = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    if (word >> 48) as u8 >= b'0' && (word >> 48) as u8 <= b'9' {
        return None;
    }
    // Two zeros in front make it eight digits.
    eight_digits(word << 16 | 0x3030)
}

/// One to four digits, a point, exactly three digits and then something else, as durations have them: value without
/// the point, and bytes used.
#[inline]
fn thousandths(bytes: &[u8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?);
    let other = word ^ 0x2e2e_2e2e_2e2e_2e2e;
    let points = other.wrapping_sub(0x0101_0101_0101_0101) & !other & 0x8080_8080_8080_8080;
    let point = points.trailing_zeros() / 8;
    if !(1..=4).contains(&point) || bytes.get(point as usize + 4).is_none_or(u8::is_ascii_digit) {
        return None;
    }
    // The digits before the point move over it; zeros in front make them eight.
    let before = (1 << (8 * point)) - 1;
    let digits = (word & before) << 8 | (word & !(before << 8 | 0xff));
    let unused = 8 * (4 - point);
    let value = eight_digits(digits << unused | (0x3030_3030_3030_3030 & ((1 << (unused + 8)) - 1)))?;
    Some((value, point as usize + 4))
}

/// Eight digits, the first in the lowest byte.
#[inline]
fn eight_digits(word: u64) -> Option<u64> {
    let digits = word.wrapping_sub(0x3030_3030_3030_3030);
    if (digits | digits.wrapping_add(0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 != 0 {
        return None;
    }
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(0x000f_4240_0000_0064);
    let high = ((pairs >> 16) & 0x0000_00ff_0000_00ff).wrapping_mul(0x0000_2710_0000_0001);
    Some(low.wrapping_add(high) >> 32)
}

/// A signed decimal integer that fills `bytes`.
pub fn integer(bytes: &[u8]) -> Option<i64> {
    let (negative, rest) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (value, used) = digits(rest);
    if used == 0 || used != rest.len() {
        return None;
    }
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    Some(if negative { -value } else { value })
}

/// Nanoseconds as a signed value, for stamps.
pub fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_and_durations() {
        let stamp = |text: &str| decimal_ns(text.as_bytes(), 1_000_000_000);
        assert_eq!(stamp("0.100000 |"), Some((100_000_000, 8)));
        assert_eq!(stamp("12.345678 | x"), Some((12_345_678_000, 9)));
        assert_eq!(stamp("12.345678901:"), Some((12_345_678_901, 12)));
        assert_eq!(stamp("12.34567"), Some((12_345_670_000, 8)));
        assert_eq!(stamp("1.00000a aaa"), Some((1_000_000_000, 7)));
        assert_eq!(stamp("1.99999: aaa"), Some((1_999_990_000, 7)));
        assert_eq!(stamp("7."), Some((7_000_000_000, 1)));
        assert_eq!(stamp("99999999999999999999.5"), Some((u64::MAX, 22)));
        assert_eq!(decimal_ns(b"4.2215 us", 1000), Some((4221, 6)));
        assert_eq!(decimal_ns(b"x", 1000), None);
        for value in [0_u64, 1, 99, 123_456, 999_999, 500_001, 90_807] {
            assert_eq!(
                stamp(&format!("3.{value:06} |")),
                Some((3_000_000_000 + value * 1000, 8))
            );
        }
    }

    #[test]
    fn integers() {
        assert_eq!(integer(b"-19"), Some(-19));
        assert_eq!(integer(b"5 "), None);
        assert_eq!(integer(b""), None);
    }
}

// SPDX-License-Identifier: MIT
//! Numbers that stand for times, read from the start of a byte slice.

use super::clock::NS_PER_S;
use super::foreign_month::foreign_month;

/// Reads decimal digits. Returns the value and the number of bytes; `None` without a digit or beyond 64 bits.
pub fn digits(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0_u64;
    let mut used = 0;
    while let Some(b @ b'0'..=b'9') = bytes.get(used) {
        value = value.checked_mul(10)?.checked_add(u64::from(b - b'0'))?;
        used += 1;
    }
    (used > 0).then_some((value, used))
}

/// `12.345678` as ns, with the bytes used and the number of decimals.
pub fn seconds(bytes: &[u8]) -> Option<(i64, usize, usize)> {
    let (whole, used) = digits(bytes)?;
    if bytes.get(used) != Some(&b'.') {
        return None;
    }
    let (fraction_ns, decimals) = fraction(&bytes[used + 1..])?;
    let whole_ns = i64::try_from(whole).ok()?.checked_mul(NS_PER_S)?;
    Some((whole_ns.checked_add(fraction_ns)?, used + 1 + decimals, decimals))
}

/// Decimals after a point as ns; further digits than nine are read and dropped.
pub fn fraction(bytes: &[u8]) -> Option<(i64, usize)> {
    let used = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    if used == 0 || used > 18 {
        return None;
    }
    let mut ns = 0_i64;
    for n in 0..9 {
        ns = ns * 10 + bytes.get(n).filter(|_| n < used).map_or(0, |b| i64::from(b - b'0'));
    }
    Some((ns, used))
}

/// `10:20:30` or `10:20:30.123456` (comma too) as ns since midnight, with the bytes used.
pub fn clock_time(bytes: &[u8]) -> Option<(i64, usize)> {
    let two = |at: usize| -> Option<i64> {
        match bytes.get(at..at + 2)? {
            [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(i64::from(a - b'0') * 10 + i64::from(b - b'0')),
            _ => None,
        }
    };
    let (hour, minute, second) = (two(0)?, two(3)?, two(6)?);
    if bytes[2] != b':' || bytes[5] != b':' || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut ns = (hour * 3600 + minute * 60 + second) * NS_PER_S;
    let mut used = 8;
    if matches!(bytes.get(8), Some(b'.' | b',')) {
        if let Some((fraction_ns, decimals)) = fraction(&bytes[9..]) {
            ns += fraction_ns;
            used = 9 + decimals;
        }
    }
    Some((ns, used))
}

/// `2026-11-20T10:20:30.123456+01:00` (a blank for the T, a zone or none) as ns since 1970 in its own zone.
///
/// The zone is not applied: only differences between the lines of one log are ever used.
pub fn iso_time(bytes: &[u8]) -> Option<(i64, usize)> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = bytes.get(range)?;
        let (value, used) = digits(part)?;
        i64::try_from(value).ok().filter(|_| used == part.len())
    };
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    if bytes[4] != b'-' || bytes[7] != b'-' || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    if !matches!(bytes.get(10), Some(b'T' | b' ')) {
        return None;
    }
    let (time_ns, time_used) = clock_time(&bytes[11..])?;
    let mut used = 11 + time_used;
    match bytes.get(used) {
        Some(b'Z') => used += 1,
        Some(b'+' | b'-') => {
            let zone = bytes[used + 1..]
                .iter()
                .take_while(|b| b.is_ascii_digit() || **b == b':')
                .count();
            if zone >= 2 {
                used += 1 + zone;
            }
        }
        _ => {}
    }
    let day_ns = days(year, month, day).checked_mul(86_400 * NS_PER_S)?;
    Some((day_ns.checked_add(time_ns)?, used))
}

/// Months as syslog has them.
pub const MONTHS: [&[u8]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// `Nov 20 10:20:30` as ns since the first of January (leap years are not known there), with the bytes used.
pub fn syslog_time(bytes: &[u8]) -> Option<(i64, usize)> {
    let name = bytes.get(..3)?;
    let (month, blank) = match MONTHS.iter().position(|m| *m == name) {
        Some(at) => (i64::try_from(at).ok()? + 1, 3),
        None => month_elsewhere(bytes)?,
    };
    if bytes.get(blank) != Some(&b' ') {
        return None;
    }
    let day_at = blank + 1 + usize::from(bytes.get(blank + 1) == Some(&b' '));
    let (day, day_used) = digits(bytes.get(day_at..)?)?;
    let time_at = day_at + day_used + 1;
    if day > 31 || bytes.get(time_at - 1) != Some(&b' ') {
        return None;
    }
    let (time_ns, used) = clock_time(bytes.get(time_at..)?)?;
    let day_ns = (days(1970, month, 1) + i64::try_from(day).ok()? - 1) * 86_400 * NS_PER_S;
    Some((day_ns + time_ns, time_at + used))
}

/// The month of a date in another language, and where the blank behind it stands.
fn month_elsewhere(bytes: &[u8]) -> Option<(i64, usize)> {
    const LONGEST: usize = 12;
    let blank = bytes.iter().take(LONGEST).position(|b| *b == b' ')?;
    // Most lines begin with a word: the names are looked up only where a day and a time of day follow.
    let dated = matches!(
        bytes.get(blank..),
        Some([
            b' ',
            b' ' | b'0'..=b'3',
            b'0'..=b'9',
            b' ',
            b'0'..=b'2',
            b'0'..=b'9',
            b':',
            ..
        ])
    );
    let month = dated.then(|| foreign_month(&bytes[..blank])).flatten()?;
    Some((month, blank))
}

/// `01-03 09:43:51.503` as ns since the first of January, with the bytes used.
pub fn month_and_day(bytes: &[u8]) -> Option<(i64, usize)> {
    let [m0, m1, b'-', d0, d1, b' ', time @ ..] = bytes else {
        return None;
    };
    let number = |high: &u8, low: &u8| {
        let both = high.is_ascii_digit() && low.is_ascii_digit();
        both.then(|| i64::from(high - b'0') * 10 + i64::from(low - b'0'))
    };
    let (month, day) = (number(m0, m1)?, number(d0, d1)?);
    let (time_ns, used) = clock_time(time).filter(|(_, used)| *used > 9)?;
    let dated = (1..=12).contains(&month) && (1..=31).contains(&day);
    dated.then_some((days(1970, month, day) * 86_400 * NS_PER_S + time_ns, 6 + used))
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times() {
        assert_eq!(seconds(b"4294667.296000]"), Some((4_294_667_296_000_000, 14, 6)));
        assert_eq!(seconds(b"04.634]"), Some((4_634_000_000, 6, 3)));
        assert_eq!(seconds(b"12]"), None);
        assert_eq!(clock_time(b"00:00:01.5 x"), Some((1_500_000_000, 10)));
        assert_eq!(iso_time(b"1970-01-02T00:00:01+01:00 h"), Some((86_401 * NS_PER_S, 25)));
        assert_eq!(syslog_time(b"Jan  2 00:00:00 h"), Some((86_400 * NS_PER_S, 15)));
        assert_eq!(syslog_time(b"jan 02 00:00:00 h"), Some((86_400 * NS_PER_S, 15)));
        assert_eq!(
            syslog_time("1月 02 00:00:00 h".as_bytes()),
            Some((86_400 * NS_PER_S, 16))
        );
        assert_eq!(
            month_and_day(b"01-03 00:00:01.500] x"),
            Some((2 * 86_400 * NS_PER_S + 1_500_000_000, 18))
        );
        assert_eq!(month_and_day(b"13-03 00:00:01.500] x"), None);
        assert_eq!(month_and_day(b"01-03 00:00:01] x"), None);
        assert_eq!(seconds(b"99999999999999999999.1"), None);
        assert_eq!(seconds(b"9999999999999.1"), None);
    }
}

// SPDX-License-Identifier: MIT
//! What may stand before and behind a date: the day of the week, the year, the zone.

/// Does a line begin with a day of the week?
pub(super) fn weekday_first(bytes: &[u8]) -> bool {
    const DAYS: [&[u8]; 7] = [b"Mon ", b"Tue ", b"Wed ", b"Thu ", b"Fri ", b"Sat ", b"Sun "];
    DAYS.iter().any(|day| bytes.starts_with(day))
}

/// Length of ` 2024` behind a date that the year follows.
pub(super) fn year(bytes: &[u8]) -> usize {
    match bytes {
        [b'1' | b'2', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b' ', ..] => 5,
        _ => 0,
    }
}

/// Is what follows a date and a time of day only the zone and the year, as `date` prints them?
pub(super) fn ends_a_date(bytes: &[u8]) -> bool {
    let words: Vec<&[u8]> = bytes
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect();
    let [zone, year] = words.as_slice() else {
        return false;
    };
    let named = zone.len() <= 5 && zone.iter().all(u8::is_ascii_uppercase);
    let counted = zone.starts_with(b"+") || zone.starts_with(b"-");
    (named || counted) && year.len() == 4 && year.iter().all(u8::is_ascii_digit)
}

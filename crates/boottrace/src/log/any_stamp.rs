// SPDX-License-Identifier: MIT
//! Stamps of any form at the start of a line: what nobody taught bootlab to read still counts seconds, or tells a time of
//! day. Two stamps can be compared where they have one form.

use super::clock::NS_PER_S;
use super::stamp::{clock_time, digits, fraction, MONTHS};

/// So many digits behind the point make nanoseconds.
const DECIMALS: usize = 9;

/// The form of a stamp: the signs around its numbers. Only stamps of one form are of one clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// What stands before its first digit.
    open: Option<char>,
    /// Has it a date?
    dated: bool,
    /// Hours, minutes and seconds, or seconds alone.
    of_day: bool,
    /// Digits behind the point.
    pub decimals: usize,
}

impl Form {
    /// A number with so few digits behind the point, and no sign around it, may be a size, a version or a cell of a table.
    pub fn is_bare(self) -> bool {
        const DIGITS_OF_A_CLOCK: usize = 3;
        self.open.is_none() && !self.of_day && (1..DIGITS_OF_A_CLOCK).contains(&self.decimals)
    }
}

/// The stamp that a line begins with, in nanoseconds, and its form.
pub fn of(text: &str) -> Option<(Form, i64)> {
    split(text).map(|(form, ns, _)| (form, ns))
}

/// What a line says behind such a stamp, and behind the numbers of a process and the level that Android's log puts there;
/// the line itself where there is none.
pub fn said(text: &str) -> &str {
    let Some((_, _, rest)) = split(text) else { return text };
    let rest = rest.trim_start();
    let rest = rest
        .strip_prefix("AM")
        .or_else(|| rest.strip_prefix("PM"))
        .unwrap_or(rest);
    let mut rest = rest.trim_start_matches([']', ')', '>', '|', ':', ',', ';', 'Z', ' ', '\t']);
    for _ in 0..2 {
        match rest.split_once(' ') {
            Some((number, behind)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => {
                rest = behind.trim_start();
            }
            _ => break,
        }
    }
    match rest.split_once(' ') {
        Some((level, behind)) if level.len() == 1 && "VDIWEF".contains(level) => behind.trim_start(),
        _ => rest,
    }
}

/// The stamp, and what stands behind it.
fn split(text: &str) -> Option<(Form, i64, &str)> {
    let text = text.trim_start_matches([' ', '\t', '>', '`']);
    let text = text
        .strip_prefix('<')
        .and_then(|rest| rest.split_once('>'))
        .filter(|(level, _)| level.len() <= 3 && level.bytes().all(|b| b.is_ascii_digit()))
        .map_or(text, |(_, rest)| rest);
    let open = text.chars().next().filter(|c| matches!(c, '[' | '(' | '@' | '<'));
    let rest = open.map_or(text, |sign| text[sign.len_utf8()..].trim_start());
    let (dated, ns, used) = date_and_time(rest)
        .map(|(ns, used)| (true, ns, used))
        .or_else(|| time_of_day(rest).map(|(ns, used)| (false, ns, used)))
        .or_else(|| days_and_time(rest).map(|(ns, used)| (true, ns, used)))
        .map(|(dated, ns, used)| (Some(dated), ns, used))
        .or_else(|| seconds(rest).map(|(ns, used)| (None, ns, used)))
        .or_else(|| whole_seconds(rest).map(|(ns, used)| (None, ns, used)))?;
    let behind = rest[used..].chars().next();
    // A stamp is a word of its own; a version or an address goes on.
    if !behind.is_some_and(|c| matches!(c, ' ' | '\t' | ']' | ')' | '>' | '|' | ':' | ',' | ';' | 'Z' | '+')) {
        return None;
    }
    // `0.003 [2031-01-02 10:00:00.001] text`: the first number is the time since the line before.
    if dated.is_none() && open.is_none() {
        let later = rest[used..].trim_start();
        let later = later.starts_with('[').then(|| split(later)).flatten();
        if let Some(later) = later.filter(|(form, ..)| form.of_day) {
            return Some(later);
        }
    }
    let number = rest[..used].trim_end_matches(|c: char| !c.is_ascii_digit());
    let decimals = number.rsplit_once(['.', ',']).map_or(0, |(_, digits)| digits.len());
    let form = Form {
        open,
        dated: dated == Some(true),
        of_day: dated.is_some(),
        decimals,
    };
    Some((form, ns, &rest[used..]))
}

/// `1602182716`: seconds since 1970, of this century's first half.
fn whole_seconds(text: &str) -> Option<(i64, usize)> {
    let (value, used) = digits(text.as_bytes()).filter(|(_, used)| *used == 10)?;
    let ns = i64::try_from(value).ok()?.checked_mul(NS_PER_S)?;
    text.starts_with('1').then_some((ns, used))
}

/// `12.345678`, `12,34`: seconds with two to nine digits behind the point.
fn seconds(text: &str) -> Option<(i64, usize)> {
    let (whole, used) = digits(text.as_bytes()).filter(|(_, used)| *used <= 10)?;
    let decimals = text[used..].strip_prefix(['.', ','])?;
    let (ns, count) = fraction(decimals.as_bytes()).filter(|(_, count)| (2..=DECIMALS).contains(count))?;
    let whole_ns = i64::try_from(whole).ok()?.checked_mul(NS_PER_S)?;
    Some((whole_ns.checked_add(ns)?, used + 1 + count))
}

/// `07:24:24`, `1:49:08 PM`, `07:24:24.123`.
fn time_of_day(text: &str) -> Option<(i64, usize)> {
    let bytes = text.as_bytes();
    let missing = usize::from(bytes.get(1) == Some(&b':'));
    // A time of day and its decimals are shorter.
    let padded = [&b"0"[..missing], &bytes[..bytes.len().min(40)]].concat();
    // More decimals than nanoseconds have are no stamp's.
    let (ns, used) = clock_time(&padded).filter(|(_, used)| *used <= 9 + DECIMALS)?;
    let used = used - missing;
    let half_day_ns = 12 * 3600 * NS_PER_S;
    let moved_ns = match text[used..].trim_start().get(..2) {
        Some("PM") if ns < half_day_ns => half_day_ns,
        Some("AM") if ns >= half_day_ns && ns < half_day_ns + 3600 * NS_PER_S => -half_day_ns,
        _ => 0,
    };
    Some((ns + moved_ns, used))
}

/// `2024-03-01 07:24:24`, `2024/03/01T07:24:24`, `03-01 07:24:24.123`, `Mar  1 07:24:24`.
fn date_and_time(text: &str) -> Option<(i64, usize)> {
    let (days, used) = numeric_date(text).or_else(|| named_date(text))?;
    let rest = &text[used..];
    let gap = rest.len() - rest.trim_start_matches([' ', 'T', '_', '-']).len();
    if gap == 0 || gap > 2 {
        return None;
    }
    let (ns, of_time) = time_of_day(&rest[gap..])?;
    Some((days * 86_400 * NS_PER_S + ns, used + gap + of_time))
}

/// `0d,00:00:07.12`: whole days since a start, and the time since the last of them.
fn days_and_time(text: &str) -> Option<(i64, usize)> {
    let (days, used) = digits(text.as_bytes()).filter(|(_, used)| *used <= 4)?;
    let rest = text[used..].strip_prefix('d')?;
    let gap = usize::from(rest.starts_with([',', ' ']));
    let (ns, of_time) = time_of_day(&rest[gap..])?;
    let days_ns = i64::try_from(days).ok()?.checked_mul(86_400 * NS_PER_S)?;
    Some((days_ns.checked_add(ns)?, used + 1 + gap + of_time))
}

fn numeric_date(text: &str) -> Option<(i64, usize)> {
    let mut numbers = [0_i64; 3];
    let (mut count, mut used) = (0, 0);
    loop {
        let (value, length) = digits(&text.as_bytes()[used..]).filter(|(_, length)| *length <= 4)?;
        if count == 3 {
            return None;
        }
        numbers[count] = i64::try_from(value).ok()?;
        count += 1;
        used += length;
        match text[used..].chars().next() {
            Some('-' | '/') => used += 1,
            _ => break,
        }
    }
    let (month, day) = match count {
        3 if numbers[0] > 31 => (numbers[1], numbers[2]),
        2 | 3 => (numbers[0], numbers[1]),
        _ => return None,
    };
    let fits = (1..=31).contains(&month) && (1..=31).contains(&day);
    // Days of one month differ by one; across a month's end nothing is said of the time between.
    fits.then_some((month * 40 + day, used))
}

fn named_date(text: &str) -> Option<(i64, usize)> {
    let bytes = text.as_bytes();
    let month = i64::try_from(MONTHS.iter().position(|name| bytes.starts_with(name))?).ok()?;
    let rest = bytes[3..].strip_prefix(b" ")?;
    let blank = usize::from(rest.first() == Some(&b' '));
    let (day, length) = digits(&rest[blank..])?;
    let day = i64::try_from(day).ok().filter(|day| (1..=31).contains(day))?;
    Some((month * 40 + day, 4 + blank + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(text: &str) -> Option<i64> {
        of(text).map(|(_, ns)| ns / 1_000_000)
    }

    #[test]
    fn stamps_of_many_forms() {
        let day = 86_400_000;
        assert_eq!(ms("[   12.345678] frob"), Some(12_345));
        assert_eq!(ms("9.93371| frob"), Some(9_933));
        assert_eq!(ms("(0.50) frob"), Some(500));
        assert_eq!(ms("00:00:07 frob"), Some(7_000));
        assert_eq!(ms("1:00:08 PM: frob"), Some(46_808_000));
        assert_eq!(ms("2031-01-02 00:00:01,250 frob"), Some(42 * day + 1_250));
        assert_eq!(ms("01-02 00:00:01.250  frob"), Some(42 * day + 1_250));
        assert_eq!(ms("Jan  2 00:00:01 host frob"), Some(2 * day + 1_000));
        assert_eq!(ms("2031-01-02T00:00:01+0100 frob"), Some(42 * day + 1_000));
        assert_eq!(ms("1900000001   frob"), Some(1_900_000_001_000));
        assert_eq!(ms("1d,00:00:07.12> frob"), Some(day + 7_120));
        // Behind a difference, the clock.
        assert_eq!(ms("5.973 [2031-01-02 00:00:01.250] frob"), Some(42 * day + 1_250));
    }

    #[test]
    fn what_stands_behind_a_stamp() {
        for text in [
            "01-02 00:00:01.250   774   774 I frobd   : quux",
            "[ 1.250000] frobd   : quux",
        ] {
            assert_eq!(said(text), "frobd   : quux", "{text}");
        }
        assert_eq!(said("frobd: quux"), "frobd: quux");
    }

    #[test]
    fn numbers_that_are_no_stamps() {
        for text in [
            "",
            "frob",
            "4.1 frob",
            "192.168.17.4 frob",
            "1.25.3 frob",
            "12:34 frob",
            "12:61:00 frob",
            "00:1f:2e:3d frob",
            "12.34",
            "190000000 frob",
            "2900000001 frob",
            "5 frob",
            "2031-01-02 frob",
            "0.123456789012 frob",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn only_one_form_is_one_clock() {
        let form = |text: &str| of(text).unwrap().0;
        assert_eq!(form("[ 1.250000] x"), form("[ 17.500000] x"));
        assert_ne!(form("[ 1.250000] x"), form("1.250000 x"));
        assert_ne!(form("1.25 x"), form("1.250 x"));
    }
}

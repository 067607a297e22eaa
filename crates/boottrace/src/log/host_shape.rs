// SPDX-License-Identifier: MIT
//! Stamps of capture programs that no list of forms knows: what nearly every line of a log begins with, and what grows
//! from line to line, is the capture's clock.

use super::clock::NS_PER_S;
use super::host_prefix::HostPrefix;
use super::line::HostSource;
use super::stamp::{days, digits, fraction, seconds, MONTHS};

const DAY_NS: i64 = 86_400 * NS_PER_S;
/// Seconds since 1970 in September 2001; no machine counts so far from its own start.
const EPOCH_FROM_S: i64 = 1_000_000_000;
/// Lines that must have the shape before it is believed.
const MIN_LINES: u32 = 5;
/// Shapes looked at in one log.
const MAX_SHAPES: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// `10:20:30.123`, with a comma or a colon before the fraction too.
    Clock,
    /// The same behind a date.
    Date,
    /// `1.234`
    Seconds,
    /// Seconds or milliseconds since 1970.
    Epoch,
}

/// How a capture program writes the time in front of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostShape {
    /// The opening bracket, or 0.
    open: u8,
    unit: Unit,
    /// What stands between stamp and text, or 0.
    mark: u8,
    tab: bool,
}

/// A stamp of any shape at the start of `bytes`: shape, ns, length of the prefix.
fn read(bytes: &[u8]) -> Option<(HostShape, i64, usize)> {
    let (open, close) = match bytes.first()? {
        b'[' => (b'[', b']'),
        b'(' => (b'(', b')'),
        b'<' => (b'<', b'>'),
        b'{' => (b'{', b'}'),
        b'0'..=b'9' => (0, 0),
        _ => return None,
    };
    let mut at = usize::from(open != 0);
    let (unit, ns, used) = stamp(&bytes[at..])?;
    at += used;
    if open != 0 {
        if bytes.get(at) != Some(&close) {
            return None;
        }
        at += 1;
    }
    // Docklight and others tell the direction.
    if matches!(bytes.get(at..), Some([b' ', b'[', b'R' | b'T', b'X', b']', ..])) {
        at += 5;
    }
    let blank = at;
    let spaced = at + usize::from(bytes.get(at) == Some(&b' '));
    let mut mark = 0;
    match bytes.get(spaced..).unwrap_or(&[]) {
        [sign @ (b'-' | b'='), b'>', ..] => {
            mark = *sign;
            at = spaced + 2;
        }
        [sign @ (b':' | b'|' | b'>' | b',' | b';'), ..] => {
            mark = *sign;
            at = spaced + 1;
        }
        [b'-', b' ', ..] if spaced > blank => {
            mark = b'-';
            at = spaced + 1;
        }
        _ => {}
    }
    let tab = bytes.get(at) == Some(&b'\t');
    at += usize::from(tab || bytes.get(at) == Some(&b' '));
    if open == 0 && at == blank && at != bytes.len() {
        return None;
    }
    let shape = HostShape { open, unit, mark, tab };
    // The kernel and the loaders have brackets of their own; ftrace has bars.
    let taken = unit == Unit::Seconds && (open == b'[' || mark == b'|');
    (!taken).then_some((shape, ns, at))
}

/// What the clock shows, and the bytes used.
fn stamp(bytes: &[u8]) -> Option<(Unit, i64, usize)> {
    if let Some((ns, used)) = clock(bytes) {
        return Some((Unit::Clock, ns, used));
    }
    if let Some((day_ns, date)) = date(bytes) {
        let between = match bytes.get(date..)? {
            [b',', b' ', ..] => 2,
            [b' ' | b'T' | b'_' | b'-' | b':', ..] => 1,
            _ => return None,
        };
        let time = &bytes[date + between..];
        let (ns, used) = clock(time).or_else(|| clock_behind_date(time))?;
        let end = date + between + used;
        return Some((
            Unit::Date,
            day_ns.checked_add(ns)?,
            end + usize::from(bytes.get(end) == Some(&b'Z')),
        ));
    }
    if let Some((ns, used, _)) = seconds(bytes) {
        let unit = if ns / NS_PER_S >= EPOCH_FROM_S {
            Unit::Epoch
        } else {
            Unit::Seconds
        };
        return Some((unit, ns, used));
    }
    let (count, used) = digits(bytes)?;
    let count = i64::try_from(count).ok()?;
    let ns = match used {
        10 => count.checked_mul(NS_PER_S)?,
        13 => count.checked_mul(NS_PER_S / 1000)?,
        _ => return None,
    };
    (ns / NS_PER_S >= EPOCH_FROM_S).then_some((Unit::Epoch, ns, used))
}

/// `1:02:03`, `10:20:30.123`, `10:20:30:123`: since midnight or since the start.
fn clock(bytes: &[u8]) -> Option<(i64, usize)> {
    let (hours, at) = digits(bytes).filter(|(_, used)| *used <= 3)?;
    let two = |at: usize| match bytes.get(at..at + 3)? {
        [b':', a @ b'0'..=b'5', b @ b'0'..=b'9'] => Some(i64::from(a - b'0') * 10 + i64::from(b - b'0')),
        _ => None,
    };
    let (minutes, whole) = (two(at)?, two(at + 3)?);
    let mut used = at + 6;
    let mut ns = ((i64::try_from(hours).ok()? * 60 + minutes) * 60 + whole) * NS_PER_S;
    if let Some(sign @ (b'.' | b',' | b':')) = bytes.get(used) {
        if let Some((part_ns, decimals)) = fraction(&bytes[used + 1..]).filter(|(_, n)| *sign != b':' || *n == 3) {
            ns += part_ns;
            used += 1 + decimals;
        }
    }
    if let Some((later_ns, more)) = half_of_day(&bytes[used..], hours) {
        ns += later_ns;
        used += more;
    }
    Some((ns, used))
}

/// ` PM` behind a time: what it adds, and the bytes used.
fn half_of_day(bytes: &[u8], hours: u64) -> Option<(i64, usize)> {
    const HALF_NS: i64 = DAY_NS / 2;
    let blank = usize::from(bytes.first() == Some(&b' '));
    let letters = [*bytes.get(blank)?, *bytes.get(blank + 1)?].map(|b| b.to_ascii_uppercase());
    let behind = bytes.get(blank + 2);
    if !(1..=12).contains(&hours) || behind.is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    let later_ns = match (&letters, hours) {
        (b"AM", 12) => -HALF_NS,
        (b"PM", 1..=11) => HALF_NS,
        (b"AM" | b"PM", _) => 0,
        _ => return None,
    };
    Some((later_ns, blank + 2))
}

/// Times of day that only a date in front shows to be ones: `10:20.30` as MobaXterm writes it, `102030`.
fn clock_behind_date(bytes: &[u8]) -> Option<(i64, usize)> {
    let number = |at: usize| match bytes.get(at..at + 2)? {
        [a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(i64::from(a - b'0') * 10 + i64::from(b - b'0')),
        _ => None,
    };
    let (minutes_at, seconds_at) = match bytes.get(..6)? {
        [_, _, b':', _, _, b'.'] => (3, 6),
        _ => (2, 4),
    };
    let (hours, minutes, whole) = (number(0)?, number(minutes_at)?, number(seconds_at)?);
    let mut used = seconds_at + 2;
    if hours > 23 || minutes > 59 || whole > 60 || bytes.get(used).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let mut ns = ((hours * 60 + minutes) * 60 + whole) * NS_PER_S;
    if let Some((part_ns, decimals)) = bytes.get(used + 1..).and_then(fraction).filter(|_| bytes[used] == b'.') {
        ns += part_ns;
        used += 1 + decimals;
    }
    Some((ns, used))
}

/// `2026-11-20`, `2026/11/20`, `20.11.2026`, `11/20/2026`, `11/20/26`, `20/Nov/2026`, `20261120` as ns since 1970. Where day and month cannot be told apart the
/// month comes first: it matters at midnight only.
fn date(bytes: &[u8]) -> Option<(i64, usize)> {
    let (first, a) = digits(bytes)?;
    if a == 8 {
        return day(first / 10_000, first / 100 % 100, first % 100).map(|ns| (ns, a));
    }
    let sign = bytes.get(a).filter(|b| matches!(b, b'-' | b'/' | b'.'))?;
    if let Some(month) = MONTHS.iter().position(|name| bytes[a + 1..].starts_with(name)) {
        let year_at = a + 5;
        let (year, used) = digits(bytes.get(year_at..)?).filter(|(_, used)| *used == 4)?;
        let day_ns = day(year, month as u64 + 1, first)?;
        return (a <= 2 && bytes[year_at - 1] == *sign).then_some((day_ns, year_at + used));
    }
    let (second, b) = digits(bytes.get(a + 1..)?)?;
    if bytes.get(a + 1 + b) != Some(sign) {
        return None;
    }
    let (third, c) = digits(bytes.get(a + b + 2..)?)?;
    let (year, month, of_month) = match (a, b, c) {
        (4, 1..=2, 1..=2) => (first, second, third),
        (1..=2, 1..=2, 4) if first > 12 || *sign == b'.' => (third, second, first),
        (1..=2, 1..=2, 4) => (third, first, second),
        (2, 2, 2) if *sign == b'/' && first <= 12 => (2000 + third, first, second),
        (2, 2, 2) if *sign == b'-' => (2000 + first, second, third),
        (2, 2, 2) => (2000 + third, second, first),
        _ => return None,
    };
    Some((day(year, month, of_month)?, a + b + c + 2))
}

/// A day as ns since 1970.
fn day(year: u64, month: u64, of_month: u64) -> Option<i64> {
    let valid = (1970..=2200).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&of_month);
    let [year, month, of_month] = [year, month, of_month].map(|number| i64::try_from(number).unwrap_or(0));
    days(year, month, of_month).checked_mul(DAY_NS).filter(|_| valid)
}

impl HostShape {
    /// `3.42 `, which loaders print too.
    pub fn is_bare_seconds(self) -> bool {
        self.unit == Unit::Seconds && self.open == 0
    }

    /// The prefix of a line that has this shape.
    pub fn peel(self, bytes: &[u8]) -> Option<HostPrefix> {
        let (_, ns, length) = read(bytes).filter(|(shape, ..)| *shape == self)?;
        Some(HostPrefix {
            ns,
            source: match self.unit {
                Unit::Clock | Unit::Date => HostSource::ClockTime,
                Unit::Seconds | Unit::Epoch => HostSource::Capture,
            },
            length,
            sender: None,
            level: None,
        })
    }
}

struct Tally {
    shape: HostShape,
    lines: u32,
    ordered: u32,
    changes: u32,
    last_ns: i64,
    /// Which of the lines that are not blank was its first and its last one.
    first: u32,
    last: u32,
}

impl Tally {
    /// In a page's text a log stands alone with its clock: nearly every line from its first stamp to its last one has it,
    /// and none goes back.
    fn is_a_run(&self) -> bool {
        const LINES: u32 = 12;
        let span = self.last - self.first + 1;
        self.lines >= LINES
            && self.lines * 10 >= span * 9
            && self.ordered == self.lines
            && self.changes * 2 >= self.lines
    }
}

/// Finds out which shape a log has, if any.
#[derive(Default)]
pub struct Shapes {
    lines: u32,
    seen: Vec<Tally>,
}

impl Shapes {
    /// Takes the text of one line that is not blank.
    pub fn line(&mut self, bytes: &[u8]) {
        self.lines += 1;
        let Some((shape, ns, _)) = read(bytes.trim_ascii_start()) else {
            return;
        };
        if let Some(tally) = self.seen.iter_mut().find(|tally| tally.shape == shape) {
            tally.lines += 1;
            tally.ordered += u32::from(ns >= tally.last_ns);
            tally.changes += u32::from(ns != tally.last_ns);
            tally.last_ns = ns;
            tally.last = self.lines;
        } else if self.seen.len() < MAX_SHAPES {
            self.seen.push(Tally {
                shape,
                lines: 1,
                ordered: 1,
                changes: 0,
                last_ns: ns,
                first: self.lines,
                last: self.lines,
            });
        }
    }

    /// The shape that three of four lines have, or nearly all of a run of lines, when its clock goes forward.
    pub fn learned(&self) -> Option<HostShape> {
        let best = self.seen.iter().max_by_key(|tally| tally.lines)?;
        let common = best.lines >= MIN_LINES && best.lines / 3 >= (self.lines - best.lines) || best.is_a_run();
        let clock = best.changes > 0 && best.ordered * 10 >= best.lines * 9;
        (common && clock).then_some(best.shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(line: impl Fn(u32) -> String) -> Option<HostShape> {
        let mut shapes = Shapes::default();
        (0..9).for_each(|n| shapes.line(line(n).as_bytes()));
        shapes.learned()
    }

    #[test]
    fn a_run_of_stamps_in_a_page_is_a_clock() {
        let read = |stamp: fn(u32) -> u32| {
            let mut shapes = Shapes::default();
            (0..12).for_each(|n| shapes.line(format!("Words {n} of a page").as_bytes()));
            (0..14).for_each(|n| shapes.line(format!("   3.{:03} U-Boot says {n}", 100 + 7 * stamp(n)).as_bytes()));
            shapes.learned()
        };
        assert!(read(|n| n).is_some());
        assert!(read(|n| n % 5).is_none());
    }

    #[test]
    fn a_clock_on_nearly_every_line_is_the_captures() {
        let (second, minute) = (NS_PER_S, 60 * NS_PER_S);
        for (text, ns) in [
            ("170000000%.600: ", None),
            ("[170000000%.600] ", None),
            ("170000000% ", None),
            ("%.600\t", Some(600_000_000)),
            ("00:00:0% ", Some(0)),
            ("[10:00:0%:600] ", Some(600 * minute + 600_000_000)),
            ("(1:00:0%.5) ", Some(60 * minute + second / 2)),
            ("10:00:0%,600 -> ", None),
            ("10:00:0%.600 | ", None),
            ("2026/11/20 10:00:0%.600 ", None),
            ("[11/20/2026 10:00:0%.600] ", None),
            ("20.11.2026, 10:00:0%: ", None),
            ("[2026-11-20 10:00.0%] ", None),
            ("[2026/11/20-10:00:0%:600] ", None),
            ("20261120-10000%: ", None),
            ("[20/Nov/2026:10:00:0%] ", None),
            ("11/20/26 10:00:0% - ", None),
            ("[11/20/2026 01:00:0%.600 PM] ", None),
            ("12:00:0% am ", Some(0)),
            ("1:00:0% PM> ", Some(780 * minute)),
            ("11/20/2026 10:00:0%.600 [RX] - ", None),
        ] {
            let line = |n: u32| format!("{}text", text.replace('%', &n.to_string()));
            let shape = learned(line).unwrap_or_else(|| panic!("{text}"));
            let found = shape.peel(line(0).as_bytes()).unwrap();
            assert_eq!(&line(0)[found.length..], "text", "{text}");
            assert_eq!(found.ns, ns.unwrap_or(found.ns), "{text}");
            let next = shape.peel(line(1).as_bytes()).unwrap();
            assert_eq!(next.ns - found.ns, second, "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_clock() {
        assert_eq!(learned(|n| format!("[    0.00000{n}] text")), None);
        assert_eq!(learned(|n| format!("[0{n}.634]text")), None);
        assert_eq!(learned(|n| format!("1.00000{n} |   0)  a-1 |   f();")), None);
        assert_eq!(learned(|_| "10:00:00 text".to_owned()), None, "it stands still");
        assert_eq!(learned(|n| format!("10:00:0{} text", 9 - n)), None, "it goes back");
        assert_eq!(
            learned(|n| if n < 4 { format!("10:00:0{n} a") } else { "b".to_owned() }),
            None
        );
        assert_eq!(learned(|n| format!("{n}.5s some.service")), None);
    }
}

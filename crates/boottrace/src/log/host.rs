// SPDX-License-Identifier: MIT
//! Prefixes that the capturing side puts before a line.

use super::date_words::{ends_a_date, weekday_first, year};
use super::host_prefix::HostPrefix;
use super::level::level;
use super::line::HostSource;
use super::nameless;
use super::stamp::{clock_time, digits, iso_time, month_and_day, seconds, syslog_time};
use super::style::{Style, PRINTK_WIDTH};

/// Reads one host prefix at the start of `bytes`.
pub fn peel(bytes: &[u8], style: Style) -> Option<HostPrefix> {
    let found = known(bytes, style);
    // A form that the log has on most lines may have more to it than the known one: `10:20:30.123 -> `.
    let learned = style.shape.and_then(|shape| shape.peel(bytes));
    match (found, learned) {
        (Some(found), Some(learned)) if learned.length > found.length => Some(learned),
        (found, learned) => found
            .or(learned)
            .or_else(|| style.form.and_then(|form| form.peel(bytes))),
    }
}

fn known(bytes: &[u8], style: Style) -> Option<HostPrefix> {
    match bytes.first()? {
        b'<' => rfc5424(bytes).or_else(|| dated_level(bytes, style)),
        b'[' => bracketed(bytes, style),
        b'0'..=b'9' => bare_clock(bytes, style)
            .or_else(|| syslog(bytes, style))
            .or_else(|| of_a_runner(bytes)),
        b'A'..=b'Z' | b'a'..=b'z' | 0xc3.. => syslog(bytes, style),
        _ => None,
    }
}

/// `<6>[01-03 09:43:51.503000] [17: kworker/0:1]text` of kernels of phones: level, date, task.
fn dated_level(bytes: &[u8], style: Style) -> Option<HostPrefix> {
    let (level, at) = level(bytes)?;
    let date = bytes.get(at..)?;
    let inside = date.strip_prefix(b"[")?;
    let (_, used) = month_and_day(inside)?;
    let found = bracketed(date, style).filter(|_| inside.get(used) == Some(&b']'))?;
    let mut length = at + found.length;
    if let Some(task) = bytes[length..].strip_prefix(b"[") {
        let named = digits(task).filter(|(_, used)| task[*used..].starts_with(b": "));
        let end = task
            .iter()
            .take(48)
            .position(|b| *b == b']')
            .filter(|_| named.is_some());
        length += end.map_or(0, |end| end + 2);
    }
    Some(HostPrefix {
        length,
        level: Some(level),
        ..found
    })
}

#[allow(clippy::unnecessary_wraps)] // every caller returns it as it is
fn plain(ns: i64, source: HostSource, length: usize) -> Option<HostPrefix> {
    Some(HostPrefix {
        ns,
        source,
        length,
        sender: None,
        level: None,
    })
}

/// `471s [    1.250000] `: autopkgtest counts the seconds of a test.
fn of_a_runner(bytes: &[u8]) -> Option<HostPrefix> {
    let (seconds, used) = digits(bytes).filter(|(_, used)| *used <= 7)?;
    let ns = i64::try_from(seconds).ok()?.checked_mul(1_000_000_000)?;
    bytes[used..]
        .starts_with(b"s [")
        .then(|| plain(ns, HostSource::Capture, used + 2))
        .flatten()
}

/// grabserial `[1.234567 0.001234] `, `[10:20:30.123456 0.001234] `, terminals `[2026-11-20 10:20:30.123] `,
/// `dmesg -T` `[Fri Nov 20 10:20:30 2026] `.
fn bracketed(bytes: &[u8], style: Style) -> Option<HostPrefix> {
    let inside = &bytes[1..];
    let blank_after = |end: usize| end + 1 + usize::from(bytes.get(end + 1) == Some(&b' '));
    if let Some((ns, used, decimals)) = seconds(inside) {
        if let Some(end) = delta(inside, used) {
            return plain(ns, HostSource::Capture, blank_after(end + 1));
        }
        let closed = inside.get(used) == Some(&b']');
        let before_kernel_stamp = bytes[blank_after(used + 1).min(bytes.len())..].starts_with(b"[ ");
        if closed && decimals == 6 && used < PRINTK_WIDTH && (style.narrow_is_host || before_kernel_stamp) {
            return plain(ns, HostSource::Capture, blank_after(used + 1));
        }
        return None;
    }
    // `[01-03 09:43:51.503] ` of kernels of phones, from the moment at which they know the date.
    if let Some((ns, used)) =
        month_and_day(inside).filter(|(_, used)| style.shape.is_none() && inside.get(*used) == Some(&b']'))
    {
        let source = if style.dates_are_host {
            HostSource::ClockTime
        } else {
            HostSource::Computed
        };
        return plain(ns, source, blank_after(used + 1));
    }
    if let Some((ns, used)) = clock_time(inside).or_else(|| iso_time(inside)) {
        let end = if inside.get(used) == Some(&b']') {
            Some(used)
        } else {
            delta(inside, used)
        };
        return plain(ns, HostSource::ClockTime, blank_after(end? + 1));
    }
    // The day's name has two to five letters, and a dot in some languages.
    let day = inside.iter().take(12).position(|b| *b == b' ').filter(|at| *at >= 2)?;
    let named = inside[..day]
        .iter()
        .all(|b| b.is_ascii_alphabetic() || *b == b'.' || *b >= 0x80);
    let date = inside.get(day + 1..).filter(|_| named)?;
    let end = inside.iter().take(48).position(|b| *b == b']')?;
    let (ns, used) = syslog_time(date)?;
    // Tera Term's `[Mon Jan 01 10:20:30.123 2024]` has a fraction, `dmesg -T` has none; conserver stamps what has a
    // stamp of its own.
    let source = if style.dates_are_host || date[..used].contains(&b'.') {
        HostSource::ClockTime
    } else {
        HostSource::Computed
    };
    plain(ns, source, blank_after(end + 1))
}

/// ` 0.001234]` behind grabserial's absolute time; returns where the bracket closes.
fn delta(inside: &[u8], at: usize) -> Option<usize> {
    if inside.get(at) != Some(&b' ') {
        return None;
    }
    let from = at + 1 + usize::from(inside.get(at + 1) == Some(&b'-'));
    let (_, used, _) = seconds(inside.get(from..)?)?;
    (inside.get(from + used) == Some(&b']')).then_some(from + used)
}

/// LAVA's plain logs and others: `10:20:30.123456  text`, `2026-11-20T10:20:30.123456 text`,
/// and the journal's `2026-11-20T10:20:30+01:00 host kernel: text`.
fn bare_clock(bytes: &[u8], style: Style) -> Option<HostPrefix> {
    if let Some(found) = installer(bytes) {
        return Some(found);
    }
    if let Some((ns, used)) = clock_time(bytes) {
        // A bare time of day without a fraction is too easily a part of the text.
        let exact = used > 9;
        let blanks = bytes[used..].iter().take(2).take_while(|b| **b == b' ').count();
        let ends = used == bytes.len();
        if (exact && (blanks > 0 || ends)) || blanks == 2 {
            return plain(ns, HostSource::Lava, used + blanks);
        }
        return None;
    }
    if let Some(found) = unix_time(bytes) {
        return Some(found);
    }
    let (ns, used) = iso_time(bytes)?;
    let blanks = bytes[used..].iter().take(2).take_while(|b| **b == b' ').count();
    if blanks == 0 && used != bytes.len() {
        return None;
    }
    let at = used + blanks;
    if let Some((from, to, length)) = sender(&bytes[at..]).or_else(|| nameless::sender(&bytes[at..], style)) {
        return Some(HostPrefix {
            ns,
            source: HostSource::Syslog,
            length: at + length,
            sender: Some((from + at, to + at)),
            level: None,
        });
    }
    plain(ns, HostSource::Lava, at)
}

/// `03:09:07,531 NOTICE kernel:text` of Anaconda's syslog.
fn installer(bytes: &[u8]) -> Option<HostPrefix> {
    const LEVELS: [&[u8]; 8] = [
        b"EMERG", b"ALERT", b"CRIT", b"ERR", b"WARNING", b"NOTICE", b"INFO", b"DEBUG",
    ];
    let (ns, _) = clock_time(bytes.get(..8)?).filter(|(_, used)| *used == 8)?;
    let (ms, _) = digits(bytes.get(9..)?).filter(|(_, used)| *used == 3)?;
    let ms = i64::try_from(ms).ok()?;
    let rest = bytes.get(13..).filter(|_| bytes[8] == b',' && bytes[12] == b' ')?;
    let blank = rest.iter().take(8).position(|b| *b == b' ')?;
    let level = LEVELS.iter().position(|level| rest[..blank] == **level)?;
    let from = 14 + blank;
    let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'(' | b')');
    let to = from + bytes[from..].iter().take(64).take_while(|b| word(b)).count();
    (to > from && bytes.get(to) == Some(&b':')).then(|| HostPrefix {
        ns: ns + ms * 1_000_000,
        source: HostSource::Syslog,
        length: to + 1,
        sender: Some((from, to)),
        // A level tells of the kernel: daemons' and programs' logs have it too.
        level: u8::try_from(level).ok().filter(|_| bytes[from..to] == *b"kernel"),
    })
}

/// `journalctl -o short-unix`: `1700000000.123456 host kernel: `.
fn unix_time(bytes: &[u8]) -> Option<HostPrefix> {
    let (ns, used, decimals) = seconds(bytes)?;
    let at = used + 1;
    if decimals != 6 || used < PRINTK_WIDTH || bytes.get(used) != Some(&b' ') {
        return None;
    }
    let (from, to, length) = sender(&bytes[at..])?;
    Some(HostPrefix {
        ns,
        source: HostSource::Syslog,
        length: at + length,
        sender: Some((from + at, to + at)),
        level: None,
    })
}

/// `Nov 20 10:20:30 host kernel: `, with a fraction or a weekday and a zone as the journal has them.
fn syslog(bytes: &[u8], style: Style) -> Option<HostPrefix> {
    let (ns, mut at) = if let Some(found) = syslog_time(bytes) {
        found
    } else if let Some((ns, used)) = bytes.get(4..).filter(|_| bytes[3] == b' ').and_then(syslog_time) {
        // OpenWrt's logread: `Mon Jan  1 00:00:05 2024 kern.info kernel: `.
        (ns, 4 + used)
    } else {
        let weekday = bytes
            .get(..4)
            .filter(|w| w[3] == b' ' && w[..3].iter().all(u8::is_ascii_alphabetic))?;
        let (ns, used) = iso_time(&bytes[weekday.len()..])?;
        let mut at = weekday.len() + used;
        if bytes.get(at) == Some(&b' ') {
            // The zone's name.
            at += 1 + bytes[at + 1..]
                .iter()
                .take(8)
                .take_while(|b| !b.is_ascii_whitespace())
                .count();
        }
        (ns, at)
    };
    if bytes.get(at) != Some(&b' ') {
        return None;
    }
    at += 1;
    // sysvinit's bootlogd: `Mon Jan  1 00:00:05 2024: Starting frobd`.
    if weekday_first(bytes)
        && matches!(
            bytes.get(at..at + 6),
            Some([b'1' | b'2', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b':', b' '])
        )
    {
        return plain(ns, HostSource::Syslog, at + 6);
    }
    at += year(&bytes[at..]);
    at += nameless::zone(&bytes[at..]);
    // klogd on small systems names no host: `Nov 20 10:20:30 kernel: `.
    let hostless = || bytes[at..].starts_with(b"kernel: ").then_some((0, 6, 8));
    match sender(&bytes[at..])
        .or_else(|| levelled_sender(&bytes[at..]))
        .or_else(hostless)
        .or_else(|| nameless::sender(&bytes[at..], style))
    {
        Some((from, to, length)) => Some(HostPrefix {
            ns,
            source: HostSource::Syslog,
            length: at + length,
            sender: Some((from + at, to + at)),
            level: None,
        }),
        // What `date` prints is a line of its own, and dates no other text: `Fri Nov 20 10:20:30 UTC 2026`.
        None if ends_a_date(&bytes[at..]) => None,
        // `ts` of moreutils writes the same date before plain text.
        None => plain(ns, HostSource::ClockTime, at),
    }
}

/// RFC 5424, `<6>1 2026-11-20T10:20:30.123Z host kernel - - - text`.
fn rfc5424(bytes: &[u8]) -> Option<HostPrefix> {
    let (priority, used) = digits(bytes.get(1..)?)?;
    let mut at = 1 + used;
    if priority > 191 || bytes.get(at..at + 3)? != b">1 " {
        return None;
    }
    at += 3;
    let (ns, used) = iso_time(&bytes[at..])?;
    at += used;
    let mut words = [(0, 0); 4];
    for word in &mut words {
        if bytes.get(at) != Some(&b' ') {
            return None;
        }
        at += 1;
        let length = bytes[at..].iter().take(256).position(|b| *b == b' ')?;
        *word = (at, at + length);
        at += length;
    }
    // Structured data: a dash, or brackets one behind the other.
    at += 1;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    } else {
        while bytes.get(at) == Some(&b'[') {
            at += 1 + memchr::memchr(b']', &bytes[at..])?;
        }
    }
    at += usize::from(bytes.get(at) == Some(&b' '));
    let bom = bytes
        .get(at..)
        .is_some_and(|rest| rest.starts_with("\u{feff}".as_bytes()));
    Some(HostPrefix {
        ns,
        source: HostSource::Syslog,
        length: at + if bom { 3 } else { 0 },
        sender: Some(words[1]),
        level: Some((priority & 7) as u8),
    })
}

/// BusyBox and OpenWrt name facility and level before the sender: `host kern.info kernel: `, `daemon.notice procd: `.
fn levelled_sender(bytes: &[u8]) -> Option<(usize, usize, usize)> {
    const LEVELS: [&[u8]; 9] = [
        b"emerg", b"alert", b"crit", b"err", b"warn", b"warning", b"notice", b"info", b"debug",
    ];
    let mut at = 0;
    // With or without a host's name before it.
    for _ in 0..2 {
        let word = bytes[at..].iter().take(64).position(|b| *b == b' ')?;
        let text = &bytes[at..at + word];
        at += word + 1;
        let dot = memchr::memrchr(b'.', text);
        if !dot.is_some_and(|dot| dot > 0 && LEVELS.contains(&&text[dot + 1..])) {
            continue;
        }
        let name = bytes[at..]
            .iter()
            .take(64)
            .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/')))?;
        let mut end = at + name;
        if bytes.get(end) == Some(&b'[') {
            end += 2 + digits(bytes.get(end + 1..)?)?.1;
        }
        if name == 0 || bytes.get(end) != Some(&b':') {
            return None;
        }
        end += 1;
        end += usize::from(bytes.get(end) == Some(&b' '));
        return Some((at, at + name, end));
    }
    None
}

/// `host kernel: `, `host systemd[1]: `: range of the sender's name and length with the blank.
pub fn sender(bytes: &[u8]) -> Option<(usize, usize, usize)> {
    let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_' | b'/' | b'(' | b')' | b'@');
    let host = bytes.iter().take(64).take_while(|b| word(b)).count();
    if host == 0 || bytes.get(host) != Some(&b' ') {
        return None;
    }
    let from = host + 1;
    let name = bytes[from..].iter().take(64).take_while(|b| word(b)).count();
    if name == 0 {
        return None;
    }
    let to = from + name;
    let mut at = to;
    if bytes.get(at) == Some(&b'[') {
        let (_, used) = digits(bytes.get(at + 1..)?)?;
        at += 1 + used;
        if bytes.get(at) != Some(&b']') {
            return None;
        }
        at += 1;
    } else if &bytes[from..to] != b"kernel" {
        // Without a pid only the kernel is taken: `usb 1-1: New device` has the same shape.
        return None;
    }
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    Some((from, to, at + usize::from(bytes.get(at) == Some(&b' '))))
}

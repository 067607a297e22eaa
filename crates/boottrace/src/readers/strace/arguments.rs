// SPDX-License-Identifier: MIT
//! Single arguments out of what strace prints between the brackets.

use crate::text::number::{digits, integer, signed};

/// Bytes of a path or command that are kept.
const TEXT_MAX_BYTES: usize = 1024;
/// Bytes that are kept of what is only shown: calls, commands.
pub const SHOWN_MAX_BYTES: usize = 200;

/// The first text in quotes, with C's escapes resolved; cut where strace cut it, and at a kilobyte.
pub fn text(arguments: &[u8]) -> Option<String> {
    let start = memchr::memchr(b'"', arguments)? + 1;
    let mut out = Vec::new();
    let mut rest = arguments.get(start..)?.iter().copied();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => return Some(String::from_utf8_lossy(&out).into_owned()),
            b'\\' => out.push(escaped(&mut rest)?),
            byte => out.push(byte),
        }
        if out.len() >= TEXT_MAX_BYTES {
            return Some(String::from_utf8_lossy(&out).into_owned());
        }
    }
    None
}

fn escaped(rest: &mut (impl Iterator<Item = u8> + Clone)) -> Option<u8> {
    let base = |byte: u8| byte - b'0';
    Some(match rest.next()? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'v' => 11,
        b'f' => 12,
        b'x' => {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            let high = digit(rest.next()?)?;
            let low = digit(rest.next()?)?;
            u8::try_from(high * 16 + low).ok()?
        }
        first @ b'0'..=b'7' => {
            let mut value = u32::from(base(first));
            for _ in 0..2 {
                let mut ahead = rest.clone();
                match ahead.next() {
                    Some(byte @ b'0'..=b'7') => {
                        value = value * 8 + u32::from(base(byte));
                        *rest = ahead;
                    }
                    _ => break,
                }
            }
            u8::try_from(value & 0xff).ok()?
        }
        other => other,
    })
}

/// The argument of this number, counted from 0; commas inside brackets and quotes do not count.
pub fn nth(arguments: &[u8], number: usize) -> &[u8] {
    let mut depth = 0_i32;
    let mut quoted = false;
    let mut start = 0;
    let mut index = 0;
    let mut at = 0;
    while at < arguments.len() {
        match arguments[at] {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            b'(' | b'[' | b'{' if !quoted => depth += 1,
            b')' | b']' | b'}' if !quoted => depth -= 1,
            b',' if !quoted && depth == 0 => {
                if index == number {
                    return arguments[start..at].trim_ascii();
                }
                index += 1;
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if index == number {
        arguments.get(start..).unwrap_or(b"").trim_ascii()
    } else {
        b""
    }
}

/// What was left of the time when the call returned, in the note behind its result: `left {tv_sec=29, tv_nsec=998777348}`.
pub fn left_ns(note: &[u8]) -> Option<i64> {
    let at = memchr::memmem::find(note, b"left ")?;
    let rest = &note[at + 5..];
    let end = memchr::memchr(b'}', rest)?;
    time_ns(&rest[..=end])
}

/// A file descriptor, with the path that `-y` prints behind it.
pub fn descriptor(argument: &[u8]) -> Option<(u32, Option<String>)> {
    let (number, used) = digits(argument);
    let number = u32::try_from(number).ok().filter(|_| used > 0)?;
    let path = argument[used..]
        .strip_prefix(b"<")
        .and_then(|rest| rest.strip_suffix(b">"))
        .map(|path| String::from_utf8_lossy(&path[..path.len().min(TEXT_MAX_BYTES)]).into_owned());
    Some((number, path))
}

/// `{tv_sec=1, tv_nsec=5}` or `{tv_sec=1, tv_usec=5}` as nanoseconds; the last one of the text.
pub fn time_ns(arguments: &[u8]) -> Option<i64> {
    let at = memchr::memmem::find(arguments, b"tv_sec=")?;
    let (seconds, used) = digits(&arguments[at + 7..]);
    let rest = &arguments[at + 7 + used..];
    let fraction = |name: &[u8], unit: u64| {
        memchr::memmem::find(rest, name).map(|at| digits(&rest[at + name.len()..]).0.saturating_mul(unit))
    };
    let ns = fraction(b"tv_nsec=", 1)
        .or_else(|| fraction(b"tv_usec=", 1000))
        .unwrap_or(0);
    (used > 0).then(|| signed(seconds.saturating_mul(1_000_000_000).saturating_add(ns)))
}

/// A command as people write it: the words of the list, or the path alone.
pub fn command(path: &str, list: &[u8]) -> String {
    let mut words = vec![path.to_owned()];
    let inside = list.strip_prefix(b"[").unwrap_or(b"");
    for number in 1..8 {
        let word = nth(inside, number);
        match text(word) {
            Some(word) => words.push(word),
            None => break,
        }
    }
    let mut text = words.join(" ");
    if text.len() > SHOWN_MAX_BYTES {
        let end = (0..=SHOWN_MAX_BYTES)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0);
        text.truncate(end);
    }
    text
}

/// The time that a wait was given, where its arguments say so.
pub fn asked_ns(name: &[u8], text: &[u8]) -> Option<i64> {
    let milliseconds = |argument: &[u8]| {
        integer(argument)
            .filter(|&ms| ms >= 0)
            .map(|ms| ms.saturating_mul(1_000_000))
    };
    match name {
        b"poll" => milliseconds(nth(text, 2)),
        b"epoll_wait" | b"epoll_pwait" => milliseconds(nth(text, 3)),
        b"select" | b"_newselect" | b"pselect6" | b"pselect6_time64" => time_ns(nth(text, 4)),
        b"ppoll" | b"ppoll_time64" => time_ns(nth(text, 2)),
        b"nanosleep" => time_ns(nth(text, 0)),
        b"clock_nanosleep" | b"clock_nanosleep_time64" if !nth(text, 1).starts_with(b"TIMER_ABSTIME") => {
            time_ns(nth(text, 2))
        }
        _ => None,
    }
}

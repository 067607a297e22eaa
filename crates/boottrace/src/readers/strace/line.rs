// SPDX-License-Identifier: MIT
//! One line of strace's output: whose it is, when, and what it says. Source: strace(1) and its `src/strace.c`.

use crate::text::number::{decimal_ns, digits, integer, signed};

const SECOND_NS: u64 = 1_000_000_000;
/// Stamps from here on are seconds since 1970 (`-ttt`), below it since the line before (`-r`).
const EPOCH_FROM_NS: u64 = 100_000_000 * SECOND_NS;

/// When a line was written, by the option that strace was called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stamp {
    /// `-t`, `-tt`: time of day, nanoseconds since midnight. Without a fraction a whole second is all that is known.
    OfDay { ns: i64, whole_seconds: bool },
    /// `-ttt`: since 1970.
    Epoch(i64),
    /// `-r`: since the line before.
    Since(i64),
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body<'a> {
    /// A call with its end, or with its end to come.
    Call(Call<'a>),
    /// The end of a call that another line began: its name, and the rest as a call has it.
    Resumed(Call<'a>),
    /// `+++ exited with 0 +++`, `+++ killed by SIGKILL +++`.
    Ended(&'a [u8]),
    /// `--- SIGCHLD {...} ---`.
    Signal,
    /// `strace: Process 123 attached`.
    Attached(u32),
    /// Part of a stack (`-k`), an empty line, strace's own words.
    Nothing,
}

/// A system call as printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// What stands between the brackets; as much as is there, for a call whose end is to come.
    pub arguments: &'a [u8],
    /// What it returned; `None` while it runs, and for `?`.
    pub result: Option<i64>,
    /// Name of the error: `ENOENT`.
    pub error: &'a [u8],
    /// What is said besides: `(Timeout)`.
    pub note: &'a [u8],
    /// With `-T`: how long it took.
    pub took_ns: Option<i64>,
    /// `<unfinished ...>`, or cut off.
    pub unfinished: bool,
    /// `strace: Process 123 attached` in the midst of the line.
    pub attached: Option<u32>,
}

/// A line taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// `1234 ` or `[pid 1234] `; strace prints none while it follows one process on a terminal.
    pub pid: Option<u32>,
    /// None without `-t` or `-r`.
    pub stamp: Option<Stamp>,
    /// The rest.
    pub body: Body<'a>,
}

/// Takes a line apart; `None` when it is none of strace's.
pub fn line(text: &[u8]) -> Option<Line<'_>> {
    let text = text.trim_ascii_end();
    let (pid, rest) = process(text);
    let (stamp, rest) = stamp(rest);
    let rest = without_brackets(rest.trim_ascii_start());
    let body = body(rest)?;
    Some(Line { pid, stamp, body })
}

fn process(text: &[u8]) -> (Option<u32>, &[u8]) {
    let start = text.trim_ascii_start();
    if let Some(rest) = start.strip_prefix(b"[pid ") {
        let rest = rest.trim_ascii_start();
        let (pid, used) = digits(rest);
        if let (Ok(pid), Some(rest)) = (u32::try_from(pid), rest[used..].strip_prefix(b"]")) {
            return (Some(pid), rest);
        }
    }
    let (pid, used) = digits(start);
    match start.get(used) {
        Some(b' ') if used > 0 => match u32::try_from(pid) {
            Ok(pid) => (Some(pid), &start[used..]),
            Err(_) => (None, text),
        },
        _ => (None, text),
    }
}

fn stamp(text: &[u8]) -> (Option<Stamp>, &[u8]) {
    let start = text.trim_ascii_start();
    let (stamp, mut rest) = match one_stamp(start) {
        Some((stamp, used)) => (Some(stamp), &start[used..]),
        None => (None, text),
    };
    // `-r` together with `-t`: "(+     0.000123) ".
    if let Some(relative) = rest.trim_ascii_start().strip_prefix(b"(+") {
        if let Some(end) = memchr::memchr(b')', relative) {
            rest = &relative[end + 1..];
        }
    }
    (stamp, rest)
}

fn one_stamp(text: &[u8]) -> Option<(Stamp, usize)> {
    let (hours, used) = digits(text);
    if used == 0 {
        return None;
    }
    if text.get(used) == Some(&b':') {
        let (minutes, more) = digits(&text[used + 1..]);
        let at = used + 1 + more;
        if text.get(at) != Some(&b':') || more == 0 || hours > 23 || minutes > 59 {
            return None;
        }
        // 60 is a leap second.
        let (seconds_ns, length) = decimal_ns(&text[at + 1..], SECOND_NS).filter(|(ns, _)| *ns < 61 * SECOND_NS)?;
        let ns = signed((hours * 3600 + minutes * 60) * SECOND_NS + seconds_ns);
        let end = at + 1 + length;
        let whole_seconds = length <= 2;
        return (text.get(end) == Some(&b' ')).then_some((Stamp::OfDay { ns, whole_seconds }, end));
    }
    let (ns, length) = decimal_ns(text, SECOND_NS)?;
    if text.get(length) != Some(&b' ') || length == used {
        return None;
    }
    let stamp = if ns >= EPOCH_FROM_NS {
        Stamp::Epoch(signed(ns))
    } else {
        Stamp::Since(signed(ns))
    };
    Some((stamp, length))
}

/// Leaves out the instruction pointer (`-i`) and the call's number (`-n`).
fn without_brackets(mut text: &[u8]) -> &[u8] {
    while let Some(inside) = text.strip_prefix(b"[") {
        let Some(end) = memchr::memchr(b']', inside).filter(|&end| end > 0) else {
            break;
        };
        let known = inside[..end]
            .iter()
            .all(|b| b.is_ascii_hexdigit() || matches!(b, b' ' | b'?'));
        if !known {
            break;
        }
        text = inside[end + 1..].trim_ascii_start();
    }
    text
}

fn body(text: &[u8]) -> Option<Body<'_>> {
    if text.is_empty() || text.starts_with(b"> ") || text == b"<unfinished ...>" {
        return Some(Body::Nothing);
    }
    if let Some(rest) = text.strip_prefix(b"+++ ") {
        return Some(Body::Ended(rest.strip_suffix(b" +++").unwrap_or(rest)));
    }
    if text.starts_with(b"--- ") {
        return Some(Body::Signal);
    }
    let words = text.strip_prefix(b"strace: ").unwrap_or(text);
    if let Some(rest) = words.strip_prefix(b"Process ") {
        let (pid, used) = digits(rest);
        if rest[used..].starts_with(b" attached") {
            return Some(u32::try_from(pid).map_or(Body::Nothing, Body::Attached));
        }
    }
    if text.starts_with(b"strace: ") {
        return Some(Body::Nothing);
    }
    if let Some(rest) = text.strip_prefix(b"<... ") {
        let end = memchr::memmem::find(rest, b" resumed>")?;
        let name = &rest[..end];
        return Some(Body::Resumed(call(name, &rest[end + b" resumed>".len()..])));
    }
    let open = memchr::memchr(b'(', text)?;
    let name = &text[..open];
    let is_name = (1..=40).contains(&open) && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_');
    is_name.then(|| Body::Call(call(name, &text[open + 1..])))
}

fn call<'a>(name: &'a [u8], rest: &'a [u8]) -> Call<'a> {
    let none = Call {
        name,
        arguments: rest,
        result: None,
        error: b"",
        note: b"",
        took_ns: None,
        unfinished: true,
        attached: None,
    };
    // A process that is attached meanwhile is announced in the midst of the line.
    let (rest, attached) = announced(rest);
    let none = Call { attached, ..none };
    if let Some(arguments) = rest.trim_ascii_end().strip_suffix(b"<unfinished ...>") {
        return Call { arguments, ..none };
    }
    let (rest, took_ns) = duration(rest);
    let Some((arguments, result)) = split_result(rest) else {
        return Call {
            arguments: rest,
            ..none
        };
    };
    let end = result.iter().position(|&b| b == b' ').unwrap_or(result.len());
    let value = &result[..end];
    let mut after = result[end..].trim_ascii_start();
    let mut error: &[u8] = b"";
    if after.first() == Some(&b'E') {
        let end = after
            .iter()
            .position(|&b| !b.is_ascii_alphanumeric() && b != b'_')
            .unwrap_or(after.len());
        (error, after) = (&after[..end], after[end..].trim_ascii_start());
    }
    Call {
        arguments,
        result: number(value),
        error,
        note: after,
        took_ns,
        unfinished: false,
        ..none
    }
}

/// Splits off `strace: Process 123 attached` at the end.
fn announced(rest: &[u8]) -> (&[u8], Option<u32>) {
    let found = rest
        .strip_suffix(b" attached")
        .and_then(|words| Some((words, memchr::memmem::rfind(words, b"strace: Process ")?)));
    let Some((words, at)) = found else {
        return (rest, None);
    };
    let (pid, used) = digits(&words[at + b"strace: Process ".len()..]);
    let whole = used > 0 && at + b"strace: Process ".len() + used == words.len();
    match u32::try_from(pid) {
        Ok(pid) if whole => (&rest[..at], Some(pid)),
        _ => (rest, None),
    }
}

/// `... <0.000123>` at the end.
fn duration(text: &[u8]) -> (&[u8], Option<i64>) {
    let text = text.trim_ascii_end();
    let Some(inside) = text.strip_suffix(b">") else {
        return (text, None);
    };
    let Some(open) = memchr::memrchr(b'<', inside) else {
        return (text, None);
    };
    match decimal_ns(&inside[open + 1..], SECOND_NS) {
        Some((ns, used)) if open + 1 + used == inside.len() => (text[..open].trim_ascii_end(), Some(signed(ns))),
        _ => (text, None),
    }
}

/// Splits `...)   = 3</dev/null>` behind the bracket; the last ` = ` that follows a bracket counts.
fn split_result(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut end = text.len();
    while let Some(at) = memchr::memmem::rfind(&text[..end], b" = ") {
        let before = text[..at].trim_ascii_end();
        if let Some(arguments) = before.strip_suffix(b")") {
            return Some((arguments, &text[at + 3..]));
        }
        end = at;
    }
    None
}

fn number(value: &[u8]) -> Option<i64> {
    if let Some(hex) = value.strip_prefix(b"0x") {
        let text = std::str::from_utf8(hex).ok()?;
        return i64::from_str_radix(text, 16).ok();
    }
    let end = value.iter().position(|&b| b == b'<').unwrap_or(value.len());
    integer(&value[..end])
}

/// What the head of a file says about being strace's output: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let mut seen = 0_u32;
    let mut calls = 0_u32;
    for text in head
        .split(|&b| b == b'\n')
        .filter(|text| !text.trim_ascii().is_empty())
        .take(60)
    {
        seen += 1;
        calls += match line(text).map(|line| line.body) {
            // A function's name with brackets stands in many logs; what it returned does not.
            Some(Body::Call(call)) => u32::from(!call.unfinished || text.ends_with(b"<unfinished ...>")),
            Some(Body::Resumed(_) | Body::Ended(_) | Body::Attached(_)) => 1,
            _ => 0,
        };
    }
    (calls > 0 && calls * 10 >= seen * 6).then_some(0.96)
}

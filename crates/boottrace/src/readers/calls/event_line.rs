// SPDX-License-Identifier: MIT
//! One line of ftrace's default text form (`trace`, `trace_pipe`) or of `trace-cmd report`.
//!
//! Format: `trace_print_context()` in `kernel/trace/trace_output.c`: `comm-pid (tgid) [cpu] flags stamp: event`.

use crate::text::number::{decimal_ns, digits, integer, signed};

/// Who, where and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context<'a> {
    /// Task name as recorded; may be `<...>` or `<idle>`.
    pub comm: &'a [u8],
    /// Task.
    pub pid: i64,
    /// Processor.
    pub cpu: u32,
    /// The trace's clock, nanoseconds.
    pub at_ns: i64,
}

/// Splits a line into its context and what follows the stamp; `None` when it has no such context.
pub fn parse(line: &[u8]) -> Option<(Context<'_>, &[u8])> {
    let mut from = 0;
    // A task name may hold brackets; the processor's are those after a pid and before a stamp.
    for _ in 0..8 {
        let Some(open) = memchr::memchr(b'[', &line[from..]).map(|at| from + at) else {
            break;
        };
        if let Some(found) = context_at(line, open) {
            return Some(found);
        }
        from = open + 1;
    }
    latency_form(line)
}

/// `swapper/0-1       0d..1   123456us+: event`: the latency format, which `ftrace_dump()` prints too
/// (`trace_print_lat_context()` in `kernel/trace/trace_output.c`).
fn latency_form(line: &[u8]) -> Option<(Context<'_>, &[u8])> {
    let us = memchr::memmem::find(line, b"us")?;
    let stamp_at = us - line[..us].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (at_us, used) = digits(&line[stamp_at..us]);
    let mark = line[us + 2..].iter().take(3).position(|b| *b == b':')?;
    let marked = line[us + 2..us + 2 + mark].iter().all(|b| b" !+#@*$".contains(b));
    let before = line[..stamp_at].trim_ascii_end();
    let flags_at = memchr::memrchr(b' ', before)? + 1;
    let (cpu, cpu_used) = digits(&before[flags_at..]);
    let flags = &before[flags_at + cpu_used..];
    let flagged = (3..=8).contains(&flags.len()) && flags.iter().all(|b| b".dDnNpBbhHsXzZ#0123456789".contains(b));
    if used == 0 || !marked || cpu_used == 0 || !flagged {
        return None;
    }
    let task = before[..flags_at].trim_ascii();
    let dash = memchr::memrchr(b'-', task)?;
    let context = Context {
        comm: task[..dash].trim_ascii(),
        pid: integer(&task[dash + 1..])?,
        cpu: u32::try_from(cpu).ok()?,
        at_ns: signed(at_us.saturating_mul(1000)),
    };
    Some((context, line[us + 3 + mark..].trim_ascii_start()))
}

fn context_at(line: &[u8], open: usize) -> Option<(Context<'_>, &[u8])> {
    let (cpu, used) = digits(line.get(open + 1..)?);
    if used == 0 || line.get(open + 1 + used) != Some(&b']') {
        return None;
    }
    let mut task = line[..open].trim_ascii();
    if task.ends_with(b")") {
        task = task[..memchr::memrchr(b'(', task)?].trim_ascii_end();
    }
    let dash = memchr::memrchr(b'-', task)?;
    let pid = integer(&task[dash + 1..])?;
    let rest = line[open + 2 + used..].trim_ascii_start();
    // Flags, when there are any, stand before the stamp and are one word.
    let mut words = rest;
    for _ in 0..3 {
        let word = words.split(u8::is_ascii_whitespace).next()?;
        if let Some((ns, used)) = stamp(word) {
            let context = Context {
                comm: task[..dash].trim_ascii(),
                pid,
                cpu: u32::try_from(cpu).ok()?,
                at_ns: ns,
            };
            return Some((context, words[used..].trim_ascii_start()));
        }
        words = words[word.len()..].trim_ascii_start();
    }
    None
}

/// `123.456789:`, or the `123456:` of a clock that counts plain numbers.
fn stamp(word: &[u8]) -> Option<(i64, usize)> {
    if !word.ends_with(b":") {
        return None;
    }
    let text = &word[..word.len() - 1];
    let (ns, used) = if text.contains(&b'.') {
        decimal_ns(text, 1_000_000_000)?
    } else {
        digits(text)
    };
    (used > 0 && used == text.len()).then_some((signed(ns), word.len()))
}

/// Value of `key=value` in an event's text, up to the next blank.
pub fn field<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut from = 0;
    while let Some(found) = memchr::memmem::find(&text[from..], key) {
        let at = from + found;
        let end = at + key.len();
        if text.get(end) == Some(&b'=') && (at == 0 || !text[at - 1].is_ascii_alphanumeric() && text[at - 1] != b'_') {
            return text[end + 1..].split(|b| *b == b' ' || *b == b',').next();
        }
        from = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_of_all_kinds() {
        for line in [
            "       swapper/0-1     [000] d..1.     1.500000: initcall_start: func=a",
            "       swapper/0-1     (    1) [000] d..1.     1.500000: initcall_start: func=a",
            "       swapper/0-1     [000]     1.500000: initcall_start: func=a",
        ] {
            let (context, rest) = parse(line.as_bytes()).expect(line);
            assert_eq!(
                context,
                Context {
                    comm: b"swapper/0",
                    pid: 1,
                    cpu: 0,
                    at_ns: 1_500_000_000
                }
            );
            assert_eq!(rest, b"initcall_start: func=a");
        }
        let (context, _) = parse(b" odd [3] name-77 [012] .... 2.000001: x: y").expect("brackets in a name");
        assert_eq!((context.comm, context.pid, context.cpu), (&b"odd [3] name"[..], 77, 12));
        assert_eq!(parse(b"[    1.000000] calling  foo+0x0/0x1 @ 1"), None);
    }

    #[test]
    fn the_latency_format() {
        let (context, rest) = parse(b" swapper/0-1       0d..1. 1234567us+: initcall_start: func=a").expect("a line");
        let expected = Context {
            comm: b"swapper/0",
            pid: 1,
            cpu: 0,
            at_ns: 1_234_567_000,
        };
        assert_eq!((context, rest), (expected, &b"initcall_start: func=a"[..]));
        assert!(parse(b"  <idle>-0        12dNh4    71us : irq_handler_entry: irq=1 name=x").is_some());
        assert_eq!(parse(b"usb 1-1: took 12us : fine"), None);
        assert_eq!(parse(b"us"), None);
    }

    #[test]
    fn fields_by_whole_name() {
        let text = b"prev_pid=1 pid=22 comm=a";
        assert_eq!(field(text, b"pid"), Some(&b"22"[..]));
        assert_eq!(field(text, b"id"), None);
    }
}

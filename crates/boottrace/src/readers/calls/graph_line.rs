// SPDX-License-Identifier: MIT
//! One line of function_graph text, in every combination of its options.
//!
//! Format: `print_graph_prologue()`, `print_graph_duration()`, `print_graph_entry_leaf()`, `print_graph_return()` and
//! `print_graph_irq()` in `kernel/trace/trace_functions_graph.c`.

use crate::text::number::{decimal_ns, digits, signed};

/// Longer durations (292 years) are cut to it; [`super::graph_batches`] writes "none" as a number above it.
const MAX_DURATION_NS: u64 = i64::MAX as u64;

/// The columns before the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GraphLine<'a> {
    /// `funcgraph-abstime`: nanoseconds.
    pub at_ns: Option<i64>,
    /// `funcgraph-cpu`.
    pub cpu: Option<u32>,
    /// `funcgraph-proc`: `comm-pid`.
    pub proc: Option<&'a [u8]>,
    /// `funcgraph-duration`: nanoseconds.
    pub duration_ns: Option<u64>,
    /// What the line says.
    pub body: Body<'a>,
    /// Spaces before the function.
    pub indent: u32,
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body<'a> {
    /// `name() {`
    Enter(&'a [u8]),
    /// `name();`
    Leaf(&'a [u8]),
    /// `}`, perhaps with the name behind it.
    Exit(Option<&'a [u8]>),
    /// `/* event */`
    Comment(&'a [u8]),
    /// `==========>` (true) or `<==========`.
    Interrupt(bool),
    /// ` 0)  one-1  =>  two-2`
    Switch(&'a [u8], &'a [u8]),
    /// None of them.
    Unknown,
}

/// Where the next byte that is no blank stands.
#[inline]
pub(super) fn skip_spaces(bytes: &[u8], mut at: usize) -> usize {
    // Columns and indentation are long runs of spaces: eight at a time.
    while let Some(word) = bytes
        .get(at..at + 8)
        .and_then(|w| w.try_into().ok())
        .map(u64::from_le_bytes)
    {
        let other = word ^ 0x2020_2020_2020_2020;
        if other != 0 {
            at += (other.trailing_zeros() / 8) as usize;
            if bytes[at] != b'\t' {
                return at;
            }
            at += 1;
        } else {
            at += 8;
        }
    }
    while matches!(bytes.get(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// `comm-pid`: ends with a dash and digits.
fn is_proc(text: &[u8]) -> bool {
    let number = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    number > 0 && text.len() > number && text[text.len() - number - 1] == b'-'
}

/// A duration, `4.221 us` with or without an overhead mark in front: nanoseconds and where it ends.
#[inline]
pub(super) fn duration(bytes: &[u8], mut at: usize) -> Option<(u64, usize)> {
    if matches!(bytes.get(at), Some(b'+' | b'!' | b'#' | b'*' | b'@' | b'$')) {
        at = skip_spaces(bytes, at + 1);
    }
    let (ns, used) = decimal_ns(bytes.get(at..)?, 1000)?;
    at += used;
    if bytes.get(at..at + 3) == Some(b" us") {
        Some((ns.min(MAX_DURATION_NS), at + 3))
    } else {
        None
    }
}

/// Reads the function part of a line.
#[inline]
pub fn body(text: &[u8]) -> Body<'_> {
    match text {
        [b'}', rest @ ..] => {
            let name = rest
                .trim_ascii()
                .strip_prefix(b"/*")
                .and_then(|t| t.strip_suffix(b"*/"));
            // With funcgraph-retval the comment holds `name = 0x0` or `= 0x0`.
            let name = name
                .map(<[u8]>::trim_ascii)
                .map(|n| &n[..memchr::memchr(b'=', n).unwrap_or(n.len())]);
            return Body::Exit(
                name.map(<[u8]>::trim_ascii)
                    .filter(|n| !n.is_empty() && !n.starts_with(b"<-")),
            );
        }
        [b'/', b'*', rest @ ..] => return Body::Comment(rest.strip_suffix(b"*/").unwrap_or(rest).trim_ascii()),
        [b'=', b'=', ..] => return Body::Interrupt(true),
        [b'<', b'=', ..] => return Body::Interrupt(false),
        _ => {}
    }
    if let Some(plain) = function(text) {
        return plain;
    }
    let Some(paren) = memchr::memchr(b'(', text) else {
        return Body::Unknown;
    };
    let name = text[..paren].trim_ascii_end();
    if name.is_empty() {
        return Body::Unknown;
    }
    let mut rest = text[paren..].trim_ascii_end();
    if rest.ends_with(b"*/") {
        if let Some(comment) = memchr::memmem::rfind(rest, b"/*") {
            rest = rest[..comment].trim_ascii_end();
        }
    }
    match rest.last() {
        Some(b'{') => Body::Enter(name),
        Some(b';') => Body::Leaf(name),
        _ => Body::Unknown,
    }
}

/// `name();` and `name() {`, as they are without options that add to them.
#[inline]
pub(super) fn function(text: &[u8]) -> Option<Body<'_>> {
    let paren = find_paren(text)?;
    let name = &text[..paren];
    if name.last()?.is_ascii_whitespace() {
        return None;
    }
    match &text[paren..] {
        b"();" => Some(Body::Leaf(name)),
        b"() {" => Some(Body::Enter(name)),
        _ => None,
    }
}

/// The first `(`; names are too short for a search that has to be set up.
#[inline]
pub(super) fn find_paren(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = text
        .get(at..at + 8)
        .and_then(|w| w.try_into().ok())
        .map(u64::from_le_bytes)
    {
        let other = word ^ 0x2828_2828_2828_2828;
        // The lowest byte that this marks is right; higher ones may be marked by a carry.
        let found = other.wrapping_sub(0x0101_0101_0101_0101) & !other & 0x8080_8080_8080_8080;
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    text[at..].iter().position(|&b| b == b'(').map(|found| at + found)
}

/// The columns and the function of one line. Comments of the header (`#`) and blank lines are the caller's business.
pub fn parse(line: &[u8]) -> GraphLine<'_> {
    let mut out = GraphLine {
        at_ns: None,
        cpu: None,
        proc: None,
        duration_ns: None,
        body: Body::Unknown,
        indent: 0,
    };
    let mut at = skip_spaces(line, 0);
    if let Some((ns, used)) = stamp(line, at) {
        out.at_ns = Some(ns);
        at = skip_spaces(line, at + used);
    }
    let (number, used) = digits(&line[at..]);
    if used > 0 && line.get(at + used) == Some(&b')') {
        out.cpu = u32::try_from(number).ok();
        at = skip_spaces(line, at + used + 1);
    }
    columns(line, at, &mut out);
    out
}

/// `12.345678 |` at `at`: nanoseconds, and the bytes up to behind the bar.
#[inline]
fn stamp(line: &[u8], at: usize) -> Option<(i64, usize)> {
    let rest = line.get(at..)?;
    if !rest.first()?.is_ascii_digit() {
        return None;
    }
    let (ns, used) = decimal_ns(rest, 1_000_000_000)?;
    if !rest[..used].contains(&b'.') {
        return None;
    }
    let bar = skip_spaces(rest, used);
    (rest.get(bar) == Some(&b'|')).then_some((signed(ns), bar + 1))
}

/// The rest: process, latency flags, duration, each ended by a bar, then the function.
#[inline]
fn columns<'a>(line: &'a [u8], mut at: usize, out: &mut GraphLine<'a>) {
    let mut seen_bar = false;
    loop {
        match line.get(at) {
            None => return,
            Some(b'|') => {
                at += 1;
                seen_bar = true;
                break;
            }
            Some(b'=' | b'<') => {
                out.body = body(&line[at..]);
                return;
            }
            Some(b'}' | b'/') => break,
            Some(b'0'..=b'9' | b'+' | b'!' | b'#' | b'*' | b'@' | b'$') => {
                if let Some((ns, end)) = duration(line, at) {
                    let bar = skip_spaces(line, end);
                    if line.get(bar) == Some(&b'|') {
                        out.duration_ns = Some(ns);
                        at = bar + 1;
                        seen_bar = true;
                        break;
                    }
                }
            }
            _ => {}
        }
        if out.proc.is_some() && at > 0 && line[at..].contains(&b'(') && !line[at..].contains(&b'|') {
            seen_bar = true;
            break;
        }
        let Some(bar) = memchr::memchr(b'|', &line[at..]) else {
            break;
        };
        let cell = line[at..at + bar].trim_ascii_end();
        if out.proc.is_none() && is_proc(cell) {
            out.proc = Some(cell);
        } else if cell.len() > 8 || memchr::memchr(b'(', cell).is_some() {
            break;
        }
        let next = skip_spaces(line, at + bar + 1);
        match line.get(next) {
            // The function may follow at once (nofuncgraph-duration); a bar or a number means more columns.
            Some(b'|' | b'0'..=b'9' | b'+' | b'!' | b'#' | b'*' | b'@' | b'$' | b'=' | b'<') => at = next,
            _ if memchr::memchr(b'|', &line[next..]).is_some() => at = next,
            _ => {
                at = at + bar + 1;
                seen_bar = true;
                break;
            }
        }
    }
    let start = skip_spaces(line, at);
    // Without columns, the indentation counts from the start of the line's text.
    out.indent = if seen_bar || out.cpu.is_some() {
        (start - at) as u32
    } else {
        start as u32
    };
    let text = &line[start..];
    out.body = body(text);
    if out.body == Body::Unknown {
        if let Some(arrow) = memchr::memmem::find(text, b" => ") {
            let (from, to) = (text[..arrow].trim_ascii(), text[arrow + 4..].trim_ascii());
            if is_proc(from) && is_proc(to) {
                out.body = Body::Switch(from, to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> GraphLine<'_> {
        parse(line.as_bytes())
    }

    #[test]
    fn every_column_set_gives_the_same_call() {
        let lines = [
            "  3)   4.221 us    |    func();",
            "  12.345678 |   0)  swapper/0-1    |   4.221 us    |    func();",
            "  12.345678 |   0)  swapper/0-1    |  d..1. |   4.221 us    |    func();",
            "   4.221 us    |    func();",
            " 0)  swapper/0-1    | ! 4.221 us    |    func(); /* = 0x0 */",
            "  12.345678 |   4.221 us    |    func(a=0x1, b=|x|);",
        ];
        for line in lines {
            let read = read(line);
            assert_eq!(read.body, Body::Leaf(b"func"), "{line}");
            assert_eq!(read.duration_ns, Some(4221), "{line}");
            assert_eq!(read.indent, 4, "{line}");
        }
        assert_eq!(read(lines[1]).at_ns, Some(12_345_678_000));
        assert_eq!(read(lines[1]).cpu, Some(0));
        assert_eq!(read(lines[2]).proc, Some(&b"swapper/0-1"[..]));
    }

    #[test]
    fn entries_exits_comments_marks_and_switches() {
        assert_eq!(
            read(" 1)               |  sys_read [mod]() {").body,
            Body::Enter(b"sys_read [mod]")
        );
        assert_eq!(
            read(" 1) $ 3541210 us |  } /* sys_read */").body,
            Body::Exit(Some(b"sys_read"))
        );
        assert_eq!(
            read(" 1) $ 3541210 us |  } /* sys_read */").duration_ns,
            Some(3_541_210_000)
        );
        assert_eq!(read(" 1) + 16.283 us   |      }").body, Body::Exit(None));
        assert_eq!(
            read(" 1) + 16.283 us   |      } /* f ret=0x10 */").body,
            Body::Exit(Some(b"f ret"))
        );
        assert_eq!(read(" 1)   ==========> |").body, Body::Interrupt(true));
        assert_eq!(
            read("  12.345678 |   1)  a-1   |  <========== |").body,
            Body::Interrupt(false)
        );
        assert_eq!(
            read(" 1)               |  /* read foo */").body,
            Body::Comment(b"read foo")
        );
        assert_eq!(
            read(" 0)  swapper-0     =>  sh-12 ").body,
            Body::Switch(b"swapper-0", b"sh-12")
        );
        assert_eq!(read(" 0) func() {").body, Body::Enter(b"func"));
        assert_eq!(read(" 0)  swapper-1   |   func() {").proc, Some(&b"swapper-1"[..]));
        assert_eq!(read(" ------------------------------------------").body, Body::Unknown);
    }
}

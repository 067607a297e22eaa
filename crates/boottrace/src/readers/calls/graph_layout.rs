// SPDX-License-Identifier: MIT
//! The columns that lines of one trace share, so that most lines need not be taken apart anew.
//!
//! ftrace prints columns of fixed width: the seconds of the stamp, the processor and the task are mostly those of the
//! line before, byte for byte, and the bar before the function stands where it stood. What does not fit is read by
//! [`graph_line::parse`], which both give the same for.

use super::graph_call::{Call, Kind};
use super::graph_line::{duration, find_paren, function, parse, skip_spaces, Body, GraphLine};
use super::names::{eight, equal, Names, MAX_NAME_BYTES, OVERFLOW};
use crate::log::clock::NS_PER_S;
use crate::text::lines::MAX_LINE_BYTES;
use crate::text::number::{signed, six_digits};

/// Sets of columns that are remembered: lines of several processors alternate.
const KEPT: usize = 4;
/// Longer columns are not remembered.
const MAX_COLUMNS_BYTES: usize = 64;

/// What was seen of the lines before.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    stamp: Option<Stamp>,
    kept: [Columns; KEPT],
    last: usize,
    /// The line before was a call with the columns of `last`.
    current: bool,
    repeated: bool,
}

/// `    0.` in front of six digits and a bar.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    /// The bytes up to the point, and ones where they count.
    text: u64,
    mask: u64,
    point: usize,
    seconds_ns: i64,
}

/// Bytes from behind the stamp's bar up to the bar of the task, or the bracket of the processor.
#[derive(Debug, Clone, Default)]
struct Columns {
    text: Vec<u8>,
    cpu: Option<u32>,
    /// Where the task stands in the text.
    proc: Option<(usize, usize)>,
    known: bool,
}

impl Stamp {
    fn learn(line: &[u8], at_ns: i64) -> Option<Self> {
        let point = memchr::memchr(b'.', line).filter(|point| (1..8).contains(point))?;
        let bits = 8 * (point as u32 + 1);
        let mask = u64::MAX >> (64 - bits);
        Some(Self {
            text: eight(line, 0)? & mask,
            mask,
            point,
            seconds_ns: at_ns - at_ns % NS_PER_S,
        })
    }

    /// The stamp's value and where the text behind its bar begins.
    #[inline]
    fn read(&self, line: &[u8]) -> Option<(i64, usize)> {
        if eight(line, 0)? & self.mask != self.text {
            return None;
        }
        let digits = line.get(self.point + 1..)?;
        let millionths = six_digits(digits)?;
        let behind = self.point + 9;
        (digits.get(6..8)? == b" |").then_some((self.seconds_ns + signed(millionths) * 1000, behind))
    }
}

impl Columns {
    fn learn(line: &[u8], from: usize, read: &GraphLine) -> Option<Self> {
        let end = match read.proc {
            Some(proc) => {
                let at = (proc.as_ptr() as usize).wrapping_sub(line.as_ptr() as usize) + proc.len();
                at + memchr::memchr(b'|', line.get(at..)?)? + 1
            }
            None if read.cpu.is_some() => from + memchr::memchr(b')', line.get(from..)?)? + 1,
            None => from,
        };
        let text = line.get(from..end).filter(|text| text.len() <= MAX_COLUMNS_BYTES)?;
        let proc = read.proc.map(|proc| {
            let at = (proc.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
            (at, at + proc.len())
        });
        Some(Self {
            text: text.to_vec(),
            cpu: read.cpu,
            proc,
            known: true,
        })
    }

    /// When `line` has these columns at `from` and nothing but a duration up to the next bar: that duration in
    /// nanoseconds, and where the bar stands.
    #[inline]
    fn bar(&self, line: &[u8], from: usize) -> Option<(Option<u64>, usize)> {
        let end = from + self.text.len();
        if !self.known || !equal(line.get(from..end)?, &self.text) {
            return None;
        }
        let at = skip_spaces(line, end);
        if line.get(at) == Some(&b'|') {
            return Some((None, at));
        }
        let (ns, behind) = duration(line, at)?;
        let bar = skip_spaces(line, behind);
        (line.get(bar) == Some(&b'|')).then_some((Some(ns), bar))
    }

    /// The line, when it has these columns at `from` and is a call.
    #[inline]
    fn read<'a>(&self, line: &'a [u8], from: usize, at_ns: Option<i64>) -> Option<GraphLine<'a>> {
        let (duration_ns, bar) = self.bar(line, from)?;
        let start = skip_spaces(line, bar + 1);
        let text = line.get(start..)?;
        let body = match text.first()? {
            b'}' => Body::Exit(None),
            b'/' | b'=' | b'<' => return None,
            _ => function(text)?,
        };
        Some(GraphLine {
            at_ns,
            cpu: self.cpu,
            proc: self.proc.map(|(start, end)| &line[from + start..from + end]),
            duration_ns,
            body,
            indent: (start - bar - 1) as u32,
        })
    }
}

impl Layout {
    /// The last line that was read has the processor and the task of the line before it.
    #[inline]
    pub fn repeated(&self) -> bool {
        self.repeated
    }

    /// The call at the head of `text`, and how long its line is with its end: of a line with the columns of the call
    /// before, and a name met lately. Nearly all lines of a trace are such, and their end need not be looked for.
    ///
    /// `None` says nothing about the line: [`Self::parse`] it.
    #[inline]
    pub fn next_call(&mut self, text: &[u8], names: &Names) -> Option<(Call, usize)> {
        if !self.current {
            return None;
        }
        let (at_ns, from) = match &self.stamp {
            Some(stamp) => stamp.read(text).map(|(ns, from)| (Some(ns), from))?,
            None => (None, 0),
        };
        let (duration_ns, bar) = self.kept[self.last].bar(text, from)?;
        let start = skip_spaces(text, bar + 1);
        let body = text.get(start..)?;
        let (kind, name, length) = if body.first() == Some(&b'}') {
            (Kind::Exit, OVERFLOW, memchr::memchr(b'\n', body)? + 1)
        } else {
            // Bounded, because the text may go on for long without a function.
            let paren = find_paren(&body[..body.len().min(MAX_NAME_BYTES)])?;
            let (kind, length) = match body[paren..] {
                [b'(', b')', b';', b'\n', ..] => (Kind::Leaf, paren + 4),
                [b'(', b')', b' ', b'{', b'\n', ..] => (Kind::Enter, paren + 5),
                _ => return None,
            };
            // What was a name before has no line end in it.
            (kind, names.recent(&body[..paren])?, length)
        };
        let length = start + length;
        if length > MAX_LINE_BYTES {
            return None;
        }
        self.repeated = true;
        let indent = (start - bar - 1) as u32;
        Some((Call::new(kind, name, indent, at_ns, duration_ns), length))
    }

    /// [`parse`] for a stream of lines, which is faster. Returns have no name.
    #[inline]
    pub fn parse<'a>(&mut self, line: &'a [u8]) -> GraphLine<'a> {
        let stamp = match &self.stamp {
            Some(stamp) => stamp.read(line).map(|(ns, from)| (Some(ns), from)),
            None => Some((None, 0)),
        };
        if let Some((at_ns, from)) = stamp {
            if let Some(read) = self.kept[self.last].read(line, from, at_ns) {
                self.repeated = self.current;
                self.current = true;
                return read;
            }
        }
        self.parse_other(line, stamp)
    }

    #[cold]
    fn parse_other<'a>(&mut self, line: &'a [u8], stamp: Option<(Option<i64>, usize)>) -> GraphLine<'a> {
        self.repeated = false;
        self.current = true;
        if let Some((at_ns, from)) = stamp {
            for (number, columns) in self.kept.iter().enumerate() {
                if let Some(read) = columns.read(line, from, at_ns) {
                    self.last = number;
                    return read;
                }
            }
        }
        let mut read = parse(line);
        self.current = matches!(read.body, Body::Enter(_) | Body::Leaf(_) | Body::Exit(_));
        if self.current {
            self.learn(line, &read);
        }
        if let Body::Exit(name) = &mut read.body {
            *name = None;
        }
        read
    }

    fn learn(&mut self, line: &[u8], read: &GraphLine) {
        let stamp = read.at_ns.and_then(|ns| Stamp::learn(line, ns));
        let from = match (read.at_ns, &stamp) {
            (None, _) => Some(0),
            (Some(at_ns), Some(stamp)) => stamp.read(line).filter(|(ns, _)| *ns == at_ns).map(|(_, from)| from),
            _ => None,
        };
        let columns = from.and_then(|from| Columns::learn(line, from, read));
        let Some(columns) = columns else {
            self.current = false;
            return;
        };
        self.stamp = stamp;
        let same = |kept: &Columns| kept.known && kept.text == columns.text;
        self.last = self.kept.iter().position(same).unwrap_or((self.last + 1) % KEPT);
        self.kept[self.last] = columns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn without_name(mut read: GraphLine) -> GraphLine {
        if let Body::Exit(name) = &mut read.body {
            *name = None;
        }
        read
    }

    fn same_as_alone(lines: &[String]) {
        let mut layout = Layout::default();
        for line in lines {
            let alone = without_name(parse(line.as_bytes()));
            assert_eq!(layout.parse(line.as_bytes()), alone, "{line}");
        }
        same_as_next(&lines.join("\n"));
    }

    /// Lines taken by [`Layout::next_call`] are calls, and the same, when they are parsed alone.
    fn same_as_next(text: &str) -> usize {
        let (mut layout, mut names, mut taken) = (Layout::default(), Names::default(), 0);
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &rest[..end];
            if let Some((call, length)) = layout.next_call(rest, &names) {
                taken += 1;
                assert_eq!(length, end + 1);
                assert_eq!(
                    Some(call),
                    Call::of(&parse(line), &mut names),
                    "{}",
                    line.escape_ascii()
                );
                assert!(layout.repeated());
            } else {
                Call::of(&layout.parse(line), &mut names);
            }
            rest = rest.get(end + 1..).unwrap_or(&[]);
        }
        taken
    }

    #[test]
    fn most_lines_are_taken_at_once() {
        let text =
            "    0.100000 |   0)  a-1  |               |  f() {\n    0.100001 |   0)  a-1  |   1.083 us    |    g();\n\
                    \x20   0.100002 |   0)  a-1  |   3.083 us    |  } /* f */\n";
        // Each name is met once before; the line of a task is the first with its columns.
        assert_eq!(same_as_next(&text.repeat(10)), 30 - 2);
        let long = format!(
            "    0.100003 |   0)  a-1  |               |  {}f();\n",
            " ".repeat(MAX_LINE_BYTES)
        );
        assert_eq!(same_as_next(&(text.repeat(2) + &long)), 6 - 2);
    }

    fn line() -> impl Strategy<Value = String> {
        let stamp = prop_oneof![
            4 => Just("    0.100000 |"), 4 => Just("    0.123456 |"), 2 => Just("    1.100000 |"), 1 => Just(""),
            1 => Just("12345678.000001 |"), 1 => Just("    0.1000001 |"), 1 => Just("    0.100000|"),
        ];
        let cpu = prop_oneof![4 => Just("   0) "), 2 => Just("  12) "), 1 => Just(" "), 1 => Just(" 0)")];
        let proc =
            prop_oneof![4 => Just("  swapper/0-1  |"), 2 => Just(" 9-12 |"), 2 => Just(""), 1 => Just(" a b-1 |")];
        let took = prop_oneof![
            4 => Just("   1.083 us   |"), 4 => Just("              |"), 2 => Just(" ! 101.08 us  |"),
            2 => Just(" $ 1234567 us |"), 1 => Just(" d..1. |  1.0 us   |"), 1 => Just(" 1.2345 us    |"), 1 => Just("   7. us |"),
            1 => Just(""), 1 => Just("   99999999999999999999.1 us |"),
        ];
        let body = prop_oneof![
            4 => Just("f();"), 4 => Just("f() {"), 4 => Just("}"), 2 => Just("} /* f */"), 2 => Just("m_init [mod]();"),
            1 => Just("g(a=0x1, b=2);"), 1 => Just("g(a=1());"), 1 => Just("f ();"), 1 => Just("f(); /* = 0x0 */"),
            1 => Just("/* note */"), 1 => Just("==========> |"), 1 => Just("swapper-0 => sh-12"), 1 => Just("();"),
            1 => Just("a_long_name_of_a_function(x) {"), 1 => Just(""), 1 => Just("f() { "), 1 => Just("word"),
        ];
        (stamp, cpu, proc, took, 0_usize..12, body).prop_map(|(stamp, cpu, proc, took, depth, body)| {
            format!("{stamp}{cpu}{proc}{took}{}{body}", " ".repeat(depth))
        })
    }

    proptest! {
        #[test]
        fn a_line_is_read_as_if_it_stood_alone(lines in prop::collection::vec(line(), 1..20)) {
            same_as_alone(&lines);
        }

        #[test]
        fn damaged_lines_too(lines in prop::collection::vec(line(), 1..9), damage in prop::collection::vec(any::<(u16, u8)>(), 0..9)) {
            let text = lines.join("\n");
            let mut bytes = text.into_bytes();
            for (at, byte) in damage {
                let at = at as usize % bytes.len();
                bytes[at] = byte % 0x60 + 0x20;
            }
            let lines: Vec<String> = String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
            same_as_alone(&lines);
        }
    }

    #[test]
    fn repeated_columns_are_told() {
        let mut layout = Layout::default();
        let told = [
            "    0.100000 |   0)  a-1  |               |  f() {",
            "    0.100001 |   0)  a-1  |   1.083 us    |    g();",
            "    1.100001 |   0)  a-1  |   1.083 us    |    g();",
            "    1.100002 |   1)  b-2  |   1.083 us    |    g();",
            "    1.100003 |   0)  a-1  |   3.083 us    |  }",
            "    1.100003 |   0)  a-1  |               |  /* note */",
            "    1.100004 |   0)  a-1  |               |  g() {",
            "    1.100005 |   0)  a-1  |   3.083 us    |  }",
        ]
        .map(|line| {
            layout.parse(line.as_bytes());
            layout.repeated()
        });
        assert_eq!(told, [false, true, false, false, false, false, false, true]);
    }
}

// SPDX-License-Identifier: MIT
//! Output of the kernel's `scripts/show_delta`: `[13.206505 < 0.000013 >]  text`.

use std::io::{self, Read};

use serde::Serialize;

use crate::readers::skipped::Skipped;
use crate::text::lines;
use crate::text::number::{decimal_ns, signed};

/// Lines kept; further ones are counted as skipped.
pub const MAX_LINES: usize = 2_000_000;

/// A line with its time and the distance to the line before (or to the base, with `-b`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeltaLine {
    /// The printk stamp, nanoseconds.
    pub at_ns: i64,
    /// The printed delta, nanoseconds.
    pub delta_ns: i64,
    /// The message.
    pub text: String,
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Deltas {
    /// Lines in file order.
    pub lines: Vec<DeltaLine>,
    /// Lines that were not understood.
    pub skipped: Skipped,
}

fn delta_line(line: &[u8]) -> Option<(i64, i64, &[u8])> {
    let rest = line.trim_ascii_start().strip_prefix(b"[")?.trim_ascii_start();
    let (at_ns, used) = decimal_ns(rest, 1_000_000_000)?;
    let rest = rest[used..].trim_ascii_start().strip_prefix(b"<")?.trim_ascii_start();
    let (sign, rest) = rest.strip_prefix(b"-").map_or((1, rest), |rest| (-1, rest));
    let (delta_ns, used) = decimal_ns(rest, 1_000_000_000)?;
    let rest = rest[used..]
        .trim_ascii_start()
        .strip_prefix(b">")?
        .trim_ascii_start()
        .strip_prefix(b"]")?;
    Some((signed(at_ns), sign * signed(delta_ns), rest.trim_ascii()))
}

/// Lines from which on the second column can be told to count from a base.
const LEAST: usize = 3;
/// Rounding of the two columns.
const ROUNDING_NS: i64 = 2_000;

impl Deltas {
    /// With `-b` the second column counts from the base line: time and column are then equally far apart everywhere, and
    /// the distances to the lines before are computed.
    fn undo_base(&mut self) {
        let base = |line: &DeltaLine| line.at_ns.saturating_sub(line.delta_ns);
        let Some(first) = self.lines.first().map(base) else {
            return;
        };
        let same = self
            .lines
            .iter()
            .filter(|l| base(l).abs_diff(first) <= ROUNDING_NS.unsigned_abs())
            .count();
        if self.lines.len() < LEAST || same * 10 < self.lines.len() * 9 {
            return;
        }
        let mut before = None;
        for line in &mut self.lines {
            line.delta_ns = before.map_or(0, |before| line.at_ns.saturating_sub(before));
            before = Some(line.at_ns);
        }
    }

    /// The kernel log without the deltas, as `dmesg` prints it.
    pub fn kernel_text(&self) -> String {
        use std::fmt::Write as _;
        let mut out = String::new();
        for line in &self.lines {
            let us = line.at_ns / 1000;
            let _ = writeln!(out, "[{:5}.{:06}] {}", us / 1_000_000, us % 1_000_000, line.text);
        }
        out
    }
}

/// What the head of a file says about being such output: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let lines: Vec<&[u8]> = head
        .split(|&b| b == b'\n')
        .filter(|line| !line.trim_ascii().is_empty())
        .take(50)
        .collect();
    let known = lines.iter().filter(|line| delta_line(line).is_some()).count();
    (known > 0 && known * 2 > lines.len()).then_some(0.95)
}

/// Reads the output of `show_delta`.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R) -> io::Result<Deltas> {
    let mut out = Deltas::default();
    let read = lines::for_each_line(reader, |line| {
        if let Some((at_ns, delta_ns, text)) = delta_line(line) {
            if out.lines.len() >= MAX_LINES {
                out.skipped.note("more lines than are kept", line);
            } else {
                let text = String::from_utf8_lossy(text).into_owned();
                out.lines.push(DeltaLine { at_ns, delta_ns, text });
            }
        } else if !line.trim_ascii().is_empty() {
            out.skipped.note("no time and delta", line);
        }
    })?;
    out.skipped.add("line cut (too long)", read.cut_lines);
    out.undo_base();
    Ok(out)
}

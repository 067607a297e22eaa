// SPDX-License-Identifier: MIT
//! `perf script` text: samples with call chains become a merged call tree.
//!
//! Format: perf-script(1); a header line `comm pid/tid [cpu] time: period event: ...`, one frame a line, innermost first.

use std::collections::BTreeMap;
use std::io::{self, Read};

use super::names::NameId;
use super::stacks::Calls;
use super::tree::ROOT;
use crate::readers::skipped::Skipped;
use crate::text::lines;
use crate::text::lines::ReadCounts;
use crate::text::number::{decimal_ns, digits, integer, signed};

const MAX_FRAMES: usize = 1024;

/// What the weights of the tree are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Weight {
    /// Nanoseconds (clock events with a period).
    Nanoseconds,
    /// Counts of the event (cycles, instructions).
    Events,
    /// Samples: the text has no period.
    #[default]
    Samples,
}

/// What was read. In the tree, the first level is the task's name; `self_ns` and `elapsed_ns` hold [`Samples::weight`].
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// The merged call tree.
    pub calls: Calls,
    /// What its weights are.
    pub weight: Weight,
    /// How many.
    pub samples: u64,
    /// Samples by event.
    pub counts: BTreeMap<String, u64>,
    /// Lines that were not understood.
    pub skipped: Skipped,
    /// Size of the input.
    pub read: ReadCounts,
}

struct Head<'a> {
    comm: &'a [u8],
    /// `-F` may leave the time out.
    at_ns: Option<i64>,
    period: Option<u64>,
    event: &'a [u8],
}

/// `12.345678:`
fn stamp(word: &[u8]) -> Option<i64> {
    let text = word.strip_suffix(b":")?;
    let (ns, used) = decimal_ns(text, 1_000_000_000)?;
    (used == text.len() && text.contains(&b'.')).then_some(signed(ns))
}

fn is_pid(word: &[u8]) -> bool {
    let (_, used) = digits(word);
    let rest = &word[used..];
    used > 0 && (rest.is_empty() || rest[0] == b'/' && integer(&rest[1..]).is_some())
}

fn head(line: &[u8]) -> Option<Head<'_>> {
    // Words with their places; the task's name in front may hold blanks.
    let mut before: [(usize, &[u8]); 2] = [(0, b""); 2];
    let mut at = 0;
    for word in line.split(|b| *b == b' ' || *b == b'\t') {
        if word.is_empty() {
            at += 1;
            continue;
        }
        if let Some(at_ns) = stamp(word) {
            let [older, newer] = before;
            let pid_at = if newer.1.starts_with(b"[") { older } else { newer };
            if !is_pid(pid_at.1) {
                return None;
            }
            let mut rest = line[at + word.len()..].trim_ascii();
            let (period, used) = digits(rest);
            let period = (used > 0 && rest.get(used) == Some(&b' ')).then_some(period);
            if period.is_some() {
                rest = rest[used..].trim_ascii_start();
            }
            let event = rest.split(u8::is_ascii_whitespace).next().unwrap_or(b"");
            let event = event.strip_suffix(b":").unwrap_or(event);
            return Some(Head {
                comm: line[..pid_at.0].trim_ascii(),
                at_ns: Some(at_ns),
                period,
                event,
            });
        }
        before = [before[1], (at, word)];
        at += word.len() + 1;
    }
    timeless_head(line)
}

/// `java 19983 cycles:`, and with a period `java 19983/20001  250000 cycles:u:`: nothing stands behind the event.
fn timeless_head(line: &[u8]) -> Option<Head<'_>> {
    let (before, event) = last_word(line.trim_ascii().strip_suffix(b":")?)?;
    // `- Jan 4 2024 AM:` is none. Events begin small (`cycles`), or are of several words (`LLC-load-misses`).
    let small = event.first().is_some_and(u8::is_ascii_lowercase) || event.contains(&b'-');
    let named = small && event.iter().any(u8::is_ascii_alphabetic) && !event.contains(&b'(');
    let (mut comm, mut pid) = last_word(before)?;
    let mut period = None;
    if let Some((older, word)) = last_word(comm).filter(|(_, word)| is_pid(word)) {
        period = integer(pid).and_then(|period| u64::try_from(period).ok());
        (comm, pid) = (older, word);
    }
    (named && is_pid(pid) && !comm.is_empty()).then_some(Head {
        comm,
        at_ns: None,
        period,
        event,
    })
}

/// What stands before the last word, and that word.
fn last_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii();
    let at = memchr::memrchr2(b' ', b'\t', text)?;
    Some((text[..at].trim_ascii(), &text[at + 1..]))
}

/// The function of a frame: `ffffffff81000000 name+0x10 (object)`, address and offset optional.
fn frame(line: &[u8]) -> Option<Vec<u8>> {
    let text = line.trim_ascii();
    if text.is_empty() {
        return None;
    }
    let mut rest = text;
    if let Some(blank) = memchr::memchr(b' ', text) {
        let word = &text[..blank];
        let long = word.len() >= 4 || word.iter().any(u8::is_ascii_digit);
        if long && word.iter().all(u8::is_ascii_hexdigit) {
            rest = text[blank..].trim_ascii_start();
        }
    }
    let mut name = rest;
    if rest.ends_with(b")") {
        if let Some(object) = memchr::memmem::rfind(rest, b" (") {
            name = rest[..object].trim_ascii();
            if name == b"[unknown]" {
                return Some([b"[unknown] ", &rest[object + 1..]].concat());
            }
        }
    }
    if let Some(plus) = memchr::memmem::rfind(name, b"+0x") {
        name = &name[..plus];
    }
    (!name.is_empty()).then(|| name.to_vec())
}

/// A frame that lost its indentation: `ffffffff8103d0ca native_write_msr_safe ([kernel.kallsyms])`.
fn bare_frame(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    digits >= 8 && line.get(digits) == Some(&b' ') && line.trim_ascii_end().ends_with(b")")
}

/// True for the first line of a sample that names task, processor, time and event.
pub fn is_head(line: &[u8]) -> bool {
    let bracketed = memchr::memchr(b'[', line).is_some();
    bracketed
        && head(line).is_some_and(|found| found.at_ns.is_some() && !found.event.is_empty() && !found.comm.is_empty())
}

/// True for a line of a call chain: address, function, object.
pub fn is_frame(line: &[u8]) -> bool {
    let indented = line.starts_with(b"\t") || line.starts_with(b"        ");
    indented && bare_frame(line.trim_ascii())
}

/// What the head of a file says about being such text: a confidence from 0 to 1.
pub fn detect(text: &[u8]) -> Option<f32> {
    let (mut heads, mut frames, mut others) = (0_u32, 0_u32, 0_u32);
    for line in text.split(|&b| b == b'\n').take(300) {
        if line.trim_ascii().is_empty() || line.starts_with(b"#") {
            continue;
        }
        let indented = line.starts_with(b"\t") || line.starts_with(b"        ") || bare_frame(line);
        if head(line).is_some_and(|head| !head.event.is_empty()) {
            heads += 1;
        } else if indented && frame(line).is_some() {
            frames += 1;
        } else {
            others += 1;
        }
    }
    if heads == 0 || others > heads {
        return None;
    }
    Some(if frames > 0 { 0.9 } else { 0.4 })
}

#[derive(Default)]
struct Reader {
    out: Samples,
    comm: Option<NameId>,
    weight: u64,
    frames: Vec<NameId>,
}

impl Reader {
    fn flush(&mut self) {
        let Some(comm) = self.comm.take() else { return };
        self.out.samples += 1;
        let tree = &mut self.out.calls.tree;
        let mut at = ROOT;
        let mut path = std::iter::once(comm).chain(self.frames.drain(..).rev()).peekable();
        while let Some(name) = path.next() {
            at = tree.child(at, name);
            tree.count(at);
            let self_weight = if path.peek().is_none() { self.weight } else { 0 };
            tree.charge(at, self.weight, self_weight, 0);
        }
    }

    fn line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            self.flush();
            return;
        }
        if line.starts_with(b"#") {
            return;
        }
        // Task names are aligned to the right, so a header may start with blanks too.
        let frame_like = line.starts_with(b"        ") || bare_frame(line);
        let blanks = line.starts_with(b"\t") || (frame_like && head(line).is_none());
        if self.comm.is_some() && blanks {
            if self.frames.len() >= MAX_FRAMES {
                self.out.skipped.note("frame beyond the limit", line);
            } else if let Some(name) = frame(line) {
                let id = self.out.calls.names.intern(&name);
                self.frames.push(id);
            } else {
                self.out.skipped.note("frame without a name", line);
            }
            return;
        }
        self.flush();
        let Some(head) = head(line) else {
            self.out.skipped.note("no sample and no frame", line);
            return;
        };
        if let Some(ns) = head.at_ns {
            let bounds = self.out.calls.bounds_ns.get_or_insert((ns, ns));
            *bounds = (bounds.0.min(ns), bounds.1.max(ns));
        }
        let clock = head.event.starts_with(b"cpu-clock") || head.event.starts_with(b"task-clock");
        self.weight = head.period.unwrap_or(1);
        self.out.weight = match head.period {
            Some(_) if clock => Weight::Nanoseconds,
            Some(_) => Weight::Events,
            None => Weight::Samples,
        };
        self.comm = Some(self.out.calls.names.intern(head.comm));
        let event = String::from_utf8_lossy(head.event).into_owned();
        if self.out.counts.len() < 10_000 || self.out.counts.contains_key(&event) {
            *self.out.counts.entry(event).or_default() += 1;
        }
    }
}

/// Reads the text of `perf script`.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R) -> io::Result<Samples> {
    let mut state = Reader::default();
    state.out.calls.samples = true;
    let read = lines::for_each_line(reader, |line| state.line(line))?;
    state.flush();
    let mut out = state.out;
    out.read = read;
    out.skipped.add("line cut (too long)", read.cut_lines);
    Ok(out)
}

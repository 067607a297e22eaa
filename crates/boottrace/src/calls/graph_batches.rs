//! Reading and splitting function_graph text on a thread of its own, so that it runs beside the analysis.
//!
//! A batch owns its bytes; parsed lines refer to them by place, so that the batch can be sent.

use std::io::{self, Read};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

use super::graph_line::{self, Body, GraphLine, SameColumns};
use super::lines::{ReadCounts, MAX_LINE_BYTES};
use super::names::{NameId, Names, OVERFLOW};

const CHUNK_BYTES: usize = 256 * 1024;
/// Batches on their way at once.
const BATCHES: usize = 4;

/// A part of a batch's bytes.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    start: u32,
    length: u32,
}

impl Place {
    fn of(part: &[u8], whole: &[u8]) -> Self {
        let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
        Self {
            start: start as u32,
            length: part.len() as u32,
        }
    }

    fn get(self, whole: &[u8]) -> &[u8] {
        whole
            .get(self.start as usize..(self.start + self.length) as usize)
            .unwrap_or(&[])
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Enter,
    Leaf,
    Exit,
    /// The rare rest, parsed again where it is used.
    Other,
}

const NO_CPU: u32 = u32::MAX;
const NO_STAMP: i64 = i64::MIN;
const NO_DURATION: u64 = u64::MAX;
const SAME_PROC: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Row {
    kind: Kind,
    /// Processor and task are those of the row before.
    repeated: bool,
    cpu: u32,
    indent: u32,
    at_ns: i64,
    duration_ns: u64,
    name: NameId,
    /// The function's name, or the whole line for [`Kind::Other`].
    text: Place,
    proc: Place,
}

/// What the thread that parses a line knows of it beside its text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// The function's name, when it was looked up.
    pub name: Option<NameId>,
    /// Processor and task are those of the line before.
    pub repeated: bool,
}

/// What goes on from batch to batch.
#[derive(Default)]
struct State {
    /// A line begun in the batch before.
    carry: Vec<u8>,
    /// Inside a line that was cut.
    dropping: bool,
    same: SameColumns,
    names: Names,
}

/// Some lines, parsed.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where the first line starts, and where the bytes of this batch end.
    start: usize,
    filled: usize,
    rows: Vec<Row>,
    counts: ReadCounts,
    error: Option<io::Error>,
}

impl Batch {
    fn push(&mut self, start: usize, end: usize, state: &mut State) {
        let line = &self.bytes[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let read = graph_line::parse_after(line, &mut state.same);
        let (kind, text) = match read.body {
            Body::Enter(name) => (Kind::Enter, name),
            Body::Leaf(name) => (Kind::Leaf, name),
            Body::Exit(_) => (Kind::Exit, &line[..0]),
            _ => (Kind::Other, line),
        };
        // Names are looked up here, where their bytes are in the cache.
        let name = match kind {
            Kind::Enter | Kind::Leaf => state.names.intern(text),
            Kind::Exit | Kind::Other => OVERFLOW,
        };
        let none = Place {
            start: SAME_PROC,
            length: 0,
        };
        self.rows.push(Row {
            kind,
            repeated: state.same.repeated(),
            name,
            cpu: read.cpu.unwrap_or(NO_CPU),
            indent: read.indent,
            at_ns: read.at_ns.unwrap_or(NO_STAMP),
            duration_ns: read.duration_ns.unwrap_or(NO_DURATION),
            text: Place::of(text, &self.bytes),
            proc: read.proc.map_or(none, |proc| Place::of(proc, &self.bytes)),
        });
    }

    /// Calls `each` with every line in order: what it says, for what is no call the line itself, and what is known of
    /// it.
    pub fn for_each<'a>(&'a self, mut each: impl FnMut(&GraphLine<'a>, &'a [u8], Known)) {
        for row in &self.rows {
            let text = row.text.get(&self.bytes);
            let body = match row.kind {
                Kind::Enter => Body::Enter(text),
                Kind::Leaf => Body::Leaf(text),
                Kind::Exit => Body::Exit(None),
                Kind::Other => {
                    each(&graph_line::parse(text), text, Known::default());
                    continue;
                }
            };
            let line = GraphLine {
                at_ns: (row.at_ns != NO_STAMP).then_some(row.at_ns),
                cpu: (row.cpu != NO_CPU).then_some(row.cpu),
                proc: (row.proc.start != SAME_PROC).then(|| row.proc.get(&self.bytes)),
                duration_ns: (row.duration_ns != NO_DURATION).then_some(row.duration_ns),
                body,
                indent: row.indent,
            };
            let known = Known {
                name: Some(row.name),
                repeated: row.repeated,
            };
            each(&line, text, known);
        }
    }
}

/// Fills `batch` after what is there of a line begun before; false at the end of the input.
fn fill<R: Read>(reader: &mut R, batch: &mut Batch, state: &mut State) -> io::Result<bool> {
    let old = state.carry.len();
    // What is in the buffer from before is written over: no need to clear it first.
    batch.bytes.resize(old + CHUNK_BYTES, 0);
    batch.bytes[..old].copy_from_slice(&state.carry);
    state.carry.clear();
    batch.start = 0;
    let got = loop {
        match reader.read(&mut batch.bytes[old..]) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(got) => break got,
            Err(error) => {
                batch.filled = old;
                return Err(error);
            }
        }
    };
    batch.filled = old + got;
    batch.counts.bytes += got as u64;
    if state.dropping {
        // The rest of a line that was cut.
        match memchr::memchr(b'\n', &batch.bytes[..batch.filled]) {
            Some(newline) => {
                batch.start = newline + 1;
                state.dropping = false;
            }
            None => batch.filled = 0,
        }
    }
    Ok(got > 0)
}

fn split(batch: &mut Batch, state: &mut State, last: bool) {
    batch.rows.clear();
    let mut start = batch.start;
    let mut ends: Vec<(usize, usize)> = Vec::with_capacity(CHUNK_BYTES / 64);
    let bytes = &batch.bytes[..batch.filled];
    for end in memchr::memchr_iter(b'\n', &bytes[start..]).map(|at| at + batch.start) {
        ends.push((start, end));
        start = end + 1;
    }
    let rest = bytes.len() - start;
    if rest >= MAX_LINE_BYTES {
        ends.push((start, start + MAX_LINE_BYTES));
        batch.counts.cut_lines += 1;
        state.dropping = true;
    } else if last && rest > 0 {
        ends.push((start, bytes.len()));
    } else {
        state.carry.extend_from_slice(&bytes[start..]);
    }
    batch.counts.lines += ends.len() as u64;
    for (start, end) in ends {
        let cut = end - start > MAX_LINE_BYTES;
        batch.counts.cut_lines += u64::from(cut);
        batch.push(start, end.min(start + MAX_LINE_BYTES), state);
    }
}

fn produce<R: Read>(mut reader: R, full: &SyncSender<Batch>, empty: &Receiver<Batch>) -> Names {
    let mut state = State::default();
    while let Ok(mut batch) = empty.recv() {
        batch.counts = ReadCounts::default();
        let more = fill(&mut reader, &mut batch, &mut state);
        let last = !matches!(more, Ok(true));
        split(&mut batch, &mut state, last);
        batch.error = more.err();
        if full.send(batch).is_err() || last {
            break;
        }
    }
    state.names
}

/// Reads all of `reader` on a second thread and calls `each` with the batches, in order, on this one. Gives the names
/// that the lines' numbers stand for too.
///
/// # Errors
/// Those of `reader`.
pub fn for_each_batch<R: Read + Send>(reader: R, mut each: impl FnMut(&Batch)) -> io::Result<(ReadCounts, Names)> {
    let (full_in, full_out) = sync_channel(BATCHES);
    let (empty_in, empty_out) = sync_channel(BATCHES);
    for _ in 0..BATCHES {
        // The channel has room for all of them.
        let _ = empty_in.send(Batch::default());
    }
    let mut counts = ReadCounts::default();
    std::thread::scope(|scope| {
        let producer = scope.spawn(move || produce(reader, &full_in, &empty_out));
        for mut batch in full_out {
            each(&batch);
            counts.bytes += batch.counts.bytes;
            counts.lines += batch.counts.lines;
            counts.cut_lines += batch.counts.cut_lines;
            if let Some(error) = batch.error.take() {
                return Err(error);
            }
            let _ = empty_in.send(batch);
        }
        let names = producer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ok((counts, names))
    })
}

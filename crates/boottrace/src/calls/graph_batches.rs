//! Reading and splitting function_graph text on a thread of its own, so that it runs beside the analysis.
//!
//! A batch owns its bytes; parsed lines refer to them by place, so that the batch can be sent.

use std::io::{self, Read};
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};

use super::graph_layout::Layout;
use super::graph_line::{Body, GraphLine};
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

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A function was entered.
    Enter,
    /// A function without recorded callees.
    Leaf,
    /// A return.
    Exit,
}

/// An entry, a return or both.
#[derive(Debug, Clone, Copy)]
pub struct Call {
    /// What happened.
    pub kind: Kind,
    /// The function; of a return it is not looked up.
    pub name: NameId,
    /// Spaces before the function.
    pub indent: u32,
    at_ns: i64,
    duration_ns: u64,
}

impl Call {
    /// What a line says, when it is a call.
    #[inline]
    pub fn of(read: &GraphLine, names: &mut Names) -> Option<Self> {
        let (kind, name) = match read.body {
            Body::Leaf(name) => (Kind::Leaf, names.intern(name)),
            Body::Enter(name) => (Kind::Enter, names.intern(name)),
            Body::Exit(_) => (Kind::Exit, OVERFLOW),
            _ => return None,
        };
        Some(Self {
            kind,
            name,
            indent: read.indent,
            at_ns: read.at_ns.unwrap_or(NO_STAMP),
            duration_ns: read.duration_ns.unwrap_or(NO_DURATION),
        })
    }

    /// `funcgraph-abstime`.
    #[inline]
    pub fn at_ns(&self) -> Option<i64> {
        (self.at_ns != NO_STAMP).then_some(self.at_ns)
    }

    /// `funcgraph-duration`.
    #[inline]
    pub fn duration_ns(&self) -> Option<u64> {
        (self.duration_ns != NO_DURATION).then_some(self.duration_ns)
    }
}

/// One line.
#[derive(Debug)]
pub enum Row<'a> {
    /// A call whose processor and task are those of the line before.
    Repeated(&'a Call),
    /// A call, its processor, its task, and the line.
    Call(&'a Call, Option<u32>, Option<&'a [u8]>, &'a [u8]),
    /// The rare rest.
    Other(&'a [u8]),
}

const NO_STAMP: i64 = i64::MIN;
const NO_DURATION: u64 = u64::MAX;

/// A line whose columns have to be looked at.
#[derive(Debug, Clone, Copy)]
struct Looked {
    /// How many calls stand before it.
    calls: u32,
    /// It is a call itself.
    is_call: bool,
    cpu: Option<u32>,
    proc: Option<Place>,
    line: Place,
}

/// What goes on from batch to batch.
#[derive(Default)]
struct State {
    /// A line begun in the batch before.
    carry: Vec<u8>,
    /// Inside a line that was cut.
    dropping: bool,
    layout: Layout,
    names: Names,
}

/// Some lines, parsed.
#[derive(Default)]
pub struct Batch {
    bytes: Vec<u8>,
    /// Where the first line starts, and where the bytes of this batch end.
    start: usize,
    filled: usize,
    calls: Vec<Call>,
    looked: Vec<Looked>,
    counts: ReadCounts,
    error: Option<io::Error>,
}

impl Batch {
    #[inline]
    fn push(&mut self, start: usize, end: usize, state: &mut State) {
        let line = &self.bytes[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let read = state.layout.parse(line);
        // Names are looked up here, where their bytes are in the cache.
        let call = Call::of(&read, &mut state.names);
        if call.is_none() || !state.layout.repeated() {
            self.looked.push(Looked {
                calls: self.calls.len() as u32,
                is_call: call.is_some(),
                cpu: read.cpu,
                proc: read.proc.map(|proc| Place::of(proc, &self.bytes)),
                line: Place::of(line, &self.bytes),
            });
        }
        self.calls.extend(call);
    }

    /// Calls `each` with every line in order.
    pub fn for_each<'a>(&'a self, mut each: impl FnMut(Row<'a>)) {
        let mut done = 0;
        for looked in &self.looked {
            let calls = looked.calls as usize;
            self.calls[done..calls]
                .iter()
                .for_each(|call| each(Row::Repeated(call)));
            done = calls;
            let line = looked.line.get(&self.bytes);
            if looked.is_call {
                let proc = looked.proc.map(|proc| proc.get(&self.bytes));
                each(Row::Call(&self.calls[done], looked.cpu, proc, line));
                done += 1;
            } else {
                each(Row::Other(line));
            }
        }
        self.calls[done..].iter().for_each(|call| each(Row::Repeated(call)));
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
    batch.calls.clear();
    batch.looked.clear();
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

// SPDX-License-Identifier: MIT
//! Reads and parses function_graph text beside its analysis: two threads, and whichever has time reads.
//!
//! Parsing and analysing are each in order and take about as long as one another; reading (copying out of the page
//! cache) is half as much again. Bound to one thread it would make that one the slower, so both do it.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use super::graph_batches::{Batch, Cutter, Parser};
use super::names::Names;
use super::processors;
use crate::text::lines::ReadCounts;

/// Batches on their way at once.
const BATCHES: usize = 12;
/// Batches read and not parsed yet; more would only leave the cache again.
const AHEAD: usize = 4;
/// How long a thread stays awake without work: less than a batch takes, and more than waking up does.
const AWAKE: Duration = Duration::from_millis(1);

/// Where the batches are.
#[derive(Default)]
struct Queues {
    free: Vec<Batch>,
    read: VecDeque<Batch>,
    parsed: VecDeque<Batch>,
    /// Nothing is left to read, or it failed.
    ended: bool,
    failed: Option<io::Error>,
    /// The parser has ended, or must.
    parser_done: bool,
    stopped: bool,
    sleeping: usize,
}

struct Source<R> {
    reader: R,
    cutter: Cutter,
}

struct Shared<R> {
    queues: Mutex<Queues>,
    source: Mutex<Source<R>>,
    /// Counts changes of the queues, so that waiting for one takes no lock.
    changes: AtomicU32,
    changed: Condvar,
}

/// A panic of the other thread comes out where it is joined; what it held is not looked at any more.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Read> Shared<R> {
    fn new(reader: R) -> Self {
        let queues = Queues {
            free: (0..BATCHES).map(|_| Batch::default()).collect(),
            ..Queues::default()
        };
        let cutter = Cutter::default();
        Self {
            queues: Mutex::new(queues),
            source: Mutex::new(Source { reader, cutter }),
            changes: AtomicU32::new(0),
            changed: Condvar::new(),
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut Queues) -> T) -> T {
        let mut queues = lock(&self.queues);
        let given = change(&mut queues);
        self.changes.fetch_add(1, Ordering::Release);
        if queues.sleeping > 0 {
            self.changed.notify_all();
        }
        given
    }

    /// Reads a batch, if there is something to read, nobody else is reading and there is room. Says whether it did.
    fn read_one(&self) -> bool {
        let mut source = match self.source.try_lock() {
            Ok(source) => source,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return false,
        };
        let room = |queues: &mut Queues| {
            let wanted = !queues.ended && !queues.stopped && queues.read.len() < AHEAD;
            wanted.then(|| queues.free.pop()).flatten()
        };
        let Some(mut batch) = room(&mut lock(&self.queues)) else {
            return false;
        };
        let Source { reader, cutter } = &mut *source;
        let filled = cutter.fill(reader, &mut batch);
        // Still with the source: batches stay in order.
        self.change(|queues| {
            queues.ended = !matches!(filled, Ok(true));
            match filled {
                Ok(_) => queues.read.push_back(batch),
                Err(error) => queues.failed = Some(error),
            }
        });
        true
    }

    /// Waits until something differs from the moment at which [`Self::changes`] was `seen`.
    fn wait(&self, seen: u32) {
        let unchanged = || self.changes.load(Ordering::Acquire) == seen;
        let start = Instant::now();
        while unchanged() {
            if start.elapsed() < AWAKE {
                std::thread::yield_now();
                continue;
            }
            let mut queues = lock(&self.queues);
            queues.sleeping += 1;
            let asleep = self.changed.wait_while(queues, |_| unchanged());
            asleep.unwrap_or_else(PoisonError::into_inner).sleeping -= 1;
        }
    }

    /// The next batch that `take` finds; reads meanwhile. `None`: there is none left, as `take` says beside it.
    fn next(&self, take: impl Fn(&mut Queues) -> (Option<Batch>, bool)) -> Option<Batch> {
        loop {
            let seen = self.changes.load(Ordering::Acquire);
            let (batch, over) = take(&mut lock(&self.queues));
            if batch.is_some() || over {
                return batch;
            }
            if !self.read_one() {
                self.wait(seen);
            }
        }
    }

    fn parse(&self) -> Names {
        let _done = AtEnd(|| self.change(|queues| queues.parser_done = true));
        let mut parser = Parser::default();
        let take = |queues: &mut Queues| (queues.read.pop_front(), queues.ended || queues.stopped);
        while let Some(mut batch) = self.next(take) {
            parser.parse(&mut batch);
            self.change(|queues| queues.parsed.push_back(batch));
        }
        parser.names
    }

    fn analyse(&self, mut each: impl FnMut(&Batch)) -> ReadCounts {
        let _stopped = AtEnd(|| self.change(|queues| queues.stopped = true));
        let mut counts = ReadCounts::default();
        while let Some(batch) = self.next(|queues| (queues.parsed.pop_front(), queues.parser_done)) {
            each(&batch);
            batch.add_to(&mut counts);
            self.change(|queues| queues.free.push(batch));
        }
        counts
    }
}

/// Does something when it goes, after a panic too: the other thread would wait for ever.
struct AtEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Reads all of `reader`, has the lines parsed on a second thread and calls `each` with the batches, in order, on this
/// one. Gives the names that the calls' numbers stand for too.
///
/// # Errors
/// Those of `reader`.
pub fn for_each_batch<R: Read + Send>(reader: R, each: impl FnMut(&Batch)) -> io::Result<(ReadCounts, Names)> {
    if cfg!(target_family = "wasm") {
        return on_one_thread(reader, each);
    }
    let shared = Shared::new(reader);
    let here = processors::current();
    let (mut counts, names) = std::thread::scope(|scope| {
        let parser = scope.spawn(|| {
            processors::leave(here);
            shared.parse()
        });
        let counts = shared.analyse(each);
        let names = parser.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (counts, names)
    });
    let queues = shared.queues.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = queues.failed {
        return Err(error);
    }
    counts.bytes = lock(&shared.source).cutter.bytes;
    Ok((counts, names))
}

/// The same where there are no threads: in a browser.
fn on_one_thread<R: Read>(mut reader: R, mut each: impl FnMut(&Batch)) -> io::Result<(ReadCounts, Names)> {
    let (mut cutter, mut parser) = (Cutter::default(), Parser::default());
    let (mut batch, mut counts) = (Batch::default(), ReadCounts::default());
    let mut more = true;
    while more {
        more = cutter.fill(&mut reader, &mut batch)?;
        parser.parse(&mut batch);
        each(&batch);
        batch.add_to(&mut counts);
    }
    counts.bytes = cutter.bytes;
    Ok((counts, parser.names))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives its text a few bytes at a time, then fails.
    struct Failing<'a>(&'a [u8]);

    impl Read for Failing<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "cut off"));
            }
            let into = &mut into[..3];
            self.0.read(into)
        }
    }

    #[test]
    fn small_pieces_make_whole_lines() {
        struct Pieces<'a>(&'a [u8]);
        impl Read for Pieces<'_> {
            fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
                let into = &mut into[..2];
                self.0.read(into)
            }
        }
        let text = " 0)   1.000 us    |  a();\n 0)               |  b() {\n 0)   2.000 us    |  }\nno end";
        let mut calls = 0;
        let (counts, names) =
            for_each_batch(Pieces(text.as_bytes()), |batch| batch.for_each(|_| calls += 1)).expect("read");
        assert_eq!((calls, counts.lines, counts.bytes), (4, 4, text.len() as u64));
        assert_eq!((names.text(1), names.text(2), names.len()), ("a".into(), "b".into(), 3));
    }

    #[test]
    fn one_thread_reads_the_same() {
        let text = b" 0)   1.000 us    |  a();\n 0)               |  b() {\n 0)   2.000 us    |  }\n".repeat(50_000);
        let (mut two, mut one) = (0, 0);
        let (counts, names) = for_each_batch(text.as_slice(), |batch| batch.for_each(|_| two += 1)).expect("read");
        let (alone, same) = on_one_thread(text.as_slice(), |batch| batch.for_each(|_| one += 1)).expect("read");
        assert_eq!(
            (one, alone.lines, alone.bytes, same.len()),
            (two, counts.lines, counts.bytes, names.len())
        );
    }

    #[test]
    fn an_error_of_the_reader_comes_out() {
        let text = b" 0)   1.000 us    |  a();\n".repeat(100);
        let error = for_each_batch(Failing(&text), |_| {}).expect_err("cut off");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    #[should_panic(expected = "of the caller")]
    fn a_panic_of_the_caller_ends_both_threads() {
        let text = b" 0)   1.000 us    |  a();\n".repeat(100_000);
        let _ = for_each_batch(text.as_slice(), |_| panic!("of the caller"));
    }

    #[test]
    #[should_panic(expected = "of the reader")]
    fn a_panic_of_the_reader_ends_both_threads() {
        struct Panics;
        impl Read for Panics {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                panic!("of the reader")
            }
        }
        let _ = for_each_batch(Panics, |_| {});
    }
}

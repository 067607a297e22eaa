// SPDX-License-Identifier: MIT
//! From lines to a profile: whose call ends where, what it was about, and how long it took.

mod process;
mod wait;

use std::collections::{HashMap, HashSet};
use std::io::{self, Read};

use super::arguments;
use super::arguments::SHOWN_MAX_BYTES;
use super::asked::{AskedPaths, Try};
use super::clock::Clock;
use super::descriptors::Descriptors;
use super::line;
use super::line::{Body, Call};
use super::names;
use super::names::Kind;
use super::profile::{ApplicationProfile, Goal, Noted, Process, Wait};
use super::tables::Tables;
use crate::readers::skipped::Skipped;
use crate::text::lines;

/// Work shorter than this is not listed.
const WORK_NS: i64 = 10_000_000;

/// A call whose end is to come.
#[derive(Debug)]
struct Begun {
    arguments: Vec<u8>,
    at_ns: Option<i64>,
    line: u32,
}

#[derive(Debug, Default)]
struct State {
    begun: Option<Begun>,
    /// A wait whose length the log does not tell: it ends at the process's next line.
    open_wait: Option<Wait>,
    waits: u64,
}

/// A call with its beginning and end put together.
struct Done<'a> {
    pid: u32,
    name: &'a [u8],
    arguments: &'a [u8],
    end: Call<'a>,
    at_ns: Option<i64>,
    took_ns: Option<i64>,
    line: u32,
}

#[derive(Debug, Default)]
struct Reader {
    profile: ApplicationProfile,
    tables: Tables,
    descriptors: Descriptors,
    processes: Vec<Process>,
    index: HashMap<u32, usize>,
    states: HashMap<u32, State>,
    asked: AskedPaths,
    attached: HashSet<u32>,
    clock: Clock,
    line: u32,
}

/// Reads the output of strace, up to the first line that holds `goal`.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R, goal: Option<&str>) -> io::Result<(ApplicationProfile, Skipped)> {
    let mut state = Reader::default();
    let mut skipped = Skipped::default();
    let finder = goal.filter(|text| !text.is_empty()).map(memchr::memmem::Finder::new);
    let mut lines_after = 0_u64;
    let read = lines::for_each_line(reader, |text| {
        state.line = state.line.saturating_add(1);
        if state.profile.goal.is_some() {
            lines_after += 1;
            return;
        }
        let Some(found) = line::line(text) else {
            skipped.note("no line of strace", text);
            return;
        };
        let pid = state.take(&found);
        if finder.as_ref().is_some_and(|finder| finder.find(text).is_some()) {
            state.profile.goal = Some(Goal {
                line: state.line,
                pid,
                at_ns: state.clock.now_ns,
            });
        }
    })?;
    skipped.add("line cut (too long)", read.cut_lines);
    skipped.add("line behind the goal", lines_after);
    Ok((state.finish(), skipped))
}

impl Reader {
    fn take(&mut self, found: &line::Line<'_>) -> u32 {
        let pid = self.whose(found.pid);
        if matches!(found.body, Body::Nothing) {
            return pid;
        }
        self.clock.take(found.stamp);
        if let Body::Attached(child) = found.body {
            self.attached.insert(child);
            return pid;
        }
        if let Body::Call(Call {
            attached: Some(child), ..
        }) = found.body
        {
            self.attached.insert(child);
        }
        self.process(pid);
        if let Some(wait) = self.states.entry(pid).or_default().open_wait.take() {
            self.end_wait(wait);
        }
        match found.body {
            Body::Call(call) if call.unfinished => {
                let begun = Begun {
                    arguments: call.arguments.to_vec(),
                    at_ns: self.clock.now_ns,
                    line: self.line,
                };
                self.states.entry(pid).or_default().begun = Some(begun);
                // A program that replaces itself, or ends: nothing more comes of this call.
                if call.name == b"exit_group" || call.name == b"exit" {
                    self.states.entry(pid).or_default().begun = None;
                }
            }
            Body::Call(call) => {
                let (at_ns, line) = (self.clock.now_ns, self.line);
                self.done(&Done {
                    pid,
                    name: call.name,
                    arguments: call.arguments,
                    end: call,
                    at_ns,
                    took_ns: call.took_ns,
                    line,
                });
            }
            Body::Resumed(call) => self.resumed(pid, call),
            Body::Ended(how) => {
                let how = shown(how);
                if let Some(process) = self.process(pid) {
                    process.ended = how;
                }
                self.descriptors.ended(pid);
                self.states.remove(&pid);
            }
            Body::Signal | Body::Attached(_) | Body::Nothing => {}
        }
        pid
    }

    fn resumed(&mut self, pid: u32, call: Call<'_>) {
        let Some(begun) = self.states.entry(pid).or_default().begun.take() else {
            return;
        };
        let mut arguments = begun.arguments;
        arguments.extend_from_slice(call.arguments);
        let passed = self.clock.now_ns.zip(begun.at_ns).filter(|_| !self.clock.coarse);
        let took_ns = call.took_ns.or_else(|| passed.map(|(now, at)| now.saturating_sub(at)));
        self.done(&Done {
            pid,
            name: call.name,
            arguments: &arguments,
            end: call,
            at_ns: begun.at_ns,
            took_ns,
            line: begun.line,
        });
    }

    fn done(&mut self, done: &Done<'_>) {
        self.profile.calls_total += 1;
        self.profile.timed |= done.end.took_ns.is_some();
        let took_ns = done.took_ns.unwrap_or(0).max(0);
        let failed = !done.end.error.is_empty() && !done.end.error.starts_with(b"ERESTART");
        self.tables.called(&String::from_utf8_lossy(done.name), failed, took_ns);
        let kind = names::kind(done.name, done.arguments);
        if let Some(process) = self.process(done.pid) {
            process.calls += 1;
            if !matches!(kind, Kind::Wait(_)) {
                process.in_calls_ns = process.in_calls_ns.saturating_add(took_ns);
            }
        }
        match kind {
            Kind::Wait(wait_for) => self.wait(done, wait_for),
            Kind::Open | Kind::Look | Kind::Exec => self.path(done, kind, took_ns),
            Kind::Read | Kind::Write | Kind::Map | Kind::Close | Kind::Duplicate => {
                self.descriptor(done, kind, took_ns);
            }
            Kind::Fork => self.forked(done),
            Kind::Mount => {
                let noted = noted(done);
                self.tables.mount(noted);
            }
            Kind::Socket => {
                let noted = noted(done);
                self.tables.socket(noted);
            }
            Kind::Other => {}
        }
        if took_ns >= WORK_NS && !matches!(kind, Kind::Wait(_)) {
            self.work(done, took_ns);
        }
    }

    fn path(&mut self, done: &Done<'_>, kind: Kind, took_ns: i64) {
        let Some(path) = arguments::text(done.arguments).filter(|path| !path.is_empty()) else {
            return;
        };
        if kind == Kind::Exec {
            self.executed(done, &path);
        }
        if names::not_there(done.end.error) {
            if matches!(done.end.error, b"ENOENT" | b"ENOTDIR") {
                self.tables.missed(&path, done.line, took_ns);
            }
            let now = self.asking(done);
            if !self.asked.in_vain(path, now, || shown(done.end.error)) {
                self.profile.left_out += 1;
            }
            return;
        }
        if !done.end.error.is_empty() {
            return;
        }
        let now = self.asking(done);
        self.tables
            .polled
            .extend(self.asked.came(&path, now, self.clock.coarse));
        if kind == Kind::Open {
            self.tables.opened(&path, done.line, took_ns);
            if let Some(number) = done.end.result.and_then(|number| u32::try_from(number).ok()) {
                self.descriptors.open(done.pid, number, &path);
            }
        }
    }

    fn asking(&self, done: &Done<'_>) -> Try {
        Try {
            pid: done.pid,
            at_ns: done.at_ns,
            line: done.line,
            waits: self.states.get(&done.pid).map_or(0, |state| state.waits),
        }
    }

    fn executed(&mut self, done: &Done<'_>, path: &str) {
        let mut noted = noted(done);
        noted.what = arguments::command(path, arguments::nth(done.arguments, 1));
        if done.end.error.is_empty() {
            let program = noted.what.clone();
            if let Some(process) = self.process(done.pid) {
                process.program = program;
            }
        }
        self.tables.exec(noted);
    }

    fn descriptor(&mut self, done: &Done<'_>, kind: Kind, took_ns: i64) {
        let place = if kind == Kind::Map { 4 } else { 0 };
        let Some((number, named)) = arguments::descriptor(arguments::nth(done.arguments, place)) else {
            return;
        };
        if kind == Kind::Close {
            self.descriptors.close(done.pid, number);
            return;
        }
        let path = named
            .map(std::rc::Rc::from)
            .or_else(|| self.descriptors.path(done.pid, number));
        let Some(path) = path else { return };
        let result = done.end.result.unwrap_or(-1);
        if kind == Kind::Duplicate {
            if let Ok(copy) = u32::try_from(result) {
                self.descriptors.open(done.pid, copy, &path);
            }
            return;
        }
        let bytes = u64::try_from(result).unwrap_or(0);
        let length = if kind == Kind::Map {
            crate::text::number::digits(arguments::nth(done.arguments, 1)).0
        } else {
            0
        };
        if let Some(file) = self.tables.file(&path, done.line, took_ns) {
            match kind {
                Kind::Read => file.read_bytes = file.read_bytes.saturating_add(bytes),
                Kind::Write => file.written_bytes = file.written_bytes.saturating_add(bytes),
                _ => file.mapped_bytes = file.mapped_bytes.saturating_add(length),
            }
        }
    }

    fn finish(mut self) -> ApplicationProfile {
        self.tables.polled.extend(self.asked.unanswered(self.clock.coarse));
        let mut profile = self.profile;
        "strace".clone_into(&mut profile.source);
        profile.length_ns = self.clock.now_ns;
        profile.left_out += self.processes.len().saturating_sub(super::MAX_ROWS) as u64;
        self.processes.truncate(super::MAX_ROWS);
        profile.processes = self.processes;
        let left_out = profile.left_out;
        self.tables.into_profile(&mut profile);
        profile.left_out += left_out;
        profile
    }
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(&text[..text.len().min(SHOWN_MAX_BYTES)]).into_owned()
}

fn noted(done: &Done<'_>) -> Noted {
    Noted {
        what: shown(&[done.name, b"(", done.arguments, b")"].concat()),
        pid: done.pid,
        at_ns: done.at_ns,
        took_ns: done.took_ns,
        error: shown(done.end.error),
        line: done.line,
    }
}

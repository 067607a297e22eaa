// SPDX-License-Identifier: MIT
//! Initcalls as spans: which start belongs to which end, and what the printed duration is worth.

use std::collections::{BTreeSet, HashMap, VecDeque};

use serde::{Deserialize, Serialize};

use super::initcall_line::CallEvent;
use super::symbol::Symbol;
use crate::log::clock::Clock;
use crate::log::line::Line;

/// What is to be known about one initcall's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CallFlag {
    /// Printed and true duration differ by more than 1 ms and more than 10 %.
    Disagrees,
    /// The printed value runs from the latest start of any initcall: the kernel keeps one start time for all.
    SharedStart,
    /// Started before the clocksource switch: the printed value has the resolution of the timer tick.
    JiffiesClock,
    /// No line says that it ended.
    NeverReturned,
    /// No line says that it started.
    NoStart,
    /// Its end is stamped before its start.
    StampsGoBack,
    /// Its end line was broken and put together again.
    Rejoined,
    /// The console is slow and the stamps show it: the time in which its `calling` line was sent is taken off.
    ConsoleTime,
}

/// One run of one initcall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Initcall {
    /// Function, or address without a symbol table.
    pub name: String,
    /// Module it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Counts runs of the same name and module, from 1.
    pub instance: u32,
    /// `entering initcall level`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// Task that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Physical line of `calling`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Physical line of `initcall ... returned`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// Clock of `start_ns`, `end_ns` and `duration_ns`.
    pub clock: Clock,
    /// Start, ns of `clock`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_ns: Option<i64>,
    /// End, ns of `clock`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_ns: Option<i64>,
    /// True duration: end stamp minus start stamp, without the time in which a slow console sent the `calling` line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<i64>,
    /// The kernel's own number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed_us: Option<u64>,
    /// Result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returned: Option<i64>,
    /// Index of the initcall of the same task inside which this one ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// Characters of its `calling` line on the console.
    #[serde(skip)]
    pub calling_characters: u32,
    /// What to know about the numbers.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub flags: Vec<CallFlag>,
}

impl Initcall {
    /// True when `flag` is set.
    pub fn has(&self, flag: CallFlag) -> bool {
        self.flags.contains(&flag)
    }

    /// `name [module]`, with the instance behind it when there are several.
    pub fn label(&self) -> String {
        let mut label = self.name.clone();
        if let Some(module) = &self.module {
            label = format!("{label} [{module}]");
        }
        if self.instance > 1 {
            label = format!("{label} #{}", self.instance);
        }
        label
    }

    /// The true duration, or the printed one when there are no stamps.
    pub fn best_duration_ns(&self) -> Option<i64> {
        self.duration_ns
            .or_else(|| Some(i64::try_from(self.printed_us?).ok()?.saturating_mul(1000)))
    }
}

/// Where and when a line was printed.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Physical line.
    pub line: u32,
    /// Stamp on the boot's clock.
    pub ns: Option<i64>,
    /// Task of the caller field.
    pub task: Option<u32>,
    /// Characters that a console has to send for it.
    pub characters: u32,
}

type Key = (String, Option<String>);

/// Puts start and end lines together as they come.
#[derive(Debug)]
pub struct Pairing {
    /// All runs in order of appearance.
    pub calls: Vec<Initcall>,
    clock: Clock,
    open: HashMap<Key, VecDeque<usize>>,
    stacks: HashMap<u32, Vec<usize>>,
    counts: HashMap<Key, u32>,
    running: BTreeSet<usize>,
    level: Option<String>,
    jiffies: bool,
    /// First call that started under the fine clock.
    first_fine: usize,
    latest_start_ns: Option<i64>,
}

impl Pairing {
    /// `jiffies` says whether the log has a clocksource switch still to come.
    pub fn new(clock: Clock, jiffies: bool) -> Self {
        Self {
            calls: Vec::new(),
            clock,
            open: HashMap::new(),
            stacks: HashMap::new(),
            counts: HashMap::new(),
            running: BTreeSet::new(),
            level: None,
            jiffies,
            first_fine: 0,
            latest_start_ns: None,
        }
    }

    /// From here on the printed durations have a fine clock.
    pub fn clocksource_switched(&mut self) {
        if self.jiffies {
            self.first_fine = self.calls.len();
        }
        self.jiffies = false;
    }

    /// The only initcall running, if exactly one is, or the innermost of `task`.
    pub fn running(&self, task: Option<u32>) -> Option<usize> {
        if let Some(task) = task {
            return self.stacks.get(&task).and_then(|stack| stack.last().copied());
        }
        let mut all = self.running.iter();
        all.next().copied().filter(|_| all.next().is_none())
    }

    /// Takes one line's event.
    pub fn event(&mut self, event: CallEvent<'_>, place: Place, rejoined: bool) {
        match event {
            CallEvent::Start { symbol, pid } => self.start(symbol, pid.or(place.task), place),
            CallEvent::End {
                symbol,
                returned,
                printed_us,
            } => self.end(symbol, returned, printed_us, place, rejoined),
            CallEvent::Ran { symbol, printed_us } => self.ran(symbol, printed_us),
            CallEvent::Level(level) => self.level = Some(level.to_owned()),
            _ => {}
        }
    }

    fn blank(&mut self, symbol: Symbol<'_>) -> Initcall {
        let key = (symbol.name.to_owned(), symbol.module.map(str::to_owned));
        let count = self.counts.entry(key.clone()).or_insert(0);
        *count += 1;
        Initcall {
            instance: *count,
            name: key.0,
            module: key.1,
            level: self.level.clone(),
            pid: None,
            start_line: None,
            end_line: None,
            clock: self.clock,
            start_ns: None,
            end_ns: None,
            duration_ns: None,
            printed_us: None,
            returned: None,
            parent: None,
            calling_characters: 0,
            flags: Vec::new(),
        }
    }

    fn start(&mut self, symbol: Symbol<'_>, pid: Option<u32>, place: Place) {
        let index = self.calls.len();
        let mut call = self.blank(symbol);
        call.pid = pid;
        if call.module.is_some() || pid.is_some_and(|pid| pid > 1) {
            // Levels are the first task's way through the built-in initcalls.
            call.level = None;
        }
        call.start_line = Some(place.line);
        call.calling_characters = place.characters;
        call.start_ns = place.ns;
        if let Some(pid) = pid {
            let stack = self.stacks.entry(pid).or_default();
            call.parent = stack.last().copied();
            stack.push(index);
        }
        if place.ns.is_some() {
            self.latest_start_ns = place.ns;
        }
        self.open
            .entry((call.name.clone(), call.module.clone()))
            .or_default()
            .push_back(index);
        self.running.insert(index);
        self.calls.push(call);
    }

    fn end(&mut self, symbol: Symbol<'_>, returned: i64, printed_us: Option<u64>, place: Place, rejoined: bool) {
        let index = self.take_open(symbol, printed_us, place).unwrap_or_else(|| {
            let mut call = self.blank(symbol);
            call.flags.push(CallFlag::NoStart);
            call.pid = place.task;
            self.calls.push(call);
            self.calls.len() - 1
        });
        let latest = self.latest_start_ns;
        // The kernel took the start from the tick's clock even if the end is exact.
        let jiffies = self.jiffies || index < self.first_fine;
        let call = &mut self.calls[index];
        call.end_line = Some(place.line);
        call.end_ns = place.ns;
        call.returned = Some(returned);
        call.printed_us = printed_us;
        if rejoined {
            call.flags.push(CallFlag::Rejoined);
        }
        if jiffies {
            call.flags.push(CallFlag::JiffiesClock);
        }
        if let (Some(start), Some(end)) = (call.start_ns, call.end_ns) {
            match end.checked_sub(start) {
                Some(ns) if ns >= 0 => call.duration_ns = Some(ns),
                _ => call.flags.push(CallFlag::StampsGoBack),
            }
        }
        judge(call, latest);
    }

    /// 2.6.2x prints the duration on a line of its own, after the result.
    fn ran(&mut self, symbol: Symbol<'_>, printed_us: u64) {
        let found = self
            .calls
            .iter_mut()
            .rev()
            .take(16)
            .find(|c| c.name == symbol.name && c.printed_us.is_none());
        if let Some(call) = found {
            call.printed_us = Some(printed_us);
            // Both numbers exist only now. Jiffies or not, the value has whole milliseconds.
            judge(call, None);
        }
    }

    fn take_open(&mut self, symbol: Symbol<'_>, printed_us: Option<u64>, place: Place) -> Option<usize> {
        let key = (symbol.name.to_owned(), symbol.module.map(str::to_owned));
        let list = self.open.get_mut(&key)?;
        let calls = &self.calls;
        // Same name twice at once: the caller field decides, else the nearer to the printed duration.
        let position = list
            .iter()
            .take(64)
            .position(|&i| place.task.is_some() && calls[i].pid == place.task)
            .or_else(|| {
                let distance = |i: usize| -> Option<u64> {
                    let true_ns = place.ns?.checked_sub(calls[i].start_ns?)?;
                    Some(true_ns.abs_diff(i64::try_from(printed_us?).ok()?.checked_mul(1000)?))
                };
                (0..list.len().min(64)).min_by_key(|&n| distance(list[n]).unwrap_or(u64::MAX))
            })?;
        let index = list.remove(position)?;
        if list.is_empty() {
            self.open.remove(&key);
        }
        self.running.remove(&index);
        if let Some(stack) = calls[index].pid.and_then(|pid| self.stacks.get_mut(&pid)) {
            // Bounded: a log made to hurt can leave any number of calls open.
            let from = stack.len().saturating_sub(256);
            if let Some(depth) = stack[from..].iter().rposition(|&i| i == index) {
                stack.remove(from + depth);
            }
        }
        Some(index)
    }

    /// Marks everything that never ended. Returns the list of all calls.
    pub fn finish(mut self) -> Vec<Initcall> {
        for list in self.open.values() {
            for &index in list {
                self.calls[index].flags.push(CallFlag::NeverReturned);
            }
        }
        self.calls
    }
}

/// A mail breaks `initcall frob+0x0/0x40 returned 0 after 36376321 usecs` behind any word: what returned there did return,
/// though nothing pairs the halves.
pub(super) fn returned_in_a_broken_line(calls: &mut [Initcall], lines: &[Line]) {
    const LOOKED_AT: usize = 64;
    let open = calls.iter_mut().filter(|call| call.has(CallFlag::NeverReturned));
    for call in open.take(LOOKED_AT) {
        let name = format!("{}+", call.name);
        let half = |line: &Line| line.text.trim_start().starts_with(&name) && line.text.contains(" returned ");
        if lines.iter().any(half) {
            call.flags.retain(|flag| *flag != CallFlag::NeverReturned);
        }
    }
}

/// Differences up to this are rounding and the printing itself.
pub(super) const TOLERANCE_NS: u64 = 1_000_000;

fn judge(call: &mut Initcall, latest_start_ns: Option<i64>) {
    let (Some(true_ns), Some(printed_us)) = (call.duration_ns, call.printed_us) else {
        return;
    };
    let shown_ns = i64::try_from(printed_us).unwrap_or(i64::MAX).saturating_mul(1000);
    let difference = true_ns.abs_diff(shown_ns);
    if call.has(CallFlag::JiffiesClock)
        || difference <= TOLERANCE_NS
        || difference.saturating_mul(10) <= true_ns.unsigned_abs()
    {
        return;
    }
    call.flags.push(CallFlag::Disagrees);
    let since_latest = call
        .end_ns
        .zip(latest_start_ns)
        .map(|(end, start)| end.saturating_sub(start));
    if call.start_ns != latest_start_ns && since_latest.is_some_and(|ns| ns.abs_diff(shown_ns) <= TOLERANCE_NS) {
        call.flags.push(CallFlag::SharedStart);
    }
}

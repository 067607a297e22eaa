// SPDX-License-Identifier: MIT
//! What the first task did until init started, and what only ran beside it.

use serde::{Deserialize, Serialize};

use crate::facts::kernel::facts::{stamp, KernelFacts};
use crate::facts::kernel::initcall::Initcall;
use crate::log::boot_log::BootLog;
use crate::log::clock::Clock;
use crate::log::clock::JIFFIES_START_NS;
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// A stretch of the way to init.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathSegment {
    /// Begin, ns of the kernel's clock.
    pub start_ns: i64,
    /// Length.
    pub duration_ns: i64,
    /// What it is.
    pub kind: SegmentKind,
    /// The initcall, or the message that ended the stretch.
    pub label: String,
    /// Physical line it ends with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// What took most of it: probes in an initcall (printed us), silences between messages (us).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub inside: Vec<(String, u64)>,
}

/// Kinds of stretches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SegmentKind {
    /// One initcall of the first task.
    Initcall,
    /// Several short initcalls together.
    ShortInitcalls,
    /// No initcall ran: set-up before the first, waiting for others, freeing memory.
    Between,
}

/// An initcall that init did not wait for, at least not by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Beside {
    /// The initcall.
    pub label: String,
    /// Its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    /// Its true duration.
    pub duration_ns: i64,
    /// True when it started after init did.
    pub after_init: bool,
}

/// The way to init.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CriticalPath {
    /// Clock of all times here.
    pub clock: Clock,
    /// First stamp of the kernel.
    pub from_ns: i64,
    /// Start of init.
    pub to_ns: i64,
    /// Stretches in order; they add up to `to_ns - from_ns`.
    pub segments: Vec<PathSegment>,
    /// The longest initcalls of other tasks.
    pub beside: Vec<Beside>,
    /// How many ran beside.
    pub beside_count: usize,
    /// Their time together.
    pub beside_ns: i64,
}

/// Shorter stretches are put together.
const SHORT_NS: i64 = 1_000_000;
/// Entries of the list of what ran beside.
const MAX_BESIDE: usize = 20;

/// The way to init, when the log has both ends.
pub fn critical_path(boot: &BootLog, kernel: &KernelFacts, clock: Clock) -> Option<CriticalPath> {
    let init_line = kernel.user_space_line()?.0;
    let lines = &boot.lines[boot.kernel_from?..];
    let end = lines.partition_point(|l| l.number <= init_line);
    let to_ns = lines[..end].iter().rev().find_map(|l| stamp(l, clock))?;
    let usable = |skip_zero: bool| {
        let stamps = lines[..end].iter().filter_map(|l| stamp(l, clock));
        stamps.filter(|ns| *ns <= to_ns && (*ns > 0 || !skip_zero)).min()
    };
    // Stamps that begin at the odd value of jiffies jump when the real clock comes; nothing is known of before.
    let jumps = lines[..end]
        .iter()
        .any(|l| stamp(l, clock).is_some_and(|ns| ns >= JIFFIES_START_NS && ns > to_ns));
    let from_ns = usable(jumps)?;
    let mut calls: Vec<(&Initcall, i64, i64)> = kernel
        .initcalls
        .iter()
        .filter(|c| c.parent.is_none() && matches!(c.pid, None | Some(0 | 1)))
        .filter_map(|c| Some((c, c.start_ns?, c.end_ns?)))
        .filter(|(_, start, stop)| start <= stop && *stop <= to_ns && *start >= from_ns)
        .collect();
    calls.sort_by_key(|(_, start, _)| *start);
    let mut path = Builder {
        segments: Vec::new(),
        at: from_ns,
        short: None,
    };
    // Lines in the order of their time, for the name of what ended a stretch without initcalls.
    let mut stamps: Vec<(i64, usize)> = lines[..end]
        .iter()
        .enumerate()
        .filter(|(_, l)| l.kind == LineKind::Kernel)
        .filter_map(|(n, l)| Some((stamp(l, clock)?, n)))
        .collect();
    stamps.sort_unstable();
    let name_between = |from: i64, to: i64| {
        let (a, b) = (
            stamps.partition_point(|(ns, _)| *ns <= from),
            stamps.partition_point(|(ns, _)| *ns <= to),
        );
        // The longest silence in it is what matters.
        let mut silences: Vec<(i64, usize)> = (a..b)
            .map(|n| (stamps[n].0 - if n > a { stamps[n - 1].0 } else { from }, stamps[n].1))
            .collect();
        silences.sort_unstable_by_key(|(ns, at)| (std::cmp::Reverse(*ns), *at));
        silences.truncate(3);
        silences
            .into_iter()
            .map(|(ns, at)| (ns, &lines[at]))
            .collect::<Vec<_>>()
    };
    let probes = probes_of(kernel);
    for (call, start, stop) in calls {
        if stop <= path.at {
            continue;
        }
        let start = start.max(path.at);
        if start - path.at >= SHORT_NS {
            let silences = name_between(path.at, start);
            path.between(start, &silences);
        }
        path.call(call, start, stop, &probes);
    }
    if to_ns > path.at {
        let silences = name_between(path.at, to_ns);
        path.between(to_ns, &silences);
    }
    path.flush();
    let (beside, beside_count, beside_ns) = beside(kernel, to_ns);
    Some(CriticalPath {
        clock,
        from_ns,
        to_ns,
        segments: path.segments,
        beside,
        beside_count,
        beside_ns,
    })
}

type ProbesOf = std::collections::HashMap<usize, Vec<(String, u64)>>;

/// The three costliest probes of each initcall, by the initcall's line.
fn probes_of(kernel: &KernelFacts) -> ProbesOf {
    let mut out = ProbesOf::new();
    for probe in &kernel.probes {
        let Some(line) = probe.within.and_then(|i| kernel.initcalls.get(i)?.start_line) else {
            continue;
        };
        let list = out.entry(line as usize).or_default();
        list.push((probe.device.clone(), probe.printed_us));
        list.sort_by_key(|(_, us)| std::cmp::Reverse(*us));
        list.truncate(3);
    }
    out
}

struct Builder {
    segments: Vec<PathSegment>,
    at: i64,
    /// Begin, end, count and last line of a run of short ones.
    short: Option<(i64, i64, usize, Option<u32>)>,
}

impl Builder {
    fn flush(&mut self) {
        if let Some((start, end, count, line)) = self.short.take() {
            self.segments.push(PathSegment {
                start_ns: start,
                duration_ns: end - start,
                kind: SegmentKind::ShortInitcalls,
                label: format!("{count} initcalls of less than 1 ms each"),
                line,
                inside: Vec::new(),
            });
        }
    }

    fn between(&mut self, to: i64, silences: &[(i64, &Line)]) {
        self.flush();
        let longest = silences.first().map(|(_, line)| *line);
        self.segments.push(PathSegment {
            start_ns: self.at,
            duration_ns: to - self.at,
            kind: SegmentKind::Between,
            label: format!("up to `{}`", shorten(longest.map_or("", |l| l.text.trim()))),
            line: longest.map(|l| l.number),
            inside: silences
                .iter()
                .filter(|(ns, _)| *ns >= SHORT_NS)
                .map(|(ns, line)| {
                    (
                        format!("silence before `{}`", shorten(line.text.trim())),
                        (*ns / 1000) as u64,
                    )
                })
                .collect(),
        });
        self.at = to;
    }

    fn call(&mut self, call: &Initcall, start: i64, stop: i64, probes: &ProbesOf) {
        if stop - start < SHORT_NS {
            let (from, _, count, _) = self.short.unwrap_or((self.at, stop, 0, None));
            self.short = Some((from, stop, count + 1, call.end_line));
            self.at = stop;
            return;
        }
        // The sliver since the last stretch counts with the short ones, so that nothing is lost.
        if start > self.at {
            let (from, _, count, line) = self.short.unwrap_or((self.at, start, 0, None));
            self.short = Some((from, start, count, line));
        }
        self.flush();
        let inside = call
            .start_line
            .and_then(|l| probes.get(&(l as usize)))
            .cloned()
            .unwrap_or_default();
        self.segments.push(PathSegment {
            start_ns: start,
            duration_ns: stop - start,
            kind: SegmentKind::Initcall,
            label: call.label(),
            line: call.end_line,
            inside: inside.into_iter().filter(|(_, us)| *us > 0).collect(),
        });
        self.at = stop;
    }
}

fn beside(kernel: &KernelFacts, init_ns: i64) -> (Vec<Beside>, usize, i64) {
    let mut all: Vec<Beside> = kernel
        .initcalls
        .iter()
        .filter(|c| c.pid.is_some_and(|pid| pid > 1) || c.start_ns.is_some_and(|ns| ns > init_ns))
        .filter_map(|c| {
            Some(Beside {
                label: c.label(),
                pid: c.pid,
                duration_ns: c.duration_ns?,
                after_init: c.start_ns? > init_ns,
            })
        })
        .collect();
    let total = all.iter().map(|b| b.duration_ns).fold(0, i64::saturating_add);
    let count = all.len();
    all.sort_by_key(|b| std::cmp::Reverse(b.duration_ns));
    all.truncate(MAX_BESIDE);
    (all, count, total)
}

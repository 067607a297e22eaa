// SPDX-License-Identifier: MIT
//! The sampled logs: blocks of a time line, the text of a `/proc` file, and a blank line.

use std::collections::HashMap;

use serde::Serialize;

use crate::readers::skipped::Skipped;
use crate::text::number::integer;

/// A tick of the logs, nanoseconds.
const TICK_NS: i64 = 10_000_000;

const MAX_PROCESSES: usize = 200_000;
const MAX_POINTS: usize = 1_000_000;
const MAX_DISKS: usize = 4096;
const SECTOR_BYTES: f64 = 512.0;

/// A process that was seen in a sample. Times are nanoseconds since the kernel started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Process {
    /// Process.
    pub pid: i64,
    /// Its parent, as first seen (orphans move to pid 1 later).
    pub parent: i64,
    /// Name, as last seen.
    pub comm: String,
    /// Start, from the process itself (exact to a tick, not to a sample).
    pub start_ns: i64,
    /// Last sample it was in; `None` when it was in the last sample of all.
    pub end_ns: Option<i64>,
    /// Processor time up to the last sample it was in.
    pub cpu_ns: u64,
    /// Samples it was in.
    pub samples: u64,
    /// Samples it waited for a device in (state `D`).
    pub waiting_samples: u64,
}

/// A time line: a number alone.
fn time(line: &[u8]) -> Option<i64> {
    let value = integer(line.trim_ascii())?;
    (value >= 0).then(|| value.saturating_mul(TICK_NS))
}

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// `proc_ps.log`: `/proc/PID/stat` of all processes.
#[derive(Default)]
pub struct Ps {
    now_ns: i64,
    started: bool,
    by_pid: HashMap<(i64, i64), (Process, i64)>,
}

impl Ps {
    /// Takes a line.
    pub fn line(&mut self, line: &[u8], skipped: &mut Skipped) {
        if line.trim_ascii().is_empty() {
            return;
        }
        if let Some(now_ns) = time(line) {
            self.now_ns = now_ns;
            self.started = true;
        } else if !self.started || self.process(line).is_none() {
            skipped.note("no process of proc_ps.log", line);
        }
    }

    fn process(&mut self, line: &[u8]) -> Option<()> {
        // The name stands in parentheses and may hold any of them itself.
        let open = memchr::memchr(b'(', line)?;
        let close = memchr::memrchr(b')', line)?;
        let pid = integer(line[..open].trim_ascii())?;
        let comm = line.get(open + 1..close)?;
        let fields: Vec<&[u8]> = words(&line[close + 1..]).take(20).collect();
        let number = |index: usize| fields.get(index).and_then(|word| integer(word));
        let parent = number(1)?;
        let ticks = number(11)?.saturating_add(number(12)?).max(0);
        let start_ns = number(19)?.saturating_mul(TICK_NS);
        // A pid may come again for another process; the start time tells them apart.
        let key = (pid, start_ns);
        if !self.by_pid.contains_key(&key) && self.by_pid.len() >= MAX_PROCESSES {
            return None;
        }
        let now_ns = self.now_ns;
        let fresh = || {
            (
                Process {
                    pid,
                    parent,
                    start_ns,
                    ..Process::default()
                },
                now_ns,
            )
        };
        let (process, last_ns) = self.by_pid.entry(key).or_insert_with(fresh);
        *last_ns = now_ns;
        process.samples += 1;
        process.waiting_samples += u64::from(fields[0] == b"D");
        process.cpu_ns = (ticks as u64).saturating_mul(TICK_NS as u64);
        if process.comm.as_bytes() != comm {
            process.comm = String::from_utf8_lossy(comm).into_owned();
        }
        Some(())
    }

    /// All processes by start, then pid.
    pub fn finish(self) -> Vec<Process> {
        let now_ns = self.now_ns;
        let ended = |(mut process, last_ns): (Process, i64)| {
            process.end_ns = (last_ns < now_ns).then_some(last_ns.max(process.start_ns));
            process
        };
        let mut found: Vec<Process> = self.by_pid.into_values().map(ended).collect();
        found.sort_by_key(|process| (process.start_ns, process.pid));
        found
    }
}

/// `proc_stat.log`: the `cpu` line of `/proc/stat`.
#[derive(Default)]
pub struct Stat {
    now_ns: i64,
    last: Option<[i64; 8]>,
    /// Time and share at work.
    pub busy: Vec<(i64, f64)>,
    /// Time and share waiting for devices.
    pub wait: Vec<(i64, f64)>,
}

impl Stat {
    /// Takes a line.
    pub fn line(&mut self, line: &[u8], skipped: &mut Skipped) {
        if let Some(now_ns) = time(line) {
            self.now_ns = now_ns;
        } else if line.starts_with(b"cpu ") {
            let mut ticks = [0; 8];
            for (tick, word) in ticks.iter_mut().zip(words(&line[4..])) {
                *tick = integer(word).unwrap_or(0);
            }
            if let Some(last) = self.last.replace(ticks) {
                self.sample(&last, &ticks, skipped);
            }
        }
    }

    fn sample(&mut self, last: &[i64; 8], now: &[i64; 8], skipped: &mut Skipped) {
        let delta: Vec<f64> = now
            .iter()
            .zip(last)
            .map(|(now, last)| now.saturating_sub(*last).max(0) as f64)
            .collect();
        let total: f64 = delta.iter().sum();
        if total <= 0.0 {
            return;
        }
        if self.busy.len() >= MAX_POINTS {
            skipped.add("more samples than are kept", 1);
            return;
        }
        let (idle, wait) = (delta[3], delta[4]);
        self.busy.push((self.now_ns, (total - idle - wait) / total));
        self.wait.push((self.now_ns, wait / total));
    }
}

/// Sectors read and written and milliseconds in use, by disk.
type Sectors = HashMap<Vec<u8>, [i64; 3]>;

/// `proc_diskstats.log`: `/proc/diskstats`, whole disks only.
#[derive(Default)]
pub struct Diskstats {
    now_ns: i64,
    block: Sectors,
    last: Option<(i64, Sectors)>,
    /// Time and bytes per second read.
    pub read: Vec<(i64, f64)>,
    /// Time and bytes per second written.
    pub write: Vec<(i64, f64)>,
    /// Time and share of time in use.
    pub busy: Vec<(i64, f64)>,
}

/// A disk, not one of its partitions, and no memory device: else bytes count twice or cost nothing.
fn is_disk(name: &[u8]) -> bool {
    let digit_end = name.last().is_some_and(u8::is_ascii_digit);
    if [&b"ram"[..], b"loop", b"dm-", b"md", b"zram", b"fd", b"sr"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
    {
        return false;
    }
    if name.starts_with(b"mmcblk") || name.starts_with(b"nvme") || name.starts_with(b"mtdblock") {
        let stem = name.iter().rposition(|b| !b.is_ascii_digit()).unwrap_or(0);
        let partition = name[stem] == b'p' && digit_end;
        let hidden = name.windows(4).any(|part| part == b"boot" || part == b"rpmb");
        return !partition && !hidden;
    }
    !digit_end
}

impl Diskstats {
    /// Takes a line.
    pub fn line(&mut self, line: &[u8], skipped: &mut Skipped) {
        if let Some(now_ns) = time(line) {
            self.finish();
            self.now_ns = now_ns;
            return;
        }
        let fields: Vec<&[u8]> = words(line).take(14).collect();
        // Old kernels print partitions with fewer fields.
        if fields.len() < 14 || !is_disk(fields[2]) {
            return;
        }
        let number = |index: usize| integer(fields[index]).unwrap_or(0);
        if self.block.len() < MAX_DISKS {
            self.block
                .insert(fields[2].to_vec(), [number(5), number(9), number(12)]);
        } else {
            skipped.note("more disks than are kept", line);
        }
    }

    /// Ends a block of lines.
    pub fn finish(&mut self) {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return;
        }
        if let Some((before_ns, last)) = &self.last {
            let seconds = self.now_ns.saturating_sub(*before_ns) as f64 / 1e9;
            if seconds > 0.0 && self.read.len() < MAX_POINTS {
                let mut sums = [0.0_f64; 3];
                for (name, now) in &block {
                    let before = last.get(name).copied().unwrap_or(*now);
                    let delta = |i: usize| now[i].saturating_sub(before[i]).max(0) as f64;
                    sums[0] += delta(0) * SECTOR_BYTES / seconds;
                    sums[1] += delta(1) * SECTOR_BYTES / seconds;
                    sums[2] = sums[2].max(delta(2) / 1000.0 / seconds);
                }
                self.read.push((self.now_ns, sums[0]));
                self.write.push((self.now_ns, sums[1]));
                // The kernel's own counter runs ahead of the sampling now and then.
                self.busy.push((self.now_ns, sums[2].min(1.0)));
            }
        }
        self.last = Some((self.now_ns, block));
    }
}

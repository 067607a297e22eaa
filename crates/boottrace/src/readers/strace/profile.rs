// SPDX-License-Identifier: MIT
//! What an application did from its start to the goal, as a part of a document.

use serde::{Deserialize, Serialize};

/// Rows kept of each table; further ones are counted.
pub const MAX_ROWS: usize = 200;

/// The system calls of one or several processes, summed up. Times in nanoseconds from the first line's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApplicationProfile {
    /// Which program wrote the log: `strace`, `perf-trace`.
    pub source: String,
    /// The line and text that were taken for the goal, where one was asked for and found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<Goal>,
    /// First line to last (or to the goal); `None` without stamps.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub length_ns: Option<i64>,
    /// The lines say how long calls took (`-T`). Without, only waits are known, as the time to the process's next line.
    pub timed: bool,
    /// Calls, failed ones included.
    pub calls_total: u64,
    /// In the order in which they began.
    pub processes: Vec<Process>,
    /// The calls that took most first.
    pub calls: Vec<CallSum>,
    /// The files that took most time, then most bytes, first.
    pub files: Vec<FileUse>,
    /// How many there are.
    pub files_total: u64,
    /// Searches that found nothing, by folder, most first.
    pub missing: Vec<Missing>,
    /// How many such searches there were.
    pub missing_total: u64,
    /// The longest first.
    pub waits: Vec<Wait>,
    /// How many waits of a millisecond and more there were.
    pub waits_total: u64,
    /// Sleeps of one length, the largest sum first.
    pub sleeps: Vec<Sleep>,
    /// Files that were asked for again and again, with waits between.
    pub polled: Vec<Polled>,
    /// Programs started, in their order.
    pub execs: Vec<Noted>,
    /// File systems mounted and unmounted.
    pub mounts: Vec<Noted>,
    /// Connections and addresses.
    pub sockets: Vec<Noted>,
    /// Shared libraries.
    pub libraries: Libraries,
    /// Rows that found no room in one of the tables.
    pub left_out: u64,
}

/// Where the log was cut because the goal came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Goal {
    /// Line of the file.
    pub line: u32,
    /// Who printed it.
    pub pid: u32,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_ns: Option<i64>,
}

/// One process or thread.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Process {
    /// Its number; 0 where strace printed none.
    pub pid: u32,
    /// Who made it, where that was seen.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<u32>,
    /// The program it runs, as it was started; empty when that was not seen.
    pub program: String,
    /// Its first line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub start_ns: Option<i64>,
    /// Its last line.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_ns: Option<i64>,
    /// Calls it made.
    pub calls: u64,
    /// In calls that work: everything but waits.
    pub in_calls_ns: i64,
    /// In calls that wait: sleeps, events, children, locks, signals.
    pub waited_ns: i64,
    /// How it ended, as strace says it: `exited with 0`.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub ended: String,
}

/// All calls of one name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CallSum {
    /// Its name.
    pub call: String,
    /// How often.
    pub count: u64,
    /// How often it failed.
    pub errors: u64,
    /// Together.
    pub total_ns: i64,
    /// The longest.
    pub max_ns: i64,
}

/// One path and what was done with it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileUse {
    /// As the process named it.
    pub path: String,
    /// Times it was opened.
    pub opens: u64,
    /// Bytes that reads returned.
    pub read_bytes: u64,
    /// Bytes that writes took.
    pub written_bytes: u64,
    /// Bytes mapped; how many of them were touched is not known.
    pub mapped_bytes: u64,
    /// In calls with it.
    pub took_ns: i64,
    /// Where it was opened first.
    pub first_line: u32,
}

/// Searches in one folder that found nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Missing {
    /// The folder.
    pub folder: String,
    /// How many.
    pub count: u64,
    /// How many of them were for shared libraries.
    pub libraries: u64,
    /// In those calls.
    pub took_ns: i64,
    /// One of them.
    pub example: String,
    /// Where the first stands.
    pub first_line: u32,
}

/// What a process waits for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum WaitFor {
    /// A time that it chose.
    #[default]
    Sleep,
    /// Descriptors to become ready, or the end of the time given for that.
    Events,
    /// A child to end.
    Child,
    /// A lock (futex, flock).
    Lock,
    /// A signal.
    Signal,
    /// A call that works on something slow: a device, a mount, a disk.
    Work,
}

/// A call that took a millisecond and more, and waits; or ten, and works.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wait {
    /// What for.
    pub wait_for: WaitFor,
    /// The call.
    pub call: String,
    /// The path it is about, where there is one.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub path: String,
    /// Who.
    pub pid: u32,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_ns: Option<i64>,
    /// How long.
    pub took_ns: i64,
    /// The time that was asked for, for sleeps and timeouts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked_ns: Option<i64>,
    /// Nothing came: the time given ran out.
    pub timed_out: bool,
    /// The log does not say how long it took: it is the time to the process's next line.
    pub estimated: bool,
    /// What is known of its length without any stamp: what was asked for, if it ran out, or less by what was left.
    #[serde(skip)]
    pub told_ns: Option<i64>,
    /// Where it stands.
    pub line: u32,
}

/// Sleeps of one process and one length.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sleep {
    /// Who.
    pub pid: u32,
    /// The length that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub asked_ns: Option<i64>,
    /// How often.
    pub count: u64,
    /// Together, as they took.
    pub total_ns: i64,
    /// Where the first stands.
    pub first_line: u32,
}

/// A path that was not there (or not ready) at first, and was asked for again after a wait.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Polled {
    /// The path.
    pub path: String,
    /// Who asked.
    pub pid: u32,
    /// How often it was asked for in vain.
    pub tries: u64,
    /// The error: `ENOENT`.
    pub error: String,
    /// The first time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_ns: Option<i64>,
    /// From the first time to success, or to the last try.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took_ns: Option<i64>,
    /// It came.
    pub came: bool,
    /// Where the first try stands.
    pub first_line: u32,
    /// Where the last stands, or success.
    pub last_line: u32,
}

/// A single thing that was done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Noted {
    /// What, in words of the log.
    pub what: String,
    /// Who.
    pub pid: u32,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub at_ns: Option<i64>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub took_ns: Option<i64>,
    /// Name of the error, if it failed.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub error: String,
    /// Where it stands.
    pub line: u32,
}

/// Shared libraries: names that hold `.so`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Libraries {
    /// Opened.
    pub opened: u64,
    /// Looked for where they are not.
    pub missed: u64,
    /// In all these calls, with reading and mapping.
    pub took_ns: i64,
}

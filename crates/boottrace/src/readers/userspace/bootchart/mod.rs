// SPDX-License-Identifier: MIT
//! Bootchart archives (`bootchart.tgz`): samples of `/proc` while the system starts.
//!
//! Format: bootchart 0.8 and 0.9, bootchart2, BusyBox bootchartd: `header`, `proc_stat.log`, `proc_ps.log`,
//! `proc_diskstats.log`, perhaps `kernel_pacct` and `dmesg`. Times are hundredths of a second since the kernel started.

mod accounting;
mod samples;
mod tar;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read};

use serde::Serialize;

pub use accounting::Accounted;
pub use samples::Process;

use crate::readers::skipped::Skipped;
use crate::text::lines;
use crate::timeline::tracks::{Counter, Span, Timeline, Track};
use samples::{Diskstats, Ps, Stat};

/// Unpacked bytes that are read; a larger archive is a bomb.
pub const MAX_BYTES: u64 = 4 << 30;
const MAX_DMESG_BYTES: u64 = 64 << 20;

/// What the archive holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bootchart {
    /// `key = value` lines of `header`.
    pub header: BTreeMap<String, String>,
    /// Processes by pid, start order.
    pub processes: Vec<Process>,
    /// Time and share of the processors at work (user, system, interrupts), 0 to 1.
    pub cpu_busy: Vec<(i64, f64)>,
    /// Time and share of the processors waiting for devices, 0 to 1.
    pub cpu_wait: Vec<(i64, f64)>,
    /// Time and bytes per second read from all disks.
    pub disk_read: Vec<(i64, f64)>,
    /// Time and bytes per second written to all disks.
    pub disk_write: Vec<(i64, f64)>,
    /// Time and share of time the busiest disk was in use, 0 to 1.
    pub disk_busy: Vec<(i64, f64)>,
    /// Processes of the kernel's accounting, which knows those too short for a sample.
    pub accounted: Vec<Accounted>,
    /// The kernel log, when the archive has it, for the reader of console logs.
    #[serde(skip)]
    pub dmesg: Option<Vec<u8>>,
    /// Files in the archive.
    pub files: Vec<String>,
    /// What was not understood.
    pub skipped: Skipped,
}

impl Bootchart {
    /// Processes and curves.
    pub fn timeline(&self, title: &str) -> Timeline {
        let span = |process: &Process| {
            let name = format!("{} ({})", process.comm, process.pid);
            let mut span = Span {
                name,
                category: "process".into(),
                start_ns: process.start_ns,
                ..Span::default()
            };
            span.end_ns = process.end_ns;
            let cpu = crate::text::printable::seconds(i64::try_from(process.cpu_ns).unwrap_or(i64::MAX));
            span.args = vec![("parent".into(), process.parent.to_string()), ("cpu_s".into(), cpu)];
            span
        };
        let counter = |name: &str, unit: &str, points: &[(i64, f64)]| Counter {
            name: name.into(),
            unit: unit.into(),
            points: points.to_vec(),
        };
        let curves = vec![
            counter("cpu busy", "share", &self.cpu_busy),
            counter("cpu waiting for devices", "share", &self.cpu_wait),
            counter("disk read", "bytes/s", &self.disk_read),
            counter("disk written", "bytes/s", &self.disk_write),
            counter("disk in use", "share", &self.disk_busy),
        ];
        let tracks = vec![
            Track {
                name: "load".into(),
                counters: curves,
                ..Track::default()
            },
            Track {
                name: "processes".into(),
                spans: self.processes.iter().map(span).collect(),
                ..Track::default()
            },
        ];
        let args = self
            .header
            .iter()
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        Timeline {
            title: title.to_owned(),
            clock: "monotonic".into(),
            args,
            tracks,
        }
    }
}

const NAMES: [&str; 5] = [
    "header",
    "proc_stat.log",
    "proc_ps.log",
    "proc_diskstats.log",
    "taskstats.log",
];

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Bytes looked at to tell such an archive: a few entries.
const DETECT_BYTES: u64 = 4096;

/// What the head of a file says about being a bootchart archive: a confidence from 0 to 1. A packed archive is opened
/// as far as the head goes.
pub fn detect(head: &[u8]) -> Option<f32> {
    let mut plain = Vec::new();
    if head.starts_with(&[0x1f, 0x8b]) {
        // The head ends in the middle of the stream, which is an error after the bytes that matter.
        let _ = flate2::read::GzDecoder::new(head)
            .take(DETECT_BYTES)
            .read_to_end(&mut plain);
    } else {
        plain.extend_from_slice(&head[..head.len().min(DETECT_BYTES as usize)]);
    }
    if !tar::is_header(&plain) {
        return None;
    }
    let mut archive = tar::Archive::new(&plain[..]);
    // `tar c .` puts the folder itself first.
    let mut entry = archive.next_entry().ok()??;
    while !entry.file {
        entry = archive.next_entry().ok()??;
    }
    Some(if NAMES.contains(&base(&entry.name)) { 0.95 } else { 0.2 })
}

fn header_line(chart: &mut Bootchart, line: &[u8]) {
    let text = String::from_utf8_lossy(line);
    if let Some((key, value)) = text.split_once('=') {
        if chart.header.len() < 1000 {
            chart.header.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    } else if !text.trim().is_empty() {
        chart.skipped.note("header line without =", line);
    }
}

fn file<R: Read>(chart: &mut Bootchart, name: &str, data: &mut R) -> io::Result<()> {
    match name {
        "header" => {
            lines::for_each_line(data, |line| header_line(chart, line))?;
        }
        "proc_stat.log" => {
            let mut stat = Stat::default();
            lines::for_each_line(data, |line| stat.line(line, &mut chart.skipped))?;
            (chart.cpu_busy, chart.cpu_wait) = (stat.busy, stat.wait);
        }
        "proc_ps.log" => {
            let mut ps = Ps::default();
            lines::for_each_line(data, |line| ps.line(line, &mut chart.skipped))?;
            chart.processes = ps.finish();
        }
        "proc_diskstats.log" => {
            let mut disks = Diskstats::default();
            lines::for_each_line(data, |line| disks.line(line, &mut chart.skipped))?;
            disks.finish();
            (chart.disk_read, chart.disk_write, chart.disk_busy) = (disks.read, disks.write, disks.busy);
        }
        "kernel_pacct" => {
            chart.accounted = accounting::read(data, &mut chart.skipped)?;
        }
        "dmesg" | "dmesg.log" => {
            let mut text = Vec::new();
            data.take(MAX_DMESG_BYTES).read_to_end(&mut text)?;
            chart.dmesg = Some(text);
        }
        _ => {}
    }
    Ok(())
}

/// Reads an archive, packed with gzip or not.
///
/// # Errors
/// Those of `reader`, and `InvalidData` when it is no tar archive or has none of bootchart's files. What is cut off or
/// damaged further on is counted instead.
pub fn parse<R: Read>(reader: R) -> io::Result<Bootchart> {
    let mut reader = BufReader::new(reader);
    let mut magic = [0; 2];
    let got = reader.by_ref().take(2).read(&mut magic)?;
    let whole = io::Cursor::new(magic[..got].to_vec()).chain(reader);
    if magic == [0x1f, 0x8b] {
        parse_tar(flate2::read::MultiGzDecoder::new(whole).take(MAX_BYTES))
    } else {
        parse_tar(whole.take(MAX_BYTES))
    }
}

fn parse_tar<R: Read>(reader: R) -> io::Result<Bootchart> {
    let mut chart = Bootchart::default();
    let mut archive = tar::Archive::new(reader);
    let mut known = false;
    loop {
        let entry = match archive.next_entry() {
            Ok(Some(entry)) => entry,
            Ok(None) => break,
            Err(error) => {
                chart
                    .skipped
                    .note("archive damaged from here on", error.to_string().as_bytes());
                break;
            }
        };
        if chart.files.len() < 1000 {
            chart.files.push(entry.name.clone());
        }
        let name = base(&entry.name);
        known |= entry.file && NAMES.contains(&name);
        if !entry.file {
            continue;
        }
        if let Err(error) = file(&mut chart, name, &mut archive.data()) {
            chart
                .skipped
                .note("archive damaged from here on", error.to_string().as_bytes());
            break;
        }
    }
    if archive.truncated {
        chart.skipped.add("archive ends too early", 1);
    }
    if !known {
        let text = "no bootchart archive: it has no header, proc_stat.log, proc_ps.log or proc_diskstats.log; `tar tf FILE` lists what it has";
        return Err(io::Error::new(io::ErrorKind::InvalidData, text));
    }
    Ok(chart)
}

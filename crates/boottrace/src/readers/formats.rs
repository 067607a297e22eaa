// SPDX-License-Identifier: MIT
//! Which reader an input is for. Every reader registers one detector here.

use serde::{Deserialize, Serialize};

pub use crate::input::source::HEAD_BYTES;

use crate::text::named::named;

use super::calls::{events_text, function_graph, kd, kfi, perf_script, show_delta, trace_dat};
use super::dmesg_json;
use super::foreign;
use super::strace;
use super::userspace::{bootchart, journal, systemd_analyze, systemd_plot, systemd_plot_json};

/// How sure a detector is. The highest wins; equal ones go by the order of [`DETECTORS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// It could be read as this.
    Possible,
    /// Several lines have its shape.
    Likely,
    /// A magic number or an unmistakable header.
    Certain,
}

impl Confidence {
    /// The three steps of a confidence between 0 and 1.
    fn of(share: f32) -> Self {
        match share {
            0.95.. => Self::Certain,
            0.5.. => Self::Likely,
            _ => Self::Possible,
        }
    }
}

named! {
    /// The formats that are told apart by their bytes.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum Format {
        /// dmesg, serial captures, LAVA job logs, firmware tables: everything that `console` reads.
        BootLog = "boot-log",
        /// trace-cmd's binary file.
        TraceDat = "trace-dat",
        /// Text of ftrace's function_graph tracer.
        FunctionGraph = "function-graph",
        /// Text of ftrace events, of the function tracer, or of `trace-cmd report`.
        FtraceEvents = "ftrace-events",
        /// Text of `perf script`.
        PerfScript = "perf-script",
        /// Output of strace.
        Strace = "strace",
        /// KFI or KFT log.
        Kfi = "kfi",
        /// Report of `kd`.
        KdReport = "kd-report",
        /// Output of the kernel's `scripts/show_delta`.
        ShowDelta = "show-delta",
        /// `systemd-analyze` time, blame, critical-chain.
        SystemdAnalyze = "systemd-analyze",
        /// SVG of `systemd-analyze plot`.
        SystemdPlot = "systemd-plot",
        /// JSON of `systemd-analyze plot`.
        SystemdPlotJson = "systemd-plot-json",
        /// `dmesg --json`.
        DmesgJson = "dmesg-json",
        /// `journalctl -o export`, its forms of JSON, and `-o verbose`.
        JournalExport = "journal-export",
        /// Tarball of bootchart.
        Bootchart = "bootchart",
        /// No log at all: a program, a picture, a kernel image.
        Foreign = "foreign",
    }
}

/// A format and how to recognise it from the (unpacked) bytes.
pub struct Detector {
    /// What is detected.
    pub format: Format,
    /// Looks at the bytes; must not read more than it needs.
    pub detect: fn(&[u8]) -> Option<Confidence>,
}

macro_rules! detectors {
    ($($format:ident: $detect:expr),* $(,)?) => {
        &[$(Detector { format: Format::$format, detect: |head| $detect(head).map(Confidence::of) }),*]
    };
}

/// All detectors. Containers and formats with an unmistakable frame come first, since they may hold a boot log's text;
/// then boot logs that show a kernel's banner, since a console may print a trace; boot logs of any text come last.
pub const DETECTORS: &[Detector] = detectors![
    TraceDat: trace_dat::detect,
    Bootchart: bootchart::detect,
    Foreign: |head: &[u8]| foreign::what(head).map(|_| 1.0),
    SystemdPlot: systemd_plot::detect,
    SystemdPlotJson: systemd_plot_json::detect,
    DmesgJson: dmesg_json::detect,
    JournalExport: journal::detect,
    ShowDelta: show_delta::detect,
    BootLog: boot_log,
    FunctionGraph: function_graph::detect,
    FtraceEvents: events_text::detect,
    Strace: strace::detect,
    Kfi: kfi::detect,
    KdReport: kd::detect,
    SystemdAnalyze: systemd_analyze::detect,
    PerfScript: perf_script::detect,
];

/// The format with the highest confidence; looks at [`HEAD_BYTES`] bytes at most.
pub fn detect(bytes: &[u8]) -> Option<(Format, Confidence)> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let mut best: Option<(Format, Confidence)> = None;
    for detector in DETECTORS {
        if let Some(confidence) = (detector.detect)(head) {
            if best.is_none_or(|(_, other)| confidence > other) {
                best = Some((detector.format, confidence));
            }
        }
    }
    best
}

/// Words that only a machine's console prints. A trace may quote them, but not before its own first line.
const BANNERS: [&[u8]; 4] = [
    b"Linux version ",
    b"U-Boot SPL ",
    b"Booting Linux on physical CPU",
    b"Starting kernel ...",
];
/// Words that begin the text of a trace.
const TRACE_HEADS: [&[u8]; 3] = [b"# tracer: ", b"Kernel Instrumentation Run ID", b"cpus="];

#[allow(clippy::unnecessary_wraps)] // the shape all detectors have
fn boot_log(head: &[u8]) -> Option<f32> {
    let first = |words: &[&[u8]]| words.iter().filter_map(|text| memchr::memmem::find(head, text)).min();
    let Some(banner) = first(&BANNERS) else {
        return Some(0.1);
    };
    let trace = first(&TRACE_HEADS).is_some_and(|at| at < banner && (at == 0 || head[at - 1] == b'\n'));
    Some(if trace && !stands_alone(head) { 0.1 } else { 1.0 })
}

/// True when a banner stands on a line of its own: a log was put behind the trace, which does not merely quote it.
fn stands_alone(head: &[u8]) -> bool {
    let mut found = memchr::memmem::find_iter(head, BANNERS[0]);
    found.any(|at| {
        let start = memchr::memrchr(b'\n', &head[..at]).map_or(0, |newline| newline + 1);
        let prefix = head[start..at].trim_ascii();
        prefix.is_empty() || matches!(prefix[0], b'[' | b'<') && prefix.ends_with(b"]")
    })
}

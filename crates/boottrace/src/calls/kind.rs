//! Which trace format a file is.

use serde::Serialize;

use super::{events_text, function_graph, kd, kfi, perf_script, show_delta, trace_dat};

/// How much of a file is enough to tell.
pub const HEAD_BYTES: usize = 64 * 1024;

/// The formats of this module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// function_graph text.
    FunctionGraph,
    /// Event or function tracer text, `trace-cmd report`.
    EventsText,
    /// trace-cmd's binary file.
    TraceDat,
    /// `perf script` text.
    PerfScript,
    /// KFI or KFT log.
    Kfi,
    /// Report of `kd`.
    Kd,
    /// Output of `show_delta`.
    ShowDelta,
}

/// The likeliest format by a file's head, with a confidence from 0 to 1; `None` when it is none of them.
pub fn detect(head: &[u8]) -> Option<(Kind, f32)> {
    let head = &head[..head.len().min(HEAD_BYTES)];
    let found = [
        (Kind::TraceDat, trace_dat::detect(head)),
        (Kind::FunctionGraph, function_graph::detect(head)),
        (Kind::EventsText, events_text::detect(head)),
        (Kind::Kfi, kfi::detect(head)),
        (Kind::Kd, kd::detect(head)),
        (Kind::ShowDelta, show_delta::detect(head)),
        (Kind::PerfScript, perf_script::detect(head)),
    ];
    let found = found
        .into_iter()
        .filter_map(|(kind, confidence)| confidence.map(|value| (kind, value)));
    // The first of equals wins.
    found.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

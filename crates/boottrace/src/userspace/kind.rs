//! Which user-space format a file is.

use serde::Serialize;

use super::{bootchart, journal, systemd_analyze, systemd_plot, systemd_plot_json};

/// How much of a file is enough to tell.
pub const HEAD_BYTES: usize = 64 * 1024;

/// The formats of this module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `systemd-analyze time`, `blame`, `critical-chain`.
    SystemdAnalyze,
    /// SVG of `systemd-analyze plot`.
    SystemdPlot,
    /// JSON of `systemd-analyze plot`.
    SystemdPlotJson,
    /// `journalctl -o export`.
    Journal,
    /// Bootchart archive.
    Bootchart,
}

/// The likeliest format by a file's head, with a confidence from 0 to 1; `None` when it is none of them.
pub fn detect(head: &[u8]) -> Option<(Kind, f32)> {
    let head = &head[..head.len().min(HEAD_BYTES)];
    let found = [
        (Kind::Bootchart, bootchart::detect(head)),
        (Kind::Journal, journal::detect(head)),
        (Kind::SystemdPlot, systemd_plot::detect(head)),
        (Kind::SystemdPlotJson, systemd_plot_json::detect(head)),
        (Kind::SystemdAnalyze, systemd_analyze::detect(head)),
    ];
    let found = found
        .into_iter()
        .filter_map(|(kind, confidence)| confidence.map(|value| (kind, value)));
    found.reduce(|best, next| if next.1 > best.1 { next } else { best })
}

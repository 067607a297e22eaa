// SPDX-License-Identifier: MIT
//! A bootchart archive as a part of a document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::log::clock::Clock;
use crate::readers::userspace::bootchart::Bootchart;

/// Processes kept; further ones are counted.
pub const MAX_PROCESSES: usize = 5000;
/// Points of each curve; longer ones are thinned to the mean of neighbours.
pub const MAX_POINTS: usize = 500;

/// What the archive told.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Chart {
    /// Clock of all times here.
    pub clock: Clock,
    /// The archive's header.
    pub about: BTreeMap<String, String>,
    /// Files of the archive.
    pub files: Vec<String>,
    /// First and last sample, ns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bounds_ns: Option<(i64, i64)>,
    /// Mean share of the processors at work, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub busy_share: Option<f64>,
    /// Mean share of the processors waiting for devices, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wait_share: Option<f64>,
    /// Processes, most processor time first.
    pub processes: Vec<ChartProcess>,
    /// All processes.
    pub processes_total: u64,
    /// Time and share of the processors at work.
    pub cpu_busy: Vec<(i64, f64)>,
    /// Time and share of the processors waiting for devices.
    pub cpu_wait: Vec<(i64, f64)>,
    /// Time and bytes per second read.
    pub disk_read: Vec<(i64, f64)>,
    /// Time and bytes per second written.
    pub disk_write: Vec<(i64, f64)>,
}

/// A process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChartProcess {
    /// Its id.
    pub pid: i64,
    /// Its parent's.
    pub parent: i64,
    /// Its name.
    pub name: String,
    /// When it started.
    pub start_ns: i64,
    /// When it was seen last; absent when it outlived the samples.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end_ns: Option<i64>,
    /// Time on a processor.
    pub cpu_ns: u64,
    /// Samples, and those in which it waited for a device.
    pub samples: u64,
    /// See `samples`.
    pub waiting_samples: u64,
}

fn mean(points: &[(i64, f64)]) -> Option<f64> {
    (!points.is_empty()).then(|| points.iter().map(|(_, value)| value).sum::<f64>() / points.len() as f64)
}

fn thinned(points: &[(i64, f64)]) -> Vec<(i64, f64)> {
    points
        .chunks(points.len().div_ceil(MAX_POINTS).max(1))
        .filter_map(|chunk| Some((chunk.first()?.0, mean(chunk)?)))
        .collect()
}

impl From<&Bootchart> for Chart {
    fn from(chart: &Bootchart) -> Self {
        let stamps = || {
            [&chart.cpu_busy, &chart.disk_read]
                .into_iter()
                .flatten()
                .map(|(ns, _)| *ns)
        };
        let mut processes: Vec<ChartProcess> = chart
            .processes
            .iter()
            .map(|process| ChartProcess {
                pid: process.pid,
                parent: process.parent,
                name: process.comm.clone(),
                start_ns: process.start_ns,
                end_ns: process.end_ns,
                cpu_ns: process.cpu_ns,
                samples: process.samples,
                waiting_samples: process.waiting_samples,
            })
            .collect();
        processes.sort_by_key(|process| std::cmp::Reverse(process.cpu_ns));
        processes.truncate(MAX_PROCESSES);
        Self {
            clock: Clock::Monotonic,
            about: chart.header.clone(),
            files: chart.files.clone(),
            bounds_ns: stamps().min().zip(stamps().max()),
            busy_share: mean(&chart.cpu_busy),
            wait_share: mean(&chart.cpu_wait),
            processes,
            processes_total: chart.processes.len() as u64,
            cpu_busy: thinned(&chart.cpu_busy),
            cpu_wait: thinned(&chart.cpu_wait),
            disk_read: thinned(&chart.disk_read),
            disk_write: thinned(&chart.disk_write),
        }
    }
}

// SPDX-License-Identifier: MIT
//! What of a document can be compared with another: named durations of boots, units, functions, processes.

use std::collections::BTreeMap;

use super::boot::Boot;
use super::call_trace::CallTrace;
use super::chart::Chart;
use super::document::{Document, Part};
use super::reports::KdReport;
use super::units::UnitReport;
use crate::facts::boot::interval::{is_lower_bound, is_unsure};
use crate::facts::boot::stage::StageEvent;
use crate::readers::strace::profile::ApplicationProfile;

/// Values of one run: a boot, a trace, a report.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Run {
    /// Quantity and nanoseconds.
    pub times: Vec<(String, i64)>,
    /// How often a function was called, by the names in `times`.
    pub calls: BTreeMap<String, u64>,
    /// What was left out, for a quantity of this kind may be there all the same.
    pub cut_kinds: Vec<&'static str>,
}

/// Everything of a document that can be compared, one run for each of its parts that has any.
pub fn runs(document: &Document) -> Vec<Run> {
    let runs = document.parts.iter().filter_map(|part| match part {
        Part::Boot(boot) => Some(Run {
            times: quantities(boot),
            ..Run::default()
        }),
        Part::Units(report) => Some(units(report)),
        Part::Calls(trace) if trace.weight == "ns" => Some(calls(trace)),
        Part::KdReport(report) => Some(kd(report)),
        Part::Bootchart(chart) => Some(processes(chart)),
        Part::Application(profile) => Some(application(profile)),
        Part::Calls(_) | Part::Deltas(_) | Part::NotABoot(_) => None,
    });
    runs.filter(|run| !run.times.is_empty()).collect()
}

/// Of an application: all of it, and what it waited for, by kind of wait.
fn application(profile: &ApplicationProfile) -> Run {
    let mut times: Vec<_> = profile
        .length_ns
        .map(|ns| ("application".to_owned(), ns))
        .into_iter()
        .collect();
    let calls = profile.calls.iter().filter(|sum| sum.total_ns > 0);
    times.extend(calls.clone().map(|sum| (format!("call {}", sum.call), sum.total_ns)));
    Run {
        times,
        calls: calls.map(|sum| (format!("call {}", sum.call), sum.count)).collect(),
        ..Run::default()
    }
}

/// Tells instances of one name apart, as initcalls' labels do.
#[derive(Default)]
struct Instances(BTreeMap<String, u32>);

impl Instances {
    fn name(&mut self, name: &str) -> String {
        let seen = self.0.entry(name.to_owned()).or_insert(0);
        *seen += 1;
        match *seen {
            1 => name.to_owned(),
            n => format!("{name} #{n}"),
        }
    }
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}

/// Everything of a boot that can be compared.
pub fn quantities(boot: &Boot) -> Vec<(String, i64)> {
    let mut out = Vec::new();
    // A log that begins later shows a part of the kernel's time only.
    let begins = boot
        .stages
        .iter()
        .any(|stage| stage.event == StageEvent::KernelStart && stage.ns.is_some());
    if let Some(path) = boot.critical_path.as_ref().filter(|_| begins) {
        out.push(("kernel".to_owned(), path.to_ns.saturating_sub(path.from_ns)));
    }
    stages(boot, &mut out);
    loader(boot, &mut out);
    for call in &boot.kernel.initcalls {
        if let Some(ns) = call.best_duration_ns() {
            out.push((format!("initcall:{}", call.label()), ns));
        }
    }
    let mut probes: BTreeMap<&str, i64> = BTreeMap::new();
    for probe in &boot.kernel.probes {
        let ns = i64::try_from(probe.printed_us).unwrap_or(i64::MAX).saturating_mul(1000);
        let sum = probes.entry(&probe.device).or_insert(0);
        *sum = sum.saturating_add(ns);
    }
    out.extend(probes.into_iter().map(|(device, ns)| (format!("probe:{device}"), ns)));
    out
}

/// Spans between two events, by the plain names that people use for them.
const PLAIN: [(&str, &[StageEvent], &[StageEvent]); 4] = [
    (
        "stage:boot-loader",
        &[StageEvent::PowerOn, StageEvent::Firmware],
        &[StageEvent::KernelStart],
    ),
    (
        "stage:decompression",
        &[StageEvent::Decompression],
        &[StageEvent::KernelStart],
    ),
    (
        "stage:user-space",
        &[StageEvent::UserSpaceStart],
        &[StageEvent::FirstUse, StageEvent::ApplicationStart],
    ),
    (
        "stage:whole-boot",
        &[StageEvent::PowerOn, StageEvent::Firmware],
        &[StageEvent::FirstUse, StageEvent::ApplicationStart],
    ),
];

fn stages(boot: &Boot, out: &mut Vec<(String, i64)>) {
    // A bound is no value: two of them may be equal while the boots are not.
    for interval in boot.intervals.iter().filter(|i| !i.at_least && !i.unsure) {
        if let Some(ns) = interval.duration_ns {
            let name = |event| serde_json::to_value(event).ok()?.as_str().map(str::to_owned);
            if let (Some(from), Some(to)) = (name(interval.from), name(interval.to)) {
                out.push((format!("stage:{from}..{to}"), ns));
            }
        }
    }
    let at = |events: &[StageEvent]| {
        events.iter().find_map(|event| {
            boot.stages
                .iter()
                .find(|stage| stage.event == *event && stage.ns.is_some())
        })
    };
    for (name, from, to) in PLAIN {
        let ends = at(from)
            .zip(at(to))
            .filter(|(from, to)| !is_lower_bound(from, to) && !is_unsure(from, to));
        let length = ends.and_then(|(from, to)| to.ns?.checked_sub(from.ns?));
        if let Some(ns) = length.filter(|ns| *ns >= 0) {
            out.push((name.to_owned(), ns));
        }
    }
}

/// What the boot loader's tables say: marks from its own zero, and sums.
fn loader(boot: &Boot, out: &mut Vec<(String, i64)>) {
    if !boot.reached_kernel {
        let last = boot
            .firmware
            .tables
            .iter()
            .flat_map(|table| &table.marks)
            .map(|mark| mark.ns)
            .max();
        out.extend(last.map(|ns| ("stage:boot-loader".to_owned(), ns)));
    }
    let (mut marks, mut sums) = (Instances::default(), Instances::default());
    for table in &boot.firmware.tables {
        for mark in table.marks.iter().filter(|mark| !mark.name.is_empty()) {
            out.push((format!("mark:{}", marks.name(&mark.name)), mark.ns));
        }
        for sum in &table.accumulated {
            out.push((format!("accumulated:{}", sums.name(&sum.name)), sum.total_ns));
        }
    }
}

fn units(report: &UnitReport) -> Run {
    let mut times = Vec::new();
    if let Some(startup) = &report.startup {
        times.extend(
            startup
                .parts
                .iter()
                .map(|(name, ns)| (format!("startup:{name}"), signed(*ns))),
        );
        times.extend(startup.total_ns.map(|ns| ("startup:total".to_owned(), signed(ns))));
        if let (Some(target), Some(ns)) = (&startup.target, startup.target_after_ns) {
            times.push((format!("target:{target}"), signed(ns)));
        }
    }
    let mut names = Instances::default();
    for unit in &report.units {
        let ns = unit.time_ns.map(signed).filter(|ns| *ns > 0);
        times.extend(ns.map(|ns| (format!("unit:{}", names.name(&unit.unit)), ns)));
    }
    Run {
        times,
        cut_kinds: if report.left_out > 0 { vec!["unit"] } else { Vec::new() },
        ..Run::default()
    }
}

fn calls(trace: &CallTrace) -> Run {
    let mut run = Run::default();
    let mut names = Instances::default();
    for call in &trace.initcalls {
        let ns = call.end_ns.and_then(|end| end.checked_sub(call.start_ns));
        let label = names.name(&call.name);
        run.times.extend(ns.map(|ns| (format!("initcall:{label}"), ns)));
    }
    for row in &trace.all_functions {
        let (own, total) = (format!("self:{}", row.function), format!("total:{}", row.function));
        run.calls.extend([(own.clone(), row.count), (total.clone(), row.count)]);
        run.times.push((own, signed(row.self_ns)));
        run.times.push((total, signed(row.total_ns)));
    }
    if trace.functions > trace.all_functions.len() as u64 {
        run.cut_kinds = vec!["self", "total"];
    }
    run
}

fn kd(report: &KdReport) -> Run {
    let mut run = Run::default();
    let ns = |us: i64| us.saturating_mul(1000);
    for row in &report.rows {
        let columns = [("self", row.local_us), ("total", row.time_us)];
        for (kind, us) in columns {
            let Some(us) = us else { continue };
            let name = format!("{kind}:{}", row.function);
            run.calls.extend(row.count.map(|count| (name.clone(), count)));
            run.times.push((name, ns(us)));
        }
    }
    // `kd -n` prints the first rows only.
    run.cut_kinds = vec!["self", "total"];
    run
}

fn processes(chart: &Chart) -> Run {
    let mut by_name: BTreeMap<&str, i64> = BTreeMap::new();
    for process in &chart.processes {
        let sum = by_name.entry(&process.name).or_insert(0);
        *sum = sum.saturating_add(signed(process.cpu_ns));
    }
    let times = by_name
        .into_iter()
        .map(|(name, ns)| (format!("process:{name}"), ns))
        .collect();
    Run {
        times,
        ..Run::default()
    }
}

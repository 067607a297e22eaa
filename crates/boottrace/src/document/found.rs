// SPDX-License-Identifier: MIT
//! Traces and reports of other tools as parts of a document: what `calls` and `userspace` read, in bounded tables.

use std::io;

use super::call_trace::CallTrace;
use super::chart::Chart;
use super::document::Part;
use super::reports::{DeltaReport, KdReport};
use super::unit_costs;
use super::units::UnitReport;
use crate::input::stream::Stream;
use crate::log::clock::Clock;
use crate::readers::calls::events::Events;
use crate::readers::calls::log_behind::LogBehind;
use crate::readers::calls::names::Names;
use crate::readers::calls::stacks::{Calls, SpanLimits};
use crate::readers::calls::tree::CallTree;
use crate::readers::calls::{events_text, function_graph, kd, kfi, perf_script, show_delta, trace_dat};
use crate::readers::dmesg_json;
use crate::readers::formats::Format;
use crate::readers::skipped::Skipped;
use crate::readers::strace;
use crate::readers::userspace::{bootchart, journal, systemd_analyze, systemd_plot, systemd_plot_json};
use crate::timeline::tracks::Timeline;
use crate::timeline::tree::Tree;

/// Calls kept for an exported timeline: the shortest are left out, and so are those that find no room.
const SPANS: SpanLimits = SpanLimits {
    min_ns: 10_000,
    max_count: 500_000,
};

/// What a reader gave, ready to go into a document.
#[derive(Debug, Default)]
pub struct Found {
    /// Parts in file order.
    pub parts: Vec<Part>,
    /// What was left out.
    pub skipped: Vec<(String, u64)>,
    /// Spans for the exporters, when they were asked for.
    pub timelines: Vec<Timeline>,
    /// Merged call trees for the flame-graph exporters.
    pub trees: Vec<Tree>,
    /// The same with all that is known of each node.
    pub call_trees: Vec<(CallTree, Names)>,
    /// Kernel logs that lay inside, for the reader of console logs; with the name of their place.
    pub kernel_logs: Vec<(&'static str, Vec<u8>)>,
    /// Why reading stopped, when it did.
    pub problem: Option<String>,
}

impl Found {
    fn skip(&mut self, skipped: &Skipped) {
        let reasons = skipped.reasons.iter();
        self.skipped
            .extend(reasons.map(|(reason, count)| ((*reason).to_owned(), *count)));
    }

    fn calls(&mut self, name: &str, part: CallTrace, calls: &Calls, skipped: &Skipped, export: bool) {
        if export {
            self.timelines.push(calls.timeline(name, "trace"));
            self.trees.push(calls.tree.export(&calls.names, name, "trace"));
            self.call_trees.push((calls.tree.clone(), calls.names.clone()));
        }
        self.skip(skipped);
        self.parts.push(Part::Calls(part));
    }

    fn events(&mut self, name: &str, part: CallTrace, events: &Events, export: bool) {
        self.calls(name, part, &events.calls, &events.skipped, export);
        if export {
            self.timelines.pop();
            self.timelines.push(events.timeline(name));
        }
    }

    fn log_behind(&mut self, place: &'static str, log: LogBehind) {
        let text = log.into_text();
        if !text.is_empty() {
            self.kernel_logs.push((place, text));
        }
    }

    fn units(&mut self, mut report: UnitReport, timeline: Option<Timeline>, skipped: &Skipped) {
        self.skip(skipped);
        self.timelines.extend(timeline);
        report.costs = unit_costs::of(&report);
        report.tell_first_boot();
        self.parts.push(Part::Units(report));
    }
}

/// Reads one input of a format that is no boot log. `export` keeps spans and call trees too, at the cost of memory.
/// `goal`: a text at which the log of an application ends.
pub fn read(format: Format, name: &str, stream: Box<dyn Stream + '_>, export: bool, goal: Option<&str>) -> Found {
    let mut found = Found::default();
    if let Err(error) = read_into(&mut found, format, name, stream, export, goal) {
        found.problem = Some(error.to_string());
    }
    found
}

fn read_into(
    found: &mut Found,
    format: Format,
    name: &str,
    stream: Box<dyn Stream + '_>,
    export: bool,
    goal: Option<&str>,
) -> io::Result<()> {
    let spans = export.then_some(SPANS);
    match format {
        Format::BootLog | Format::Foreign => {}
        Format::FunctionGraph => {
            let trace = function_graph::parse(stream, spans)?;
            let part = CallTrace::of(&trace.calls, format, Clock::Trace);
            found.calls(name, part, &trace.calls, &trace.skipped, export);
            found.log_behind("function-graph", trace.log);
        }
        Format::FtraceEvents => {
            let trace = events_text::parse(stream, spans)?;
            found.events(name, CallTrace::of_events(&trace.events, format), &trace.events, export);
            found.log_behind("ftrace-events", trace.log);
        }
        Format::TraceDat => {
            let trace = trace_dat::parse(stream.seekable()?, spans).map_err(io::Error::other)?;
            let mut part = CallTrace::of_events(&trace.events, format);
            let facts = [
                ("version", trace.version.to_string()),
                ("clock", trace.clock.clone()),
                ("uname", trace.uname.clone()),
                ("cpus", trace.cpus.to_string()),
                ("records", trace.records.to_string()),
            ];
            part.about = facts
                .into_iter()
                .filter(|(_, value)| !value.is_empty())
                .map(|(key, value)| (key.to_owned(), value))
                .collect();
            found.events(name, part, &trace.events, export);
        }
        Format::PerfScript => {
            let samples = perf_script::parse(stream)?;
            let mut part = CallTrace::of_samples(&samples.calls, samples.weight, samples.samples);
            part.events.clone_from(&samples.counts);
            found.calls(name, part, &samples.calls, &samples.skipped, export);
        }
        Format::Kfi => {
            let log = kfi::parse(stream, spans)?;
            let mut part = CallTrace::of(&log.calls, format, Clock::Trace);
            part.about = kfi_facts(&log);
            found.calls(name, part, &log.calls, &log.skipped, export);
        }
        Format::KdReport => {
            let report = kd::parse(stream)?;
            found.skip(&report.skipped);
            found.parts.push(Part::KdReport(KdReport::from(&report)));
        }
        Format::Strace => {
            let (profile, skipped) = strace::parse(stream, goal)?;
            found.skip(&skipped);
            found.parts.push(Part::Application(profile));
        }
        Format::ShowDelta => {
            let deltas = show_delta::parse(stream)?;
            found.skip(&deltas.skipped);
            found.parts.push(Part::Deltas(DeltaReport::from(&deltas)));
            // The lines are a kernel log once the deltas are gone.
            found
                .kernel_logs
                .push(("show-delta", deltas.kernel_text().into_bytes()));
        }
        Format::SystemdAnalyze => {
            let text = systemd_analyze::parse_text(stream)?;
            found.units(UnitReport::of_text(&text), None, &text.skipped);
            if let Some(Part::Units(report)) = found.parts.last_mut() {
                report.tell_unread(text.unread.into_iter());
            }
        }
        Format::SystemdPlot => {
            let plot = systemd_plot::parse(stream)?;
            found.units(
                UnitReport::of_plot(&plot),
                export.then(|| plot.timeline(name)),
                &plot.skipped,
            );
        }
        Format::SystemdPlotJson => {
            let table = systemd_plot_json::parse(stream)?;
            let timeline = export.then(|| Timeline {
                title: name.to_owned(),
                clock: "monotonic".to_owned(),
                args: Vec::new(),
                tracks: vec![crate::readers::userspace::unit::track(&table.units)],
            });
            found.units(UnitReport::of_table(&table), timeline, &table.skipped);
        }
        Format::DmesgJson => {
            let records = dmesg_json::parse(stream)?;
            found.skip(&records.skipped);
            found.problem = records.problem;
            found.kernel_logs.push(("dmesg-json", records.text.into_bytes()));
        }
        Format::JournalExport => {
            let journal = journal::parse(stream)?;
            found.skip(&journal.skipped);
            for boot in &journal.boots {
                let timeline = export.then(|| boot.timeline());
                found.units(UnitReport::of_journal(boot), timeline, &Skipped::default());
                // Without a line of the kernel it is a service's journal, and no boot.
                if boot.lines.iter().any(|line| line.sender.is_empty()) {
                    found.kernel_logs.push(("journal-export", boot.text().into_bytes()));
                }
            }
        }
        Format::Bootchart => {
            let mut chart = bootchart::parse(stream)?;
            found.skip(&chart.skipped);
            if export {
                found.timelines.push(chart.timeline(name));
            }
            found
                .kernel_logs
                .extend(chart.dmesg.take().map(|text| ("bootchart", text)));
            found.parts.push(Part::Bootchart(Chart::from(&chart)));
        }
    }
    Ok(())
}

fn kfi_facts(log: &kfi::Log) -> std::collections::BTreeMap<String, String> {
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    let header = &log.header;
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let counted = |count: u64| (count > 0).then(|| count.to_string());
    [
        ("run-id", number(header.run_id)),
        ("started-us", number(header.started_us)),
        ("stopped-us", number(header.stopped_us)),
        ("start-trigger", text(&header.start_trigger)),
        ("stop-trigger", text(&header.stop_trigger)),
        ("min-time-us", number(header.min_time_us)),
        ("filtered", number(header.filtered)),
        ("entries", number(header.entries)),
        ("exit-not-seen", counted(log.exit_not_seen)),
        ("stack-watch-records", counted(log.stack_watch)),
    ]
    .into_iter()
    .filter_map(|(key, value)| Some((key.to_owned(), value?)))
    .collect()
}

// SPDX-License-Identifier: MIT
//! Analyses a function trace of any kind and prints tables, folded stacks, JSON or an exported timeline.
//!
//! `calls FILE [--top N] [--folded] [--json] [--tree] [--perfetto OUT] [--speedscope OUT]`; `-` reads standard input.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, Write};
use std::process::ExitCode;

use boottrace::export;
use boottrace::readers::calls::stacks::{Calls, SpanLimits};
use boottrace::readers::calls::tables;
use boottrace::readers::calls::tables::SortBy;
use boottrace::readers::calls::{events_text, function_graph, kfi, perf_script, trace_dat};
use boottrace::readers::formats::{detect, Format, HEAD_BYTES};
use boottrace::readers::skipped::Skipped;
use boottrace::text::printable::printable;
use boottrace::timeline::Timeline;

struct Arguments {
    file: String,
    top: usize,
    folded: bool,
    json: bool,
    tree: bool,
    perfetto: Option<String>,
    speedscope: Option<String>,
}

fn arguments() -> Option<Arguments> {
    let mut found = Arguments {
        file: String::new(),
        top: 20,
        folded: false,
        json: false,
        tree: false,
        perfetto: None,
        speedscope: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--top" => found.top = words.next()?.parse().ok()?,
            "--folded" => found.folded = true,
            "--json" => found.json = true,
            "--tree" => found.tree = true,
            "--perfetto" => found.perfetto = Some(words.next()?),
            "--speedscope" => found.speedscope = Some(words.next()?),
            _ if found.file.is_empty() => found.file = word,
            _ => return None,
        }
    }
    (!found.file.is_empty()).then_some(found)
}

/// What all formats have in common.
struct Trace {
    calls: Calls,
    skipped: Skipped,
    timeline: Option<Timeline>,
}

fn read(arguments: &Arguments) -> io::Result<Trace> {
    let spans = arguments.perfetto.as_ref().map(|_| SpanLimits {
        min_ns: 10_000,
        max_count: 500_000,
    });
    if arguments.file == "-" {
        let trace = function_graph::parse(io::stdin(), spans)?;
        let timeline = spans.map(|_| trace.calls.timeline("standard input", "trace"));
        return Ok(Trace {
            calls: trace.calls,
            skipped: trace.skipped,
            timeline,
        });
    }
    let mut file = File::open(&arguments.file)?;
    let mut head = Vec::new();
    (&file).take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    file.rewind()?;
    let of_calls = |calls: Calls, skipped: Skipped| {
        let timeline = spans.map(|_| calls.timeline(&arguments.file, "trace"));
        Trace {
            calls,
            skipped,
            timeline,
        }
    };
    let of_events = |events: boottrace::readers::calls::events::Events| {
        let timeline = Some(events.timeline(&arguments.file));
        Trace {
            calls: events.calls,
            skipped: events.skipped,
            timeline,
        }
    };
    match detect(&head).map(|(kind, _)| kind) {
        Some(Format::FunctionGraph) => function_graph::parse(file, spans).map(|t| of_calls(t.calls, t.skipped)),
        Some(Format::Kfi) => kfi::parse(file, spans).map(|log| of_calls(log.calls, log.skipped)),
        Some(Format::PerfScript) => perf_script::parse(file).map(|samples| of_calls(samples.calls, samples.skipped)),
        Some(Format::FtraceEvents) => events_text::parse(file, spans).map(|trace| of_events(trace.events)),
        Some(Format::TraceDat) => match trace_dat::parse(file, spans) {
            Ok(trace) => Ok(of_events(trace.events)),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        },
        other => {
            let text = format!("no trace of calls (it looks like {other:?}); give function_graph text, trace.dat, perf script or a KFT log");
            Err(io::Error::new(io::ErrorKind::InvalidData, text))
        }
    }
}

fn report(trace: &Trace, arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let calls = &trace.calls;
    if arguments.folded {
        return export::folded::write_tree(&calls.tree.export(&calls.names, &arguments.file, "trace"), out);
    }
    let mut rows = tables::functions(calls, SortBy::SelfTime);
    if arguments.json {
        rows.truncate(arguments.top);
        let summary = serde_json::json!({
            "format": "boottrace-calls", "version": 1, "skipped": trace.skipped,
            "mismatches": calls.mismatches, "bounds_ns": calls.bounds_ns, "functions": rows,
        });
        serde_json::to_writer_pretty(&mut *out, &summary)?;
        return writeln!(out);
    }
    writeln!(
        out,
        "{} tasks, {} functions, {} call paths; {} lines skipped",
        calls.tasks.len(),
        calls.names.len() - 1,
        calls.tree.nodes().len() - 3,
        trace.skipped.total()
    )?;
    for (reason, count) in &trace.skipped.reasons {
        writeln!(out, "  skipped {count}: {reason}")?;
    }
    writeln!(out, "{:?}", calls.mismatches)?;
    writeln!(out, "\nBy self time (us)\n{}", tables::kd_text(&rows, arguments.top))?;
    tables::sort_rows(&mut rows, SortBy::Time);
    writeln!(out, "By total time (us)\n{}", tables::kd_text(&rows, arguments.top))?;
    for path in tables::call_paths(calls, arguments.top) {
        writeln!(out, "{}", printable(&path))?;
    }
    if arguments.tree {
        writeln!(
            out,
            "\n{}",
            tables::indented(calls, boottrace::readers::calls::tree::ROOT, 0, 10_000)
        )?;
    }
    Ok(())
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let trace = read(arguments)?;
    if let (Some(path), Some(timeline)) = (&arguments.perfetto, &trace.timeline) {
        export::perfetto::write(timeline, BufWriter::new(File::create(path)?))?;
    }
    if let Some(path) = &arguments.speedscope {
        let tree = trace.calls.tree.export(&trace.calls.names, &arguments.file, "trace");
        export::speedscope::write_tree(&tree, BufWriter::new(File::create(path)?))?;
    }
    report(&trace, arguments, &mut BufWriter::new(io::stdout().lock()))
}

fn main() -> ExitCode {
    let Some(arguments) = arguments() else {
        eprintln!("usage: calls FILE [--top N] [--folded] [--json] [--tree] [--perfetto OUT] [--speedscope OUT]");
        return ExitCode::from(2);
    };
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("calls: cannot read {}: {error}", arguments.file);
            ExitCode::from(2)
        }
    }
}

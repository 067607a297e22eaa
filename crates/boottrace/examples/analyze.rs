// SPDX-License-Identifier: MIT
//! Reads a boot log (a file, or `-` for standard input) and prints what it tells: `analyze [--json] FILE`.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use boottrace::{analyze_path, Document, Options, Part};

fn main() -> ExitCode {
    let mut json = false;
    let mut file = None;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--json" => json = true,
            _ => file = Some(argument),
        }
    }
    let Some(file) = file else {
        eprintln!("usage: analyze [--json] FILE (or - for standard input)");
        return ExitCode::from(2);
    };
    let options = Options::default();
    let document = analyze_path(Path::new(&file), &options);
    let document = match document {
        Ok(document) => document,
        Err(error) => {
            eprintln!("{error}\n{}", error.hint());
            return ExitCode::from(2);
        }
    };
    let text = if json {
        serde_json::to_string(&document).unwrap_or_default()
    } else {
        summary(&document)
    };
    // A closed pipe (`| head`) is no failure.
    let _ = writeln!(std::io::stdout(), "{text}");
    ExitCode::SUCCESS
}

fn summary(document: &Document) -> String {
    let mut out = vec![format!(
        "{}: {} lines, {} parts",
        document.name,
        document.lines,
        document.parts.len()
    )];
    for part in &document.parts {
        match part {
            Part::Calls(trace) => {
                let functions = trace.top_self.iter().take(12);
                out.push(format!("trace: {} calls of {} functions", trace.calls, trace.functions));
                out.extend(functions.map(|f| format!("  {} x{}: self {} ns", f.function, f.count, f.self_ns)));
            }
            Part::Units(report) => out.push(format!("units: {}, {:?}", report.units.len(), report.startup)),
            Part::Bootchart(chart) => out.push(format!("bootchart: {} processes", chart.processes_total)),
            Part::KdReport(report) => out.push(format!("kd report: {} rows", report.rows.len())),
            Part::Application(profile) => out.push(format!("system calls: {}", profile.calls_total)),
            Part::Deltas(report) => out.push(format!("show_delta: {} lines", report.lines)),
            Part::NotABoot(part) => out.push(format!(
                "lines {}-{}: {}: {}",
                part.from_line, part.to_line, part.what, part.why
            )),
            Part::Boot(boot) => {
                let kernel = &boot.kernel;
                out.push(format!(
                    "boot {} (lines {}-{}, {:?}): {}, {} initcalls, {} probes, init {:?}",
                    boot.number,
                    boot.from_line,
                    boot.to_line,
                    boot.start,
                    kernel
                        .banner
                        .as_ref()
                        .map_or("no kernel banner", |b| b.release.as_str()),
                    kernel.initcalls.len(),
                    kernel.probes.len(),
                    kernel.init.as_ref().map(|i| i.text.as_str()),
                ));
                out.push(format!("  axis: {:?}, {}", boot.axis.clock, boot.axis.origin));
                for stage in &boot.stages {
                    let at = stage.ns.map_or("-".to_owned(), |ns| format!("{:.6}", ns as f64 / 1e9));
                    out.push(format!(
                        "  {:?} at {at} s (line {:?}): {}",
                        stage.event, stage.line, stage.basis
                    ));
                }
                for cost in boot.costs.iter().take(12) {
                    let gain = cost
                        .gain_ns
                        .map_or("?".to_owned(), |ns| format!("{:.6} s", ns as f64 / 1e9));
                    out.push(format!(
                        "  cost {:?}: {}: {gain} ({:?}): {}",
                        cost.kind, cost.title, cost.basis, cost.evidence
                    ));
                }
                for failure in &boot.failures {
                    out.push(format!(
                        "  failure {:?} (line {}): {}: {}",
                        failure.kind, failure.line, failure.text, failure.meaning
                    ));
                }
                for spot in &boot.blind_spots {
                    let length = spot
                        .duration_ns
                        .map_or("unknown".to_owned(), |ns| format!("{:.6} s", ns as f64 / 1e9));
                    out.push(format!("  blind spot {:?}: {length}: {}", spot.kind, spot.why));
                }
            }
        }
    }
    if let Some(found) = &document.boot_loop {
        out.push(format!(
            "boot loop: {} boots end with `{}`",
            found.boots, found.ends_with
        ));
    }
    for took in &document.took {
        out.push(format!("took {}-{}: {}", took.from_line, took.to_line, took.format));
    }
    for skipped in &document.skipped {
        out.push(format!(
            "skipped {} (from line {:?}): {}",
            skipped.count, skipped.first_line, skipped.reason
        ));
    }
    out.join("\n")
}

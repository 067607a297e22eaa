//! Analyses a function trace and prints tables, folded stacks, JSON or an exported timeline.
//!
//! `calls FILE [--top N] [--folded] [--json] [--tree] [--perfetto OUT] [--speedscope OUT]`; `-` reads standard input.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use boottrace::calls::function_graph::{self, Trace};
use boottrace::calls::tables::{self, SortBy};
use boottrace::calls::SpanLimits;
use boottrace::export;

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

fn report(trace: &Trace, arguments: &Arguments, out: &mut impl Write) -> io::Result<()> {
    let calls = &trace.calls;
    if arguments.folded {
        return export::folded::write_tree(&calls.tree.export(&calls.names, &arguments.file, "trace"), out);
    }
    let mut rows = tables::functions(calls, SortBy::SelfTime);
    if arguments.json {
        rows.truncate(arguments.top);
        let summary = serde_json::json!({
            "format": "boottrace-calls", "version": 1, "read": trace.read, "skipped": trace.skipped,
            "mismatches": calls.mismatches, "bounds_ns": calls.bounds_ns, "functions": rows,
        });
        serde_json::to_writer_pretty(&mut *out, &summary)?;
        return writeln!(out);
    }
    writeln!(
        out,
        "{} lines, {} bytes; {} tasks, {} functions, {} call paths; {} lines skipped",
        trace.read.lines,
        trace.read.bytes,
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
        writeln!(out, "{}", export::text::printable(&path))?;
    }
    if arguments.tree {
        writeln!(
            out,
            "\n{}",
            tables::indented(calls, boottrace::calls::tree::ROOT, 0, 10_000)
        )?;
    }
    Ok(())
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let spans = arguments.perfetto.as_ref().map(|_| SpanLimits {
        min_ns: 10_000,
        max_count: 500_000,
    });
    let trace = if arguments.file == "-" {
        function_graph::parse(io::stdin(), spans)?
    } else {
        function_graph::parse(File::open(&arguments.file)?, spans)?
    };
    if let Some(path) = &arguments.perfetto {
        let timeline = trace.calls.timeline(&arguments.file, "trace");
        export::perfetto::write(&timeline, BufWriter::new(File::create(path)?))?;
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

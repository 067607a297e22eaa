// SPDX-License-Identifier: MIT
//! What `boottrace` reads out of logs and traces, for Python.

use std::path::PathBuf;

use std::collections::HashMap;

use boottrace::document::budget::Budget;
use boottrace::document::comparison::compare;
use boottrace::document::threshold::Thresholds;
use boottrace::export;
use boottrace::facts::kernel::initcall_line::{event, CallEvent};
use boottrace::facts::services::ServiceLog;
use boottrace::facts::user;
use boottrace::readers::calls::names::NameId;
use boottrace::readers::calls::tree::{Node, NodeId};
use boottrace::readers::console::reader::ExternalStamp;
use boottrace::timeline::tracks::Timeline;
use boottrace::timeline::tree::Tree;
use boottrace::{Analyzed, Clock, Document, Options};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::{to_python, with_hint};

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Analysis>()?;
    module.add_function(wrap_pyfunction!(compare_analyses, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_stamp_ns, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_message, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_call, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_part, module)?)?;
    module.add_function(wrap_pyfunction!(services, module)?)?;
    module.add_function(wrap_pyfunction!(user_lines, module)?)?;
    module.add_function(wrap_pyfunction!(protections, module)?)?;
    module.add_function(wrap_pyfunction!(seconds, module)?)?;
    module.add_function(wrap_pyfunction!(stage_of, module)?)?;
    module.add_function(wrap_pyfunction!(document_schemas, module)?)
}

/// A time in a sentence: `24.0 s`, `340 ms`.
#[pyfunction]
#[pyo3(signature = (ns, /))]
fn seconds(ns: i64) -> String {
    bootpage::figures::seconds(ns)
}

/// The stage that begins with an event, by the name that pages colour; the event itself where none does.
#[pyfunction]
#[pyo3(signature = (event, /))]
fn stage_of(event: &str) -> &str {
    bootpage::names::stage_of(event)
}

/// The goal of a recording in words: sentence, figure, what that is, time on the axis as text and as ns, evidence.
type GoalWords = (String, String, String, String, Option<i64>, String);

fn options(application: Option<String>, goal: Option<String>, baud: Option<u32>, keep_lines: bool) -> Options {
    Options {
        application_pattern: application,
        goal_pattern: goal,
        baud,
        keep_lines,
        ..Options::default()
    }
}

/// The kernel's stamp at the start of a line, ns; `None` for a line without one.
#[pyfunction]
#[pyo3(signature = (line, /))]
fn kernel_stamp_ns(line: &str) -> Option<i64> {
    boottrace::log::kernel_stamp(line).map(|(ns, _)| ns)
}

/// A line without what the kernel puts before its message: level, stamp, caller.
#[pyfunction]
#[pyo3(signature = (line, /))]
fn kernel_message(line: &str) -> &str {
    let length = boottrace::log::kernel_stamp(line).map_or(0, |(_, length)| length);
    line.get(length..).unwrap_or(line)
}

/// Kind of call, name of the function or device, module, result, printed duration in microseconds.
type KernelCall<'a> = (&'static str, &'a str, Option<&'a str>, Option<i64>, Option<u64>);

/// What a line of `initcall_debug` says, with or without a stamp: `start` and `end` of an initcall, or the end of a
/// `probe`. `None` for any other line, also for one that only looks like it.
#[pyfunction]
#[pyo3(signature = (line, /))]
fn kernel_call(line: &str) -> Option<KernelCall<'_>> {
    match event(kernel_message(line))? {
        CallEvent::Start { symbol, .. } => Some(("start", symbol.name, symbol.module, None, None)),
        CallEvent::End {
            symbol,
            returned,
            printed_us,
        } => Some(("end", symbol.name, symbol.module, Some(returned), printed_us)),
        CallEvent::Probe {
            device,
            returned,
            printed_us,
            ..
        } => Some(("probe", device, None, Some(returned), Some(printed_us))),
        _ => None,
    }
}

/// The kernel's part of a line, from the stamp on: all of it, or what ran into somebody else's line. `None` without.
#[pyfunction]
#[pyo3(signature = (line, /))]
fn kernel_part(line: &str) -> Option<&str> {
    line.get(boottrace::log::kernel_start(line)?..)
}

/// Services that lines tell of, as JSON text. Of each line: its number, its text, when its first byte came and when its
/// last did, ns.
#[pyfunction]
#[pyo3(signature = (lines, /))]
fn services(lines: Vec<(u32, String, i64, i64)>) -> PyResult<String> {
    let mut log = ServiceLog::default();
    for (number, text, first_ns, last_ns) in &lines {
        log.line(*number, text, *first_ns, *last_ns);
    }
    serde_json::to_string(&log.services()).map_err(|fault| PyValueError::new_err(fault.to_string()))
}

/// What programs printed among lines as a console carried them, as JSON text: of each such line its index, the program's
/// part, whether the line is whole, and the signs in it.
#[pyfunction]
#[pyo3(signature = (lines, /))]
fn user_lines(lines: Vec<String>) -> PyResult<String> {
    let found = user::of_texts(lines.iter().map(String::as_str));
    serde_json::to_string(&found).map_err(to_python)
}

/// What the lines of a kernel's log say of its protections, in their order, as JSON text.
#[pyfunction]
#[pyo3(signature = (lines, /))]
fn protections(lines: Vec<String>) -> PyResult<String> {
    let found = boottrace::facts::kernel::protection::of_texts(lines.iter().map(String::as_str));
    serde_json::to_string(&found).map_err(to_python)
}

/// JSON Schema of everything that this module writes as JSON about logs: of each document its name and its schema.
#[pyfunction]
fn document_schemas() -> PyResult<Vec<(&'static str, String)>> {
    boottrace::document::schema::schemas()
        .into_iter()
        .chain(bootpage::told::schemas())
        .map(|(name, schema)| Ok((name, serde_json::to_string(&schema).map_err(to_python)?)))
        .collect()
}

/// One analysis, kept for exports.
#[pyclass(frozen, module = "bootlab._core")]
struct Analysis {
    analyzed: Analyzed,
}

#[pymethods]
impl Analysis {
    /// Reads a file or standard input (`-`). With `export`, spans and call trees of traces are kept.
    #[staticmethod]
    #[pyo3(signature = (path, /, *, application=None, goal=None, baud=None, keep_lines=false, export=false))]
    fn from_path(
        py: Python<'_>,
        path: PathBuf,
        application: Option<String>,
        goal: Option<String>,
        baud: Option<u32>,
        keep_lines: bool,
        export: bool,
    ) -> PyResult<Self> {
        let options = options(application, goal, baud, keep_lines);
        let analyzed = py
            .detach(|| Analyzed::from_path(&path, &options, export))
            .map_err(with_hint)?;
        Ok(Self { analyzed })
    }

    /// Reads the bytes of a log or a trace, packed or not. `name` stands in messages and in the document.
    #[staticmethod]
    #[pyo3(signature = (name, data, /, *, application=None, goal=None, baud=None, keep_lines=false, export=false))]
    #[allow(clippy::too_many_arguments)] // keyword arguments of Python
    fn from_bytes(
        py: Python<'_>,
        name: &str,
        data: &[u8],
        application: Option<String>,
        goal: Option<String>,
        baud: Option<u32>,
        keep_lines: bool,
        export: bool,
    ) -> PyResult<Self> {
        let options = options(application, goal, baud, keep_lines);
        let analyzed = py
            .detach(|| Analyzed::from_bytes(name, data, &options, export))
            .map_err(with_hint)?;
        Ok(Self { analyzed })
    }

    /// Reads the console of an emulator or of a board, with a stamp for each of its lines: ns on the emulator's clock
    /// (`emulated`) or the host's. Lines behind the last stamp have none.
    #[staticmethod]
    #[pyo3(signature = (name, data, stamps_ns, /, *, emulated, application=None, goal=None, baud=None, keep_lines=false))]
    #[allow(clippy::too_many_arguments)] // keyword arguments of Python
    fn from_stamped(
        py: Python<'_>,
        name: &str,
        data: &[u8],
        stamps_ns: Vec<i64>,
        emulated: bool,
        application: Option<String>,
        goal: Option<String>,
        baud: Option<u32>,
        keep_lines: bool,
    ) -> PyResult<Self> {
        let options = options(application, goal, baud, keep_lines);
        let clock = if emulated { Clock::Virtual } else { Clock::Host };
        let stamps: Vec<_> = stamps_ns.into_iter().map(|ns| ExternalStamp { ns, clock }).collect();
        let analyzed = py
            .detach(|| Analyzed::from_stamped(name, data, &stamps, &options))
            .map_err(with_hint)?;
        Ok(Self { analyzed })
    }

    /// The document as JSON text.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(&self.analyzed.document))
            .map_err(to_python)
    }

    /// What is said of each part of the document, as JSON text.
    fn told(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(&bootpage::told(&self.analyzed.document)))
            .map_err(to_python)
    }

    /// The data of a page, as JSON text: of one boot, or of everything. `goal`: of the last boot, where a recording
    /// knows it.
    #[pyo3(signature = (*, boot=None, goal=None))]
    fn page(&self, py: Python<'_>, boot: Option<u32>, goal: Option<GoalWords>) -> PyResult<String> {
        let goal = goal.map(|(sentence, figure, figure_name, at, at_ns, evidence)| bootpage::Goal {
            sentence,
            figure,
            figure_name,
            at,
            at_ns,
            evidence,
        });
        py.detach(|| serde_json::to_string(&bootpage::page(&self.analyzed.document, boot, goal.as_ref())))
            .map_err(to_python)
    }

    /// The answer as plain text, for a thread.
    fn thread_text(&self, py: Python<'_>) -> String {
        py.detach(|| bootpage::thread_text(&self.analyzed.document, &bootpage::told(&self.analyzed.document)))
    }

    /// What programs printed in one boot, as JSON text like that of `user_lines`. Needs `keep_lines`.
    #[pyo3(signature = (number, /))]
    fn user_lines(&self, py: Python<'_>, number: u32) -> PyResult<String> {
        py.detach(|| {
            let boot = self.analyzed.document.boots().find(|boot| boot.number == number);
            serde_json::to_string(&boot.map(|boot| user::of_boot(&boot.lines)).unwrap_or_default())
        })
        .map_err(to_python)
    }

    /// The merged call trees of the traces, in their order: names, and of each path its parent (path 0 is the root),
    /// the number of its name, its count and its own weight. Empty without `export`.
    fn call_trees(&self, py: Python<'_>) -> Vec<Columns> {
        py.detach(|| self.analyzed.trees.iter().map(columns).collect())
    }

    /// The call tree of the first trace that has one: function names, and one row of eight little-endian 64-bit numbers
    /// a node (function, parent, count, open, elapsed, self, switched out, longest; nanoseconds or the trace's weight).
    /// Nodes 0 to 2 are the root, what the full tree could not take, and interrupts. Needs `export`.
    fn call_tree<'py>(&self, py: Python<'py>) -> Option<(Vec<String>, Bound<'py, PyBytes>)> {
        let (tree, names) = self.analyzed.call_trees.first()?;
        let rows = py.detach(|| {
            let columns = |(id, node): (usize, &Node)| {
                let tally = tree.tally(id as NodeId);
                [
                    u64::from(node.name),
                    u64::from(node.parent),
                    tally.count,
                    tally.open,
                    tally.elapsed_ns,
                    tally.self_ns,
                    tally.off_cpu_ns,
                    tally.max_ns,
                ]
            };
            let numbers = tree.nodes().iter().enumerate().flat_map(columns);
            numbers.flat_map(u64::to_le_bytes).collect::<Vec<u8>>()
        });
        let texts = (0..names.len()).map(|id| names.text(id as NameId)).collect();
        Some((texts, PyBytes::new(py, &rows)))
    }

    /// One export: `svg`, `perfetto`, `chrome`, `csv`, `plot`, `speedscope` or `folded`. `None` when there is nothing to draw.
    #[pyo3(signature = (kind, /, *, boot=None))]
    fn export(&self, py: Python<'_>, kind: &str, boot: Option<u32>) -> PyResult<Option<Vec<u8>>> {
        py.detach(|| self.write(kind, boot))
    }
}

/// Compares the boots, traces and reports of some analyses with those of others, as JSON text. `budgets` are written
/// `kernel=500ms`, thresholds of a kind `initcall=2ms,10%`.
#[pyfunction]
#[pyo3(signature = (base, new, /, *, threshold_ns, threshold_percent, thresholds, budgets))]
fn compare_analyses(
    py: Python<'_>,
    base: Vec<Py<Analysis>>,
    new: Vec<Py<Analysis>>,
    threshold_ns: i64,
    threshold_percent: f64,
    thresholds: Vec<String>,
    budgets: Vec<String>,
) -> PyResult<String> {
    let budgets = budgets.iter().map(|given| Budget::parse(given));
    let budgets: Vec<Budget> = budgets.collect::<Result<_, _>>().map_err(with_hint)?;
    let mut all = Thresholds::new(threshold_ns, threshold_percent);
    for given in &thresholds {
        all.set(given).map_err(with_hint)?;
    }
    py.detach(|| serde_json::to_string(&compare(&documents(&base), &documents(&new), &all, &budgets)))
        .map_err(to_python)
}

/// A call tree as columns: names, parents, numbers of names, counts, own weights.
type Columns = (Vec<String>, Vec<usize>, Vec<usize>, Vec<u64>, Vec<u64>);

fn columns(tree: &Tree) -> Columns {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut out = Columns::default();
    for (index, node) in tree.nodes.iter().enumerate() {
        let known = numbers.len();
        let function = *numbers.entry(&node.name).or_insert(known);
        if function == known {
            out.0.push(node.name.clone());
        }
        // A parent that comes later would be no tree; such a link is ignored, as the exporters do.
        out.1.push(if node.parent < index { node.parent } else { 0 });
        out.2.push(function);
        out.3.push(node.count);
        out.4.push(node.self_ns);
    }
    out
}

fn documents(side: &[Py<Analysis>]) -> Vec<&Document> {
    side.iter().map(|side| &side.get().analyzed.document).collect()
}

impl Analysis {
    fn write(&self, kind: &str, boot: Option<u32>) -> PyResult<Option<Vec<u8>>> {
        let mut out = Vec::new();
        let tree = self.analyzed.trees.first().filter(|_| boot.is_none());
        let timeline = self.analyzed.timeline(boot);
        let done = match (kind, tree, &timeline) {
            ("speedscope", Some(tree), _) => export::speedscope::write_tree(tree, &mut out),
            ("folded", Some(tree), _) => export::folded::write_tree(tree, &mut out),
            (_, _, Some(timeline)) => write_timeline(kind, timeline, &mut out)?,
            _ => return Ok(None),
        };
        done.map_err(to_python)?;
        Ok(Some(out))
    }
}

fn write_timeline(kind: &str, timeline: &Timeline, out: &mut Vec<u8>) -> PyResult<std::io::Result<()>> {
    Ok(match kind {
        "svg" => export::bootgraph_svg::write(timeline, &export::bootgraph_svg::Options::default(), out),
        "perfetto" => export::perfetto::write(timeline, out),
        "chrome" => export::chrome::write(timeline, out),
        "csv" => export::csv::write(timeline, out),
        "plot" => export::plot::write(timeline, out),
        "speedscope" => export::speedscope::write(timeline, out),
        "folded" => export::folded::write(timeline, out),
        _ => return Err(PyValueError::new_err(format!("no export is called {kind}"))),
    })
}

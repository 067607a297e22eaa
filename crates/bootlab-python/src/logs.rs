//! What `boottrace` reads out of logs and traces, for Python.

use std::path::PathBuf;

use std::collections::HashMap;

use boottrace::document::budget::Budget;
use boottrace::document::comparison::compare;
use boottrace::document::threshold::Thresholds;
use boottrace::export;
use boottrace::facts::kernel::initcall_line::{event, CallEvent};
use boottrace::facts::services::ServiceLog;
use boottrace::readers::calls::names::NameId;
use boottrace::readers::calls::tree::{Node, NodeId};
use boottrace::readers::console::reader::ExternalStamp;
use boottrace::timeline::tracks::Timeline;
use boottrace::timeline::tree::Tree;
use boottrace::{Analyzed, Clock, Document, Options};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::to_python;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Analysis>()?;
    module.add_function(wrap_pyfunction!(compare_analyses, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_stamp_ns, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_message, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_call, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_part, module)?)?;
    module.add_function(wrap_pyfunction!(services, module)?)
}

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
            .map_err(to_python)?;
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
            .map_err(to_python)?;
        Ok(Self { analyzed })
    }

    /// Reads the console of an emulator or of a board, with a stamp for each of its lines: ns on the emulator's clock
    /// (`emulated`) or the host's. Lines behind the last stamp have none.
    #[staticmethod]
    #[pyo3(signature = (name, data, stamps_ns, /, *, emulated, application=None, goal=None, baud=None))]
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
    ) -> PyResult<Self> {
        let options = options(application, goal, baud, false);
        let clock = if emulated { Clock::Virtual } else { Clock::Host };
        let stamps: Vec<_> = stamps_ns.into_iter().map(|ns| ExternalStamp { ns, clock }).collect();
        let analyzed = py
            .detach(|| Analyzed::from_stamped(name, data, &stamps, &options))
            .map_err(to_python)?;
        Ok(Self { analyzed })
    }

    /// The document as JSON text.
    fn json(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| serde_json::to_string(&self.analyzed.document))
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
    let budgets: Vec<Budget> = budgets.collect::<Result<_, _>>().map_err(to_python)?;
    let mut all = Thresholds::new(threshold_ns, threshold_percent);
    for given in &thresholds {
        all.set(given).map_err(to_python)?;
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

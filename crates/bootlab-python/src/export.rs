// SPDX-License-Identifier: MIT
//! Python's timelines and call trees, written by the core's exporters.

use std::io;

use boottrace::export;
use boottrace::timeline::tracks::{Instant, Span, Timeline, Track};
use boottrace::timeline::tree::Tree;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::to_python;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(export_timelines, module)?)?;
    module.add_function(wrap_pyfunction!(export_call_tree, module)?)
}

/// Key and value.
type Args = Vec<(String, String)>;

#[derive(FromPyObject)]
struct GivenTimeline {
    title: String,
    clock: String,
    args: Args,
    tracks: Vec<GivenTrack>,
}

#[derive(FromPyObject)]
struct GivenTrack {
    name: String,
    slices: Vec<GivenSlice>,
    instants: Vec<GivenInstant>,
}

#[derive(FromPyObject)]
struct GivenSlice {
    name: String,
    start_ns: i64,
    duration_ns: i64,
    detail: Args,
}

#[derive(FromPyObject)]
struct GivenInstant {
    name: String,
    ns: i64,
    detail: Args,
}

impl From<GivenTimeline> for Timeline {
    fn from(given: GivenTimeline) -> Self {
        Self {
            title: given.title,
            clock: given.clock,
            args: given.args,
            tracks: given.tracks.into_iter().map(Track::from).collect(),
        }
    }
}

impl From<GivenTrack> for Track {
    fn from(given: GivenTrack) -> Self {
        let category = given.name.clone();
        Self {
            name: given.name,
            spans: given
                .slices
                .into_iter()
                .map(|slice| Span {
                    name: slice.name,
                    category: category.clone(),
                    start_ns: slice.start_ns,
                    end_ns: Some(slice.start_ns.saturating_add(slice.duration_ns)),
                    args: slice.detail,
                })
                .collect(),
            instants: given
                .instants
                .into_iter()
                .map(|instant| Instant {
                    name: instant.name,
                    category: category.clone(),
                    at_ns: instant.ns,
                    args: instant.detail,
                })
                .collect(),
            counters: Vec::new(),
        }
    }
}

/// Writes timelines, each on a clock of its own, as one trace: `perfetto` or `chrome`. The category of what stands on a
/// track is the track's name.
#[pyfunction]
#[pyo3(signature = (kind, timelines, /))]
fn export_timelines<'py>(py: Python<'py>, kind: &str, timelines: Vec<GivenTimeline>) -> PyResult<Bound<'py, PyBytes>> {
    let write: fn(&[Timeline], &mut Vec<u8>) -> io::Result<()> = match kind {
        "perfetto" => |timelines, out| export::perfetto::write_all(timelines, out),
        "chrome" => |timelines, out| export::chrome::write_all(timelines, out),
        _ => {
            return Err(PyValueError::new_err(format!(
                "no export of timelines is called {kind}"
            )))
        }
    };
    let out = py.detach(|| {
        let timelines: Vec<Timeline> = timelines.into_iter().map(Timeline::from).collect();
        let mut out = Vec::new();
        write(&timelines, &mut out).map(|()| out)
    });
    Ok(PyBytes::new(py, &out.map_err(to_python)?))
}

/// Writes a merged call tree: `speedscope` or `folded`. Node 0 is the root; a parent stands before its children. The
/// columns are those of `Analysis.call_trees`: names, parents, numbers of names, own weights.
#[pyfunction]
#[pyo3(signature = (kind, title, clock, names, parents, functions, own, /))]
#[allow(clippy::too_many_arguments)] // one column an argument
fn export_call_tree<'py>(
    py: Python<'py>,
    kind: &str,
    title: &str,
    clock: &str,
    names: Vec<String>,
    parents: Vec<usize>,
    functions: Vec<usize>,
    own: Vec<u64>,
) -> PyResult<Bound<'py, PyBytes>> {
    let write: fn(&Tree, &mut Vec<u8>) -> io::Result<()> = match kind {
        "speedscope" => |tree, out| export::speedscope::write_tree(tree, out),
        "folded" => |tree, out| export::folded::write_tree(tree, out),
        _ => {
            return Err(PyValueError::new_err(format!(
                "no export of a call tree is called {kind}"
            )))
        }
    };
    if parents.len() != functions.len() || parents.len() != own.len() {
        return Err(PyValueError::new_err("the columns of a call tree differ in length"));
    }
    let out = py.detach(|| {
        let mut tree = Tree::new(title, clock);
        for node in 1..parents.len() {
            let name = names.get(functions[node]).map_or("", String::as_str);
            tree.push(parents[node], name, own[node], 0);
        }
        let mut out = Vec::new();
        write(&tree, &mut out).map(|()| out)
    });
    Ok(PyBytes::new(py, &out.map_err(to_python)?))
}

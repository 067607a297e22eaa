//! What `boottrace` reads out of logs and traces, for Python.

use boottrace::{analyze, Options};
use pyo3::prelude::*;

use crate::error::to_python;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(analyze_log, module)?)
}

/// Reads a log or a trace (packed or not) and says what it tells, as JSON text. `name` stands in messages only.
#[pyfunction]
#[pyo3(signature = (name, data, /, *, application=None, goal=None, baud=None, keep_lines=false))]
fn analyze_log(
    py: Python<'_>,
    name: &str,
    data: &[u8],
    application: Option<String>,
    goal: Option<String>,
    baud: Option<u32>,
    keep_lines: bool,
) -> PyResult<String> {
    let options = Options {
        application_pattern: application,
        goal_pattern: goal,
        baud,
        keep_lines,
        ..Options::default()
    };
    let document = py.detach(|| analyze(name, data, &options)).map_err(to_python)?;
    py.detach(|| serde_json::to_string(&document)).map_err(to_python)
}

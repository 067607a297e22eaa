// SPDX-License-Identifier: MIT
//! The reader of `.config`, for Python.

use kernelimage::config::{ConfigLines, ConfigValue};
use pyo3::prelude::*;

/// Adds the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(config_lines, module)?)
}

/// Number of the line, name without `CONFIG_`, value as written, value without quotes and escapes.
type Row = (usize, String, String, String);

/// The lines of `.config` text that set an option or say that it is not set (`n`), in order, and the numbers of those
/// that are neither that nor a comment.
#[pyfunction]
#[pyo3(signature = (text, /))]
fn config_lines(py: Python<'_>, text: &str) -> (Vec<Row>, Vec<usize>) {
    py.detach(|| {
        let found = ConfigLines::read(text);
        let rows = found.assignments.iter().map(|assignment| {
            let plain = match assignment.value() {
                Some(ConfigValue::Text(text)) => text,
                _ => assignment.raw.to_owned(),
            };
            (
                assignment.line,
                assignment.name.to_owned(),
                assignment.raw.to_owned(),
                plain,
            )
        });
        (rows.collect(), found.other)
    })
}

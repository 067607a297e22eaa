//! The one exception of the native core.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    bootlab._core,
    CoreError,
    PyValueError,
    "The native core could not make sense of its input; the text says what, where and what to try."
);

/// Adds the exception to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CoreError", module.py().get_type::<CoreError>())
}

/// Carries the message of a Rust error over to Python.
pub fn to_python(error: impl std::fmt::Display) -> PyErr {
    CoreError::new_err(error.to_string())
}

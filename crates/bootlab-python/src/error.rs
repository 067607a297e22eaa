// SPDX-License-Identifier: MIT
//! The one exception of the native core.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    bootlab._core,
    CoreError,
    PyValueError,
    "The native core could not make sense of its input; the text says what and where, `hint` what to try."
);

/// Adds the exception to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let class = module.py().get_type::<CoreError>();
    class.setattr("hint", "")?;
    module.add("CoreError", class)
}

/// Carries the message of a Rust error over to Python.
pub fn to_python(error: impl std::fmt::Display) -> PyErr {
    CoreError::new_err(error.to_string())
}

/// The same for an error that knows what to try.
pub fn with_hint(error: boottrace::Error) -> PyErr {
    let raised = CoreError::new_err(error.to_string());
    Python::attach(|py| match raised.value(py).setattr("hint", error.hint()) {
        Ok(()) => raised.clone_ref(py),
        Err(fault) => fault,
    })
}

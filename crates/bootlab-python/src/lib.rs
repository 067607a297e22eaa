// SPDX-License-Identifier: MIT
//! The Python module `bootlab._core`: conversion and exception mapping, nothing else.

mod config;
mod elf;
mod error;
mod export;
mod kernel;
mod levels;
mod logs;
mod source;

use pyo3::prelude::*;

/// Native core of bootlab.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    error::register(module)?;
    config::register(module)?;
    elf::register(module)?;
    export::register(module)?;
    kernel::register(module)?;
    levels::register(module)?;
    logs::register(module)?;
    source::register(module)
}

// SPDX-License-Identifier: MIT
//! What `kernelimage` knows, for Python.

use std::collections::{HashMap, HashSet};

use kernelimage::{Compression, Error, Limits, ModuleCode};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::error::to_python;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(kernel_inspect, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_extract_vmlinux, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_symbols, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_symbol_table, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_config, module)?)?;
    module.add_function(wrap_pyfunction!(kernel_module, module)?)?;
    module.add_function(wrap_pyfunction!(unpacked_block, module)?)
}

/// Unpacks a block of a file system, which `lzo`, `lz4` or `zstd` packed, to at most so many bytes.
#[pyfunction]
#[pyo3(signature = (packer, data, most_bytes, /))]
fn unpacked_block<'py>(py: Python<'py>, packer: &str, data: &[u8], most_bytes: usize) -> PyResult<Bound<'py, PyBytes>> {
    let compression = match packer {
        "lzo" => Compression::Lzo,
        "lz4" => Compression::Lz4,
        "zstd" => Compression::Zstd,
        _ => return Err(to_python(format!("blocks of {packer} are not known"))),
    };
    let limits = Limits {
        unpacked_bytes: most_bytes,
        ..Limits::default()
    };
    let block = py
        .detach(|| kernelimage::block::unpack(compression, data, &limits))
        .map_err(to_python)?;
    Ok(PyBytes::new(py, &block))
}

/// A region of a module: code, which bytes of it loading leaves alone, functions by offset.
type Region<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Vec<(u64, String)>);

/// The name and the code of a module (`.ko`, compressed or not) as the kernel lays it out: what stays, and what is freed after init.
#[pyfunction]
#[pyo3(signature = (file, /))]
fn kernel_module<'py>(py: Python<'py>, file: &[u8]) -> PyResult<(Option<String>, Region<'py>, Region<'py>)> {
    let found = py
        .detach(|| kernelimage::module(file, &Limits::default()))
        .map_err(to_python)?;
    let region = |part: ModuleCode| -> Region<'py> {
        (
            PyBytes::new(py, &part.code),
            PyBytes::new(py, &part.fixed),
            part.functions,
        )
    };
    Ok((found.name, region(found.core), region(found.init)))
}

/// Says what a kernel image is and holds, as JSON text.
#[pyfunction]
#[pyo3(signature = (image, /))]
fn kernel_inspect(py: Python<'_>, image: &[u8]) -> PyResult<String> {
    py.detach(|| serde_json::to_string(&kernelimage::inspect(image, &Limits::default())))
        .map_err(to_python)
}

/// Unpacks the kernel inside an image.
#[pyfunction]
#[pyo3(signature = (image, /))]
fn kernel_extract_vmlinux<'py>(py: Python<'py>, image: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let kernel = py
        .detach(|| kernelimage::extract_vmlinux(image, &Limits::default()))
        .map_err(to_python)?;
    Ok(PyBytes::new(py, &kernel))
}

/// The address of every symbol, or of the named ones that exist; of a name that occurs twice, the first.
#[pyfunction]
#[pyo3(signature = (image, names=None, /))]
fn kernel_symbols(py: Python<'_>, image: &[u8], names: Option<Vec<String>>) -> PyResult<HashMap<String, u64>> {
    let names: Option<HashSet<String>> = names.map(|names| names.into_iter().collect());
    py.detach(|| {
        let symbols = kernelimage::symbols(image, &Limits::default())?;
        let mut addresses = HashMap::with_capacity(names.as_ref().map_or(symbols.len(), HashSet::len));
        for symbol in symbols {
            if names.as_ref().is_none_or(|names| names.contains(&symbol.name)) {
                addresses.entry(symbol.name).or_insert(symbol.address);
            }
        }
        Ok(addresses)
    })
    .map_err(|error: Error| to_python(error))
}

/// Every symbol as (address, kind letter of `nm`, name), in the order of addresses; names may occur more than once.
#[pyfunction]
#[pyo3(signature = (image, /))]
fn kernel_symbol_table(py: Python<'_>, image: &[u8]) -> PyResult<Vec<(u64, char, String)>> {
    py.detach(|| {
        let mut table: Vec<_> = kernelimage::symbols(image, &Limits::default())?
            .into_iter()
            .map(|symbol| (symbol.address, symbol.kind, symbol.name))
            .collect();
        table.sort_by_key(|row| row.0);
        Ok(table)
    })
    .map_err(|error: Error| to_python(error))
}

/// The `.config` text inside an image; `None` when the kernel was built without one.
#[pyfunction]
#[pyo3(signature = (image, /))]
fn kernel_config(py: Python<'_>, image: &[u8]) -> PyResult<Option<String>> {
    match py.detach(|| kernelimage::embedded_config(image, &Limits::default())) {
        Ok(text) => Ok(Some(text)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(to_python(error)),
    }
}

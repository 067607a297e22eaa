// SPDX-License-Identifier: MIT
//! What `kernelsource` knows, for Python.

use std::path::PathBuf;

use pyo3::prelude::*;

type File = (String, u64, u64);
type Found = (char, String, u32, String);

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(source_files, module)?)?;
    module.add_function(wrap_pyfunction!(source_definitions, module)?)
}

/// The source files of a kernel tree for one architecture, as (path below it, bytes, time of change in ns).
#[pyfunction]
#[pyo3(signature = (tree, srcarch, /))]
fn source_files(py: Python<'_>, tree: PathBuf, srcarch: &str) -> Vec<File> {
    py.detach(|| {
        kernelsource::source_files(&tree, srcarch)
            .into_iter()
            .map(|file| (file.path, file.bytes, file.changed_ns))
            .collect()
    })
}

/// What each of the files defines: a list for each file of (kind, name, line, detail).
#[pyfunction]
#[pyo3(signature = (tree, files, /))]
fn source_definitions(py: Python<'_>, tree: PathBuf, files: Vec<File>) -> Vec<Vec<Found>> {
    py.detach(|| {
        let files: Vec<kernelsource::SourceFile> = files
            .into_iter()
            .map(|(path, bytes, changed_ns)| kernelsource::SourceFile {
                path,
                bytes,
                changed_ns,
            })
            .collect();
        kernelsource::scan_tree(&tree, &files)
            .into_iter()
            .map(|found| {
                found
                    .into_iter()
                    .map(|d| (d.kind.letter(), d.name, d.line, d.detail))
                    .collect()
            })
            .collect()
    })
}

// SPDX-License-Identifier: MIT
//! What `kernelimage` knows of ELF files that are no kernels, for Python.

use std::fs::File;
use std::path::{Path, PathBuf};

use kernelimage::{elf, elf_program, elf_sections, Error, Limits, ReadCache};
use pyo3::prelude::*;

use crate::error::to_python;

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(elf_needs, module)?)?;
    module.add_function(wrap_pyfunction!(elf_facts, module)?)?;
    module.add_function(wrap_pyfunction!(elf_sections_of, module)?)?;
    module.add_function(wrap_pyfunction!(elf_defined, module)?)?;
    module.add_function(wrap_pyfunction!(elf_segments, module)?)
}

/// Reads of a file only what is asked for.
fn reading<T>(
    py: Python<'_>,
    path: &Path,
    read: impl FnOnce(&ReadCache<File>) -> Result<T, Error> + Send,
) -> PyResult<T>
where
    T: Send,
{
    let file = File::open(path)?;
    py.detach(|| read(&ReadCache::new(file))).map_err(to_python)
}

/// What a program or library needs before it runs, as JSON text.
#[pyfunction]
#[pyo3(signature = (path, /))]
fn elf_needs(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let found = reading(py, &path, |file| elf_program::needs(file))?;
    serde_json::to_string(&found).map_err(to_python)
}

/// Everything that a program or library says of itself, as JSON text.
#[pyfunction]
#[pyo3(signature = (path, /))]
fn elf_facts(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let found = reading(py, &path, |file| elf_program::facts(file))?;
    serde_json::to_string(&found).map_err(to_python)
}

/// Name, type, flags, place in the file and bytes of a section.
type Section = (String, u32, u64, u64, u64);

/// The sections of an object or a linked kernel: name, type, flags, place in the file, bytes.
#[pyfunction(name = "elf_sections")]
#[pyo3(signature = (path, /))]
fn elf_sections_of(py: Python<'_>, path: PathBuf) -> PyResult<Vec<Section>> {
    let found = reading(py, &path, |file| elf_sections::sections(file))?;
    let rows = found.into_iter();
    Ok(rows.map(|s| (s.name, s.kind, s.flags, s.offset, s.size)).collect())
}

/// The names that an object or a linked kernel defines for other files.
#[pyfunction]
#[pyo3(signature = (path, /))]
fn elf_defined(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    reading(py, &path, |file| elf_sections::defined(file, &Limits::default()))
}

/// The loadable segments of an ELF file: linked address, place in the file, bytes there, whether they may be written to.
#[pyfunction]
#[pyo3(signature = (file, /))]
fn elf_segments(py: Python<'_>, file: &[u8]) -> PyResult<Vec<(u64, u64, u64, bool)>> {
    let found = py.detach(|| elf::read(file)).map_err(to_python)?;
    let row = |s: elf::Segment| {
        let writable = s.rights.contains('w');
        (s.virtual_address, s.file_offset_bytes, s.file_size_bytes, writable)
    };
    Ok(found.segments.into_iter().map(row).collect())
}

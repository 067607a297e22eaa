// SPDX-License-Identifier: MIT
//! Where a series of boot times changed its level, for Python.

use pyo3::prelude::*;

type Change = (usize, i64, i64, f64);

/// Adds the function to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(level_changes, module)?)
}

/// The changes of level of a noisy series, as (last value before it, medians of both levels, p value).
#[pyfunction]
#[pyo3(signature = (values_ns, smallest_ns, alpha, /))]
fn level_changes(py: Python<'_>, values_ns: Vec<i64>, smallest_ns: i64, alpha: f64) -> Vec<Change> {
    py.detach(|| {
        ::levels::changes(&values_ns, smallest_ns, alpha)
            .into_iter()
            .map(|one| (one.before, one.from_ns, one.to_ns, one.p_value))
            .collect()
    })
}

// SPDX-License-Identifier: MIT
//! The JSON of `systemd-analyze plot --json=short|pretty`: one object a unit, times in microseconds.
//!
//! Format: `produce_plot_as_text()` in systemd's `src/analyze/analyze-plot.c`; columns name, activated, activating,
//! time, deactivated, deactivating.

use std::io::{self, Read};

use serde::Deserialize;
use serde_json::Value;

use super::unit::UnitTimes;
use crate::readers::skipped::Skipped;

/// A larger file is refused: JSON cannot be read in parts.
pub const MAX_BYTES: u64 = 256 << 20;

/// What was read.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlotTable {
    /// Units, in file order.
    pub units: Vec<UnitTimes>,
    /// Rows that were not understood.
    pub skipped: Skipped,
}

#[derive(Deserialize)]
struct Row {
    name: Option<String>,
    activated: Option<Value>,
    activating: Option<Value>,
    time: Option<Value>,
    deactivated: Option<Value>,
    deactivating: Option<Value>,
}

/// Microseconds as a number, or a time span as text.
fn nanoseconds(value: Option<&Value>) -> Option<u64> {
    match value? {
        Value::Number(number) => number.as_u64()?.checked_mul(1000),
        Value::String(text) => super::duration::parse(text),
        _ => None,
    }
}

/// What the head of a file says about being this JSON: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let text = head.trim_ascii_start();
    let has = |key: &[u8]| memchr::memmem::find(text, key).is_some();
    (text.starts_with(b"[") && has(b"\"activating\"") && has(b"\"deactivated\"")).then_some(0.95)
}

/// Reads the table.
///
/// # Errors
/// Those of `reader`; `InvalidData` when the text is no JSON list or is too large.
pub fn parse<R: Read>(reader: R) -> io::Result<PlotTable> {
    let mut bytes = Vec::new();
    reader.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let invalid = |text: String| io::Error::new(io::ErrorKind::InvalidData, text);
    if bytes.len() as u64 > MAX_BYTES {
        return Err(invalid(format!(
            "the JSON is larger than {MAX_BYTES} bytes; is it from systemd-analyze plot?"
        )));
    }
    let hint = "run `systemd-analyze plot --json=short` again and keep its whole output";
    let rows: Vec<Value> =
        serde_json::from_slice(&bytes).map_err(|e| invalid(format!("no list in JSON: {e}; {hint}")))?;
    let mut out = PlotTable::default();
    for value in rows {
        let text = value.to_string();
        let row = Row::deserialize(value)
            .ok()
            .and_then(|row| row.name.clone().map(|name| (name, row)));
        let Some((unit, row)) = row else {
            out.skipped.note("row without a name", text.as_bytes());
            continue;
        };
        let at = |value: &Option<Value>| nanoseconds(value.as_ref()).and_then(|ns| i64::try_from(ns).ok());
        out.units.push(UnitTimes {
            unit,
            activating_ns: at(&row.activating),
            activated_ns: at(&row.activated),
            deactivating_ns: at(&row.deactivating),
            deactivated_ns: at(&row.deactivated),
            time_ns: nanoseconds(row.time.as_ref()),
            result: None,
        });
    }
    Ok(out)
}

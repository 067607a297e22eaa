// SPDX-License-Identifier: MIT
//! What the ranges of an input's lines were taken for, and what was not used, with the reason.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A range of lines and the format it was read as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Took {
    /// First physical line.
    pub from_line: u32,
    /// Last physical line.
    pub to_line: u32,
    /// Names of the wrapping and the content, e.g. `lava-yaml/kernel-log`.
    pub format: String,
}

/// Lines that were not used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skipped {
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// The first of them, when they are lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u32>,
}

/// Reasons with count and first line.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: BTreeMap<String, (u64, Option<u32>)>,
}

impl Ledger {
    /// Adds `count` lines, the first of which is `line`.
    pub fn add(&mut self, reason: &str, count: u64, line: Option<u32>) {
        if count == 0 {
            return;
        }
        let entry = self.entries.entry(reason.to_owned()).or_insert((0, line));
        entry.0 += count;
        entry.1 = match (entry.1, line) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }

    /// In the order of the first line.
    pub fn into_skipped(self) -> Vec<Skipped> {
        let mut all: Vec<_> = self
            .entries
            .into_iter()
            .map(|(reason, (count, first_line))| Skipped {
                reason,
                count,
                first_line,
            })
            .collect();
        all.sort_by_key(|s| (s.first_line.unwrap_or(0), s.reason.clone()));
        all
    }
}

// SPDX-License-Identifier: MIT
//! What a reader did not understand, with the reason: nothing is dropped in silence.

use std::collections::BTreeMap;

use serde::Serialize;

/// Samples kept for a person to look at.
const MAX_SAMPLES: usize = 8;
const MAX_SAMPLE_BYTES: usize = 160;

/// Counts of skipped lines (or records) by reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Skipped {
    /// How many, by reason.
    pub reasons: BTreeMap<&'static str, u64>,
    /// The first few, as reason and text.
    pub samples: Vec<(&'static str, String)>,
}

impl Skipped {
    /// Counts a line.
    pub fn note(&mut self, reason: &'static str, line: &[u8]) {
        *self.reasons.entry(reason).or_default() += 1;
        if self.samples.len() < MAX_SAMPLES {
            let end = line.len().min(MAX_SAMPLE_BYTES);
            self.samples
                .push((reason, String::from_utf8_lossy(&line[..end]).into_owned()));
        }
    }

    /// Counts `count` of something that has no text.
    pub fn add(&mut self, reason: &'static str, count: u64) {
        if count > 0 {
            *self.reasons.entry(reason).or_default() += count;
        }
    }

    /// All of them.
    pub fn total(&self) -> u64 {
        self.reasons.values().sum()
    }
}

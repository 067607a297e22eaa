// SPDX-License-Identifier: MIT
//! What is known about the bytes of an input.

use serde::{Deserialize, Serialize};

use super::packing::Packing;

/// What is known about the bytes themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InputNotes {
    /// Size as given, in bytes.
    pub given_bytes: u64,
    /// Size after unpacking, in bytes.
    pub read_bytes: u64,
    /// How the bytes were packed, if they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packing: Option<Packing>,
    /// Everything that kept part of the input from being read.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub problems: Vec<String>,
}

// SPDX-License-Identifier: MIT
//! What the documents of this crate look like, as JSON Schema.

use schemars::{schema_for, Schema};

use super::comparison::Comparison;
use super::document::Document;
use crate::facts::kernel::Protection;
use crate::facts::services::Service;
use crate::facts::user::UserLine;

/// The schema of each document by its name.
pub fn schemas() -> Vec<(&'static str, Schema)> {
    vec![
        ("Document", schema_for!(Document)),
        ("Comparison", schema_for!(Comparison)),
        ("Service", schema_for!(Service)),
        ("UserLine", schema_for!(UserLine)),
        ("Protection", schema_for!(Protection)),
    ]
}

// SPDX-License-Identifier: MIT
//! The line with which the kernel starts the first program, or the first that it prints.

use serde::{Deserialize, Serialize};

/// `Run /init as init process`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InitStart {
    /// Physical line.
    pub line: u32,
    /// The program, when the line names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The message.
    pub text: String,
}

impl InitStart {
    /// False when init may have run for long before it said this: a log that begins in the middle does not show its start.
    pub(super) fn is_first(&self) -> bool {
        const FIRST: [&str; 6] = [
            "Run /",
            "systemd[1]: systemd ",
            "init: init first stage",
            "init: init started",
            "init started: BusyBox",
            "INIT: version ",
        ];
        FIRST.iter().any(|start| self.text.starts_with(start))
    }
}

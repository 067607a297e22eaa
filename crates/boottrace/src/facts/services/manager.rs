// SPDX-License-Identifier: MIT
//! Who starts services, and what a line of it may say.

use serde::{Deserialize, Serialize};

/// Who starts services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Manager {
    /// Start scripts that say what they start: System V's, Debian's, Buildroot's.
    Scripts,
    /// OpenRC.
    #[serde(rename = "openrc")]
    OpenRc,
    /// runit: its stages.
    Runit,
    /// s6-rc.
    S6,
    /// dinit.
    Dinit,
    /// Finit.
    Finit,
    /// upstart.
    Upstart,
    /// Android's init.
    Android,
}

impl Manager {
    /// Does it start one service after the other, so that the next line of it ends the one before?
    pub fn in_turn(self) -> bool {
        matches!(self, Self::Scripts | Self::OpenRc | Self::Finit)
    }
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word<'a> {
    /// The start begins; a later line, or the end of this one, says how it ended.
    Begins(&'a str),
    /// It ended; `None`: the start that began last.
    Ends(Option<&'a str>, bool),
    /// Start and end in one line.
    Whole(&'a str, bool),
    /// The same, with the length that the line gives, ns.
    Took(&'a str, i64, bool),
}

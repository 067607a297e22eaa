// SPDX-License-Identifier: MIT
//! A time table of a boot loader or of firmware.

use serde::{Deserialize, Serialize};

/// Whose table it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TableSource {
    /// U-Boot's `bootstage report`.
    Bootstage,
    /// coreboot's `cbmem -t`.
    Cbmem,
    /// Slim Bootloader's `perf`.
    SlimBootloader,
    /// TI's am62x boot-time parser (bootstage ids with milliseconds).
    BootTimeParser,
    /// Qualcomm's SBL/XBL log (`B -  123456 - PBL, Start`).
    QualcommSbl,
}

/// An instant of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TableMark {
    /// Physical line.
    pub line: u32,
    /// Name as printed; empty when the table has none.
    pub name: String,
    /// ns since the table's own origin.
    pub ns: i64,
}

/// A sum of durations of a table: no instant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Accumulated {
    /// Physical line.
    pub line: u32,
    /// Name as printed.
    pub name: String,
    /// Total duration in ns.
    pub total_ns: i64,
}

/// One table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TimeTable {
    /// Who printed it.
    pub source: TableSource,
    /// First physical line with a mark.
    pub from_line: u32,
    /// Last physical line of it.
    pub to_line: u32,
    /// In the order printed.
    pub marks: Vec<TableMark>,
    /// Durations that belong to no instant.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub accumulated: Vec<Accumulated>,
    /// What the table says about itself that limits its worth.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
}

impl TimeTable {
    /// An empty table.
    pub(super) fn new(source: TableSource, line: u32) -> Self {
        Self {
            source,
            from_line: line,
            to_line: line,
            marks: Vec::new(),
            accumulated: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn mark(&mut self, line: u32, name: &str, ns: i64) {
        self.to_line = line;
        self.marks.push(TableMark {
            line,
            name: name.trim().to_owned(),
            ns,
        });
    }
}

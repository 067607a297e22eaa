//! Time tables that boot loaders and firmware print: bootstage, cbmem, Slim Bootloader, am62x's report.

use serde::{Deserialize, Serialize};

use super::bootstage::Bootstage;
use super::rows;
use crate::console::Line;

/// Whose table it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Finds all tables in the lines of a boot, wherever they were printed.
pub fn find(lines: &[Line]) -> Vec<TimeTable> {
    let mut tables: Vec<TimeTable> = Vec::new();
    let mut bootstage: Option<Bootstage> = None;
    // Rows of a table of coreboot's, and those of them with a step: other tables look alike without it.
    let mut steps: Vec<u32> = Vec::new();
    for line in lines {
        let text = line.text.trim();
        if let Some(reader) = &mut bootstage {
            if reader.row(text, line.number) {
                continue;
            }
            tables.extend(bootstage.take().and_then(Bootstage::finish));
        }
        if text.contains("Timer summary in microseconds") {
            bootstage = Some(Bootstage::new(text, line.number));
            continue;
        }
        if let Some((source, name, ns)) = rows::row(text) {
            if rows::has_step(text) {
                steps.push(line.number);
            }
            match tables.last_mut() {
                Some(table) if table.source == source && continues(table, line.number, ns) => {
                    table.mark(line.number, name, ns);
                }
                _ => {
                    let mut table = TimeTable::new(source, line.number);
                    table.mark(line.number, name, ns);
                    tables.push(table);
                }
            }
        }
    }
    tables.extend(bootstage.take().and_then(Bootstage::finish));
    // One row alone is a coincidence, except where every line of a log has the form.
    tables.retain(|t| t.marks.len() > 1 || t.source == TableSource::Bootstage);
    tables.retain(|t| {
        let rows = t.marks.iter().skip(1);
        t.source != TableSource::Cbmem || rows.clone().all(|m| steps.binary_search(&m.line).is_ok())
    });
    tables
}

/// Rows of a table stand close together; SBL's are spread over its log.
fn continues(table: &TimeTable, line: u32, ns: i64) -> bool {
    let near = line - table.to_line <= 3 || table.source == TableSource::QualcommSbl;
    near && table.marks.last().is_none_or(|last| ns >= last.ns)
}

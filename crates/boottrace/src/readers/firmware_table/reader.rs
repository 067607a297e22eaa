// SPDX-License-Identifier: MIT
//! Finds time tables in a log: bootstage, cbmem, Slim Bootloader, am62x's report.

use super::bootstage::Bootstage;
use super::rows;
use super::table::{TableSource, TimeTable};
use crate::log::line::Line;

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

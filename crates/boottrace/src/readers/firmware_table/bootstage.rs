// SPDX-License-Identifier: MIT
//! U-Boot's `bootstage report` (common/bootstage.c), old and new.

use super::table::{Accumulated, TableSource, TimeTable};

/// Reads one report row by row.
#[derive(Debug)]
pub struct Bootstage {
    table: TimeTable,
    accumulating: bool,
    blanks: u32,
}

impl Bootstage {
    /// Begins at `Timer summary in microseconds`.
    pub fn new(header: &str, line: u32) -> Self {
        let mut table = TimeTable::new(TableSource::Bootstage, line);
        if let Some((_, rest)) = header.split_once('(') {
            let records = rest.split(' ').next().unwrap_or_default();
            table.notes.push(format!("the report counts {records} records"));
        }
        Self {
            table,
            accumulating: false,
            blanks: 0,
        }
    }

    /// Takes a line; false when the report has ended before it.
    pub fn row(&mut self, text: &str, line: u32) -> bool {
        if text.is_empty() {
            self.blanks += 1;
            return self.blanks < 4;
        }
        if text.starts_with("Mark ") && text.contains("Elapsed") {
            return true;
        }
        if text.starts_with("Accumulated time") {
            self.accumulating = true;
            return true;
        }
        if text.contains("ootstage space exhausted") || text.starts_with("(Overflowed internal boot id table") {
            self.table.notes.push(format!("line {line}: {text}: marks are missing"));
            return true;
        }
        let Some((first, rest)) = grouped(text) else {
            return false;
        };
        let ns = |us: u64| i64::try_from(us).unwrap_or(i64::MAX).saturating_mul(1000);
        if self.accumulating {
            let name = rest.trim();
            if name.is_empty() || grouped(name).is_some_and(|(_, after)| after.starts_with(' ')) {
                return false;
            }
            self.table.accumulated.push(Accumulated {
                line,
                name: name.to_owned(),
                total_ns: ns(first),
            });
            self.table.to_line = line;
            return true;
        }
        let Some((_, name)) = grouped(rest.trim_start()) else {
            return false;
        };
        self.table.mark(line, name, ns(first));
        true
    }

    /// The table, if it has any row.
    pub fn finish(mut self) -> Option<TimeTable> {
        if let (Some(note), rows) = (
            self.table.notes.first(),
            self.table.marks.len() + self.table.accumulated.len(),
        ) {
            // "the report counts N records" is only worth saying when rows are missing.
            let counted = note
                .strip_prefix("the report counts ")
                .and_then(|n| n.split(' ').next()?.parse().ok());
            if counted == Some(rows) {
                self.table.notes.remove(0);
            }
        }
        let empty = self.table.marks.is_empty() && self.table.accumulated.is_empty();
        (!empty).then_some(self.table)
    }
}

/// `1,234,567`: groups of three after the first, so two numbers that touch can be told apart.
fn grouped(text: &str) -> Option<(u64, &str)> {
    let bytes = text.as_bytes();
    let first = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    if first == 0 || first > 18 {
        return None;
    }
    let mut value: u64 = text[..first].parse().ok()?;
    let mut at = first;
    while let [b',', a, b, c, ..] = bytes[at..] {
        if ![a, b, c].iter().all(u8::is_ascii_digit) {
            break;
        }
        let group = u64::from(a - b'0') * 100 + u64::from(b - b'0') * 10 + u64::from(c - b'0');
        value = value.checked_mul(1000)?.checked_add(group)?;
        at += 4;
    }
    Some((value, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_numbers_that_touch() {
        assert_eq!(
            grouped("100,000,000100,000,000  x"),
            Some((100_000_000, "100,000,000  x"))
        );
        assert_eq!(grouped("0 reset"), Some((0, " reset")));
        assert_eq!(grouped("x"), None);
    }

    #[test]
    fn unnamed_and_accumulated_rows() {
        let mut report = Bootstage::new("Timer summary in microseconds (4 records):", 1);
        for (line, text) in [
            (2, "Mark    Elapsed  Stage"),
            (3, "0          0  reset"),
            (4, "583,290    583,290"),
            (5, "700,000 116,710  user_2"),
        ] {
            assert!(report.row(text, line), "{text}");
        }
        assert!(report.row("", 6) && report.row("Accumulated time:", 7) && report.row("41,696  dm_r", 8));
        assert!(!report.row("=> boot", 9));
        let table = report.finish().unwrap();
        assert_eq!(table.marks[1].name, "");
        assert_eq!(table.marks[2].ns, 700_000_000);
        assert_eq!(
            (table.accumulated[0].name.as_str(), table.accumulated[0].total_ns),
            ("dm_r", 41_696_000)
        );
        assert!(table.notes.is_empty());
    }
}

// SPDX-License-Identifier: MIT
//! Tables of a boot's stages as people write them: `| Firmware (UEFI) | 20.0s | why |`. The stages and their times are that
//! page's, and no program's account.

use super::cost::Cost;
use super::step_tables;
use crate::log::line::Line;
use crate::readers::userspace::duration::parse_prefix;

/// Lines looked at.
const MOST: usize = 5_000;
/// A table of fewer stages is none.
const ROWS: usize = 3;
/// Words with which a stage's name begins.
const STAGES: [&str; 14] = [
    "firmware",
    "bios",
    "uefi",
    "post",
    "loader",
    "bootloader",
    "boot loader",
    "grub",
    "kernel",
    "initrd",
    "initramfs",
    "userspace",
    "user space",
    "user-space",
];

/// The stages of the first such table, the longest first; none where two tables may be of two boots.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut tables: Vec<Vec<(String, i64, &Line)>> = Vec::new();
    let mut last = 0;
    for line in lines.take(MOST) {
        let Some((name, ns)) = row(&line.text) else {
            continue;
        };
        // A row between two stages may be of something else.
        match tables.last_mut().filter(|_| last != 0 && line.number <= last + 2) {
            Some(table) => table.push((name, ns, line)),
            None => tables.push(vec![(name, ns, line)]),
        }
        last = line.number;
    }
    tables.retain(|table| table.len() >= ROWS);
    // The same times again, as a table to be filled in shows them, are of the same boot.
    let times = |table: &Vec<(String, i64, &Line)>| table.iter().map(|(_, ns, _)| *ns).collect::<Vec<_>>();
    tables.dedup_by(|again, first| times(again) == times(first));
    let Some(mut steps) = tables.pop().filter(|_| tables.is_empty()) else {
        return Vec::new();
    };
    steps.sort_by_key(|(_, ns, _)| std::cmp::Reverse(*ns));
    let advice =
        "see what that stage does: firmware's set-up, the loader's wait, the initramfs or the units of user space";
    let costs = steps
        .into_iter()
        .map(|(name, ns, line)| step_tables::cost(&name, ns, line, advice));
    costs.collect()
}

/// The name and the time of a stage: the first cell and the second, and no third that holds a time.
fn row(text: &str) -> Option<(String, i64)> {
    let inner = text.trim().strip_prefix('|')?;
    let mut cells = inner.split('|').map(|cell| cell.replace(['*', '`', '~'], ""));
    let name = cells.next()?.trim().to_owned();
    let time = cells.next()?;
    let lower = name.to_ascii_lowercase();
    if !STAGES.iter().any(|stage| lower.starts_with(stage)) {
        return None;
    }
    // Of a time before and one after nobody can tell which is the boot's.
    let others = cells.filter(|cell| span(cell).is_some()).count();
    let ns = span(&time).filter(|_| others == 0)?;
    Some((name, i64::try_from(ns).ok()?))
}

/// `20.0s`, `2m 33.7s`.
fn span(cell: &str) -> Option<u64> {
    let cell = cell.trim();
    if let Some((minutes, rest)) = cell.split_once("m ") {
        let minutes: u64 = minutes.parse().ok()?;
        return Some(span(rest)?.saturating_add(minutes.checked_mul(60_000_000_000)?));
    }
    let (ns, used) = parse_prefix(cell)?;
    (used == cell.len() && ns > 0).then_some(ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn of(text: &str) -> Vec<(String, i64)> {
        let lines = lines_of(text);
        let found = of_lines(lines.iter());
        found
            .into_iter()
            .map(|cost| (cost.title, cost.cost_ns.unwrap_or(0) / 1_000_000))
            .collect()
    }

    #[test]
    fn stages_and_no_sum() {
        let table = "| Stage | Time |\n|--|--|\n| Firmware (frob) | 7.5s | long |\n| Loader | 900ms | |\n\
                     | **Initrd** | **2m 3.5s** | why |\n| Total | 2m 12s |";
        let found = of(table);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], ("the step `Initrd`".to_owned(), 123_500));
        assert_eq!(found[1], ("the step `Firmware (frob)`".to_owned(), 7_500));
    }

    #[test]
    fn no_table_of_one_boot() {
        let two = "| Kernel | 3s | 2s |\n| Initrd | 4s | 1s |\n| Userspace | 9s | 8s |";
        assert!(of(two).is_empty());
        assert!(of("| Kernel | 3s |\n| Initrd | 4s |").is_empty());
        assert!(of("| Kernel | 7.1 |\n| Loader | none |\n| Initrd | 5 MB |").is_empty());
        let one = "| Kernel | 3s |\n| Initrd | 4s |\n| Userspace | 9s |\n";
        let other = one.replace("9s", "7s");
        assert!(of(&format!("{one}\n\nAfter:\n\n{other}")).is_empty());
        assert_eq!(of(&format!("{one}\n\nTo be filled in:\n\n{one}")).len(), 3);
    }
}

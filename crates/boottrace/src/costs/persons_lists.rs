// SPDX-License-Identifier: MIT
//! Lists and tables of times that a person wrote: `* 200 ms to run the option ROM`, `| First boot | 95 | 44 |`. They are
//! quoted as they stand, the longest items of a list and the first rows of a table.

use super::cost::Cost;
use super::kind::CostKind;
use super::prose::{speaks_of_a_start, Paragraph};
use crate::log::line::Line;
use crate::text::spoken_time::longest_in_words;

/// So many make a list ...
const FEW: usize = 3;
/// ... and so many of one are quoted.
const QUOTES: usize = 3;
/// A longer item is no row.
const LONGEST: usize = 160;

/// A list whose items name times, or a table about starts.
pub(super) fn of(lines: &[&Line], all: &[Paragraph]) -> Option<Cost> {
    list(all).or_else(|| table(lines))
}

fn list(all: &[Paragraph]) -> Option<Cost> {
    let items = all.iter().filter(|one| one.listed && one.text.len() <= LONGEST);
    let timed: Vec<(i64, &Paragraph)> = items
        .filter_map(|one| Some((longest_in_words(&one.text.to_lowercase())?, one)))
        .collect();
    if timed.len() < FEW {
        return None;
    }
    let mut order: Vec<usize> = (0..timed.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(timed[*at].0));
    order.truncate(QUOTES);
    order.sort_unstable();
    let quotes = order.iter().map(|at| trimmed(&timed[*at].1.text)).collect::<Vec<_>>();
    Some(cost("a person lists", &quotes, timed[order[0]].1.number))
}

/// `| First boot | 95 | 44 |` below `| | Before | After |`.
fn table(lines: &[&Line]) -> Option<Cost> {
    let is_row = |line: &&&Line| {
        let text = line.text.trim();
        text.len() <= LONGEST && text.starts_with('|') && text.ends_with('|') && text.matches('|').count() > 2
    };
    let rows: Vec<&&Line> = lines.iter().filter(is_row).collect();
    let numbers = |line: &Line| {
        cells(&line.text)
            .skip(1)
            .any(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
    };
    let head = rows.first().filter(|head| !numbers(head))?;
    let told: Vec<&&&Line> = rows[1..].iter().filter(|row| numbers(row)).take(QUOTES).collect();
    let starts = |line: &Line| speaks_of_a_start(&line.text.to_lowercase());
    if told.is_empty() || !told.iter().any(|row| starts(row)) && !starts(head) {
        return None;
    }
    let shown = |line: &Line| cells(&line.text).collect::<Vec<_>>().join(" | ");
    let mut quotes = vec![shown(head)];
    quotes.extend(told.iter().map(|row| shown(row)));
    Some(cost("a person's table has", &quotes, told[0].number))
}

fn cells(row: &str) -> impl Iterator<Item = &str> {
    row.trim()
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
}

fn trimmed(item: &str) -> String {
    item.trim_start_matches(['*', '-', '#', '>', ' ']).trim().to_owned()
}

fn cost(who: &str, quotes: &[String], number: u32) -> Cost {
    let quotes: Vec<String> = quotes.iter().map(|quote| format!("`{quote}`")).collect();
    Cost::without_time(
        CostKind::StatedTime,
        format!("{who} {}", quotes.join(", ")),
        number,
        "these are the text's own words".to_owned(),
        "add the log of that boot: the kernel's messages, or systemd-analyze's account of it",
    )
}

#[cfg(test)]
mod tests {
    use crate::costs::prose::paragraphs;
    use crate::log::line::lines_of;

    fn told(text: &str) -> Option<String> {
        let lines = lines_of(text);
        let lines: Vec<_> = lines.iter().collect();
        super::of(&lines, &paragraphs(&lines)).map(|cost| cost.title)
    }

    #[test]
    fn lists_and_tables_of_times() {
        assert_eq!(
            told("* 20ms to set up the frob\n\n* 200ms to run its ROM\n\n* 35ms to read it\n\n* 5ms in grub\n")
                .as_deref(),
            Some("a person lists `20ms to set up the frob`, `200ms to run its ROM`, `35ms to read it`")
        );
        assert_eq!(
            told("|   | Before | After |\n| --- | --- | --- |\n| First boot | 95 | 44 |\n| Later boots | 82 | 33 |\n")
                .as_deref(),
            Some("a person's table has `Before | After`, `First boot | 95 | 44`, `Later boots | 82 | 33`")
        );
        for text in [
            "* 20ms to boot\n* a frob\n",
            "| Board | Price |\n|---|---|\n| frob | 20 |\n",
            "",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}

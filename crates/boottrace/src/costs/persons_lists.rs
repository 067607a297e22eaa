// SPDX-License-Identifier: MIT
//! Lists, tables and blocks of times that a person wrote: `* 200 ms to run the option ROM`, `| First boot | 95 | 44 |`,
//! `Firmware: 32.2 s`. They are quoted as they stand, the longest items and rows of them.

use super::cost::{Cost, Wording};
use super::kind::CostKind;
use super::persons_rows::{self, is_hoped, longest, LONGEST, QUOTES};
use super::prose::{depth, speaks_of_a_start, Paragraph};
use crate::log::line::Line;
use crate::text::spoken_time::longest_in_words;

/// So many make a list.
const FEW: usize = 3;
/// A list whose items name times, or a table or a block about starts. `near`: the text speaks of a start.
pub(super) fn of(lines: &[&Line], all: &[Paragraph], near: bool) -> Vec<Cost> {
    if let Some(list) = list(all) {
        return vec![list];
    }
    let tables = tables(lines, near);
    if !tables.is_empty() {
        return tables;
    }
    let rows = persons_rows::of(lines, near);
    rows.map(|(quotes, number)| cost("the text lists", &quotes, number))
        .into_iter()
        .collect()
}

fn list(all: &[Paragraph]) -> Option<Cost> {
    let items = all.iter().filter(|one| one.listed && one.text.len() <= LONGEST);
    let timed: Vec<(i64, &Paragraph)> = items
        .filter_map(|one| Some((longest_in_words(&one.text.to_lowercase())?, one)))
        .collect();
    // `This shortens the boot by`: two are a list too.
    let announced = announced(all);
    if timed.len() < if announced.is_some() { FEW - 1 } else { FEW } {
        return None;
    }
    let order = longest(timed.iter().map(|(ns, _)| *ns));
    let items = order.iter().map(|at| trimmed(&timed[*at].1.text));
    let quotes = announced.into_iter().chain(items).collect::<Vec<_>>();
    Some(cost("the text lists", &quotes, timed[order[0]].1.number))
}

/// The words on a start that a list of times follows at once, where they end with a colon or go on in it.
fn announced(all: &[Paragraph]) -> Option<String> {
    const OPEN: [&str; 4] = [":", " by", " to", " from"];
    let pairs = all.windows(2).filter(|two| !two[0].listed && two[1].listed);
    let mut heads = pairs.filter(|two| longest_in_words(&two[1].text.to_lowercase()).is_some());
    let head = heads.find(|two| {
        let text = two[0].text.trim_end();
        text.len() <= LONGEST && OPEN.iter().any(|end| text.ends_with(end)) && speaks_of_a_start(&text.to_lowercase())
    })?;
    Some(trimmed(&head[0].text))
}

/// `| First boot | 95 | 44 |` below `| | Before | After |`: the first tables that are about starts.
fn tables(lines: &[&Line], near: bool) -> Vec<Cost> {
    /// So many of them are quoted.
    const TABLES: usize = 2;
    let mut from = 0;
    let mut out = Vec::new();
    while from < lines.len() && out.len() < TABLES {
        let rows = rows_from(&lines[from..]);
        if rows.is_empty() {
            from += 1;
            continue;
        }
        let above = &lines[from.saturating_sub(FEW)..from];
        out.extend(of_table(&rows, above, near));
        from += rows.len();
    }
    out
}

/// The rows of a table that begins here, quoted or not, with bars around them or only between their cells.
fn rows_from<'a>(lines: &[&'a Line]) -> Vec<&'a Line> {
    let open = lines.get(1).is_some_and(|line| {
        let text = row(&line.text);
        text.contains(" | ") && text.bytes().all(|b| matches!(b, b'-' | b'|' | b' ' | b':'))
    });
    let is_row = |line: &&&Line| {
        let text = row(&line.text);
        let begins = text.starts_with('|') || text.contains(" | ");
        let closed = begins && text.ends_with('|') && text.matches('|').count() > 2;
        text.len() <= LONGEST && (closed || open && text.contains(" | "))
    };
    let mut last: Option<&Line> = None;
    let mut out = Vec::new();
    for line in lines.iter().take_while(is_row) {
        let goes_on =
            last.is_none_or(|last| last.last_number() + 1 == line.number && depth(&last.text) == depth(&line.text));
        if !goes_on {
            break;
        }
        out.push(*line);
        last = Some(line);
    }
    out
}

fn of_table(rows: &[&Line], above: &[&Line], near: bool) -> Option<Cost> {
    let numbers = |line: &Line| cells(&line.text).skip(1).any(is_number);
    let head = rows.first().filter(|head| !numbers(head))?;
    let told: Vec<&Line> = rows[1..].iter().filter(|row| numbers(row)).copied().collect();
    let starts = |line: &Line| speaks_of_a_start(&line.text.to_lowercase());
    let ns = |line: &Line| {
        cells(&line.text)
            .filter_map(|cell| longest_in_words(&cell.to_lowercase()))
            .max()
    };
    let timed = told.iter().filter(|row| ns(row).is_some()).count() * 2 > told.len();
    let units = || {
        told.iter()
            .any(|row| cells(&row.text).next().is_some_and(|cell| cell.ends_with(".service")))
    };
    let about = told.iter().chain(above).any(|row| starts(row)) || starts(head) || near && (timed || units());
    if told.is_empty() || !about || is_hoped(&head.text) || above.last().is_some_and(|line| is_hoped(&line.text)) {
        return None;
    }
    let shown = |line: &Line| cells(&line.text).collect::<Vec<_>>().join(" | ");
    // Where no time has a unit, the order is the writer's.
    let order = if timed {
        longest(told.iter().map(|row| ns(row).unwrap_or(0)))
    } else if units() {
        longest(told.iter().map(|row| largest(row)))
    } else {
        (0..told.len().min(QUOTES)).collect()
    };
    let mut quotes = vec![shown(head)];
    quotes.extend(order.iter().map(|at| shown(told[*at])));
    Some(cost("a table in the text has", &quotes, told[order[0]].number))
}

/// The largest number of a row, in thousandths.
fn largest(line: &Line) -> i64 {
    let numbers = cells(&line.text).skip(1).filter_map(|cell| cell.parse::<f64>().ok());
    numbers.fold(0, |most, number| most.max((number.clamp(0.0, 1e9) * 1e3) as i64))
}

fn is_number(cell: &str) -> bool {
    let cell = cell.trim_start_matches(['*', '~', '≈', '<', '`', ' ']);
    cell.starts_with(|c: char| c.is_ascii_digit())
}

fn row(text: &str) -> &str {
    text.trim_start_matches(['>', ' ', '\t']).trim_end()
}

fn cells(text: &str) -> impl Iterator<Item = &str> {
    row(text)
        .trim_matches('|')
        .split('|')
        .map(str::trim)
        .filter(|cell| !cell.is_empty())
}

fn trimmed(item: &str) -> String {
    item.trim_start_matches(['*', '-', '#', '>', ' ']).trim().to_owned()
}

/// What a text's own words are told as: quoted, and no more.
pub(super) fn cost<T: std::fmt::Display>(who: &str, quotes: &[T], number: u32) -> Cost {
    let quotes: Vec<String> = quotes.iter().map(|quote| format!("`{quote}`")).collect();
    Cost::without_time(
        CostKind::StatedTime,
        format!("{who} {}", quotes.join(", ")),
        number,
        "these are the text's own words".to_owned(),
        "add the log of that boot: the kernel's messages, or systemd-analyze's account of it",
    )
    .with(Wording::Listing)
}

#[cfg(test)]
mod tests {
    use crate::costs::prose::paragraphs;
    use crate::log::line::lines_of;

    fn told(text: &str) -> Option<String> {
        let lines = lines_of(text);
        let lines: Vec<_> = lines.iter().collect();
        super::of(&lines, &paragraphs(&lines), true)
            .into_iter()
            .next()
            .map(|cost| cost.title)
    }

    #[test]
    fn lists_and_tables_of_times() {
        assert_eq!(
            told("* 20ms to set up the frob\n\n* 200ms to run its ROM\n\n* 35ms to read it\n\n* 5ms in grub\n")
                .as_deref(),
            Some("the text lists `20ms to set up the frob`, `200ms to run its ROM`, `35ms to read it`")
        );
        assert_eq!(
            told("|   | Before | After |\n| --- | --- | --- |\n| First boot | 95 | 44 |\n| Later boots | 82 | 33 |\n")
                .as_deref(),
            Some("a table in the text has `Before | After`, `First boot | 95 | 44`, `Later boots | 82 | 33`")
        );
        assert_eq!(
            told("This also shortens the boot by\n   - 4.8 seconds (9 %) on a frob\n   - 2.9 seconds on a quux\n").as_deref(),
            Some("the text lists `This also shortens the boot by`, `4.8 seconds (9 %) on a frob`, `2.9 seconds on a quux`")
        );
        assert_eq!(
            told("Этап | Описание | Длительность |\nPower On | frob | 1-3 сек |\nBoot | quux | 10-60 сек |\n").as_deref(),
            Some("a table in the text has `Этап | Описание | Длительность`, `Power On | frob | 1-3 сек`, `Boot | quux | 10-60 сек`")
        );
        for text in [
            "* 20ms to boot\n* a frob\n",
            "| Board | Price |\n|---|---|\n| frob | 20 |\n",
            "| Stage | Expected |\n|---|---|\n| boot | 20 s |\n",
            "",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn a_table_without_bars_around_it() {
        let text = "UNITS | old | new\n-- | -- | --\nfrob.service | 1.28 | 2.64\nzork.service | 5.9 | 5.9\n";
        assert_eq!(
            told(text).as_deref(),
            Some(
                "a table in the text has `UNITS | old | new`, `frob.service | 1.28 | 2.64`, `zork.service | 5.9 | 5.9`"
            )
        );
        assert_eq!(told("a | b | c\nfrob.service | 1 | 2\n"), None);
    }

    #[test]
    fn a_table_that_a_mail_quotes() {
        assert_eq!(
            told("> Bringup time (ms):\n>\n> | Board | Base | New |\n> | ----- | ---- | --- |\n> | frob  | 2075.8 | 1653.4 |\n")
                .as_deref(),
            Some("a table in the text has `Board | Base | New`, `frob | 2075.8 | 1653.4`")
        );
        assert_eq!(
            told("| 時刻 | 所要 | イベント |\n|---|---|---|\n| 0.4s | 0.4s | frob 起動 |\n| 3.4s | 3.0s | quux |\n")
                .as_deref(),
            Some("a table in the text has `時刻 | 所要 | イベント`, `0.4s | 0.4s | frob 起動`, `3.4s | 3.0s | quux`")
        );
    }
}

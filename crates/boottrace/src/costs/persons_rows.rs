// SPDX-License-Identifier: MIT
//! Blocks of rows that name something and its time, with or without fences around them: `- Firmware:   32.2 s (UEFI)`,
//! `modified: 6.309 seconds`, `30200.frob -> 523002us`, and in a document of figures `"frob.service": 23.978`.

use super::prose::speaks_of_a_start;
use crate::log::any_stamp;
use crate::log::line::Line;
use crate::text::spoken_time::longest_in_words;

/// So many rows of a list, a table or a block are quoted.
pub(super) const QUOTES: usize = 3;
/// A longer item is no row.
pub(super) const LONGEST: usize = 160;
/// What is hoped for, or set, is no time of a start.
const HOPED: &str = "expect|estimat|predict|target|goal|saving|timeout|default|予測|見込|预期|目标";

/// So many rows are a block.
const LEAST: usize = 2;
/// A longer name is a sentence.
const NAME: usize = 40;
/// Shorter times are no parts of a start that somebody writes down.
const SHORTEST_NS: i64 = 100_000_000;

/// No start takes longer.
const LONGEST_NS: f64 = 3_600e9;

/// The longest rows of the first block that is about a start, and its line. `near`: the text speaks of a start.
pub(super) fn of(lines: &[&Line], near: bool) -> Option<(Vec<String>, u32)> {
    let mut alone: Vec<(&str, i64, u32)> = Vec::new();
    let mut from = 0;
    let unit_ns = unit_said(lines);
    while from < lines.len() {
        let block = block(&lines[from..], unit_ns);
        let above = from.checked_sub(1).map(|at| lines[at].text.as_str());
        if block.len() == 1 && names_a_start(block[0].0) {
            alone.push((block[0].0, block[0].1, lines[from].number));
        }
        if block.len() >= LEAST {
            let about = block
                .iter()
                .any(|(text, _)| text.starts_with('"') || speaks_of_a_start(&text.to_lowercase()))
                || above.is_some_and(|text| speaks_of_a_start(&text.to_lowercase()));
            let long = block.iter().any(|(_, ns)| *ns >= SHORTEST_NS);
            if (near || about) && long && !above.is_some_and(is_hoped) {
                let order = longest(block.iter().map(|(_, ns)| *ns));
                let quotes = order.iter().map(|at| block[*at].0.to_owned()).collect();
                return Some((quotes, lines[from + order[0]].number));
            }
        }
        from += block.len().max(1);
    }
    // A figure before and one after, each below its own heading.
    alone.retain(|(_, ns, _)| *ns >= SHORTEST_NS);
    alone.truncate(QUOTES);
    let (_, _, number) = *alone.first().filter(|_| near)?;
    Some((alone.iter().map(|(text, ..)| (*text).to_owned()).collect(), number))
}

/// `Boot Time: 15.3 seconds`, `Firmware Execution Duration: 30.8s`
fn names_a_start(row: &str) -> bool {
    let name = row.split(':').next().unwrap_or("").to_lowercase();
    let lasts = ["time", "duration", "took"].iter().any(|word| name.contains(word));
    let of = ["firmware", "kernel", "userspace", "loader", "bios", "uefi"];
    lasts && (speaks_of_a_start(&name) || of.iter().any(|word| name.contains(word)))
}

/// Is it hoped for, or set?
pub(super) fn is_hoped(text: &str) -> bool {
    let lower = text.to_lowercase();
    HOPED.split('|').any(|word| lower.contains(word))
}

/// The places of the longest times, in the text's order.
pub(super) fn longest(times: impl Iterator<Item = i64>) -> Vec<usize> {
    let mut order: Vec<(usize, i64)> = times.enumerate().collect();
    order.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    order.truncate(QUOTES);
    let mut order: Vec<usize> = order.into_iter().map(|(at, _)| at).collect();
    order.sort_unstable();
    order
}

/// The rows that begin here, one a line.
fn block<'a>(lines: &[&'a Line], unit_ns: Option<f64>) -> Vec<(&'a str, i64)> {
    let mut out: Vec<(&str, i64)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let follows = at == 0 || lines[at - 1].last_number() + 1 == line.number;
        match row(line, unit_ns).filter(|_| follows) {
            Some(row) => out.push(row),
            None => break,
        }
    }
    out
}

/// The unit of bare numbers, where the text says it once for all: `in milliseconds [ms]`, `all times in seconds`.
fn unit_said(lines: &[&Line]) -> Option<f64> {
    const UNITS: [(&str, f64); 6] = [
        ("in milliseconds", 1e6),
        ("[ms]", 1e6),
        ("(ms)", 1e6),
        ("times in ms", 1e6),
        ("times in seconds", 1e9),
        ("expressed in seconds", 1e9),
    ];
    lines.iter().find_map(|line| {
        let lower = line.text.to_lowercase();
        UNITS.iter().find(|(words, _)| lower.contains(words)).map(|(_, ns)| *ns)
    })
}

/// A row without its mark, and its time.
fn row(line: &Line, unit_ns: Option<f64>) -> Option<(&str, i64)> {
    let text = line.text.trim();
    if text.len() > LONGEST || line.has_kernel_prefix() || line.process.is_some() || any_stamp::of(text).is_some() {
        return None;
    }
    let text = text.trim_start_matches(['>', '*', '-', '•', '+', ' ', '\t']);
    if let Some(row) = figure(text) {
        return Some(row);
    }
    let (name, rest) = text.split_once(" -> ").or_else(|| text.split_once([':', '：', '→']))?;
    let named = name.chars().any(char::is_alphabetic) && name.chars().count() <= NAME;
    let plain = !name.contains(['[', '=', '/', '"', '{', '$', '<', '\\']);
    let rest = rest.trim_start_matches(['*', '~', '≈', '`', ' ', '\t']);
    let timed = rest.starts_with(|c: char| c.is_ascii_digit());
    if !named || !plain || !timed || is_hoped(name) || text.ends_with([';', ',', '{']) {
        return None;
    }
    // What stands behind the time explains it.
    let end = rest.find(['(', ',', ';']).unwrap_or(rest.len());
    let bare = || {
        let number: f64 = rest[..end].trim().parse().ok()?;
        let ns = number * unit_ns?;
        (1e3..LONGEST_NS).contains(&ns).then_some(ns as i64)
    };
    let ns = longest_in_words(&rest[..end].to_lowercase()).or_else(bare)?;
    Some((text, ns))
}

/// `"frob.service": 23.978,`: a unit's seconds in a document of figures.
fn figure(text: &str) -> Option<(&str, i64)> {
    const UNITS: [&str; 5] = [".service", ".mount", ".target", ".device", ".socket"];
    const LONGEST_S: f64 = 3600.0;
    let (name, rest) = text.strip_prefix('"')?.split_once("\": ")?;
    let seconds: f64 = rest.trim_end_matches(',').parse().ok()?;
    let unit = UNITS.iter().any(|kind| name.ends_with(kind));
    (unit && (0.0..LONGEST_S).contains(&seconds)).then_some((text.trim_end_matches(','), (seconds * 1e9) as i64))
}

#[cfg(test)]
mod tests {
    use crate::log::line::lines_of;
    use proptest::prelude::*;

    fn told(text: &str, near: bool) -> Option<Vec<String>> {
        let lines = lines_of(text);
        let lines: Vec<_> = lines.iter().collect();
        super::of(&lines, near).map(|(rows, _)| rows)
    }

    #[test]
    fn blocks_of_names_and_times() {
        assert_eq!(
            told(
                "# Boot\n```\n- Firmware:   32.2 s (frob)\n- Loader: 395ms\n- Kernel: 570ms\nTotal: 1min 43.7s\n```\n",
                true
            ),
            Some(vec![
                "Firmware:   32.2 s (frob)".to_owned(),
                "Kernel: 570ms".to_owned(),
                "Total: 1min 43.7s".to_owned()
            ])
        );
        assert_eq!(
            told("boot, unmodified: 12.8 seconds\nmodified:\t6.3 seconds\n", false).map(|rows| rows.len()),
            Some(2)
        );
        for text in [
            "quux: 12 s\n",
            "frob timeout: 12 s\nquux timeout: 9 s\n",
            "Expected savings\na: 12 s\nb: 9 s\n",
            "a: 12 apples\nb: 9 pears\n",
            "[    1.0] frob: 12 s\n[    2.0] quux: 9 s\n",
        ] {
            assert_eq!(told(text, true), None, "{text}");
        }
        assert_eq!(told("a: 12 s\nb: 9 s\n", false), None);
        assert_eq!(
            told(
                "Top of the boot:\n * 3020.frob -> 523002us\n * zork_init -> 487483us\n",
                true
            )
            .map(|rows| rows.len()),
            Some(2)
        );
        assert_eq!(
            told(
                "## Before\n```\nBoot Time: 15.3 seconds\n```\n## After\n```\nBoot Time: 5.1 seconds\n```\n",
                true
            ),
            Some(vec![
                "Boot Time: 15.3 seconds".to_owned(),
                "Boot Time: 5.1 seconds".to_owned()
            ])
        );
        let bare = "All values are in milliseconds [ms]\n\n * frob_end: 36.07\n * kernel_begin: 214.6 (+78.5)\n";
        assert_eq!(told(bare, true).map(|rows| rows.len()), Some(2));
        assert_eq!(told(" * frob_end: 36.07\n * kernel_begin: 214.6\n", true), None);
        assert_eq!(told("Cooking time: 15 seconds\n", true), None);
        assert_eq!(
            told("{\n    \"frob.service\": 23.978,\n    \"zork.service\": 9.5\n}\n", true).map(|rows| rows.concat()),
            Some("\"frob.service\": 23.978\"zork.service\": 9.5".to_owned())
        );
    }

    proptest! {
        /// Any text is read without a panic, and what is quoted stands in it.
        #[test]
        fn any_text(text in "([a-z>*: -]{0,9}(: |：)?[0-9]{0,4} ?(s|ms|分|秒|min)?\n?){0,24}") {
            for quote in told(&text, true).unwrap_or_default() {
                prop_assert!(text.contains(&quote));
            }
        }
    }
}

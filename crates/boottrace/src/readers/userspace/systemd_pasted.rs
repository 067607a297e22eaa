// SPDX-License-Identifier: MIT
//! What `systemd-analyze` prints, as people paste it: quoted, in a list, or all of it run together into one line.

use std::borrow::Cow;

use super::duration::parse_prefix;
use super::startup_time::{bare_account, is_example};
use super::systemd_blame::{blame_row, is_unit};
use super::systemd_lost::{behind_a_time, restored, without_tags, written_out};

/// Longer lines are no paste of a table.
const LONGEST: usize = 20_000;

/// The rows that a line holds: itself, or what was run together in it.
pub(super) fn rows(line: &str) -> Vec<Cow<'_, str>> {
    if line.len() > LONGEST || is_example(line) {
        return vec![Cow::Borrowed(line)];
    }
    if let Some(pieces) = written_out(line) {
        return pieces.into_iter().flat_map(rows).collect();
    }
    if let Some(row) = restored(line) {
        return vec![Cow::Owned(row)];
    }
    match unpasted(line) {
        Cow::Borrowed(line) => rows_of(line),
        Cow::Owned(line) => rows_of(&line)
            .into_iter()
            .map(|row| Cow::Owned(row.into_owned()))
            .collect(),
    }
}

/// The line without what a page does to it: a comment's mark before it, an arrow behind it, a browser's names of characters.
pub(super) fn unpasted(line: &str) -> Cow<'_, str> {
    let text = line.trim_end();
    let text = text.strip_suffix("<-").map_or(text, str::trim_end);
    // A comment's mark with one blank, so that a tree keeps its depths, and an arrow behind it.
    let text = COMMENTS
        .iter()
        .filter_map(|mark| text.strip_prefix(mark))
        .map(|rest| ARROWS.iter().find_map(|arrow| rest.strip_prefix(arrow)).unwrap_or(rest))
        .find(|rest| is_comment_of_a_row(rest))
        .unwrap_or(text);
    let untagged = without_tags(text);
    if untagged.is_some() || text.contains("&#") || text.contains("&gt;") || text.contains("**") {
        let text = untagged.unwrap_or_else(|| text.to_owned());
        return Cow::Owned(NAMED.iter().fold(text, |text, (name, sign)| text.replace(name, sign)));
    }
    if text.len() == line.trim_end().len() {
        Cow::Borrowed(line)
    } else {
        Cow::Borrowed(text)
    }
}

/// The command before what it printed, as people write it.
const COMMANDS: [&str; 3] = ["systemd-analyze", "systemd-analyze time", "systemd-analyse"];
/// Marks of a comment.
const COMMENTS: [&str; 4] = ["# ", "// ", "; ", ""];
/// What a command printed, as people show it behind the command.
const ARROWS: [&str; 4] = ["\u{2192} ", "-> ", "=> ", "> "];

/// Bold marks, and signs as HTML names them.
const NAMED: [(&str, &str); 6] = [
    ("**", ""),
    ("&#9492;", "\u{2514}"),
    ("&#9500;", "\u{251c}"),
    ("&#9474;", "\u{2502}"),
    ("&#9472;", "\u{2500}"),
    ("&gt;", ">"),
];

/// Is what stands behind a comment's mark a row? A shell's `# systemctl start a.service` is none.
fn is_comment_of_a_row(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("Startup finished in ")
        || blame_row(text).is_some()
        || text.starts_with('\u{2514}')
        || text.contains(".target @")
        || text.contains(" reached after ")
        || (text.starts_with("+ ") && text.contains("s ("))
}

fn rows_of(line: &str) -> Vec<Cow<'_, str>> {
    if blame_row(line).is_some() {
        return vec![Cow::Borrowed(line)];
    }
    if let Some(rows) = startup(line) {
        return rows;
    }
    let listed = line
        .trim_start()
        .trim_start_matches(['>', '*', '|', '`', '-', ' '])
        .trim_end_matches(['`', '|', ' ', ',']);
    if listed.len() < line.trim().len() && blame_row(listed).is_some() {
        return vec![Cow::Borrowed(listed)];
    }
    if let Some(row) = named_row(line) {
        return vec![Cow::Owned(row)];
    }
    let pairs = pairs(line);
    let named = || line.contains("systemd-analy") || line.contains("blame");
    if pairs.len() >= 2 || (pairs.len() == 1 && named()) {
        return pairs.into_iter().map(Cow::Owned).collect();
    }
    vec![Cow::Borrowed(line)]
}

/// A row in which the unit stands first, as people write it: `- a.service: 11.2s`, `| a.service | 11.2s | why |`.
fn named_row(line: &str) -> Option<String> {
    const LONGEST: usize = 300;
    const KINDS: [&str; 4] = [".service", ".device", ".mount", ".socket"];
    if line.len() > LONGEST || !KINDS.iter().any(|kind| line.contains(kind)) {
        return None;
    }
    let text = line.trim().trim_start_matches(['>', '*', '-', '+', '\u{2022}', ' ']);
    let cells: Vec<&str> = if text.contains('|') {
        text.split('|').collect()
    } else {
        let parts = [": ", " - ", " \u{2014} ", " \u{2013} ", " = ", "\t"];
        let (unit, time) = parts.iter().find_map(|part| text.split_once(part))?;
        vec![unit, time]
    };
    let cells = || {
        cells
            .iter()
            .map(|cell| bare(cell.trim()))
            .filter(|cell| !cell.is_empty())
    };
    let mut units = cells().filter(|cell| is_unit(cell));
    // Of two times nobody can tell which is the boot's.
    let mut times = cells().filter(|cell| is_span(cell) && cell.ends_with('s'));
    match (units.next(), units.next(), times.next(), times.next()) {
        (Some(unit), None, Some(time), None) => Some(format!("{time} {unit}")),
        _ => None,
    }
}

/// The time beside a unit's name in a line that is no row: a superlative over the rows must know of it.
pub(crate) fn unread_ns(line: &str) -> Option<u64> {
    // A limit is no time that passed.
    let limits = [" / ", "imeout", "start job is running"]
        .iter()
        .any(|words| line.contains(words));
    if line.len() > LONGEST || limits || !line.contains('.') {
        return None;
    }
    let words: Vec<&str> = line
        .split([' ', '\t', '|'])
        .map(bare)
        .filter(|word| !word.is_empty())
        .collect();
    let mut most = None;
    // A target starts nothing: its time is that of all.
    let starts = |word: &str| is_unit(word) && !word.ends_with(".target");
    for at in (0..words.len()).filter(|at| starts(words[*at])) {
        let near = &words[at.saturating_sub(3)..words.len().min(at + 5)];
        for from in 0..near.len() {
            let spans = near[from..]
                .iter()
                .map(|word| word.trim_start_matches(['+', '~']))
                .take_while(|word| is_span(word));
            // Seconds end a time: what follows is another.
            let mut whole = false;
            let spans = spans.take_while(|word| !std::mem::replace(&mut whole, word.ends_with('s')));
            let text = spans.collect::<Vec<_>>().join(" ");
            // A unit's limits are no time that passed.
            let ns = parse_prefix(&text).map(|(ns, _)| ns).filter(|_| text.ends_with('s'));
            most = most.max(ns);
        }
    }
    most
}

/// The account and the target, where both stand in one line, or a command before them.
fn startup(line: &str) -> Option<Vec<Cow<'_, str>>> {
    let Some(at) = line.find("Startup finished in ") else {
        return Some(vec![Cow::Owned(format!("Startup finished in {}", bare_account(line)?))]);
    };
    let before = line[..at].trim_matches(['`', '>', '*', ' ', '$', '#', '-', '+', '_', '\t', '\u{2022}']);
    // Behind a program's name it is the journal's, which the log tells of.
    let commanded = before.is_empty() || is_number(before) || COMMANDS.iter().any(|command| before.ends_with(command));
    let quoted = line[..at].ends_with(['`', '"', '|']) || line[..at].ends_with("| ");
    if !commanded && !quoted && !is_paragraph(before) && !is_of_a_test(before) {
        return None;
    }
    let text = line[at..]
        .split('`')
        .next()
        .unwrap_or("")
        .trim_end_matches(['*', ' ', '_']);
    let target = text.split_once(" reached after ").and_then(|(head, rest)| {
        let unit = behind_a_time(head.rsplit(' ').next()?);
        let account = head[..head.len() - unit.len()].trim_end();
        is_unit(unit).then(|| {
            vec![
                Cow::Borrowed(account),
                Cow::Owned(format!("{unit} reached after {rest}")),
            ]
        })
    });
    Some(target.unwrap_or_else(|| vec![Cow::Borrowed(text)]))
}

/// `2.`, `3)`: the number of a list's item.
fn is_number(before: &str) -> bool {
    before
        .strip_suffix(['.', ')'])
        .is_some_and(|number| matches!(number.len(), 1 | 2) && number.bytes().all(|b| b.is_ascii_digit()))
}

/// Do so many words stand before it that they are somebody's sentences? A log's line has a date, a host and a name there.
fn is_paragraph(before: &str) -> bool {
    before
        .split_ascii_whitespace()
        .filter(|word| word.chars().all(char::is_alphabetic))
        .count()
        >= 8
}

/// Does a test's driver show what its machine prints? `frob-test> machine # [  13.1] systemd[1]:`
fn is_of_a_test(before: &str) -> bool {
    before.split_once(" # [").is_some_and(|(head, rest)| {
        !head.is_empty() && head.len() < 80 && rest.ends_with("systemd[1]:") && rest.len() < 40
    })
}

/// `1min 16.773s a.service > 47.310s b.service`: each time with the unit behind it.
fn pairs(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_ascii_whitespace().map(bare).collect();
    let mut rows = Vec::new();
    // `= 8.035s a.target reached after ...`: the account's sum, and no row.
    let row = |at: usize| is_unit(words[at]) && words.get(at + 1) != Some(&"reached");
    for (at, unit) in words.iter().enumerate().filter(|(at, _)| row(*at)) {
        // A time has up to three words: `1h 2min 3.4s`.
        let mut from = at;
        while from > 0 && at - from < 3 && is_span(words[from - 1]) {
            from -= 1;
        }
        if from < at {
            rows.push(format!("{} {unit}", words[from..at].join(" ")));
        }
    }
    rows
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| matches!(c, '`' | '*' | ',' | ';' | '"' | '\'' | '(' | ')' | '>' | '|' | ':'))
}

fn is_span(word: &str) -> bool {
    parse_prefix(word).is_some_and(|(_, used)| used == word.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_were_run_together() {
        assert_eq!(
            rows("`systemd-analyze blame 2min 6.007s a.service > 1min 16.773s b-c.service > 47.310s d.service`"),
            ["2min 6.007s a.service", "1min 16.773s b-c.service", "47.310s d.service"]
        );
        assert_eq!(rows("> 9.663s dev-tpmrm0.device"), ["9.663s dev-tpmrm0.device"]);
        assert_eq!(rows("* `1.2s x.mount`"), ["1.2s x.mount"]);
        assert_eq!(
            rows("blame says 30.1s NetworkManager-wait-online.service"),
            ["30.1s NetworkManager-wait-online.service"]
        );
        assert_eq!(
            rows("`systemd-analyze Startup finished in 3.802s (firmware) + 4.789s (kernel) = 8.591s graphical.target reached after 1min in userspace`"),
            ["Startup finished in 3.802s (firmware) + 4.789s (kernel) = 8.591s", "graphical.target reached after 1min in userspace"]
        );
    }

    #[test]
    fn rows_that_something_is_glued_to() {
        let account = "Startup finished in 2.5s (kernel) + 2min 3.5s (userspace) = 2min 6.000s";
        let target = "frob.target reached after 1min 2.5s in userspace";
        assert_eq!(rows(&format!(" {account}{target}")), [account, target]);
        let string = format!("\"time\": \"{account}\\n{target}\", \"x\": \"a\\nb\"");
        let found = rows(&string);
        assert_eq!(found[0], account);
        assert!(found[1].starts_with(target) && found.len() == 2, "{found:?}");
        assert_eq!(rows("[b]4.5s a.service[/b]"), ["4.5s a.service"]);
        assert_eq!(
            rows("  \u{2514}\u{2500}[color=red][B]a.service @1s +2s[/B][/COLOR]"),
            ["  \u{2514}\u{2500}a.service @1s +2s"]
        );
    }

    #[test]
    fn rows_of_pages() {
        assert_eq!(rows("#  8.2s apt-daily.service"), [" 8.2s apt-daily.service"]);
        assert_eq!(
            rows("\t- Startup finished in 4.2s (kernel) = 4.2s"),
            ["Startup finished in 4.2s (kernel) = 4.2s"]
        );
        assert_eq!(
            rows("2. Startup finished in 4.2s (kernel) = 4.2s"),
            ["Startup finished in 4.2s (kernel) = 4.2s"]
        );
        assert_eq!(
            rows("# Startup finished in 4.2s (kernel) = 4.2s"),
            ["Startup finished in 4.2s (kernel) = 4.2s"]
        );
        assert_eq!(
            rows("    &#9492;&#9472;x.service @1.9s +12.4s"),
            ["    \u{2514}\u{2500}x.service @1.9s +12.4s"]
        );
        assert_eq!(
            rows("#   \u{2514}\u{2500}a.service @2s"),
            ["  \u{2514}\u{2500}a.service @2s"]
        );
        assert_eq!(
            rows("# \u{2192}   \u{2514}\u{2500}a.service @2s"),
            ["  \u{2514}\u{2500}a.service @2s"]
        );
        assert_eq!(rows("# \u{2192} 4.5s a.service"), ["4.5s a.service"]);
        assert_eq!(
            rows("  \u{2514}\u{2500}n.service @1min +17ms <-"),
            ["  \u{2514}\u{2500}n.service @1min +17ms"]
        );
        assert_eq!(
            rows("Startup finished in 35.8s (firmware) + **1min 12.950s (kernel) **+ 17.3s (userspace) = 2min 6s"),
            ["Startup finished in 35.8s (firmware) + 1min 12.950s (kernel) + 17.3s (userspace) = 2min 6s"]
        );
        assert_eq!(rows("# systemctl start a.service"), ["# systemctl start a.service"]);
    }

    #[test]
    fn rows_with_the_unit_first() {
        for line in [
            "- frob.service: 11.2s",
            "| `frob.service` | 11.2s | slow |",
            "frob.service \u{2014} 11.2s",
            "* **frob.service**: 11.2s",
        ] {
            assert_eq!(rows(line), ["11.2s frob.service"], "{line}");
        }
        for line in [
            "| frob.service | 11.2s | 3.1s |",
            "frob.service: Consumed 11.2s CPU time",
        ] {
            assert_eq!(rows(line), [line]);
        }
    }

    #[test]
    fn accounts_without_their_first_words() {
        let account = "Startup finished in 4.8 s (firmware) + 1.3s (kernel) + 2.8s (userspace) = 8.9s";
        let said = account.trim_start_matches("Startup finished in ");
        assert_eq!(rows(&format!("It shows `{said}` and then 3s")), [account]);
        assert_eq!(
            rows("_Startup finished in 6s (kernel) + 2s (userspace) = 8s_"),
            ["Startup finished in 6s (kernel) + 2s (userspace) = 8s"]
        );
        for line in [
            "1s (kernel) is long",
            "f(kernel) + g(userspace) = h",
            "a 2s b (kernel) + 1s (userspace) = 3s",
        ] {
            assert_eq!(rows(line), [line]);
        }
    }

    #[test]
    fn accounts_in_a_paragraph_or_a_test() {
        let account =
            "Startup finished in 2s 65ms 924us (kernel) + 11s 900ms 471us (userspace) = 13s 966ms 395us. And here it";
        let words = "The first of these tools is a very simple one and writes this: systemd[1]: ";
        assert!(rows(&format!("{words}{account}"))[0].starts_with("Startup finished in 2s"));
        let test = "frob-test> machine # [  13.1] systemd[1]: Startup finished in 4.2s (kernel) = 4.2s.";
        assert!(rows(test)[0].starts_with("Startup finished in 4.2s"));
    }

    #[test]
    fn times_beside_units_that_are_no_rows() {
        assert_eq!(unread_ns("frob.service took about 1min 2s here"), Some(62_000_000_000));
        assert_eq!(unread_ns("| frob.service | 11.2s | 3.1s |"), Some(11_200_000_000));
        assert_eq!(unread_ns("frob.service is slow"), None);
        assert_eq!(unread_ns("it took 4s"), None);
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for line in [
            "",
            "      8.778s a.service",
            "It waits 30s for a.service",
            "x.service: start operation timed out after 90s, x.service failed",
            "systemd[1]: Startup finished in 1.402s (kernel) + 4.000s (userspace) = 5.402s.",
            "  \u{2514}\u{2500}some.service @1.234s +56ms",
        ] {
            assert_eq!(rows(line), [line], "{line}");
        }
    }
}

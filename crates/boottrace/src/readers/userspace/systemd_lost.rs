// SPDX-License-Identifier: MIT
//! Rows of `systemd-analyze` that lost their form on the way: blanks that a page took out, lines that somebody searched out
//! of a plot's picture; and rows that somebody's marks stand in.

use super::duration::parse_prefix;
use super::systemd_blame::{blame_row, is_unit};

/// Longer lines are no row.
const LONGEST: usize = 400;

/// The row as `systemd-analyze` prints it; none where nothing was lost.
pub(super) fn restored(line: &str) -> Option<String> {
    let text = line.trim();
    if text.len() > LONGEST {
        return None;
    }
    account(text).or_else(|| of_plot(text)).or_else(|| tight_row(text))
}

/// `Startupfinishedin818ms(kernel)+1min3.2s(userspace)=1min4.018s`
fn account(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("Startupfinishedin")?;
    Some(format!("Startup finished in {}", spans_apart(rest)))
}

/// Blanks between a unit of time and the number behind it: `1min3.2s` is `1min 3.2s`.
fn spans_apart(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 4);
    let mut before = ' ';
    for c in text.chars() {
        if c.is_ascii_digit() && before.is_ascii_alphabetic() {
            out.push(' ');
        }
        out.push(c);
        before = c;
    }
    out
}

/// A name in a picture, with the time that it took to start: `<text class="left" x="1" y="2">frob.service (33ms)</text>`.
fn of_plot(text: &str) -> Option<String> {
    let inner = text.strip_prefix("<text ")?.strip_suffix("</text>")?;
    let (_, name) = inner.split_once('>')?;
    let (unit, time) = name.strip_suffix(')')?.split_once(" (")?;
    let (_, used) = parse_prefix(time)?;
    (used == time.len() && is_unit(unit)).then(|| format!("{time} {unit}"))
}

/// A row of blame without its blank: `30.852sfrob.service`, `1min2.003sfrob.service`, `103msfrob.service`. systemd prints
/// three decimals of a second, or whole milliseconds, so that the unit's name begins behind them.
fn tight_row(text: &str) -> Option<String> {
    if text.contains(' ') || !text.starts_with(|c: char| c.is_ascii_digit()) || !is_unit(text) {
        return None;
    }
    let (minutes, rest) = match text.split_once("min") {
        Some((minutes, rest)) if all_digits(minutes) => (format!("{minutes}min "), rest),
        _ => (String::new(), text),
    };
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, rest) = rest.split_at(end);
    let (unit_of_time, unit) = match number.split_once('.') {
        Some((whole, part)) if all_digits(whole) && part.len() == 3 && all_digits(part) => {
            ("s", rest.strip_prefix('s')?)
        }
        None if all_digits(number) => ("ms", rest.strip_prefix("ms")?),
        _ => return None,
    };
    (unit.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-') && is_unit(unit))
        .then(|| format!("{minutes}{number}{unit_of_time} {unit}"))
}

/// The unit behind a time that lost the blank between them: `16.871sfrob.target`.
pub(super) fn behind_a_time(word: &str) -> &str {
    let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(0);
    let unit = ["ms", "min", "s"]
        .iter()
        .find_map(|unit| word[end..].strip_prefix(unit));
    unit.filter(|unit| end > 0 && is_unit(unit)).unwrap_or(word)
}

/// A time span at the front of a text, also where the next word stands right behind it: `5min 16.871sThen it hangs`. systemd
/// prints three decimals of a second, or whole milliseconds.
pub(super) fn span_before_a_word(text: &str) -> Option<u64> {
    let (ns, used) = parse_prefix(text).unwrap_or_default();
    let rest = text[used..].trim_start_matches(' ');
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(0);
    let (number, word) = rest.split_at(end);
    let decimals = number.split_once('.').map(|(_, decimals)| decimals.len());
    let unit = match decimals {
        Some(3) if word.starts_with('s') => "s",
        None if word.starts_with("ms") => "ms",
        _ => "",
    };
    let glued = word[unit.len()..].starts_with(char::is_alphabetic);
    if !unit.is_empty() && glued {
        let (more, _) = parse_prefix(&format!("{number}{unit}"))?;
        return Some(ns.saturating_add(more));
    }
    (used > 0).then_some(ns)
}

/// The rows of a string whose ends of lines are written out: `"Startup finished in 2s\ngraphical.target reached after 1s"`.
pub(super) fn written_out(line: &str) -> Option<Vec<&str>> {
    const END: &str = "\\n";
    if !line.contains(END) {
        return None;
    }
    let pieces = line
        .split(END)
        .map(|piece| piece.trim_start_matches(['"', '\'']).trim_end_matches("\\r"));
    let is_row = |piece: &&str| {
        let said = ["Startup finished in ", " reached after "];
        said.iter().any(|words| piece.contains(words)) || blame_row(piece).is_some()
    };
    let rows: Vec<&str> = pieces.filter(is_row).collect();
    (!rows.is_empty()).then_some(rows)
}

/// The line without a forum's or a browser's tags of type: `[b]`, `[/COLOR]`, `[color=red]`, `<strong>`; none where none is.
pub(super) fn without_tags(text: &str) -> Option<String> {
    const SHOWN_BY: [&str; 8] = ["[/", "[b]", "[B]", "[color", "[COLOR", "</", "<b>", "<strong>"];
    const LONGEST: usize = 40;
    if !SHOWN_BY.iter().any(|tag| text.contains(tag)) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['[', '<']) {
        let close = if rest[at..].starts_with('[') { ']' } else { '>' };
        let inside = &rest[at + 1..];
        let mut near = inside.char_indices().take(LONGEST);
        let end = near.find(|(_, c)| *c == close).map(|(end, _)| end);
        if let Some(end) = end.filter(|end| is_tag(&inside[..*end])) {
            out.push_str(&rest[..at]);
            rest = &inside[end + 1..];
        } else {
            out.push_str(&rest[..=at]);
            rest = inside;
        }
    }
    out.push_str(rest);
    (out.len() < text.len()).then_some(out)
}

fn is_tag(inside: &str) -> bool {
    const TAGS: [&str; 9] = ["b", "i", "u", "s", "em", "strong", "color", "size", "font"];
    let name = inside.trim_start_matches('/').split(['=', ' ']).next().unwrap_or("");
    TAGS.iter().any(|tag| name.eq_ignore_ascii_case(tag))
}

/// A link of the chain without its blanks, unit and times: `frob.service@15.981s+16.994s`.
pub(super) fn tight_link(text: &str) -> Option<(&str, String)> {
    let (unit, times) = text.rsplit_once('@')?;
    let (at, took) = times
        .split_once('+')
        .map_or((times, None), |(at, took)| (at, Some(took)));
    let span = |text: &str| {
        let text = spans_apart(text);
        parse_prefix(&text).is_some_and(|(_, used)| used == text.len() && text.ends_with('s'))
    };
    if text.contains(' ') || !is_unit(unit) || !span(at) || !took.is_none_or(span) {
        return None;
    }
    let took = took.map_or(String::new(), |took| format!(" +{}", spans_apart(took)));
    Some((unit, format!("@{}{took}", spans_apart(at))))
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_without_their_blanks() {
        for (line, row) in [
            ("30.852sfrob.service", "30.852s frob.service"),
            ("1min2.003ssnap-quux.mount", "1min 2.003s snap-quux.mount"),
            ("103mssystemd-frob.service", "103ms systemd-frob.service"),
            (
                "Startupfinishedin818ms(kernel)+1min3.2s(userspace)=1min4.018s",
                "Startup finished in 818ms(kernel)+1min 3.2s(userspace)=1min 4.018s",
            ),
            (
                "  <text class=\"left\" x=\"2.5\" y=\"9\">frob-root.service (33ms)</text>",
                "33ms frob-root.service",
            ),
        ] {
            assert_eq!(restored(line).as_deref(), Some(row), "{line}");
        }
        assert_eq!(
            tight_link("frob@x.service@1min5.981s+16.994s"),
            Some(("frob@x.service", "@1min 5.981s +16.994s".to_owned()))
        );
    }

    #[test]
    fn ends_of_lines_that_are_written_out() {
        assert_eq!(
            written_out("'7.5s a.service\\n 2s b.service\\n'"),
            Some(vec!["7.5s a.service", " 2s b.service"])
        );
        assert_eq!(written_out("a\\nb.service"), None);
    }

    #[test]
    fn tags_of_type() {
        let found = without_tags("[1] <- [x][/b] \u{e9}<[Color=#f00]y");
        assert_eq!(found.as_deref(), Some("[1] <- [x] \u{e9}<y"));
        assert_eq!(without_tags("[1] </x> [/"), None);
        assert_eq!(without_tags("[1]"), None);
    }

    #[test]
    fn words_right_behind_a_time() {
        assert_eq!(behind_a_time("6.871sfrob.target"), "frob.target");
        assert_eq!(behind_a_time("871msmulti-frob.target"), "multi-frob.target");
        for word in ["frob.target", "6.871s", "", "7frob.target"] {
            assert_eq!(behind_a_time(word), word);
        }
        assert_eq!(
            span_before_a_word("2min 6.871sfrob.target reached"),
            Some(126_871_000_000)
        );
        assert_eq!(span_before_a_word("871msThen"), Some(871_000_000));
        assert_eq!(span_before_a_word("2min 6.871s and 3 more"), Some(126_871_000_000));
        assert_eq!(span_before_a_word("6.87sfrob"), None);
        assert_eq!(span_before_a_word("frob"), None);
    }

    #[test]
    fn lines_that_lost_nothing() {
        for line in [
            "30.852s frob.service",
            "10smith.service",
            "3sat.service",
            "user@1000.service",
            "1000.5service",
            "<text class=\"left\" x=\"2.5\" y=\"9\">frob.slice</text>",
            "",
        ] {
            assert_eq!(restored(line), None, "{line}");
        }
        assert_eq!(tight_link("user@1000.service"), None);
        assert_eq!(tight_link("frob.service @1s +2s"), None);
    }
}

// SPDX-License-Identifier: MIT
//! Rows of `systemd-analyze` that lost their form on the way: blanks that a page took out, lines that somebody searched out
//! of a plot's picture.

use super::duration::parse_prefix;
use super::systemd_blame::is_unit;

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

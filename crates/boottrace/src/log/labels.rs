// SPDX-License-Identifier: MIT
//! Finds out which label a log has before its lines.

use super::label::{Label, MAX_BYTES};
use super::style::Style;
use super::{banner::banner, milestone, prefix};

/// Lines that must have the label before it is believed.
const MIN_LINES: u32 = 5;
/// Labels looked at in one log.
const MAX_LABELS: usize = 16;
/// What firmware, kernel and init themselves put into brackets at the start of a line.
const OF_THE_MACHINE: [&str; 16] = [
    "OK",
    "FAILED",
    "DEPEND",
    "WARN",
    "TIME",
    "INFO",
    "NOTE",
    "DEBUG",
    "ERROR",
    "SPEW",
    "EMERG",
    "ALERT",
    "CRIT",
    "DL",
    "TegraBoot",
    "CPU",
];

/// A label of any form at the start of `bytes`.
fn read(bytes: &[u8]) -> Option<&[u8]> {
    let end = match bytes.first()? {
        b'[' => bracketed(bytes)?,
        0xe2 => drawn(bytes)?,
        b if b.is_ascii_alphanumeric() => named(bytes)?,
        _ => return None,
    };
    (end <= MAX_BYTES).then(|| &bytes[..end])
}

/// `[ tfa+linux ] `
fn bracketed(bytes: &[u8]) -> Option<usize> {
    let close = 1 + bytes[1..].iter().take(MAX_BYTES).position(|b| *b == b']')?;
    let name = bytes[1..close].trim_ascii();
    let is_name = name.first()?.is_ascii_alphabetic() && name.iter().all(u8::is_ascii_graphic);
    let of_the_machine = OF_THE_MACHINE.iter().any(|word| word.as_bytes() == name);
    let spaced = bytes.get(close + 1) == Some(&b' ');
    // A caller of the kernel's log stands alone only where its stamp was cut off.
    let caller = matches!(name[0], b'T' | b'C') && name[1..].iter().all(u8::is_ascii_digit);
    (is_name && !of_the_machine && !caller && spaced).then_some(close + 2)
}

/// `│   │    <> `: lines of a tree, then what tells that the machine speaks.
fn drawn(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        match bytes.get(at..)? {
            // U+2500 to U+257F, box drawing.
            [0xe2, 0x94 | 0x95, _, ..] => at += 3,
            [b' ', ..] => at += 1,
            [b'<', b'>', rest @ ..] => return Some(at + 2 + usize::from(rest.first() == Some(&b' '))),
            _ => return Some(at),
        }
        if at > MAX_BYTES {
            return None;
        }
    }
}

/// `name  | `
fn named(bytes: &[u8]) -> Option<usize> {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let name = bytes.iter().take(MAX_BYTES).take_while(|b| is_name(b)).count();
    if !bytes[..name].iter().any(u8::is_ascii_alphabetic) {
        return None;
    }
    let blanks = bytes[name..].iter().take_while(|b| **b == b' ').count();
    let at = name + blanks;
    (blanks > 0 && bytes.get(at..at + 2) == Some(b"| ")).then_some(at + 2)
}

/// Finds out which label a log has, if any.
#[derive(Default)]
pub struct Labels {
    lines: u32,
    machine: bool,
    seen: Vec<(Label, u32)>,
}

impl Labels {
    /// Takes one line of which it is known that it has none.
    pub fn without_label(&mut self) {
        self.lines += 1;
    }

    /// Takes one line that is not blank.
    pub fn line(&mut self, text: &str) {
        self.lines += 1;
        let text = text.trim_ascii_start();
        let Some(found) = read(text.as_bytes()) else { return };
        // What stands behind the label is a machine's, in some line at least.
        let behind = text.get(found.len()..).unwrap_or_default();
        self.machine |= banner(behind).is_some()
            || milestone::of(behind).is_some()
            || prefix::peel(behind, Style::default()).printk_ns.is_some();
        if let Some((_, lines)) = self.seen.iter_mut().find(|(label, _)| label.bytes() == found) {
            *lines += 1;
        } else if self.seen.len() < MAX_LABELS {
            self.seen.extend(Label::new(found).map(|label| (label, 1)));
        }
    }

    /// The label that two of three lines have.
    pub fn learned(&self) -> Option<Label> {
        let (label, lines) = *self.seen.iter().max_by_key(|(_, lines)| *lines)?;
        (self.machine && lines >= MIN_LINES && lines / 2 >= self.lines - lines).then_some(label)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(lines: &[&str]) -> Option<Label> {
        let mut labels = Labels::default();
        for line in lines {
            labels.line(line);
        }
        labels.learned()
    }

    #[test]
    fn what_nearly_all_lines_begin_with_is_a_label() {
        for label in ["[ tfa+linux ] ", "[info] ", "board-1  | ", "│   │    <> ", "│   │  "] {
            let lines: Vec<String> = (0..6).map(|n| format!("{label}U-Boot 2024.0{n}")).collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let found = learned(&lines).unwrap_or_else(|| panic!("{label}"));
            assert_eq!(found.peel(lines[0].as_bytes()), Some(label.len()));
            assert_eq!(
                found.peel(label.trim_ascii_end().as_bytes()),
                Some(label.trim_ascii_end().len())
            );
            assert_eq!(found.peel(b"text"), None);
        }
    }

    #[test]
    fn what_the_machine_prints_is_none() {
        for line in [
            "[  OK  ] Started x",
            "[INFO ]  coreboot",
            "[    0.000000] text",
            "[   T1] text",
            "[1.2] text",
            "12:00 | x",
            "text",
            "[x]text",
            "│   ├── a folder",
        ] {
            assert_eq!(learned(&[line; 9]), None, "{line}");
        }
        assert_eq!(
            learned(&["[a] U-Boot 2024.01", "[a] x", "[a] x", "[a] x", "[a] x", "y", "y", "y"]),
            None
        );
    }
}

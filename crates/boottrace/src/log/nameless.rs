// SPDX-License-Identifier: MIT
//! Senders that a log daemon writes without a process number: `host dhclient: bound`. `usb 1-1: New device` has the same
//! shape, so that the machine's name must be known from other lines.

use super::label::Label;
use super::style::{Style, MACHINES};

/// Bytes of a name.
const LONGEST: usize = 64;

/// `host mysqld: `, where the host is known: range of the program's name, and length with the blank.
pub(super) fn sender(bytes: &[u8], style: Style) -> Option<(usize, usize, usize)> {
    let known = style.machines.iter().flatten();
    let from = known
        .map(Label::bytes)
        .find(|name| bytes.starts_with(name) && bytes.get(name.len()) == Some(&b' '))?
        .len()
        + 1;
    // `host [frob-init]: ` of programs that name themselves so.
    let open = usize::from(bytes.get(from) == Some(&b'['));
    let from = from + open;
    let name = bytes[from..].iter().take(LONGEST).take_while(|b| of_name(**b)).count();
    let to = from + name;
    let closed = open == 0 || bytes.get(to) == Some(&b']');
    let colon = to + open;
    if name == 0 || !closed || bytes.get(colon) != Some(&b':') {
        return None;
    }
    // `host eth0:1 up`, `host ::1` are text.
    match bytes.get(colon + 1) {
        None => Some((from, to, colon + 1)),
        Some(b' ') => Some((from, to, colon + 2)),
        Some(_) => None,
    }
}

fn of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/' | b'(' | b')' | b'@')
}

/// Length of `-07:00 ` behind a date, as the boot scripts of LFS write it.
pub(super) fn zone(bytes: &[u8]) -> usize {
    match bytes {
        [b'+' | b'-', a, b, b':', c, d, b' ', ..] if [a, b, c, d].iter().all(|digit| digit.is_ascii_digit()) => 7,
        _ => 0,
    }
}

/// The names of a log's machines, from lines whose sender is sure.
#[derive(Debug, Default)]
pub(crate) struct Machines {
    names: [Option<Label>; MACHINES],
    seen: [u32; MACHINES],
}

impl Machines {
    /// A line whose sender's name begins at `from`.
    pub(crate) fn line(&mut self, text: &str, from: usize) {
        let before = text.as_bytes().get(..from).unwrap_or_default().trim_ascii_end();
        let start = before.iter().rposition(|b| *b == b' ').map_or(0, |at| at + 1);
        let name = &before[start..];
        let sound = name.first().is_some_and(u8::is_ascii_alphanumeric) && name.iter().all(|b| of_name(*b));
        // A date alone stands there where the daemon names no host.
        if !sound || !name.iter().any(u8::is_ascii_alphabetic) || name.contains(&b'/') {
            return;
        }
        for at in 0..MACHINES {
            match self.names[at] {
                Some(known) if known.bytes() == name => {
                    self.seen[at] += 1;
                    return;
                }
                Some(_) => {}
                None => {
                    self.names[at] = Label::new(name);
                    self.seen[at] = 1;
                    return;
                }
            }
        }
    }

    /// Those that several lines name.
    pub(crate) fn learned(self) -> [Option<Label>; MACHINES] {
        const LINES: u32 = 3;
        let mut names = self.names;
        for (name, seen) in names.iter_mut().zip(self.seen) {
            *name = name.filter(|_| seen >= LINES);
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_behind_a_known_machine() {
        let mut machines = Machines::default();
        for _ in 0..3 {
            machines.line("Jan  1 10:00:00 frobhost kernel: x", 25);
        }
        let style = Style {
            machines: machines.learned(),
            ..Style::default()
        };
        assert_eq!(sender(b"frobhost quuxd: up", style), Some((9, 14, 16)));
        assert_eq!(sender(b"frobhost [quux-init]: up", style), Some((10, 19, 22)));
        assert_eq!(sender(b"frobhost [quux: up", style), None);
        assert_eq!(sender(b"frobhost eth0:1 up", style), None);
        assert_eq!(sender(b"usb 1-1: New device", style), None);
        assert_eq!(sender(b"usb 1-1: New device", Style::default()), None);
    }

    #[test]
    fn zones() {
        assert_eq!((zone(b"-07:00 x"), zone(b"+0700 x"), zone(b"-07:00")), (7, 0, 0));
    }
}

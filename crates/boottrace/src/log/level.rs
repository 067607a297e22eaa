// SPDX-License-Identifier: MIT
//! The severity in front of a kernel's message.

use super::bracket::{bracket_stamp, Bracket};
use super::stamp::digits;

/// `<6>` or `<30>` (facility and severity), or util-linux `dmesg -x`: `kern  :info  : `.
pub fn level(bytes: &[u8]) -> Option<(u8, usize)> {
    const NAMES: [&str; 8] = ["emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"];
    if bytes.first() == Some(&b'<') {
        let (value, used) = digits(bytes.get(1..)?)?;
        if used <= 3 && bytes.get(1 + used) == Some(&b'>') && value < 192 {
            return Some(((value & 7) as u8, used + 2));
        }
        return None;
    }
    let word = bytes
        .iter()
        .take(10)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        .count();
    let facility = &bytes[..word];
    if !matches!(
        facility,
        b"kern" | b"user" | b"daemon" | b"syslog" | b"auth" | b"authpriv" | b"mail"
    ) {
        return None;
    }
    let mut at = word + bytes[word..].iter().take_while(|b| **b == b' ').count();
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    let number = NAMES.iter().position(|n| bytes[at..].starts_with(n.as_bytes()))?;
    at += NAMES[number].len();
    at += bytes[at..].iter().take_while(|b| **b == b' ').count();
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    at += usize::from(bytes.get(at) == Some(&b' '));
    Some((number as u8, at))
}

/// `6>[    0.000000] `: a level whose first character was lost, as at the begin of a ring buffer.
pub fn cut_level(bytes: &[u8]) -> Option<(u8, usize)> {
    let (value, used) = digits(bytes)?;
    let stamped =
        bytes.get(used) == Some(&b'>') && matches!(bracket_stamp(&bytes[used + 1..]), Some((Bracket::Kernel(_), _)));
    (used <= 3 && value < 192 && stamped).then_some(((value & 7) as u8, used + 1))
}

/// Includes a `<6>` right before a stamp.
pub fn level_before(bytes: &[u8], at: usize) -> usize {
    (3..=5)
        .filter_map(|back| at.checked_sub(back))
        .find(|&from| level(&bytes[from..]).is_some_and(|(_, used)| from + used == at))
        .unwrap_or(at)
}

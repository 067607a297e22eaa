// SPDX-License-Identifier: MIT
//! Text of 16-bit characters, as PowerShell and other programs of Windows redirect it into a file, made UTF-8.

use std::io::{self, BufRead, Read};

/// Reads UTF-16 with a byte order mark and gives UTF-8 without one; what is no character becomes U+FFFD.
pub struct Utf16<R> {
    units: R,
    /// Known from the mark on.
    order: Option<Order>,
    /// A high surrogate whose other half is still to come.
    high: Option<u16>,
    /// Characters decoded and not yet asked for: first is next.
    ready: Vec<u8>,
    given: usize,
}

#[derive(Debug, Clone, Copy)]
enum Order {
    Little,
    Big,
}

/// Units decoded at once.
const UNITS: usize = 4096;
/// Units that show whether it is text.
const UNITS_SEEN: usize = 64;

/// Does this begin with the mark of UTF-16, and do logs' characters follow? Noise on a serial line may begin like it.
pub fn is_utf16(bytes: &[u8]) -> bool {
    let high = match bytes {
        [0xff, 0xfe, 0, 0, ..] => return false,
        [0xff, 0xfe, ..] => 1,
        [0xfe, 0xff, ..] => 0,
        _ => return false,
    };
    let units = bytes[2..].chunks_exact(2).take(UNITS_SEEN);
    let (all, ascii) = units.fold((0, 0), |(all, ascii), pair| {
        let text = pair[high] == 0 && pair[1 - high] != 0;
        (all + 1, ascii + usize::from(text))
    });
    all > 0 && ascii * 2 >= all
}

impl<R: BufRead> Utf16<R> {
    /// Of text that [`is_utf16`].
    pub fn new(units: R) -> Self {
        Self {
            units,
            order: None,
            high: None,
            ready: Vec::new(),
            given: 0,
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(2 * UNITS);
        self.units.by_ref().take(2 * UNITS as u64).read_to_end(&mut bytes)?;
        self.given = 0;
        self.ready.clear();
        let mut pairs = bytes.chunks_exact(2);
        let mut text = String::with_capacity(bytes.len());
        for pair in &mut pairs {
            let pair = [pair[0], pair[1]];
            let Some(order) = self.order else {
                self.order = Some(if pair == [0xfe, 0xff] {
                    Order::Big
                } else {
                    Order::Little
                });
                continue;
            };
            let unit = match order {
                Order::Little => u16::from_le_bytes(pair),
                Order::Big => u16::from_be_bytes(pair),
            };
            self.unit(unit, &mut text);
        }
        // The last character of a file that was cut off.
        let ends = bytes.len() < 2 * UNITS;
        if !pairs.remainder().is_empty() || (ends && self.high.take().is_some()) {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        self.ready = text.into_bytes();
        Ok(())
    }

    fn unit(&mut self, unit: u16, text: &mut String) {
        if let Some(high) = self.high.take() {
            let both = char::decode_utf16([high, unit]).next();
            text.push(both.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER));
            if matches!(unit, 0xdc00..=0xdfff) {
                return;
            }
        }
        if matches!(unit, 0xd800..=0xdbff) {
            self.high = Some(unit);
        } else {
            text.push(char::from_u32(unit.into()).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }
}

impl<R: BufRead> Read for Utf16<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready.len() {
            self.fill()?;
        }
        let rest = &self.ready[self.given..];
        let length = rest.len().min(out.len());
        out[..length].copy_from_slice(&rest[..length]);
        self.given += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        let mut text = String::new();
        Utf16::new(bytes).read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn both_orders_and_what_is_no_character() {
        let text = "[    0.000000] caf\u{e9} \u{1f427}\n".repeat(3000);
        let little: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_le_bytes)
            .collect();
        let big: Vec<u8> = "\u{feff}"
            .encode_utf16()
            .chain(text.encode_utf16())
            .flat_map(u16::to_be_bytes)
            .collect();
        assert!(is_utf16(&little) && is_utf16(&big));
        assert_eq!(decoded(&little), text);
        assert_eq!(decoded(&big), text);
        assert_eq!(decoded(&[0xff, 0xfe]), "");
        assert_eq!(decoded(&[0xff, 0xfe, b'a', 0, 0x3d, 0xd8]), "a\u{fffd}");
        assert_eq!(decoded(&[0xff, 0xfe, 0x3d, 0xd8, b'a', 0, b'b']), "\u{fffd}a\u{fffd}");
        assert!(!is_utf16(&[0xff, 0xfe, 0, 0]) && !is_utf16(b"a") && !is_utf16(&[0xff, 0xfe, 0xfd, 0x80]));
    }
}

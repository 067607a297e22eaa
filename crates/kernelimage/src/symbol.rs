// SPDX-License-Identifier: MIT
//! A kernel symbol, and the text forms that list them: `System.map`, `nm`, `/proc/kallsyms`.

use std::io::BufRead;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Limits, Result};

/// Longer lines are skipped: a symbol's name ends at 512 bytes (`KSYM_NAME_LEN`), a module's at 64.
const MAX_LINE_BYTES: usize = 1024;

/// One symbol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Address; an offset for per-CPU symbols (types `a`, `A`, or below the kernel's lowest address).
    pub address: u64,
    /// The letter of `nm`; capital when the symbol is global.
    pub kind: char,
    /// Name.
    pub name: String,
    /// The module that has it; `None` for the kernel itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub module: Option<String>,
}

/// What a text listing held.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SymbolText {
    /// Symbols in the order of the text.
    pub symbols: Vec<Symbol>,
    /// Lines that were no symbol, or too long for one.
    pub skipped_lines: u64,
    /// Symbols were left out because the limit was reached.
    pub truncated: bool,
    /// Every address is zero: the reader of `/proc/kallsyms` had no right to see them (`kernel.kptr_restrict`).
    pub addresses_hidden: bool,
}

/// Reads `address type name [module]` lines, one at a time, in bounded memory.
///
/// # Errors
/// [`Error::Corrupt`] when the reader fails; lines that are no symbols are counted, not refused.
pub fn read_text(mut reader: impl BufRead, limits: &Limits) -> Result<SymbolText> {
    let mut text = SymbolText::default();
    let mut line = Vec::new();
    loop {
        match next_line(&mut reader, &mut line) {
            Ok(None) => break,
            Ok(Some(whole)) => {
                let symbol = whole.then(|| parse_line(&line)).flatten();
                match symbol {
                    None if whole && line.iter().all(u8::is_ascii_whitespace) => {}
                    None => text.skipped_lines += 1,
                    Some(_) if text.symbols.len() >= limits.symbols => {
                        text.truncated = true;
                        break;
                    }
                    Some(symbol) => text.symbols.push(symbol),
                }
            }
            Err(error) => return Err(Error::corrupt("symbol listing", error)),
        }
    }
    text.addresses_hidden = !text.symbols.is_empty() && text.symbols.iter().all(|symbol| symbol.address == 0);
    Ok(text)
}

/// Fills `line` with the next line without its end; `Some(false)` when it was longer than the cap.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<Option<bool>> {
    line.clear();
    let mut whole = true;
    let mut any = false;
    loop {
        let chunk = reader.fill_buf()?;
        if chunk.is_empty() {
            return Ok(any.then_some(whole));
        }
        any = true;
        let end = memchr::memchr(b'\n', chunk);
        let taken = end.unwrap_or(chunk.len());
        if line.len() + taken <= MAX_LINE_BYTES {
            line.extend_from_slice(&chunk[..taken]);
        } else {
            whole = false;
        }
        reader.consume(taken + usize::from(end.is_some()));
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

fn parse_line(line: &[u8]) -> Option<Symbol> {
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let mut kind = words.next()?.chars();
    let (kind, None) = (kind.next()?, kind.next()) else {
        return None;
    };
    let name = words.next()?;
    let module = match words.next() {
        None => None,
        Some(word) => Some(word.strip_prefix('[')?.strip_suffix(']')?.to_owned()),
    };
    (kind.is_ascii_alphabetic() || kind == '?').then(|| Symbol {
        address,
        kind,
        name: name.to_owned(),
        module,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> SymbolText {
        read_text(text, &Limits::default()).unwrap()
    }

    #[test]
    fn reads_a_system_map_and_a_proc_listing() {
        let text = read(
            b"0000000000000000 A fixed_percpu_data\nffffffff81000000 T _text\r\n\
              ffffffffc0001000 t probe\t[virtio_net]\n",
        );
        assert_eq!(text.skipped_lines, 0);
        assert_eq!(text.symbols.len(), 3);
        assert_eq!(text.symbols[1].address, 0xffff_ffff_8100_0000);
        assert_eq!(text.symbols[1].name, "_text");
        assert_eq!(text.symbols[2].module.as_deref(), Some("virtio_net"));
        assert!(!text.addresses_hidden);
    }

    #[test]
    fn counts_what_is_no_symbol() {
        let mut bytes = vec![b'a'; 5000];
        bytes.extend_from_slice(b"\n\nzz T x\n1 TT x\n1 T\n\xff T y\n1 T x (m)\n12 D jiffies");
        let text = read(&bytes);
        assert_eq!(text.skipped_lines, 6);
        assert_eq!(text.symbols.len(), 1);
        assert_eq!(text.symbols[0].address, 0x12);
    }

    #[test]
    fn stops_at_the_limit_and_says_so() {
        let limits = Limits {
            symbols: 2,
            ..Limits::default()
        };
        let text = read_text(&b"1 T a\n2 T b\n3 T c\n"[..], &limits).unwrap();
        assert_eq!(text.symbols.len(), 2);
        assert!(text.truncated);
    }

    #[test]
    fn notices_hidden_addresses() {
        assert!(read(b"0000000000000000 T _text\n0000000000000000 T rest_init\n").addresses_hidden);
    }
}

// SPDX-License-Identifier: MIT
//! LAVA's job log: one YAML flow mapping a line, `- {"dt": "...", "lvl": "target", "msg": "..."}`.

use super::stamp::iso_time;

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Dispatcher's time, ns since 1970.
    pub ns: Option<i64>,
    /// `target` is the machine's console; all others are LAVA's own.
    pub level: String,
    /// The text, or nothing when the message is a structure.
    pub message: Option<Vec<u8>>,
}

/// Reads one line of a job log; `None` when it is none.
pub fn record(line: &[u8]) -> Option<Record> {
    let mut rest = line.strip_prefix(b"- {")?;
    let mut found = Record {
        ns: None,
        level: String::new(),
        message: None,
    };
    loop {
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b",") {
            rest = after;
            continue;
        }
        let Some((key, after)) = scalar(rest, b":") else { break };
        rest = after.trim_ascii_start();
        let Some(after) = rest.strip_prefix(b":") else { break };
        rest = after.trim_ascii_start();
        if matches!(rest.first(), Some(b'{' | b'[')) {
            break;
        }
        let Some((value, after)) = scalar(rest, b",}") else {
            break;
        };
        rest = after;
        match key.as_slice() {
            b"dt" => found.ns = iso_time(&value).map(|(ns, _)| ns),
            b"lvl" => found.level = String::from_utf8_lossy(&value).into_owned(),
            b"msg" => {
                found.message = Some(value);
                break;
            }
            _ => {}
        }
    }
    (!found.level.is_empty()).then_some(found)
}

/// A quoted or bare scalar and what follows it.
fn scalar<'a>(bytes: &'a [u8], ends: &[u8]) -> Option<(Vec<u8>, &'a [u8])> {
    match bytes.first()? {
        b'"' => Some(double_quoted(&bytes[1..])),
        b'\'' => Some(single_quoted(&bytes[1..])),
        _ => {
            let end = bytes.iter().position(|b| ends.contains(b))?;
            Some((bytes[..end].trim_ascii().to_vec(), &bytes[end..]))
        }
    }
}

fn single_quoted(bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte == b'\'' {
            if bytes.get(at) != Some(&b'\'') {
                break;
            }
            at += 1;
        }
        out.push(byte);
    }
    (out, &bytes[at..])
}

fn double_quoted(bytes: &[u8]) -> (Vec<u8>, &[u8]) {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'"' => break,
            b'\\' => {
                let Some(&escaped) = bytes.get(at) else { break };
                at += 1;
                let wide = match escaped {
                    b'u' => 4,
                    b'x' => 2,
                    b'U' => 8,
                    _ => 0,
                };
                if wide > 0 {
                    at += code_point(&bytes[at..], wide, &mut out);
                    continue;
                }
                out.push(match escaped {
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'b' => 8,
                    b'e' => 0x1b,
                    b'0' => 0,
                    other => other,
                });
            }
            _ => out.push(byte),
        }
    }
    (out, &bytes[at..])
}

/// Reads `wide` hexadecimal digits as a character; returns how many bytes were used.
fn code_point(bytes: &[u8], wide: usize, out: &mut Vec<u8>) -> usize {
    let Some(value) = bytes
        .get(..wide)
        .and_then(|hex| std::str::from_utf8(hex).ok())
        .and_then(|hex| u32::from_str_radix(hex, 16).ok())
    else {
        return 0;
    };
    let c = char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER);
    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_quotings() {
        let json = br#"- {"dt": "1970-01-01T00:00:01.5", "lvl": "target", "msg": "a \"b\"\u001b[0m\n"}"#;
        let found = record(json).unwrap();
        assert_eq!((found.ns, found.level.as_str()), (Some(1_500_000_000), "target"));
        assert_eq!(found.message.unwrap(), b"a \"b\"\x1b[0m\n");
        let yaml = b"- {dt: '1970-01-01T00:00:01', lvl: debug, msg: 'it''s'}";
        let found = record(yaml).unwrap();
        assert_eq!((found.ns, found.level.as_str()), (Some(1_000_000_000), "debug"));
        assert_eq!(found.message.unwrap(), b"it's");
    }

    #[test]
    fn a_structure_is_no_text() {
        let found = record(br#"- {"dt": "x", "lvl": "results", "msg": {"case": "Linux version 6"}}"#).unwrap();
        assert_eq!((found.ns, found.message), (None, None));
        assert_eq!(record(b"- item"), None);
    }
}

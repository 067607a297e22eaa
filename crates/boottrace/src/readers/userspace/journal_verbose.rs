// SPDX-License-Identifier: MIT
//! The journal as `journalctl -o verbose` prints it: a line with the date and the cursor, then a field a line, four blanks
//! before each.
//!
//! Form: systemd's `src/shared/logs-show.c`, `output_verbose()`.

use std::collections::HashMap;

/// The fields of an entry.
pub(super) type Entry = HashMap<Vec<u8>, Vec<u8>>;

/// Lines in which the first entry must begin: journalctl may say first where its journal begins.
const FIRST_LINES: usize = 20;

/// Does an entry begin in the first lines?
pub(super) fn detect(head: &[u8]) -> bool {
    head.split(|byte| *byte == b'\n')
        .take(FIRST_LINES)
        .any(|line| header(line).is_some())
}

/// The fields that the cursor of an entry's first line holds: `Mon 2021-08-23 21:08:56.476108 PDT [s=…;i=1;b=…;m=5d0ae5;t=…;x=…]`.
pub(super) fn header(line: &[u8]) -> Option<Entry> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let (date, cursor) = line.strip_suffix(']')?.rsplit_once(" [s=")?;
    let clock = date.split_ascii_whitespace().filter(|word| word.contains(':')).count();
    if clock == 0 || date.len() > 64 {
        return None;
    }
    let part = |name: &str| {
        cursor
            .split(';')
            .find_map(|part| part.strip_prefix(name)?.strip_prefix('='))
    };
    let count = |name: &str| u64::from_str_radix(part(name)?, 16).ok();
    let mut entry = Entry::new();
    let mut add = |key: &str, value: String| {
        entry.insert(key.as_bytes().to_vec(), value.into_bytes());
    };
    add("__MONOTONIC_TIMESTAMP", count("m")?.to_string());
    add("__REALTIME_TIMESTAMP", count("t")?.to_string());
    add("_BOOT_ID", part("b")?.to_owned());
    Some(entry)
}

/// A field's name and value. What goes on in the next lines has more blanks before it, and is left out.
pub(super) fn field(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let said = line.strip_prefix(b"    ")?;
    let at = memchr::memchr(b'=', said)?;
    let (key, value) = (&said[..at], &said[at + 1..]);
    let named = key
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_');
    (named && !key.is_empty()).then_some((key, value.trim_ascii_end()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry() {
        let line = b"Mon 2021-08-23 21:08:56.476108 PDT [s=ac8c;i=1;b=5431e1;m=5d0ae5;t=56f2f5b66ce6f;x=20cb]";
        let entry = header(line).unwrap();
        assert_eq!(entry[b"__MONOTONIC_TIMESTAMP".as_slice()], b"6097637");
        assert_eq!(entry[b"_BOOT_ID".as_slice()], b"5431e1");
        assert_eq!(
            field(b"    MESSAGE=Run /init as init process\r"),
            Some((b"MESSAGE".as_slice(), b"Run /init as init process".as_slice()))
        );
        for line in ["MESSAGE=x", "    message=x", "     goes on = x", "    =x", ""] {
            assert_eq!(field(line.as_bytes()), None, "{line}");
        }
        for line in [
            "",
            "]",
            "a [s=1;b=2;m=3;t=4]",
            "21:08:56 x [s=1;b=2;m=zz;t=4]",
            "21:08:56 [s=1;b=2;m=3",
        ] {
            assert!(header(line.as_bytes()).is_none(), "{line}");
        }
    }
}

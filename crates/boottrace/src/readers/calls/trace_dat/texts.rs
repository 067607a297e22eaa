// SPDX-License-Identifier: MIT
//! The texts of the traced machine that a file holds: page layout, symbols, formats, names of tasks.

use std::rc::Rc;

use super::file::Header;

impl Header {
    /// The layout of a ring-buffer page, out of `header_page`.
    pub(super) fn page_layout(&mut self, text: &[u8]) {
        let text = String::from_utf8_lossy(text);
        let value = |name: &str, key: &str| -> Option<usize> {
            let line = text.lines().find(|line| line.contains(name))?;
            let rest = &line[line.find(key)? + key.len()..];
            rest.split(';').next()?.trim().parse().ok()
        };
        if let Some(size @ (4 | 8)) = value(" commit;", "size:") {
            self.layout.commit_size = size;
            self.layout.data = 8 + size;
        }
        if let Some(data) = value(" data;", "offset:").filter(|&at| (12..=64).contains(&at)) {
            self.layout.data = data;
        }
    }

    /// Symbols as `/proc/kallsyms` has them.
    pub(super) fn kallsyms(&mut self, text: &[u8]) {
        for line in text.split(|&b| b == b'\n') {
            let mut words = line.splitn(3, |&b| b == b' ');
            let (Some(address), Some(_), Some(name)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let Some(address) = hexadecimal(address) else { continue };
            let name: Vec<u8> = name
                .trim_ascii()
                .iter()
                .map(|&b| if b == b'\t' { b' ' } else { b })
                .collect();
            self.symbols.push((address, name.into_boxed_slice()));
        }
        self.symbols.sort_by_key(|symbol| symbol.0);
    }

    /// Formats of `trace_printk()`, as `printk_formats` has them.
    pub(super) fn printk_formats(&mut self, text: &[u8]) {
        for line in text.split(|&b| b == b'\n') {
            let Some(colon) = memchr::memmem::find(line, b" : ") else {
                continue;
            };
            let address = line[..colon].trim_ascii();
            let Some(address) = hexadecimal(address.strip_prefix(b"0x").unwrap_or(address)) else {
                continue;
            };
            let format = line[colon + 3..].trim_ascii();
            let format = format
                .strip_prefix(b"\"")
                .and_then(|f| f.strip_suffix(b"\""))
                .unwrap_or(format);
            self.printk.insert(address, format.to_vec());
        }
    }

    /// Names of tasks, as `saved_cmdlines` has them.
    pub(super) fn command_lines(&mut self, text: &[u8]) {
        for line in text.split(|&b| b == b'\n') {
            let Some(blank) = memchr::memchr(b' ', line) else {
                continue;
            };
            if let Some(pid) = crate::text::number::integer(&line[..blank]) {
                self.comms.insert(pid, Rc::from(&line[blank + 1..]));
            }
        }
    }
}

fn hexadecimal(text: &[u8]) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 16).ok()
}

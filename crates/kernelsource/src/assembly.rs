// SPDX-License-Identifier: MIT
//! Functions and labels of assembly (kernel: include/linux/linkage.h, Documentation/asm-annotations.rst).

use crate::definition::{Definition, Kind};

/// Every function and label of a `.S` file.
pub fn scan_assembly(text: &[u8]) -> Vec<Definition> {
    let mut out = Vec::new();
    let mut in_comment = false;
    let mut global: Vec<String> = Vec::new();
    for (number, raw) in text.split(|b| *b == b'\n').enumerate() {
        let line = String::from_utf8_lossy(&raw[..raw.len().min(500)]);
        let mut line = line.trim();
        if in_comment {
            match line.split_once("*/") {
                Some((_, rest)) => {
                    in_comment = false;
                    line = rest.trim();
                }
                None => continue,
            }
        }
        if let Some(start) = line.find("/*") {
            in_comment = !line[start..].contains("*/");
        }
        let mut add = |kind, name: &str| {
            let plain = name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.');
            if plain && !name.is_empty() && !name.starts_with(".L") && !name.as_bytes()[0].is_ascii_digit() {
                out.push(Definition {
                    kind,
                    name: name.to_owned(),
                    line: number as u32 + 1,
                    detail: String::new(),
                });
            }
        };
        if let Some(names) = line.strip_prefix(".globl").or_else(|| line.strip_prefix(".global")) {
            global.extend(names.split(',').map(|name| name.trim().to_owned()));
            continue;
        }
        if let Some((macro_name, rest)) = line.split_once('(') {
            let name = rest.split([',', ')']).next().unwrap_or("").trim();
            let kind = match macro_name.trim() {
                "ENTRY" | "WEAK" | "GLOBAL" => Some(Kind::Function),
                m if m.starts_with("SYM_") && m.contains("_LOCAL") => Some(Kind::Local),
                m if m.starts_with("SYM_") && (m.contains("_START") || m.contains("_ALIAS") || m.contains("LABEL")) => {
                    Some(Kind::Function)
                }
                _ => None,
            };
            if let Some(kind) = kind {
                add(kind, name);
                continue;
            }
        }
        if let Some((name, _)) = line.split_once(':') {
            let kind = if global.iter().any(|g| g == name) {
                Kind::Function
            } else {
                Kind::Local
            };
            add(kind, name);
        }
    }
    out
}

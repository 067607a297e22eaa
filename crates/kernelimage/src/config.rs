// SPDX-License-Identifier: MIT
//! Kernel configurations: `.config` text, and the copy inside a kernel built with `CONFIG_IKCONFIG`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::compression::Compression;
use crate::error::{Error, Limits, Result};
use crate::payload;

/// Most lines read of one configuration (a distribution's has ten thousand).
const MAX_LINES: usize = 200_000;

/// The value of one option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
pub enum ConfigValue {
    /// `=y`
    Yes,
    /// `=m`
    Module,
    /// `# CONFIG_… is not set`, or `=n`
    No,
    /// `="…"`, with the escapes resolved
    Text(String),
    /// A decimal number
    Int(i64),
    /// A number with `0x`
    Hex(u64),
}

/// One line of a configuration that sets an option, or says that it is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assignment<'a> {
    /// Number of the line, from 1.
    pub line: usize,
    /// The option without `CONFIG_`.
    pub name: &'a str,
    /// The value as it is written, quotes and escapes included; `n` for `# CONFIG_… is not set`.
    pub raw: &'a str,
}

impl Assignment<'_> {
    /// The value; `None` when no option can hold it (text without quotes, quotes that do not end).
    pub fn value(&self) -> Option<ConfigValue> {
        parse_value(self.raw)
    }
}

/// What the lines of a configuration are, before anything is made of their values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigLines<'a> {
    /// Every line that names an option, in order; an option may be named more than once.
    pub assignments: Vec<Assignment<'a>>,
    /// Numbers of the lines that are neither an option nor a comment nor empty.
    pub other: Vec<usize>,
    /// Lines after the limit were not read.
    pub truncated: bool,
}

impl<'a> ConfigLines<'a> {
    /// Takes the lines of `.config` text apart. Blanks around a line do not matter.
    pub fn read(text: &'a str) -> Self {
        let mut found = Self::default();
        for (index, line) in text.lines().enumerate() {
            if index >= MAX_LINES {
                found.truncated = true;
                break;
            }
            match read_line(line.trim()) {
                Line::Option(name, raw) => found.assignments.push(Assignment {
                    line: index + 1,
                    name,
                    raw,
                }),
                Line::Comment => {}
                Line::Other => found.other.push(index + 1),
            }
        }
        found
    }
}

/// A configuration, options by name without `CONFIG_`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelConfig {
    /// Every option that the text names.
    pub options: BTreeMap<String, ConfigValue>,
    /// Lines that were neither an option nor a comment.
    pub skipped_lines: u64,
    /// Lines after the limit were not read.
    pub truncated: bool,
}

impl KernelConfig {
    /// Reads `.config` text. Of an option named twice, the last line counts, as for the kernel's own reader.
    pub fn parse(text: &str) -> Self {
        let lines = ConfigLines::read(text);
        let mut config = Self {
            options: BTreeMap::new(),
            skipped_lines: lines.other.len() as u64,
            truncated: lines.truncated,
        };
        for assignment in lines.assignments {
            match assignment.value() {
                Some(value) => {
                    config.options.insert(assignment.name.to_owned(), value);
                }
                None => config.skipped_lines += 1,
            }
        }
        config
    }

    /// The value of an option, with or without `CONFIG_` before its name; `None` when the text does not name it.
    pub fn get(&self, name: &str) -> Option<&ConfigValue> {
        self.options.get(name.strip_prefix("CONFIG_").unwrap_or(name))
    }

    /// Whether an option is built in (`y`).
    pub fn is_built_in(&self, name: &str) -> bool {
        self.get(name) == Some(&ConfigValue::Yes)
    }
}

enum Line<'a> {
    Option(&'a str, &'a str),
    Comment,
    Other,
}

fn read_line(line: &str) -> Line<'_> {
    if line.is_empty() {
        return Line::Comment;
    }
    if let Some(comment) = line.strip_prefix('#') {
        let name = comment
            .trim()
            .strip_prefix("CONFIG_")
            .and_then(|rest| rest.strip_suffix(" is not set"))
            .filter(|name| is_name(name));
        return name.map_or(Line::Comment, |name| Line::Option(name, "n"));
    }
    line.strip_prefix("CONFIG_")
        .and_then(|rest| rest.split_once('='))
        .filter(|(name, _)| is_name(name))
        .map_or(Line::Other, |(name, raw)| Line::Option(name, raw))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

fn parse_value(raw: &str) -> Option<ConfigValue> {
    if let Some(inner) = raw.strip_prefix('"') {
        return Some(ConfigValue::Text(unescape(inner.strip_suffix('"')?)?));
    }
    if let Some(digits) = raw.strip_prefix("0x").or_else(|| raw.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().map(ConfigValue::Hex);
    }
    match raw {
        "y" => Some(ConfigValue::Yes),
        "m" => Some(ConfigValue::Module),
        "n" => Some(ConfigValue::No),
        _ => raw.parse().ok().map(ConfigValue::Int),
    }
}

/// A backslash takes the next character as it is; a quote without one ends the text too early (kernel:
/// `scripts/kconfig/confdata.c`).
fn unescape(inner: &str) -> Option<String> {
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.push(chars.next()?),
            '"' => return None,
            _ => out.push(c),
        }
    }
    Some(out)
}

/// The `.config` text inside an unpacked kernel (kernel: `kernel/configs.c`).
///
/// # Errors
/// [`Error::NotFound`] when the kernel has none, [`Error::Corrupt`] when its copy is damaged.
pub fn extract(kernel: &[u8], limits: &Limits) -> Result<String> {
    const START: &[u8] = b"IKCFG_ST";
    const END: &[u8] = b"IKCFG_ED";
    let mut failure = None;
    for at in memchr::memmem::find_iter(kernel, START).take(64) {
        let packed = &kernel[at + START.len()..];
        // The tools of scripts/ carry the bare mark as text; only gzip data behind it is a configuration.
        if Compression::detect(packed) != Some(Compression::Gzip) {
            continue;
        }
        let packed = memchr::memmem::find(packed, END).map_or(packed, |end| &packed[..end]);
        match payload::decompress(Compression::Gzip, packed, limits) {
            Ok(bytes) => {
                return String::from_utf8(bytes).map_err(|error| Error::corrupt("embedded configuration", error));
            }
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or(Error::NotFound {
        what: "embedded configuration",
        hint: "the kernel was built without CONFIG_IKCONFIG, or as a module; use the config-<release> file beside it",
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &str = "#\n# Automatically generated file\n#\nCONFIG_SMP=y\nCONFIG_EXT4_FS=m\n\
        # CONFIG_EMBEDDED is not set\nCONFIG_CMDLINE=\"root=\\\"a\\\\b\\\" quiet\"\nCONFIG_HZ=250\n\
        CONFIG_PHYSICAL_START=0x1000000\nCONFIG_PANIC_TIMEOUT=-1\nwhat is this\nCONFIG_BAD=\"open\n";

    #[test]
    fn reads_every_type() {
        let config = KernelConfig::parse(TEXT);
        assert!(config.is_built_in("SMP"));
        assert_eq!(config.get("CONFIG_EXT4_FS"), Some(&ConfigValue::Module));
        assert_eq!(config.get("EMBEDDED"), Some(&ConfigValue::No));
        assert_eq!(
            config.get("CMDLINE"),
            Some(&ConfigValue::Text("root=\"a\\b\" quiet".to_owned()))
        );
        assert_eq!(config.get("HZ"), Some(&ConfigValue::Int(250)));
        assert_eq!(config.get("PHYSICAL_START"), Some(&ConfigValue::Hex(0x0100_0000)));
        assert_eq!(config.get("PANIC_TIMEOUT"), Some(&ConfigValue::Int(-1)));
        assert_eq!(config.get("NUMA"), None);
        assert_eq!(config.skipped_lines, 2);
    }

    #[test]
    fn lines_keep_their_number_and_the_value_as_written() {
        let lines = ConfigLines::read(
            "CONFIG_A=y\r\n\n  CONFIG_B=\"x\\\"y\"  \nnot one\n# CONFIG_A is not set\nCONFIG_C=odd\n",
        );
        let found: Vec<_> = lines.assignments.iter().map(|a| (a.line, a.name, a.raw)).collect();
        assert_eq!(
            found,
            [(1, "A", "y"), (3, "B", "\"x\\\"y\""), (5, "A", "n"), (6, "C", "odd")]
        );
        assert_eq!(lines.other, [4]);
        assert_eq!(lines.assignments[1].value(), Some(ConfigValue::Text("x\"y".to_owned())));
        assert_eq!(lines.assignments[3].value(), None);
    }

    #[test]
    fn extracts_past_a_bare_mark() {
        let mut kernel = b"text IKCFG_ST text ".to_vec();
        kernel.extend_from_slice(b"IKCFG_ST");
        let mut packer = flate2::write::GzEncoder::new(&mut kernel, flate2::Compression::fast());
        packer.write_all(TEXT.as_bytes()).unwrap();
        packer.finish().unwrap();
        kernel.extend_from_slice(b"IKCFG_ED");
        assert_eq!(extract(&kernel, &Limits::default()).unwrap(), TEXT);
    }

    #[test]
    fn a_kernel_without_one_says_where_else_to_look() {
        let error = extract(b"nothing", &Limits::default()).unwrap_err();
        assert!(error.to_string().contains("config-<release>"), "{error}");
    }
}

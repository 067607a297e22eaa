// SPDX-License-Identifier: MIT
//! `Linux version ...` taken apart.

use serde::{Deserialize, Serialize};

/// The kernel's own description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KernelBanner {
    /// Physical line.
    pub line: u32,
    /// `6.1.0-rc2`.
    pub release: String,
    /// The version that the release is made of, `[6, 1, 192]`: Debian and Ubuntu name it behind their own release.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub numbers: Vec<u32>,
    /// `user@host`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builder: Option<String>,
    /// Compiler and linker as printed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// `#1 SMP PREEMPT Sat Feb 1 18:05:31 UTC 2025`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
}

impl KernelBanner {
    /// Reads the banner's text.
    pub fn read(text: &str, line: u32) -> Option<Self> {
        let rest = text.trim_start().strip_prefix("Linux version ")?;
        let (release, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let (builder, rest) = group(rest);
        let (compiler, rest) = group(rest);
        let build = rest.find('#').map(|at| rest[at..].trim().to_owned());
        let upstream = build.as_deref().and_then(upstream).unwrap_or(release);
        Some(Self {
            line,
            release: release.to_owned(),
            numbers: numbers(upstream),
            builder,
            compiler,
            build,
        })
    }

    /// Major and minor version.
    pub fn version(&self) -> Option<(u32, u32)> {
        Some((*self.numbers.first()?, *self.numbers.get(1)?))
    }
}

/// The version behind a distribution's own: `Debian 6.1.192-2 (2026-11-16)`, `(Ubuntu 5.4.0-97.110-generic 5.4.162)`.
fn upstream(build: &str) -> Option<&str> {
    if let Some((_, rest)) = build.split_once(" Debian ") {
        return rest.split_once('-').map(|(version, _)| version);
    }
    let (_, rest) = build.split_once("(Ubuntu ")?;
    rest.split_once(')')?.0.split_once(' ').map(|(_, version)| version)
}

/// Two or three numbers with points between them; none where a release begins otherwise.
fn numbers(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    let mut rest = text;
    while found.len() < 3 {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let Ok(number) = rest[..end].parse() else { break };
        found.push(number);
        let Some(behind) = rest[end..].strip_prefix('.') else {
            break;
        };
        rest = behind;
    }
    if found.len() < 2 {
        found.clear();
    }
    found
}

/// A parenthesised group with groups inside, and what follows it.
fn group(text: &str) -> (Option<String>, &str) {
    let text = text.trim_start();
    if !text.starts_with('(') {
        return (None, text);
    }
    let mut depth = 0_u32;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return (Some(text[1..at].trim().to_owned()), &text[at + 1..]);
                }
            }
            _ => {}
        }
    }
    // Cut off in the middle: take what there is.
    (Some(text[1..].trim().to_owned()), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_release_and_of_what_it_is_made_of() {
        for (text, numbers) in [
            (
                "Linux version 6.1.0-56-cloud-amd64 (a@b) (gcc-12) #1 SMP Debian 6.1.192-2 (2026-11-16)",
                vec![6, 1, 192],
            ),
            (
                "Linux version 5.4.0-97-generic (a@b) (gcc) #110-Ubuntu SMP (Ubuntu 5.4.0-97.110-generic 5.4.162)",
                vec![5, 4, 162],
            ),
            ("Linux version 2.6.35-g6d019da-dirty (a@b)", vec![2, 6, 35]),
            ("Linux version 5.18.3-rc1 (a@b)", vec![5, 18, 3]),
            ("Linux version 6.1", vec![6, 1]),
            ("Linux version next", vec![]),
            ("Linux version 99999999999.1", vec![]),
        ] {
            assert_eq!(KernelBanner::read(text, 1).unwrap().numbers, numbers, "{text}");
        }
    }

    #[test]
    fn takes_nested_groups() {
        let text = "Linux version 6.1.2-x (me@host) (gcc (GCC) 14.2.1, GNU ld 2.43) #1 SMP Sat";
        let banner = KernelBanner::read(text, 1).unwrap();
        assert_eq!(banner.compiler.as_deref(), Some("gcc (GCC) 14.2.1, GNU ld 2.43"));
        assert_eq!(
            (banner.version(), banner.build.as_deref()),
            (Some((6, 1)), Some("#1 SMP Sat"))
        );
    }
}

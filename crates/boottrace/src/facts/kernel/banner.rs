//! `Linux version ...` taken apart.

use serde::{Deserialize, Serialize};

/// The kernel's own description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelBanner {
    /// Physical line.
    pub line: u32,
    /// `6.1.0-rc2`.
    pub release: String,
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
        Some(Self {
            line,
            release: release.to_owned(),
            builder,
            compiler,
            build,
        })
    }

    /// Major and minor version.
    pub fn version(&self) -> Option<(u32, u32)> {
        let mut numbers = self.release.split(|c: char| !c.is_ascii_digit());
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    }
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

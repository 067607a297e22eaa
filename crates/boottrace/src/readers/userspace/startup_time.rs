// SPDX-License-Identifier: MIT
//! systemd's own account of a start: `Startup finished in ...`, as a line or pasted into more than one.

use serde::Serialize;

use super::duration::parse_prefix;
use super::systemd_lost::{behind_a_time, span_before_a_word};

/// `Startup finished in 2.584s (kernel) + 19.176s (initrd) + 47.847s (userspace) = 1min 9.608s`. Nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StartupTime {
    /// Firmware (EFI only).
    pub firmware_ns: Option<u64>,
    /// Boot loader (EFI only).
    pub loader_ns: Option<u64>,
    /// Kernel.
    pub kernel_ns: Option<u64>,
    /// Initial RAM disk.
    pub initrd_ns: Option<u64>,
    /// User space.
    pub userspace_ns: Option<u64>,
    /// All together, as printed.
    pub total_ns: Option<u64>,
    /// Parts with other names, as printed.
    pub other_ns: Vec<(String, u64)>,
    /// The default target.
    pub target: Option<String>,
    /// When it was reached, counted from the start of user space.
    pub target_after_ns: Option<u64>,
    /// A last time whose part stands in the next line.
    #[serde(skip)]
    broken_ns: Option<u64>,
}

/// `12.345s (userspace) …`
fn begins_a_part(text: &str) -> bool {
    parse_prefix(text).is_some_and(|(_, used)| text[used..].trim_start().starts_with('('))
}

impl StartupTime {
    /// Reads the part of a line behind `Startup finished in `; `None` when it holds no part, or when its parts are not its
    /// sum: systemd adds them itself, so such a line was made up.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parts_of(text).filter(|time| !time.is_made_up())
    }

    /// Do the parts differ from the sum by more than they were rounded?
    fn is_made_up(&self) -> bool {
        const ROUNDED_NS: u64 = 500_000_000;
        let named = [
            self.firmware_ns,
            self.loader_ns,
            self.kernel_ns,
            self.initrd_ns,
            self.userspace_ns,
        ];
        let others = self.other_ns.iter().map(|(_, ns)| *ns);
        let parts: Vec<u64> = named.into_iter().flatten().chain(others).collect();
        let sum = parts.iter().fold(0_u64, |sum, ns| sum.saturating_add(*ns));
        let total = self.total_ns.filter(|_| parts.len() > 1);
        total.is_some_and(|total| total.abs_diff(sum) > ROUNDED_NS.max(total / 50))
    }

    fn parts_of(text: &str) -> Option<Self> {
        let mut out = Self::default();
        let mut rest = text.trim().trim_end_matches('.');
        let mut added = false;
        loop {
            let (ns, used) = parse_prefix(rest)?;
            rest = rest[used..].trim_start();
            if let Some((name, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
                match name {
                    "firmware" => out.firmware_ns = Some(ns),
                    "loader" => out.loader_ns = Some(ns),
                    "kernel" => out.kernel_ns = Some(ns),
                    "initrd" => out.initrd_ns = Some(ns),
                    "userspace" => out.userspace_ns = Some(ns),
                    other => out.other_ns.push((other.to_owned(), ns)),
                }
                rest = after.trim_start();
            } else if added && rest.is_empty() {
                out.broken_ns = Some(ns);
            } else {
                // A user manager prints the time alone.
                out.total_ns = Some(ns);
            }
            match rest.chars().next() {
                Some('+') => {
                    rest = rest[1..].trim_start();
                    added = true;
                }
                Some('=') => {
                    out.total_ns = span_before_a_word(rest[1..].trim_start());
                    return Some(out);
                }
                // A page may lose the signs between them.
                Some(c) if c.is_ascii_digit() && begins_a_part(rest) => added = true,
                _ => return Some(out),
            }
        }
    }

    /// The rest of an account that was broken into two lines: `+ 12.181s (userspace) = 29.613s`, or behind the time,
    /// `(userspace) = 29.613s`.
    pub(super) fn parse_rest(text: &str) -> Option<Self> {
        if let Some((sum, _)) = text.trim().strip_prefix("(userspace) = ").and_then(parse_prefix) {
            return Some(Self {
                total_ns: Some(sum),
                ..Self::default()
            });
        }
        // The sum is of both halves.
        let rest = Self::parts_of(text.trim().strip_prefix('+')?.trim_start())?;
        (rest.userspace_ns.or(rest.initrd_ns).or(rest.kernel_ns))
            .and(rest.total_ns)
            .map(|_| rest)
    }

    /// Adds that, where this half has no sum of its own.
    pub(super) fn go_on(&mut self, rest: &Self) -> bool {
        if self.total_ns.is_some() || self.userspace_ns.is_some() || self.firmware_ns.or(self.kernel_ns).is_none() {
            return false;
        }
        self.loader_ns = self.loader_ns.or(rest.loader_ns);
        self.kernel_ns = self.kernel_ns.or(rest.kernel_ns);
        self.initrd_ns = self.initrd_ns.or(rest.initrd_ns);
        self.userspace_ns = rest.userspace_ns.or(self.broken_ns.take());
        self.total_ns = rest.total_ns;
        if self.is_made_up() {
            self.total_ns = None;
        }
        true
    }

    /// Its longest part.
    pub(super) fn longest_ns(&self) -> Option<u64> {
        let parts = [
            self.firmware_ns,
            self.loader_ns,
            self.kernel_ns,
            self.initrd_ns,
            self.userspace_ns,
        ];
        parts.into_iter().flatten().max()
    }

    /// `graphical.target reached after 15.007s in userspace`: target and time.
    pub fn parse_target(text: &str) -> Option<(String, u64)> {
        let (unit, rest) = text.trim().split_once(" reached after ")?;
        let (ns, _) = parse_prefix(rest)?;
        (!unit.contains(' ')).then(|| (behind_a_time(unit).to_owned(), ns))
    }
}

/// The account without its first words, as people quote it: `4.8s (firmware) + 1.4s (kernel) + 2.8s (userspace) = 9.0s`.
/// The parts, their sum and the sign between them are systemd's alone.
pub(super) fn bare_account(line: &str) -> Option<&str> {
    const PARTS: [&str; 3] = ["(firmware)", "(loader)", "(kernel)"];
    let held = ["(kernel)", "(userspace)", "+", "="]
        .iter()
        .all(|part| line.contains(part));
    if !held || line.matches("(userspace)").count() > 1 {
        return None;
    }
    let name = PARTS.iter().filter_map(|part| line.find(part)).min()?;
    // The time before it has up to six words: `1 min 2.5 s`.
    let starts = line[..name].char_indices().filter(|(at, c)| {
        let begins = !line[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | ','));
        c.is_ascii_digit() && begins
    });
    let from = starts
        .map(|(at, _)| at)
        .find(|at| parse_prefix(&line[*at..]).is_some_and(|(_, used)| line[at + used..name].trim().is_empty()))?;
    let (parts, sum) = line[from..].split_once('=')?;
    let (_, used) = parse_prefix(sum.trim_start())?;
    let end = from + parts.len() + 1 + (sum.len() - sum.trim_start().len()) + used;
    Some(&line[from..end])
}

/// `It prints something like "Startup finished in ..."`: of no boot.
pub(super) fn is_example(line: &str) -> bool {
    const QUOTES: [char; 7] = ['"', '“', '„', '«', '`', '\'', '‘'];
    const WORDS: &str =
        "something like|for example|for instance|e.g.|such as|du genre|par exemple|zum beispiel|z. b.|z.b.|\
        por ejemplo|por exemplo|ad esempio|например|вроде|例如|比如|例えば";
    let Some((before, _)) = line.split_once("Startup finished in ") else {
        return false;
    };
    before.trim_end().ends_with(QUOTES) && {
        let lower = before.to_lowercase();
        WORDS.split('|').any(|words| lower.contains(words))
    }
}

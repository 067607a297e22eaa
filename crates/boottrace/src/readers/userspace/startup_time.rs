// SPDX-License-Identifier: MIT
//! systemd's own account of a start: `Startup finished in ...`, as a line or pasted into more than one.

use serde::Serialize;

use super::duration::parse_prefix;

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

impl StartupTime {
    /// Reads the part of a line behind `Startup finished in `; `None` when it holds no part.
    pub fn parse(text: &str) -> Option<Self> {
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
                    out.total_ns = parse_prefix(rest[1..].trim_start()).map(|(ns, _)| ns);
                    return Some(out);
                }
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
        let rest = Self::parse(text.trim().strip_prefix('+')?.trim_start())?;
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
        (!unit.contains(' ')).then(|| (unit.to_owned(), ns))
    }
}

// SPDX-License-Identifier: MIT
//! Android's bug reports: of all the sections that dumpstate writes, those with a kernel's log are read.
//!
//! Source: frameworks/native/cmds/dumpstate (`------ KERNEL LOG (dmesg) ------`).

use super::line::LineKind;

/// The report's head stands on top; adb and shells may have said something before.
const HEAD_LINES: u32 = 20;

/// Where in a report the reader is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    /// The input is none so far.
    #[default]
    No,
    /// In a section that is no kernel's log.
    Elsewhere,
    /// In a kernel's log.
    KernelLog,
}

impl Report {
    /// What a line is when it belongs to the report itself; `None` for a kernel's.
    pub fn line(&mut self, bytes: &[u8], number: u32) -> Option<LineKind> {
        let text = bytes.trim_ascii();
        if *self == Self::No {
            if number > HEAD_LINES || !text.starts_with(b"== dumpstate: ") {
                return None;
            }
            *self = Self::Elsewhere;
        } else if let Some(title) = title(text) {
            *self = if title.starts_with(b"KERNEL LOG (") || title.starts_with(b"LAST KMSG (") {
                Self::KernelLog
            } else {
                Self::Elsewhere
            };
            return Some(LineKind::Report);
        }
        (*self == Self::Elsewhere).then_some(LineKind::Report)
    }
}

/// `------ KERNEL LOG (dmesg) ------`, and the line with the time that it took, which ends it.
fn title(text: &[u8]) -> Option<&[u8]> {
    let inside = text.strip_prefix(b"------ ")?.strip_suffix(b" ------")?;
    // Traces of faults have a line of dashes too: `------------[ cut here ]------------`.
    (inside.len() < 256 && inside.first() != Some(&b'-')).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kernel_logs_are_read() {
        let mut report = Report::default();
        let mut take = |text: &str, number| report.line(text.as_bytes(), number);
        assert_eq!(take("====", 1), None);
        for (number, text, kernel) in [
            (2, "== dumpstate: 2015-02-24 15:12:34", false),
            (3, "Kernel: Linux version 3.1.10", false),
            (9, "------ KERNEL LOG (dmesg) ------", false),
            (10, "<6>[    0.000000] Linux version 3.1.10", true),
            (11, "------------[ cut here ]------------", true),
            (
                12,
                "------ 0.013s was the duration of 'KERNEL LOG (dmesg)' ------",
                false,
            ),
            (13, "[    1.000000] not the kernel's", false),
        ] {
            assert_eq!(take(text, number).is_none(), kernel, "{text}");
        }
    }
}

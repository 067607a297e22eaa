// SPDX-License-Identifier: MIT
//! A console log that somebody put behind a trace, in one file.

/// Bytes kept of it.
const MAX_BYTES: usize = 16 << 20;
/// Words that only a machine's console prints, at the begin of a message.
const BANNERS: [&[u8]; 4] = [
    b"Linux version ",
    b"U-Boot ",
    b"Booting Linux on physical CPU",
    b"Starting kernel ...",
];

/// The lines from the first banner on that are none of the trace.
#[derive(Debug, Clone, Default)]
pub struct LogBehind {
    text: Vec<u8>,
}

/// A banner behind nothing but a stamp.
fn begins_log(line: &[u8]) -> bool {
    let message = match line.trim_ascii_start() {
        stamped @ [b'[' | b'<', ..] => stamped
            .iter()
            .rposition(|&b| b == b']')
            .map_or(stamped, |end| &stamped[end + 1..]),
        plain => plain,
    };
    let message = message.trim_ascii_start();
    BANNERS.iter().any(|banner| message.starts_with(banner))
}

impl LogBehind {
    /// Takes a line that is none of the trace's; false when it does not belong to a log.
    pub fn take(&mut self, line: &[u8]) -> bool {
        let belongs = !self.text.is_empty() || begins_log(line);
        let kept = belongs && self.text.len() + line.len() < MAX_BYTES;
        if kept {
            self.text.extend_from_slice(line);
            self.text.push(b'\n');
        }
        kept
    }

    /// The log's text, empty without one.
    pub fn into_text(self) -> Vec<u8> {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_a_banner_and_not_with_its_quotation() {
        let mut log = LogBehind::default();
        assert!(!log.take(b"ftrace quotes: Linux version 6.1"));
        assert!(log.take(b"[    0.000000][    T0] Linux version 6.1.0"));
        assert!(log.take(b"anything"));
        assert_eq!(
            log.into_text(),
            b"[    0.000000][    T0] Linux version 6.1.0\nanything\n"
        );
    }
}

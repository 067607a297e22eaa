// SPDX-License-Identifier: MIT
//! Files that a boot loader read, with the time that it says each took.

use serde::{Deserialize, Serialize};

/// `4103240 bytes read in 276 ms (14.2 MiB/s)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileRead {
    /// Physical line.
    pub line: u32,
    /// Size.
    pub bytes: u64,
    /// Time.
    pub ns: i64,
}

impl FileRead {
    /// Reads a line.
    pub fn read(text: &str, line: u32) -> Option<Self> {
        Self::of_u_boot(text, line).or_else(|| Self::at_a_rate(text, line))
    }

    /// `FATFS: read in 18634ms at 0.21MB/S`: size by the rate.
    fn at_a_rate(text: &str, line: u32) -> Option<Self> {
        let (_, rest) = text.split_once(": read in ")?;
        let (ms, rest) = rest.split_once("ms at ")?;
        let rate = rest.to_ascii_uppercase();
        let (number, scale) = match rate.split_once("MB/S") {
            Some((number, _)) => (number, 1e6),
            None => (rate.split_once("KB/S")?.0, 1e3),
        };
        let (ms, number): (u32, f64) = (ms.trim().parse().ok()?, number.trim().parse().ok()?);
        let bytes = number * scale * f64::from(ms) / 1000.0;
        (0.0..=1e15).contains(&bytes).then_some(Self {
            line,
            bytes: bytes as u64,
            ns: i64::from(ms) * 1_000_000,
        })
    }

    fn of_u_boot(text: &str, line: u32) -> Option<Self> {
        let (head, rest) = text.split_once(" bytes read in ")?;
        let bytes = head.rsplit([' ', ':']).next()?.parse().ok()?;
        // A page sets in bold what it speaks of.
        let ms: u32 = rest.split_once(" ms")?.0.trim_matches([' ', '*', '`']).parse().ok()?;
        Some(Self {
            line,
            bytes,
            ns: i64::from(ms) * 1_000_000,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_line() {
        let read = FileRead::read("4103240 bytes read in 276 ms (14.2 MiB/s)", 5).unwrap();
        assert_eq!((read.bytes, read.ns), (4_103_240, 276_000_000));
        assert_eq!(FileRead::read("no bytes read in 3 ms", 5), None);
        let read = FileRead::read("[D] FATFS: read in 18634ms at 0.21MB/S", 5).unwrap();
        assert_eq!((read.bytes, read.ns), (3_913_140, 18_634_000_000));
        assert_eq!(FileRead::read("x: read in 5ms at infMB/S", 5), None);
    }
}

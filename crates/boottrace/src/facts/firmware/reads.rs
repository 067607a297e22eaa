//! Files that a boot loader read, with the time that it says each took.

use serde::{Deserialize, Serialize};

/// `4103240 bytes read in 276 ms (14.2 MiB/s)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        let (head, rest) = text.split_once(" bytes read in ")?;
        let bytes = head.rsplit([' ', ':']).next()?.parse().ok()?;
        let ms: u32 = rest.split_once(" ms")?.0.trim().parse().ok()?;
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
    }
}

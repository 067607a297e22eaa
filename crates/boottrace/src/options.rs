// SPDX-License-Identifier: MIT
//! What the caller can choose, and the limits that keep hostile input from using up the machine.

/// Choices for one analysis.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Text that marks the application's start, searched in the console lines.
    pub application_pattern: Option<String>,
    /// Text that marks the first available use (the goal), searched in the console lines.
    pub goal_pattern: Option<String>,
    /// Baud rate of the console when the log does not say it.
    pub baud: Option<u32>,
    /// Put every line into the document.
    pub keep_lines: bool,
    /// Bounds on memory.
    pub limits: Limits,
}

/// Bounds on what is kept. What goes beyond them is counted and reported, never silently lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a boot log, after unpacking, that are looked at. Traces are read to their end.
    pub input_bytes: u64,
    /// An archive that unpacks to more than this many times its size is taken for a bomb (above 16 MiB).
    pub archive_ratio: u64,
    /// Bytes kept of one line.
    pub line_bytes: usize,
    /// Bytes kept of all lines of one boot log.
    pub text_bytes: usize,
    /// Lines kept of one boot log.
    pub lines: usize,
    /// Boots kept of one input.
    pub boots: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: 2 << 30,
            archive_ratio: 1100,
            line_bytes: 16 << 10,
            text_bytes: 256 << 20,
            lines: 1_000_000,
            boots: 1000,
        }
    }
}

// SPDX-License-Identifier: MIT
//! The name of a console that programs with several of them put before each line.

/// How a program marks whose line it is: the same text before nearly every line.
///
/// Sources of the forms: Arm's shrinkwrap (`[ tfa+linux ] `), sbt (`[info] `), docker compose (`name  | `), tbot
/// (`│   │    <> `).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    bytes: [u8; MAX_BYTES],
    length: usize,
}

/// The longest label.
pub const MAX_BYTES: usize = 48;
impl Label {
    /// The label of these bytes, when they are not more than [`MAX_BYTES`].
    pub fn new(text: &[u8]) -> Option<Self> {
        let mut bytes = [0; MAX_BYTES];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        let length = text.len();
        Some(Self { bytes, length })
    }

    /// Its bytes, with the blank behind it.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    /// Length of the label with the blank behind it, when `bytes` begin with it. Editors cut a blank at a line's end.
    pub fn peel(self, bytes: &[u8]) -> Option<usize> {
        let label = self.bytes();
        if bytes.starts_with(label) {
            return Some(self.length);
        }
        (bytes == label.trim_ascii_end()).then_some(bytes.len())
    }
}

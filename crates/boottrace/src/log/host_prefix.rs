// SPDX-License-Identifier: MIT
//! What a prefix of the capturing side said.

use super::line::HostSource;

/// A prefix of the capturing host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPrefix {
    /// ns since the source's epoch.
    pub ns: i64,
    /// Who wrote it.
    pub source: HostSource,
    /// Bytes of the prefix.
    pub length: usize,
    /// Where the sender's name stands, in syslog forms.
    pub sender: Option<(usize, usize)>,
    /// Severity, in the form that has it in front.
    pub level: Option<u8>,
}

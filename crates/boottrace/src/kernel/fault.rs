//! Messages that say that something went wrong for good.

use serde::{Deserialize, Serialize};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// `Kernel panic - not syncing: ...`.
    Panic,
    /// An oops, a BUG, an unhandled fault.
    Oops,
    /// The root file system could not be mounted.
    NoRoot,
    /// No program could be started as init.
    NoInit,
    /// A CPU or a task made no progress.
    Stall,
    /// `WARNING: CPU: ...`.
    Warning,
}

/// One such message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Physical line.
    pub line: u32,
    /// What it is.
    pub kind: FaultKind,
    /// The message.
    pub text: String,
}

/// Recognises a fault message.
pub fn kind(text: &str) -> Option<FaultKind> {
    const PARTS: [(&str, FaultKind); 20] = [
        ("Unable to mount root fs", FaultKind::NoRoot),
        ("VFS: Cannot open root device", FaultKind::NoRoot),
        ("No working init found", FaultKind::NoInit),
        ("Requested init ", FaultKind::NoInit),
        ("Attempted to kill init", FaultKind::Panic),
        ("Kernel panic - not syncing", FaultKind::Panic),
        ("Kernel panic: ", FaultKind::Panic),
        ("Internal error: Oops", FaultKind::Oops),
        ("Unable to handle kernel ", FaultKind::Oops),
        ("BUG: unable to handle", FaultKind::Oops),
        ("BUG: kernel NULL pointer", FaultKind::Oops),
        ("kernel BUG at ", FaultKind::Oops),
        ("Oops: ", FaultKind::Oops),
        ("general protection fault", FaultKind::Oops),
        ("Unhandled fault: ", FaultKind::Oops),
        ("soft lockup - CPU#", FaultKind::Stall),
        ("self-detected stall", FaultKind::Stall),
        ("detected stalls on CPUs", FaultKind::Stall),
        (" blocked for more than ", FaultKind::Stall),
        ("hard LOCKUP on cpu", FaultKind::Stall),
    ];
    if text.trim_start().starts_with("WARNING: CPU:") {
        return Some(FaultKind::Warning);
    }
    // A cheap test first: this runs on every kernel line.
    if text.contains("end Kernel panic") || !text.bytes().any(|b| b.is_ascii_uppercase() || b == b'-') {
        return None;
    }
    PARTS
        .iter()
        .find(|(part, _)| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some())
        .map(|(_, k)| *k)
}

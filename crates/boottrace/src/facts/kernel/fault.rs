// SPDX-License-Identifier: MIT
//! Messages that say that something went wrong for good.

use serde::{Deserialize, Serialize};

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    /// `WARNING: ...`, `UBSAN: ...`: the kernel reports and goes on.
    Warning,
}

/// One such message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
    const PARTS: [(&str, FaultKind); 28] = [
        ("Unable to mount root fs", FaultKind::NoRoot),
        ("VFS: Cannot open root device", FaultKind::NoRoot),
        ("No working init found", FaultKind::NoInit),
        ("Requested init ", FaultKind::NoInit),
        ("Attempted to kill init", FaultKind::Panic),
        ("Kernel panic - not syncing", FaultKind::Panic),
        ("Kernel panic: ", FaultKind::Panic),
        ("Internal error: ", FaultKind::Oops),
        ("Unable to handle kernel ", FaultKind::Oops),
        ("BUG: unable to handle", FaultKind::Oops),
        ("BUG: kernel NULL pointer", FaultKind::Oops),
        ("kernel BUG at ", FaultKind::Oops),
        ("Kernel bug detected[#", FaultKind::Oops),
        ("Oops: ", FaultKind::Oops),
        ("Oops [#", FaultKind::Oops),
        ("general protection fault", FaultKind::Oops),
        ("divide error: ", FaultKind::Oops),
        ("invalid opcode: ", FaultKind::Oops),
        ("SError Interrupt on CPU", FaultKind::Oops),
        ("Unhandled fault: ", FaultKind::Oops),
        ("soft lockup - CPU#", FaultKind::Stall),
        ("BUG: workqueue lockup", FaultKind::Stall),
        ("self-detected stall", FaultKind::Stall),
        (" detected stalls on ", FaultKind::Stall),
        (" detected expedited stalls on ", FaultKind::Stall),
        (" blocked for more than ", FaultKind::Stall),
        (" can't die for more than ", FaultKind::Stall),
        ("hard LOCKUP on cpu", FaultKind::Stall),
    ];
    // Checkers that report and go on (lib/Kconfig.debug, kernel/sched/core.c).
    const REPORTS: [&str; 7] = [
        "WARNING: ",
        "UBSAN: ",
        "BUG: KCSAN: ",
        "BUG: sleeping function called from invalid context",
        "BUG: using ",
        "BUG: MAX_",
        "BUG: not creating mapping for ",
    ];
    let start = text.trim_start();
    if REPORTS.iter().any(|report| start.starts_with(report)) {
        return Some(FaultKind::Warning);
    }
    // A cheap test first: this runs on every kernel line.
    if text.contains("end Kernel panic") || !text.bytes().any(|b| b.is_ascii_uppercase() || b == b'-') {
        return None;
    }
    PARTS
        .iter()
        .find(|(part, _)| {
            let found = memchr::memmem::find(text.as_bytes(), part.as_bytes());
            found.is_some_and(|at| *part != "Oops: " || is_oops(&text[at + part.len()..]))
        })
        .map(|(_, k)| *k)
        // KASAN, KFENCE, KMSAN, a bad page, a lock that was broken.
        .or_else(|| (start.starts_with("BUG: ") || is_of_alpha(start)).then_some(FaultKind::Oops))
}

/// `frobd(1): Instruction fault 4`: Alpha's kernel names who did it first (arch/alpha/kernel/traps.c, `die_if_kernel()`).
fn is_of_alpha(text: &str) -> bool {
    const WHAT: [&str; 4] = ["Instruction fault ", "Arithmetic trap ", "Kernel bug ", "Oops "];
    let Some((who, what)) = text.split_once("): ") else {
        return false;
    };
    let numbered = |rest: &str| !rest.is_empty() && rest.trim_end().bytes().all(|b| b.is_ascii_digit());
    let task = who
        .rsplit_once('(')
        .is_some_and(|(name, pid)| !name.contains(' ') && numbered(pid));
    task && WHAT.iter().any(|words| what.strip_prefix(words).is_some_and(numbered))
}

/// What stands behind `Oops: `: an error code, the count of oopses, or the words of old PowerPC kernels. Drivers say
/// `Oops: flash id 0xef4016` too.
fn is_oops(rest: &str) -> bool {
    let code = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
    code >= 1 && rest.as_bytes().get(code).is_none_or(|b| matches!(b, b' ' | b'\r'))
        || rest.contains("[#")
        || ["kernel ", "Kernel ", "Exception"]
            .iter()
            .any(|word| rest.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_all_architectures() {
        for (text, expected) in [
            (
                "Internal error: synchronous external abort: 96000010 [#1] PREEMPT SMP",
                FaultKind::Oops,
            ),
            ("BUG: KASAN: use-after-free in foo+0x1/0x2", FaultKind::Oops),
            (
                "BUG: sleeping function called from invalid context at a.c:1",
                FaultKind::Warning,
            ),
            ("rcu: INFO: rcu_sched self-detected stall on CPU", FaultKind::Stall),
            ("INFO: rcu_tasks detected stalls on tasks:", FaultKind::Stall),
            ("watchdog: BUG: soft lockup - CPU#0 stuck for 22s!", FaultKind::Stall),
            ("BUG: soft lockup - CPU#1 stuck for 23s! [init:1]", FaultKind::Stall),
            ("Oops [#1]", FaultKind::Oops),
            ("frobd(17): Instruction fault 4", FaultKind::Oops),
            ("Oops: 0002", FaultKind::Oops),
            ("Oops: kernel access of bad area, sig: 11", FaultKind::Oops),
            (
                "WARNING: possible circular locking dependency detected",
                FaultKind::Warning,
            ),
        ] {
            assert_eq!(kind(text), Some(expected), "{text}");
        }
        assert_eq!(kind("---[ end Kernel panic - not syncing: Fatal exception ]---"), None);
        assert_eq!(kind("usb 1-1: new high-speed USB device"), None);
    }
}

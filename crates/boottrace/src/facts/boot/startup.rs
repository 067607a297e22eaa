// SPDX-License-Identifier: MIT
//! systemd's own account of the start: `Startup finished in 2.584s (kernel) + 47.847s (userspace) = 50.431s`.

use serde::{Deserialize, Serialize};

use crate::log::boot_log::BootLog;
use crate::log::line::Line;
use crate::readers::userspace::systemd_analyze::StartupTime;

/// One part of the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StartupPart {
    /// `firmware`, `loader`, `kernel`, `initrd`, `userspace`.
    pub name: String,
    /// Its length.
    pub ns: i64,
}

/// What systemd said when it had started everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StartupAccount {
    /// Physical line.
    pub line: u32,
    /// It had come to its emergency or rescue shell, and had not started everything.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub rescued: bool,
    /// In the order of time.
    pub parts: Vec<StartupPart>,
    /// All together, as printed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub total_ns: Option<i64>,
}

impl StartupAccount {
    /// A part's length.
    pub fn part(&self, name: &str) -> Option<i64> {
        self.parts.iter().find(|part| part.name == name).map(|part| part.ns)
    }

    /// From the kernel's start to the end.
    pub fn since_kernel_ns(&self) -> i64 {
        ["kernel", "initrd", "userspace"]
            .iter()
            .filter_map(|name| self.part(name))
            .fold(0, i64::saturating_add)
    }
}

/// Targets of systemd that take the place of the goal (units/emergency.target, units/rescue.target).
fn is_rescue(line: &Line) -> bool {
    const TARGETS: [&str; 4] = ["Emergency Mode", "Rescue Mode", "emergency.target", "rescue.target"];
    line.text
        .split_once("Reached target ")
        .is_some_and(|(_, name)| TARGETS.iter().any(|target| name.starts_with(target)))
}

/// Finds the account of the system's manager. Those of users' managers name no part.
pub fn startup(boot: &BootLog) -> Option<StartupAccount> {
    boot.lines.iter().find_map(|line| {
        let (_, said) = line.text.split_once("Startup finished in ")?;
        let time = StartupTime::parse(said)?;
        let signed = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
        let parts: Vec<StartupPart> = [
            ("firmware", time.firmware_ns),
            ("loader", time.loader_ns),
            ("kernel", time.kernel_ns),
            ("initrd", time.initrd_ns),
            ("userspace", time.userspace_ns),
        ]
        .into_iter()
        .filter_map(|(name, ns)| {
            Some(StartupPart {
                name: name.to_owned(),
                ns: signed(ns?),
            })
        })
        .collect();
        let of_system = parts
            .iter()
            .any(|part| part.name == "kernel" || part.name == "userspace");
        of_system.then_some(StartupAccount {
            line: line.number,
            rescued: boot
                .lines
                .iter()
                .take_while(|other| other.number < line.number)
                .any(is_rescue),
            parts,
            total_ns: time.total_ns.map(signed),
        })
    })
}

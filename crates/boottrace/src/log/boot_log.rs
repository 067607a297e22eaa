// SPDX-License-Identifier: MIT
//! The lines of each boot in one input, and what belongs to none.

use serde::{Deserialize, Serialize};

use super::line::Line;

/// Why a boot was taken to start where it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BootStart {
    /// The log begins in the middle: no banner was seen.
    MiddleOfLog,
    /// A firmware or boot loader banner.
    Firmware,
    /// The kernel's banner.
    KernelBanner,
    /// The kernel's stamps began again at zero.
    StampsRestart,
    /// The kernel that ran before started this one by kexec: no power-on, no firmware.
    Kexec,
    /// A second bootstage report with other marks.
    BootstageReport,
    /// The log of a recovery system's program, which is no boot.
    Recovery,
}

/// The lines of one boot.
#[derive(Debug, Clone)]
pub struct BootLog {
    /// Why it starts here.
    pub start: BootStart,
    /// The guest of a hypervisor whose boot it is, by the number before its lines.
    pub guest: Option<u16>,
    /// In file order.
    pub lines: Vec<Line>,
    /// Index of the first kernel line.
    pub kernel_from: Option<usize>,
    /// Index of the line with which user space starts.
    pub user_from: Option<usize>,
}

impl BootLog {
    pub(crate) fn new(start: BootStart) -> Self {
        Self {
            start,
            guest: None,
            lines: Vec::new(),
            kernel_from: None,
            user_from: None,
        }
    }

    /// Hands over all lines from an index on.
    pub(crate) fn give_up_from(&mut self, at: usize) -> Vec<Line> {
        self.kernel_from = self.kernel_from.filter(|from| *from < at);
        self.user_from = self.user_from.filter(|from| *from < at);
        self.lines.split_off(at)
    }

    /// Says that user space starts at an index, where the kernel freed its initialisation memory: kernels before 4.20
    /// do not name init's program, and one that finds none says so.
    pub(crate) fn user_space_from(&mut self, freed: Option<usize>) {
        const NO_INIT: [&str; 2] = ["No init found", "No working init"];
        let Some(freed) = freed.filter(|freed| *freed < self.lines.len()) else {
            return;
        };
        let behind = &self.lines[freed..];
        let none = |line: &Line| NO_INIT.iter().any(|words| line.text.contains(words));
        // Without a root file system no init comes.
        let rootless = self.lines[..freed].iter().rev().find_map(|line| {
            let failed = line.text.contains("Unable to mount root fs");
            (failed || line.text.contains("VFS: Mounted root")).then_some(failed)
        });
        if rootless == Some(true) {
            return;
        }
        if self.user_from.map_or(!behind.iter().any(none), |user| user > freed) {
            self.user_from = Some(freed);
        }
    }

    /// First and last physical line.
    pub fn span(&self) -> (u32, u32) {
        (
            self.lines.first().map_or(0, |l| l.number),
            self.lines.last().map_or(0, |l| l.number),
        )
    }
}

impl Split {
    /// Takes the boots of another part of the same input.
    pub(crate) fn join(&mut self, other: Self) {
        self.boots.extend(other.boots);
        self.boots.sort_by_key(|boot| boot.span().0);
        self.outside.extend(other.outside);
        self.outside.sort_by_key(|line| line.number);
        self.dropped += other.dropped;
        self.first_dropped = self.first_dropped.or(other.first_dropped);
        self.dropped_boots += other.dropped_boots;
        self.replayed.extend(other.replayed);
    }
}

/// All boots, and what belongs to none.
#[derive(Debug, Default)]
pub struct Split {
    /// In file order.
    pub boots: Vec<BootLog>,
    /// Lines before the first boot that nothing claims.
    pub outside: Vec<Line>,
    /// Lines of boots beyond the limit, and the first of them.
    pub dropped: u64,
    /// First physical line dropped.
    pub first_dropped: Option<u32>,
    /// Boots beyond the limit.
    pub dropped_boots: u64,
    /// Lines that a console registered late printed again.
    pub replayed: Vec<u32>,
}

// SPDX-License-Identifier: MIT
//! Times in which something ran and no clock was read. They are shown as gaps, never as zero.

use serde::{Deserialize, Serialize};

use super::axis::Axis;
use crate::facts::firmware::facts::{FirmwareFacts, FirmwareStep};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::line::{Line, LineKind};
use crate::readers::console::account::sections;

/// Which blind spot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum BlindSpotKind {
    /// From power-on to the first thing the log knows.
    BeforeLog,
    /// From the boot loader's last words to the kernel's first.
    HandOver,
    /// The kernel image unpacks itself.
    Decompression,
    /// From the kernel's entry to its first stamp that is not zero.
    EarlyKernel,
}

/// A stretch without a clock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BlindSpot {
    /// Which.
    pub kind: BlindSpotKind,
    /// Last line before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_line: Option<u32>,
    /// First line behind it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_line: Option<u32>,
    /// Its length, when another clock ran beside; absent means unknown, not zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ns: Option<i64>,
    /// In words.
    pub why: String,
}

/// Finds the blind spots of a boot.
pub fn blind_spots(boot: &BootLog, firmware: &FirmwareFacts, axis: &Axis) -> Vec<BlindSpot> {
    let [(_, before), (_, kernel), (_, user)] = sections(boot);
    let mut out = Vec::new();
    let spoken = |l: &&Line| matches!(l.kind, LineKind::Firmware | LineKind::Kernel | LineKind::User);
    let first = boot.lines.iter().find(spoken);
    let by_kexec = boot.start == BootStart::Kexec;
    if !by_kexec {
        out.push(BlindSpot {
            kind: BlindSpotKind::BeforeLog,
            after_line: None,
            before_line: first.map(|l| l.number),
            duration_ns: None,
            why: match (
                before.iter().any(|l| spoken(&l)),
                firmware.tables.is_empty() && firmware.own_times.is_empty(),
            ) {
                (false, _) => "power-on, firmware and boot loader are not in the log",
                (true, true) => "power-on and the mask ROM print nothing",
                (true, false) => "the boot loader's timer may start after power-on",
            }
            .to_owned(),
        });
    }
    let last_loader = before.iter().rev().find(spoken);
    let first_kernel = kernel.iter().chain(user).find(|l| l.kind == LineKind::Kernel);
    let length = |from: &Line, to: &Line| {
        axis.host(to)
            .zip(axis.host(from))
            .and_then(|(b, a)| b.checked_sub(a))
            .filter(|ns| *ns >= 0)
    };
    if let (Some(from), Some(to)) = (last_loader, first_kernel) {
        let unpacks = firmware
            .steps
            .iter()
            .any(|s| s.step == FirmwareStep::Decompressing && s.line == from.number)
            || firmware
                .steps
                .iter()
                .any(|s| s.step == FirmwareStep::BootingKernel && s.line == from.number);
        out.push(BlindSpot {
            kind: if unpacks {
                BlindSpotKind::Decompression
            } else {
                BlindSpotKind::HandOver
            },
            after_line: Some(from.number),
            before_line: Some(to.number),
            duration_ns: length(from, to),
            why: if unpacks {
                "the kernel unpacks itself, and prints nothing until its console is up".to_owned()
            } else if by_kexec {
                "the kernel prints nothing between what starts it and its own first words".to_owned()
            } else {
                "the kernel prints nothing between the boot loader's last words and its own first".to_owned()
            },
        });
    }
    let zeros = kernel
        .iter()
        .take_while(|l| l.kind != LineKind::Kernel || l.printk_ns.is_none_or(|ns| ns == 0));
    let zero_lines = zeros.filter(|l| l.printk_ns == Some(0)).count();
    if zero_lines > 0 {
        let after = kernel.iter().find(|l| l.printk_ns.is_some_and(|ns| ns > 0));
        // Without an early console these lines arrive later, all at once, and their arrival says nothing.
        let live = kernel
            .iter()
            .take(400)
            .any(|l| l.printk_ns == Some(0) && l.text.contains("bootconsole ["));
        let seen = first_kernel
            .zip(after)
            .filter(|_| live)
            .and_then(|(from, to)| length(from, to));
        out.push(BlindSpot {
            kind: BlindSpotKind::EarlyKernel,
            after_line: first_kernel.map(|l| l.number),
            before_line: after.map(|l| l.number),
            duration_ns: seen,
            why: format!(
                "{zero_lines} lines are stamped 0.000000: the kernel's clock runs only from time_init() on \
                 (17 to 1700 ms on boards that were measured by its authors)"
            ),
        });
    }
    out
}

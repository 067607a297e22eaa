// SPDX-License-Identifier: MIT
//! What the part before the kernel states: who ran, how long its own clock says, what it waited for.

use serde::{Deserialize, Serialize};

use super::coreboot_states::BootState;
use super::reads::FileRead;
use crate::log::banner::banner;
use crate::log::boot_log::BootLog;
use crate::log::hand_over::steps;
pub use crate::log::hand_over::FirmwareStep;
use crate::readers::console::account::sections;
use crate::readers::firmware_table;
use crate::readers::firmware_table::table::{TableMark, TimeTable};

/// A program that said its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Program {
    /// Physical line.
    pub line: u32,
    /// Its usual name.
    pub name: String,
    /// The banner.
    pub text: String,
}

/// Where a step was printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepLine {
    /// Which step.
    pub step: FirmwareStep,
    /// Physical line.
    pub line: u32,
    /// The line.
    pub text: String,
}

/// What firmware and boot loaders state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirmwareFacts {
    /// Programs by their banners.
    pub programs: Vec<Program>,
    /// Steps towards the kernel.
    pub steps: Vec<StepLine>,
    /// Time tables; they may also be printed later, from Linux.
    pub tables: Vec<TimeTable>,
    /// Times that single lines state by the firmware's own clock (depthcharge: `at timestamp: 16045970`).
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub own_times: Vec<TableMark>,
    /// Files that the boot loader says how long it read.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub reads: Vec<FileRead>,
    /// coreboot's boot states.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub states: Vec<BootState>,
    /// Seconds that the boot loader counted down, `Hit any key to stop autoboot:  3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub autoboot_seconds: Option<u32>,
}

/// Programs and steps beyond this are not kept.
const MAX_ENTRIES: usize = 500;

/// Collects the facts of one boot.
pub fn collect(boot: &BootLog) -> FirmwareFacts {
    let [(_, firmware), ..] = sections(boot);
    let mut facts = FirmwareFacts::default();
    for line in firmware {
        let text = line.text.trim();
        if facts.programs.len() < MAX_ENTRIES {
            if let Some(found) = banner(text) {
                // Monitors print several lines of their own; once is enough.
                if facts.programs.last().is_none_or(|last| last.name != found.program) {
                    facts.programs.push(Program {
                        line: line.number,
                        name: found.program.to_owned(),
                        text: found.text.to_owned(),
                    });
                }
            }
        }
        for step in steps(text) {
            if facts.steps.len() < MAX_ENTRIES {
                facts.steps.push(StepLine {
                    step,
                    line: line.number,
                    text: text.to_owned(),
                });
            }
        }
        let handed_over = facts.steps.iter().any(|s| s.step == FirmwareStep::StartingKernel);
        if facts.reads.len() < MAX_ENTRIES && !handed_over {
            facts.reads.extend(FileRead::read(text, line.number));
        }
        if facts.states.len() < MAX_ENTRIES {
            facts.states.extend(BootState::read(text, line.number));
        }
        if let Some((name, us)) = text.split_once(" at timestamp: ") {
            if let (Ok(us), true) = (us.trim().parse::<i64>(), facts.own_times.len() < MAX_ENTRIES) {
                let mark = TableMark {
                    line: line.number,
                    name: name.to_owned(),
                    ns: us.saturating_mul(1000),
                };
                facts.own_times.push(mark);
            }
        }
        if let Some((_, seconds)) = text.split_once("to stop autoboot:") {
            let shown = seconds
                .trim()
                .split(|c: char| !c.is_ascii_digit())
                .next()
                .and_then(|n| n.parse().ok());
            facts.autoboot_seconds = facts.autoboot_seconds.max(shown);
        }
    }
    facts.tables = firmware_table::find(&boot.lines);
    facts
}

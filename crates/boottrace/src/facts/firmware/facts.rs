//! What the part before the kernel states: who ran, how long its own clock says, what it waited for.

use serde::{Deserialize, Serialize};

use super::coreboot_states::BootState;
use super::reads::FileRead;
use crate::log::banner::banner;
use crate::log::boot_log::BootLog;
use crate::readers::console::account::sections;
use crate::readers::firmware_table;
use crate::readers::firmware_table::table::{TableMark, TimeTable};

/// A program that said its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Physical line.
    pub line: u32,
    /// Its usual name.
    pub name: String,
    /// The banner.
    pub text: String,
}

/// A step of the hand-over to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FirmwareStep {
    /// `Hit any key to stop autoboot`.
    Autoboot,
    /// `Starting kernel ...`, `jumping to kernel`: the loader's last words.
    StartingKernel,
    /// `Uncompressing Linux...`, `Decompressing Linux...`, `LZMA decompressing kernel-1`.
    Decompressing,
    /// `done, booting the kernel.`: the decompressor's last words.
    BootingKernel,
    /// `EFI stub: ...`.
    EfiStub,
}

/// Where a step was printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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

fn steps(text: &str) -> impl Iterator<Item = FirmwareStep> + '_ {
    const PARTS: [(&str, FirmwareStep); 23] = [
        ("ow booting linux kernel", FirmwareStep::StartingKernel),
        ("ow booting Linux kernel", FirmwareStep::StartingKernel),
        ("Transferring control to Linux", FirmwareStep::StartingKernel),
        ("Starting program at 0x", FirmwareStep::StartingKernel),
        ("jump to 64-bit kernel entrypoint", FirmwareStep::StartingKernel),
        ("Starting Kernel ...", FirmwareStep::StartingKernel),
        ("INIT: Starting kernel at 0x", FirmwareStep::StartingKernel),
        ("booting kernel with devicetree", FirmwareStep::StartingKernel),
        ("Exit EBS        [", FirmwareStep::StartingKernel),
        ("zImage starting: loaded at", FirmwareStep::Decompressing),
        ("to stop autoboot", FirmwareStep::Autoboot),
        ("Starting kernel ...", FirmwareStep::StartingKernel),
        ("jumping to kernel", FirmwareStep::StartingKernel),
        ("Jumping to kernel", FirmwareStep::StartingKernel),
        ("Loaded kernel, jumping", FirmwareStep::StartingKernel),
        ("commandline: console=", FirmwareStep::StartingKernel),
        ("Exiting boot services", FirmwareStep::EfiStub),
        ("EFI stub: ", FirmwareStep::EfiStub),
        ("Uncompressing Linux", FirmwareStep::Decompressing),
        ("Decompressing Linux", FirmwareStep::Decompressing),
        ("decompressing kernel", FirmwareStep::Decompressing),
        ("ooting the kernel", FirmwareStep::BootingKernel),
        ("Jumping to 0x", FirmwareStep::StartingKernel),
    ];
    PARTS
        .iter()
        .filter(move |(part, _)| text.contains(part))
        .map(|(_, step)| *step)
}

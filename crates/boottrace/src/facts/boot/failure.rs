// SPDX-License-Identifier: MIT
//! How a boot ended, and what stopped it.

use serde::{Deserialize, Serialize};

use super::gap::is_sentence;
use super::unclaimed::unclaimed_from;
use crate::facts::firmware::facts::FirmwareFacts;
use crate::facts::kernel::facts::KernelFacts;
use crate::facts::kernel::fault::FaultKind;
use crate::facts::kernel::initcall::{CallFlag, Initcall};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::leaves_out;
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// Several boots that end the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BootLoop {
    /// How many boots end so in a row.
    pub boots: u64,
    /// The last thing that each of them printed or did.
    pub ends_with: String,
}

/// How far a boot came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// init was started.
    UserSpace,
    /// The log ends in the kernel: it hung, was reset, or the log was cut.
    EndsInKernel,
    /// The log ends before the kernel.
    EndsInFirmware,
    /// It shows neither the kernel's begin nor init's: a piece from the middle, or a quiet kernel behind which somebody
    /// speaks who says no name. Or it is quoted: lines of it are left out, or its author goes on behind it.
    NotShown,
    /// The kernel panicked.
    Panic,
}

/// Kinds of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The kernel panicked.
    Panic,
    /// An oops or BUG.
    Oops,
    /// No root file system.
    NoRoot,
    /// No program could be started as init.
    NoInit,
    /// A task or CPU is stuck.
    Stall,
    /// An initcall started and never ended.
    NeverReturned,
    /// The delay-loop calibration began and never ended: the timer does not tick.
    HangInCalibration,
    /// The kernel was started and printed nothing.
    NoKernelOutput,
    /// The log ends before init, for no reason that it tells.
    EndsBeforeInit,
    /// The kernel warns of itself, in a piece that shows nothing worse.
    Warning,
}

/// One failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    /// What kind.
    pub kind: FailureKind,
    /// Physical line that shows it.
    pub line: u32,
    /// The message or name.
    pub text: String,
    /// What it means.
    pub meaning: String,
}

/// How a boot ended.
pub fn outcome(boot: &BootLog, kernel: &KernelFacts) -> Outcome {
    if fatal(kernel).is_some() {
        Outcome::Panic
    } else if kernel.init.is_some() || (boot.user_from.is_some() && boot.kernel_from.is_some()) {
        Outcome::UserSpace
    } else if boot.kernel_from.is_some() {
        let piece = boot.start == BootStart::MiddleOfLog && kernel.banner.is_none();
        if piece || is_quoted(boot) {
            Outcome::NotShown
        } else {
            Outcome::EndsInKernel
        }
    } else if unclaimed_from(boot).is_some() {
        Outcome::NotShown
    } else {
        Outcome::EndsInFirmware
    }
}

/// The fault that stopped the kernel, whatever its reason.
pub(super) fn fatal(kernel: &KernelFacts) -> Option<&crate::facts::kernel::fault::Fault> {
    kernel
        .faults
        .iter()
        .find(|f| f.kind == FaultKind::Panic || f.text.contains("Kernel panic"))
}

/// Kernel lines behind one whose end is missing from which on the kernel went on: the line was damaged.
const LINES_OF_A_RUN: usize = 8;

/// Warnings that are told of a piece.
const WARNINGS: usize = 3;

/// Entries of each kind that are listed.
const MAX_LISTED: usize = 20;

/// What went wrong in a boot.
pub fn failures(boot: &BootLog, firmware: &FirmwareFacts, kernel: &KernelFacts) -> Vec<Failure> {
    let mut out = Vec::new();
    // Of a whole boot it tells little; a piece is often shown for its sake.
    let is_piece = outcome(boot, kernel) == Outcome::NotShown
        && kernel.faults.iter().all(|fault| fault.kind == FaultKind::Warning);
    let mut warned = 0;
    for fault in &kernel.faults {
        let (kind, meaning) = match fault.kind {
            FaultKind::Panic => (FailureKind::Panic, "the kernel stopped for good"),
            FaultKind::Oops => (
                FailureKind::Oops,
                "kernel code failed; what follows may be its consequence",
            ),
            FaultKind::NoRoot => (FailureKind::NoRoot, "check root=, rootfstype= and the storage driver"),
            FaultKind::NoInit => (
                FailureKind::NoInit,
                "check init= and the program's architecture and libraries",
            ),
            FaultKind::Stall => (FailureKind::Stall, "something did not go on for seconds"),
            FaultKind::Warning if is_piece && warned < WARNINGS => {
                warned += 1;
                (FailureKind::Warning, "the kernel found what should not be, and went on")
            }
            FaultKind::Warning => continue,
        };
        let named = (kind == FailureKind::Oops)
            .then(|| failing_function(boot, fault.line))
            .flatten();
        let meaning = named.map_or(meaning.to_owned(), |name| {
            format!("kernel code failed in {name}; what follows may be its consequence")
        });
        let storage = (kind == FailureKind::NoRoot)
            .then(|| storage_failure(boot, fault.line))
            .flatten();
        let meaning = storage.map_or(meaning.clone(), |said| format!("{said}; {meaning}"));
        // The panic is listed, however many oopses came before it.
        let first_panic = kind == FailureKind::Panic && out.iter().all(|failure: &Failure| failure.kind != kind);
        if out.len() < MAX_LISTED || first_panic {
            out.push(Failure {
                kind,
                line: fault.line,
                text: shorten(&fault.text),
                meaning,
            });
        }
    }
    let hung = |line: u32| {
        let behind = boot.lines.iter().rev().take_while(|l| l.number > line);
        behind.filter(|l| l.kind == LineKind::Kernel).count() < LINES_OF_A_RUN
    };
    for found in kernel.calibrations.iter().filter(|c| !c.finished && hung(c.line)) {
        out.push(Failure {
            kind: FailureKind::HangInCalibration,
            line: found.line,
            text: "Calibrating delay loop...".to_owned(),
            meaning: "no timer interrupt comes: check the clock event device's driver and its interrupt".to_owned(),
        });
    }
    let ended = outcome(boot, kernel);
    let open = kernel.initcalls.iter().filter(|c| c.has(CallFlag::NeverReturned));
    for call in open.clone().rev().take(MAX_LISTED) {
        out.push(never_returned(call, ended));
    }
    if let Some(failure) = silent_end(boot, firmware, ended, out.is_empty()) {
        out.push(failure);
    }
    out
}

/// The function in which kernel code failed, as the report below its first line names it; none where it has only an address.
/// Sources: arch/*/kernel/process.c, arch/*/lib/show_regs.c, mm/kasan/report.c.
fn failing_function(boot: &BootLog, line: u32) -> Option<String> {
    const LINES: usize = 60;
    const AT: [&str; 9] = [
        "RIP: 0010:",
        "RIP: e030:",
        "EIP: 0060:",
        "EIP is at ",
        "EIP: ",
        "PC is at ",
        "pc : ",
        "epc : ",
        "NIP [",
    ];
    let from = boot.lines.partition_point(|one| one.number < line);
    let report = boot.lines[from..]
        .iter()
        .take(LINES)
        .filter(|one| one.kind == LineKind::Kernel);
    for (at, one) in report.enumerate() {
        let text = one.text.trim_start();
        // What follows is another report.
        if at > 0 && (text.starts_with("---[ end trace") || text.starts_with("BUG: ")) {
            return None;
        }
        let checked = || {
            text.strip_prefix("BUG: K")
                .and_then(|rest| Some(rest.split_once(" in ")?.1))
        };
        let Some(rest) = AT.iter().find_map(|at| text.strip_prefix(at)).or_else(checked) else {
            continue;
        };
        // `[<c0123456>] frob_probe+0x1c/0x80`, `__frob_probe.isra.0+0x1c/0x80`
        let mut words = rest.split_ascii_whitespace();
        let name = words.find_map(|word| Some(word.split_once("+0x")?.0));
        let name = name.map(|name| name.trim_start_matches(['?', '[', '(']));
        let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let module = words.next().and_then(|word| word.strip_prefix('[')?.strip_suffix(']'));
        let module = module.filter(is_name);
        return name.filter(is_name).map(|name| match module {
            Some(module) => format!("`{name}` of the module `{module}`"),
            None => format!("`{name}`"),
        });
    }
    None
}

/// What a storage driver or a file system says of a failure shortly before no root file system is found; that it is why is
/// not claimed.
fn storage_failure(boot: &BootLog, line: u32) -> Option<String> {
    const LINES: usize = 12;
    const SPEAKERS: &str = "ubi|mmc|dwmmc|sdhci|ata|sd |scsi|nvme|blk_|print_req_error|buffer i/o error|i/o error|\
        end_request|nand|mtd|spi-nand|spi-nor|squashfs|ext2-fs|ext3-fs|ext4-fs|xfs|btrfs|f2fs|device-mapper|virtio_blk";
    const FAILS: &str = " error|failed|cannot|can't|could not|timed out|timeout";
    let to = boot.lines.partition_point(|one| one.number < line);
    let mut before = boot.lines[..to]
        .iter()
        .rev()
        .filter(|one| one.kind == LineKind::Kernel)
        .take(LINES);
    let found = before.find(|one| {
        let text = one.text.trim_start().to_ascii_lowercase();
        let of_storage = SPEAKERS.split('|').any(|name| text.starts_with(name));
        of_storage && FAILS.split('|').any(|word| text.contains(word))
    })?;
    let said = shorten(found.text.trim());
    Some(format!("line {}, shortly before, says `{said}`", found.number))
}

fn never_returned(call: &Initcall, ended: Outcome) -> Failure {
    let meaning = match ended {
        Outcome::UserSpace => "its end is missing: it still ran when the log ended, or the line was lost",
        _ => "the boot stopped in it, or the log was cut there",
    };
    Failure {
        kind: FailureKind::NeverReturned,
        line: call.start_line.unwrap_or(0),
        text: call.label(),
        meaning: meaning.to_owned(),
    }
}

fn silent_end(boot: &BootLog, firmware: &FirmwareFacts, ended: Outcome, unexplained: bool) -> Option<Failure> {
    let last = boot.lines.iter().rev().find(|l| speaks(l))?;
    match ended {
        Outcome::EndsInKernel if unexplained && boot.lines.len() > 20 && !is_cut(boot) => {
            // What stands behind the last stamped line may be a report's or a mail's own words.
            let stamped = boot.lines.iter().rev().find(|l| l.printk_ns.is_some());
            Some(ends_before_init(stamped.unwrap_or(last)))
        }
        Outcome::EndsInFirmware if firmware.tables.is_empty() => {
            use crate::facts::firmware::facts::FirmwareStep as Step;
            let started = firmware
                .steps
                .iter()
                .any(|s| matches!(s.step, Step::StartingKernel | Step::BootingKernel));
            Some(Failure {
                kind: FailureKind::NoKernelOutput,
                line: last.number,
                text: shorten(last.text.trim()),
                meaning: if started {
                    "the kernel was started and printed nothing: check console= and earlycon, the load address, the \
                     device tree"
                } else {
                    "no line of a Linux kernel was found behind it"
                }
                .to_owned(),
            })
        }
        _ => None,
    }
}

/// Did somebody cut the log's end off, and say so?
fn is_cut(boot: &BootLog) -> bool {
    let last = boot.lines.iter().rev().find(|line| line.kind != LineKind::Blank);
    last.is_some_and(leaves_out)
}

/// Is what there is of the kernel a quotation: are lines left out of it, or does its author go on behind it, and says of no
/// end? Then it does not tell how the boot ended.
fn is_quoted(boot: &BootLog) -> bool {
    const HANGS: [&str; 8] = ["hang", "hung", "stuck", "freez", "froz", "stop", "halt", "dead"];
    const FENCES: [char; 4] = ['`', '~', '{', '<'];
    let from = boot.kernel_from.unwrap_or(boot.lines.len());
    let stamped = |line: &Line| line.printk_ns.is_some();
    let end = boot
        .lines
        .iter()
        .rposition(stamped)
        .map_or(boot.lines.len(), |at| at + 1);
    // Dots at the very end may be the last that was captured.
    let cut = |line: &Line| leaves_out(line) && !line.text.trim_start().starts_with(FENCES);
    let goes_on = (end..boot.lines.len()).any(|at| is_sentence(boot, at));
    let said = boot.lines.get(end..).unwrap_or_default().iter();
    let hangs = said
        .flat_map(|line| line.text.split(|c: char| !c.is_alphabetic()))
        .any(|word| HANGS.iter().any(|hang| word.to_ascii_lowercase().starts_with(hang)));
    (goes_on || boot.lines[from.min(end)..end].iter().any(cut)) && !hangs
}

fn ends_before_init(last: &Line) -> Failure {
    Failure {
        kind: FailureKind::EndsBeforeInit,
        line: last.number,
        text: shorten(last.text.trim()),
        meaning: "this is the last message; init was not seen to start".to_owned(),
    }
}

pub(super) fn speaks(line: &Line) -> bool {
    matches!(line.kind, LineKind::Firmware | LineKind::Kernel | LineKind::User) && !leaves_out(line)
}

/// The last thing of a boot that never came to user space, with all numbers taken out.
pub fn last_words(boot: &BootLog, kernel: &KernelFacts) -> Option<String> {
    if matches!(outcome(boot, kernel), Outcome::UserSpace | Outcome::NotShown) {
        return None;
    }
    // What a reset line or a progress bar prints after a panic says nothing.
    let last = match fatal(kernel) {
        Some(fault) => fault.text.as_str(),
        None => boot.lines.iter().rev().find(|l| speaks(l))?.text.trim(),
    };
    // A rule of a page's, or a progress bar, is nobody's last word.
    if !last.contains(char::is_alphabetic) {
        return None;
    }
    let mut text = String::new();
    for c in shorten(last).chars() {
        match c {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            c => text.push(c),
        }
    }
    Some(text)
}

/// Several boots in a row with the same last words.
pub fn boot_loop(endings: &[Option<String>]) -> Option<BootLoop> {
    let mut best: Option<BootLoop> = None;
    let mut run = 0_u64;
    for (at, ending) in endings.iter().enumerate() {
        run = match ending {
            Some(_) if at > 0 && endings[at - 1] == *ending => run + 1,
            Some(_) => 1,
            None => 0,
        };
        if let (Some(text), true) = (ending, run > 1 && best.as_ref().is_none_or(|b| b.boots < run)) {
            best = Some(BootLoop {
                boots: run,
                ends_with: text.clone(),
            });
        }
    }
    best
}

// SPDX-License-Identifier: MIT
//! What is printed on the way from a boot loader to the kernel: one table for whoever asks.

use serde::{Deserialize, Serialize};

/// A step of the hand-over to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Words, the step that they show, and whether they are the last of all before the kernel, in whichever log: those of
/// a first loader may also start a second one.
const WORDS: [(&str, Option<FirmwareStep>, bool); 24] = {
    use FirmwareStep::{Autoboot, BootingKernel, Decompressing, EfiStub, StartingKernel};
    [
        ("ow booting linux kernel", Some(StartingKernel), true),
        ("ow booting Linux kernel", Some(StartingKernel), true),
        ("Transferring control to Linux", Some(StartingKernel), true),
        ("Starting program at 0x", Some(StartingKernel), false),
        ("jump to 64-bit kernel entrypoint", Some(StartingKernel), true),
        ("Starting Kernel ...", Some(StartingKernel), true),
        ("INIT: Starting kernel at 0x", Some(StartingKernel), false),
        ("booting kernel with devicetree", Some(StartingKernel), false),
        ("Exit EBS        [", Some(StartingKernel), false),
        ("zImage starting: loaded at", Some(Decompressing), false),
        ("to stop autoboot", Some(Autoboot), false),
        ("Starting kernel ...", Some(StartingKernel), true),
        ("jumping to kernel", Some(StartingKernel), true),
        ("Jumping to kernel", Some(StartingKernel), true),
        ("Loaded kernel, jumping", Some(StartingKernel), false),
        ("commandline: console=", Some(StartingKernel), false),
        ("Exiting boot services", Some(EfiStub), false),
        ("EFI stub: ", Some(EfiStub), false),
        ("Uncompressing Linux", Some(Decompressing), false),
        ("Decompressing Linux", Some(Decompressing), false),
        ("decompressing kernel", Some(Decompressing), false),
        ("ooting the kernel", Some(BootingKernel), true),
        ("Jumping to 0x", Some(StartingKernel), false),
        ("Linux/PowerPC load: ", None, true),
    ]
};

/// The steps that a line shows.
pub fn steps(text: &str) -> impl Iterator<Item = FirmwareStep> + '_ {
    WORDS
        .iter()
        .filter(move |(words, ..)| text.contains(words))
        .filter_map(|(_, step, _)| *step)
}

/// A loader's or decompressor's last words: what follows comes from the kernel or, if that is quiet, from user space.
pub fn hands_over(text: &str) -> bool {
    WORDS.iter().any(|(words, _, last)| *last && text.contains(words)) || is_a_heading(text)
}

/// `****** Starting kernel ******`: nothing but the words, between marks.
fn is_a_heading(text: &str) -> bool {
    const HEADINGS: [&str; 4] = ["starting kernel", "starting linux", "booting kernel", "booting linux"];
    let text = text.trim();
    let words = text.trim_matches(|c: char| matches!(c, '*' | '=' | '-' | '#' | ' '));
    words.len() + 4 < text.len() && HEADINGS.iter().any(|heading| words.eq_ignore_ascii_case(heading))
}

/// Does a kernel, or systemd in its last step, say that it starts another kernel in its place? kernel/kexec_core.c:
/// `kernel_kexec()`; arm64's and arm's `machine_kexec()` behind a panic; systemd's src/shutdown/shutdown.c.
pub fn starts_another_kernel(text: &str) -> bool {
    const WORDS: [&str; 5] = [
        "kexec_core: Starting new kernel",
        "kexec: Starting new kernel",
        "Starting new kernel",
        "Starting crashdump kernel...",
        "Rebooting with kexec.",
    ];
    let text = text.trim();
    WORDS.contains(&text)
}

/// Is it what unpacks a kernel that was started by kexec: kexec-tools' purgatory, x86's decompressor?
pub fn unpacks(text: &str) -> bool {
    const WORDS: [&str; 15] = [
        "I'm in purgatory",
        "early console in ",
        "input_data: ",
        "input_len: ",
        "output: ",
        "output_len: ",
        "kernel_total_size: ",
        "needed_size: ",
        "trampoline_32bit: ",
        "Physical KASLR ",
        "Virtual KASLR ",
        "KASLR disabled",
        "Parsing ELF",
        "No relocation needed",
        "Performing relocations",
    ];
    let text = text.trim_start();
    WORDS.iter().any(|words| text.starts_with(words)) || steps(text).next().is_some()
}

/// Whether a line says that the kernel, or what a first loader starts in its place, is started now.
pub fn starts_kernel(text: &str) -> bool {
    steps(text).any(|step| step == FirmwareStep::StartingKernel)
}

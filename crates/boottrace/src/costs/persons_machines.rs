// SPDX-License-Identifier: MIT
//! Blocks of a kernel's lines without stamps, as old kernels print them: no words of a person, whatever they speak of.

use crate::log::line::{Line, LineKind};
use crate::log::sentence::is_sentence;

/// A shorter block may be somebody's list.
const LINES: usize = 8;
/// So many of its lines begin as the kernel's do, and so does one of so many.
const SURE: usize = 4;
const ONE_OF: usize = 4;
/// Parts of the kernel that begin their lines with their names.
const SPEAKERS: [&str; 16] = [
    "ACPI:",
    "PCI:",
    "PCI->APIC",
    "PM:",
    "NET:",
    "TCP:",
    "UDP",
    "VFS:",
    "Serial:",
    "Console:",
    "mtrr:",
    "usbcore:",
    "input:",
    "Memory:",
    "SCSI",
    "io scheduler",
];

/// The numbers of the lines of such blocks, in order; what is a sentence is left to whoever wrote it.
pub(super) fn numbers(lines: &[&Line]) -> Vec<u32> {
    let together = |a: &&Line, b: &&Line| !is_blank(a) && !is_blank(b);
    let blocks = lines.chunk_by(together).filter(|block| block.len() >= LINES);
    let of_kernel = blocks.filter(|block| {
        let sure = block.iter().filter(|line| begins_as_a_kernels(&line.text)).count();
        sure >= SURE && sure * ONE_OF >= block.len()
    });
    of_kernel
        .flatten()
        .filter(|line| !is_sentence(line.text.trim()))
        .map(|line| line.number)
        .collect()
}

fn is_blank(line: &Line) -> bool {
    line.kind == LineKind::Blank || line.text.trim().is_empty()
}

/// `PCI: `, `hda7: `, `frob 0000:00:17.1: `: who speaks stands in front.
fn begins_as_a_kernels(text: &str) -> bool {
    let text = text.trim_start();
    let mut words = text.split_ascii_whitespace().take(2);
    let device = |word: &str| {
        let name = word.strip_suffix(':').unwrap_or("");
        let lower = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        lower && name.len() <= 16 && name.contains(|c: char| c.is_ascii_digit()) && !name.contains("//")
    };
    SPEAKERS.iter().any(|speaker| text.starts_with(speaker)) || words.any(device)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn of(text: &str) -> Vec<u32> {
        let lines = lines_of(text);
        numbers(&lines.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_kernels_lines_are_no_persons() {
        let kernel = "PCI: Probing PCI hardware\nfrob7: ready\nProbing frob interface\nNET: family 7\nhdq1: 3 ports\n\
                      quux 0000:00:17.1: up\nfrob driver\nboot flag set\n";
        assert_eq!(of(kernel), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(
            of(&format!("{kernel}It boots, but that takes a long time here.\n")).len(),
            8
        );
        // A few of them, and a list that a person wrote.
        assert!(of("PCI: Probing\nfrob7: ready\nNET: family 7\nhdq1: 3 ports\n").is_empty());
        let list = "OS: Frob 7\nBoard: quux\nRAM: 2 GB\nDisk: 7 GB\nStart: slow\nBIOS: 1.7\nUSB: none\nCPU: 2\n";
        assert!(of(list).is_empty());
    }
}

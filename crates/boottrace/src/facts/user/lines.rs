// SPDX-License-Identifier: MIT
//! The lines of a boot that programs printed, without what the kernel wrote into them.

use serde::{Deserialize, Serialize};

use super::sign::{parts, signs, Sign};
use crate::log::line::{Line, LineKind};

/// What a program printed in one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UserLine {
    /// Which of the lines it is, from 0.
    pub index: usize,
    /// The program's part of the line.
    pub text: String,
    /// False when the kernel's message ends the line: when the program's part came is not known then.
    pub whole: bool,
    /// What it shows.
    pub signs: Vec<Sign>,
}

/// Lines of a console as they came, kernel and programs among each other. Nobody types on it: what stands behind a prompt
/// is another program's, and a line of its own with the same index.
pub fn of_texts<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<UserLine> {
    let own = |(index, text): (usize, &'a str)| {
        let kernel = crate::log::kernel_start(text);
        let text = behind_firmware(&text[..kernel.unwrap_or(text.len())]);
        parts(text)
            .into_iter()
            .filter_map(move |part| line(index, part, kernel.is_none()))
    };
    lines.enumerate().flat_map(own).collect()
}

/// Lines of a boot whose prefixes were read. systemd writes into the kernel's log until the journal runs.
pub fn of_boot(lines: &[Line]) -> Vec<UserLine> {
    let own = |(index, one): (usize, &Line)| {
        let user = one.kind == LineKind::User || one.text.starts_with("systemd[1]: ");
        user.then(|| line(index, &one.text, true)).flatten()
    };
    lines.iter().enumerate().filter_map(own).collect()
}

fn line(index: usize, text: &str, whole: bool) -> Option<UserLine> {
    let own = behind_firmware(text);
    // The kernel's own words where it prints no stamps, and may do at any time.
    let kernels = own.trim_start().starts_with("random: ");
    (!kernels && !own.trim().is_empty()).then(|| UserLine {
        index,
        text: own.to_owned(),
        whole,
        signs: signs(own),
    })
}

/// SeaBIOS ends without a line's end: where the kernel is quiet, user space writes behind it.
fn behind_firmware(text: &str) -> &str {
    const FROM: [&str; 5] = ["ROM", "Hard Disk", "DVD/CD", "Floppy", "CBFS"];
    let Some((_, rest)) = text.split_once("Booting from ") else {
        return text;
    };
    let behind = FROM
        .iter()
        .find_map(|medium| rest.strip_prefix(medium)?.strip_prefix(".."));
    behind.map_or(text, |rest| rest.strip_prefix('.').unwrap_or(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_and_the_firmware_are_taken_out() {
        let lines = [
            "[    0.000000] Linux version 6.1.0",
            "SeaBIOS (version 1.16) Booting from ROM..Welcome to Buildroot!",
            "poky login: [    3.000000] random: crng init done",
            "  ",
        ];
        let found = of_texts(lines.into_iter());
        let told: Vec<_> = found
            .iter()
            .map(|l| (l.index, l.text.as_str(), l.whole, l.signs.len()))
            .collect();
        assert_eq!(
            told,
            [(1, "Welcome to Buildroot!", true, 1), (2, "poky login: ", false, 1)]
        );
    }
}

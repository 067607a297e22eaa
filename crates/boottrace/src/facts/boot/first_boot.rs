// SPDX-License-Identifier: MIT
//! Whether a boot is the first one of its system: what only happens then, and what says that it happened before.

use serde::{Deserialize, Serialize};

use crate::log::boot_log::BootLog;
use crate::text::shorten::shorten;

/// What tells the first boot of a system from a later one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstBoot {
    /// True: it is the first. False: it is a later one.
    pub first: bool,
    /// Physical line that shows it, of a text.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub line: Option<u32>,
    /// Its words, or the unit that ran.
    pub shown_by: String,
}

/// Words of systemd (src/core/main.c, manager.c, src/core/machine-id-setup.c), and of cloud-init's look for a cache.
const FIRST: [&str; 6] = [
    "Detected first boot.",
    "Populated /etc with preset unit settings.",
    "Initializing machine ID from ",
    "Starting First Boot Wizard",
    "Starting systemd-firstboot.service",
    "check-cache: SUCCESS: no cache found",
];
/// A condition that only a first boot meets was not met, or cloud-init found what its first run had left.
const LATER: [&str; 3] = [
    "(ConditionFirstBoot=yes)",
    "ConditionFirstBoot=yes was not met",
    "check-cache: SUCCESS: restored from cache",
];

/// Units that only run on a system's first boot, as their names begin; all are of public distributions and boards.
const UNITS: [&str; 13] = [
    "systemd-firstboot.service",
    "systemd-machine-id-commit.service",
    "first-boot",
    "firstboot",
    "sshd-keygen",
    "sshdgenkeys.service",
    "regenerate_ssh_host_keys.service",
    "resize2fs_once.service",
    "rpi-resize",
    "armbian-firstrun.service",
    "armbian-resize-filesystem.service",
    "dietpi-firstboot.service",
    "initial-setup.service",
];

/// What a boot's lines say; the first sign that it is a first boot counts before any that it is a later one.
pub fn first_boot(boot: &BootLog) -> Option<FirstBoot> {
    let shown = |words: &[&str], first: bool| {
        let says = |text: &str| words.iter().any(|known| text.contains(known));
        boot.lines.iter().find(|line| says(&line.text)).map(|line| FirstBoot {
            first,
            line: Some(line.number),
            shown_by: shorten(line.text.trim()),
        })
    };
    shown(&FIRST, true).or_else(|| shown(&LATER, false))
}

/// What the names of units that ran say: only that it is a first boot.
pub fn of_units<'a>(mut units: impl Iterator<Item = (&'a str, Option<u32>)>) -> Option<FirstBoot> {
    units
        .find(|(unit, _)| UNITS.iter().any(|known| unit.starts_with(known)) && unit.ends_with(".service"))
        .map(|(unit, line)| FirstBoot {
            first: true,
            line,
            shown_by: unit.to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::boot_log::BootStart;
    use crate::log::line::Line;

    fn boot(lines: &[&str]) -> BootLog {
        let mut log = BootLog::new(BootStart::MiddleOfLog);
        log.lines = (1..)
            .zip(lines)
            .map(|(number, text)| Line::plain(number, 0, (*text).to_owned()))
            .collect();
        log
    }

    #[test]
    fn first_and_later_boots_are_told_apart() {
        let first = first_boot(&boot(&["systemd 252 running", "Detected first boot."])).expect("said");
        assert!(first.first && first.line == Some(2));
        let wizard = "systemd-firstboot.service - First Boot Wizard was skipped because of an unmet condition check \
                      (ConditionFirstBoot=yes).";
        assert!(!first_boot(&boot(&["Linux version 6.1", wizard])).expect("said").first);
        let old = "Condition check resulted in First Boot Wizard being skipped. (ConditionFirstBoot=yes)";
        assert!(!first_boot(&boot(&[old])).expect("said").first);
        let cache = "handlers.py[DEBUG]: finish: init-local/check-cache: SUCCESS: no cache found";
        assert!(first_boot(&boot(&[cache])).expect("said").first);
        let again = "handlers.py[DEBUG]: finish: init-network/check-cache: SUCCESS: restored from cache with run check";
        assert!(!first_boot(&boot(&[again])).expect("said").first);
        assert_eq!(first_boot(&boot(&["Reached target First Boot Complete."])), None);
    }

    #[test]
    fn units_that_ran_show_a_first_boot_and_never_a_later_one() {
        let ran = [("docker.service", Some(1)), ("sshd-keygen@rsa.service", Some(2))];
        assert_eq!(of_units(ran.into_iter()).expect("said").line, Some(2));
        assert_eq!(of_units([("first-boot-complete.target", None)].into_iter()), None);
    }
}

// SPDX-License-Identifier: MIT
//! Who speaks beside the course of a boot, and who for init.

use super::part::BootPart;
use crate::log::course::comes_by_itself;
use crate::log::line::Line;

/// A message of a timer's or of another thread's, that says nothing of whether the boot goes on: the silence around it is
/// one (arch/x86/kernel/tsc.c, kernel/time/clocksource.c, drivers/regulator/core.c, drivers/char/random.c).
pub(crate) fn in_background(line: &Line, part: BootPart) -> bool {
    const STARTS: [&str; 6] = [
        "tsc: Refined TSC clocksource calibration",
        "clocksource: tsc: mask",
        "clocksource: Switched to clocksource tsc",
        "Switched to clocksource tsc",
        "Refined TSC clocksource calibration",
        "random: fast init done",
    ];
    let text = line.text.trim();
    STARTS.iter().any(|start| text.starts_with(start))
        || comes_by_itself(text)
        || text.ends_with(": incomplete constraints, leaving on")
        || text.strip_suffix(": disabling").is_some_and(|name| !name.contains(' '))
        // A timer's (drivers/base/dd.c, `deferred_probe_timeout_work_func()`): what is pending holds nobody up.
        || text.contains(": deferred probe pending")
        // Programs may wait for it; the kernel itself does not.
        || (part == BootPart::Kernel && text.starts_with("random: crng init done"))
}

/// Words of an init that still starts something.
pub(super) fn speaks_for_init(line: &Line) -> bool {
    const STARTS: [&str; 7] = [
        "systemd[1]: ",
        "[  OK  ] ",
        "INIT: ",
        "init: ",
        "procd: ",
        "Starting ",
        " * Starting ",
    ];
    let text = line.text.trim_start();
    // That a service's program has ended: it may be restarted as often as it likes.
    if text.starts_with("init: waitpid returned ") {
        return false;
    }
    line.process.as_deref() == Some("systemd") || STARTS.iter().any(|start| text.starts_with(start))
}

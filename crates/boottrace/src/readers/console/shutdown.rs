// SPDX-License-Identifier: MIT
//! A machine that goes down: what systemd prints when it stops what runs.

use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::{shuts_down, stops_late};
use crate::log::hints::is_kernel_fault;
use crate::log::line::Line;
use crate::log::starting::shows_a_start;
use crate::text::shorten::shorten;

/// systemd's lines of a machine that goes down: it stops units, and starts none but those that end the system.
pub(super) fn shutdown(log: &BootLog) -> Option<(&'static str, String)> {
    if log.start != BootStart::MiddleOfLog {
        return None;
    }
    let shows = |l: &Line| shows_a_start(l) || is_kernel_fault(&l.text);
    let (mut stops, mut starts, mut first) = (0_u32, 0_u32, None);
    for line in &log.lines {
        if shows(line) {
            return None;
        }
        match course(line) {
            Some(Course::Down) => {
                stops += 1;
                first = first.or(Some(line));
            }
            Some(Course::Up) => starts += 1,
            None => {}
        }
    }
    let line = first.filter(|_| stops > 5 * starts)?;
    let why = format!(
        "line {} says `{}`, and next to no line starts anything: what is shown is stopped",
        line.number,
        shorten(line.text.trim())
    );
    Some(("shutdown", why))
}

/// Where systemd goes.
enum Course {
    Up,
    Down,
}

/// What a line of systemd's says of that.
fn course(line: &Line) -> Option<Course> {
    const DOWN: [&str; 9] = [
        "Stopping ",
        "Stopped ",
        "Unmounting ",
        "Unmounted ",
        "Deactivating ",
        "Deactivated ",
        "Removed slice ",
        "Closed ",
        "Shutting down",
    ];
    const UP: [&str; 7] = [
        "Starting ",
        "Started ",
        "Mounting ",
        "Mounted ",
        "Finished ",
        "Listening on ",
        "Reached target ",
    ];
    /// Units that end the system.
    const LAST: [&str; 10] = [
        "shutdown-ramfs",
        "Shutdown",
        "Unmount All",
        "Final Step",
        "Power-Off",
        "Power Off",
        "Reboot",
        "Halt",
        "poweroff",
        "shutdown.target",
    ];
    let text = line.text.trim_start();
    let text = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((state, said)) if state.trim() == "OK" || state.contains('*') => said.trim_start(),
        _ => text.strip_prefix("systemd[1]: ").unwrap_or(text),
    };
    if DOWN.iter().any(|start| text.starts_with(start)) || stops_late(text) || shuts_down(line) {
        return Some(Course::Down);
    }
    let last = || LAST.iter().any(|unit| text.contains(unit));
    UP.iter()
        .any(|start| text.starts_with(start))
        .then(|| if last() { Course::Down } else { Course::Up })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_systemd_goes() {
        let of = |text: &str| match course(&Line::plain(1, 0, text.to_owned())) {
            Some(Course::Up) => "up",
            Some(Course::Down) => "down",
            None => "",
        };
        for (text, to) in [
            ("systemd[1]: Stopped frob.service - Frob.", "down"),
            ("[  OK  ] Unmounted /srv/frob.", "down"),
            ("systemd[1]: Reached target Shutdown.", "down"),
            ("systemd[1]: frob.scope: Stopping timed out. Killing.", "down"),
            ("         Starting Frob Daemon...", "up"),
            ("frob: Stopped", ""),
        ] {
            assert_eq!(of(text), to, "{text}");
        }
    }
}

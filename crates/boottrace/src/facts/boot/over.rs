// SPDX-License-Identifier: MIT
//! From which line on nothing more is the boot's, where neither a prompt nor systemd's account shows its end: somebody uses the
//! system, it serves others, or nothing ties what follows to the boot.

use super::inside::{begin, of_the_kernel, Course};
use crate::log::boot_log::BootLog;
use crate::log::breaks::{is_session, shuts_down};
use crate::log::in_use::{ends_a_start, is_in_use};
use crate::log::line::Line;
use crate::log::starting::{is_progress, starts_system};

/// The line with which systemd reaches the last of the targets that a system starts for (units/multi-user.target,
/// units/graphical.target).
pub(crate) fn goal(boot: &BootLog) -> Option<u32> {
    boot.lines
        .iter()
        .rev()
        .find(|line| reaches_goal(line))
        .map(|line| line.number)
}

/// `Reached target Multi-User System.`, `[  OK  ] Reached target graphical.target - Graphical Interface.`
fn reaches_goal(line: &Line) -> bool {
    let text = line.text.trim();
    let by_manager = line.process.as_deref().is_none_or(|name| name == "systemd");
    let said = text.strip_prefix("systemd[1]: ").or_else(|| {
        let (state, said) = text.strip_prefix('[')?.split_once(']')?;
        (state.trim() == "OK").then_some(said.trim_start())
    });
    let name = said.unwrap_or(text).strip_prefix("Reached target ");
    by_manager
        && name.is_some_and(|name| {
            name.starts_with("Multi-User")
                || name.starts_with("Graphical Interface")
                || name.contains("multi-user.target")
                || name.contains("graphical.target")
        })
}

/// The first line that is none of the boot's. A piece may show what it likes, and is not looked at.
pub(crate) fn over(boot: &BootLog) -> Option<u32> {
    let Some(init) = begin(boot) else {
        return of_the_kernel(boot);
    };
    let course = Course::of(boot);
    // Whoever goes down starts nothing more.
    let down = boot.lines.iter().skip(init + 1).position(shuts_down);
    let end = down.map_or(boot.lines.len(), |at| init + 1 + at);
    let started = course.last(init, end, starts_system);
    let is_used = |line: &Line| is_in_use(line) || is_session(&line.text);
    let used = (started + 1..end).find(|at| is_used(&boot.lines[*at]));
    let to = used.unwrap_or(end);
    let sign = course.last(started, to, is_progress);
    // What ends a start by its own account shows that it went on until then.
    if let Some(at) = used.filter(|at| ends_a_start(&boot.lines[*at]) && course.is_near(sign, *at)) {
        return Some(boot.lines[at].number);
    }
    let later = course.later(sign, to, course.grace(init, sign));
    later.or(used.map(|at| boot.lines[at].number))
}

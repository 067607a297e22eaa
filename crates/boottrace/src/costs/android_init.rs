// SPDX-License-Identifier: MIT
//! Commands and services that Android's init waits for, by its own account (system/core/init/action.cpp, service.cpp):
//! `init: Command 'restorecon /data' action=post-fs-data (/init.rc:770) took 1532ms and succeeded`.

use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use crate::facts::boot::stage::StageEvent;
use crate::text::shorten::shorten;

/// Shorter ones are not worth a line.
const SHORTEST_NS: i64 = 200_000_000;
/// Longer ones are no times.
const LONGEST_MS: i64 = 3_600_000;
/// Commands told.
const LISTED: usize = 5;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let used = context.stages.iter().find(|stage| stage.event == StageEvent::FirstUse);
    let end = used.and_then(|stage| stage.line).unwrap_or(u32::MAX);
    let lines = context.boot.lines.iter().take_while(|line| line.number <= end);
    let mut told: Vec<(i64, u32, &str, &str)> = lines
        .filter_map(|line| {
            let (command, ns) = command(&line.text)?;
            (ns >= SHORTEST_NS).then_some((ns, line.number, command, line.text.trim()))
        })
        .collect();
    told.sort_by_key(|(ns, line, ..)| (std::cmp::Reverse(*ns), *line));
    for (ns, line, command, text) in told.into_iter().take(LISTED) {
        out.push(Cost::printed(
            CostKind::StatedTime,
            format!("Android's init runs `{}`", shorten(command)),
            Some(ns),
            vec![line],
            format!("{} by its own account: `{}`", spell(ns), shorten(text)),
            "init does one command after the other: move it behind sys.boot_completed, run it as a service of its own, \
             or leave out what is done already (restorecon of a large /data)",
        ));
    }
}

/// The command and its time.
fn command(text: &str) -> Option<(&str, i64)> {
    let said = text.trim().strip_prefix("init: ").unwrap_or(text.trim());
    let (command, rest) = said.strip_prefix("Command '")?.split_once('\'')?;
    let ms: i64 = rest.rsplit_once(" took ")?.1.split_once("ms")?.0.parse().ok()?;
    (0..=LONGEST_MS).contains(&ms).then_some((command, ms * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_init_says_of_a_command() {
        let text =
            "init: Command 'restorecon --recursive /data' action=post-fs-data (/init.rc:770) took 1532ms and succeeded";
        assert_eq!(command(text), Some(("restorecon --recursive /data", 1_532_000_000)));
        for text in [
            "init: Command 'x' took ms",
            "init: Command 'x took 5ms",
            "Command 'x' took -5ms",
            "took 5ms",
            "",
        ] {
            assert_eq!(command(text), None, "{text}");
        }
    }
}

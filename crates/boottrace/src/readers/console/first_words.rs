// SPDX-License-Identifier: MIT
//! One file to which each boot's console is added: where only a stamp that goes back divides two boots, the next one begins
//! with the words with which the first began, before its first stamp.

use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::hints::{begins_user_space, starts_unit};
use crate::log::line::Line;

/// Gives each boot what it printed before its first stamp.
pub(super) fn give(out: &mut Split) {
    let Some(words) = out.boots.first().and_then(first_words) else {
        return;
    };
    for at in 1..out.boots.len() {
        let (earlier, later) = out.boots.split_at_mut(at);
        let (Some(boot), Some(next)) = (earlier.last_mut(), later.first_mut()) else {
            return;
        };
        let follows = boot.span().1.saturating_add(1) == next.span().0 && next.start == BootStart::MiddleOfLog;
        let Some(from) = begins_again(boot, &words).filter(|_| follows) else {
            continue;
        };
        let mut own = boot.give_up_from(from);
        own.append(&mut next.lines);
        next.lines = own;
        (next.kernel_from, next.user_from) = (Some(0), Some(0));
    }
}

/// The words without a stamp with which a piece begins, where an init says them that starts a system.
fn first_words(boot: &BootLog) -> Option<String> {
    let line = boot.lines.iter().find(|line| !line.text.trim().is_empty())?;
    let starts = starts_unit(&line.text) || begins_user_space(&line.text);
    (boot.start == BootStart::MiddleOfLog && !is_stamped(line) && starts).then(|| line.text.trim().to_owned())
}

/// Where behind its last stamp a boot's lines begin with those words.
fn begins_again(boot: &BootLog, words: &str) -> Option<usize> {
    let last = boot.lines.iter().rposition(is_stamped)? + 1;
    let found = boot.lines[last..].iter().position(|line| line.text.trim() == words)?;
    Some(last + found)
}

fn is_stamped(line: &Line) -> bool {
    line.has_kernel_prefix() || line.host_ns.is_some()
}

#[cfg(test)]
mod tests {
    use super::super::own_start::tests::spans;

    #[test]
    fn each_boot_begins_with_the_same_words() {
        let boot = |s: u32| {
            format!(
                "[  OK  ] Started Frob Screen.\n[  OK  ] Reached target Paths.\n\
                 [   {s}.661660] quuxd[7]: ready\n[   {s}.761660] quuxd[7]: at work\n[  OK  ] Started Quux.\n"
            )
        };
        let text = format!("{}{}{}", boot(18), boot(16), boot(15));
        assert_eq!(spans(&text), [(1, 5), (6, 10), (11, 15)]);
    }
}

// SPDX-License-Identifier: MIT
//! Lines that somebody chose out of a log: the time between two of them is none in which nothing was printed.

use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::chooses_lines;
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::text::shorten::shorten;

/// How far before the first line the command may stand.
const NEAR: u32 = 3;
/// A log that has as many lines before the command shows more than the command's choice.
const FEW: usize = 10;

/// Says which command chose the lines. `outside`: the input's lines that belong to no boot; `before`: the last lines of the
/// piece before, which may hold the next command.
pub fn excerpt(log: &BootLog, outside: &[Line], before: &[Line]) -> Option<(&'static str, String)> {
    let (from, _) = log.span();
    let near = |line: &&Line| line.number <= from && line.number + NEAR >= from;
    let mut words: Vec<&Line> = before.iter().chain(outside).filter(near).collect();
    words.sort_by_key(|line| line.number);
    let at_front = command(&words);
    let within = || {
        let spoken = log.lines.iter().filter(|line| line.kind != LineKind::Blank);
        let first: Vec<&Line> = spoken.take(FEW).collect();
        (log.start == BootStart::MiddleOfLog).then(|| command(&first)).flatten()
    };
    if let Some(prompt) = outside.iter().rev().filter(near).find(|line| is_idle_prompt(line)) {
        let middle =
            log.start == BootStart::MiddleOfLog && log.lines.iter().all(|line| milestone::of(&line.text).is_none());
        return middle.then(|| {
            let why = format!(
                "line {} is a shell's prompt at which nothing runs, before the kernel's first message here: the system was up",
                prompt.number
            );
            ("running-system", why)
        });
    }
    let (number, command) = at_front.or_else(within)?;
    let why = format!(
        "line {number} runs `{}`: what it prints is a choice of lines, so no silence is told, and no cost but what a line itself states; give all of the log",
        shorten(&command)
    );
    Some(("excerpt", why))
}

/// A shell's prompt with nothing typed behind it: `root@box:~#`, `/ #`.
fn is_idle_prompt(line: &Line) -> bool {
    let text = line.text.trim();
    let end = text.ends_with(['#', '$']);
    let place = text.contains(":~")
        || text.contains(":/")
        || text.contains('@')
        || text.starts_with("/ ")
        || text.starts_with("~ ");
    !line.has_kernel_prefix()
        && line.process.is_none()
        && end
        && place
        && (3..=60).contains(&text.len())
        && !text.contains("  ")
}

/// The last of some lines that holds a command which chooses lines, and the command; a mail may have broken it in two.
fn command(lines: &[&Line]) -> Option<(u32, String)> {
    let bare = |line: &Line| !line.has_kernel_prefix() && line.process.is_none();
    let typed = |at: usize| {
        let line = lines[at];
        let whole = chooses_lines(&line.text).map(str::to_owned);
        let broken = || {
            let next = lines.get(at + 1)?;
            let follows = bare(next) && next.number == line.last_number() + 1;
            let joined = format!("{} {}", line.text.trim_end(), next.text.trim_start());
            follows.then(|| chooses_lines(&joined).map(str::to_owned)).flatten()
        };
        let found = bare(line).then(|| whole.or_else(broken)).flatten()?;
        Some((line.number, found))
    };
    (0..lines.len()).rev().find_map(typed)
}

// SPDX-License-Identifier: MIT
//! A text in which nothing was read, and that speaks of a start all the same: that is said, and not that it holds no boot.

use super::document::{NotABoot, Part};
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// `what` of such a text.
const WHAT: &str = "untold";
/// Steps of start scripts, as sysvinit's, OpenRC's and the distributions' scripts print them.
const STEPS: [&str; 14] = [
    "Starting ",
    "Mounting ",
    "Remounting ",
    "Checking ",
    "Setting ",
    "Bringing up ",
    "Enabling ",
    "Activating ",
    "Loading ",
    "Initializing ",
    "Configuring ",
    "Restoring ",
    "Synchronizing ",
    "Cleaning ",
];
/// So many of them are a start.
const LEAST: usize = 3;
/// Words for a start, in the languages in which people ask.
const STARTS: [&str; 18] = [
    "boot",
    "start-up",
    "startup",
    "power on",
    "power-on",
    "systemd",
    "initramfs",
    "hochfahren",
    "systemstart",
    "démarrage",
    "arranque",
    "inicialização",
    "avvio",
    "загруз",
    "부팅",
    "起動",
    "启动",
    "开机",
];

/// What is said of the lines outside of all boots where no part was found.
pub(super) fn of_text(outside: &[Line]) -> Option<(u32, Part)> {
    let steps: Vec<&Line> = outside.iter().filter(|line| is_step(&line.text)).collect();
    let why = match steps.first() {
        Some(first) if steps.len() >= LEAST => format!(
            "{} lines of start scripts, and nothing was read that tells how long what of it took; the first, line {}: `{}`",
            steps.len(),
            first.number,
            shorten(first.text.trim())
        ),
        _ => {
            // What the audit denies names programs, and says nothing of them.
            let record = |line: &Line| line.text.contains(" audit(") || line.text.contains("avc: ");
            let line = outside
                .iter()
                .find(|line| !record(line) && !is_of_a_build(&line.text) && speaks(&line.text))?;
            format!(
                "line {} speaks of a start, and nothing was read that tells how long what of it took: `{}`",
                line.number,
                shorten(line.text.trim())
            )
        }
    };
    let (first, last) = (outside.first()?.number, outside.last()?.number);
    let part = NotABoot {
        from_line: first,
        to_line: last,
        what: WHAT.to_owned(),
        why,
    };
    Some((first, Part::NotABoot(part)))
}

/// A compiler, a linker or make at work: what they name are files.
fn is_of_a_build(text: &str) -> bool {
    const TOOLS: [&str; 8] = ["gcc", "g++", "cc", "ld", "ar", "objcopy", "clang", "as"];
    let first = text.split_whitespace().next().unwrap_or("");
    let tool = first.rsplit(['-', '/']).next().unwrap_or("");
    let object = |word: &str| matches!(word.rsplit_once('.'), Some((_, "o" | "c" | "S")));
    first.starts_with("make[")
        || first == "make:"
        || (TOOLS.contains(&tool) && text.contains(" -"))
        || text.split_whitespace().filter(|word| object(word)).count() > 1
}

fn is_step(text: &str) -> bool {
    // A program says `Setting frob: 3` too, and no start script does without how it ended.
    const ENDS: [&str; 4] = [": OK", ": done", ": done.", ":"];
    let text = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
    // A package manager's: `Setting up frob:amd64 (1.2-3) ...`
    let package = text.starts_with("Setting up ") && text.trim_end().ends_with(") ...");
    let ended = text.contains(" OK ") || text.contains("...") || ENDS.iter().any(|end| text.trim_end().ends_with(end));
    !package && ended && STEPS.iter().any(|step| text.starts_with(step))
}

/// Not in a path or a name: `arch/riscv/boot/Image`.
pub(super) fn speaks(text: &str) -> bool {
    // A table's row names parts of a system.
    if text.matches('|').count() > 2 {
        return false;
    }
    let lower = text.to_lowercase();
    let of_a_name = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | '=' | '@' | ':');
    STARTS.iter().any(|word| {
        lower.match_indices(word).any(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let behind = lower[at + word.len()..].chars().next();
            // A framework's name.
            let named = lower[..at].ends_with("spring ");
            // `bootm.o`: a file's name.
            let end = lower[at..]
                .find(char::is_whitespace)
                .map_or(lower.len(), |end| at + end);
            let whole = lower[at..end].trim_end_matches(|c: char| !c.is_alphanumeric());
            let named = named || whole.is_ascii() && whole.contains(['.', '/', '_', '=', '@']);
            // `'flag': 'boot'`: a value of data.
            let quoted = before == behind && matches!(before, Some('\'' | '"'));
            !word.is_ascii()
                || !(quoted
                    || named
                    || before.is_some_and(of_a_name)
                    || behind.is_some_and(|c| matches!(c, '/' | '_' | '.' | '=' | '@')))
        })
    })
}

// SPDX-License-Identifier: MIT
//! Tables of a boot's steps with their times, as tools other than systemd's print them: runit-startuptime, OpenRC's
//! rc-analyze, cloud-init analyze blame, Android's boot_progress.

use super::cost::Cost;
use super::stated_time::length;
use crate::log::line::Line;
use crate::readers::userspace::systemd_analyze::without_remark;
use crate::text::shorten::shorten;

/// Steps told.
const LISTED: usize = 5;
/// Lines looked at.
const MOST: usize = 5_000;
/// Shorter steps are not told.
const SHORTEST_NS: i64 = 100_000_000;
/// Lines without a row that end a table.
const BETWEEN: u32 = 3;
/// What begins such a table, and how its rows are made.
const TOOLS: [(&str, Rows); 6] = [
    ("runit-startuptime", Rows::NameFirst),
    ("rc-analyze blame", Rows::TimeFirst),
    ("cloud-init analyze blame", Rows::TimeFirst),
    ("-- Boot Record ", Rows::TimeFirst),
    ("boot_progress_start", Rows::Marks),
    ("state='start'", Rows::Durations),
];

/// How a table's rows are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    /// `02-udev  2.413 s`
    NameFirst,
    /// `10.149s hwclock`
    TimeFirst,
    /// `boot_progress_preload_end: 14350`, milliseconds since the kernel's start.
    Marks,
    /// `expect state='stop', result=(0, b'Linux version 6'), duration=42.025`: labgrid's steps, seconds.
    Durations,
}

/// A step: its name, how long it took, its line.
type Step<'a> = (&'a str, i64, &'a Line);

/// The longest steps of the first such table.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let lines: Vec<&Line> = lines.take(MOST).collect();
    let tool = |line: &&Line| {
        TOOLS
            .iter()
            .find(|(name, _)| line.text.contains(name))
            .map(|(_, rows)| *rows)
    };
    let named = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| Some((at, tool(line)?)));
    // A page names the tool before it shows what it prints.
    let tables = named.map(|(at, rows)| match rows {
        Rows::Marks => between_marks(&lines[at..]),
        Rows::Durations => durations(&lines[at..]),
        _ => rows_behind(&lines[at + 1..], rows),
    });
    let of_labgrid = |steps: &[Step]| steps.iter().all(|(name, ..)| name.contains("state='stop'"));
    let is_table = |steps: &Vec<Step>| steps.len() > 1 || (!steps.is_empty() && of_labgrid(steps));
    let Some(mut steps) = tables.into_iter().find(is_table) else {
        return Vec::new();
    };
    steps.retain(|(name, ns, _)| *ns >= SHORTEST_NS && !name.eq_ignore_ascii_case("total"));
    steps.sort_by_key(|(_, ns, _)| std::cmp::Reverse(*ns));
    steps.truncate(LISTED);
    let advice = "see what that step does, and whether it is needed before the goal";
    let costs = steps.into_iter().map(|(name, ns, line)| cost(name, ns, line, advice));
    costs.collect()
}

fn rows_behind<'a>(lines: &[&'a Line], rows: Rows) -> Vec<Step<'a>> {
    let mut steps: Vec<(usize, Step<'a>)> = Vec::new();
    let mut bare = 0;
    for line in lines {
        let depth = line.text.len() - line.text.trim_start().len();
        if let Some((name, ns)) = row(&line.text, rows) {
            // A step with parts of its own is their sum.
            if let Some((above, _)) = steps.last().copied().filter(|_| rows == Rows::NameFirst) {
                if depth > above {
                    steps.pop();
                }
            }
            steps.push((depth, (name, ns, line)));
            bare = 0;
        } else {
            bare += u32::from(!line.text.trim().is_empty());
        }
        let closed = !steps.is_empty() && line.text.trim_start().starts_with("```");
        if bare >= BETWEEN || closed {
            break;
        }
    }
    steps.into_iter().map(|(_, step)| step).collect()
}

fn row(text: &str, rows: Rows) -> Option<(&str, i64)> {
    let text = text.trim();
    match rows {
        Rows::NameFirst => {
            let (name, time) = text.split_once(char::is_whitespace)?;
            let mut words = without_remark(time.trim()).split_ascii_whitespace();
            let ns = length(words.next()?, words.next(), &[])?;
            words.next().is_none().then_some((name, ns))
        }
        Rows::TimeFirst => {
            let (time, name) = text.split_once(' ')?;
            let name = without_remark(name.trim());
            // What stands behind a step's name, away from it or behind a path, is somebody's remark.
            let (step, remark) = name.split_once(' ').unwrap_or((name, ""));
            let apart = remark.is_empty() || remark.starts_with(' ') || step.contains('/');
            let step = step.trim_matches(['(', ')']);
            let ns = length(time, None, &[])?;
            (!step.is_empty() && apart).then_some((step, ns))
        }
        Rows::Marks | Rows::Durations => None,
    }
}

/// Steps that end with a mark of Android's boot: the time since the mark before it.
fn between_marks<'a>(lines: &[&'a Line]) -> Vec<Step<'a>> {
    const NAMES: [&str; 3] = ["boot_progress_", "sf_stop_bootanim", "wm_boot_animation_done"];
    /// Both of the processes from which programs are started say that they start.
    const BOTH_NS: i64 = 2_000_000_000;
    let mut steps = Vec::new();
    let (mut began, mut before): (Option<i64>, Option<i64>) = (None, None);
    for line in lines {
        let words = line
            .text
            .split([' ', '|', ':', ',', '[', ']', '`', '(', ')', '\t'])
            .filter(|word| !word.is_empty());
        let mut words = words.skip_while(|word| !NAMES.iter().any(|name| word.starts_with(name)));
        let Some((name, ms)) = words.next().zip(words.next().and_then(|word| word.parse::<i64>().ok())) else {
            continue;
        };
        let ns = ms.saturating_mul(1_000_000);
        // The framework starts anew, after it fell over or was given the key of the user's data: who was waited for before
        // that, nobody can see.
        let starts = name == "boot_progress_start";
        if starts && began.is_some_and(|began| ns.saturating_sub(began) > BOTH_NS) {
            break;
        }
        began = began.or(Some(ns).filter(|_| starts));
        // Times that go back are another boot's.
        match before {
            Some(last) if ns < last => break,
            Some(last) => steps.push((name, ns - last, *line)),
            None => {}
        }
        before = Some(ns);
    }
    steps
}

/// The steps of a test that say how long they took.
fn durations<'a>(lines: &[&'a Line]) -> Vec<Step<'a>> {
    let step = |line: &&'a Line| {
        let (name, rest) = line.text.trim().split_once(", duration=")?;
        let number = rest.split([',', ' ', ')']).next()?;
        let ns = length(number, Some("s"), &[])?;
        name.contains(" state='stop'").then_some((name, ns, *line))
    };
    lines.iter().filter_map(step).collect()
}

/// A row of a table as a cost.
pub(super) fn cost(name: &str, ns: i64, line: &Line, advice: &str) -> Cost {
    Cost::stated_by(format!("the step `{}`", shorten(name)), ns, line, "the table", advice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn of(text: &str) -> Vec<(String, i64)> {
        let lines = lines_of(text);
        let found = of_lines(lines.iter());
        found
            .into_iter()
            .map(|cost| (cost.title, cost.cost_ns.unwrap_or(0) / 1_000_000))
            .collect()
    }

    #[test]
    fn tables_of_other_tools() {
        let runit = "# runit-startuptime\ninitramfs       0.646 s\ncore   4.002 s\n  02-frob   2.413 s\n  03-quux  0.2 s\ntotal 7.9 s";
        let found = of(runit);
        assert_eq!(found[0], ("the step `02-frob`".to_owned(), 2413));
        assert_eq!(found.len(), 3);
        let openrc = "box ~ # rc-analyze blame\n   10.149s frob\n    1.381s quux\n```\n 99.1s other";
        assert_eq!(
            of(openrc),
            [
                ("the step `frob`".to_owned(), 10_149),
                ("the step `quux`".to_owned(), 1381)
            ]
        );
    }

    #[test]
    fn remarks_behind_rows() {
        let table = "`cloud-init analyze blame`:\n 77.7s  modules-final/config-frob   <-- 9% of all\n\
                     1.5s  init-network/config-quux\n 2.5s  modules-final/config-x why?\n0.9s is little";
        let found = of(table);
        assert_eq!(found[0], ("the step `modules-final/config-frob`".to_owned(), 77_700));
        assert_eq!(found[1].1, 2500);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn steps_of_a_test() {
        let log = "await_boot state='start'\n expect state='start', args={}\n \
                   expect state='stop', result=(0, b'Linux version 9'), duration=77.125";
        assert_eq!(
            of(log),
            [(
                "the step `expect state='stop', result=(0, b'Linux version 9')`".to_owned(),
                77_125
            )]
        );
        assert!(of("expect state='start'\nframe duration=42.0").is_empty());
    }

    #[test]
    fn androids_marks() {
        let table = "| boot_progress_start | 9185 | x | 0 |\n| boot_progress_preload_start | 11344 | y | 2159 |\n\
                     | boot_progress_preload_end   | 14350 | z | 3006 |";
        assert_eq!(of(table)[0], ("the step `boot_progress_preload_end`".to_owned(), 3006));
        let again = format!("{table}\n| boot_progress_start | 81500 |\n| boot_progress_preload_end | 83000 |");
        assert_eq!(of(&again), of(table));
        let log = "I boot_progress_start: 27556\nI boot_progress_system_run: 28065";
        assert!(of(log).is_empty());
        assert!(of("no table of boot_progress_start").is_empty());
    }
}

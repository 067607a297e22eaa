// SPDX-License-Identifier: MIT
//! Steps of an installer at which nobody is asked anything, by the dates of its log: debian-installer's menu
//! (`Menu item 'bootstrap-base' selected`, cdebconf's main-menu.c) and Anaconda's dispatcher
//! (`moving (1) to step installpackages`, pyanaconda/dispatch.py).

use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use crate::log::any_stamp;
use crate::log::clock::NS_PER_S;
use crate::log::line::Line;

/// At these steps nobody is asked anything.
const OWN: &str = "load-cdrom|load-iso|load-floppy|ethdetect|disk-detect|network-preseed|file-preseed|initrd-preseed|bootstrap-base|\
    download-installer|live-installer|installpackages|preinstallconfig|postinstallconfig|enablefilesystems|migratefilesystems|\
    basepkgsel|postselection|instbootloader|writeconfig|dopostaction|copylogs|methodcomplete|setuptime|findinstall";
/// Steps told.
const LISTED: usize = 3;
/// Shorter ones are not told.
const SHORTEST_NS: i64 = 5 * NS_PER_S;
/// Between two lines the clock was set where more lies.
const SET_NS: i64 = 1_800 * NS_PER_S;

/// The longest steps.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut steps: Vec<(i64, &str, &Line, &Line)> = Vec::new();
    let mut open: Option<(&str, &Line, i64)> = None;
    let mut last: Option<i64> = None;
    for line in lines {
        let Some(at) = line.host_ns.or_else(|| any_stamp::of(&line.text).map(|(_, ns)| ns)) else {
            continue;
        };
        // The clock was set, or another log begins.
        if last.is_some_and(|last| !(0..SET_NS).contains(&at.saturating_sub(last))) {
            open = None;
        }
        last = Some(at);
        let Some(name) = begins(&line.text) else {
            continue;
        };
        if let Some((name, from, since)) = open.take() {
            let ns = at.saturating_sub(since);
            if ns >= SHORTEST_NS && OWN.split('|').any(|own| own == name) {
                steps.push((ns, name, from, line));
            }
        }
        open = Some((name, line, at));
    }
    steps.sort_by_key(|(ns, ..)| std::cmp::Reverse(*ns));
    steps.truncate(LISTED);
    let costs = steps.into_iter().map(|(ns, name, from, to)| Cost {
        cost_ns: Some(ns),
        basis: Basis::Computed,
        lines: vec![from.number, to.number],
        ..Cost::without_time(
            CostKind::StatedTime,
            format!("the installer's step `{name}`, until its next one"),
            from.number,
            format!("{} between lines {} and {}, by their dates", spell(ns), from.number, to.number),
            "it is an installation's, and no boot's of what is installed: a nearer mirror, fewer packages, a faster medium",
        )
    });
    costs.collect()
}

/// The same in the boot of an installer.
pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    out.extend(of_lines(context.boot.lines.iter()));
}

/// The step that a line begins.
fn begins(text: &str) -> Option<&str> {
    let text = text.trim_end();
    let menu = text
        .split_once("INFO: Menu item '")
        .and_then(|(_, rest)| rest.strip_suffix("' selected"));
    let step = || {
        let (_, rest) = text.split_once("moving (1) to step ")?;
        (!rest.contains(' ')).then_some(rest)
    };
    menu.or_else(step)
}

#[cfg(test)]
mod tests {
    use super::of_lines;
    use crate::log::line::Line;

    fn of(lines: &[(i64, &str)]) -> Vec<(i64, Vec<u32>)> {
        let lines: Vec<Line> = (1_u32..)
            .zip(lines)
            .map(|(number, (s, text))| Line {
                host_ns: Some(s * 1_000_000_000),
                ..Line::plain(number, 0, (*text).to_owned())
            })
            .collect();
        let told = of_lines(lines.iter());
        let told = told
            .into_iter()
            .map(|cost| (cost.cost_ns.unwrap_or(0) / 1_000_000_000, cost.lines));
        told.collect()
    }

    #[test]
    fn steps_at_which_nobody_is_asked() {
        let menu = [
            (10, "INFO: Menu item 'load-cdrom' selected"),
            (28, "INFO: Menu item 'user-setup-udeb' selected"),
            (99, "INFO: Menu item 'bootstrap-base' selected"),
            (100, "frob unpacked"),
            (400, "INFO: Menu item 'pkgsel' selected"),
            (900, "INFO: Menu item 'finish-install' selected"),
        ];
        assert_eq!(of(&menu), [(301, vec![3, 5]), (18, vec![1, 2])]);
        let dispatched = [
            (10, "INFO : moving (1) to step installpackages"),
            (291, "INFO : moving (1) to step postinstallconfig"),
            (292, "INFO : moving (1) to step instbootloader"),
            (20_000, "INFO : moving (1) to step copylogs"),
        ];
        assert_eq!(of(&dispatched), [(281, vec![1, 2])]);
    }
}

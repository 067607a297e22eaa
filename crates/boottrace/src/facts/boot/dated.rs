// SPDX-License-Identifier: MIT
//! Lines of programs that a log daemon dates, between lines of the kernel's that have stamps of their own.

use crate::log::clock::NS_PER_S;
use crate::log::line::{Line, LineKind};
use crate::log::logcat::is_dated;

/// So many lines in a row are no silence, however coarse their dates are.
const MANY: usize = 10;

/// Do programs speak between the first line and the last, by their dates for most of the time in question? Then nobody was
/// silent, though the kernel was.
pub(super) fn fill(lines: &[Line], ns: i64) -> bool {
    let Some(inner) = lines.get(1..lines.len().saturating_sub(1)) else {
        return false;
    };
    let of_program = |line: &&Line| line.kind == LineKind::User && line.printk_ns.is_none() && line.host_ns.is_some();
    let spoken = inner.iter().filter(of_program).take(MANY).count();
    if spoken == 0 {
        return logged_by_android(inner);
    }
    let dates: Vec<i64> = lines.iter().filter_map(|line| line.host_ns).collect();
    let longest = dates
        .windows(2)
        .map(|two| two[1].saturating_sub(two[0]))
        .max()
        .unwrap_or(0);
    // A date of whole seconds may be late by one.
    let whole = dates.iter().all(|date| date % NS_PER_S == 0);
    let hole = longest.saturating_add(if whole { NS_PER_S } else { 0 });
    let of_time = hole < ns / 10 * 8;
    of_time || (spoken == MANY && longest <= NS_PER_S)
}

/// Do Android's programs speak, by the dates that its log puts before each of their lines?
fn logged_by_android(lines: &[Line]) -> bool {
    let dated =
        |line: &&Line| line.kind == LineKind::User && line.printk_ns.is_none() && is_dated(line.text.as_bytes());
    lines.iter().filter(dated).take(MANY).count() == MANY
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seconds: f64, by_kernel: bool) -> Line {
        let mut line = Line::plain(1, 0, "frob".to_owned());
        line.host_ns = Some((seconds * 1e9) as i64);
        line.kind = if by_kernel { LineKind::Kernel } else { LineKind::User };
        line.printk_ns = by_kernel.then_some(1);
        line
    }

    #[test]
    fn programs_that_speak_fill_the_time() {
        let spread = [(0.0, true), (3.5, false), (6.5, false), (10.0, true)];
        let spread: Vec<Line> = spread.into_iter().map(|(at, kernel)| line(at, kernel)).collect();
        assert!(fill(&spread, 10 * NS_PER_S));
        let at_first = [(0.0, true), (0.5, false), (10.0, true)];
        let at_first: Vec<Line> = at_first.into_iter().map(|(at, kernel)| line(at, kernel)).collect();
        assert!(!fill(&at_first, 10 * NS_PER_S));
        let alone = [line(0.0, true), line(10.0, true)];
        assert!(!fill(&alone, 10 * NS_PER_S));
    }
}

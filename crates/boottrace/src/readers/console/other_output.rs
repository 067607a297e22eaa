// SPDX-License-Identifier: MIT
//! Lines that stand beside a log and are of another: what a mail quotes of somebody else's, and the marks between two accounts
//! that are set side by side.

use crate::log::line::{Line, LineKind};
use crate::log::sentence::is_sentence;

/// So many stamped lines are a log of their own.
const LOG: usize = 20;
/// Marks between two accounts, as tools that merge texts write them.
const MARKS: [&str; 2] = ["<<<<<<< ", ">>>>>>> "];

/// Marks lines of another output as text, and the marks between accounts as a tool's.
pub fn mark_other_output(lines: &mut [Line]) {
    mark_accounts(lines);
    let stamped = lines.iter().filter(|line| line.printk_ns.is_some()).count();
    if stamped >= LOG {
        mark_quotations(lines, stamped);
    }
}

/// Does another account begin here?
pub fn parts_accounts(line: &Line) -> bool {
    line.kind == LineKind::Harness && MARKS.iter().any(|mark| line.text.starts_with(mark))
}

/// A mail that opens each account with one of the marks. Quotations in quotations never open with the first.
fn mark_accounts(lines: &mut [Line]) {
    let opened = |mark: &str| {
        let marked = |line: &&Line| line.kind == LineKind::Outside && line.text.starts_with(mark);
        lines.iter().filter(marked).count()
    };
    if MARKS.iter().any(|mark| opened(mark) == 0) {
        return;
    }
    for line in lines.iter_mut().filter(|line| line.kind == LineKind::Outside) {
        if MARKS.iter().any(|mark| line.text.starts_with(mark)) {
            line.kind = LineKind::Harness;
        }
    }
}

/// `| Hit any key to stop autoboot:  1` below a person's words, where most of the log stands without such a mark.
fn mark_quotations(lines: &mut [Line], stamped: usize) {
    let quoted = |line: &Line| line.kind == LineKind::Outside && line.text.starts_with("| ");
    if lines.iter().filter(|line| quoted(line)).count() * 4 > stamped {
        return;
    }
    let mut announced = false;
    for line in lines.iter_mut() {
        if announced && quoted(line) {
            line.kind = LineKind::Prose;
        } else if line.kind != LineKind::Blank {
            announced = line.kind == LineKind::Outside && announces(line.text.trim());
        }
    }
}

/// `I note that your log has:`, `... whereas mine has:`
fn announces(text: &str) -> bool {
    let words = text.trim_start_matches(['.', ' ']).strip_suffix(':');
    let plain = |words: &str| words.chars().all(|c| c.is_alphabetic() || " '-,".contains(c));
    words.is_some_and(|words| words.contains(' ') && plain(words)) || (text.ends_with(':') && is_sentence(text))
}

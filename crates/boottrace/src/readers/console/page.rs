// SPDX-License-Identifier: MIT
//! Pages about a machine (Markdown, reStructuredText, wikis): the log stands in blocks, and the text around them is nobody's.

use super::host_prompt::mark_host_prompts;
use crate::log::banner::{banner, is_loaders_own, looks_like_loader};
use crate::log::hand_over::hands_over;
use crate::log::hints::{is_kernel_fault, is_user_space};
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;
use crate::readers::firmware_table::is_table_row;

/// Fewer lines around the blocks are no page: a log holds a mark now and then.
const TEXT_OF_A_PAGE: usize = 3;

/// Which block a line stands in, 0 for none, and whether it opens or closes one.
#[derive(Clone, Copy, Default)]
struct Place {
    block: usize,
    mark: bool,
}

/// Marks prompts of the host, and the text of a page that shows a log in blocks. Nothing is marked where a log goes on outside of them.
pub fn mark_prose(lines: &mut [Line]) {
    mark_host_prompts(lines);
    mark_page(lines);
    mark_word_list(lines);
    // A mark is no word of a machine, whether the rest is a page or a log that somebody pasted between two of them.
    for line in lines.iter_mut() {
        if line.kind == LineKind::Outside && line.text.starts_with(['`', '~']) && is_mark(line.text.trim_end()) {
            line.kind = LineKind::Blank;
        }
    }
}

/// Marks a list of words that somebody searches logs for, in paragraphs of a line or two: a panic in it is no machine's, whose
/// report has numbers.
fn mark_word_list(lines: &mut [Line]) {
    const WORDS: usize = 8;
    if !lines
        .iter()
        .any(|line| line.kind == LineKind::Outside && is_kernel_fault(&line.text))
    {
        return;
    }
    let ends = |at: Option<usize>| {
        let line = at.and_then(|at| lines.get(at));
        line.is_none_or(|line| line.kind == LineKind::Blank)
    };
    let alone = |at: usize| {
        let (before, after) = (ends(at.checked_sub(1)), ends(Some(at + 1)));
        (before && (after || ends(Some(at + 2)))) || (after && ends(at.checked_sub(2)))
    };
    let is_word = |at: usize| {
        let line = &lines[at];
        let plain = line.kind == LineKind::Outside && line.process.is_none() && line.host_ns.is_none();
        plain && alone(at) && !line.text.bytes().any(|b| b.is_ascii_digit())
    };
    let spoken = (0..lines.len()).filter(|at| lines[*at].kind != LineKind::Blank);
    let spoken: Vec<usize> = spoken.collect();
    let lists = spoken.chunk_by(|a, b| is_word(*a) && is_word(*b));
    let of_faults = |list: &&[usize]| list.len() >= WORDS && list.iter().any(|at| is_kernel_fault(&lines[*at].text));
    let marked: Vec<usize> = lists.filter(of_faults).flatten().copied().collect();
    for at in marked {
        lines[at].kind = LineKind::Prose;
    }
}

fn mark_page(lines: &mut [Line]) {
    let Some((places, blocks)) = places(lines) else {
        return;
    };
    let mut speaks = vec![false; blocks + 1];
    let (mut text, mut logs) = (0, Vec::new());
    let fenced = |block: usize| places.iter().any(|place| place.mark && place.block == block);
    let mut stamped = false;
    for (line, place) in lines.iter().zip(&places) {
        if line.kind == LineKind::Blank || place.mark {
            continue;
        }
        if place.block == 0 {
            if is_stamped(line) || is_kernels_first(&line.text) {
                return;
            }
            text += 1;
        } else if !speaks[place.block] {
            speaks[place.block] = speaks_of_a_boot(line);
        }
        if place.block > 0 && is_log(line) && logs.last() != Some(&place.block) {
            logs.push(place.block);
        }
        stamped |= place.block > 0 && is_stamped(line) && fenced(place.block);
    }
    // Marks that come in pairs around several logs are a page's, however little it says between them. So are those around a piece
    // of one, if no line that is stamped stands outside.
    if !stamped && (logs.is_empty() || (text < TEXT_OF_A_PAGE && logs.len() < 2)) {
        return;
    }
    for (line, place) in lines.iter_mut().zip(&places) {
        if !speaks[place.block] && matches!(line.kind, LineKind::Outside | LineKind::Harness) {
            line.kind = LineKind::Prose;
        }
    }
}

/// Finds the blocks; `None` where there is none, or where the only one of Markdown's, or one of a wiki's, is not closed.
fn places(lines: &[Line]) -> Option<(Vec<Place>, usize)> {
    let mut places = vec![Place::default(); lines.len()];
    let mut blocks = 0;
    let mut open: Option<Opened> = None;
    let mut begun = false;
    for (line, place) in lines.iter().zip(&mut places) {
        let text = line.text.trim_end();
        let indented = text.starts_with([' ', '\t']);
        let trimmed = text.trim_start();
        match open {
            // What stands before a stamp has been taken off.
            Some(Opened::Literal) if !indented && line.kind != LineKind::Blank && !(begun && is_stamped(line)) => {
                open = None;
            }
            Some(Opened::Fence) if is_bare_mark(trimmed) => {
                // It stays in the log: it tells later that this is a page.
                (place.block, place.mark, open) = (blocks, true, None);
                continue;
            }
            Some(Opened::Braces) if text.ends_with("}}}") => {
                place.mark = trimmed == "}}}";
                place.block = if place.mark { 0 } else { blocks };
                open = None;
                continue;
            }
            _ => {}
        }
        if open.is_some() {
            place.block = blocks;
            begun = true;
        } else if let Some(opened) = opens(text, trimmed, indented) {
            (open, place.mark, begun) = (Some(opened), opened != Opened::Literal, false);
            blocks += 1;
        }
    }
    // A page that was cut ends in a block behind others.
    let ends = match open {
        None | Some(Opened::Literal) => blocks > 0,
        Some(Opened::Fence) => blocks > 1,
        Some(Opened::Braces) => false,
    };
    ends.then_some((places, blocks))
}

/// Three or more of one sign, and nothing else: it closes, whatever opened.
fn is_bare_mark(text: &str) -> bool {
    let sign = text.chars().next().filter(|sign| matches!(sign, '`' | '~'));
    text.len() >= 3 && sign.is_some_and(|sign| text.chars().all(|c| c == sign))
}

/// The same, or one that opens with a language's name behind it.
fn is_mark(text: &str) -> bool {
    is_bare_mark(text) || opens(text, text, false) == Some(Opened::Fence)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opened {
    /// Markdown's, with or without a word behind it.
    Fence,
    /// A wiki's `{{{`.
    Braces,
    /// reStructuredText's indented lines behind `::`.
    Literal,
}

fn opens(text: &str, trimmed: &str, indented: bool) -> Option<Opened> {
    let fence = trimmed.strip_prefix("```").or_else(|| trimmed.strip_prefix("~~~"));
    let fence = fence.map(|word| word.trim_start_matches(['`', '~']));
    if fence.is_some_and(|word| word.len() <= 20 && !word.contains([' ', '`', '~'])) {
        return Some(Opened::Fence);
    }
    if trimmed.starts_with("{{{") && !trimmed.contains("}}}") {
        return Some(Opened::Braces);
    }
    (!indented && (text.ends_with("::") || text.starts_with(".. code-block:: "))).then_some(Opened::Literal)
}

fn is_stamped(line: &Line) -> bool {
    line.has_kernel_prefix() || line.host_ns.is_some() || line.firmware_ns.is_some() || line.process.is_some()
}

fn is_kernels_first(text: &str) -> bool {
    milestone::of(text) == Some(Milestone::KernelBanner)
}

fn is_log(line: &Line) -> bool {
    is_kernels_first(&line.text) || banner(&line.text).is_some()
}

/// Is there a word of a machine that starts? Blocks without one hold commands and sources.
fn speaks_of_a_boot(line: &Line) -> bool {
    let text = &line.text;
    is_stamped(line)
        || is_log(line)
        || milestone::of(text).is_some()
        || is_user_space(text)
        || hands_over(text)
        || looks_like_loader(text)
        || is_loaders_own(text.trim())
        || is_kernel_fault(text)
        || is_table_row(text)
}

// SPDX-License-Identifier: MIT
//! Marks that a person sets into a log: `^^^ hangs here`, `[    1.0] frob: ready   <--- 30 s of nothing`.

use super::context::Context;
use super::cost::{Cost, Wording};
use super::kind::CostKind;
use crate::log::line::{Line, LineKind};
use crate::text::shorten::shorten;

/// So begins the title of such a mark.
const MARKS: &str = "a person marks ";
/// Marks told of one log.
const LISTED: usize = 3;
/// What is said of a place at which time passes.
const SAYS: [&str; 16] = [
    "took",
    "nothing",
    "no response",
    "hang",
    "hung",
    "stuck",
    "freez",
    "stops",
    "stall",
    "slow",
    "delay",
    "wait",
    "pause",
    "takes",
    "second",
    "minute",
];

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let lines = context.boot.lines.iter();
    let mut place: Option<&Line> = None;
    let mut found = 0;
    for line in lines.filter(|line| line.kind != LineKind::Blank) {
        let logged = line.has_kernel_prefix() || line.process.is_some();
        let mark = if logged { behind(&line.text) } else { below(&line.text) };
        place = if logged { Some(line) } else { place };
        let Some((mark, place)) = mark.zip(place).filter(|_| found < LISTED) else {
            continue;
        };
        found += 1;
        let said = place
            .text
            .split(mark)
            .next()
            .unwrap_or("")
            .trim_end_matches([' ', '\t', '<', '-', '=']);
        out.push(Cost::without_time(
            CostKind::DeviceTimeout,
            format!(
                "{MARKS}line {}, `{}`, with `{}`",
                place.number,
                shorten(said),
                shorten(mark)
            ),
            line.number,
            "these are a person's words in the log".to_owned(),
            "look at what that line speaks of, and at what would come next: initcall_debug tells which initcall it is",
        )
        .with(Wording::Mark));
    }
}

/// The words of a mark in a line of its own, below the line that it points at.
fn below(text: &str) -> Option<&str> {
    const ARROWS: [&str; 7] = ["<--", "<==", "<<", "-->", "==>", "->>", "^^"];
    let text = text.trim_start_matches(['>', ' ', '|']);
    let marked = ARROWS.iter().any(|arrow| text.starts_with(arrow));
    // `(hangs for a long time here)`, alone on its line.
    let aside = text
        .strip_prefix('(')
        .and_then(|text| text.trim_end().strip_suffix(')'));
    let aside = aside.filter(|text| text.contains(' ') && !text.contains(['(', '=', ':']) && !asks_for_patience(text));
    aside.or_else(|| marked.then_some(text)).and_then(says)
}

/// `This may take a few minutes`: so speaks a script to whoever sits before the machine.
fn asks_for_patience(text: &str) -> bool {
    const WORDS: [&str; 7] = [
        "may take",
        "might take",
        "can take",
        "could take",
        "will take",
        "please",
        "do not",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
}

/// The words of a mark behind a message.
fn behind(text: &str) -> Option<&str> {
    const ARROWS: [&str; 5] = [" <--", " <==", "  <- ", "  <<", "\t<"];
    let at = ARROWS.iter().find_map(|arrow| text.rfind(arrow))?;
    says(&text[at..])
}

fn says(words: &str) -> Option<&str> {
    let words = words.trim_matches(['<', '-', '=', '^', ' ', '\t', '>', '*', '!']);
    let lower = words.to_ascii_lowercase();
    let spoken = words.len() <= 200 && SAYS.iter().any(|word| lower.contains(word));
    spoken.then_some(words)
}

#[cfg(test)]
mod tests {
    use super::{behind, below};

    #[test]
    fn marks_of_a_person() {
        assert_eq!(below("> ^^^ hang at this point"), Some("hang at this point"));
        assert_eq!(
            below("<---- stuck here for 7 seconds"),
            Some("stuck here for 7 seconds")
        );
        assert_eq!(
            behind("frob: ready <--- 30 seconds of nothing"),
            Some("30 seconds of nothing")
        );
        assert_eq!(
            below("(Hangs for a long time here)"),
            Some("Hangs for a long time here")
        );
        assert_eq!(below("(This can take some minutes. Please wait.)"), None);
        for text in ["^", "^^^", "hangs here", "a ^ b waits", "(wait=5)", "(waiting)"] {
            assert_eq!(below(text), None, "{text}");
        }
        assert_eq!(
            behind("frob: ready     <- 18s, nothing logged"),
            Some("18s, nothing logged")
        );
        assert_eq!(below("-->> no response.."), Some("no response.."));
        assert_eq!(behind("quux: <mac> waits"), None);
    }
}

// SPDX-License-Identifier: MIT
//! The title of a text that a person wrote.

use super::prose::{is_a_date, is_prose, speaks_of_a_start, Paragraph, WIDEST};
use crate::log::line::Line;

/// The text's title: a heading, a mail's subject, or a short first line that stands apart; of some such lines the one that
/// speaks of a start.
pub(super) fn title(lines: &[&Line]) -> Option<Paragraph> {
    const HEAD: usize = 6;
    const LONGEST: usize = 160;
    let head = &lines[..lines.len().min(HEAD)];
    let after = |mark: &'static str| {
        head.iter()
            .find_map(|line| Some((line.text.strip_prefix(mark)?, line.number)))
    };
    // A page whose paragraphs are lines leaves none empty.
    let unbroken = || lines.iter().any(|line| line.text.chars().count() > WIDEST);
    let apart = |at: usize| {
        let (first, next) = (lines.get(at)?, lines.get(at + 1)?);
        let above = next.number > first.last_number() + 1 || at == 0 && unbroken();
        let alone = above && !first.text.trim_end().ends_with(['.', ',', ':', '\u{3002}']);
        let alone = alone && (at == 0 || lines[at - 1].last_number() + 1 < first.number);
        let told = first.text.chars().count() <= LONGEST && !is_a_date(&first.text);
        let text = untagged(&first.text);
        let spoken = is_prose(first) || text.len() < first.text.len();
        (alone && told && spoken).then_some((text, first.number))
    };
    let standing = || {
        let heads = || (0..HEAD).map_while(apart);
        let speaks = heads().find(|(text, _)| speaks_of_a_start(&text.to_lowercase()));
        speaks.or_else(|| heads().next())
    };
    // A page's own record of its title: `title: A slow boot`, `title = "A slow boot"`.
    let recorded = || {
        let within = front_matter(lines)?;
        let of_page = lines.iter().take_while(|line| line.number < within);
        of_page
            .filter_map(|line| Some((line.text.strip_prefix("title")?.trim_start(), line.number)))
            .find_map(|(rest, number)| Some((rest.strip_prefix([':', '='])?.trim_start(), number)))
    };
    let (text, number) = after("Subject: ")
        .or_else(recorded)
        .or_else(|| after("title: "))
        .or_else(|| after("# "))
        .or_else(standing)?;
    let text = text
        .trim_start_matches("Re: ")
        .trim_matches(['>', '#', '*', '-', ' ', '"']);
    let whole = !text.is_empty() && text.chars().count() <= LONGEST;
    whole.then(|| Paragraph {
        text: text.to_owned(),
        number,
        listed: false,
        depth: 0,
    })
}

/// The number of the line that ends a page's record of itself, between two lines of marks at its top.
pub(super) fn front_matter(lines: &[&Line]) -> Option<u32> {
    /// A longer record is none.
    const LONGEST: usize = 40;
    let mark = |line: &Line| matches!(line.text.trim_end(), "---" | "+++");
    let first = lines.first().filter(|line| line.number <= 2 && mark(line))?;
    let mut behind = lines.iter().skip(1).take(LONGEST);
    let last = behind.find(|line| line.text.trim_end() == first.text.trim_end())?;
    Some(last.number)
}

/// Is the title marked as one, by a heading's mark, a mail's or a page's record?
pub(super) fn is_marked(lines: &[&Line], number: u32) -> bool {
    let marks = ["# ", "Subject: ", "title"];
    let own = |line: &&&Line| line.number == number && marks.iter().any(|mark| line.text.starts_with(mark));
    lines.iter().any(|line| own(&line))
}

/// `[frob-devel] A slow boot`: a list's mark before a subject; a machine's mark is no name.
fn untagged(text: &str) -> &str {
    let tagged = text.strip_prefix('[').and_then(|text| text.split_once("] "));
    let named = |tag: &str| tag.len() < 24 && tag.chars().all(|c| c.is_alphanumeric() || c == '-') && tag != "OK";
    match tagged {
        Some((tag, rest)) if named(tag) && tag.contains(char::is_lowercase) => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use crate::log::line::lines_of;

    #[test]
    fn titles_and_dates() {
        let titled = |text: &str| {
            let lines = lines_of(text);
            let told: Vec<_> = lines.iter().filter(|line| !line.text.is_empty()).collect();
            super::title(&told).map(|title| title.text)
        };
        let text = "FACULTY OF FROBS\n\nA Person\n\nA SHORTER BOOT\n\nThe frob is slow.\n";
        assert_eq!(titled(text).as_deref(), Some("A SHORTER BOOT"));
        assert_eq!(titled("Tue Jul 07, 2031 2:45 pm\n\nThe frob is slow.\n"), None);
        assert_eq!(
            titled("[frob-dev] A slow boot\n\nIt is slow.\n").as_deref(),
            Some("A slow boot")
        );
        assert_eq!(titled("[  OK  ] Started it\n\nIt is slow.\n").as_deref(), None);
        assert_eq!(
            titled("---\ntitle: \"A slow frob\"\n---\n\nIt is slow.\n").as_deref(),
            Some("A slow frob")
        );
        assert_eq!(
            titled("+++\ntitle   = \"A slow frob\"\ndate = \"2031\"\n+++\n\nIt is slow.\n").as_deref(),
            Some("A slow frob")
        );
        assert_eq!(titled("# A frob\n\nA boot\n\nIt is slow.\n").as_deref(), Some("A frob"));
    }
}

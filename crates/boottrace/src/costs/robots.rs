// SPDX-License-Identifier: MIT
//! What a robot writes that boots kernels and bisects what it finds: what it noticed, and the commit that it names for that.
//! Its words are quoted, and nothing is claimed of them. Form: intel/lkp-tests' reports.

use super::cost::{Cost, Wording};
use super::kind::CostKind;
use crate::log::line::Line;
use crate::text::shorten::shorten;

/// The commit stands no more lines behind what was noticed.
const NEAR: u32 = 4;
/// Digits of a commit's whole name.
const HASH: usize = 40;

/// The first report that is not quoted: a person who answers one says what became of it.
pub(crate) fn of_lines(lines: &[Line]) -> Option<Cost> {
    let noticed = lines.iter().enumerate().find(|(_, line)| notices(&line.text))?;
    let near = |line: &&Line| line.number <= noticed.1.last_number().saturating_add(NEAR);
    let commit = lines[noticed.0..]
        .iter()
        .take_while(near)
        .find(|line| names_a_commit(&line.text))?;
    let words = [noticed.1, commit].map(|line| shorten(line.text.trim()));
    Some(Cost {
        lines: vec![noticed.1.number, commit.number],
        ..Cost::without_time(
            CostKind::StatedTime,
            format!("the text says `{}` and `{}`", words[0], words[1]),
            noticed.1.number,
            "these are the text's own words".to_owned(),
            "build the commit before the one that is named, and see whether it starts",
        )
        .with(Wording::Statement)
    })
}

/// `kernel test robot noticed "FROB:at#frob" on:`, `FYI, we noticed the following commit (built with frob-7):`
fn notices(text: &str) -> bool {
    let text = text.trim_end();
    let begins = text.starts_with("kernel test robot noticed ") || text.starts_with("FYI, we noticed ");
    begins && text.ends_with(':')
}

/// `commit: 0123456789abcdef0123456789abcdef01234567 ("frob: wait for quux")`
fn names_a_commit(text: &str) -> bool {
    let name = text.strip_prefix("commit: ").and_then(|rest| rest.split_once(" (\""));
    name.is_some_and(|(name, _)| name.len() == HASH && name.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    const NAME: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn what_was_noticed_and_the_commit() {
        let text = format!("Hello,\n\nkernel test robot noticed \"BUG:frob\" on:\n\ncommit: {NAME} (\"frob: wait\")\n");
        let cost = of_lines(&lines_of(&text)).unwrap();
        assert_eq!(cost.lines, [3, 5]);
        assert_eq!(
            cost.title,
            format!("the text says `kernel test robot noticed \"BUG:frob\" on:` and `commit: {NAME} (\"frob: wait\")`")
        );
        let quoted = format!("> {}", text.replace('\n', "\n> "));
        assert!(of_lines(&lines_of(&quoted)).is_none());
    }
}

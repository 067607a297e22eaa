// SPDX-License-Identifier: MIT
//! Guides: texts that tell readers how a start is made shorter, and of no boot of their own. What they say is quoted as
//! what it is.

use super::prose::{find, Paragraph};
use crate::text::languages::{words, Kind};

/// Words with which somebody tells of what is his own ...
const OWN: &str = "i |i'm |i've |i'd |i’m |i’ve |my |me |our |we found|we saw|we see|mine ";
/// ... and what is said to readers.
const GUIDE: &str = "this guide|in-depth guide|can sometimes|often stem|is essential for|is crucial|understanding the linux|understanding the boot|this essay|common causes|common culprits|several factors|can contribute|common frustration|this article|this tutorial|in this post|learn how|you'll |you will|your system|\
    your boot|your computer|your pc|you can|step-by-step|step 1|let's |let’s |table of contents|how to|conclusion|\
    prerequisites|best practices|here's how|here’s how";
/// What was done or measured is no advice.
const DONE: &str =
    "took|was taking|went from|reduced from|down from|dropped from|improved from|solved|was the culprit|turned out";
/// So many different ones make a guide.
const LEAST: usize = 2;

/// Does nobody speak of his own boot, and is a reader told what to do?
pub(super) fn is_guide(all: &[Paragraph]) -> bool {
    let lower: Vec<String> = all.iter().map(|one| format!("{} ", one.text.to_lowercase())).collect();
    let said = |word: &str| !word.is_empty() && lower.iter().any(|text| find(text, word).is_some());
    let of = |english: &'static str, kind: Kind| english.split('|').chain(words(kind).iter().copied());
    if of(OWN, Kind::Own).any(said) || DONE.split('|').any(said) {
        return false;
    }
    of(GUIDE, Kind::Guide).filter(|word| said(word)).take(LEAST).count() == LEAST
}

#[cfg(test)]
mod tests {
    use crate::costs::prose::paragraphs;
    use crate::log::line::lines_of;

    fn is_guide(text: &str) -> bool {
        let lines = lines_of(text);
        let lines: Vec<_> = lines.iter().collect();
        super::is_guide(&paragraphs(&lines))
    }

    #[test]
    fn guides_and_accounts() {
        assert!(is_guide(
            "This guide shows how to mend a slow boot. You can mask frob.service."
        ));
        assert!(is_guide("本文介绍常见的启动慢原因。"));
        for text in [
            "This guide shows how to mend a slow boot. My frob waits.",
            "The frob took 12 s. You can mask it, see how to do so.",
            "The boot waits for the frob.",
            "",
        ] {
            assert!(!is_guide(text), "{text}");
        }
    }
}

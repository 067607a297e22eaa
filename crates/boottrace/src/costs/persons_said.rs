// SPDX-License-Identifier: MIT
//! A sentence that a person wrote, and what it weighs.

use super::prose::is_name;

/// A sentence that weighs less says nothing ...
pub(super) const LEAST: i32 = 5;
/// ... but where the title speaks of a start, so much does.
pub(super) const LITTLE: i32 = 3;

/// What a sentence stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Text,
    /// An item of a list.
    Item,
    /// A page's heading.
    Heading,
}

/// A sentence of a text.
pub(super) struct Said<'a> {
    pub text: &'a str,
    /// The paragraph's place.
    pub place: usize,
    /// The post that it stands in; in a text without posts, the paragraph.
    pub post: usize,
    pub number: u32,
    /// How much it says of a slow start ...
    pub worth: i32,
    /// ... and of the cause of one.
    pub cause: i32,
    pub form: Form,
    /// It is an item of a list that announces causes.
    pub listed: bool,
    pub ns: Option<i64>,
    /// It says why, and that it is slow.
    pub why: bool,
    pub slow: bool,
    /// How deeply a mail quotes it: it is the more another person's, or of an earlier day.
    pub depth: usize,
}

/// The sentence in small letters without the names in it: `foo_timeout` is no word of waiting.
pub(super) fn without_names(lower: &str) -> String {
    let mut marked = false;
    let kept = |word: &&str| {
        let inside = marked;
        marked ^= word.matches('`').count() % 2 == 1;
        let name = is_name(word) || word.contains(['/', '=']) || word.matches('-').count() > 1 || word.ends_with('…');
        let name = name && word.is_ascii();
        !inside && !name
    };
    lower.split_whitespace().filter(kept).collect::<Vec<_>>().join(" ") + " "
}

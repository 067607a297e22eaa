// SPDX-License-Identifier: MIT
//! Words in a text in small letters.

/// Does a text in small letters hold one of some words, which `|` divides, where a word begins?
pub(crate) fn holds(lower: &str, words: &str) -> bool {
    words.split('|').any(|word| find(lower, word).is_some())
}

/// Where a word begins in a text; words of scripts that put no space between them begin anywhere, and so do others beside
/// theirs: `修改uuid`.
pub(crate) fn find(lower: &str, word: &str) -> Option<usize> {
    let inside = |c: char| c.is_alphanumeric() && !is_unspaced(c);
    let anywhere = word.starts_with(is_unspaced);
    let begins = |at: &usize| anywhere || !lower[..*at].ends_with(inside);
    lower.match_indices(word).map(|(at, _)| at).find(begins)
}

/// A letter of a script that puts no space between words: Chinese, Japanese, Korean.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_where_they_begin() {
        assert!(holds("the boot waits", "frob|wait"));
        assert!(!holds("the await", "frob|wait"));
        assert_eq!(find("修改uuid", "uuid"), Some(6));
        assert_eq!(find("abuuid", "uuid"), None);
        assert!(holds("启动很慢", "慢") && !holds("", "慢"));
    }
}

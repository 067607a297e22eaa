// SPDX-License-Identifier: MIT
//! Commits by their names, as sentences and the lines below a commit's message name them.

/// A sentence that a line ends so goes on with a commit's name.
const COMMITS: [&str; 7] = [" is", " to", " by", " in", " with", " from", " commit"];

/// `0123456789abcdef0123456789abcdef01234567 is the first bad commit`: what `git bisect` prints, and a person hands on.
pub(super) fn is_found(text: &str) -> bool {
    text.trim_end().ends_with(" is the first bad commit")
}

/// Does a line end in the middle of a sentence on a commit?
pub(super) fn is_open(text: &str) -> bool {
    COMMITS.iter().any(|word| text.ends_with(word))
}

/// `0123456789abcdef0123456789abcdef01234567 (frob: wait)`
pub(super) fn begins_with_a_name(text: &str) -> bool {
    let name = text.split([' ', ',', '.', '(']).next().unwrap_or("");
    (12..=40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_hexdigit())
}

/// What stands below a commit's message: `Reviewed-by: A <a@b>`, `Fixes: 12ab34cd5678 ("frob: wait")`, `Link: https://…`.
pub(super) fn is_trailer(text: &str) -> bool {
    /// A commit's short name has so many digits.
    const HASH: usize = 8;
    let Some((label, rest)) = text.split_once(": ") else {
        return false;
    };
    let hash = || rest.split(' ').next().unwrap_or("");
    match label {
        "Fixes" => hash().len() >= HASH && hash().bytes().all(|b| b.is_ascii_hexdigit()),
        "Link" | "Closes" | "Message-Id" | "Message-ID" | "In-Reply-To" => rest.contains("://") || rest.contains('@'),
        _ => label.ends_with("-by") && !label.contains(' ') && rest.contains('@'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_a_sentence_goes_on_with() {
        assert!(is_open("> - The commit that brought the quux is"));
        assert!(begins_with_a_name(
            "0123456789abcdef0123456789abcdef01234567 (frob: wait"
        ));
        assert!(begins_with_a_name("0123456789ab, which waits."));
        assert!(!is_open("The commit is known.") && !begins_with_a_name("deadbeef (frob)"));
    }
}

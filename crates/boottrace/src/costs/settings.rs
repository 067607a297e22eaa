// SPDX-License-Identifier: MIT
//! Lines that set a time or name an error of a list: nothing ran out where they stand.

/// Does every `timeout` of a line (in small letters) set one, or name a bit: `timeout: 60`, `timeout=60`, `timeout of 30s`, `a
/// timeout value`, `[12] Timeout`?
pub(super) fn sets_a_time(lower: &str) -> bool {
    let ran_out = lower.contains("timed out") || lower.contains("etimedout") || holds_alone(lower, "-110");
    let mut said = lower.match_indices("timeout").peekable();
    !ran_out
        && said.peek().is_some()
        && said.all(|(at, word)| names_a_bit(&lower[..at]) || is_value(&lower[at + word.len()..]))
}

/// `: 60`, ` of 30s`, ` set to 5`.
fn is_value(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\t', ':', '=', '(', '\'', '"', ')']);
    let rest = rest
        .strip_prefix("of ")
        .or_else(|| rest.strip_prefix("is "))
        .unwrap_or(rest);
    let next = rest.split([' ', '=', ':', ',']).next().unwrap_or("");
    next.starts_with(|c: char| c.is_ascii_digit()) || matches!(next, "set" | "value" | "to" | "policy" | "in")
}

/// `Waiting for sys.frob.on=1`: a program waits for as long as nobody sets that, and nobody waits for the program.
pub(super) fn waits_for_a_setting(lower: &str) -> bool {
    let name = |word: &str| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.contains('.') && !name.contains('/'))
    };
    let waited = lower.split_once("waiting for ").map(|(_, rest)| rest);
    waited
        .and_then(|rest| rest.split_ascii_whitespace().next())
        .is_some_and(name)
}

/// The number of a first attempt: `1`, `1/2`.
pub(super) fn is_first(number: &str) -> bool {
    matches!(number.split('/').next(), Some("0" | "1"))
}

/// PCIe's report of errors numbers them: `[12] ` (drivers/pci/pcie/aer.c).
fn names_a_bit(before: &str) -> bool {
    let inside = before
        .trim_end()
        .strip_suffix(']')
        .and_then(|head| head.rsplit_once('['));
    inside.is_some_and(|(_, digits)| digits.trim().parse::<u8>().is_ok())
}

/// The words, with no letter, digit or mark of a name around them.
pub(super) fn holds_alone(text: &str, words: &str) -> bool {
    let part_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + words.len()..].chars().next();
        !before.is_some_and(part_of_name) && !behind.is_some_and(part_of_name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::costs::sayings::{saying, Saying};

    #[test]
    fn a_first_attempt_tries_nothing_again() {
        assert_eq!(saying("frob: connecting to quux (attempt 1/2)..."), None);
        assert_eq!(
            saying("frob: connecting to quux (attempt 2/2)..."),
            Some(Saying::Retried)
        );
        assert_eq!(saying("frob: retry 1/10"), Some(Saying::Retried));
        assert!(is_first("1") && is_first("0/3") && !is_first("11/12"));
    }

    #[test]
    fn a_wait_for_a_setting_is_nobodys() {
        assert!(waits_for_a_setting("frobd   : waiting for sys.quux.on=1"));
        assert!(!waits_for_a_setting("waiting for root=/dev/frob7"));
        assert!(!waits_for_a_setting("waiting for the quux"));
    }
}

// SPDX-License-Identifier: MIT
//! A kernel's messages that somebody pasted into one line: an editor or a forum took their line ends, and blanks inside their
//! stamps.

/// Fewer stamps in a line are a message's own words.
const STAMPS: usize = 3;
/// More are no paste.
const MOST: usize = 4000;

/// Where the messages begin, when a line holds several: at stamps that do not go back.
pub(super) fn cuts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut found: Vec<(usize, u64)> = Vec::new();
    for at in memchr::memchr_iter(b'[', bytes) {
        // A message follows, or words ran into the stamp; a list of numbers goes on with a comma.
        if let Some(us) = stamp_us(&bytes[at + 1..]) {
            if found.last().is_some_and(|(_, last)| us < *last) || found.len() > MOST {
                return Vec::new();
            }
            found.push((at, us));
        }
    }
    let narrow = found
        .iter()
        .any(|(at, _)| bytes[*at..].iter().take(14).position(|b| *b == b']') < Some(13));
    if found.len() < STAMPS || !narrow {
        return Vec::new();
    }
    let quoted = text[..found[0].0].trim_matches([' ', '>']).is_empty();
    let before = (!quoted).then_some(0);
    before.into_iter().chain(found.into_iter().map(|(at, _)| at)).collect()
}

/// `  5.086631]`: microseconds.
fn stamp_us(inside: &[u8]) -> Option<u64> {
    let blanks = inside.iter().take(6).take_while(|b| **b == b' ').count();
    let rest = &inside[blanks..];
    let whole = rest.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let decimals = rest.get(whole + 1..whole + 7)?;
    let stamped = whole > 0
        && rest.get(whole) == Some(&b'.')
        && decimals.iter().all(u8::is_ascii_digit)
        && rest.get(whole + 7) == Some(&b']');
    let number = |digits: &[u8]| {
        digits
            .iter()
            .fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'))
    };
    stamped.then(|| number(&rest[..whole]) * 1_000_000 + number(decimals))
}

#[cfg(test)]
mod tests {
    use super::cuts;

    #[test]
    fn several_messages_in_a_line() {
        assert_eq!(
            cuts("> [0.071334] frob [ 5.086631] quux: wait 25s...20s... [ 35.142634] done"),
            [2, 18, 54]
        );
        assert_eq!(cuts("it says [1.000001] a [2.000001] b [3.000001] c").len(), 4);
    }

    #[test]
    fn one_message() {
        for text in [
            "",
            "[    1.000001] frob",
            "[    1.000001] a [    1.000002] b [    1.000003] c",
            "[1.000001] a [2.000001] b",
            "[3.000001] a [2.000001] b [1.000001] c",
            "[1.0001] a [2.0001] b [3.0001] c",
            "[[[[[[[[[[",
        ] {
            assert!(cuts(text).is_empty(), "{text}");
        }
    }
}

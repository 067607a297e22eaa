// SPDX-License-Identifier: MIT
//! Logs quoted in mails and posts: each line behind one or more `>`.

/// Fewer lines are no quotation: a shell's or a boot loader's prompt may be a `>`.
const LINES: usize = 3;
/// Marks of quotations in quotations.
const DEEP: usize = 8;

/// Is most of the text quoted?
pub fn are_in(head: &[u8]) -> bool {
    let lines = || head.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let quoted = lines().filter(|line| strip(line).len() < line.len()).count();
    quoted >= LINES && quoted * 2 > lines().count()
}

/// The line without its marks, and without the blank behind each of them.
pub fn strip(line: &[u8]) -> &[u8] {
    let mut rest = line;
    for _ in 0..DEEP {
        let Some(behind) = rest.strip_prefix(b">") else { break };
        rest = behind.strip_prefix(b" ").unwrap_or(behind);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_and_prompts() {
        assert!(are_in(b"he wrote:\n> [ 1.0] a\n>> [ 2.0] b\n> \n> c\n"));
        assert!(!are_in(b"> dmesg\n[ 1.0] a\n[ 2.0] b\n> reboot\n"));
        assert!(!are_in(b"> a\n> b\n"));
        assert!(!are_in(b""));
        assert_eq!(strip(b"> >  x"), b" x");
        assert_eq!(strip(b">"), b"");
        assert_eq!(strip(b"=> x"), b"=> x");
    }
}

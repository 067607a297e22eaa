// SPDX-License-Identifier: MIT
//! Logs quoted in mails and posts: each line behind one or more `>`.

/// Fewer lines are no quotation: a shell's or a boot loader's prompt may be a `>`.
const LINES: usize = 3;
/// Marks of quotations in quotations.
const DEEP: usize = 8;

/// What stands in front of the lines of a text, and is none of the machine's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks {
    /// Most lines are quoted.
    quoted: bool,
    /// Messages of a kernel are marked as added, as a difference of two texts marks them.
    added: bool,
}

impl Marks {
    /// The marks of a text.
    pub fn of(head: &[u8]) -> Self {
        let lines = || head.split(|b| *b == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let quoted = lines().filter(|line| unquoted(line).len() < line.len()).count();
        let quoted = quoted >= LINES && quoted * 2 > lines().count();
        let stamped = |line: &&[u8]| line.strip_prefix(b"+[").is_some_and(|rest| rest.contains(&b']'));
        let added = lines().map(|line| if quoted { unquoted(line) } else { line });
        Self {
            quoted,
            added: added.filter(stamped).count() >= LINES,
        }
    }

    /// Is there none?
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The line without its marks, and without the blank behind each of a quotation.
    pub fn strip(self, line: &[u8]) -> &[u8] {
        let line = if self.quoted { unquoted(line) } else { line };
        line.strip_prefix(b"+").filter(|_| self.added).unwrap_or(line)
    }
}

fn unquoted(line: &[u8]) -> &[u8] {
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
        let quoted = Marks::of(b"he wrote:\n> [ 1.0] a\n>> [ 2.0] b\n> \n> c\n");
        assert_eq!(quoted.strip(b"> >  x"), b" x");
        assert_eq!(quoted.strip(b">"), b"");
        assert_eq!(quoted.strip(b"=> x"), b"=> x");
        assert!(Marks::of(b"> dmesg\n[ 1.0] a\n[ 2.0] b\n> reboot\n").is_empty());
        assert!(Marks::of(b"> a\n> b\n").is_empty());
        assert!(Marks::of(b"").is_empty());
    }

    #[test]
    fn lines_that_a_difference_adds() {
        let text = b"It says:\n+[    1.0] a\n+Begin: Waiting for quux ...\n+[    2.0] b\n+[    3.0] c\n";
        assert_eq!(Marks::of(text).strip(b"+Begin: x"), b"Begin: x");
        assert!(Marks::of(b"+[ 1.0] a\n+ int frob;\n").is_empty());
    }
}

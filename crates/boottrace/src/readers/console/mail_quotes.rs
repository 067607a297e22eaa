// SPDX-License-Identifier: MIT
//! Logs quoted in mails and posts: each line behind one or more `>`, or behind its number, as a page copied with its
//! margin has it.

use crate::readers::userspace::systemd_analyze;

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
    /// Lines are numbered from 1, as they stand in a page's margin.
    numbered: bool,
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
            numbered: numbered(head),
        }
    }

    /// Is there none?
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The line without its marks, and without the blank behind each of a quotation.
    pub fn strip(self, line: &[u8]) -> &[u8] {
        let line = if self.quoted { unquoted(line) } else { line };
        let line = line.strip_prefix(b"+").filter(|_| self.added).unwrap_or(line);
        let unnumbered = number(line).filter(|_| self.numbered);
        unnumbered.map_or(line, |(_, rest)| rest)
    }
}

/// `12. text`: the number, and what stands behind it. The margin has one blank, and an empty line may have none.
fn number(line: &[u8]) -> Option<(u32, &[u8])> {
    /// A page sets its numbers to the right.
    const INDENT: usize = 6;
    let blanks = line.iter().take(INDENT).take_while(|b| **b == b' ').count();
    let line = &line[blanks..];
    let digits = line.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    let rest = line[digits..].strip_prefix(b".")?;
    let number = std::str::from_utf8(&line[..digits]).ok()?.parse().ok()?;
    let behind = rest.strip_prefix(b" ");
    let empty = rest.trim_ascii().is_empty().then_some(&rest[..0]);
    Some((number, behind.or(empty)?))
}

/// Are most lines numbered one behind the other from 1, and do some hold what systemd-analyze prints? A person's list has
/// words, and lines between its points.
fn numbered(head: &[u8]) -> bool {
    let (mut next, mut counted, mut rows, mut all) = (1, 0, 0, 0);
    for line in head.split(|b| *b == b'\n') {
        let found = number(line).filter(|(n, _)| *n == next);
        all += usize::from(!line.trim_ascii().is_empty());
        let Some((_, rest)) = found else {
            if next > 1 && number(line).is_some() {
                return false;
            }
            continue;
        };
        next += 1;
        counted += 1;
        let text = String::from_utf8_lossy(rest);
        rows += usize::from(systemd_analyze::is_heading(&text) || systemd_analyze::is_row(&text));
    }
    counted * 2 > all && rows >= LINES
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
    fn numbers_of_a_margin() {
        let text =
            b"Untitled\nNever\n1. $ systemd-analyze blame\n2. 1min 2.099s frob.service\n3. 6.153s quux.service\n\
            4.  \n5. 640ms baz.service\n";
        let marks = Marks::of(text);
        assert_eq!(marks.strip(b"2. 1min 2.099s frob.service"), b"1min 2.099s frob.service");
        assert_eq!(marks.strip(b"4."), b"");
        assert_eq!(marks.strip(b"   3. 6.153s quux.service"), b"6.153s quux.service");
        assert_eq!(marks.strip(b"1.5s frob.service"), b"1.5s frob.service");
        assert!(Marks::of(b"1. wait 3 s\n2. look at frob\n3. reboot\n4. 6.153s quux.service\n").is_empty());
        assert!(Marks::of(b"1. 5s a.service\n2. 4s b.service\n2. 3s c.service\n3. 1s d.service\n").is_empty());
        assert!(Marks::of(b"1.099s a.service\n2.099s b.service\n3.099s c.service\n").is_empty());
    }

    #[test]
    fn lines_that_a_difference_adds() {
        let text = b"It says:\n+[    1.0] a\n+Begin: Waiting for quux ...\n+[    2.0] b\n+[    3.0] c\n";
        assert_eq!(Marks::of(text).strip(b"+Begin: x"), b"Begin: x");
        assert!(Marks::of(b"+[ 1.0] a\n+ int frob;\n").is_empty());
    }
}

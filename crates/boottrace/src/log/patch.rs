// SPDX-License-Identifier: MIT
//! Patches in mails: what stands in them is a program's text, and no log.

use super::line::Line;

/// The numbers of the lines inside hunks, and of those that head them, in order. A mail may quote the patch.
pub(crate) fn lines_of_patches<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<u32> {
    let mut out = Vec::new();
    let mut inside = false;
    for line in lines {
        let text = line.text.trim_start_matches(['>', '|']);
        let text = if text.len() < line.text.len() {
            text.strip_prefix(' ').unwrap_or(text)
        } else {
            text
        };
        let stamped = line.has_kernel_prefix() || line.host_ns.is_some() || line.process.is_some();
        if text.starts_with("@@ -") && text[4..].contains(" @@") {
            inside = true;
        } else if stamped || text.trim_end() == "--" || !(text.is_empty() || goes_on(text)) {
            inside = false;
        }
        if inside || heads(text) {
            out.push(line.number);
        }
    }
    out
}

/// `frob/zork.c | 2 +-`, `1 file changed, 2 insertions(+)`, `diff --git a/x b/x`: what stands before a patch's hunks.
fn heads(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let text = text.trim();
    if text.starts_with("diff --git ") || text.starts_with("--- a/") || text.starts_with("+++ b/") {
        return true;
    }
    if let Some((path, rest)) = text.rsplit_once(" | ") {
        let mut words = rest.split_ascii_whitespace();
        let counted = words.next().is_some_and(digits);
        let marks = words
            .next()
            .is_none_or(|marks| marks.bytes().all(|b| matches!(b, b'+' | b'-')));
        return counted && marks && words.next().is_none() && !path.trim().contains(' ');
    }
    let mut words = text.split(' ');
    words.next().is_some_and(digits)
        && matches!(words.next(), Some("file" | "files"))
        && words.next().is_some_and(|word| word.starts_with("changed"))
}

/// Does a line go on with a patch?
fn goes_on(text: &str) -> bool {
    text.starts_with([' ', '+', '-', '\\', '\t']) || text.starts_with("diff ") || text.starts_with("index ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    #[test]
    fn hunks() {
        let mail = "Hello\n@@ -1,2 +1,3 @@ frob\n a\n- *  wait for frobs\n+b\n-- \nfrob: waiting for quux\n> @@ -7 +7 @@\n> -x\n> it waits";
        assert_eq!(lines_of_patches(lines_of(mail).iter()), [2, 3, 4, 5, 8, 9]);
        let head = "It waits.\n---\n frob/zork.c | 12 +++--\n 1 file changed, 5 insertions(+)\ndiff --git a/frob b/frob\n| a | 12 |";
        assert_eq!(lines_of_patches(lines_of(head).iter()), [3, 4, 5]);
    }
}

// SPDX-License-Identifier: MIT
//! Patches in mails: what stands in them is a program's text, and no log.

use super::line::Line;

/// The numbers of the lines inside hunks, in order. A mail may quote the patch.
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
        if inside {
            out.push(line.number);
        }
    }
    out
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
    }
}

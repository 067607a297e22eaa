// SPDX-License-Identifier: MIT
//! What a mail holds beside its text (RFC 5322, RFC 2045, RFC 4880): blocks of header fields with their folded lines, signatures
//! in armour, and what a list adds below `-- `. None of it is a machine's message, and nobody's words.

use crate::log::line::{Line, LineKind};

/// Fields that only a mail has; a block without one may be a loader's list.
const SURE: [&str; 16] = [
    "received",
    "return-path",
    "delivered-to",
    "message-id",
    "mime-version",
    "content-type",
    "content-transfer-encoding",
    "in-reply-to",
    "references",
    "list-id",
    "list-archive",
    "list-unsubscribe",
    "dkim-signature",
    "authentication-results",
    "archived-at",
    "precedence",
];
/// Fields that tell what a mail is about, and of whom it is: their first lines stay, as a title's and a post's.
const TOLD: [&str; 5] = ["subject", "from", "to", "cc", "date"];
/// So many fields make a block.
const FIELDS: usize = 2;
/// Lines that a list or a person adds below a mail.
const BELOW: usize = 14;

/// Marks such lines as properties.
pub(super) fn mark(lines: &mut [Line]) {
    let mut at = 0;
    let mut mails = false;
    while at < lines.len() {
        if let Some(end) = block(lines, at) {
            mails = true;
            for line in &mut lines[at..end] {
                let told = field(line).is_some_and(|name| TOLD.iter().any(|known| name.eq_ignore_ascii_case(known)));
                if !told {
                    line.kind = LineKind::Property;
                }
            }
            at = end;
            continue;
        }
        let end = if mails {
            armour(lines, at).or_else(|| below(lines, at))
        } else {
            None
        };
        for line in &mut lines[at..end.unwrap_or(at)] {
            line.kind = LineKind::Property;
        }
        at = end.unwrap_or(at + 1);
    }
}

/// Where a block of fields that begins here ends.
fn block(lines: &[Line], from: usize) -> Option<usize> {
    field(&lines[from])?;
    let (mut fields, mut sure, mut end) = (0, 0, from);
    for (at, line) in lines.iter().enumerate().skip(from) {
        // An empty line ends it, and so does another part of the text.
        let follows = at == from || lines[at - 1].last_number() >= line.number.saturating_sub(1);
        if !follows || line.kind == LineKind::Blank || line.printk_ns.is_some() {
            break;
        }
        match field(line) {
            Some(name) => {
                fields += 1;
                let name = name.to_ascii_lowercase();
                sure += usize::from(SURE.contains(&name.as_str()) || name.starts_with("x-"));
            }
            None if is_folded(line) => {}
            None => break,
        }
        end = at + 1;
    }
    (fields >= FIELDS && sure > 0).then_some(end)
}

/// The name of a header's field: `X-Frob-Id: 12`.
fn field(line: &Line) -> Option<&str> {
    const LONGEST: usize = 40;
    let (name, rest) = line.text.split_once(':')?;
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= LONGEST
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let own = line.kind == LineKind::Outside || line.kind == LineKind::Harness;
    (named && own && (rest.is_empty() || rest.starts_with([' ', '\t']))).then_some(name)
}

/// A field's further line is indented; a date at its start may have been read as a stamp.
fn is_folded(line: &Line) -> bool {
    line.text.starts_with([' ', '\t']) || line.host_ns.is_some() && line.process.is_none()
}

/// Where a signature in letters and digits ends.
fn armour(lines: &[Line], from: usize) -> Option<usize> {
    const LONGEST: usize = 200;
    let begin = lines[from].text.trim().strip_prefix("-----BEGIN PGP ")?;
    let end = format!("-----END PGP {begin}");
    let within = lines[from..].iter().take(LONGEST);
    let length = within.clone().position(|line| line.text.trim() == end)?;
    Some(from + length + 1)
}

/// Where the lines end that stand below `-- `: at the next part of the mail, or the next mail.
fn below(lines: &[Line], from: usize) -> Option<usize> {
    if lines[from].text.trim_end() != "--" {
        return None;
    }
    let ends = |at: &usize| {
        let text = lines[*at].text.as_str();
        text.starts_with("--")
            || text.starts_with("From ")
            || lines[*at].printk_ns.is_some()
            || block(lines, *at).is_some()
    };
    let last = (from + 1 + BELOW).min(lines.len());
    Some((from + 1..last).find(ends).unwrap_or(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::line::lines_of;

    fn kept(text: &str) -> Vec<u32> {
        let mut lines = lines_of(text);
        for line in &mut lines {
            if line.text.is_empty() {
                line.kind = LineKind::Blank;
            }
        }
        mark(&mut lines);
        let own = lines.iter().filter(|line| line.kind == LineKind::Outside);
        own.map(|line| line.number).collect()
    }

    #[test]
    fn a_mail_without_its_machinery() {
        let mail = "Received: from frob.example (frob.example [192.0.2.7])\n\tby quux.example; Mon, 1 Jan 2031\n\
                    X-Frob: delayed 77 seconds by frobd\nSubject: It hangs\nAutocrypt: addr=a@frob.example; keydata=\n mQINBF\n\
                    \nIt hangs at boot.\n\n-- \nYou get this mail because of the list.\n";
        assert_eq!(kept(mail), [4, 8]);
        let signed = "Message-ID: <a@b>\nMIME-Version: 1.0\n\nIt hangs.\n-----BEGIN PGP SIGNATURE-----\n\nabc=\n-----END PGP SIGNATURE-----\nBye.\n";
        assert_eq!(kept(signed), [4, 9]);
    }

    #[test]
    fn what_a_loader_lists_is_no_header() {
        assert_eq!(kept("Model: Frob 7\nDRAM: 64 MiB\nMMC: frob: 0\n"), [1, 2, 3]);
        assert_eq!(kept("Note: it hangs\n-- \nHello\n"), [1, 2, 3]);
    }
}

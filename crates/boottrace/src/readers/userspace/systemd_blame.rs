// SPDX-License-Identifier: MIT
//! Rows of `systemd-analyze blame`: a time and a unit.

use super::duration::parse_prefix;

/// Kinds of units, as their names end.
const KINDS: [&str; 11] = [
    "service",
    "socket",
    "device",
    "mount",
    "automount",
    "swap",
    "target",
    "path",
    "timer",
    "slice",
    "scope",
];

pub(super) fn is_unit(text: &str) -> bool {
    !text.contains(' ')
        && text
            .rsplit_once('.')
            .is_some_and(|(name, kind)| !name.is_empty() && KINDS.contains(&kind))
}

/// A row without what somebody wrote behind it: `4.451s frob.service  ← this one`, `# why?`, `// slow`, `(new)`.
pub(crate) fn without_remark(text: &str) -> &str {
    const STARTS: [&str; 8] = ["#", "(", "<", "//", "->", "=>", "--", "!"];
    let is_mark = |c: char| !c.is_ascii() && !c.is_alphanumeric() && !matches!(c, '\u{2500}'..='\u{257f}' | '\u{2026}');
    let remark = text.match_indices(' ').find(|(at, _)| {
        let rest = text[at + 1..].trim_start();
        rest.starts_with(is_mark) || is_smiley(rest) || STARTS.iter().any(|start| rest.starts_with(start))
    });
    remark.map_or(text, |(at, _)| text[..at].trim_end())
}

/// `:confused:`, `;)`
fn is_smiley(text: &str) -> bool {
    let mouth = text.strip_prefix([':', ';']);
    mouth.is_some_and(|mouth| mouth.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, ')' | '(' | '-')))
}

/// `  1min 2.345s some.service`
pub(super) fn blame_row(line: &str) -> Option<(String, u64)> {
    let text = without_remark(line.trim());
    let (ns, used) = parse_prefix(text)?;
    let unit = text[used..].trim();
    if is_unit(unit) {
        return Some((unit.to_owned(), ns));
    }
    let cut = unit.strip_suffix('>')?.trim_end();
    Some((if is_unit(cut) { cut.to_owned() } else { cut_unit(cut)? }, ns))
}

/// A unit's name that a pager cut at the right edge of the screen (`less -S` marks that with `>`): completed where only
/// one kind of unit begins so, else with an ellipsis.
fn cut_unit(text: &str) -> Option<String> {
    let looks_like_one =
        text.len() >= 4 && !text.contains(' ') && text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !looks_like_one {
        return None;
    }
    let (name, kind) = text.rsplit_once('.').unwrap_or((text, ""));
    let mut kinds = KINDS.iter().filter(|known| !kind.is_empty() && known.starts_with(kind));
    match (kinds.next(), kinds.next()) {
        (Some(only), None) => Some(format!("{name}.{only}")),
        _ => Some(format!("{text}…")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remark_behind_a_unit_is_no_part_of_it() {
        for line in [
            "4.5s frob.service  ← this one",
            "4.5s frob.service # why?",
            " 4.5s frob.service (new)",
            "4.5s frob.service  :confused:",
            "4.5s frob.service ;-)",
        ] {
            assert_eq!(
                blame_row(line),
                Some(("frob.service".to_owned(), 4_500_000_000)),
                "{line}"
            );
        }
        assert_eq!(blame_row("4.5s frob.service is slow"), None);
        assert_eq!(without_remark("├─frob.service @1s"), "├─frob.service @1s");
        assert_eq!(without_remark("frob.service : 4s"), "frob.service : 4s");
    }
}

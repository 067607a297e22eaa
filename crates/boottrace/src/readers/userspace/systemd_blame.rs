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

/// `  1min 2.345s some.service`
pub(super) fn blame_row(line: &str) -> Option<(String, u64)> {
    let text = line.trim();
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

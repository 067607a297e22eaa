// SPDX-License-Identifier: MIT
//! systemd's account of a start in a mail's text, above or below a whole log that does not reach so far.

use super::document::Part;
use crate::log::line::{Line, LineKind};
use crate::readers::embedded::Block;
use crate::readers::formats::Format;
use crate::readers::userspace::systemd_analyze::begins_account;

/// The accounts in the lines outside of all boots, where a boot is there that has none, and no report has one.
pub(super) fn blocks(outside: &[Line], placed: &[(u32, Part)], read: &[Block]) -> Vec<Block> {
    let without = placed
        .iter()
        .any(|(_, part)| matches!(part, Part::Boot(boot) if boot.kernel.banner.is_some() && boot.startup.is_none()));
    if !without || read.iter().any(|block| block.format == Format::SystemdAnalyze) {
        return Vec::new();
    }
    let said = |line: &Line| {
        let text = line.text.trim();
        let text = text.strip_prefix("systemd[1]: ").unwrap_or(text);
        let plain = matches!(line.kind, LineKind::Outside | LineKind::Prose);
        (plain && text.starts_with("Startup finished in ") && begins_account(text)).then(|| text.to_owned())
    };
    let found: Vec<(u32, String)> = outside
        .iter()
        .filter_map(|line| Some((line.number, said(line)?)))
        .collect();
    // Two may be of two boots.
    let [(number, text)] = found.as_slice() else {
        return Vec::new();
    };
    vec![Block {
        from_line: *number,
        to_line: *number,
        format: Format::SystemdAnalyze,
        text: format!("{text}\n").into_bytes(),
        numbers: vec![*number],
        about: "",
    }]
}

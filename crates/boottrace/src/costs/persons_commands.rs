// SPDX-License-Identifier: MIT
//! Commands in a text on a slow start that take something out of it: `sudo systemctl disable frob.service`. They are quoted
//! as the text's own words: whether they helped, the text says or does not say.

use super::cost::Cost;
use super::persons_lists::cost;
use crate::log::line::Line;

/// So begin commands that take a unit, a package or a module out of a start.
const TAKES_OUT: [&str; 9] = [
    "systemctl disable ",
    "systemctl mask ",
    "systemctl --now disable ",
    "systemctl disable --now ",
    "apt purge ",
    "apt-get purge ",
    "update-rc.d -f ",
    "rcctl disable ",
    "rc-update del ",
];
/// So many of them are quoted.
const QUOTES: usize = 5;

/// The commands of a text, each once.
pub(super) fn of(lines: &[&Line]) -> Option<Cost> {
    let mut found: Vec<(&str, u32)> = Vec::new();
    for line in lines {
        let text = line
            .text
            .trim()
            .trim_start_matches(['>', '$', '#', ' ', '`'])
            .trim_end_matches('`');
        let plain = text.strip_prefix("sudo ").unwrap_or(text);
        let whole = TAKES_OUT.iter().any(|begin| plain.starts_with(begin)) && text.len() < 120;
        // A sentence on the command, and a place for a name, are none.
        let command = whole && !text.contains(['<', '…']) && !text.ends_with(['.', ':', '?', ',']);
        if command && !found.iter().any(|(known, _)| *known == text) {
            found.push((text, line.number));
        }
    }
    found.truncate(QUOTES);
    let (_, number) = *found.first()?;
    let quotes: Vec<&str> = found.iter().map(|(text, _)| *text).collect();
    Some(cost("commands in the text are", &quotes, number))
}

#[cfg(test)]
mod tests {
    use crate::log::line::lines_of;

    fn told(text: &str) -> Option<String> {
        let lines = lines_of(text);
        super::of(&lines.iter().collect::<Vec<_>>()).map(|cost| cost.title)
    }

    #[test]
    fn commands_that_take_something_out() {
        assert_eq!(
            told("Do so:\n```\n$ sudo systemctl disable frob.service\nsudo systemctl disable frob.service\n```\n`systemctl mask zorkd`\n")
                .as_deref(),
            Some("commands in the text are `sudo systemctl disable frob.service`, `systemctl mask zorkd`")
        );
        for text in [
            "",
            "systemctl enable frob",
            "systemctl disable <name>",
            "systemctl disable it, and look.",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }
}

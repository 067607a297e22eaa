// SPDX-License-Identifier: MIT
//! Keeping a sentence short when a log's line is quoted in it.

/// Long lines are cut for display: nothing is concluded from the rest.
pub fn shorten(text: &str) -> String {
    const WIDTH: usize = 160;
    match text.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

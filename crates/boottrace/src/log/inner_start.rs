// SPDX-License-Identifier: MIT
//! A second message inside a line.

use super::bracket::{bracket_stamp, is_too_wide, Bracket};
use super::level::level_before;
use super::style::{Style, PRINTK_WIDTH};

/// Where a second message starts inside `text`, because somebody else's line ran into it.
///
/// Only stamps as wide as the kernel prints them count: other text in brackets is not rare.
pub fn inner_start(text: &str, style: Style) -> Option<usize> {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'[', bytes).skip_while(|at| *at == 0) {
        let inside = &bytes[at + 1..bytes.len().min(at + 40)];
        let Some(end) = memchr::memchr(b']', inside) else {
            continue;
        };
        if end < PRINTK_WIDTH
            || !matches!(inside[0], b' ' | b'0'..=b'9')
            || (style.exact_width && is_too_wide(&bytes[at..]))
            // MediaTek's secure monitor names itself before a clock of its own.
            || bytes[..at].ends_with(b"[ATF]")
            // So does Xen.
            || &bytes[..at] == b"(XEN) "
        {
            continue;
        }
        if let Some((Bracket::Kernel(_), used)) = bracket_stamp(&bytes[at..]) {
            // A sentence that names a stamp: `and the next time is [   77.123456]. It took a second.`
            // So is one with nothing behind it: `the clock is kept: [   77.123456]`.
            if matches!(bytes.get(at + used), Some(b'.' | b',' | b')')) || bytes[at + used..].trim_ascii().is_empty() {
                continue;
            }
            return Some(level_before(bytes, at));
        }
    }
    if style.bare_levels {
        return memchr::memchr_iter(b'<', bytes)
            .find(|&at| at > 0 && matches!(bytes.get(at + 1..at + 3), Some([b'0'..=b'7', b'>'])));
    }
    None
}

// SPDX-License-Identifier: MIT
//! How long characters take on a serial line.

use crate::log::line::Line;

/// Start bit, eight data bits, stop bit.
const BITS_PER_CHARACTER: u64 = 10;
/// `[    0.000000] `, which the kernel prints on the console too.
const STAMP_CHARACTERS: u64 = 15;

/// Debug messages are not shown at the default level.
pub(super) fn on_console(line: &Line) -> bool {
    line.level.is_none_or(|level| level < 7)
}

pub(super) fn characters(line: &Line) -> u64 {
    let stamp = if line.printk_ns.is_some() { STAMP_CHARACTERS } else { 0 };
    // Carriage return and line feed.
    line.text.len() as u64 + stamp + 2
}

pub(super) fn transmission_ns(characters: u64, baud: u32) -> i64 {
    let ns = u128::from(characters) * u128::from(BITS_PER_CHARACTER) * 1_000_000_000 / u128::from(baud.max(1));
    i64::try_from(ns).unwrap_or(i64::MAX)
}

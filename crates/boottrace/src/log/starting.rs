// SPDX-License-Identifier: MIT
//! Lines that only a system prints which starts.

use super::hints::{accounts_for_start, is_boot_initcall, is_of_initramfs, is_start_job};
use super::line::Line;
use super::milestone;
use super::milestone::Milestone;

/// Does a line show that a system starts? That init runs shows nothing: it says so later too.
pub fn shows_a_start(line: &Line) -> bool {
    milestone::of(&line.text).is_some_and(|found| found != Milestone::InitRunning)
        || is_boot_initcall(&line.text)
        || accounts_for_start(&line.text)
        || line.text.contains(" running in system mode")
        || is_of_initramfs(line)
        || is_start_job(&line.text)
}

// SPDX-License-Identifier: MIT
//! Lines that only a system prints which starts.

use super::hints::{accounts_for_start, is_boot_initcall, is_of_initramfs, is_start_job};
use super::line::Line;
use super::milestone;
use super::milestone::Milestone;

/// The scripts of Debian's initramfs (initramfs-tools, scripts/functions): they run once, before the root file system is there.
fn is_of_initramfs_tools(text: &str) -> bool {
    const STARTS: [&str; 5] = [
        "Begin: Waiting for ",
        "Begin: Running /scripts/",
        "Begin: Mounting root",
        "Begin: Loading ",
        "Gave up waiting for root ",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}

/// Does a line show that a system starts? That init runs shows nothing: it says so later too.
pub fn shows_a_start(line: &Line) -> bool {
    milestone::of(&line.text).is_some_and(|found| found != Milestone::InitRunning)
        || is_boot_initcall(&line.text)
        || accounts_for_start(&line.text)
        || line.text.contains(" running in system mode")
        || is_of_initramfs(line)
        || is_of_initramfs_tools(&line.text)
        || is_start_job(&line.text)
}

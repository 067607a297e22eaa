// SPDX-License-Identifier: MIT
//! Habits of one log that a single line does not show, and the width of the kernel's stamps.

use super::host_shape::HostShape;
use super::label::Label;
use super::log_form::LogForm;

/// Shortest inside of the kernel's `[%5lu.%06lu]`.
pub const PRINTK_WIDTH: usize = 12;

/// Names of machines kept: one changes its own while it starts.
pub const MACHINES: usize = 2;

/// Habits of one log that a single line does not show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // independent observations, not states of one machine
pub struct Style {
    /// `logcat`'s lines without a tag and without the kernel's stamp are the kernel's.
    pub logcat_kernel: bool,
    /// `[1.234567]` without padding is the capture's stamp (`grabserial --nodelta`), not the kernel's.
    pub narrow_is_host: bool,
    /// `<6>` stands without a stamp behind it, so it may also stand inside a line.
    pub bare_levels: bool,
    /// `[   1.600]` stands before kernel stamps, so it is the capture's in front of other lines too.
    pub short_is_host: bool,
    /// `[Fri Nov 20 10:20:30 2026]` stands before kernel stamps, so it is not `dmesg -T`.
    pub dates_are_host: bool,
    /// `[530]` before a line is a boot loader's milliseconds.
    pub loader_ms: bool,
    /// `3.42 ` before a line is a Raspberry Pi 5's loader's time.
    pub raspberry: bool,
    /// `00:00:28 ` before a line is the time since a loader's start, in a log without other stamps.
    pub own_clock: bool,
    /// The kernel's stamps are seen to have the kernel's width, so wider ones with blanks are another program's.
    pub exact_width: bool,
    /// The journal's stamps of the kernel's messages tell when the daemon read them (systemd 256 and later).
    pub received_kernel: bool,
    /// What a program with several consoles puts before the lines of this one.
    pub label: Option<Label>,
    /// How the capture program writes its time, when the known forms do not have it.
    pub shape: Option<HostShape>,
    /// What a log daemon of an unknown form puts before the kernel's lines.
    pub form: Option<LogForm>,
    /// Names that a log daemon gives its machine: behind them a program's name needs no process number.
    pub machines: [Option<Label>; MACHINES],
}

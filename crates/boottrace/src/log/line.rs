// SPDX-License-Identifier: MIT
//! One logical line of a boot log, with everything its prefixes said.

use serde::{Deserialize, Serialize};

use super::clock::is_before_overflow;

/// Who printed the line, from the caller field of `CONFIG_PRINTK_CALLER`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Caller {
    /// `T<pid>`: a task.
    Task(u32),
    /// `C<n>`: a CPU in interrupt context.
    Cpu(u32),
}

/// Where the host stamp of a line comes from. Only captures are exact enough to align other clocks with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum HostSource {
    /// grabserial or `ts`: seconds since the capture began.
    Capture,
    /// A clock time in front of each line (`grabserial -T`, terminal programs).
    ClockTime,
    /// LAVA's record of when the dispatcher saw the line.
    Lava,
    /// syslog or the journal: when the daemon received the line, not when it was printed.
    Syslog,
    /// `dmesg -T`: computed from the kernel's own stamp, so it says nothing new.
    Computed,
    /// Given by the caller of this crate beside the bytes: taken by a capturing host.
    External,
    /// Given by the caller of this crate beside the bytes: an emulator's own time.
    Emulator,
}

impl HostSource {
    /// True when the stamp was taken as the characters arrived.
    pub fn is_live(self) -> bool {
        !matches!(self, Self::Syslog | Self::Computed)
    }
}

/// What a line was taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LineKind {
    /// Nothing but white space and control characters.
    Blank,
    /// Printed before the kernel took over.
    Firmware,
    /// A message of the kernel.
    Kernel,
    /// Printed after the kernel started init, without a kernel stamp or by a named process.
    User,
    /// A line of the capture or test tool, not of the machine.
    Harness,
    /// What somebody or something typed.
    Typed,
    /// A property line of a /dev/kmsg record, or a line of a mail's header.
    Property,
    /// A section of a report about a system that is no kernel's log.
    Report,
    /// Bytes that are no text (wrong baud rate, binary data).
    Garbage,
    /// Text of a page that shows a log.
    Prose,
    /// Text that belongs to no boot.
    Outside,
}

/// A logical line. One physical line can give several when messages ran into each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Line {
    /// Physical line in the input, from 1.
    pub number: u32,
    /// Byte offset of the physical line in the unpacked input.
    pub offset_bytes: u64,
    /// What remains after all prefixes are taken off.
    pub text: String,
    /// The kernel's stamp, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printk_ns: Option<i64>,
    /// The capturing host's stamp, ns since the capture's epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_ns: Option<i64>,
    /// Where `host_ns` comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_source: Option<HostSource>,
    /// The boot loader's own stamp, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware_ns: Option<i64>,
    /// A raw cycle counter printed before the clock runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// syslog severity, 0 (emergency) to 7 (debug).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// Task or CPU that printed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
    /// The process a syslog prefix names, when it is not the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<String>,
    /// That process' number, where the prefix has it.
    #[serde(skip)]
    pub pid: Option<u32>,
    /// The guest that printed it, on the console of a hypervisor that names its guests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guest: Option<u16>,
    /// What the line was taken for.
    pub kind: LineKind,
    /// Further physical lines of which it was put together.
    #[serde(skip)]
    pub more_lines: u32,
    /// Bytes of the line that were not kept.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub cut_bytes: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_zero(n: &u64) -> bool {
    *n == 0
}

impl Line {
    /// A line without any prefix.
    pub fn plain(number: u32, offset_bytes: u64, text: String) -> Self {
        Self {
            number,
            offset_bytes,
            text,
            printk_ns: None,
            host_ns: None,
            host_source: None,
            firmware_ns: None,
            cycles: None,
            level: None,
            caller: None,
            process: None,
            pid: None,
            guest: None,
            kind: LineKind::Outside,
            more_lines: 0,
            cut_bytes: 0,
        }
    }

    /// Its last physical line: the next line's number follows this one.
    pub fn last_number(&self) -> u32 {
        self.number.saturating_add(self.more_lines)
    }

    /// Is a line the next one of the input?
    pub fn goes_on_at(&self, next: &Self) -> bool {
        self.last_number().saturating_add(1) == next.number
    }

    /// Says it nothing, or only something of the text itself, as a mail's header does?
    pub fn is_beside(&self) -> bool {
        matches!(self.kind, LineKind::Blank | LineKind::Property)
    }

    /// The host stamp when it was taken live.
    pub fn live_host_ns(&self) -> Option<i64> {
        match self.host_source {
            Some(source) if source.is_live() => self.host_ns,
            _ => None,
        }
    }

    /// Characters that a console sends for a message of the kernel: stamp, caller, text, carriage return, line feed.
    pub fn printed_characters(&self) -> u32 {
        let stamp = if self.printk_ns.is_some() { 15 } else { 0 };
        let caller = if self.caller.is_some() { 9 } else { 0 };
        u32::try_from(self.text.len()).unwrap_or(u32::MAX - 64) + stamp + caller + 2
    }

    /// True when the kernel's log wrote it, by its prefix.
    pub fn has_kernel_prefix(&self) -> bool {
        self.process.is_none() && (self.printk_ns.is_some() || self.level.is_some() || self.cycles.is_some())
    }
}

/// Is the stamp of a line another clock's, a second processor's before the clocks are set alike? It lies far before the one
/// that it follows, and the next goes on there.
pub fn strays(lines: &[Line], at: usize, before_ns: i64) -> bool {
    const FAR_NS: i64 = 1_000_000_000;
    let far = |ns: i64| before_ns.saturating_sub(ns) > FAR_NS;
    let next = || lines[at..].iter().skip(1).find_map(|line| line.printk_ns);
    lines[at].printk_ns.is_some_and(far) && next().is_some_and(|ns| !far(ns))
}

/// The indices of the kernel's lines whose stamps run ahead of those behind them, in order: a second processor's, before the
/// clocks are set alike. How far they are apart is no time that passed.
pub fn run_ahead(lines: &[Line]) -> Vec<usize> {
    /// Lines behind one that are looked at: of a processor that starts.
    const NEAR: usize = 64;
    const FAR_NS: i64 = 1_000_000_000;
    let stamped = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.kind == LineKind::Kernel);
    let stamped: Vec<(usize, i64)> = stamped
        .filter_map(|(at, line)| Some((at, line.printk_ns.filter(|ns| !is_before_overflow(*ns))?)))
        .collect();
    // Where no stamp falls far, none runs ahead.
    let fell = |at: usize, to: usize| stamped[at].1.saturating_sub(stamped[to].1) > FAR_NS;
    // One line that falls out of the others is behind them itself.
    let stays = |at: usize| at + 1 == stamped.len() || fell(at - 1, at + 1);
    let falls: Vec<usize> = (1..stamped.len())
        .filter(|at| fell(at - 1, *at) && stays(*at))
        .collect();
    let mut out = Vec::new();
    for fall in falls {
        let (_, ns) = stamped[fall];
        let from = fall.saturating_sub(NEAR);
        let before = stamped[from..fall].iter().rposition(|(_, earlier)| *earlier <= ns);
        // Stamps that begin anew are another boot's.
        let Some(before) = before else { continue };
        let own = &stamped[from + before + 1..fall];
        out.extend(
            own.iter()
                .filter(|(_, later)| later.saturating_sub(ns) > FAR_NS)
                .map(|(at, _)| *at),
        );
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// The lines of a made-up text.
#[cfg(test)]
pub(crate) fn lines_of(text: &str) -> Vec<Line> {
    let line = |(at, text): (usize, &str)| Line::plain(at as u32 + 1, 0, text.to_owned());
    text.lines().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_clock_that_runs_ahead() {
        let line = |(at, ms): (usize, &i64)| Line {
            kind: LineKind::Kernel,
            printk_ns: Some(ms * 1_000_000),
            ..Line::plain(at as u32 + 1, 0, "frob".to_owned())
        };
        let lines = |ms: &[i64]| -> Vec<Line> { ms.iter().enumerate().map(line).collect() };
        assert_eq!(run_ahead(&lines(&[1, 97, 5_879, 14_264, 14_265, 230, 231])), [2, 3, 4]);
        // Another boot, a processor that is a little ahead, a clock that is behind.
        assert!(run_ahead(&lines(&[9, 97, 5_879, 0, 1])).is_empty());
        assert!(run_ahead(&lines(&[1, 97, 600, 230, 231])).is_empty());
        assert!(run_ahead(&lines(&[1, 97, 98, 99])).is_empty());
        assert!(run_ahead(&lines(&[1, 20_100, 7_560, 20_200, 20_240])).is_empty());
    }
}

// SPDX-License-Identifier: MIT
//! One logical line of a boot log, with everything its prefixes said.

use serde::{Deserialize, Serialize};

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
    /// A property line of a /dev/kmsg record.
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
    /// The guest that printed it, on the console of a hypervisor that names its guests.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guest: Option<u16>,
    /// What the line was taken for.
    pub kind: LineKind,
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
            guest: None,
            kind: LineKind::Outside,
            cut_bytes: 0,
        }
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

/// The lines of a made-up text.
#[cfg(test)]
pub(crate) fn lines_of(text: &str) -> Vec<Line> {
    let line = |(at, text): (usize, &str)| Line::plain(at as u32 + 1, 0, text.to_owned());
    text.lines().enumerate().map(line).collect()
}

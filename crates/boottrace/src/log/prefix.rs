// SPDX-License-Identifier: MIT
//! The stack of prefixes in front of a message: capture tool, syslog, level, kernel stamp, caller.
//!
//! Sources of the forms: grabserial's `%4.6f %2.6f`, kernel/printk/printk.c (`print_syslog`, `print_time`,
//! `print_caller`), Documentation/ABI/testing/dev-kmsg, util-linux dmesg, journalctl's output modes.

use super::bracket::{bracket_stamp, delta_stamp, human_stamp, is_too_wide, stamp_of_3270, Bracket, Human};
use super::firmware_stamp;
use super::host;
use super::host_prefix::HostPrefix;
use super::inner_start::inner_start;
use super::level::{cut_level, level};
use super::line::{Caller, HostSource};
use super::logcat;
use super::stamp::digits;
use super::style::Style;
use super::vendor_field::{second_clock, vendor_field};

/// What the prefixes of one message said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prefix {
    /// Bytes of all prefixes together.
    pub length: usize,
    /// Host stamp.
    pub host: Option<(i64, HostSource)>,
    /// Kernel stamp, ns.
    pub printk_ns: Option<i64>,
    /// Boot loader stamp, ns.
    pub firmware_ns: Option<i64>,
    /// Raw counter.
    pub cycles: Option<u64>,
    /// Severity.
    pub level: Option<u8>,
    /// Task or CPU.
    pub caller: Option<Caller>,
    /// It was a /dev/kmsg record; lines of properties may follow.
    pub kmsg: bool,
    /// Sender by a syslog prefix: `kernel` or a process.
    pub sender: Option<(usize, usize)>,
    /// What `dmesg -H` prints for a stamp.
    pub human: Option<Human>,
}

/// Reads all prefixes at the start of `text`.
pub fn peel(text: &str, style: Style) -> Prefix {
    let bytes = text.as_bytes();
    let mut prefix = Prefix::default();
    // Mails and web pages indent what they quote.
    let indent = bytes.iter().take_while(|b| **b == b' ' || **b == b'\t').count();
    // A page's bold mark in front of a stamp.
    let bold = bytes[indent..].starts_with(b"**") && bytes.get(indent + 2).is_some_and(u8::is_ascii_alphanumeric);
    let mut at = indent + if bold { 2 } else { 0 };
    let mut found = false;
    if let Some(length) = style.label.and_then(|label| label.peel(&bytes[at..])) {
        at += length;
        found = true;
    }
    if let Some(length) = logcat::peel(&bytes[at..]) {
        at += length;
        found = true;
    }
    let of_logcat = |bytes| logcat::unstamped(bytes).or_else(|| logcat::of_the_kernel(bytes));
    if let Some((ns, length)) = of_logcat(&bytes[at..]).filter(|_| style.logcat_kernel && !found) {
        prefix.host = Some((ns, HostSource::Computed));
        prefix.length = at + length;
        return prefix;
    }
    if let Some(HostPrefix {
        ns,
        source,
        length,
        sender,
        level,
    }) = host::peel(&bytes[at..], style)
    {
        prefix.host = Some((ns, source));
        prefix.level = level;
        prefix.sender = sender.map(|(from, to)| (from + at, to + at));
        at += length;
        found = true;
    }
    if let Some((ns, used)) = firmware_stamp::read(&bytes[at..], style) {
        prefix.firmware_ns = Some(ns);
        at += used;
        found = true;
    } else if !(style.exact_width && is_too_wide(&bytes[at..])) {
        found |= peel_kernel(bytes, &mut at, &mut prefix);
    }
    if let Some(ns) = prefix
        .firmware_ns
        .filter(|_| style.short_is_host && prefix.host.is_none())
    {
        prefix.host = Some((ns, HostSource::Capture));
        prefix.firmware_ns = None;
    }
    prefix.length = if found { at } else { 0 };
    prefix
}

/// The kernel's own stamp at the very start of a line, in nanoseconds, and the bytes of all that the kernel put before
/// the message: level, stamp, counter, caller. `None` for a line without one.
///
/// ```
/// use boottrace::log::kernel_stamp;
/// assert_eq!(kernel_stamp("<6>[    1.250000][    T1] Freeing"), Some((1_250_000_000, 26)));
/// assert_eq!(kernel_stamp("Freeing"), None);
/// ```
pub fn kernel_stamp(text: &str) -> Option<(i64, usize)> {
    let (mut at, mut prefix) = (0, Prefix::default());
    peel_stamp(text.as_bytes(), &mut at, &mut prefix);
    Some((prefix.printk_ns?, at))
}

/// Where the kernel's stamped message starts in a line: at its start, or behind somebody else's line that it ran into.
///
/// ```
/// use boottrace::log::kernel_start;
/// assert_eq!(kernel_start("login: [    1.250000] Freeing"), Some(7));
/// assert_eq!(kernel_start("login: [1.2] Freeing"), None);
/// ```
pub fn kernel_start(text: &str) -> Option<usize> {
    kernel_stamp(text)
        .map(|_| 0)
        .or_else(|| inner_start(text, Style::default()))
}

/// Reads what the kernel puts before a message, and a sender by syslog behind that; moves `at` behind them.
fn peel_kernel(bytes: &[u8], at: &mut usize, prefix: &mut Prefix) -> bool {
    let found = peel_stamp(bytes, at, prefix);
    if prefix.printk_ns.is_some() && prefix.host.is_none() && !prefix.kmsg {
        journal_sender(bytes, at, prefix);
    }
    found
}

/// Reads level, stamp, counter and caller; moves `at` behind them. Returns whether there was any.
fn peel_stamp(bytes: &[u8], at: &mut usize, prefix: &mut Prefix) -> bool {
    let start = *at;
    if let Some((level, used)) = level(&bytes[*at..]).or_else(|| cut_level(&bytes[*at..])) {
        prefix.level = Some(level);
        *at += used;
    }
    if let Some(used) = kmsg_record(&bytes[*at..], prefix) {
        *at += used;
        return true;
    }
    if let Some((ns, used)) = delta_stamp(&bytes[*at..]) {
        prefix.printk_ns = Some(ns);
        *at += used;
    } else if let Some((human, used)) = human_stamp(&bytes[*at..]) {
        prefix.human = Some(human);
        *at += used;
        return true;
    } else if let Some((stamp, used)) = bracket_stamp(&bytes[*at..]) {
        match stamp {
            Bracket::Kernel(ns) => prefix.printk_ns = Some(ns),
            Bracket::Loader(ns) => prefix.firmware_ns = Some(ns),
            Bracket::Counter(n) => prefix.cycles = Some(n),
        }
        *at += used;
        host_before_kernel(bytes, at, prefix);
    } else if let Some((ns, end)) = stamp_of_3270(bytes, *at) {
        prefix.printk_ns = Some(ns);
        *at = end;
    } else if let Some(used) = cut_stamp(&bytes[*at..]) {
        prefix.printk_ns = Some(0);
        *at += used;
    } else {
        return *at > start;
    }
    while let Some(used) = field(&bytes[*at..], prefix) {
        *at += used;
    }
    if let Some(used) = second_clock(&bytes[*at..]).filter(|_| prefix.printk_ns.is_some()) {
        *at += used;
    }
    if let Some((used, task)) = vendor_field(&bytes[*at..]).filter(|_| prefix.printk_ns.is_some()) {
        *at += used;
        prefix.caller = task.map(Caller::Task).or(prefix.caller);
    }
    if bytes.get(*at) == Some(&b' ') {
        *at += 1;
    }
    true
}

/// `0000] Linux version 6.2`: the port came up while the kernel printed its first line, which it stamps with zero.
fn cut_stamp(bytes: &[u8]) -> Option<usize> {
    let zero = bytes
        .iter()
        .take(12)
        .take_while(|b| matches!(b, b'0' | b'.' | b' '))
        .count();
    let digit = bytes.get(zero + 16).is_some_and(u8::is_ascii_digit);
    (digit && bytes[zero..].starts_with(b"] Linux version ")).then_some(zero + 1)
}

/// `[   1.600] [    0.000000] `: two stamps, so the first is the capture's.
fn host_before_kernel(bytes: &[u8], at: &mut usize, prefix: &mut Prefix) {
    let Some(ns) = prefix.firmware_ns.filter(|_| prefix.host.is_none()) else {
        return;
    };
    let behind = *at + usize::from(bytes.get(*at) == Some(&b' '));
    if let Some((Bracket::Kernel(printk_ns), used)) = bytes.get(behind..).and_then(bracket_stamp) {
        prefix.host = Some((ns, HostSource::Capture));
        prefix.firmware_ns = None;
        prefix.printk_ns = Some(printk_ns);
        *at = behind + used;
    }
}

/// `6,2,0,-,caller=T0,cycle=345678;` : priority, sequence, microseconds, flag, fields.
fn kmsg_record(bytes: &[u8], prefix: &mut Prefix) -> Option<usize> {
    if !bytes.first()?.is_ascii_digit() {
        return None;
    }
    let (priority, a) = digits(bytes)?;
    let (_, b) = digits(bytes.get(a + 1..)?)?;
    let (us, c) = digits(bytes.get(a + b + 2..)?)?;
    let mut at = a + b + c + 2;
    if bytes[a] != b',' || bytes[a + b + 1] != b',' || bytes.get(at) != Some(&b',') {
        return None;
    }
    if !matches!(bytes.get(at + 1), Some(b'-' | b'c' | b'+')) {
        return None;
    }
    at += 2;
    while bytes.get(at) == Some(&b',') {
        let end = at + 1 + bytes[at + 1..].iter().take(80).position(|b| matches!(b, b',' | b';'))?;
        let item = &bytes[at + 1..end];
        if let Some(who) = item.strip_prefix(b"caller=") {
            prefix.caller = caller(who);
        } else if let Some(count) = item.strip_prefix(b"cycle=") {
            prefix.cycles = digits(count).map(|(n, _)| n);
        }
        at = end;
    }
    if bytes.get(at) != Some(&b';') {
        return None;
    }
    prefix.kmsg = true;
    prefix.level = Some((priority & 7) as u8);
    prefix.printk_ns = i64::try_from(us).ok()?.checked_mul(1000);
    Some(at + 1)
}

/// `[    T1]`, `[   C0]`, `[cl  345678]` and fields nobody knows yet, right behind the stamp.
fn field(bytes: &[u8], prefix: &mut Prefix) -> Option<usize> {
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let end = bytes.iter().take(48).position(|b| *b == b']')?;
    let inside = bytes[1..end].trim_ascii();
    if let Some(who) = caller(inside) {
        prefix.caller = Some(who);
    } else if let Some(count) = inside.strip_prefix(b"cl") {
        prefix.cycles = digits(count.trim_ascii_start()).map(|(n, _)| n);
    }
    Some(end + 1)
}

/// `T123`, `C0`; a task may be followed by its name.
fn caller(bytes: &[u8]) -> Option<Caller> {
    let (number, used) = digits(bytes.get(1..)?)?;
    let number = u32::try_from(number).ok()?;
    if bytes.get(1 + used).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    match bytes[0] {
        b'T' => Some(Caller::Task(number)),
        b'C' => Some(Caller::Cpu(number)),
        _ => None,
    }
}

/// `journalctl -o short-monotonic`: `[    0.000000] host kernel: message`.
fn journal_sender(bytes: &[u8], at: &mut usize, prefix: &mut Prefix) {
    // `--no-hostname` leaves only who said it.
    if bytes[*at..].starts_with(b"kernel: ") {
        prefix.sender = Some((*at, *at + 6));
        *at += 8;
        return;
    }
    if let Some((from, to, length)) = host::sender(&bytes[*at..]) {
        prefix.sender = Some((from + *at, to + *at));
        *at += length;
    }
}

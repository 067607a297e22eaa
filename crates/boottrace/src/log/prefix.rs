//! The stack of prefixes in front of a message: capture tool, syslog, level, kernel stamp, caller.
//!
//! Sources of the forms: grabserial's `%4.6f %2.6f`, kernel/printk/printk.c (`print_syslog`, `print_time`,
//! `print_caller`), Documentation/ABI/testing/dev-kmsg, util-linux dmesg, journalctl's output modes.

use super::firmware_stamp;
use super::host;
use super::host_prefix::HostPrefix;
use super::line::{Caller, HostSource};
use super::stamp::{digits, seconds, MONTHS};
use super::style::{Style, PRINTK_WIDTH};

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

/// A stamp of `dmesg -H`, which says only how much later than the line before a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Human {
    /// `[  +0.000012]`, ns.
    Later(i64),
    /// `[Nov20 10:20]`: in another minute than the line before.
    Minute,
}

/// `[     2.574661]`: a stamp padded to more than the kernel's width, as co-processors of Tegra print it.
pub fn is_too_wide(bytes: &[u8]) -> bool {
    let closes = |(ns, at)| (bytes.get(at) == Some(&b']')).then_some((ns, at));
    let wide = opened_seconds(bytes).and_then(closes);
    bytes.starts_with(b"[ ") && wide.is_some_and(|(_, at)| at > PRINTK_WIDTH + 1 && bytes[at - 7] == b'.')
}

/// Reads all prefixes at the start of `text`.
pub fn peel(text: &str, style: Style) -> Prefix {
    let bytes = text.as_bytes();
    let mut prefix = Prefix::default();
    // Mails and web pages indent what they quote.
    let indent = bytes.iter().take_while(|b| **b == b' ' || **b == b'\t').count();
    let mut at = indent;
    let mut found = false;
    if let Some(length) = style.label.and_then(|label| label.peel(&bytes[at..])) {
        at += length;
        found = true;
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
    } else {
        return *at > start;
    }
    while let Some(used) = field(&bytes[*at..], prefix) {
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

/// `<6>` or `<30>` (facility and severity), or util-linux `dmesg -x`: `kern  :info  : `.
fn level(bytes: &[u8]) -> Option<(u8, usize)> {
    const NAMES: [&str; 8] = ["emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"];
    if bytes.first() == Some(&b'<') {
        let (value, used) = digits(bytes.get(1..)?)?;
        if used <= 3 && bytes.get(1 + used) == Some(&b'>') && value < 192 {
            return Some(((value & 7) as u8, used + 2));
        }
        return None;
    }
    let word = bytes
        .iter()
        .take(10)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        .count();
    let facility = &bytes[..word];
    if !matches!(
        facility,
        b"kern" | b"user" | b"daemon" | b"syslog" | b"auth" | b"authpriv" | b"mail"
    ) {
        return None;
    }
    let mut at = word + bytes[word..].iter().take_while(|b| **b == b' ').count();
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    let number = NAMES.iter().position(|n| bytes[at..].starts_with(n.as_bytes()))?;
    at += NAMES[number].len();
    at += bytes[at..].iter().take_while(|b| **b == b' ').count();
    if bytes.get(at) != Some(&b':') {
        return None;
    }
    at += 1;
    at += usize::from(bytes.get(at) == Some(&b' '));
    Some((number as u8, at))
}

/// `6>[    0.000000] `: a level whose first character was lost, as at the begin of a ring buffer.
fn cut_level(bytes: &[u8]) -> Option<(u8, usize)> {
    let (value, used) = digits(bytes)?;
    let stamped =
        bytes.get(used) == Some(&b'>') && matches!(bracket_stamp(&bytes[used + 1..]), Some((Bracket::Kernel(_), _)));
    (used <= 3 && value < 192 && stamped).then_some(((value & 7) as u8, used + 1))
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

/// `[13.206492 < 0.000013 >]` of show_delta, `[    0.000000 <    0.000000>]` of `dmesg -d`.
fn delta_stamp(bytes: &[u8]) -> Option<(i64, usize)> {
    let (ns, mut at) = opened_seconds(bytes)?;
    let blanks = |from: usize| bytes[from..].iter().take_while(|b| **b == b' ').count();
    at += blanks(at);
    if bytes.get(at) != Some(&b'<') {
        return None;
    }
    at += 1;
    at += blanks(at);
    at += usize::from(matches!(bytes.get(at), Some(b'-' | b'+')));
    at += seconds(bytes.get(at..)?)?.1;
    at += blanks(at);
    if bytes.get(at) != Some(&b'>') || bytes.get(at + 1) != Some(&b']') {
        return None;
    }
    at += 2;
    // show_delta puts a blank of its own before the message's.
    at += blanks(at).min(2);
    Some((ns, at))
}

/// `[  +0.000012] ` and `[Nov20 10:20] ` of `dmesg -H`.
fn human_stamp(bytes: &[u8]) -> Option<(Human, usize)> {
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let blanks = bytes[1..].iter().take(16).take_while(|b| **b == b' ').count();
    let at = 1 + blanks;
    let sign = bytes.get(at)?;
    let (human, end) = if matches!(sign, b'+' | b'-') {
        let (ns, used, _) = seconds(&bytes[at + 1..]).filter(|(_, _, decimals)| *decimals == 6)?;
        (Human::Later(if *sign == b'-' { -ns } else { ns }), at + 1 + used)
    } else {
        let [month @ .., d0, d1, b' ', h0, h1, b':', m0, m1] = bytes.get(1..12)? else {
            return None;
        };
        let number = |b: &u8| b.is_ascii_digit() || *b == b' ';
        if !MONTHS.contains(&month) || ![d0, d1, h0, h1, m0, m1].into_iter().all(number) {
            return None;
        }
        (Human::Minute, 12)
    };
    if bytes.get(end) != Some(&b']') {
        return None;
    }
    Some((human, end + 1 + usize::from(bytes.get(end + 1) == Some(&b' '))))
}

/// `[`, blanks, seconds.
fn opened_seconds(bytes: &[u8]) -> Option<(i64, usize)> {
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let at = 1 + bytes[1..].iter().take(16).take_while(|b| **b == b' ').count();
    let (ns, used, _) = seconds(bytes.get(at..)?)?;
    Some((ns, at + used))
}

enum Bracket {
    Kernel(i64),
    Loader(i64),
    Counter(u64),
}

/// `[    0.000000]` (kernel), `[04.634]` (Allwinner's U-Boot), `[      345678]` (a proposed raw counter).
fn bracket_stamp(bytes: &[u8]) -> Option<(Bracket, usize)> {
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let at = 1 + bytes[1..].iter().take(16).take_while(|b| **b == b' ').count();
    if let Some((ns, mut used, decimals)) = seconds(bytes.get(at..)?) {
        // skiboot prints nanoseconds and the level: `[   75.323720711,3]`.
        if let (9, [b',', b'0'..=b'9', b']', ..]) = (decimals, &bytes[at + used..]) {
            return Some((Bracket::Loader(ns), at + used + 3));
        }
        // Amlogic's kernels print the processor behind the time.
        if bytes.get(at + used) == Some(&b'@') {
            used += 1 + digits(&bytes[at + used + 1..])?.1;
        }
        // Huawei's kernels print the unit.
        if decimals == 6 && bytes.get(at + used) == Some(&b's') {
            used += 1;
        }
        if bytes.get(at + used) != Some(&b']') {
            return None;
        }
        return match decimals {
            6 => Some((Bracket::Kernel(ns), at + used + 1)),
            3 => Some((Bracket::Loader(ns), at + used + 1)),
            _ => None,
        };
    }
    let (count, used) = digits(&bytes[at..])?;
    let closed = bytes.get(at + used) == Some(&b']');
    (closed && at + used == PRINTK_WIDTH + 1).then_some((Bracket::Counter(count), at + used + 1))
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

/// What phone makers put behind the stamp: `  [0:  swapper/0:    1]` (Samsung), ` <0>.(0)[1:swapper/0]` and
/// `-(0)[1:swapper/0]` (MediaTek), `c0      1 (swapper) ` and `c0 ` (Qualcomm, Spreadtrum). Length and task.
fn vendor_field(bytes: &[u8]) -> Option<(usize, Option<u32>)> {
    let blanks = |from: usize| bytes[from..].iter().take(8).take_while(|b| **b == b' ').count();
    let task = |text: &[u8]| {
        let (number, used) = digits(text)?;
        (used == text.len()).then(|| u32::try_from(number).ok())?
    };
    let closing = |from: usize, with: u8| Some(from + bytes[from..].iter().take(48).position(|b| *b == with)?);
    let mut start = blanks(0);
    // Samsung's newer kernels print the level's initial before the bracket.
    if let [b'A'..=b'Z', b'[', b'0'..=b'9', ..] = bytes[start..] {
        start += 1;
    }
    let rest = &bytes[start..];
    if rest.first() == Some(&b'[') {
        let end = closing(start, b']')?;
        let mut words = bytes[start + 1..end].splitn(2, |b| *b == b':');
        task(words.next()?.trim_ascii())?;
        let name_and_pid = words.next()?;
        let colon = memchr::memrchr(b':', name_and_pid)?;
        let pid = task(name_and_pid[colon + 1..].trim_ascii())?;
        return Some((end + 1, Some(pid)));
    }
    if let [b'c', b'0'..=b'9', after @ ..] = rest {
        let cpu = 2 + usize::from(after.first().is_some_and(u8::is_ascii_digit));
        let mut at = start + cpu;
        let gap = blanks(at);
        if gap == 0 {
            return None;
        }
        at += gap;
        let named = digits(&bytes[at..])
            .filter(|(_, used)| *used > 0)
            .and_then(|(pid, used)| {
                let open = at + used + blanks(at + used);
                // A padded number alone is the task: `c0      0 Initializing`.
                if gap >= 3 && open > at + used && bytes.get(open) != Some(&b'(') {
                    return Some((at + used, u32::try_from(pid).ok()));
                }
                let end = (bytes.get(open) == Some(&b'(')).then(|| closing(open, b')'))??;
                Some((end + 1, u32::try_from(pid).ok()))
            });
        // The blank before the message is the caller's to take.
        return Some(named.unwrap_or((at - 1, None)));
    }
    let mut at = start;
    if let [b'<', b'0'..=b'7', b'>', ..] = bytes[at..] {
        at += 3;
    }
    at += usize::from(matches!(bytes.get(at), Some(b'.' | b'-')));
    if bytes.get(at) != Some(&b'(') {
        return None;
    }
    let cpu_end = closing(at, b')')?;
    task(&bytes[at + 1..cpu_end])?;
    let open = cpu_end + 1;
    if bytes.get(open) != Some(&b'[') {
        return None;
    }
    let end = closing(open, b']')?;
    let colon = open + memchr::memchr(b':', &bytes[open..end])?;
    let pid = task(&bytes[open + 1..colon])?;
    Some((end + 1, Some(pid)))
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
        {
            continue;
        }
        if let Some((Bracket::Kernel(_), _)) = bracket_stamp(&bytes[at..]) {
            return Some(level_before(bytes, at));
        }
    }
    if style.bare_levels {
        return memchr::memchr_iter(b'<', bytes)
            .find(|&at| at > 0 && matches!(bytes.get(at + 1..at + 3), Some([b'0'..=b'7', b'>'])));
    }
    None
}

/// Includes a `<6>` right before a stamp.
fn level_before(bytes: &[u8], at: usize) -> usize {
    (3..=5)
        .filter_map(|back| at.checked_sub(back))
        .find(|&from| level(&bytes[from..]).is_some_and(|(_, used)| from + used == at))
        .unwrap_or(at)
}

// SPDX-License-Identifier: MIT
//! What stands in brackets before a message: the kernel's stamp, a boot loader's, a raw counter, `dmesg`'s differences.

use super::stamp::{digits, month_and_day, seconds, MONTHS};
use super::style::PRINTK_WIDTH;

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

/// `[13.206492 < 0.000013 >]` of show_delta, `[    0.000000 <    0.000000>]` of `dmesg -d`.
pub fn delta_stamp(bytes: &[u8]) -> Option<(i64, usize)> {
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

/// `[  +0.000012] ` and `[Nov20 10:20] ` of `dmesg -H`, and `[<    0.000012>] `.
pub fn human_stamp(bytes: &[u8]) -> Option<(Human, usize)> {
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let blanks = bytes[1..].iter().take(16).take_while(|b| **b == b' ').count();
    let at = 1 + blanks;
    let sign = bytes.get(at)?;
    let (human, end) = if matches!(sign, b'+' | b'-') {
        let (ns, used, _) = seconds(&bytes[at + 1..]).filter(|(_, _, decimals)| *decimals == 6)?;
        (Human::Later(if *sign == b'-' { -ns } else { ns }), at + 1 + used)
    } else if *sign == b'<' {
        // `dmesg --time-format=delta`.
        let inside = at + 1 + bytes[at + 1..].iter().take(16).take_while(|b| **b == b' ').count();
        let (ns, used, _) = seconds(&bytes[inside..]).filter(|(_, _, decimals)| *decimals == 6)?;
        if bytes.get(inside + used) != Some(&b'>') {
            return None;
        }
        (Human::Later(ns), inside + used + 1)
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

/// What one bracket holds.
pub enum Bracket {
    /// The kernel's stamp, ns.
    Kernel(i64),
    /// A boot loader's stamp, ns.
    Loader(i64),
    /// A counter of unknown frequency.
    Counter(u64),
}

/// `    0.136517! ` (the opening bracket may be a cent sign): the kernel's stamp on a terminal of a mainframe, whose code page
/// has no brackets. `at` is behind its blanks; returns where it ends.
pub fn stamp_of_3270(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    const CENT: &[u8] = "\u{a2}".as_bytes();
    let mut at = at;
    if let Some(rest) = bytes.get(at..)?.strip_prefix(CENT) {
        at += CENT.len() + rest.iter().take(PRINTK_WIDTH).take_while(|b| **b == b' ').count();
    }
    let blanks = bytes[..at]
        .iter()
        .rev()
        .take(PRINTK_WIDTH)
        .take_while(|b| **b == b' ')
        .count();
    let (ns, used, decimals) = seconds(bytes.get(at..)?)?;
    let closed = bytes.get(at + used..)?.starts_with(b"! ");
    (decimals == 6 && closed && used + blanks >= PRINTK_WIDTH).then_some((ns, at + used + 1))
}

/// `[    0.000000]` (kernel), `[04.634]` (Allwinner's U-Boot), `[      345678]` (a proposed raw counter).
pub fn bracket_stamp(bytes: &[u8]) -> Option<(Bracket, usize)> {
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
        // LG's kernels print the date behind the time: `[    2.187400 / 01-12 10:20:37.599]`.
        if let (6, Some(date)) = (decimals, bytes[at + used..].strip_prefix(b" / ")) {
            used += 3 + month_and_day(date)?.1;
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

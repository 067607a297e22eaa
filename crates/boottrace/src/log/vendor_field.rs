// SPDX-License-Identifier: MIT
//! What phone makers' kernels print between stamp and message.

use super::stamp::{clock_time, digits, seconds};

/// What phone makers put behind the stamp: `  [0:  swapper/0:    1]` (Samsung), ` <0>.(0)[1:swapper/0]` and
/// `-(0)[1:swapper/0]` (MediaTek), `c0      1 (swapper) ` `c0 ` (Qualcomm, Spreadtrum) and
/// `{4294937}` (Samsung). Length and task.
pub fn vendor_field(bytes: &[u8]) -> Option<(usize, Option<u32>)> {
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
    // Samsung's debugging kernels count timer interrupts there.
    if rest.first() == Some(&b'{') {
        let end = closing(start, b'}')?;
        let counter = bytes[start + 1..end].trim_ascii();
        if counter.is_empty() || !counter.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let (more, pid) = vendor_field(&bytes[end + 1..]).unwrap_or((0, None));
        return Some((end + 1 + more, pid));
    }
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

/// The length of another clock and the processor behind the stamp, as some makers' kernels print them: ` [    0.479414]@0`
/// while the machine starts, then ` [20180812_18:15:17.854639]@2`.
pub fn second_clock(bytes: &[u8]) -> Option<usize> {
    let at = bytes.iter().take(2).take_while(|b| **b == b' ').count();
    let inside = bytes.get(at..)?.strip_prefix(b"[")?;
    let blanks = inside.iter().take(8).take_while(|b| **b == b' ').count();
    let date = || {
        let (_, day) = digits(inside).filter(|(_, used)| *used == 8)?;
        let (_, time) = clock_time(inside[day..].strip_prefix(b"_")?)?;
        Some(day + 1 + time)
    };
    let since_start = || {
        let (_, used, _) = seconds(&inside[blanks..]).filter(|(_, _, decimals)| *decimals == 6)?;
        Some(blanks + used)
    };
    let end = date().or_else(since_start)?;
    let processor = inside[end..].strip_prefix(b"]@")?;
    let (_, used) = digits(processor)?;
    Some(at + 1 + end + 2 + used)
}

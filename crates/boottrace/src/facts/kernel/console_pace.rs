// SPDX-License-Identifier: MIT
//! What a slow console adds to the stamps of initcalls. `calling` is stamped before it is sent, and the initcall runs when
//! it has been: the stamps are too far apart by the time of that one line, and the kernel's own figure is right there.

use super::initcall::{CallFlag, Initcall, TOLERANCE_NS};

/// A faster console (2 Mbaud) changes nothing worth telling.
const FASTEST_CHARACTER_NS: i64 = 5_000;
/// A slower one (4800 baud) would be something else.
const SLOWEST_CHARACTER_NS: i64 = 2_200_000;
/// Initcalls from which on the pace can be told.
const LEAST: usize = 4;

/// Takes the time of the `calling` line off all durations, where the initcalls agree on what a character takes.
pub(super) fn take_off(calls: &mut [Initcall]) {
    let Some(pace) = pace_ns(calls) else { return };
    for call in calls.iter_mut() {
        let Some(stamped) = call.duration_ns else { continue };
        let sending = pace.saturating_mul(i64::from(call.calling_characters));
        let mut taken = stamped.saturating_sub(sending).max(0);
        let printed = call.printed_us.and_then(|us| i64::try_from(us).ok()?.checked_mul(1000));
        if let Some(printed) = printed.filter(|ns| ns.abs_diff(taken) <= TOLERANCE_NS && *ns <= stamped) {
            taken = printed;
            call.flags
                .retain(|flag| !matches!(flag, CallFlag::Disagrees | CallFlag::SharedStart));
        }
        call.duration_ns = Some(taken);
        call.flags.push(CallFlag::ConsoleTime);
    }
}

/// What one character takes, if most of the initcalls say the same.
fn pace_ns(calls: &[Initcall]) -> Option<i64> {
    let mut paces: Vec<i64> = calls
        .iter()
        .filter(|call| call.calling_characters > 0)
        .filter_map(|call| {
            let printed = i64::try_from(call.printed_us?).ok()?.checked_mul(1000)?;
            // A long one says more about the kernel's clock than about the console.
            let short = printed < 5_000_000;
            let more = call.duration_ns?.checked_sub(printed)?;
            short.then(|| more / i64::from(call.calling_characters))
        })
        .collect();
    if paces.len() < LEAST {
        return None;
    }
    paces.sort_unstable();
    let middle = paces[paces.len() / 2];
    if !(FASTEST_CHARACTER_NS..SLOWEST_CHARACTER_NS).contains(&middle) {
        return None;
    }
    let near = paces
        .iter()
        .filter(|pace| (**pace - middle).abs() <= middle / 5)
        .count();
    (near * 10 >= paces.len() * 6).then_some(middle)
}

// SPDX-License-Identifier: MIT
//! A hypervisor's console with several systems on it: the lines of each, told apart.

use std::collections::BTreeMap;

use super::reader::Lines;
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;

/// Guests told apart; those beyond stay among the hypervisor's lines.
const MAX_GUESTS: usize = 64;

/// Takes the lines of guests that boot a kernel out of the others, by the guest's number.
pub fn take_out(lines: &mut Lines) -> BTreeMap<u16, Vec<Line>> {
    let mut guests: BTreeMap<u16, Vec<Line>> = BTreeMap::new();
    if lines.lines.iter().all(|line| line.guest.is_none()) {
        return guests;
    }
    let boots = |line: &Line| {
        let found = milestone::of(&line.text);
        matches!(found, Some(Milestone::KernelBanner | Milestone::BootingLinux))
    };
    for guest in lines
        .lines
        .iter()
        .filter(|line| boots(line))
        .filter_map(|line| line.guest)
    {
        if guests.len() < MAX_GUESTS {
            guests.entry(guest).or_default();
        }
    }
    let mut others = Vec::with_capacity(lines.lines.len());
    for mut line in lines.lines.drain(..) {
        match line.guest {
            Some(guest) if guests.contains_key(&guest) => guests.entry(guest).or_default().push(line),
            Some(guest) => {
                // It boots nothing that is known: its words are told by the hypervisor.
                line.text = format!("(XEN) DOM{guest}: {}", line.text);
                (line.printk_ns, line.level, line.caller, line.process) = (None, None, None, None);
                line.kind = LineKind::Outside;
                others.push(line);
            }
            None => others.push(line),
        }
    }
    lines.lines = others;
    guests
}

// SPDX-License-Identifier: MIT
//! Stages by systemd's account of the start, where a log carries no stamps of the kernel's.

use super::axis::Axis;
use super::stage::{Stage, StageEvent};
use super::startup::StartupAccount;
use crate::log::clock::Clock;

/// Takes the account's word: the axis begins where it says that the kernel did.
pub fn by_account(account: &StartupAccount, axis: &Axis, stages: &mut [Stage]) {
    if !axis.late {
        return;
    }
    let kernel = account.part("kernel");
    let initramfs = stages.iter().any(|stage| stage.event == StageEvent::Initramfs);
    // An initramfs without a systemd of its own is in the kernel's part: user space began some time in it.
    let inside = initramfs && account.part("initrd").is_none();
    let known = [
        (StageEvent::KernelStart, Some(0), false),
        (StageEvent::UserSpaceStart, kernel, inside),
        (StageEvent::Initramfs, kernel, inside),
        (
            StageEvent::SwitchRoot,
            if inside {
                kernel
            } else {
                kernel
                    .zip(account.part("initrd"))
                    .map(|(kernel, initrd)| kernel.saturating_add(initrd))
            },
            false,
        ),
    ];
    for stage in stages.iter_mut() {
        let Some((_, Some(ns), at_most)) = known
            .iter()
            .find(|(event, ns, _)| *event == stage.event && ns.is_some())
        else {
            continue;
        };
        *stage = Stage {
            ns: Some(*ns),
            clock: Some(Clock::Monotonic),
            line: Some(account.line),
            at_least: false,
            at_most: *at_most,
            basis: "systemd's account of the start".to_owned(),
            ..stage.clone()
        };
    }
}

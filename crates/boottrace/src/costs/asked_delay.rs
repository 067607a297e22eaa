// SPDX-License-Identifier: MIT
//! A wait that the kernel's command line asks for: `rootdelay=` seconds before root is mounted. An initramfs' own scripts obey it
//! too, and print nothing then; the kernel says that it waits (init/do_mounts.c).

use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use crate::log::clock::NS_PER_S;
use crate::log::course::mounts_a_disk;
use crate::text::shorten::shorten;

/// What follows the wait takes a little, too.
const SLACK_NS: i64 = NS_PER_S / 2;

/// The silence before the first mount, where it is as long as the delay that was asked for.
pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    let asked = context
        .kernel
        .command_line
        .as_ref()
        .and_then(|all| all.value("rootdelay"));
    let Some(seconds) = asked.and_then(|value| value.parse::<u16>().ok()).filter(|n| *n > 0) else {
        return;
    };
    let asked_ns = i64::from(seconds) * NS_PER_S;
    let mounts = |text: &str| mounts_a_disk(text) || text.trim_start().starts_with("VFS: Mounted root ");
    let Some(mount) = context.lines.iter().find(|line| mounts(&line.text)) else {
        return;
    };
    // Timers may speak meanwhile.
    let near = |ns: i64| (asked_ns - SLACK_NS / 5..=asked_ns + SLACK_NS).contains(&ns);
    let silence = context.gaps.iter().find(|gap| gap.before_line == mount.number);
    let Some(silence) = silence.filter(|gap| near(gap.duration_ns)) else {
        return;
    };
    out.push(Cost {
        cost_ns: Some(silence.duration_ns),
        basis: Basis::Computed,
        ..Cost::without_time(
            CostKind::RootDelay,
            format!("the command line's rootdelay={seconds} asks for a wait before root is mounted"),
            silence.after_line,
            format!(
                "{} between `{}` and `{}`, as long as rootdelay= asks for",
                spell(silence.duration_ns),
                shorten(silence.after.trim()),
                shorten(mount.text.trim())
            ),
            "replace rootdelay= by rootwait, which goes on as soon as the device is there; an initramfs waits by itself",
        )
    });
    if let Some(cost) = out.last_mut() {
        cost.lines = vec![silence.after_line, mount.number];
    }
}

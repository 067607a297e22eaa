// SPDX-License-Identifier: MIT
//! What costs what: every finding with its kind, its evidence and what it may gain.

pub(crate) mod account_parts;
mod android_init;
mod asked_delay;
mod bounds;
mod calibration;
mod causes;
mod characters;
pub(crate) mod cloud_init;
mod commits;
mod console;
mod console_replay;
mod context;
pub mod cost;
mod daemon_silences;
mod dated_silences;
pub mod evidence;
mod firmware;
mod grouped_silences;
mod images;
mod initcalls;
pub(crate) mod installer_steps;
pub mod kind;
pub mod later_stretch;
pub(crate) mod longest_gap;
pub mod longest_stretch;
mod named_silences;
mod network;
mod of_start;
mod persons_causes;
mod persons_choice;
mod persons_commands;
mod persons_guides;
mod persons_lexicon;
mod persons_lists;
mod persons_machines;
mod persons_marks;
mod persons_posts;
mod persons_rows;
mod persons_said;
mod persons_title;
mod persons_weight;
pub(crate) mod persons_words;
mod program_runs;
mod prose;
pub(crate) mod robots;
mod said_waits;
mod sayings;
pub(crate) mod selection;
mod self_tests;
mod settings;
mod silences;
pub(crate) mod stage_tables;
pub(crate) mod start_jobs;
pub(crate) mod stated_lines;
mod stated_time;
pub(crate) mod step_tables;
pub(crate) mod units;
pub(crate) mod untimed;
mod untimed_rows;
pub(crate) mod waits;

use context::Context;
use cost::Wording;
pub use cost::{Basis, Cost};
pub use evidence::Evidence;
pub use kind::{CostKind, KINDS};

use crate::log::boot_log::BootStart;
use crate::log::line::Line;

/// A shorter cost is small beside a wait without a time.
const SMALL_NS: i64 = 100_000_000;

/// Applies all rules; what may be gained most comes first, then what takes long and has no known remedy, last what would
/// not help.
pub fn costs(evidence: &Evidence<'_>) -> Vec<Cost> {
    let context = Context::of(*evidence);
    let mut out = Vec::new();
    calibration::find(&context, &mut out);
    let replay = console_replay::find(&context);
    console::find(&context, replay.as_ref(), &mut out);
    waits::find(&context, &mut out);
    network::find(&context, &mut out);
    firmware::find(&context, &mut out);
    initcalls::find(&context, &mut out);
    images::find(&context, &mut out);
    self_tests::find(&context, &mut out);
    units::find(&context, &mut out);
    android_init::find(&context, &mut out);
    silences::find(&context, replay.as_ref(), &mut out);
    dated_silences::find(&context, &mut out);
    program_runs::find(&context, &mut out);
    daemon_silences::find(&context, &mut out);
    stated_lines::find(&context, &mut out);
    // In a piece, or where nothing has a stamp, what is small says nothing of what its lines wait for.
    let stamped = |line: &Line| line.printk_ns.or(line.live_host_ns()).or(line.firmware_ns).is_some();
    let clockless = !context.boot.lines.iter().any(stamped);
    // So does what stands before a kernel that never speaks.
    let loader = context.boot.kernel_from.is_none();
    let small = if context.boot.start == BootStart::MiddleOfLog || clockless || loader {
        SMALL_NS
    } else {
        0
    };
    // An account says how long it took, and not what took it.
    let is_account = |kind| matches!(kind, CostKind::UserSpaceStart | CostKind::KernelAccount);
    if out
        .iter()
        .all(|cost| is_account(cost.kind) || cost.cost_ns.or(cost.gain_ns).is_none_or(|ns| ns < small))
    {
        untimed_waits(&context, &mut out, |_| true);
    } else {
        // The root device does not come: whatever else has a time, the boot ends here.
        untimed_waits(&context, &mut out, |cost| {
            cost.kind == CostKind::RootDeviceWait || cost.title.contains("NixOS' stage 1")
        });
        loaders_rounds(&context, &mut out);
    }
    if clockless {
        out.extend(cloud_init::of_lines(context.boot.lines.iter()));
    }
    persons_marks::find(&context, &mut out);
    // What a person marks is not said again of the line that holds the mark.
    let marked: Vec<Vec<u32>> = out
        .iter()
        .filter(|cost| cost.wording == Wording::Mark)
        .map(|cost| cost.lines.clone())
        .collect();
    out.retain(|cost| cost.wording == Wording::Mark || cost.cost_ns.is_some() || !marked.contains(&cost.lines));
    of_start::keep(&context, &mut out);
    bounds::apply(&context, &mut out);
    // cloud-init counts from the kernel's start, which a piece does not show.
    if !clockless && context.boot.start == BootStart::MiddleOfLog && context.startup.is_none() {
        out.extend(cloud_init::before_first(context.boot.lines.iter()));
    }
    // The account counts on its own clock: no stamp of the log bounds it.
    account_parts::find(&context, &mut out);
    installer_steps::find(&context, &mut out);
    out.sort_by_key(|cost| std::cmp::Reverse(cost.weight_ns()));
    out
}

/// What a boot loader says again and again of a limit that passed: no clock counts it there, and no other cost holds it.
fn loaders_rounds(context: &Context<'_>, out: &mut Vec<Cost>) {
    const ROUNDS: usize = 4;
    let spoken = context
        .boot
        .lines
        .iter()
        .filter(|line| line.kind == crate::log::line::LineKind::Firmware);
    for cost in said_waits::of_lines(spoken) {
        let told = out
            .iter()
            .any(|known| known.lines.iter().any(|line| cost.lines.contains(line)));
        if !told && cost.lines.len() >= ROUNDS && cost.wording == Wording::TimedOut {
            out.push(cost);
        }
    }
}

/// Where no cost has a time, what the lines say is waited for; of what another cost tells, nothing again.
fn untimed_waits(context: &Context<'_>, out: &mut Vec<Cost>, told: fn(&Cost) -> bool) {
    let spoken = context.boot.lines.iter().filter(|line| {
        use crate::log::line::LineKind as Kind;
        matches!(line.kind, Kind::Kernel | Kind::User | Kind::Firmware)
    });
    for cost in untimed::of_lines(spoken).into_iter().filter(told) {
        if !out
            .iter()
            .any(|known| known.kind == cost.kind || known.lines.iter().any(|line| cost.lines.contains(line)))
        {
            out.push(cost);
        }
    }
}

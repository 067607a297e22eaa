//! The longest silences that no other rule explains, and the initramfs as a whole: the largest item of a boot is told, even
//! if nothing is known against it.

use super::context::Context;
use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use crate::facts::boot::gap::{BootPart, LargeGap};
use crate::facts::boot::stage::StageEvent;
use crate::log::line::LineKind;

/// Silences listed of each part of the boot.
const LISTED: usize = 3;
/// Shorter ones are listed among the silences only.
const SHORTEST_NS: i64 = 30_000_000;

pub(super) fn find(context: &Context<'_>, out: &mut Vec<Cost>) {
    initramfs(context, out);
    let of = |part: BootPart| {
        let long = context
            .gaps
            .iter()
            .filter(move |gap| gap.part == part && gap.duration_ns >= SHORTEST_NS);
        long.filter(|gap| !explained(gap, out))
            .take(LISTED)
            .collect::<Vec<&LargeGap>>()
    };
    let found = [BootPart::Firmware, BootPart::Kernel, BootPart::UserSpace]
        .map(of)
        .concat();
    for gap in found {
        let (whose, advice) = match gap.part {
            BootPart::Firmware => (
                "firmware or boot loader",
                "look what it does there: its own trace (bootstage, cbmem -t, a higher log level), or stamps on each line \
                 of the console",
            ),
            BootPart::Kernel => (
                "the kernel",
                "boot once with initcall_debug to see which initcall it is, or with ftrace=function_graph for what is \
                 inside it",
            ),
            BootPart::UserSpace => (
                "user space",
                "look what runs there: systemd-analyze plot, bootchart, or stamps in the start scripts",
            ),
        };
        out.push(Cost {
            kind: CostKind::Silence,
            title: if stands_between(context, gap) {
                format!(
                    "{whose} stamps no line between {} and {}",
                    gap.after_line, gap.before_line
                )
            } else {
                format!("{whose} prints nothing after line {}", gap.after_line)
            },
            cost_ns: Some(gap.duration_ns),
            gain_ns: None,
            basis: Basis::Computed,
            at_most: false,
            lines: vec![gap.after_line, gap.before_line],
            evidence: format!(
                "{} between `{}` and `{}`",
                spell(gap.duration_ns),
                gap.after,
                gap.before
            ),
            advice: advice.to_owned(),
        });
    }
}

/// Was something printed meanwhile, without a stamp?
fn stands_between(context: &Context<'_>, gap: &LargeGap) -> bool {
    let lines = &context.boot.lines;
    let from = lines.partition_point(|line| line.number <= gap.after_line);
    lines[from..]
        .iter()
        .take_while(|line| line.number < gap.before_line)
        .any(|line| line.kind != LineKind::Blank)
}

/// Does a cost that was found tell of the same time?
fn explained(gap: &LargeGap, costs: &[Cost]) -> bool {
    costs.iter().any(|cost| {
        let there = match cost.kind {
            // Beside it, drivers start.
            CostKind::InitramfsUnpacking => {
                cost.lines.first() == Some(&gap.after_line) || cost.lines.last() == Some(&gap.before_line)
            }
            _ => cost
                .lines
                .iter()
                .any(|line| (gap.after_line..=gap.before_line).contains(line)),
        };
        let whole = matches!(cost.kind, CostKind::InitramfsRun | CostKind::UserSpaceStart);
        there && !whole && cost.cost_ns.is_some_and(|ns| ns >= gap.duration_ns / 10 * 8)
    })
}

fn initramfs(context: &Context<'_>, out: &mut Vec<Cost>) {
    let stage = |event| context.stages.iter().find(|stage| stage.event == event);
    let (Some(from), Some(to)) = (stage(StageEvent::Initramfs), stage(StageEvent::SwitchRoot)) else {
        return;
    };
    // Between two bounds nothing is known.
    let bounded = from.at_most || from.at_least || to.at_least;
    let times = from.ns.zip(to.ns).filter(|_| from.clock == to.clock && !bounded);
    let Some(ns) = times.and_then(|(from, to)| to.checked_sub(from)).filter(|ns| *ns > 0) else {
        return;
    };
    let bound = if to.at_most {
        ", the first words of the next init"
    } else {
        ""
    };
    let mut lines: Vec<u32> = from.line.into_iter().chain(to.line).collect();
    lines.dedup();
    out.push(Cost {
        kind: CostKind::InitramfsRun,
        title: "the initramfs runs before the real root file system is used".to_owned(),
        cost_ns: Some(ns),
        gain_ns: None,
        basis: Basis::Computed,
        at_most: false,
        lines,
        evidence: format!("{} from `{}` to `{}`{bound}", spell(ns), from.basis, to.basis),
        advice:
            "build the root device's driver and file system in and boot without an initramfs; or leave out of it what \
                 finding root does not need, and pack it with LZ4"
                .to_owned(),
    });
}

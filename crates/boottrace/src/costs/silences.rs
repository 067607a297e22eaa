// SPDX-License-Identifier: MIT
//! The longest silences that no other rule explains, and the initramfs as a whole: the largest item of a boot is told, even
//! if nothing is known against it.

use super::console_replay::Replay;
use super::context::Context;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use super::named_silences;
use super::selection::{is_a_choice, is_selected};
use crate::facts::boot::dates::received_ns;
use crate::facts::boot::gap::{in_background, BootPart, LargeGap};
use crate::facts::boot::stage::StageEvent;
use crate::log::boot_log::BootStart;
use crate::log::clock::{Clock, NS_PER_S};
use crate::log::course::{goes_to_init, is_of_user_space, mounts_a_disk};
use crate::log::hints::is_user_space;
use crate::log::line::{Line, LineKind};

/// Silences listed of each part of the boot.
const LISTED: usize = 3;
/// Shorter ones are listed among the silences only.
const SHORTEST_NS: i64 = 30_000_000;
/// Nobody waits for longer: the machine slept, or its clock was set.
const LONGEST_NS: i64 = 4 * 3600 * NS_PER_S;

pub(super) fn find(context: &Context<'_>, replay: Option<&Replay>, out: &mut Vec<Cost>) {
    initramfs(context, out);
    // Where lines are left out, no time between two tells of a silence.
    if leaves_out_the_map(context) {
        return;
    }
    let long = context
        .gaps
        .iter()
        .filter(|gap| (SHORTEST_NS..=LONGEST_NS).contains(&gap.duration_ns));
    let open: Vec<&LargeGap> = long
        .filter(|gap| !replay.is_some_and(|replay| replay.covers(gap)) && !explained(gap, out))
        .collect();
    let nameless = named_silences::find(context, &open, out);
    let chosen = is_a_choice(context.boot);
    let of = |part: BootPart| {
        nameless
            .iter()
            .copied()
            .filter(|_| !chosen)
            .filter(move |gap| gap.part == part)
            .take(LISTED)
    };
    let found: Vec<&LargeGap> = [
        BootPart::Firmware,
        BootPart::Unclaimed,
        BootPart::Kernel,
        BootPart::UserSpace,
    ]
    .into_iter()
    .flat_map(of)
    .collect();
    for gap in found {
        let (whose, advice) = match part_of(context, gap) {
            BootPart::Firmware => (
                "firmware or boot loader",
                "look what it does there: its own trace (bootstage, cbmem -t, a higher log level), or stamps on each line \
                 of the console",
            ),
            BootPart::Unclaimed => (
                "a quiet kernel, or what it started,",
                "boot once without `quiet`, or with a console= and an earlycon that the board has: then the log shows whose \
                 time it is",
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
            title: match between(context, gap) {
                // Somebody may have left lines out: nobody's silence is told.
                Between::Nothing if is_selected(context) => match spoken_of(gap) {
                    Some(said) => format!("this text shows nothing {said}"),
                    None => format!(
                        "this text shows nothing between lines {} and {}",
                        gap.after_line, gap.before_line
                    ),
                },
                Between::Nothing => match spoken_of(gap) {
                    Some(said) => format!("{whose} prints nothing {said}"),
                    None => format!("{whose} prints nothing after line {}", gap.after_line),
                },
                Between::WithoutStamps => format!(
                    "{whose} stamps no line between {} and {}",
                    gap.after_line, gap.before_line
                ),
                Between::Dated => format!(
                    "{whose} prints no line with a stamp of the kernel's between {} and {}",
                    gap.after_line, gap.before_line
                ),
                Between::Timers => format!(
                    "{whose} prints nothing that shows progress between {} and {}",
                    gap.after_line, gap.before_line
                ),
            },
            cost_ns: Some(gap.duration_ns),
            around: vec![gap.after.clone(), gap.before.clone()],
            lines: vec![gap.after_line, gap.before_line],
            evidence: format!(
                "{} between `{}` and `{}`",
                spell(gap.duration_ns),
                gap.after,
                gap.before
            ),
            advice: advice.to_owned(),
            ..Cost::of(CostKind::Silence)
        });
    }
}

/// Whose time a silence is: in a piece in which init is not seen, the line that ends it may be user space's doing, or one
/// before it was.
fn part_of(context: &Context<'_>, gap: &LargeGap) -> BootPart {
    let boot = context.boot;
    if gap.part != BootPart::Kernel {
        return gap.part;
    }
    let later = boot.lines.iter().skip_while(|line| line.number <= gap.after_line);
    let mut inside = later.clone().take_while(|line| line.number < gap.before_line);
    // A daemon writes programs' lines between the kernel's, in whatever order it reads them.
    let dated = |line: &Line| line.process.is_some() && received_ns(line).is_some();
    if inside.any(|line| (line.process.is_some() || is_user_space(&line.text)) && !dated(line)) {
        return BootPart::UserSpace;
    }
    if boot.start != BootStart::MiddleOfLog || later.clone().any(|line| line.text.trim_start().starts_with("Run /")) {
        return gap.part;
    }
    let to = boot.lines.partition_point(|line| line.number <= gap.before_line);
    let told = boot.lines[..to].iter().any(|line| is_of_user_space(&line.text));
    let (before, behind) = boot
        .lines
        .split_at(boot.lines.partition_point(|line| line.number <= gap.after_line));
    let mounted = before.iter().any(|line| mounts_a_disk(&line.text));
    // A driver that speaks of its device may have worked all the time.
    let next = behind.iter().find(|line| line.number == gap.before_line);
    let mounted = mounted && next.is_none_or(|line| !names_a_device(&line.text));
    if told || (mounted && !behind.iter().any(|line| goes_to_init(&line.text))) {
        BootPart::UserSpace
    } else {
        BootPart::Kernel
    }
}

/// `foo 0000:01:00.0: `, `sd 0:0:0:0: `, `usb 1-1: `: the first words are a driver's and its device's.
fn names_a_device(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let device = words.nth(1).and_then(|word| word.strip_suffix(':'));
    device.is_some_and(|device| device.contains([':', '-', '.']) && device.contains(|c: char| c.is_ascii_digit()))
}

/// What the lines around a silence are about: one driver's device, or an error that ends it.
fn spoken_of(gap: &LargeGap) -> Option<String> {
    let device = |text: &str| {
        let (name, _) = text.split_once(": ")?;
        names_a_device(text).then(|| name.to_owned())
    };
    let same = device(&gap.after).filter(|name| device(&gap.before).as_ref() == Some(name));
    let failed = || tells_of_failure(&gap.before).then(|| format!("before line {}, `{}`", gap.before_line, gap.before));
    same.map(|name| {
        format!(
            "between lines {} and {}, both about `{name}`",
            gap.after_line, gap.before_line
        )
    })
    .or_else(failed)
}

/// Does a line say that something failed, or ran out of time? What came before it is then its time.
fn tells_of_failure(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "*ERROR*",
        "ailed",
        "rror -",
        "imeout",
        "imed out",
        "exception ",
        "ot respond",
        "nable to",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// x86 prints its map of the memory between these two (arch/x86/kernel/setup.c, init/main.c): where nothing stands there,
/// somebody left lines out, and others are missing too.
fn leaves_out_the_map(context: &Context<'_>) -> bool {
    let starts = |line: &Line, start: &str| line.text.trim_start().starts_with(start);
    context
        .lines
        .windows(2)
        .any(|two| starts(two[0], "Command line: ") && starts(two[1], "Kernel command line: "))
}

/// What stands between the two lines around a silence.
enum Between {
    Nothing,
    WithoutStamps,
    /// Lines of programs that a daemon dated.
    Dated,
    /// Words of timers, which say nothing of whether the boot goes on.
    Timers,
}

fn between(context: &Context<'_>, gap: &LargeGap) -> Between {
    let lines = &context.boot.lines;
    let from = lines.partition_point(|line| line.number <= gap.after_line);
    let meanwhile = || {
        lines[from..]
            .iter()
            .take_while(|line| line.number < gap.before_line)
            .filter(|line| line.kind != LineKind::Blank)
    };
    let of_timers = |line: &Line| line.printk_ns.is_some() && in_background(line, gap.part);
    match meanwhile().next() {
        None => Between::Nothing,
        Some(_) if meanwhile().any(of_timers) => Between::Timers,
        // A stamp of another processor, that is not later.
        Some(_) if meanwhile().any(|line| line.printk_ns.is_some()) => Between::Timers,
        Some(_) if meanwhile().any(|line| received_ns(line).is_some()) => Between::Dated,
        Some(_) => Between::WithoutStamps,
    }
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
        let within = || {
            let (from, to) = (cost.lines.iter().min(), cost.lines.iter().max());
            from.is_some_and(|from| *from <= gap.after_line) && to.is_some_and(|to| gap.before_line <= *to)
        };
        let there = there || (is_one_wait(cost.kind) && within());
        let whole = matches!(cost.kind, CostKind::InitramfsRun | CostKind::UserSpaceStart);
        there && !whole && cost.cost_ns.is_some_and(|ns| ns >= gap.duration_ns / 10 * 8)
    })
}

/// Is what costs a single wait, for as long as it takes? Nothing else is waited for between its first and its last line.
pub(super) fn is_one_wait(kind: CostKind) -> bool {
    use CostKind as Kind;
    matches!(
        kind,
        Kind::UnitStart | Kind::UnitFailure | Kind::DeviceWait | Kind::UdevSettle | Kind::InitramfsUnpacking
    )
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
    // Between stamps of whole seconds it may be a second less.
    let is_whole = |ns: Option<i64>| ns.is_some_and(|ns| ns % NS_PER_S == 0);
    let whole = from.clock == Some(Clock::Host) && is_whole(from.ns) && is_whole(to.ns);
    let ns = if whole { ns - NS_PER_S } else { ns };
    if ns == 0 {
        return;
    }
    let bound = if to.at_most {
        ", the first words of the next init"
    } else {
        ""
    };
    let mut lines: Vec<u32> = from.line.into_iter().chain(to.line).collect();
    lines.dedup();
    out.push(Cost {
        title: "the initramfs runs before the real root file system is used".to_owned(),
        cost_ns: Some(ns),
        lines,
        evidence: format!("{} from `{}` to `{}`{bound}", spell(ns), from.basis, to.basis),
        advice:
            "build the root device's driver and file system in and boot without an initramfs; or leave out of it what \
                 finding root does not need, and pack it with LZ4"
                .to_owned(),
        ..Cost::of(CostKind::InitramfsRun)
    });
}

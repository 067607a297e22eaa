// SPDX-License-Identifier: MIT
//! Silences: times in which a boot prints nothing.

use serde::{Deserialize, Serialize};

use super::axis::Axis;
pub(crate) use super::background::in_background;
use super::background::speaks_for_init;
use super::dated;
use super::dates::in_one_burst;
use super::first_use::is_behind_a_prompt;
use super::idle::{is_nobodys, is_of_a_governor, others_speak, Idle};
use super::inside::{last_step, Course};
pub use super::part::BootPart;
use super::unclaimed::unclaimed_from;
use crate::facts::kernel::facts::stamp;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks;
use crate::log::clock::{Clock, JIFFIES_START_NS};
use crate::log::course::{is_step_of_init, only_a_boot_prints};
use crate::log::harness::{asks_for_a_secret, prompt_command};
use crate::log::line::{run_ahead, strays, Line, LineKind};
use crate::log::milestone::{self, Milestone};
use crate::text::shorten::shorten;

/// A long silence with its neighbours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LargeGap {
    /// Begin, ns of `clock`; of the host's and the firmware's clocks on the axis.
    pub start_ns: i64,
    /// Length.
    pub duration_ns: i64,
    /// Physical line before it.
    pub after_line: u32,
    /// That line's message.
    pub after: String,
    /// Physical line behind it.
    pub before_line: u32,
    /// That line's message.
    pub before: String,
    /// True when init had been started before.
    pub in_user_space: bool,
    /// Where in the boot.
    pub part: BootPart,
    /// The clock that stamped both lines.
    pub clock: Clock,
}

/// Gaps that are listed of each part.
const MAX_GAPS: usize = 20;
/// Shorter silences are not worth a line.
const SHORTEST_NS: i64 = 5_000_000;
/// A system whose init says no more is up after a silence as long as the boot before it, and no shorter than this ...
const SETTLED_NS: i64 = 10_000_000_000;
/// ... and one whose init speaks again later, after this.
const SETTLED_INIT_NS: i64 = 120_000_000_000;
/// A log without first use goes on while the system is used: what is silent later than this is not the boot's.
const LATEST_NS: i64 = 60_000_000_000;
/// No wait of the kernel's is longer: what follows in a piece without a start was plugged in later.
pub(crate) const LONGEST_WAIT_NS: i64 = 600_000_000_000;
/// A log in which init is not seen goes on while the system is used: see [`LATEST_NS`].
pub(crate) const LATEST_PIECE_NS: i64 = 120_000_000_000;
/// A host that reads the console so late in bursts tells nothing about silences.
const MAX_LATENESS_NS: i64 = 1_000_000_000;

/// Stamps that fall by more, to less than this, are another program's.
const OWN_START_NS: i64 = 100_000_000;

/// Stamps of the kernel's that fall by more are of another clock.
const OTHER_CLOCK_NS: i64 = 1_000_000_000;

/// The latest stamp so far, and its line.
#[derive(Clone, Copy)]
struct Last {
    ns: i64,
    at: usize,
    clock: Clock,
    part: BootPart,
}

/// The longest silences up to a line, that of first use, and before another, the first that is none of the boot's; longest first. Lines stamped out of order, as several processors print them, make
/// no silence, and neither does what was left out of the log here.
pub fn gaps(
    boot: &BootLog,
    kernel_clock: Clock,
    axis: &Axis,
    (first_use, over): (Option<u32>, Option<u32>),
) -> Vec<LargeGap> {
    let end = boot.lines.len();
    let kernel = boot.kernel_from.unwrap_or(end);
    let unclaimed = unclaimed_from(boot).unwrap_or(end);
    let user = boot.user_from.unwrap_or(end).max(kernel);
    // A daemon writes what it read of the kernel's between the lines of programs that started later.
    let runs_init = |line: &Line| {
        use Milestone::{FreeingInit, InitStarted};
        line.printk_ns.is_some() && matches!(milestone::of(&line.text), Some(FreeingInit | InitStarted))
    };
    let shown = boot.lines.iter().rposition(runs_init);
    let init = shown.unwrap_or(if in_one_burst(boot) { end } else { 0 });
    // A piece without a start and without init: nobody knows whether it is still the kernel's own part.
    let piece = boot.start == BootStart::MiddleOfLog && boot.user_from.is_none();
    let missing_to = lost_to(boot, user);
    let spoke = boot.lines.iter().rposition(speaks_for_init).unwrap_or(0);
    let init_spoke = spoke.max(last_step(boot));
    let arrival_tells = axis
        .alignment(Clock::Printk)
        .is_none_or(|a| a.clock == axis.clock || a.lateness_ns.is_none_or(|late| late < MAX_LATENESS_NS));
    let mut out: Vec<LargeGap> = Vec::new();
    let ahead = run_ahead(&boot.lines);
    let course = Course::of(boot);
    let (mut last, mut number, mut began): (Option<Last>, Option<u32>, Option<i64>) = (None, None, None);
    for (at, line) in boot.lines.iter().enumerate() {
        if first_use.is_some_and(|first| line.number > first)
            || is_behind_a_prompt(boot, at, first_use)
            || over.is_some_and(|over| line.number >= over)
            || (ends_the_boot(line) || piece && breaks::is_taken_out(&line.text))
        {
            break;
        }
        if number.is_some_and(|before: u32| line.number > before.saturating_add(1))
            || breaks::leaves_out(line)
            || breaks::loses(&line.text)
            || (boot.start == BootStart::MiddleOfLog && is_sentence(boot, at))
            || (at > user && missing_to.is_some_and(|to| at <= to))
        {
            last = None;
        }
        number = Some(line.last_number());
        let part = if at < kernel.min(unclaimed) {
            BootPart::Firmware
        } else if at < kernel {
            BootPart::Unclaimed
        } else if at < user || (at < init && line.kind == LineKind::Kernel) {
            BootPart::Kernel
        } else {
            BootPart::UserSpace
        };
        let Some((ns, clock)) = time(line, part, kernel_clock, axis, arrival_tells) else {
            continue;
        };
        if part == BootPart::Kernel && clock == Clock::Printk && ahead.binary_search(&at).is_ok() {
            continue;
        }
        if last.is_some() && part != BootPart::Firmware && in_background(line, part) {
            continue;
        }
        if last.is_some_and(|before| clock == Clock::Printk && spoke_meanwhile(boot, before, at, ns)) {
            last = None;
        }
        // The loader's last words end its part.
        if at == unclaimed {
            last = last.map(|before| Last { part, ..before });
        }
        let here = Last { ns, at, clock, part };
        let Some(before) = last.filter(|before| before.clock == clock && alike(before.ns, ns)) else {
            began = began.filter(|_| last.is_some_and(|l| l.clock == clock)).or(Some(ns));
            last = Some(here);
            continue;
        };
        let length = ns.saturating_sub(before.ns);
        if length <= 0 {
            // The next program of the firmware counts from its own start.
            let own_start = part == BootPart::Firmware && ns <= OWN_START_NS && length < -OWN_START_NS;
            // Processors print out of order by less: the line before was stamped by another clock.
            let other_clock = part != BootPart::Firmware && clock == Clock::Printk && length < -OTHER_CLOCK_NS;
            let other_clock = other_clock && !strays(&boot.lines, at, before.ns);
            if own_start || other_clock || length == 0 {
                last = Some(here);
            }
            continue;
        }
        if boot.user_from.is_none() && part == BootPart::Kernel {
            let elapsed = before.ns.saturating_sub(began.unwrap_or(before.ns));
            let late = (piece && length > LONGEST_WAIT_NS) || elapsed > LATEST_PIECE_NS;
            if (late || others_speak(&boot.lines[before.at..at], length)) && !only_a_boot_prints(&line.text) {
                break;
            }
        }
        if part == BootPart::UserSpace && first_use.is_none() {
            let elapsed = before.ns.saturating_sub(began.unwrap_or(before.ns));
            let settled = if at <= init_spoke { SETTLED_INIT_NS } else { SETTLED_NS };
            let step = length <= LATEST_NS && is_step_of_init(&line.text);
            let long = (length > elapsed.max(settled) && !step) || elapsed > LATEST_NS;
            if long && !waited_for(boot, at, &course, length) {
                break;
            }
        }
        last = Some(here);
        let first = before.ns == 0 && before.clock == Clock::Printk;
        let from = &boot.lines[before.at];
        let nobodys =
            is_nobodys(from, line) || (part == BootPart::UserSpace && is_of_a_governor(&from.text, &line.text));
        if length >= SHORTEST_NS && !(first || nobodys || waits_for_somebody(from)) {
            out.push(gap(boot, before, at, length));
            if out.len() > 8 * MAX_GAPS {
                keep_longest(&mut out);
            }
        }
    }
    let idle_from = if piece { kernel } else { user };
    drop_idle(&mut out, boot, idle_from, init_spoke, |line| {
        let part = if piece { BootPart::Kernel } else { BootPart::UserSpace };
        let told = time(line, part, kernel_clock, axis, arrival_tells);
        told.map(|(ns, _)| ns)
    });
    keep_longest(&mut out);
    out
}

/// Did programs speak, by a daemon's dates, for the time of a silence?
fn spoke_meanwhile(boot: &BootLog, before: Last, at: usize, ns: i64) -> bool {
    let length = ns.saturating_sub(before.ns);
    length >= SHORTEST_NS && dated::fill(&boot.lines[before.at..=at], length)
}

/// Is what follows none of the boot: a session runs, the machine was restored from a snapshot, or somebody prints the log?
pub(crate) fn ends_the_boot(line: &Line) -> bool {
    let typed = |text: &str| breaks::printing_command(text).is_some();
    breaks::is_restored(&line.text)
        || breaks::sleeps(&line.text)
        || breaks::is_session(&line.text)
        || (!line.has_kernel_prefix() && line.process.is_none() && typed(&line.text))
}

/// Does the boot go on here, or did init, or a script of its, wait for the random numbers that are ready here? It spoke last.
fn waited_for(boot: &BootLog, at: usize, course: &Course<'_>, length_ns: i64) -> bool {
    if only_a_boot_prints(&boot.lines[at].text) || boot.lines[at..].iter().take(NEXT).any(loads_at_start) {
        return true;
    }
    if length_ns <= LATEST_NS && course.awaited(at) {
        return true;
    }
    let ready = boot.lines[at].text.trim_start().starts_with("random: crng init done");
    let before = boot.lines[..at].iter().rev().find(|line| line.kind != LineKind::Blank);
    ready && before.is_some_and(|line| speaks_for_init(line) || line.process.as_deref() == Some("procd"))
}

/// Lines looked at behind a silence.
const NEXT: usize = 5;

/// Steps of user space that a system which is up takes no more: AppArmor's profiles are loaded, modules' initcalls are called.
fn loads_at_start(line: &Line) -> bool {
    let text = line.text.trim_start();
    let profile = text.starts_with("audit: type=1400 ") || text.contains("operation=\"profile_load\"");
    (profile && text.contains("profile_load")) || (text.starts_with("calling  ") && text.contains("] @ "))
}

/// Does the author of a page speak between two pieces of a log? A paragraph of its own, in a log of stamped lines; one that ends
/// in a colon may have the next piece right below it.
pub(crate) fn is_sentence(boot: &BootLog, at: usize) -> bool {
    const LONGEST: usize = 8;
    let line = &boot.lines[at];
    let text = line.text.trim();
    let ends = text.ends_with(['.', ':', '?', '!']) && !text.ends_with("...");
    if !ends || !text.contains(' ') || is_logged(line) {
        return false;
    }
    if heads_a_list(&boot.lines, at) {
        return true;
    }
    let blank = |line: Option<&Line>| line.is_none_or(|line| line.kind == LineKind::Blank);
    if !blank(boot.lines.get(at + 1)) && !text.ends_with(':') {
        return false;
    }
    let above = boot.lines[..at].iter().rev().take(LONGEST);
    let paragraph = above.take_while(|line| !blank(Some(line)) && !is_logged(line)).count();
    let first = at - paragraph;
    let words = boot.lines[first].text.trim_start();
    blank(first.checked_sub(1).map(|before| &boot.lines[before])) && words.starts_with(|c: char| c.is_alphabetic())
}

/// Does a heading stand here that stands near again, with other numbers? `It took 1.2 s:`: below it, a list shows lines that
/// somebody chose.
fn heads_a_list(lines: &[Line], at: usize) -> bool {
    const NEAR: usize = 6;
    let words = |line: &Line| line.text.trim().replace(|c: char| c.is_ascii_digit() || c == '.', "");
    let near = lines[at.saturating_sub(NEAR)..lines.len().min(at + NEAR + 1)].iter();
    let mut others = near.filter(|line| line.number != lines[at].number && !is_logged(line));
    lines[at].text.trim_end().ends_with(':') && others.any(|line| words(line) == words(&lines[at]))
}

fn is_logged(line: &Line) -> bool {
    line.has_kernel_prefix() || line.process.is_some() || line.host_ns.is_some() || line.firmware_ns.is_some()
}

/// Up to which index lines of user space are missing from the log, where that shows: Android's init prints what it does from
/// its first stage on, and acts on a property only later (system/core/init/main.cpp, action_manager.cpp).
fn lost_to(boot: &BootLog, user: usize) -> Option<usize> {
    let first = boot
        .lines
        .iter()
        .skip(user)
        .position(|line| line.text.trim_start().starts_with("init: "))?
        + user;
    let text = boot.lines[first].text.trim_start();
    let acts = text.strip_prefix("init: processing action (")?;
    acts.split(')').next()?.contains('=').then_some(first)
}

/// Leaves out what a timer ends, and what stands behind the last message that is none of a timer's.
fn drop_idle(
    out: &mut Vec<LargeGap>,
    boot: &BootLog,
    from_index: usize,
    init_spoke: usize,
    time: impl Fn(&Line) -> Option<i64>,
) {
    let at = |number: u32| {
        &boot.lines[boot
            .lines
            .partition_point(|l| l.number < number)
            .min(boot.lines.len() - 1)]
    };
    let from_line = boot.lines.get(from_index).map_or(u32::MAX, |line| line.number);
    // Of many messages only some are looked at: those around the longest.
    let mut longest: Vec<&LargeGap> = out.iter().filter(|gap| gap.after_line >= from_line).collect();
    longest.sort_by_key(|gap| std::cmp::Reverse(gap.duration_ns));
    let in_user: Vec<(u32, u32)> = longest.iter().map(|gap| (gap.after_line, gap.before_line)).collect();
    if in_user.is_empty() {
        return;
    }
    let idle = Idle::of(
        in_user.iter().flat_map(|(from, to)| [at(*from), at(*to)]),
        boot.lines[from_index..]
            .iter()
            .filter_map(|line| Some((line, time(line)?))),
        boot.lines[init_spoke].number,
    );
    out.retain(|gap| {
        let (from, to) = (at(gap.after_line), at(gap.before_line));
        gap.after_line < from_line
            || !(idle.ends(from, to, gap.duration_ns) || idle.settled_ns.is_some_and(|ns| gap.start_ns >= ns))
    });
}

fn gap(boot: &BootLog, before: Last, at: usize, length: i64) -> LargeGap {
    let (from, to) = (&boot.lines[before.at], &boot.lines[at]);
    LargeGap {
        start_ns: before.ns,
        duration_ns: length,
        after_line: from.number,
        after: shorten(from.text.trim()),
        before_line: to.number,
        before: shorten(to.text.trim()),
        in_user_space: before.part == BootPart::UserSpace,
        part: before.part,
        clock: before.clock,
    }
}

/// When a line was printed, by the clock that its part is measured with.
fn time(line: &Line, part: BootPart, kernel_clock: Clock, axis: &Axis, arrival_tells: bool) -> Option<(i64, Clock)> {
    let arrival = || axis.host(line).map(|ns| (ns, axis.clock));
    match (part, line.kind) {
        (BootPart::Firmware | BootPart::Unclaimed, LineKind::Firmware) => match line.firmware_ns {
            Some(ns) => Some((axis.place(Clock::Firmware, ns)?, Clock::Firmware)),
            None => arrival(),
        },
        (BootPart::Kernel, LineKind::Kernel) => match kernel_clock {
            Clock::Printk => Some((stamp(line, kernel_clock)?, kernel_clock)),
            _ => arrival(),
        },
        // A program behind a quiet kernel counts from its own start.
        (BootPart::UserSpace, LineKind::User)
            if line.firmware_ns.is_some() && line.printk_ns.is_none() && line.host_ns.is_none() =>
        {
            Some((line.firmware_ns?, Clock::Firmware))
        }
        (BootPart::UserSpace, LineKind::Kernel | LineKind::User) if arrival_tells => {
            arrival().or_else(|| Some((line.printk_ns?, Clock::Printk)))
        }
        (BootPart::UserSpace, LineKind::Kernel | LineKind::User) => Some((line.printk_ns?, Clock::Printk)),
        _ => None,
    }
}

/// The odd start of old x86 stamps is no silence.
fn alike(a: i64, b: i64) -> bool {
    (a < JIFFIES_START_NS) == (b < JIFFIES_START_NS)
}

/// A boot loader's prompt: what passes behind it is somebody's time.
pub(crate) fn waits_for_somebody(line: &Line) -> bool {
    // The kernel says `enabling device (0000 -> 0002)`, and asks nobody.
    asks_for_a_secret(&line.text)
        || !line.has_kernel_prefix()
            && line.process.is_none()
            && (prompt_command(line.text.trim_start()).is_some() || line.text.trim_end().ends_with(['#', '>']))
}

fn keep_longest(gaps: &mut Vec<LargeGap>) {
    gaps.sort_by_key(|gap| (std::cmp::Reverse(gap.duration_ns), gap.after_line));
    // The silences of a part do not crowd out those of another.
    let mut kept = [0_usize; BootPart::Unclaimed as usize + 1];
    gaps.retain(|gap| {
        let kept = &mut kept[gap.part as usize];
        *kept += 1;
        *kept <= MAX_GAPS
    });
}

// SPDX-License-Identifier: MIT
//! Up to where a stretch of a log lies inside the boot. A log goes on while the system runs, so the default is *later*: what
//! comes before the last sure sign of the boot's own progress is the boot's, and what follows that sign is so only until the
//! first silence that nothing ties to the boot.

use super::background::in_background;
use super::dates::{received_ns, Dates};
use super::idle::waits;
use super::part::BootPart;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::is_plugged;
use crate::log::clock::NS_PER_S;
use crate::log::course::{
    awaits_nothing, joins_a_network, only_a_boot_prints, runs_out, sets_a_service_up, speaks_of_a_disk,
    starts_a_service,
};
use crate::log::hints::is_boot_initcall;
use crate::log::line::{Line, LineKind};
use crate::log::starting::{is_progress, starts_once, starts_system};

/// Behind the last sign, a system that goes on starting is silent for no longer ...
const GRACE_NS: i64 = 5 * NS_PER_S;
/// ... or, on a slow machine, than it was before; but never than this ...
const LONGEST_GRACE_NS: i64 = 12 * NS_PER_S;
/// ... and nothing that comes later than this is tied to it by its nearness.
const SOON_NS: i64 = 30 * NS_PER_S;
/// A silence that is shorter tells nothing.
const SHORT_NS: i64 = NS_PER_S;
/// What the boot waits for comes no later than this behind the last sign: a timer of a running system may speak of a link too.
const AWAITED_NS: i64 = 240 * NS_PER_S;
/// A sign that a running system may show too, as when a package is installed, counts if it follows the one before within ...
const CHAIN_NS: i64 = 180 * NS_PER_S;
/// A kernel of which no init is seen is silent for no longer, whatever it waits for.
const KERNEL_NS: i64 = 600 * NS_PER_S;
/// Lines looked at for the last stamp of each clock.
const BACK: usize = 200;
/// A piece of so many lines is a whole log whose head is cut off; of a shorter one somebody chose the lines.
const WHOLE: usize = 200;
/// Lines looked at behind a silence: what it is about may be said a moment later.
const NEXT: usize = 8;

/// How far lines are apart, by the kernel's stamps or by a daemon's dates, whichever says less: a kernel is silent while
/// daemons speak, and a daemon reads what the kernel printed long before.
pub(super) struct Course<'a> {
    lines: &'a [Line],
    /// Since the first date, without the steps at which the clock was set; and how often it was.
    dated_ns: Vec<Option<(i64, u32)>>,
    /// The kernel's latest stamp so far.
    kernel_ns: Vec<i64>,
}

/// The last lines of each clock, by their index.
#[derive(Clone, Copy, Default)]
struct Last {
    stamped: Option<usize>,
    dated: Option<usize>,
}

impl<'a> Course<'a> {
    pub(super) fn of(boot: &'a BootLog) -> Self {
        let dates = Dates::of(&boot.lines);
        let mut last: Option<&Line> = None;
        let (mut elapsed, mut set) = (0_i64, 0_u32);
        let latest = boot.lines.iter().scan(0_i64, |latest, line| {
            *latest = line.printk_ns.unwrap_or(0).max(*latest);
            Some(*latest)
        });
        let clock = boot.lines.iter().map(|line| {
            // The clock beside the kernel's own: a daemon's dates, or those of a capture.
            let own = received_ns(line).or_else(|| line.live_host_ns())?;
            let captured = |before: &Line| own.checked_sub(before.live_host_ns()?);
            let step = last.and_then(|before| dates.apart(before, line).or_else(|| captured(before)));
            set += u32::from(last.is_some() && step.is_none());
            elapsed = elapsed.saturating_add(step.unwrap_or(0).max(0));
            last = Some(line);
            Some((elapsed, set))
        });
        Self {
            dated_ns: clock.collect(),
            kernel_ns: latest.collect(),
            lines: &boot.lines,
        }
    }

    fn sees(&self, last: &mut Last, at: usize) {
        last.stamped = Some(at)
            .filter(|at| self.lines[*at].printk_ns.is_some())
            .or(last.stamped);
        last.dated = Some(at).filter(|at| self.dated_ns[*at].is_some()).or(last.dated);
    }

    /// The last stamps at a line, or a little before it.
    fn from(&self, at: usize) -> Last {
        let back = |has: &dyn Fn(usize) -> bool| (at.saturating_sub(BACK)..=at).rev().find(|at| has(*at));
        Last {
            stamped: back(&|at| self.lines[at].printk_ns.is_some()),
            dated: back(&|at| self.dated_ns[at].is_some()),
        }
    }

    fn since(&self, last: Last, at: usize) -> Option<i64> {
        let stamp = |at: usize| self.lines[at].printk_ns;
        let stamped = last.stamped.and_then(|before| stamp(at)?.checked_sub(stamp(before)?));
        let dated = last.dated.and_then(|before| {
            let ((to, sets), (from, before_sets)) = (self.dated_ns[at]?, self.dated_ns[before]?);
            let kernel = self.kernel_ns[at].saturating_sub(self.kernel_ns[before]);
            Some((to.saturating_sub(from), sets != before_sets, kernel))
        });
        // Where the clock was set meanwhile, the dates say less than passed.
        let ns = match (stamped, dated) {
            (Some(stamped), Some((dated, false, _))) => Some(stamped.min(dated)),
            (Some(stamped), _) => Some(stamped),
            (None, Some((dated, true, kernel))) => Some(dated.max(kernel)),
            (None, dated) => dated.map(|(dated, ..)| dated),
        };
        ns.map(|ns| ns.max(0))
    }

    /// The last line from an index on that `is` a sign; where a running system prints such lines too, each follows the one
    /// before within a start's time.
    pub(super) fn last(&self, from: usize, to: usize, is: impl Fn(&Line) -> bool) -> usize {
        let mut found = from;
        let mut last = self.from(from);
        for (at, line) in self.lines.iter().enumerate().take(to).skip(from + 1) {
            let surely = only_a_boot_prints(&line.text) && !self.is_of_an_update(at);
            if !surely && !is(line) {
                continue;
            }
            if surely || self.since(last, at).is_none_or(|ns| ns <= CHAIN_NS) {
                found = at;
                self.sees(&mut last, at);
            }
        }
        found
    }

    /// Does somebody install packages right before a line? A daemon that is replaced starts anew, as udev's does.
    fn is_of_an_update(&self, at: usize) -> bool {
        const NEAR: usize = 3;
        const PROGRAMS: [&str; 7] = ["yum", "dnf", "rpm", "dpkg", "apt-get", "packagekitd", "PackageKit"];
        let installs = |line: &Line| line.process.as_deref().is_some_and(|name| PROGRAMS.contains(&name));
        self.lines[at.saturating_sub(NEAR)..at].iter().any(installs)
    }

    /// Does a line stand within a start's time behind another?
    pub(super) fn is_near(&self, from: usize, to: usize) -> bool {
        self.since(self.from(from), to).is_none_or(|ns| ns <= CHAIN_NS)
    }

    /// Does a line tell nothing of whether the system goes on?
    fn is_mute(line: &Line) -> bool {
        let said = matches!(line.kind, LineKind::Kernel | LineKind::User) && !line.text.trim().is_empty();
        !said || in_background(line, BootPart::UserSpace)
    }

    /// How long a silence behind the last sign may be: no longer than those of the boot before it, and no less than usual.
    pub(super) fn grace(&self, init: usize, sign: usize) -> i64 {
        let mut last = self.from(init);
        let mut longest = 0;
        for at in init + 1..=sign {
            if !Self::is_mute(&self.lines[at]) {
                longest = longest.max(self.since(last, at).unwrap_or(0));
                self.sees(&mut last, at);
            }
        }
        longest.saturating_add(longest / 4).clamp(GRACE_NS, LONGEST_GRACE_NS)
    }

    /// The first line behind which no kernel is silent for so long and boots, or which only a running system prints.
    fn after_kernel(&self, from: usize) -> Option<u32> {
        let mut last = self.from(from);
        for (at, line) in self.lines.iter().enumerate().skip(from + 1) {
            if Self::is_mute(line) {
                continue;
            }
            let silent = self.since(last, at).unwrap_or(0);
            if silent > KERNEL_NS || (silent > SHORT_NS && awaits_nothing(&line.text)) {
                return Some(line.number);
            }
            self.sees(&mut last, at);
        }
        None
    }

    /// The first line behind a sign that a silence sets apart from the boot, and before `to`. `grace_ns`: how long a silence
    /// may be that nothing explains.
    pub(super) fn later(&self, sign: usize, to: usize, grace_ns: i64) -> Option<u32> {
        let begin = self.from(sign);
        let mut last = begin;
        let mut before = &self.lines[sign];
        for (at, line) in self.lines.iter().enumerate().take(to).skip(sign + 1) {
            if Self::is_mute(line) {
                continue;
            }
            if let Some(silent) = self.since(last, at) {
                let elapsed = self.since(begin, at).unwrap_or(silent);
                let late = elapsed > SOON_NS || awaits_nothing(&line.text);
                let apart = silent >= grace_ns || (silent > SHORT_NS && late);
                if apart && (elapsed > AWAITED_NS || !self.tied(before, at)) {
                    return Some(line.number);
                }
            }
            self.sees(&mut last, at);
            before = line;
        }
        None
    }

    /// Does a line end a silence that the boot has waited in: did the line before it speak of a wait, or does it tell of what
    /// is waited for?
    fn tied(&self, before: &Line, at: usize) -> bool {
        let line = &self.lines[at];
        if awaits_nothing(&line.text) || is_plugged(&line.text) {
            return false;
        }
        waits(&before.text) || self.awaited(at)
    }

    /// Is what a line tells of something that a boot waits for: its devices, an initcall's end, a time-out, an interface that
    /// comes up, or a service that Android's init starts, for the first time?
    pub(super) fn awaited(&self, at: usize) -> bool {
        let line = &self.lines[at];
        if only_a_boot_prints(&line.text)
            || is_boot_initcall(&line.text)
            || sets_a_service_up(&line.text)
            || speaks_of_a_disk(&line.text)
            || runs_out(&line.text)
        {
            return true;
        }
        let known = |text: &str| self.lines[..at].iter().any(|before| before.text == text);
        if starts_a_service(&line.text) {
            return !known(&line.text);
        }
        let end = self.lines.len().min(at + NEXT);
        let near = |next: &usize| self.since(self.from(at), *next).is_none_or(|ns| ns <= SHORT_NS);
        (at..end)
            .take_while(near)
            .map(|next| self.lines[next].text.as_str())
            .any(|text| joins_a_network(text) && !known(text))
    }
}

/// From which index on user space runs: the last sure sign is there or later. Nothing, where a piece is too short to tell.
pub(super) fn begin(boot: &BootLog) -> Option<usize> {
    if boot.start != BootStart::MiddleOfLog {
        let user = boot.user_from.filter(|user| *user < boot.lines.len())?;
        // A daemon's log may go on with a program of long after.
        let line = &boot.lines[user];
        let of_a_program = line.process.is_some() && received_ns(line).is_some() && !is_progress(line);
        let kernels = |line: &Line| line.printk_ns.is_some() && line.process.is_none();
        let before = || boot.lines[..user].iter().rposition(kernels);
        return before().filter(|_| of_a_program).or(Some(user));
    }
    let whole = boot.lines.len() >= WHOLE;
    let first = || {
        boot.lines
            .iter()
            .position(|line| is_progress(line) || starts_once(line))
    };
    whole.then(first).flatten()
}

/// The first line that is none of the boot's where no init is seen: behind a silence that is longer than any wait of the
/// kernel's, or one that something ends which only comes up in a running system.
pub(super) fn of_the_kernel(boot: &BootLog) -> Option<u32> {
    let kernel = boot.kernel_from.filter(|kernel| *kernel < boot.lines.len())?;
    if boot.user_from.is_some() || boot.start == BootStart::MiddleOfLog {
        return None;
    }
    Course::of(boot).after_kernel(kernel)
}

/// The index of the last line that shows a step of the start: what is silent before it is silent in the boot.
pub(crate) fn last_step(boot: &BootLog) -> usize {
    begin(boot).map_or(0, |init| Course::of(boot).last(init, boot.lines.len(), is_progress))
}

/// The last line of the boot that the system's manager, or a daemon that starts once, says of the start itself.
pub(crate) fn last_started(boot: &BootLog) -> u32 {
    begin(boot).map_or(0, |init| {
        let started = Course::of(boot).last(init, boot.lines.len(), starts_system);
        boot.lines[started].number
    })
}

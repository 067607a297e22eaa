// SPDX-License-Identifier: MIT
//! Where one boot ends and the next begins.

mod before;
mod kexec;
mod loader_stamps;
mod phase;
mod piece;
mod recovery;
mod restart;

use super::chain::Chain;
use super::nameless::{ends_like_loader, head_from, loader_from};
use super::reader::Lines;
use super::shown_again::join_shown_again;
use super::{mail_before_kernel, other_output::mark_other_output, page::mark_prose};
use crate::log::banner::{banner, looks_like_loader};
use crate::log::boot_log::{BootLog, BootStart, Split};
use crate::log::clock::is_before_overflow;
use crate::log::guest::is_hypervisors;
use crate::log::hand_over::hands_over;
use crate::log::harness;
use crate::log::hints::{begins_user_space, is_kernel_fault, is_named_process, is_user_space};
use crate::log::line::{Line, LineKind};
use crate::log::milestone;
use crate::log::milestone::Milestone;
use crate::options::Limits;
use crate::readers::firmware_table::is_table_row;

/// Cuts the lines of one input into boots.
pub fn split(mut lines: Lines, limits: &Limits) -> Split {
    mark_other_output(&mut lines.lines);
    mark_prose(&mut lines.lines);
    let mut splitter = Splitter {
        out: Split::default(),
        state: State::default(),
        loader_ns: None,
        limits,
    };
    let mut all = lines.lines.into_iter().peekable();
    while let Some(line) = all.next() {
        splitter.line(line, all.peek());
    }
    splitter.give_back_words();
    splitter.finish();
    let mut out = splitter.out;
    join_shown_again(&mut out);
    super::own_start::part(&mut out);
    super::quoted::take_back(&mut out);
    super::printed_later::forget_when_printed(&mut out);
    mail_before_kernel::mark(&mut out);
    out
}

/// Cuts the lines of a hypervisor's guest into boots.
pub fn split_guest(guest: u16, lines: Vec<Line>, limits: &Limits) -> Split {
    let lines = Lines {
        lines,
        ..Lines::default()
    };
    let mut out = split(lines, limits);
    for boot in &mut out.boots {
        boot.guest = Some(guest);
    }
    out
}

/// What is remembered of the boot being read.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // independent observations, not states of one machine
struct State {
    boot: Option<BootLog>,
    chain: Chain,
    version: Option<String>,
    version_stamped: bool,
    max_printk_ns: Option<i64>,
    console_switch: bool,
    freed: bool,
    /// Index of the line that says so.
    freed_at: Option<usize>,
    /// The kernel panicked: it stamps some more lines, none of them with an earlier time.
    panicked: bool,
    /// The kernel named the program that it runs as init.
    ran: bool,
    replay_until_ns: Option<i64>,
    /// Of the kernel and of named processes.
    system_lines: u32,
    stamped_lines: u32,
    /// The kernel mounted the root file system, by a line with a stamp.
    mounted: bool,
    first_mark: Option<String>,
    /// Which lines that a kernel says once and early, without stamps, were heard: bits.
    early_words: u8,
    handed_over: bool,
    /// The last loader gave the machine away; a table of its marks only names that step.
    left_loader: bool,
    /// Index of the first line behind a page's text.
    block_at: Option<usize>,
    /// systemd said how long the start took.
    accounted: bool,
    /// systemd mounted the root file system anew, for writing.
    remounted: bool,
    dropping: bool,
    /// The kernel said that it starts another one.
    leaves: bool,
}

struct Splitter<'a> {
    out: Split,
    state: State,
    /// The last stamp of a boot loader that stamps its lines just as the kernel does, while it speaks.
    loader_ns: Option<i64>,
    limits: &'a Limits,
}

impl Splitter<'_> {
    fn line(&mut self, mut line: Line, next: Option<&Line>) {
        if self.is_stamped_by_loader(&line, next) {
            line.firmware_ns = line.printk_ns.take();
            line.kind = LineKind::Outside;
        }
        if harness::divides_boots(&line.text) {
            line.kind = LineKind::Harness;
            self.finish();
            self.state = State::default();
        }
        self.part_accounts(&line);
        self.enter_next_kernel(&line);
        match line.kind {
            LineKind::Blank | LineKind::Typed | LineKind::Harness | LineKind::Garbage | LineKind::Property => {
                return self.keep(line)
            }
            LineKind::Prose => return self.text_of_page(line),
            LineKind::Report => {
                self.finish();
                self.state = State::default();
                return self.keep(line);
            }
            LineKind::User => {
                self.state.system_lines += 1;
                if self.state.boot.is_some() && !self.starts_over(&line) {
                    self.enter_user();
                } else {
                    self.begin(BootStart::MiddleOfLog);
                    self.enter_kernel();
                    self.enter_user();
                }
                return self.keep(line);
            }
            _ => {}
        }
        if self.is_recovery(&line) {
            // Some versions print the seconds since their start just as the kernel does.
            line.kind = LineKind::Firmware;
            return self.keep(line);
        }
        if line.kind == LineKind::Kernel {
            self.kernel_line(line, next);
            return;
        }
        if self.in_kernel() && is_hypervisors(&line.text) && banner(&line.text).is_none() {
            line.kind = LineKind::Firmware;
            return self.keep(line);
        }
        if let Some(found) = banner(&line.text) {
            let (rank, text) = (found.rank, found.text.to_owned());
            if self.is_reset(rank, &text) {
                let unheard = self.unheard_firmware(rank);
                self.begin(BootStart::Firmware);
                for line in unheard {
                    self.keep(line);
                }
            }
            self.state.chain.note(rank, text);
            line.kind = if self.in_kernel() {
                LineKind::User
            } else {
                LineKind::Firmware
            };
            return self.keep(line);
        }
        if self.kernel_speaks_again(&line.text) {
            self.begin(BootStart::KernelBanner);
            self.enter_kernel();
            // Said once in the boot that begins here.
            self.kernel_speaks_again(&line.text);
        }
        match milestone::of(&line.text) {
            Some(Milestone::KernelBanner | Milestone::BootingLinux) => {
                line.kind = LineKind::Kernel;
                self.kernel_line(line, next);
                return;
            }
            Some(found @ (Milestone::InitStarted | Milestone::InitRunning)) if self.in_kernel() => {
                self.state.ran |= found == Milestone::InitStarted;
                self.enter_user();
            }
            _ if self.state.boot.is_none() && begins_user_space(&line.text) => {
                self.begin(BootStart::MiddleOfLog);
                self.enter_kernel();
                self.enter_user();
            }
            Some(Milestone::FreeingInit) if self.in_kernel() => self.note_freed(),
            Some(Milestone::FreeingInit) if self.state.boot.is_none() => {
                self.begin(BootStart::MiddleOfLog);
                self.enter_kernel();
                self.note_freed();
            }
            None if self.speaks_beside_the_kernel(&line) => self.enter_user(),
            // Without stamps the kernel cannot be told from init; this is the kernel's last step before it.
            Some(Milestone::ClosingStep) if self.state.freed => self.note_closing(Some(Milestone::ClosingStep)),
            _ if self.state.freed && !self.is_beside_the_log(&line) => self.enter_user(),
            _ => {}
        }
        // A quiet kernel: user space is the first to speak. One without stamps: nothing else tells.
        if (self.in_kernel() || self.state.handed_over) && (is_user_space(&line.text) || self.counts_anew(&line)) {
            self.enter_kernel();
            self.enter_user();
        }
        self.state.handed_over |= hands_over(&line.text);
        self.state.left_loader |= hands_over(&line.text) && !is_table_row(&line.text);
        if self.bootstage_restart(&line) {
            self.begin(BootStart::BootstageReport);
        }
        self.state.chain.line(&line.text);
        line.kind = match &self.state.boot {
            None => LineKind::Outside,
            Some(boot) if boot.user_from.is_some() => LineKind::User,
            Some(boot) if boot.kernel_from.is_some() => LineKind::Kernel,
            Some(_) => LineKind::Firmware,
        };
        if line.kind == LineKind::Outside && (looks_like_loader(&line.text) || is_table_row(&line.text)) {
            self.begin(BootStart::Firmware);
            self.state.handed_over = hands_over(&line.text);
            line.kind = LineKind::Firmware;
        }
        if line.kind == LineKind::Outside && is_kernel_fault(&line.text) {
            self.begin(BootStart::MiddleOfLog);
            self.enter_kernel();
            line.kind = LineKind::Kernel;
        }
        self.keep(line);
    }

    fn kernel_line(&mut self, mut line: Line, next: Option<&Line>) {
        let milestone = milestone::of(&line.text);
        if let Some(until) = self.state.replay_until_ns {
            if line.printk_ns.is_some_and(|ns| ns <= until) {
                self.out.replayed.push(line.number);
                return;
            }
            self.state.replay_until_ns = None;
        }
        match milestone {
            Some(Milestone::KernelBanner) => {
                let same = self.state.version.as_deref() == Some(&line.text);
                if self.is_printed_later(&line, same) {
                    let user = self.state.boot.as_ref().is_some_and(|boot| boot.user_from.is_some());
                    line.kind = if user { LineKind::User } else { LineKind::Kernel };
                    return self.keep(line);
                }
                if same && self.state.console_switch && line.printk_ns.is_some() {
                    self.state.replay_until_ns = self.state.max_printk_ns;
                    self.out.replayed.push(line.number);
                    return;
                }
                if self.state.version.is_some() || self.state.boot.is_none() || self.began_in_the_middle(&line) {
                    self.begin(BootStart::KernelBanner);
                } else if let Some(boot) = &mut self.state.boot {
                    // Old kernels say a line or two before their banner.
                    if boot.start == BootStart::MiddleOfLog {
                        boot.start = BootStart::KernelBanner;
                    }
                }
                self.state.version = Some(line.text.clone());
                self.state.version_stamped = line.printk_ns.is_some();
            }
            // The console that was registered last prints from the first line on what was said before it came.
            Some(Milestone::BootingLinux)
                if self.state.console_switch && self.state.version.is_some() && self.fell(&line) =>
            {
                self.state.replay_until_ns = self.state.max_printk_ns;
                self.out.replayed.push(line.number);
                return;
            }
            Some(Milestone::BootingLinux)
                if (self.state.version.is_some() || self.began_in_the_middle(&line)) && !self.state.console_switch =>
            {
                self.begin(BootStart::KernelBanner);
            }
            _ if self.stamps_restart(&line, next) => self.begin(BootStart::StampsRestart),
            _ if self.begins_another_piece(&line, next) || self.runs_init_again(&line) => {
                self.begin(BootStart::MiddleOfLog);
            }
            _ if self.goes_on_much_later(&line) || self.shows_another_log(&line) => self.begin(BootStart::MiddleOfLog),
            _ => {}
        }
        if self.state.boot.is_none() {
            let banner = matches!(milestone, Some(Milestone::KernelBanner | Milestone::BootingLinux));
            self.begin(if banner {
                BootStart::KernelBanner
            } else {
                BootStart::MiddleOfLog
            });
        }
        self.enter_kernel();
        self.state.system_lines += 1;
        self.state.panicked |= line.text.contains("Kernel panic - not syncing");
        self.state.stamped_lines += u32::from(line.printk_ns.is_some());
        self.state.mounted |= line.printk_ns.is_some() && line.text.starts_with("VFS: Mounted root (");
        self.state.console_switch =
            line.text.contains("bootconsole [") || (line.text.contains("console [") && line.text.ends_with("enabled"));
        if let Some(ns) = line.printk_ns.filter(|ns| !is_before_overflow(*ns)) {
            self.state.max_printk_ns = Some(self.state.max_printk_ns.map_or(ns, |max| max.max(ns)));
        }
        if matches!(milestone, Some(Milestone::InitStarted | Milestone::InitRunning)) {
            self.enter_user();
        }
        // A process that writes into the kernel's log is user space, wherever a piece begins.
        let in_piece = |boot: &BootLog| boot.start == BootStart::MiddleOfLog && boot.user_from.is_none();
        if self.state.boot.as_ref().is_some_and(in_piece) && is_named_process(line.text.trim_start()) {
            self.enter_user();
        }
        self.state.ran |= milestone == Some(Milestone::InitStarted);
        self.note_closing(milestone);
        line.kind = LineKind::Kernel;
        self.keep(line);
    }

    fn begin(&mut self, start: BootStart) {
        let first_mark = self.state.first_mark.take();
        // A second report begins with its header, which was taken for the first boot's.
        let header = match &mut self.state.boot {
            Some(boot) if start == BootStart::BootstageReport => {
                let at = boot
                    .lines
                    .iter()
                    .rposition(|l| l.text.contains("Timer summary in microseconds"));
                at.map_or_else(Vec::new, |at| boot.give_up_from(at))
            }
            Some(boot) if matches!(start, BootStart::KernelBanner | BootStart::StampsRestart) => {
                let head = loader_from(boot).or_else(|| head_from(boot, true, self.state.block_at));
                head.map_or_else(Vec::new, |at| boot.give_up_from(at))
            }
            Some(boot) if start == BootStart::Firmware => {
                let left = boot.kernel_from.is_some() || self.state.left_loader;
                let head = head_from(boot, left, self.state.block_at);
                head.map_or_else(Vec::new, |at| boot.give_up_from(at))
            }
            _ => Vec::new(),
        };
        if matches!(start, BootStart::MiddleOfLog | BootStart::StampsRestart) {
            self.give_back_words();
        }
        self.finish();
        let dropping = self.out.boots.len() >= self.limits.boots;
        if dropping {
            self.out.dropped_boots += 1;
        }
        self.state = State {
            boot: Some(BootLog::new(start)),
            dropping,
            ..State::default()
        };
        let unknown_loader = || start == BootStart::KernelBanner && ends_like_loader(&self.out.outside);
        if self.out.boots.is_empty() && !dropping && (start == BootStart::Firmware || unknown_loader()) {
            self.claim_before();
        }
        for mut line in header {
            if matches!(line.kind, LineKind::Kernel | LineKind::User) {
                line.kind = LineKind::Firmware;
                line.firmware_ns = line.firmware_ns.or(line.printk_ns.take());
            }
            self.keep(line);
        }
        if start == BootStart::BootstageReport {
            self.state.first_mark = first_mark;
        }
    }

    fn finish(&mut self) {
        if let Some(mut boot) = self.state.boot.take() {
            boot.user_space_from(self.state.freed_at.filter(|_| !self.state.ran));
            if !self.state.dropping && !boot.lines.is_empty() {
                self.out.boots.push(boot);
            }
        }
    }

    fn keep(&mut self, line: Line) {
        self.note_leaving(&line);
        match &mut self.state.boot {
            Some(_) if self.state.dropping => {
                self.out.dropped += 1;
                self.out.first_dropped.get_or_insert(line.number);
            }
            Some(boot) => boot.lines.push(line),
            None => self.out.outside.push(line),
        }
    }
}

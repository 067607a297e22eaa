// SPDX-License-Identifier: MIT
//! What tells that the machine has started again.

use super::Splitter;
use crate::log::banner::{looks_like_loader, Rank};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::hints::accounts_for_start;
use crate::log::line::{Line, LineKind};
use crate::log::starting::starts_once;

/// Lines of a running system from which on a kernel's banner is another boot's.
const LINES_OF_A_SYSTEM: u32 = 40;

/// The first lines of a start are no further apart from the one that prepares its root file system.
const SAME_START_NS: u64 = 60_000_000_000;

/// A stamp that falls from above this to zero is another boot.
const RESTART_FROM_NS: i64 = 2_000_000_000;

impl Splitter<'_> {
    /// More than a few lines before the banner, or stamps that fall at it: it booted again. After user space a kernel that
    /// was quiet, as a loader's is, has started another.
    pub(super) fn began_in_the_middle(&self, line: &Line) -> bool {
        let after_init = |boot: &BootLog| boot.user_from.is_some() && boot.user_from == boot.kernel_from;
        if self.state.boot.as_ref().is_some_and(after_init) {
            return true;
        }
        let max = self.state.max_printk_ns.unwrap_or(0);
        let fell = line
            .printk_ns
            .is_some_and(|ns| max.saturating_sub(ns) >= RESTART_FROM_NS);
        self.in_kernel() && (fell || self.state.system_lines > LINES_OF_A_SYSTEM)
    }

    /// Keeps a page's text apart from the log in it.
    pub(super) fn text_of_page(&mut self, line: Line) {
        self.state.chain.page();
        self.state.block_at = self.state.boot.as_ref().map(|boot| boot.lines.len());
        self.out.outside.push(line);
    }

    /// Does a first program speak, after which nothing of the boot before it can come?
    pub(super) fn is_reset(&self, rank: Rank, text: &str) -> bool {
        match &self.state.boot {
            None => true,
            // A hypervisor starts before every kernel.
            Some(boot) if boot.kernel_from.is_some() => rank != Rank::Monitor || text.starts_with("(XEN) Xen version "),
            // Nothing runs first behind the last loader.
            Some(_) => (rank == Rank::First && self.state.left_loader) || self.state.chain.is_reset(rank, text),
        }
    }

    /// A program that is not the first one speaks after a kernel that never came to init: the log lost the first one's
    /// name, and what stands behind the kernel's last stamped line, with words of a loader, was printed by it.
    pub(super) fn unheard_firmware(&mut self, rank: Rank) -> Vec<Line> {
        let Some(boot) = self.state.boot.as_mut().filter(|_| rank > Rank::First) else {
            return Vec::new();
        };
        let stamped = boot.lines.iter().rposition(Line::has_kernel_prefix);
        let (Some(last), Some(_), None) = (stamped, boot.kernel_from, boot.user_from) else {
            return Vec::new();
        };
        // What a test tool types into a dead system is not its.
        if !boot.lines[last + 1..].iter().any(|line| looks_like_loader(&line.text)) {
            return Vec::new();
        }
        let mut lines = boot.give_up_from(last + 1);
        for line in lines.iter_mut().filter(|line| line.kind == LineKind::Kernel) {
            line.kind = LineKind::Firmware;
        }
        lines
    }

    /// Does a kernel without stamps say again, behind user space, what it says once and early? Its banner was lost: boot
    /// loaders of cameras and routers leave the port at another speed.
    pub(super) fn kernel_speaks_again(&mut self, text: &str) -> bool {
        let word = match text {
            _ if text.starts_with("Kernel command line: ") => 1,
            _ if text.starts_with("bootconsole [") && text.ends_with("] enabled") => 2,
            _ => return false,
        };
        // The X server's log says on what it runs.
        let before = self.state.boot.as_ref().and_then(|boot| boot.lines.last());
        if before.is_some_and(|line| line.text.starts_with("Current Operating System: ")) {
            return false;
        }
        let heard = self.state.early_words & word != 0;
        self.state.early_words |= word;
        heard && self.state.boot.as_ref().is_some_and(|boot| boot.user_from.is_some())
    }

    /// Does FreeBSD's kernel say its first words again, behind the last ones of a system that goes down? Another boot begins.
    pub(super) fn starts_freebsd_again(&self, line: &Line) -> bool {
        const NEAR: usize = 60;
        const LAST: [&str; 4] = ["Rebooting...", "exiting on signal 15", "boot file is ", "Uptime: "];
        let first = |text: &str| {
            let text = text.trim();
            text.starts_with("Copyright (c) ") && text.ends_with(" The FreeBSD Project.")
        };
        let Some(boot) = self.state.boot.as_ref().filter(|_| first(&line.text)) else {
            return false;
        };
        let mut near = boot.lines.iter().rev().take(NEAR);
        boot.lines.iter().any(|before| first(&before.text))
            && near.any(|before| LAST.iter().any(|words| before.text.contains(words)))
    }

    /// Does systemd prepare the root file system, as it does once in a boot, in a system that has long run? A log of daemons
    /// alone has no kernel's banner to tell.
    pub(super) fn starts_over(&mut self, line: &Line) -> bool {
        if line.process.as_deref() != Some("systemd") {
            return false;
        }
        let text = line.text.trim();
        let remounts = text.starts_with("Starting ") && text.ends_with("Remount Root and Kernel File Systems...");
        let middle = |boot: &BootLog| boot.start == BootStart::MiddleOfLog && boot.user_from == boot.kernel_from;
        // The journal of a start begins before that step, and so do the first units.
        let near = |a: i64, b: i64| a.abs_diff(b) <= SAME_START_NS;
        let same = |before: &Line| before.host_ns.zip(line.host_ns).is_some_and(|(a, b)| near(a, b));
        let begun = |boot: &BootLog| boot.lines.iter().any(|before| starts_once(before) && same(before));
        let running = self.state.system_lines > LINES_OF_A_SYSTEM
            && !self.state.remounted
            && self
                .state
                .boot
                .as_ref()
                .is_some_and(|boot| middle(boot) && !begun(boot));
        let over = remounts && (self.state.accounted || running);
        self.state.accounted |= accounts_for_start(text);
        self.state.remounted |= remounts;
        over
    }

    /// Does somebody else speak, where the kernel stamps its lines and has mounted the root file system? Kernels that say
    /// little do not say that init starts.
    pub(super) fn speaks_beside_the_kernel(&self, line: &Line) -> bool {
        let words = line.text.trim();
        let spoken = words.len() >= 8 && words.contains(' ') && words.starts_with(|c: char| c.is_ascii_alphabetic());
        let stamped = self.state.mounted && self.state.stamped_lines > LINES_OF_A_SYSTEM;
        let running = |boot: &BootLog| boot.user_from.is_none();
        stamped && spoken && !self.state.freed && self.state.boot.as_ref().is_some_and(running)
    }

    /// Do the stamps fall to zero, or back at all behind a panic?
    pub(super) fn stamps_restart(&self, line: &Line, next: Option<&Line>) -> bool {
        let (Some(max), Some(ns)) = (self.state.max_printk_ns, line.printk_ns) else {
            return false;
        };
        if self.state.panicked && max.saturating_sub(ns) >= RESTART_FROM_NS {
            return true;
        }
        let next_small = next.and_then(|l| l.printk_ns).is_none_or(|ns| ns < 100_000_000);
        max >= RESTART_FROM_NS && ns == 0 && next_small
    }

    /// Two reports of one boot have the same first marks; other marks come from another boot.
    pub(super) fn bootstage_restart(&mut self, line: &Line) -> bool {
        let words = line.text.split_ascii_whitespace().last();
        if words != Some("board_init_f") || !line.text.contains(',') {
            return false;
        }
        let mark = line.text.trim_ascii().to_owned();
        match &self.state.first_mark {
            Some(first) if *first != mark => true,
            _ => {
                self.state.first_mark = Some(mark);
                false
            }
        }
    }
}

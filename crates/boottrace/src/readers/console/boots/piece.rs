// SPDX-License-Identifier: MIT
//! Pieces of logs that a mail or a page shows one behind the other: of another machine, another boot, or much later.

use super::{Splitter, State};
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::{chooses_lines, leaves_out, printing_command};
use crate::log::clock::is_before_overflow;
use crate::log::hints::is_user_space;
use crate::log::line::{Line, LineKind};
use crate::log::sentence;
use crate::readers::console::other_output::parts_accounts;

/// Stamps that fall by less were printed by another processor.
const BACK_NS: i64 = 20_000_000;
/// No processor's clock is so far behind.
const FAR_NS: i64 = 1_000_000_000;
/// Lines in which a piece's first stamp is looked for.
const HEAD: usize = 100;
/// Lines of a person that are looked at before a stamp.
const SPOKEN: usize = 4;
/// Lines of a person that are looked at before stamps of long after ...
const TOLD: usize = 40;
/// ... of which so many end a sentence: what a system prints for an emergency has fewer.
const SENTENCES: usize = 3;

impl Splitter<'_> {
    /// Is it /proc/version, as reports about a system print it behind its log, and programs while it runs? A kernel that stamps
    /// its lines stamps its banner.
    pub(super) fn is_printed_later(&self, line: &Line, same: bool) -> bool {
        let user = self.state.boot.as_ref().is_some_and(|boot| boot.user_from.is_some());
        let stamped = self.state.stamped_lines > 0 && self.state.version.is_none() && user;
        line.printk_ns.is_none() && ((same && self.state.version_stamped) || stamped)
    }

    /// Was something left out here, and what follows is of a system that has long been up?
    pub(super) fn goes_on_much_later(&self, line: &Line) -> bool {
        const LATER_NS: i64 = 600_000_000_000;
        let (Some(max), Some(ns)) = (self.state.max_printk_ns, line.printk_ns) else {
            return false;
        };
        let lines = self.state.boot.as_ref().map_or(&[][..], |boot| &boot.lines);
        let last = lines
            .iter()
            .rev()
            .find(|line| line.kind != LineKind::Blank || leaves_out(line));
        // Somebody writes between two pieces: `and here is everything since I plugged it in:`.
        let apart = lines.last().is_some_and(|line| line.kind == LineKind::Blank);
        let announced = |line: &Line| of_person(line) && (apart || line.text.trim_end().ends_with(':'));
        let told = lines.iter().rev().take_while(|line| !is_logged(line)).take(TOLD);
        let paragraph = apart && told.filter(|line| of_person(line)).count() >= SENTENCES;
        let left_out = paragraph || last.is_some_and(|line| leaves_out(line) || announced(line));
        let later = !is_before_overflow(ns) && ns.saturating_sub(max) > LATER_NS && left_out;
        later || self.is_printed_again(line)
    }

    /// Does somebody write behind a boot loader's lines, and then show what a kernel said long after its start?
    pub(super) fn shows_another_log(&self, line: &Line) -> bool {
        const LONG_NS: i64 = 30_000_000_000;
        let Some(boot) = self
            .state
            .boot
            .as_ref()
            .filter(|boot| boot.start == BootStart::Firmware)
        else {
            return false;
        };
        let late = line
            .printk_ns
            .is_some_and(|ns| ns >= LONG_NS && !is_before_overflow(ns));
        let last = || boot.lines.iter().rev().find(|line| line.kind != LineKind::Blank);
        boot.kernel_from.is_none() && late && last().is_some_and(of_person)
    }

    /// Does a page show another piece of a log, of another machine or boot? The stamps go back behind its words, behind a
    /// command or the end of a block, or to before all that this piece has shown.
    pub(super) fn begins_another_piece(&self, line: &Line, next: Option<&Line>) -> bool {
        let (Some(max), Some(ns)) = (self.state.max_printk_ns, line.printk_ns) else {
            return false;
        };
        if self.joins_again(line) {
            return true;
        }
        let back = max.saturating_sub(ns) >= BACK_NS;
        let Some(boot) = self.state.boot.as_ref().filter(|_| back && !is_before_overflow(ns)) else {
            return false;
        };
        let spoken = boot.lines.iter().rev();
        let spoken = spoken.filter(|line| line.kind != LineKind::Blank || leaves_out(line));
        let mut since = spoken.take_while(|line| !is_logged(line)).take(SPOKEN);
        if !self.is_piece(boot) {
            // A log that a page shows whole ends with its block.
            let words: Vec<&Line> = since.collect();
            return words.iter().any(|line| leaves_out(line)) && words.iter().any(|line| of_person(line));
        }
        let by_page = self.state.block_at.is_some_and(|at| at == boot.lines.len());
        by_page || since.any(divides) || begins_before(boot, (max, ns), next)
    }

    /// Does a kernel run the same program as init for a second time? Then a mail shows two boots.
    pub(super) fn runs_init_again(&self, line: &Line) -> bool {
        let text = line.text.trim();
        let runs = text.starts_with("Run /") && text.ends_with(" as init process");
        let boot = self
            .state
            .boot
            .as_ref()
            .filter(|boot| runs && self.state.ran && self.is_piece(boot));
        let said = |before: &Line| before.text.trim() == text && before.printk_ns < line.printk_ns;
        boot.is_some_and(|boot| {
            boot.lines
                .iter()
                .any(|before| before.printk_ns.is_some() && said(before))
        })
    }

    /// Does the same device join a group of its I/O MMU for a second time, behind somebody's words? In one boot it does so once
    /// (drivers/iommu/iommu.c).
    fn joins_again(&self, line: &Line) -> bool {
        let Some(device) = joining(line) else { return false };
        let Some(boot) = self.state.boot.as_ref().filter(|boot| self.is_piece(boot)) else {
            return false;
        };
        let spoken = boot.lines.iter().rev().filter(|line| line.kind != LineKind::Blank);
        let mut since = spoken.take_while(|line| !is_logged(line)).take(SPOKEN);
        since.any(of_person) && boot.lines.iter().any(|before| joining(before) == Some(device))
    }

    /// Lines without a kernel's banner are a piece; so are those that begin at zero without one.
    fn is_piece(&self, boot: &BootLog) -> bool {
        match boot.start {
            BootStart::MiddleOfLog => true,
            BootStart::StampsRestart => self.state.version.is_none(),
            _ => false,
        }
    }

    /// Ends what is read where a person marks that another account begins.
    pub(super) fn part_accounts(&mut self, line: &Line) {
        if parts_accounts(line) {
            self.give_back_words();
            self.finish();
            self.state = State::default();
        }
    }

    /// Does somebody print the whole log behind what was chosen of it, and is what it shows there of long after?
    fn is_printed_again(&self, line: &Line) -> bool {
        const LONG_NS: i64 = 30_000_000_000;
        let (Some(max), Some(ns)) = (self.state.max_printk_ns, line.printk_ns) else {
            return false;
        };
        let later = !is_before_overflow(ns) && ns.saturating_sub(max) > LONG_NS;
        let piece = self.state.boot.as_ref().filter(|boot| later && self.is_piece(boot));
        let last = piece.and_then(|boot| boot.lines.iter().rev().find(|line| line.kind != LineKind::Blank));
        let prints = |line: &Line| printing_command(&line.text).is_some() && chooses_lines(&line.text).is_none();
        last.is_some_and(|line| !is_logged(line) && prints(line))
    }

    /// Takes what a person wrote or typed below a piece, or below a boot loader's lines, off its end: it is nobody's of that
    /// machine.
    pub(super) fn give_back_words(&mut self) {
        let from = self.state.boot.as_ref().and_then(|boot| {
            let of_loader = || boot.kernel_from.is_none().then(|| letter_from(&boot.lines)).flatten();
            if self.is_piece(boot) {
                words_from(&boot.lines)
            } else {
                of_loader()
            }
        });
        let Some(from) = from else { return };
        let Some(boot) = &mut self.state.boot else { return };
        let given = boot.give_up_from(from);
        let begin = given.first().map(|line| line.number);
        let in_order = self.out.outside.last().map(|line| line.number) <= begin;
        for mut line in given {
            if matches!(line.kind, LineKind::Firmware | LineKind::Kernel | LineKind::User) {
                line.kind = LineKind::Outside;
            }
            self.out.outside.push(line);
        }
        if !in_order {
            self.out.outside.sort_by_key(|line| line.number);
        }
    }
}

/// Where the words of a person begin that end a piece: a paragraph or a command behind its last message, and nothing of a
/// machine behind that.
fn words_from(lines: &[Line]) -> Option<usize> {
    let from = lines.iter().rposition(is_logged)? + 1;
    let apart = |at: usize| at == from || lines[at - 1].kind == LineKind::Blank || leaves_out(&lines[at - 1]);
    let first = (from..lines.len()).find(|at| apart(*at) && (of_person(&lines[*at]) || is_command(&lines[*at])))?;
    // A message that a mail broke goes on in the line behind it.
    let own_line = first > from || is_command(&lines[first]);
    let of_machine = |line: &Line| {
        let text = line.text.trim_end();
        is_user_space(text) || text.ends_with(['#', '$']) || text.contains("login:")
    };
    (own_line && !lines[first..].iter().any(of_machine)).then_some(first)
}

/// Where a letter begins that ends with a greeting behind a boot loader's lines: paragraphs that a person wrote.
fn letter_from(lines: &[Line]) -> Option<usize> {
    const GREETINGS: [&str; 9] = [
        "thanks",
        "thank you",
        "many thanks",
        "thanks in advance",
        "thanks a lot",
        "regards",
        "best regards",
        "kind regards",
        "cheers",
    ];
    /// A name may stand below it.
    const SIGNED: usize = 3;
    let blank = |line: &Line| line.text.trim().is_empty();
    let greets = |line: &Line| {
        let text = line.text.trim_start_matches(['>', ' ', '\t']);
        let text = text.trim_end_matches([',', '.', '!', ' ']).to_ascii_lowercase();
        !is_logged(line) && GREETINGS.contains(&text.as_str())
    };
    let mut from = lines.iter().rposition(greets)?;
    let below = lines[from + 1..].iter().filter(|line| !blank(line)).count();
    if below > SIGNED || lines[from..].iter().any(is_logged) {
        return None;
    }
    while let Some(last) = lines[..from].iter().rposition(|line| !blank(line)) {
        let first = lines[..last].iter().rposition(blank).map_or(0, |at| at + 1);
        if first == 0 || !of_person(&lines[first]) || !of_person(&lines[last]) {
            break;
        }
        from = first;
    }
    Some(from)
}

/// Do the stamps begin again before all that a piece has shown, and stay there? A blank line parts the two, or no clock
/// goes back so far.
fn begins_before(boot: &BootLog, (max, ns): (i64, i64), next: Option<&Line>) -> bool {
    let next_ns = next.and_then(|line| line.printk_ns);
    let stays = next_ns.is_some_and(|next| (ns..max).contains(&next));
    let first = boot.lines.iter().take(HEAD).find_map(|line| line.printk_ns);
    let before = first.is_some_and(|first| first.saturating_sub(ns) >= BACK_NS);
    let apart = boot.lines.last().is_some_and(|line| line.kind == LineKind::Blank);
    (apart && before && (stays || next_ns.is_none())) || (max.saturating_sub(ns) >= FAR_NS && stays)
}

/// The device of which the kernel says that it joins a group of an I/O MMU.
fn joining(line: &Line) -> Option<&str> {
    let (device, _) = line.text.trim_start().split_once(": Adding to iommu group ")?;
    Some(device).filter(|_| line.printk_ns.is_some())
}

fn is_logged(line: &Line) -> bool {
    line.has_kernel_prefix() || line.process.is_some()
}

fn is_command(line: &Line) -> bool {
    printing_command(&line.text).is_some() || chooses_lines(&line.text).is_some()
}

/// Does a line stand between two pieces: a mark, a rule, a command, somebody's words?
fn divides(line: &Line) -> bool {
    leaves_out(line) || is_rule(&line.text) || is_command(line) || of_person(line)
}

/// The rule under a heading.
fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text.len() >= 4 && (text.bytes().all(|b| b == b'=') || text.bytes().all(|b| b == b'-'))
}

/// Words of somebody who writes about a log.
fn of_person(line: &Line) -> bool {
    let text = line.text.trim_start_matches(['>', ' ', '\t']);
    let logged = is_logged(line) || line.host_ns.is_some() || line.firmware_ns.is_some();
    !logged && (announces(text) || sentence::is_sentence(text.trim()))
}

/// Several words with a sentence's end, or a few that announce what follows (`After:`, `With this patch:`, `followed by:`).
fn announces(text: &str) -> bool {
    // A version, as people shorten it: `-rc7 spends its time here:`.
    let text = text.trim().trim_start_matches('-');
    let ends = text.ends_with(['.', ':', '?', '!']) && !text.ends_with("...");
    let starts = text.starts_with(|c: char| c.is_alphabetic());
    let heads = text
        .strip_suffix(':')
        .is_some_and(|words| words.chars().all(|c| c.is_alphabetic() || " '-,".contains(c)));
    ends && starts && (heads || text.split_ascii_whitespace().count() >= 4)
}

// SPDX-License-Identifier: MIT
//! The programs that run before the kernel, by their banners: whether one that says its name shows a reset.

use std::collections::HashSet;

use crate::log::banner::Rank;
use crate::log::harness::prompt_command;

/// Lines from which on a loader that says its name again has run before and was reset; some say it twice.
const LINES_OF_A_RUN: u32 = 3;
/// Names kept of one boot.
const MAX_NAMES: usize = 64;

/// What one boot's programs said so far.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // independent observations, not states of one machine
pub struct Chain {
    seen: HashSet<String>,
    last: Option<String>,
    last_rank: Option<Rank>,
    /// Lines since the last banner.
    since: u32,
    monitor_seen: bool,
    /// Lines in which the answer to a loader's command `version` may come.
    answer_in: u32,
    /// The Raspberry Pi's bootcode read the next program.
    read_next: bool,
    /// A page's text stands between the last banner and here.
    page_between: bool,
    /// The last prompt waits for a command.
    at_prompt: bool,
    /// SeaBIOS has a second console from now on, and says its name there again.
    second_console: bool,
}

impl Chain {
    /// Takes a line without a banner.
    pub fn line(&mut self, text: &str) {
        self.since = self.since.saturating_add(1);
        self.monitor_seen |= text.starts_with("Starting ATF on ");
        self.second_console |= text.starts_with("Turning on vga text mode console");
        if is_bare_prompt(text) {
            self.at_prompt = true;
        } else if prompt_command(text).is_some_and(|command| !command.trim().is_empty()) {
            self.at_prompt = false;
        }
        self.read_next |= text.starts_with("Read File: start");
        self.answer_in = if asks_for_version(text) {
            LINES_OF_A_RUN
        } else {
            self.answer_in.saturating_sub(1)
        };
    }

    /// Takes text of the page that shows the log.
    pub fn page(&mut self) {
        self.page_between = true;
    }

    /// The same banner again, or a program of the chain's start after its end, before any kernel.
    pub fn is_reset(&self, rank: Rank, text: &str) -> bool {
        let again = self.last.as_deref() == Some(text);
        // A page shows the answers of two loaders, each in a block of its own.
        let of_another = self.page_between && !again && self.last.is_some();
        if rank == Rank::Monitor || (self.answer_in > 0 && !of_another) {
            return false;
        }
        if again && (self.second_console || self.since < LINES_OF_A_RUN) && text.starts_with("SeaBIOS ") {
            return false;
        }
        if again && text.starts_with("Raspberry Pi Bootcode") {
            // It starts itself anew from where it found the next program.
            return self.read_next;
        }
        if again && rank != Rank::First {
            // TI's K3 runs the same SPL on its second kind of core; menus are drawn again, network loaders chain.
            let says_it_once = [
                "U-Boot ",
                "barebox ",
                "Texas Instruments X-Loader",
                "CFE ",
                "RouterBOOT booter ",
            ];
            let one_core = rank == Rank::Loader || !self.monitor_seen;
            let ran = self.since >= LINES_OF_A_RUN;
            let romstage = text.starts_with("coreboot-") && text.contains(" romstage starting");
            return one_core && ran && (romstage || says_it_once.iter().any(|name| text.starts_with(name)));
        }
        let after_loader = self.last_rank == Some(Rank::Loader);
        // A loader starts another by a command; in a page it would stand in the same block.
        if (self.page_between || self.at_prompt) && after_loader && rank == Rank::Loader {
            return true;
        }
        if self.seen.contains(text) {
            // TI's K3 runs one SPL on each of its two kinds of core, with TF-A between them.
            let second_core = rank == Rank::Second && self.monitor_seen && !after_loader;
            return !second_core;
        }
        after_loader && (rank == Rank::First || rank < Rank::Loader && text.starts_with("U-Boot"))
    }

    /// Remembers a banner.
    pub fn note(&mut self, rank: Rank, text: String) {
        self.monitor_seen |= rank == Rank::Monitor;
        self.last_rank = Some(rank);
        self.read_next = false;
        self.page_between = false;
        self.at_prompt = false;
        self.second_console = false;
        if self.seen.len() < MAX_NAMES {
            self.seen.insert(text.clone());
        }
        self.last = Some(text);
        self.since = 0;
    }
}

/// `=>`, `RISC-V #`, `U-Boot>`: at its end nothing has been typed.
fn is_bare_prompt(text: &str) -> bool {
    let text = text.trim();
    let name = text.strip_suffix(['#', '>']).map(str::trim_end);
    text.len() <= 24
        && name.is_some_and(|name| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'='))
        })
}

/// `Hit # version`: the loader will say its name without a reset.
fn asks_for_version(text: &str) -> bool {
    let text = text.trim_end();
    let command = prompt_command(text).or_else(|| {
        let (prompt, command) = text.rsplit_once(' ')?;
        prompt.ends_with(['#', '>', '$']).then_some(command)
    });
    // Loaders take a command's first letters too.
    command
        .map(str::trim)
        .is_some_and(|command| !command.is_empty() && "version".starts_with(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_asked_for_is_no_reset() {
        let name = "U-Boot 2012.10 (Sep 29 2006 - 00:20:41)";
        let mut chain = Chain::default();
        chain.note(Rank::Loader, name.to_owned());
        for text in ["DRAM", "NAND", "Hit any key", "Gwell7102 # version"] {
            chain.line(text);
        }
        assert!(!chain.is_reset(Rank::Loader, name));
        for text in ["gcc", "ld", "Gwell7102 # reset", "resetting ..."] {
            chain.line(text);
        }
        assert!(chain.is_reset(Rank::Loader, name));
    }

    #[test]
    fn another_loader_at_a_bare_prompt_is_a_reset() {
        let mut chain = Chain::default();
        chain.note(Rank::Loader, "U-Boot 2018.01-rc2".to_owned());
        for text in ["DRAM:  1 GiB", "RISC-V #"] {
            chain.line(text);
        }
        assert!(chain.is_reset(Rank::Loader, "U-Boot 2018.03"));
        for text in ["RISC-V # tftp 80000 u-boot.bin", "Loading: #", "RISC-V # go 80000"] {
            chain.line(text);
        }
        assert!(!chain.is_reset(Rank::Loader, "U-Boot 2018.03"));
    }

    #[test]
    fn bootcode_starts_itself_anew_once() {
        let name = "Raspberry Pi Bootcode";
        let mut chain = Chain::default();
        chain.note(Rank::First, name.to_owned());
        chain.line("Found SD card, config.txt = 1, start.elf = 1");
        assert!(!chain.is_reset(Rank::First, name));
        chain.note(Rank::First, name.to_owned());
        chain.line("Read File: start.elf, 2846852 (bytes)");
        assert!(chain.is_reset(Rank::First, name));
    }
}

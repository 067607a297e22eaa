// SPDX-License-Identifier: MIT
//! Lines at which a log is no longer the course of one boot: something was left out, somebody prints a part of the log
//! again, or the machine is no longer the one that booted.

use super::line::Line;
pub use super::lost::loses;
use super::lost::says_that_it_leaves_out;

/// Programs that print a log, and what makes them leave lines out.
const PRINTERS: [(&str, &[&str]); 2] = [
    ("dmesg", &["-l", "--level", "-f", "--facility", "--since", "--until"]),
    (
        "journalctl",
        &[
            "-p",
            "--priority",
            "-g",
            "--grep",
            "-n",
            "--lines",
            "-S",
            "--since",
            "-U",
            "--until",
        ],
    ),
];
/// Programs behind a pipe that let few lines through.
const FILTERS: [&str; 12] = [
    "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "tail", "head", "awk", "sed", "findstr", "cut",
];

/// Was something left out here? `...`, `[snip]`, `<cut>`, `--- 8< ---`; or does a block of a page begin or end?
pub fn leaves_out(line: &Line) -> bool {
    const WORDS: [&str; 17] = [
        "snip",
        "snipped",
        "snap",
        "cut",
        "skip",
        "skipped",
        "omitted",
        "lines omitted",
        "truncated",
        "etc",
        "some lines removed",
        "lines removed",
        "repeats",
        "repeated",
        "repeating",
        "and so on",
        "many more lines",
    ];
    if line.has_kernel_prefix() || line.process.is_some() {
        return false;
    }
    let text = line.text.trim();
    if text.is_empty() {
        return false;
    }
    if is_fence(text) {
        return true;
    }
    let marks = |c: char| {
        matches!(
            c,
            '[' | ']' | '(' | ')' | '<' | '>' | '-' | '=' | '*' | '.' | '\u{2026}' | ' ' | '~'
        )
    };
    let word = text.trim_matches(marks);
    if word.is_empty() {
        // More of them show progress.
        let dots: String = text.chars().filter(|c| matches!(c, '.' | '\u{2026}')).collect();
        return matches!(dots.as_str(), "..." | "...." | "\u{2026}");
    }
    let marked = text.len() > word.len();
    if says_that_it_leaves_out(text) {
        return true;
    }
    if word == "8" {
        return text.contains("8<") || text.contains(">8");
    }
    marked && WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The mark with which a page begins or ends a block.
pub(crate) fn is_fence(text: &str) -> bool {
    const MARKS: [&str; 8] = [
        "{{{", "}}}", "<pre>", "</pre>", "<code>", "</code>", "[code]", "[/code]",
    ];
    text.starts_with("```") || text.starts_with("~~~") || MARKS.iter().any(|mark| text.eq_ignore_ascii_case(mark))
}

/// Does the machine go down here? What follows is none of a boot's.
pub fn shuts_down(line: &Line) -> bool {
    const STARTS: [&str; 5] = [
        "systemd-shutdown[",
        "reboot: Restarting system",
        "reboot: Power down",
        "Restarting system.",
        "INIT: Switching to runlevel: 6",
    ];
    let text = line.text.trim_start();
    line.process.as_deref() == Some("systemd-shutdown")
        || STARTS.iter().any(|start| text.starts_with(start))
        || stops_late(text)
}

/// Does systemd give up on a unit that it wants to stop? The time before was that unit's, on the way down.
pub fn stops_late(text: &str) -> bool {
    const WORDS: [&str; 3] = [
        "Stopping timed out.",
        "State 'stop-sigterm' timed out",
        "A stop job is running for ",
    ];
    WORDS.iter().any(|words| text.contains(words))
}

/// The command by which somebody has the log printed, at a prompt or alone on its line: the words from the program's name on.
pub fn printing_command(text: &str) -> Option<&str> {
    let text = text.trim();
    PRINTERS.iter().find_map(|(program, _)| {
        text.match_indices(program).find_map(|(at, _)| {
            let behind = &text[at + program.len()..];
            let ends = behind.is_empty() || behind.starts_with([' ', '|', '>', ';']);
            (ends && is_prompt_before(&text[..at])).then_some(&text[at..])
        })
    })
}

/// The same, where the command leaves lines out.
pub fn filtering_command(text: &str) -> Option<&str> {
    let Some(command) = printing_command(text) else {
        return filter_of_a_file(text);
    };
    let (_, options) = PRINTERS.iter().find(|(program, _)| command.starts_with(program))?;
    let (own, piped) = command.split_once('|').unwrap_or((command, ""));
    let filters = |part: &str| {
        let first = part.split_ascii_whitespace().find(|word| *word != "sudo");
        first.is_some_and(|word| FILTERS.contains(&word))
    };
    let chosen = own.split_ascii_whitespace().skip(1).any(|word| {
        options
            .iter()
            .any(|option| word == *option || word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
    });
    (chosen || piped.split('|').any(filters)).then_some(command)
}

/// The same, or a filter of any file that somebody runs at a shell's prompt: what it prints is its choice.
pub fn chooses_lines(text: &str) -> Option<&str> {
    let at_prompt = || {
        let text = text.trim().trim_start_matches(['>', ' ']);
        let command = text.strip_prefix("$ ").or_else(|| text.strip_prefix("# "))?;
        let mut words = command.split_ascii_whitespace().filter(|word| *word != "sudo");
        let filters = words.next().is_some_and(|word| FILTERS.contains(&word));
        // A heading may begin with such a word.
        let asks = words.any(|word| word.starts_with(['-', '\'', '"']));
        (filters && asks).then_some(command)
    };
    filtering_command(text).or_else(at_prompt)
}

/// `grep -E "unpack|initrd" dmesg.txt`: a filter of a log that was saved before.
fn filter_of_a_file(text: &str) -> Option<&str> {
    const LOGS: [&str; 5] = ["dmesg", "journal", ".log", "syslog", "/var/log/"];
    let text = text.trim();
    FILTERS.iter().find_map(|program| {
        text.match_indices(program).find_map(|(at, _)| {
            let rest = text[at + program.len()..].strip_prefix(' ')?;
            // A pattern in quotes may hold what ends a command.
            let behind = rest.rsplit(['"', '\'']).next().unwrap_or(rest);
            let file = behind
                .split(['|', '>', ';'])
                .next()?
                .split_ascii_whitespace()
                .next_back()?;
            let has_pattern = behind.len() < rest.len() || file != rest.trim();
            let of_log = has_pattern && LOGS.iter().any(|name| file.contains(name)) && !file.contains(':');
            (of_log && is_prompt_before(&text[..at])).then_some(&text[at..])
        })
    })
}

/// A prompt, `sudo`, or nothing.
fn is_prompt_before(text: &str) -> bool {
    // A page sets commands in bold.
    let text = text.trim_end_matches(['*', '_']).trim_end();
    let text = text.strip_suffix("sudo").map_or(text, str::trim_end);
    let text = text.strip_suffix("adb shell").map_or(text, str::trim_end);
    text.is_empty() || (text.len() <= 80 && text.ends_with(['$', '#', '%', '>', ']']) && !text.contains("] "))
}

/// Does the kernel say that it goes on in another life: restored from a snapshot, or woken up? The boot was over before
/// (drivers/char/random.c).
pub fn is_restored(text: &str) -> bool {
    text.trim_start()
        .strip_prefix("random: crng reseeded ")
        .is_some_and(|why| why.starts_with("due to virtual machine fork") || why.starts_with("on system resumption"))
}

/// Is a system that is up put to sleep, or does it wake? Texts: kernel/power/suspend.c, hibernate.c, systemd's
/// src/sleep/sleep.c.
pub fn sleeps(text: &str) -> bool {
    const STARTS: [&str; 11] = [
        "PM: Suspending system (",
        "PM: Syncing filesystems",
        "PM: Preparing system for",
        "PM: suspend of devices complete",
        "Suspending console(s)",
        "printk: Suspending console(s)",
        "PM: suspend entry (",
        "PM: suspend exit",
        "PM: hibernation: hibernation entry",
        "Performing sleep operation '",
        "Entering sleep state '",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}

/// Is a card no longer there (drivers/mmc/core/)? In a piece somebody took it out of a system that is up; a start resets one.
pub fn is_taken_out(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("mmc") && text.contains(": card ") && text.ends_with(" removed")
}

/// Does a line only come because somebody plugs something in or out? Nobody has waited for it (drivers/usb/core/hub.c,
/// drivers/pci/hotplug/pciehp_ctrl.c).
pub fn is_plugged(text: &str) -> bool {
    text.contains("USB disconnect, device number") || text.contains("pciehp: Slot(")
}

/// Does the kernel name a program of somebody's session, which starts when the system is up?
pub fn is_session(text: &str) -> bool {
    const PROGRAMS: [&str; 18] = [
        "lightdm",
        "gdm",
        "gdm3",
        "gdm-session-wor",
        "sddm",
        "lxdm",
        "Xorg",
        "Xwayland",
        "gnome-shell",
        "gnome-session",
        "kwin",
        "plasmashell",
        "pulseaudio",
        "pipewire",
        "wireplumber",
        "firefox",
        "chrome",
        "cinnamon",
    ];
    let said = text.trim_start().strip_prefix("random: ");
    said.and_then(|said| said.split_once(": uninitialized urandom read"))
        .is_some_and(|(name, _)| PROGRAMS.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_left_out() {
        let said = |text: &str| leaves_out(&Line::plain(1, 0, text.to_owned()));
        for text in [
            "...",
            "[...]",
            "(...)",
            "\u{2026}",
            "<snip>",
            "[snip]",
            "--- cut ---",
            "```",
            "~~~",
            "[ ... ]",
            "<...>",
            "-- repeats --",
            "[and so on]",
            "[ snip - goes on many times ]",
            "<trim>",
            "(200 similar lines omitted)",
        ] {
            assert!(said(text), "{text}");
        }
        for text in [
            "",
            "====",
            "----",
            "snip",
            "cut",
            "Loading......................",
            "done...",
            "repeats",
            "[  OK  ] x",
            "*",
        ] {
            assert!(!said(text), "{text}");
        }
    }

    #[test]
    fn commands_that_print_a_log() {
        for text in [
            "host:~$ dmesg | grep -i lockdown",
            "# dmesg | tail -1",
            "$ sudo dmesg -l err",
            "dmesg --level=err,warn",
            "root@box:~# journalctl -p err -b",
            "journalctl -b | grep mmc",
            "dmesg | sudo grep x",
            " grep -E \"unpack|initrd\" dmesg.txt",
            "$ tail -n 20 /var/log/kern.log",
            "*me@box:~$ **dmesg | grep -i blue**",
        ] {
            assert!(filtering_command(text).is_some(), "{text}");
        }
        for text in [
            "$ egrep 'ata|Gbps'",
            "> # grep -i frob saved.txt",
            "sudo dmesg | grep x",
        ] {
            assert!(chooses_lines(text).is_some(), "{text}");
        }
        for text in ["# head of the log", "$ dmesg", "egrep 'ata|Gbps'"] {
            assert!(chooses_lines(text).is_none(), "{text}");
        }
        for text in [
            "$ dmesg",
            "dmesg | less",
            "journalctl -b",
            "$ dmesg > boot.log",
            "# journalctl -k -b -1",
        ] {
            assert!(
                printing_command(text).is_some() && filtering_command(text).is_none(),
                "{text}"
            );
        }
        for text in [
            "run dmesg to see it",
            "dmesg_restrict",
            "kernel.dmesg | grep x",
            "[ 1.0] x",
            "cut dmesg",
            "head of the log.",
            "sed: cannot read dmesg.log: no",
            "",
        ] {
            assert!(printing_command(text).is_none(), "{text}");
        }
    }

    #[test]
    fn what_nobody_waits_for() {
        assert!(is_taken_out("mmc0: card aaaa removed"));
        assert!(is_plugged("usb 5-1: USB disconnect, device number 2"));
        assert!(is_plugged("pcieport 0000:00:1c.0: pciehp: Slot(8): Link Down"));
        assert!(!is_plugged("mmc0: new SDHC card at address aaaa"));
        assert!(sleeps("PM: Syncing filesystems ... done."));
    }

    #[test]
    fn another_life() {
        assert!(is_restored("random: crng reseeded due to virtual machine fork"));
        assert!(!is_restored("random: crng init done"));
        assert!(is_session(
            "random: lightdm: uninitialized urandom read (16 bytes read)"
        ));
        assert!(!is_session(
            "random: systemd: uninitialized urandom read (16 bytes read)"
        ));
    }
}

// SPDX-License-Identifier: MIT
//! Lines of a system that started long before.

use super::in_use::in_use;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::clock::NS_PER_S;
use crate::log::hints::{is_kernel_fault, starts_scripts, waits_in_vain};
use crate::log::line::{Line, LineKind};
use crate::log::starting::shows_a_start;

/// A step that only a start takes: whoever starts the system waits until udev has dealt with every device.
fn waits_for_udev(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains("aiting for udev to settle") || text.contains("aiting for /dev to be fully populated")
}

/// cloud-init asks its sources of data only while a system starts, and counts against its limit (cloudinit/url_helper.py).
fn asks_for_metadata(text: &str) -> bool {
    let counted = text
        .split_once("Calling 'http")
        .and_then(|(_, rest)| rest.split_once("' failed ["));
    counted.is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// OpenWrt's init passes on what a start script says, by the script's name: `procd: /etc/rc.d/S15frob: it goes on`. A script that
/// somebody runs later is called by its name in `/etc/init.d`.
fn runs_a_script(line: &Line) -> bool {
    let said = line.text.trim_start();
    let said = said.strip_prefix("procd: ").unwrap_or(said);
    said.strip_prefix("/etc/rc.d/S")
        .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_digit()))
}

/// What systemd prints only of its own start, at the head of its first transaction.
fn starts_systemd(text: &str) -> bool {
    const WORDS: [&str; 6] = [
        "Set hostname to <",
        "Hostname set to <",
        "Initializing machine ID",
        "Queued start job for default target",
        "Created slice System Slice",
        "Created slice system.slice",
    ];
    let said = text.trim_start();
    let said = said.strip_prefix("systemd[1]: ").unwrap_or(said);
    WORDS.iter().any(|words| said.starts_with(words))
}

/// Do drivers set up what a machine has from its start on: the display, or devices that udev's first workers deal with? How
/// long the kernel has been running says nothing then: what came before may have been waited for.
fn sets_devices_up(log: &BootLog) -> bool {
    const YOUNG_NS: i64 = 600 * NS_PER_S;
    let young = |line: &&Line| line.printk_ns.is_some_and(|ns| ns < YOUNG_NS);
    let display = |line: &Line| {
        let text = line.text.as_str();
        text.contains("[drm] Initialized ")
            || text.contains(" frame buffer device")
            || text.contains("switching to colour frame buffer")
    };
    let loads = || log.lines.iter().any(|line| line.text.contains(" do_init_module+"));
    let disk = |line: &Line| {
        const LOST: [&str; 4] = [
            "failed to respond",
            "slow to respond",
            "reset failed",
            "COMRESET failed",
        ];
        let text = line.text.trim_start();
        text.starts_with("ata") && LOST.iter().any(|words| text.contains(words))
    };
    log.lines
        .iter()
        .filter(young)
        .any(|line| display(line) || disk(line) || (is_early_worker(&line.text) && loads()))
        || brings_links_up(log.lines.iter().filter(young))
}

/// Does one interface after the other come up? Whoever comes back later brings up one.
fn brings_links_up<'a>(lines: impl Iterator<Item = &'a Line>) -> bool {
    const MANY: usize = 3;
    let link = |line: &'a Line| {
        line.text
            .trim_start()
            .strip_suffix(": link becomes ready")?
            .rsplit(' ')
            .next()
    };
    lines.filter_map(link).collect::<std::collections::BTreeSet<_>>().len() >= MANY
}

/// `task systemd-udevd:94 blocked`, `PID: 94 Comm: systemd-udevd`: a worker of udev's with one of the first numbers.
fn is_early_worker(text: &str) -> bool {
    const EARLY: u32 = 1000;
    let number = |digits: &str| {
        let digits = digits.trim_start().split(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse::<u32>().ok())
    };
    let blocked = text.split_once("udevd:").and_then(|(_, rest)| number(rest));
    let reported = || {
        let (head, _) = text.split_once(" Comm: ").filter(|(_, name)| name.contains("udevd"))?;
        number(head.split_once("PID: ")?.1)
    };
    blocked.or_else(reported).is_some_and(|pid| pid < EARLY)
}

/// Stamps from which on a log in which nothing starts is that of a system that has been running.
const RUNS_NS: i64 = 100 * NS_PER_S;

/// The same, of a memory of the kernel's that holds so many lines, none of which shows a start.
const SETTLED_NS: i64 = 30 * NS_PER_S;
const MANY_LINES: usize = 1000;

/// Dates of so many lines, none of which shows a start, span no longer in a boot.
const LINES_OF_A_START: usize = 10;
const LONGEST_START_NS: i64 = 900 * NS_PER_S;

/// Daemons' lines that have dates, and go on for longer than a start lasts.
fn goes_on(log: &BootLog) -> Option<(&'static str, String)> {
    let spoken = || {
        log.lines
            .iter()
            .filter(|line| matches!(line.kind, LineKind::Kernel | LineKind::User))
    };
    // Another system's kernel begins with its owners, and its log daemon with its file (FreeBSD, NetBSD, OpenBSD).
    let other = |line: &Line| line.text.contains("Copyright (c)") || line.text.contains("boot file is ");
    if spoken().any(other) {
        return None;
    }
    let dates = spoken().filter_map(|line| Some((line.host_ns?, line.number)));
    let (first, last) = (dates.clone().min()?, dates.clone().max()?);
    let span = last.0.saturating_sub(first.0);
    let all = dates.count();
    (all >= LINES_OF_A_START && all * 2 > spoken().count() && span >= LONGEST_START_NS).then(|| {
        let why = format!(
            "no known line of a start was found, and the dates of lines {} and {} lie {} min apart",
            first.1,
            last.1,
            span / (60 * NS_PER_S)
        );
        ("running-system", why)
    })
}

/// Whatever fails then, no start lasts so long.
const HOURS_NS: i64 = 3600 * NS_PER_S;

/// Do the stamps of a log without a start begin so late that no boot goes on there?
pub(super) fn ran_for_hours(log: &BootLog) -> bool {
    let first = log.lines.iter().find_map(|line| line.printk_ns);
    log.start == BootStart::MiddleOfLog && first.is_some_and(|ns| ns >= HOURS_NS)
}

/// No kernel runs for as long: such stamps count since another day.
const YEARS_NS: i64 = 3 * 365 * 86_400 * NS_PER_S;

/// From here on, what speaks of nothing but devices on USB or FireWire is of a device that was plugged in.
const PLUGGED_IN_NS: i64 = 60 * NS_PER_S;

fn speaks_of_usb(line: &Line) -> bool {
    const STARTS: [&str; 12] = [
        "usb ",
        "hub ",
        "usb-storage ",
        "usbcore: ",
        "xhci",
        "input: ",
        "hid-generic ",
        "cdc_acm ",
        "scsi host",
        "firewire_ohci ",
        "firewire_core ",
        "firewire_sbp2 ",
    ];
    let text = line.text.trim_start();
    // A stamp that nobody reads.
    let text = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("] "))
        .map_or(text, |(_, rest)| rest);
    let of_machine = matches!(line.kind, LineKind::Kernel | LineKind::User) && line.has_kernel_prefix();
    !of_machine || STARTS.iter().any(|start| text.starts_with(start))
}

/// A bus numbers its devices as they come: this one came long after the start.
fn many_were_plugged(text: &str) -> bool {
    const MANY: u32 = 20;
    let number = text
        .split_once("USB device number ")
        .or_else(|| text.split_once("disconnect, device number "));
    let number = number.and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next());
    number
        .and_then(|digits| digits.parse::<u32>().ok())
        .is_some_and(|number| number > MANY)
}

/// What the kernel and daemons wrote of a system that started long before: the kernel's stamps say when.
pub(super) fn running(log: &BootLog) -> Option<(&'static str, String)> {
    if log.start != BootStart::MiddleOfLog {
        return None;
    }
    // A manager that is updated executes itself anew, and says its first words again.
    let reexecuted = log
        .lines
        .iter()
        .any(|line| line.text.trim_start().starts_with("Reexecuting"));
    // So does a package that makes an initramfs.
    let builds =
        |line: &Line| line.process.as_deref() == Some("dracut") && line.text.trim_start().starts_with("Executing: ");
    let made = log.lines.iter().any(builds);
    let again = |l: &Line| {
        (reexecuted && l.text.contains(" running in system mode")) || (made && l.process.as_deref() == Some("dracut"))
    };
    let shows = |l: &Line| {
        (!again(l) && shows_a_start(l))
            || starts_systemd(&l.text)
            || waits_in_vain(&l.text)
            || waits_for_udev(&l.text)
            || asks_for_metadata(&l.text)
            || runs_a_script(l)
    };
    if log.lines.iter().any(shows) || sets_devices_up(log) {
        return None;
    }
    let stamped = log.lines.iter().filter_map(|l| Some((l.printk_ns?, l.number))).min();
    let gone = log
        .lines
        .iter()
        .find(|l| l.text.contains(": USB disconnect, device number "));
    if let Some(gone) = gone.filter(|_| stamped.is_none() && log.lines.iter().all(speaks_of_usb)) {
        let why = format!(
            "all lines are about devices on USB, and line {} takes one out: plugged in, as far as is shown",
            gone.number
        );
        return Some(("running-system", why));
    }
    if let Some(used) = log
        .lines
        .iter()
        .find(|l| stamped.is_none() && many_were_plugged(&l.text))
    {
        let why = format!(
            "no known line of a start was found, and line {} counts a USB device as one that came after many others",
            used.number
        );
        return Some(("running-system", why));
    }
    let Some(first) = stamped else {
        return in_use(log).or_else(|| goes_on(log));
    };
    if (PLUGGED_IN_NS..RUNS_NS).contains(&first.0) && log.lines.iter().all(speaks_of_usb) {
        let why = format!(
            "all lines are about devices on USB or FireWire, {} s after the kernel's start (line {}): plugged in, as far as is shown",
            first.0 / NS_PER_S,
            first.1
        );
        return Some(("running-system", why));
    }
    if first.0 >= YEARS_NS {
        let why = format!(
            "no known line of a start was found, and line {} is stamped {} s: that is no time since the kernel's start",
            first.1,
            first.0 / NS_PER_S
        );
        return Some(("program-log", why));
    }
    // What init starts without a stamp stands there before it: the start reaches into the piece.
    let bare = |line: &Line| line.printk_ns.is_none() && line.host_ns.is_none() && line.process.is_none();
    let starting = log
        .lines
        .iter()
        .filter(|line| bare(line) && starts_scripts(line))
        .count()
        > 1;
    let runs_ns = if log.lines.len() >= MANY_LINES {
        SETTLED_NS
    } else {
        RUNS_NS
    };
    // What init's own scripts load fails earlier.
    let by_hand = |line: &Line| line.text.contains(" Comm: insmod ");
    // Somebody pulls a device out, and shows what follows.
    let begins = log.lines.iter().find(|line| line.printk_ns.is_some());
    let pulled = begins.is_some_and(|line| line.text.contains(": USB disconnect, device number "));
    let runs = first.0 >= runs_ns || first.0 >= SETTLED_NS && (pulled || log.lines.iter().any(by_hand));
    (runs && !starting).then(|| {
        let failed = fault(log).unwrap_or_default();
        let why = format!(
            "no known line of a start was found, and the kernel had been running for {} s (line {}){failed}",
            first.0 / NS_PER_S,
            first.1
        );
        ("running-system", why)
    })
}

/// The line with which a kernel reports its failure.
pub(super) fn fault(log: &BootLog) -> Option<String> {
    let line = log.lines.iter().find(|l| is_kernel_fault(&l.text))?;
    let text = crate::text::shorten::shorten(line.text.trim());
    Some(format!("; line {} says `{text}`", line.number))
}

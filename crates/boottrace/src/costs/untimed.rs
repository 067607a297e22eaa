// SPDX-License-Identifier: MIT
//! Lines that say what is waited for, or what does not come, where nothing tells how long: people paste them alone. Texts:
//! initramfs-tools' scripts, NixOS' stage 1, init/do_mounts.c, drivers/ata/, drivers/usb/core/, drivers/i2c/, drivers/mmc/,
//! kernel/rcu/tree_stall.h, U-Boot's drivers/net/, dhclient, systemd.

use super::causes::{holds, Words};
use super::cost::{spell, Cost, Wording, SPAN};
use super::kind::CostKind;
use super::said_waits;
use super::start_jobs::{device_of, of_systemd, path_of, unescaped, DEVICE_ADVICE};
use super::untimed_rows::{AGAIN, WAITS};
use crate::log::hints::timed_out_device;
use crate::log::line::Line;
use crate::log::patch;
use crate::text::shorten::shorten;

/// Waits told.
const LISTED: usize = 5;
/// Lines looked at.
const MOST: usize = 20_000;

/// The waits that lines tell of without a time, each once: those that a rule knows, else those in anybody's words.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line> + Clone) -> Vec<Cost> {
    // What a patch changes is a program's text.
    let changed = patch::lines_of_patches(lines.clone());
    let lines = lines.filter(|line| changed.binary_search(&line.number).is_err());
    let mut known = known(lines.clone());
    // Somebody let it go on, and the next stage came.
    if lines.clone().any(|line| line.text.contains("<<< NixOS Stage 2 >>>")) {
        known.retain(|cost| !cost.title.contains("NixOS' stage 1"));
    }
    if known.is_empty() {
        said_waits::of_lines(lines)
    } else {
        known
    }
}

fn known<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut out: Vec<Cost> = Vec::new();
    // The first line of each and the last, whose stamps tell how long it says so.
    let mut ends: Vec<[&Line; 2]> = Vec::new();
    let mut before: Option<(i64, &Line)> = None;
    for line in lines.take(MOST) {
        let since = before;
        before = at(line).map(|ns| (ns, line)).or(before);
        let Some(told) = told(line) else {
            continue;
        };
        if let Some(silent) = since
            .filter(|_| told.wording == Wording::GivenUp)
            .and_then(|since| silence(since, line))
        {
            if out.len() < LISTED && out.iter().all(|cost| cost.title != told.title) {
                out.push(Cost {
                    cost_ns: Some(silent.0),
                    at_least: true,
                    around: Vec::new(),
                    evidence: silent.1,
                    ..told
                });
                ends.push([line; 2]);
            }
            continue;
        }
        match out.iter().position(|cost| cost.title == told.title) {
            Some(at) => {
                ends[at][1] = line;
                let lines = &mut out[at].lines;
                // The last place is the last line's.
                lines.truncate(LISTED - 1);
                lines.push(line.number);
            }
            None if out.len() < LISTED => {
                out.push(told);
                ends.push([line; 2]);
            }
            None => {}
        }
    }
    for (cost, ends) in out.iter_mut().zip(ends) {
        if let (None, Some(ns)) = (cost.cost_ns, span(ends)) {
            let quoted = shorten(ends[0].text.trim());
            cost.evidence = format!("`{quoted}` and its like{SPAN}{}", spell(ns));
        }
    }
    out.retain(|cost| cost.title != AGAIN || cost.lines.len() > 1);
    // That it was waited for until the limit says that it was waited for.
    let titles: Vec<String> = out.iter().map(|cost| cost.title.clone()).collect();
    let longer = |cost: &Cost| {
        titles
            .iter()
            .any(|title| *title == format!("{} until its limit", cost.title))
    };
    out.retain(|cost| !longer(cost));
    out
}

/// How long two lines are apart by the kernel's stamps, where that is worth a word.
fn span([from, to]: [&Line; 2]) -> Option<i64> {
    const SHORTEST_NS: i64 = 1_000_000_000;
    let ns = to.printk_ns?.checked_sub(from.printk_ns?)?;
    (ns >= SHORTEST_NS).then_some(ns)
}

fn at(line: &Line) -> Option<i64> {
    line.printk_ns.or(line.host_ns)
}

/// A wait that ends with its line, and before which nobody spoke for long: it took at the least as long.
fn silence((from_ns, from): (i64, &Line), line: &Line) -> Option<(i64, String)> {
    const SHORTEST_NS: i64 = 5_000_000_000;
    const LONGEST_NS: i64 = 1_800_000_000_000;
    let same = from.printk_ns.is_some() == line.printk_ns.is_some();
    let ns = at(line)?
        .checked_sub(from_ns)
        .filter(|ns| (SHORTEST_NS..LONGEST_NS).contains(ns))?;
    let said = format!(
        "at the least {} without a line between `{}` and `{}`",
        spell(ns),
        shorten(from.text.trim()),
        shorten(line.text.trim())
    );
    same.then_some((ns, said))
}

fn told(line: &Line) -> Option<Cost> {
    // NixOS' first stage gives up in words like systemd's.
    if line.text.contains(", trying to mount anyway") {
        return of_a_row(line);
    }
    if let Some(name) = of_systemd(line).and_then(device) {
        let title = format!(
            "systemd waits for the device {} until its limit, and gives up",
            shorten(&path_of(name))
        );
        return Some(cost(CostKind::DeviceWait, title, line, DEVICE_ADVICE).with(Wording::GivenUp));
    }
    // Somebody's sentence quotes it.
    if let Some((_, quoted)) = line.text.split_once("Timed out waiting for device ") {
        let name = quoted.split([' ', '"', '\'', '`', '\u{201d}']).next().unwrap_or("");
        let name = device_of(name.trim_end_matches('.')).trim_end_matches(".device");
        if !name.is_empty() {
            let title = format!(
                "systemd waits for the device {} until its limit, and gives up",
                shorten(&path_of(name))
            );
            return Some(cost(CostKind::DeviceWait, title, line, DEVICE_ADVICE).with(Wording::GivenUp));
        }
    }
    let text = line.text.trim_start().trim_start_matches("> ");
    if let Some(unit) = running_job(text) {
        let title = format!("systemd still starts the unit {}", shorten(unit));
        let advice = "see what it does (`systemctl status`, `journalctl -u`); the jobs that wait stand behind it";
        return Some(cost(CostKind::UnitStart, title, line, advice));
    }
    of_a_row(line)
}

/// What a row knows.
fn of_a_row(line: &Line) -> Option<Cost> {
    let text = line.text.trim_start().trim_start_matches("> ");
    let with_process = || Some(format!("{}[ {text}", line.process.as_deref()?));
    let whole = with_process();
    let fits = |words: Words| holds(text, words) || whole.as_deref().is_some_and(|whole| holds(whole, words));
    let wait = WAITS.iter().find(|wait| wait.words.iter().any(|words| fits(words)))?;
    let title = wait.title.replace("{}", &shorten(&unescaped((wait.subject)(text))));
    let wording = if wait.limit { Wording::GivenUp } else { Wording::Own };
    let title = title.trim_end_matches([':', ' ']).to_owned();
    Some(cost(wait.kind, title, line, wait.advice).with(wording))
}

/// A row of `systemctl list-jobs`: `107 frob.service start running`.
fn running_job(text: &str) -> Option<&str> {
    let mut words = text.split_ascii_whitespace();
    let number = words.next()?;
    let unit = words.next()?;
    let known = number.bytes().all(|b| b.is_ascii_digit()) && unit.contains('.');
    (known && words.eq(["start", "running"])).then_some(unit)
}

/// `Timed out waiting for device dev-tpm0.device - /dev/tpm0.`
fn device(said: &str) -> Option<&str> {
    let name = said.strip_prefix("Timed out waiting for device ");
    let name = name.or_else(|| timed_out_device(said))?;
    let name = device_of(name);
    (!name.is_empty()).then(|| name.trim_end_matches(".device"))
}

fn cost(kind: CostKind, title: String, line: &Line, advice: &str) -> Cost {
    let evidence = format!("`{}`", shorten(line.text.trim()));
    Cost::without_time(kind, title, line.number, evidence, advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<String> {
        let line = Line::plain(1, 0, text.to_owned());
        told(&line).map(|cost| cost.title)
    }

    #[test]
    fn lines_that_name_a_wait() {
        let named = [
            (
                "Begin: Waiting for suspend/resume device ... Begin: Running /scripts/local-block ... done.",
                "resume from",
            ),
            (
                "> waiting for device /dev/vg/frob to appear......",
                "waits for the device /dev/vg/frob",
            ),
            (
                "Timed out waiting for device /dev/vg/frob, trying to mount anyway.",
                "(NixOS' stage 1) waits for the device /dev/vg/frob until its limit",
            ),
            ("stuck at Waiting for root device /dev/mmcblk1p2...", "root device"),
            (
                "ata7: link is slow to respond, please be patient (ready=0)",
                "ATA port ata7",
            ),
            (
                "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x2 frozen",
                "the ATA port ata1 reports an error",
            ),
            (
                "i2c_designware i2c_designware.1: controller timed out",
                "I2C bus does not answer: i2c_designware i2c_designware.1",
            ),
            ("usb 1-7: device descriptor read/64, error -110", "usb 1-7"),
            (
                "phy0 ERROR: Firmware file \"b43/ucode16.fw\" not found",
                "firmware: b43/ucode16.fw",
            ),
            (
                "ETH Waiting for PHY auto negotiation to complete......... TIMEOUT !",
                "PHY",
            ),
            ("systemd[1]: Failed to mount /mnt/disk.", "a mount fails: /mnt/disk"),
            (
                "srv-frob.mount: Mounting timed out. Terminating.",
                "the unit srv-frob.mount until its limit",
            ),
            (
                "systemd[1]: frob.service: start operation timed out. Terminating.",
                "the unit frob.service until its limit",
            ),
            (
                "Warning: /dev/disk/by-uuid/12ab does not exist",
                "a device that does not come: /dev/disk/by-uuid/12ab",
            ),
            (
                "Warning: /lib/dracut/hooks/initqueue/finished/devexists-\\x2fdev\\x2ffrob.sh: x",
                "a device that does not come: /dev/frob",
            ),
            (
                "Root mount waiting for: usbus0",
                "FreeBSD, which is no Linux, waits for usbus0",
            ),
            (
                "Root mount waiting for: CAMRoot mount waiting for: CAMAfter 30 seconds it went on.",
                "waits for CAM before",
            ),
            (
                "107 frob.service      start running",
                "still starts the unit frob.service",
            ),
            (
                "  Couldn't find device with uuid abcdef-abcd-abcd-abcd-abcd-abcd-abcdef.",
                "LVM does not find a disk of a volume group: abcdef-abcd-abcd-abcd-abcd-abcd-abcdef",
            ),
            (
                "Job for frob.service failed because the control process exited with error code.",
                "the start of a unit fails: frob.service",
            ),
            (
                "systemd[1]: Timed out waiting for device dev-tpm0.device - /dev/tpm0.",
                "/dev/tpm0",
            ),
        ];
        for (text, title) in named {
            let told = of(text);
            assert!(
                told.as_ref().is_some_and(|told| told.contains(title)),
                "{text}: {told:?}"
            );
        }
    }

    #[test]
    fn lines_that_name_none() {
        for text in [
            "",
            "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
            "the data1: link is slow to respond",
            "i2c i2c-0: 1/1 memory slots populated",
            "usb 1-1: new high-speed USB device number 2",
            "Waiting for root device on the command line",
            "ETH Waiting for PHY auto negotiation to complete.... done",
            "Failed to start x.service",
        ] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}

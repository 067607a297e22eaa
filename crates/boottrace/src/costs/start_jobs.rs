// SPDX-License-Identifier: MIT
//! What systemd says about starts that it waits for (src/core/manager.c, `manager_print_jobs_in_progress()`; src/core/job.c):
//! `A start job is running for X (33s / 5min 1s)`, in newer versions `Job X/start running (33s / no limit)`; and about
//! devices that did not come: `Timed out waiting for device X.`

use super::context::Context;
use super::cost::{spell, Cost, Wording};
use super::kind::CostKind;
use crate::log::hints::{is_of_initramfs, timed_out_device, JOB_RUNS};
use crate::log::line::{Line, LineKind};
use crate::readers::userspace::duration::parse;
use crate::text::shorten::shorten;

/// What stands where systemd cut the middle of a line that does not fit into the terminal.
const CUTS: [&str; 2] = ["\u{2026}", "..."];
/// A shorter time without a line tells nothing of a wait.
const SHORTEST_SILENCE_NS: i64 = 5_000_000_000;
/// NixOS' stage 1 speaks as systemd does, and goes on so.
const IN_STAGE_1: &str = "trying to mount anyway";
/// Devices named in one sentence.
const NAMED: usize = 3;

/// What systemd says in a line, as a log daemon, the kernel's log or the console gives it.
pub(super) fn of_systemd(line: &Line) -> Option<&str> {
    // A page may put it between bold marks.
    let text = line.text.trim().trim_end_matches("**");
    match line.process.as_deref() {
        Some("systemd") => Some(text),
        Some(_) => None,
        None => {
            if let Some(said) = text.strip_prefix("systemd[1]: ") {
                return Some(said);
            }
            if matches!(line.kind, LineKind::Firmware | LineKind::Kernel | LineKind::Typed) && line.has_kernel_prefix()
            {
                return None;
            }
            // `[  OK  ] Started X.`, `[FAILED] Failed to start X.`, `[ TIME ] Timed out …`, `[***   ] A start job …`
            match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((state, said))
                    if state.len() <= 8
                        && (state.contains('*') || matches!(state.trim(), "OK" | "FAILED" | "TIME" | "DEPEND")) =>
                {
                    Some(said.trim_start())
                }
                _ => Some(text),
            }
        }
    }
}

/// The job of a line, and how long it has been waited for. A name that begins with an ellipsis was cut.
pub(super) fn job(text: &str) -> Option<(&str, i64)> {
    // A page may show it without the capital, and the count in other brackets.
    if let Some((_, said)) = text.split_once("]a start job is running for ") {
        return counted_in_words(said);
    }
    // A terminal overwrites the line; where its capture has no line ends, the last one counts.
    let older = text
        .split("start job is running for")
        .skip(1)
        .filter_map(|said| elapsed(said.strip_prefix(' ').unwrap_or(said)));
    older
        .last()
        .or_else(|| newer(text))
        .or_else(|| cut(text))
        .or_else(|| wrapped(text))
}

/// `X...[1 min 3 sec / no limit]`, as somebody copied it from a screen.
fn counted_in_words(said: &str) -> Option<(&str, i64)> {
    let (name, rest) = said.split_once('[').or_else(|| said.split_once('('))?;
    let (elapsed, _) = rest.split_once(" / ")?;
    let plain = elapsed.replace(" min", "min").replace(" sec", "s");
    let ns = i64::try_from(parse(&plain)?).ok()?;
    Some((name.trim_end_matches(['.', ' ']), ns))
}

/// The words before were broken off into the line above: `job is running for X (8s / 1min 30s)[  *** ] A start`.
fn wrapped(text: &str) -> Option<(&str, i64)> {
    let parts = text.match_indices("running for ");
    let ours = parts.filter(|(at, _)| {
        let head = text[..*at].trim_end();
        head.is_empty() || "A start job is".ends_with(head)
    });
    ours.filter_map(|(at, words)| elapsed(&text[at + words.len()..])).last()
}

/// `X (33s / 5min 1s)`: the name, and how long.
fn elapsed(said: &str) -> Option<(&str, i64)> {
    said.match_indices(" (").find_map(|(at, _)| {
        let (elapsed, _) = said[at + 2..].split_once(" / ")?;
        let ns = i64::try_from(parse(elapsed)?).ok()?;
        (at > 0).then_some((&said[..at], ns))
    })
}

/// `Job X/start running (33s / no limit)`.
fn newer(text: &str) -> Option<(&str, i64)> {
    let words = text.match_indices("Job ").map(|(at, word)| &text[at + word.len()..]);
    words.filter_map(name_and_time).last()
}

fn name_and_time(said: &str) -> Option<(&str, i64)> {
    let (name, rest) = JOB_RUNS.iter().find_map(|runs| said.split_once(runs))?;
    let (elapsed, _) = rest.split_once(" / ")?;
    let ns = i64::try_from(parse(elapsed)?).ok()?;
    (!name.is_empty()).then_some((name, ns))
}

/// The line was cut before the name began: `A start job is runn…ce Initialization (30s / 3min 20s)`.
fn cut(text: &str) -> Option<(&str, i64)> {
    let (_, said) = text.split_once("A start job")?;
    let at = CUTS.iter().filter_map(|cut| said.find(cut)).min()?;
    elapsed(&said[at..])
}

/// The whole name, where a start's own line said it before.
pub(super) fn whole_name<'a>(name: &'a str, begun: impl Iterator<Item = &'a str>) -> &'a str {
    let Some(end) = CUTS.iter().find_map(|cut| name.strip_prefix(cut)) else {
        return name;
    };
    let mut found = begun.filter(|whole| !end.is_empty() && whole.ends_with(end));
    match (found.next(), found.next()) {
        (Some(whole), None) => whole,
        _ => name,
    }
}

/// Is it a device's name? Nothing starts a device: it is waited for.
pub(super) fn is_device(name: &str) -> bool {
    name.starts_with("/dev/") || name.ends_with(".device")
}

/// What to do about a unit.
pub(crate) const UNIT_ADVICE: &str =
    "ask `systemd-analyze critical-chain` on the system whether it is waited for; then order it behind the application, \
     start it by a socket or a timer, or mask it where nobody needs it (`systemctl mask UNIT`)";
/// What to do about a device that is waited for.
pub(super) const DEVICE_ADVICE: &str =
    "see why the device does not come, or comes late: its driver and bus (dmesg), a wrong UUID or name in fstab, crypttab \
     or on the command line; `nofail` and x-systemd.device-timeout= in fstab keep the boot from waiting";

/// At most so long passed between two lines, by the stamps around them, where they have none themselves.
pub(super) fn at_most_apart(context: &Context<'_>, from: &Line, to: &Line) -> Option<i64> {
    let lines = &context.boot.lines;
    let place = |line: &Line| lines.iter().position(|one| std::ptr::eq(one, line));
    let (first, last) = (place(from)?, place(to)?);
    let before = lines[..=first].iter().rev().find_map(|line| context.axis.at(line))?;
    let behind = lines[last..].iter().find_map(|line| context.axis.at(line))?;
    (before.1 == behind.1)
        .then(|| behind.0.checked_sub(before.0))
        .flatten()
        .filter(|ns| *ns > 0)
}

/// The device that words name: of `UNIT.device - /dev/X` the path, which says more; and nothing of a sentence that goes on.
pub(super) fn device_of(said: &str) -> &str {
    let name = said.rsplit(" - ").next().unwrap_or(said);
    name.split([',', ' ', ';']).next().unwrap_or(name).trim_end_matches('.')
}

/// Devices that systemd gave up on, where no line says when it began to wait: as long as nothing was printed before.
/// `told`: those of which other lines say more.
pub(super) fn given_up(context: &Context<'_>, end: Option<u32>, told: &[&str], out: &mut Vec<Cost>) {
    let mut devices: Vec<(&str, &Line)> = Vec::new();
    let lines = context.boot.lines.iter();
    for line in lines.take_while(|line| end.is_none_or(|end| line.number <= end)) {
        // A container's console is in its host's log.
        let said = of_systemd(line).or_else(|| line.text.trim().strip_prefix("[ TIME ] "));
        let said = said.filter(|said| !said.contains(IN_STAGE_1));
        let by_status = || said?.strip_prefix("Timed out waiting for device ");
        let Some(name) = by_status().or_else(|| timed_out_device(said?)) else {
            continue;
        };
        let name = device_of(name).trim_end_matches(".device");
        let same = |one: &str| path_of(one) == path_of(name);
        let known = devices.iter().any(|(one, _)| same(one)) || told.iter().any(|one| same(one));
        if !name.is_empty() && !known && devices.len() < 100 {
            devices.push((name, line));
        }
    }
    let Some((first, line)) = devices.first() else { return };
    let silence = silence_before(context, line);
    let named: Vec<String> = devices
        .iter()
        .take(NAMED)
        .map(|(name, _)| shorten(&path_of(name)))
        .collect();
    let more = devices.len().saturating_sub(NAMED);
    let others = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let mut numbers: Vec<u32> = silence.as_ref().map(|(_, from)| from.number).into_iter().collect();
    numbers.extend(devices.iter().take(2 * NAMED).map(|(_, line)| line.number));
    let limit = "its limit is 90 s unless set (x-systemd.device-timeout=, DefaultDeviceTimeoutSec=)";
    out.push(Cost {
        title: if devices.len() == 1 {
            format!(
                "systemd waits for the device {} until its limit, and gives up",
                shorten(&path_of(first))
            )
        } else {
            format!(
                "systemd waits for the devices {}{others} until its limit, and gives up",
                named.join(", ")
            )
        },
        wording: Wording::GivenUp,
        cost_ns: silence.as_ref().map(|(ns, _)| *ns),
        at_least: silence.is_some(),
        lines: numbers,
        evidence: match silence {
            Some((ns, from)) => format!(
                "at the least {}{} without a line between `{}` and `{}`; {limit}",
                spell(ns),
                if context.axis.late {
                    " (by dates of whole seconds)"
                } else {
                    ""
                },
                shorten(from.text.trim()),
                shorten(line.text.trim())
            ),
            None => format!(
                "`{}`; {limit}, and its beginning was not found",
                shorten(line.text.trim())
            ),
        },
        advice: DEVICE_ADVICE.to_owned(),
        ..Cost::of(CostKind::DeviceWait)
    });
}

/// The path of a device's unit: `/dev/sda1` of `dev-sda1.device`, with systemd's escapes resolved (systemd.unit(5)).
pub(super) fn path_of(name: &str) -> String {
    // Of a name that systemd cut, nobody can tell what its dashes were.
    if name.starts_with('/') || name.contains('\u{2026}') {
        return name.trim_end_matches('.').to_owned();
    }
    let Some(rest) = name.trim_end_matches(".device").strip_prefix("dev-") else {
        return name.to_owned();
    };
    unescaped(&format!("/dev/{}", rest.replace('-', "/")))
}

/// `\x2d` and its like.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((head, tail)) = rest.split_once("\\x") {
        out.push_str(head);
        let code = tail.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(code) = code.filter(u8::is_ascii_graphic) {
            out.push(char::from(code));
            rest = &tail[2..];
        } else {
            out.push_str("\\x");
            rest = tail;
        }
    }
    out + rest
}

/// dracut's loop that waits for a device which does not come (modules.d/base/dracut-lib.sh, 99base/init.sh): at the least
/// from the first to the last line that says so.
pub(super) fn dracut(context: &Context<'_>, out: &mut Vec<Cost>) {
    let lines = context.boot.lines.iter().filter(|line| is_of_initramfs(line));
    let waits: Vec<&Line> = lines
        .filter(|line| {
            line.text.contains("still waiting for following initqueue hooks")
                || line.text.contains("starting timeout scripts")
        })
        .collect();
    let (Some(first), Some(last)) = (waits.first(), waits.last()) else {
        return;
    };
    let hook = context.boot.lines.iter().find_map(|line| {
        let (_, rest) = line.text.split_once("/devexists-")?;
        Some((line.number, rest.split(".sh").next()?))
    });
    let device = hook.map_or(String::new(), |(_, name)| format!(" {}", shorten(&unescaped(name))));
    let ns = context.apart(first, last).filter(|ns| *ns > 0);
    let mut lines = vec![first.number, last.number];
    lines.extend(hook.map(|(number, _)| number));
    lines.sort_unstable();
    lines.dedup();
    out.push(Cost {
        title: format!("the initramfs (dracut) waits for a device that does not come:{device}").trim_end_matches(':').to_owned(),
        cost_ns: ns,
        at_least: ns.is_some(),
around: Vec::new(),
        lines,
        evidence: format!("{} lines of its loop, from `{}` on; it began to wait before", waits.len(), shorten(first.text.trim())),
        advice: "see why the device does not come: root= and its label or UUID, its driver in the initramfs, the medium; rd.retry= \
                 and rd.timeout= bound the wait"
            .to_owned(),
        ..Cost::of(CostKind::DeviceWait)
    });
}

/// How long nothing was printed before a line, or before those that came at the same time as it.
fn silence_before<'a>(context: &Context<'a>, line: &Line) -> Option<(i64, &'a Line)> {
    let (now, clock) = context.axis.at(line)?;
    let lines: &'a [Line] = &context.boot.lines;
    let at = lines.partition_point(|one| one.number < line.number);
    let earlier = lines[..at]
        .iter()
        .rev()
        .filter_map(|one| Some((one, context.axis.at(one)?)));
    let (from, (ns, _)) = earlier
        .filter(|(_, (_, of))| *of == clock)
        .find(|(_, (ns, _))| now.saturating_sub(*ns) >= 1_000_000_000)?;
    let length = now.checked_sub(ns)?;
    (length >= SHORTEST_SILENCE_NS).then_some((length, from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_in_older_and_newer_words() {
        let told = [
            ("A start job is running for Raise network interfaces (1min 33s / 5min 1s)", "Raise network interfaces", 93),
            ("(1 of 2) A start job is running for X (y) (9s / no limit)", "X (y)", 9),
            (
                "A start job is running for a.device (1s / 1min 30s)[K[ *** ] A start job is running for a.device (2s / 1min 30s)",
                "a.device",
                2,
            ),
            ("Job dev-sda1.device/start running (8s / 1min 30s)", "dev-sda1.device", 8),
            ("(2 of 3) Job a.service/start running (55min 40s / no limit)", "a.service", 3340),
            ("[  *** ] Job systemd-networkd-wait-online.se\u{2026}tart running (1min 54s / no limit)", "systemd-networkd-wait-online.se", 114),
            ("(3 of 8) A start job is running for\u{2026}ce Initialization (30s / 3min 20s)", "\u{2026}ce Initialization", 30),
            ("A start job is runn...vice (4s / no limit)", "...vice", 4),
            ("job is running for Frob Daemon (8s / 1min 30s)[   ] A start", "Frob Daemon", 8),
            ("[...]a start job is running for frob to be ready...[1 min 3 sec / no limit]", "frob to be ready", 63),
        ];
        for (text, name, seconds) in told {
            assert_eq!(job(text), Some((name, seconds * 1_000_000_000)), "{text}");
        }
        for text in [
            "A start job is running for X",
            "A stop job is running for X (1s / 2s)",
            "Job a.service/stop running (1s / 2s)",
            "Job /start running (1s / 2s)",
            "A start job",
            "the job that is running for X (1s / 2s)",
            "",
        ] {
            assert_eq!(job(text), None, "{text}");
        }
    }

    #[test]
    fn paths_of_devices() {
        assert_eq!(
            path_of("dev-disk-by\\x2duuid-e4ca\\x2d1.device"),
            "/dev/disk/by-uuid/e4ca-1"
        );
        assert_eq!(path_of("/dev/sda1"), "/dev/sda1");
        assert_eq!(path_of("dev-x\\xzz"), "/dev/x\\xzz");
    }

    #[test]
    fn a_cut_name_is_the_one_that_ends_so() {
        let begun = ["udev Coldplug", "udev Wait for Complete Device Initialization"];
        assert_eq!(whole_name("\u{2026}ce Initialization", begun.into_iter()), begun[1]);
        assert_eq!(whole_name("...e", begun.into_iter()), "...e");
        assert_eq!(whole_name("\u{2026}", begun.into_iter()), "\u{2026}");
        assert_eq!(whole_name("X", begun.into_iter()), "X");
    }
}

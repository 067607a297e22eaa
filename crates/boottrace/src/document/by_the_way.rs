// SPDX-License-Identifier: MIT
//! What lines that are no boot still tell of one.

use crate::costs::cost::{spell, Wording};
use crate::costs::waits::numbers_ready_late;
use crate::costs::{longest_gap, untimed, Basis, Cost, CostKind};
use crate::log::clock::NS_PER_S;
use crate::log::line::Line;
use crate::log::starting::starts_a_log;
use crate::readers::userspace::duration::parse_prefix;
use crate::text::shorten::shorten;

/// What is said later is not of a boot.
const YOUNG_NS: i64 = 300_000_000_000;

/// What lines still tell that somebody chose, those of programs, and those of a system that has just started.
pub(super) fn told_by_the_way(what: &str, lines: &[Line]) -> Vec<Cost> {
    let waits = || untimed::of_lines(lines.iter()).into_iter();
    if what == "excerpt" {
        let calls = calls(lines);
        if !calls.is_empty() {
            return calls;
        }
    }
    let told = match what {
        "excerpt" => numbers_ready_late(lines).or_else(|| waits().next()),
        "running-system" => {
            let young = |number: &u32| {
                let said = lines.iter().find(|line| line.number == *number);
                said.and_then(|line| line.printk_ns).is_some_and(|ns| ns < YOUNG_NS)
            };
            // What goes on with devices that are plugged in is no boot's.
            let of_usb = |cost: &Cost| cost.kind == CostKind::UsbError || cost.title.contains("`hub ");
            // How long something goes on there, no start has waited.
            waits().find(|cost| !of_usb(cost) && cost.cost_ns.is_none() && cost.lines.iter().all(young))
        }
        "program-log" => {
            // Stamps that count since another day.
            if lines.iter().any(|line| line.printk_ns.is_some()) {
                let told = waits().next().or_else(|| longest_gap::of_lines(lines));
                return told.into_iter().collect();
            }
            if let Some(account) = account_without_a_kernel(lines) {
                return vec![account];
            }
            if let Some(start) = start_of_openrc(lines) {
                return vec![start];
            }
            // A long log of a system that is up: nothing says that what waits there is its start.
            if lines.len() > LONG {
                return Vec::new();
            }
            let known = waits().find(|cost| {
                let waited = matches!(cost.kind, CostKind::NetworkConfiguration | CostKind::DeviceWait);
                waited || (cost.kind == CostKind::UnitFailure && cost.wording == Wording::GivenUp)
            });
            known.or_else(|| {
                let spoken = lines.iter().filter(|line| line.process.is_some());
                // Somebody logs in, or the system goes down: what passes there is nobody's start.
                if spoken.clone().any(|line| {
                    line.text.contains("session opened for user ") || goes_down(line) || is_of_a_clock(line)
                }) {
                    return None;
                }
                let of_boot = spoken.clone().count() <= FEW
                    || spoken
                        .clone()
                        .any(|line| line.process.as_deref().is_some_and(starts_the_system));
                of_boot.then(|| longest_gap::of_lines(lines).or_else(|| waits().next()))?
            })
        }
        _ => None,
    };
    let silent = told.as_ref().is_some_and(|cost| cost.kind == CostKind::Silence);
    // What is waited for may say why nothing is printed.
    let wait = waits().next().filter(|_| silent);
    told.into_iter().chain(wait).collect()
}

/// The longest initcalls and probes of which the kernel's own lines state the time: whoever chose the lines, that holds.
fn calls(lines: &[Line]) -> Vec<Cost> {
    const LISTED: usize = 3;
    const SHORTEST_NS: i64 = 100_000_000;
    let stated = |line: &Line| {
        let text = line.text.trim();
        let known = text.starts_with("initcall ") || text.starts_with("probe of ");
        let (_, us) = text.split_once(" returned 0 after ").filter(|_| known)?;
        let ns = us.strip_suffix(" usecs")?.parse::<i64>().ok()?.checked_mul(1000)?;
        let young = line.printk_ns.is_some_and(|at| at < YOUNG_NS && ns <= at);
        (young && ns >= SHORTEST_NS).then_some(ns)
    };
    let mut told: Vec<(i64, &Line)> = lines.iter().filter_map(|line| Some((stated(line)?, line))).collect();
    told.sort_by_key(|(ns, _)| std::cmp::Reverse(*ns));
    told.truncate(LISTED);
    let cost = |(ns, line): (i64, &Line)| Cost {
        cost_ns: Some(ns),
        basis: Basis::Printed,
        ..Cost::without_time(
            CostKind::StatedTime,
            format!("`{}`", shorten(line.text.trim())),
            line.number,
            format!("the line itself states {}", spell(ns)),
            "see whether the boot waits for it: an asynchronous probe goes on beside it (driver_async_probe=)",
        )
    };
    told.into_iter().map(cost).collect()
}

/// The longest start of which the system's manager tells one time, and no kernel's: a container has none of its own.
fn account_without_a_kernel(lines: &[Line]) -> Option<Cost> {
    let told = |line: &Line| {
        let said = line.text.trim().strip_prefix("Startup finished in ")?;
        let (ns, used) = parse_prefix(said)?;
        let whole = said[used..].trim_matches(['.', ' ']).is_empty();
        let first = line.process.as_deref() == Some("systemd") && line.pid == Some(1);
        i64::try_from(ns).ok().filter(|_| whole && first)
    };
    let accounts = lines.iter().filter_map(|line| Some((line, told(line)?)));
    let (line, ns) = accounts.rev().max_by_key(|(_, ns)| *ns)?;
    Some(Cost {
        cost_ns: Some(ns),
        basis: Basis::Printed,
        ..Cost::without_time(
            CostKind::StatedTime,
            format!(
                "`{}`, systemd's own account of a start without a kernel, as in a container",
                line.text.trim()
            ),
            line.number,
            format!("the line itself states {}", spell(ns)),
            "ask `systemd-analyze blame` there: it names the units",
        )
    })
}

/// The longest time from where BusyBox's init starts OpenRC's last level to its first getty, by the dates of a log of daemons
/// (init/init.c).
fn start_of_openrc(lines: &[Line]) -> Option<Cost> {
    const SHORTEST_NS: i64 = 2 * NS_PER_S;
    const LONGEST_NS: i64 = 600 * NS_PER_S;
    let mut begun: Option<&Line> = None;
    let mut longest: Option<(i64, &Line, &Line)> = None;
    for line in lines {
        if starts_a_log(line) {
            begun = None;
        }
        let text = line.text.trim();
        if line.process.as_deref() != Some("init") || !text.starts_with("starting pid ") {
            continue;
        }
        if text.ends_with("openrc default'") {
            begun = Some(line);
        } else if text.contains("getty ") {
            let Some(from) = begun.take() else { continue };
            let ns = line
                .host_ns
                .zip(from.host_ns)
                .map_or(0, |(to, from)| to.saturating_sub(from));
            if (SHORTEST_NS..=LONGEST_NS).contains(&ns) && longest.is_none_or(|(most, ..)| ns > most) {
                longest = Some((ns, from, line));
            }
        } else {
            // It goes down, or starts what it starts at once.
            begun = None;
        }
    }
    let (ns, from, to) = longest?;
    Some(Cost {
        cost_ns: Some(ns),
        basis: Basis::Computed,
        lines: vec![from.number, to.number],
        ..Cost::without_time(
            CostKind::StatedTime,
            "from OpenRC's level `default` to init's first getty".to_owned(),
            from.number,
            format!("{} between the two, by the dates of the log", spell(ns)),
            "look which service of the level takes it (`rc-status`, rc_logger=\"YES\" in /etc/rc.conf)",
        )
    })
}

/// Does the clock start a job? It does so while the system runs.
fn is_of_a_clock(line: &Line) -> bool {
    let by_cron = line
        .process
        .as_deref()
        .is_some_and(|name| matches!(name, "CRON" | "cron" | "crond" | "/usr/sbin/cron"));
    by_cron && (line.text.contains(") CMD (") || line.text.contains(" cmd run-parts "))
}

/// Is a timer or a target taken away, or do programs run that only a shutdown starts? Services of a start end too.
fn goes_down(line: &Line) -> bool {
    const KINDS: [&str; 2] = [".timer", ".target"];
    let text = line.text.trim();
    let ended = text
        .strip_suffix(": Deactivated successfully.")
        .or_else(|| text.strip_suffix(": Succeeded."));
    let by_systemd = line.process.as_deref() == Some("systemd");
    (by_systemd && ended.is_some_and(|unit| KINDS.iter().any(|kind| unit.ends_with(kind))))
        || (by_systemd && text.starts_with("Reached target ") && text.contains("Shutdown"))
        || text.starts_with("System is rebooting")
        || text.starts_with("System is powering down")
        || text.starts_with("Starting shutdown scripts")
}

/// Nobody pastes so much to ask about one wait.
const LONG: usize = 400;
/// Somebody who pastes no more lines of programs than these asks what goes on between them.
const FEW: usize = 40;

/// Programs that are at work while a system starts, and seldom behind it.
fn starts_the_system(name: &str) -> bool {
    const PROGRAMS: [&str; 8] = [
        "systemd-udevd",
        "systemd-modules-load",
        "systemd-fsck",
        "systemd-cryptsetup",
        "systemd-remount-fs",
        "udevd",
        "wickedd",
        "plymouthd",
    ];
    PROGRAMS.contains(&name) || name.starts_with("dracut")
}

#[cfg(test)]
mod tests {
    use super::{account_without_a_kernel, start_of_openrc, told_by_the_way};
    use crate::log::line::{lines_of, Line};

    #[test]
    fn calls_that_somebody_chose() {
        let of = |at: i64, text: &str| Line {
            printk_ns: Some(at),
            ..lines_of(text).remove(0)
        };
        let lines = [
            of(1_000_000_000, "probe of 12000.frob returned 0 after 346000 usecs"),
            of(2_000_000_000, "probe of 13000.frob returned -517 after 900000 usecs"),
            of(
                3_000_000_000,
                "initcall quux_init+0x0/0x10 returned 0 after 1250000 usecs",
            ),
            of(400_000_000_000, "probe of 4-1:1.0 returned 0 after 5000000 usecs"),
        ];
        let told: Vec<_> = told_by_the_way("excerpt", &lines)
            .iter()
            .map(|cost| cost.cost_ns)
            .collect();
        assert_eq!(told, [Some(1_250_000_000), Some(346_000_000)]);
    }

    #[test]
    fn a_start_of_openrc() {
        let of = |s: i64, text: &str| Line {
            process: Some("init".to_owned()),
            host_ns: Some(s * 1_000_000_000),
            ..Line::plain(
                u32::try_from(s).unwrap_or(0),
                0,
                format!("starting pid 7, tty '': {text}"),
            )
        };
        let lines = [
            of(10, "'/sbin/openrc default'"),
            of(14, "'/sbin/getty 38400 tty1'"),
            of(15, "'/sbin/getty 38400 tty2'"),
            of(700, "'/sbin/openrc shutdown'"),
            of(790, "'/sbin/getty 38400 tty1'"),
            of(800, "'/sbin/openrc default'"),
            of(807, "'/sbin/getty 38400 tty1'"),
        ];
        let told =
            |lines: &[Line]| start_of_openrc(lines).map(|cost| (cost.cost_ns.unwrap() / 1_000_000_000, cost.lines));
        assert_eq!(told(&lines), Some((7, vec![800, 807])));
        assert_eq!(told(&lines[..5]), Some((4, vec![10, 14])));
        assert_eq!(told(&lines[3..5]), None);
    }

    #[test]
    fn a_containers_start() {
        let of = |pid: u32, text: &str| Line {
            process: Some("systemd".to_owned()),
            pid: Some(pid),
            ..Line::plain(pid, 0, text.to_owned())
        };
        let told = |lines: &[Line]| account_without_a_kernel(lines).and_then(|cost| cost.cost_ns);
        let lines = [
            of(1, "Startup finished in 2.856s."),
            of(1, "Startup finished in 3.642s."),
            of(77, "Startup finished in 9.1s."),
        ];
        assert_eq!(told(&lines), Some(3_642_000_000));
        assert_eq!(told(&lines[2..]), None);
        assert_eq!(
            told(&[of(1, "Startup finished in 2.5s (kernel) + 1s (userspace) = 3.5s.")]),
            None
        );
    }
}

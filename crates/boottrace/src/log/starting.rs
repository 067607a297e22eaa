// SPDX-License-Identifier: MIT
//! Lines that only a system prints which starts.

use super::course::is_step_of_init;
use super::hints::{
    accounts_for_start, begins_user_space, is_boot_initcall, is_of_initramfs, is_start_job, starts_scripts,
};
use super::line::Line;
use super::milestone;
use super::milestone::Milestone;

/// The scripts of Debian's initramfs (initramfs-tools, scripts/functions): they run once, before the root file system is there.
fn is_of_initramfs_tools(text: &str) -> bool {
    const STARTS: [&str; 5] = [
        "Begin: Waiting for ",
        "Begin: Running /scripts/",
        "Begin: Mounting root",
        "Begin: Loading ",
        "Gave up waiting for root ",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.starts_with(start))
}

/// Does a line show that a system starts? That init runs shows nothing: it says so later too.
pub fn shows_a_start(line: &Line) -> bool {
    milestone::of(&line.text).is_some_and(|found| found != Milestone::InitRunning)
        || is_boot_initcall(&line.text)
        || accounts_for_start(&line.text)
        || line.text.contains(" running in system mode")
        || is_of_initramfs(line)
        || is_of_initramfs_tools(&line.text)
        || is_start_job(&line.text)
}

/// Does BusyBox's init start the scripts that it starts once (init/init.c)? `starting pid 1, tty '': '/sbin/openrc boot'`
fn enters_a_level(text: &str) -> bool {
    const SCRIPTS: [&str; 4] = ["openrc sysinit'", "openrc boot'", "openrc default'", "/rcS'"];
    text.starts_with("starting pid ") && SCRIPTS.iter().any(|script| text.trim_end().ends_with(script))
}

/// Does sysvinit enter the level that it starts for? It switches to another one later, and goes down by levels 0 and 6.
pub fn enters_a_runlevel(line: &Line) -> bool {
    let text = line.text.trim();
    let level = text.strip_prefix("INIT: Entering runlevel: ").or_else(|| {
        let by_init = line.process.as_deref() == Some("init");
        text.strip_prefix("Entering runlevel: ").filter(|_| by_init)
    });
    level.is_some_and(|level| matches!(level, "S" | "1" | "2" | "3" | "4" | "5"))
}

/// Does the system's manager say what it says only when a system starts? A user's manager has no such units, and no
/// package that is installed starts them again (systemd: units/*.target, systemd-update-utmp.service). So do the daemon of the
/// clock's jobs, in its first words (Vixie cron), and sysvinit.
pub fn starts_system(line: &Line) -> bool {
    const DONE: [&str; 3] = ["Reached target ", "Started ", "Finished "];
    const UNITS: [&str; 6] = [
        "System Initialization",
        "Local File Systems",
        "Multi-User System",
        "Graphical Interface",
        "Update UTMP about System Boot/Shutdown",
        "Create Static Device Nodes in /dev",
    ];
    let text = line.text.trim_start();
    let process = line.process.as_deref();
    if enters_a_runlevel(line) || (process == Some("init") && enters_a_level(text)) {
        return true;
    }
    if process.is_some_and(|name| {
        name.rsplit('/')
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case("cron"))
    }) {
        return text.starts_with("(CRON) STARTUP ") || text.starts_with("(CRON) INFO (Running @reboot jobs)");
    }
    let rest = DONE.iter().find_map(|done| text.strip_prefix(done));
    process == Some("systemd")
        && rest.is_some_and(|rest| {
            // Newer systemd: `Reached target sysinit.target - System Initialization.`
            let name = rest.split_once(" - ").map_or(rest, |(_, name)| name);
            UNITS.iter().any(|unit| name.starts_with(unit))
        })
}

/// Does a line show that the boot itself goes on: a step of the kernel's to init, init's own words, a unit that the system's
/// manager starts, or a status of its? A user's session is none of its units.
pub fn is_progress(line: &Line) -> bool {
    const OF_UNITS: [&str; 9] = [
        "Starting ",
        "Started ",
        "Finished ",
        "Reached target ",
        "Mounting ",
        "Mounted ",
        "Listening on ",
        "Found device ",
        "Activated swap ",
    ];
    const OF_USERS: [&str; 5] = ["Session ", "User Manager", "User Runtime", "session-", "user@"];
    let text = line.text.trim_start();
    let said = text.strip_prefix("systemd[1]: ");
    let by_manager = said.is_some() || line.process.as_deref() == Some("systemd");
    if by_manager {
        let unit = OF_UNITS
            .iter()
            .find_map(|start| said.unwrap_or(text).strip_prefix(start));
        return unit.is_some_and(|unit| !OF_USERS.iter().any(|user| unit.starts_with(user)));
    }
    // A program says of itself that it starts, whenever it does.
    let by_init = line.process.as_deref().is_none_or(|name| name == "init");
    let step = milestone::of(text).is_some_and(|found| match found {
        Milestone::ClocksourceSwitch => false,
        Milestone::InitRunning => by_init && !text.starts_with("systemd-") && !is_of_android(text),
        _ => true,
    });
    let scripts = || starts_scripts(line) || begins_user_space(text);
    step || is_step_of_init(text) || (by_init && scripts()) || starts_once(line)
}

/// Android's init speaks as long as the system runs; OpenWrt's names its stages (`init: - preinit -`).
fn is_of_android(text: &str) -> bool {
    text.strip_prefix("init: ").is_some_and(|said| !said.starts_with("- "))
}

/// Does the system's manager say so, or a daemon that keeps the log (rsyslog, sysklogd, syslog-ng, journald) its first words: of
/// a start where the kernel's own follow, and of a new log else?
pub fn starts_once(line: &Line) -> bool {
    starts_a_log(line) || starts_system(line)
}

/// The first words of a daemon that keeps the log. rsyslog says `restart` in old versions also when it reads its settings anew.
pub fn starts_a_log(line: &Line) -> bool {
    let (process, text) = (line.process.as_deref(), line.text.trim());
    let rsyslog = text.contains("software=\"rsyslogd\"") && (text.ends_with("] start") || text.ends_with("] restart"));
    // The date and the host's name may stand before it.
    let syslogd = || text.ends_with(": restart.") && text.split(' ').take(8).any(|word| word == "syslogd");
    match process {
        Some("systemd-journald" | "journal" | "systemd-journal") => text.starts_with("Runtime "),
        Some("syslog-ng") => text.starts_with("syslog-ng starting up"),
        Some("syslogd") => text.ends_with(": restart.") || text.starts_with("started: BusyBox"),
        _ => rsyslog || syslogd() || text.starts_with("syslogd started: BusyBox"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_a_start_prints() {
        let line = |process: Option<&str>, text: &str| Line {
            process: process.map(str::to_owned),
            ..Line::plain(1, 0, text.to_owned())
        };
        for (process, text) in [
            (
                Some("systemd"),
                "Reached target sysinit.target - System Initialization.",
            ),
            (Some("systemd"), "Started Create Static Device Nodes in /dev."),
            (
                Some("rsyslogd"),
                "[origin software=\"rsyslogd\" swVersion=\"9.9\" x-pid=\"7\"] start",
            ),
            (
                Some("liblogging-stdlog"),
                "[origin software=\"rsyslogd\" swVersion=\"9.9\"] start",
            ),
            (None, "INIT: Entering runlevel: 5"),
            (Some("init"), "Entering runlevel: 3"),
            (None, "syslogd 9.9.9#7: restart."),
            (Some("/usr/sbin/cron"), "(CRON) STARTUP (fork ok)"),
            (Some("cron"), "(CRON) INFO (Running @reboot jobs)"),
            (
                Some("systemd-journald"),
                "Runtime Journal (/run/log/journal/x) is 8M, max 9M, 7M free.",
            ),
        ] {
            assert!(starts_once(&line(process, text)), "{text}");
        }
        for (process, text) in [
            (Some("systemd"), "Started Session 3 of user frob."),
            (
                Some("rsyslogd"),
                "[origin software=\"rsyslogd\" swVersion=\"9.9\"] exiting on signal 15.",
            ),
            (Some("init"), "Entering runlevel: 6"),
            (Some("cron"), "(root) CMD (frob)"),
            (None, "Reached target Local File Systems."),
        ] {
            assert!(!starts_once(&line(process, text)), "{text}");
        }
    }
}

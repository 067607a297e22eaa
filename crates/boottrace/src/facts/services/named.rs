// SPDX-License-Identifier: MIT
//! Lines that name their init or its service first: runit, s6-rc, Android's init, upstart.
//!
//! Sources: runit `src/runit.c`; s6-rc `src/s6-rc/s6-rc.c`; upstart `init/job.c`, `init/job_process.c`; Android
//! `system/core/init/{service,builtins,action}.cpp`.

use super::manager::{Manager, Word};

/// Those that give their name first.
pub(super) fn named(text: &str) -> Option<(Manager, Word<'_>)> {
    let plain = text.trim_start_matches("- ");
    if let Some(said) = plain.strip_prefix("runit: ") {
        let stage = |verb: &str| said.strip_prefix(verb).map(str::trim);
        return match (stage("enter stage: "), stage("leave stage: ")) {
            (Some(path), _) => Some((Manager::Runit, Word::Begins(path))),
            (_, Some(path)) => Some((Manager::Runit, Word::Ends(Some(path), true))),
            _ => None,
        };
    }
    if let Some(said) = text.strip_prefix("s6-rc: info: service ") {
        let found = if let Some(name) = said.strip_suffix(": starting") {
            Word::Begins(name)
        } else if let Some(name) = said
            .strip_suffix(" successfully started")
            .or(said.strip_suffix(" started successfully"))
        {
            Word::Ends(Some(name.trim_end_matches(':')), true)
        } else {
            return None;
        };
        return Some((Manager::S6, found));
    }
    if let Some(said) = text.strip_prefix("s6-rc: warning: unable to start service ") {
        let name = said.split([':', ' ']).next()?;
        return Some((Manager::S6, Word::Ends(Some(name), false)));
    }
    let said = text.strip_prefix("init: ")?;
    android(said)
        .map(|word| (Manager::Android, word))
        .or_else(|| upstart(said).map(|word| (Manager::Upstart, word)))
}

/// What stands between two quotes, and the rest.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('\'')?.split_once('\'')
}

fn android(said: &str) -> Option<Word<'_>> {
    if let Some(rest) = said
        .strip_prefix("starting service ")
        .or_else(|| said.strip_prefix("Starting service "))
    {
        return quoted(rest).map(|(name, _)| Word::Begins(name));
    }
    if let Some(rest) = said.strip_prefix("Service ") {
        let (name, rest) = quoted(rest)?;
        if let Some(status) = rest.split_once(" exited with status ").map(|(_, status)| status) {
            return Some(Word::Ends(Some(name), status.split(' ').next() == Some("0")));
        }
        return (rest.contains(" killed by signal ") || rest.contains(" received signal "))
            .then_some(Word::Ends(Some(name), false));
    }
    let (name, rest) = quoted(said.strip_prefix("Command ")?)?;
    let took = rest.split_once(" took ")?.1;
    let (ms, how) = took.split_once("ms")?;
    let ns = ms.parse::<i64>().ok()?.checked_mul(1_000_000)?;
    Some(Word::Took(name, ns, how.contains("succeeded")))
}

fn upstart(said: &str) -> Option<Word<'_>> {
    if let Some((name, _)) = said.split_once(" goal changed from stop to start") {
        return Some(Word::Begins(name));
    }
    let (name, states) = said.split_once(" state changed from ")?;
    let (_, to) = states.split_once(" to ")?;
    (to == "running").then_some(Word::Ends(Some(name), true))
}

#[cfg(test)]
mod tests {
    use super::{named, Manager, Word};

    fn read(text: &str) -> (Manager, Word<'_>) {
        named(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn supervisors() {
        assert_eq!(
            read("- runit: enter stage: /etc/runit/1"),
            (Manager::Runit, Word::Begins("/etc/runit/1"))
        );
        assert_eq!(
            read("- runit: leave stage: /etc/runit/1"),
            (Manager::Runit, Word::Ends(Some("/etc/runit/1"), true))
        );
        assert_eq!(
            read("s6-rc: info: service camera: starting"),
            (Manager::S6, Word::Begins("camera"))
        );
        let up = (Manager::S6, Word::Ends(Some("camera"), true));
        assert_eq!(read("s6-rc: info: service camera successfully started"), up);
        assert_eq!(read("s6-rc: info: service camera: started successfully"), up);
        assert_eq!(
            read("init: rsyslog goal changed from stop to start"),
            (Manager::Upstart, Word::Begins("rsyslog"))
        );
        let running = "init: rsyslog state changed from post-start to running";
        assert_eq!(read(running), (Manager::Upstart, Word::Ends(Some("rsyslog"), true)));
    }

    #[test]
    fn android() {
        assert_eq!(
            read("init: starting service 'logd'..."),
            (Manager::Android, Word::Begins("logd"))
        );
        let ended =
            "init: Service 'exec 1 (/system/bin/x)' (pid 120) exited with status 0 oneshot service took 0.03 seconds";
        assert_eq!(
            read(ended),
            (Manager::Android, Word::Ends(Some("exec 1 (/system/bin/x)"), true))
        );
        let took = "init: Command 'mount_all /vendor/etc/fstab' action=fs (/init.rc:2) took 345ms and succeeded";
        assert_eq!(
            read(took),
            (
                Manager::Android,
                Word::Took("mount_all /vendor/etc/fstab", 345_000_000, true)
            )
        );
    }
}

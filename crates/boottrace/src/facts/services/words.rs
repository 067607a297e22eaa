//! What one line says of a service, by who prints it.
//!
//! Sources: OpenRC `src/libeinfo/libeinfo.c` and `sh/functions.sh`; Debian's `lsb-base` (`/lib/lsb/init-functions`);
//! Buildroot's `package/*/S*`; runit `src/runit.c`; s6-rc `src/s6-rc/s6-rc.c`; dinit `src/control-cmds.h`,
//! `src/dinit-log.cc`; Finit `src/helpers.c`; upstart `init/job.c`, `init/job_process.c`; Android
//! `system/core/init/{service,builtins,action}.cpp`.

use serde::{Deserialize, Serialize};

/// Who starts services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Manager {
    /// Start scripts that say what they start: System V's, Debian's, Buildroot's.
    Scripts,
    /// OpenRC.
    #[serde(rename = "openrc")]
    OpenRc,
    /// runit: its stages.
    Runit,
    /// s6-rc.
    S6,
    /// dinit.
    Dinit,
    /// Finit.
    Finit,
    /// upstart.
    Upstart,
    /// Android's init.
    Android,
}

impl Manager {
    /// Does it start one service after the other, so that the next line of it ends the one before?
    pub fn in_turn(self) -> bool {
        matches!(self, Self::Scripts | Self::OpenRc | Self::Finit)
    }
}

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word<'a> {
    /// The start begins; a later line, or the end of this one, says how it ended.
    Begins(&'a str),
    /// It ended; `None`: the start that began last.
    Ends(Option<&'a str>, bool),
    /// Start and end in one line.
    Whole(&'a str, bool),
    /// The same, with the length that the line gives, ns.
    Took(&'a str, i64, bool),
}

/// Reads one line, free of terminal sequences.
pub fn word(text: &str) -> Option<(Manager, Word<'_>)> {
    let text = text.trim_end();
    if text.len() > LONGEST || text.is_empty() {
        return None;
    }
    named(text)
        .or_else(|| openrc(text))
        .or_else(|| bracketed(text))
        .or_else(|| script(text))
}

/// Longer lines are no service's.
const LONGEST: usize = 400;

/// Those that give their name first.
fn named(text: &str) -> Option<(Manager, Word<'_>)> {
    let plain = text.trim_start_matches("- ");
    if let Some(said) = plain.strip_prefix("runit: ") {
        let stage = |verb: &str| said.strip_prefix(verb).map(|path| path.trim());
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

/// ` * Starting camera ...`, with `[ ok ]` behind it or on a line of its own; `camera | * …` where several start at once.
fn openrc(text: &str) -> Option<(Manager, Word<'_>)> {
    let said = match text.split_once(" |") {
        Some((name, said)) if !name.trim_end().contains(' ') => said,
        _ => text,
    };
    let said = said.trim_start();
    if let Some(ok) = state(said) {
        return Some((Manager::OpenRc, Word::Ends(None, ok)));
    }
    let said = said.strip_prefix("* ")?.trim_end();
    if let Some(rest) = said.strip_prefix("ERROR: ") {
        let name = rest.strip_suffix(" failed to start")?;
        return Some((Manager::OpenRc, Word::Ends(Some(name), false)));
    }
    let (before, ok) = match said.rfind('[') {
        Some(at) if state(&said[at..]).is_some() => (said[..at].trim_end(), state(&said[at..])),
        _ => (said, None),
    };
    let name = before.strip_suffix("...")?.trim_end();
    if name.is_empty() || name.starts_with("Stopping") {
        return None;
    }
    Some((
        Manager::OpenRc,
        ok.map_or(Word::Begins(name), |ok| Word::Whole(name, ok)),
    ))
}

/// `[ ok ]` and `[ !! ]`, in the spellings of OpenRC, Debian and Finit.
fn state(text: &str) -> Option<bool> {
    let inside = text.strip_prefix('[')?.strip_suffix(']')?;
    match inside.trim() {
        "ok" | "OK" | "info" | "warn" | "WARN" => Some(true),
        "!!" | "FAIL" | "FAILED" | "fail" => Some(false),
        _ => None,
    }
}

/// dinit's `[  OK  ] camera`; Finit's `[ OK ] Starting camera`; Debian's `[ ok ] Starting camera: camerad.`, over which
/// a terminal wrote `[....]`.
fn bracketed(text: &str) -> Option<(Manager, Word<'_>)> {
    let (head, said) = text.split_once(']')?;
    let inside = head.strip_prefix('[')?;
    let said = said.trim();
    if inside == "...." && !said.is_empty() {
        // `[....] Starting camera: camerad[ ok .` where the terminal would have gone back.
        let (name, ok) = match said.rfind('[') {
            Some(at) => (&said[..at], state_begun(&said[at..])),
            None => (said, None),
        };
        let name = starts(name.trim_end_matches('.'))?;
        return Some((
            Manager::Scripts,
            ok.map_or(Word::Begins(name), |ok| Word::Whole(name, ok)),
        ));
    }
    let ok = match inside.trim() {
        "OK" | "ok" | "WARN" | "info" => true,
        "FAIL" | "FAILED" => false,
        _ => return None,
    };
    // systemd has eight characters and a verb; dinit the same and one word.
    if inside.len() == 6 && !said.is_empty() && !said.contains(' ') {
        return Some((Manager::Dinit, Word::Whole(said, ok)));
    }
    if inside.len() == 4 {
        let plain = said.trim_end_matches('.');
        let name = starts(plain)?;
        let manager = if inside.trim() == "ok" {
            Manager::Scripts
        } else {
            Manager::Finit
        };
        return Some((manager, Word::Whole(name, ok)));
    }
    None
}

/// `[ ok ` of a line that a terminal's control characters were taken from.
fn state_begun(text: &str) -> Option<bool> {
    let inside = text.strip_prefix('[')?.trim_start();
    if inside.starts_with("ok") || inside.starts_with("info") || inside.starts_with("warn") {
        return Some(true);
    }
    inside.starts_with("FAIL").then_some(false)
}

/// Verbs that start scripts begin their line with.
const VERBS: [&str; 24] = [
    "Starting ",
    "Running ",
    "Initializing ",
    "Saving ",
    "Seeding ",
    "Loading ",
    "Mounting ",
    "Setting ",
    "Configuring ",
    "Activating ",
    "Checking ",
    "Cleaning ",
    "Populating ",
    "Waiting ",
    "Synthesizing ",
    "Remounting ",
    "Enabling ",
    "Restoring ",
    "Generating ",
    "Creating ",
    "Detecting ",
    "Will now ",
    "Bringing up ",
    "Updating ",
];

/// The words of a script's line without what it says at the end, where they begin as such lines do.
fn starts(text: &str) -> Option<&str> {
    let text = text.trim();
    VERBS.iter().any(|verb| text.starts_with(verb)).then_some(text)
}

/// `Starting syslogd: OK`, `Starting camera: camerad.`, `Setting up X...done.`
fn script(text: &str) -> Option<(Manager, Word<'_>)> {
    // The end of a line that somebody else wrote into.
    match text.trim() {
        "done." | "." => return Some((Manager::Scripts, Word::Ends(None, true))),
        "failed!" | "failed." => return Some((Manager::Scripts, Word::Ends(None, false))),
        _ => {}
    }
    // systemd indents such lines, and names units.
    let text = starts(text).filter(|_| !text.starts_with("    "))?;
    let end = |tail: &str| {
        let said = text.strip_suffix(tail)?.trim_end_matches([':', ' ', '.']);
        (said.contains(' ') && !said.is_empty()).then_some(said)
    };
    let ended = |tails: &[&str]| tails.iter().find_map(|tail| end(tail));
    let found = if let Some(name) = ended(&[": OK", ": ok", ": done", "...done.", "... done.", "...done", "... OK"]) {
        Word::Whole(name, true)
    } else if let Some(name) = ended(&[
        ": FAIL",
        ": FAILED",
        ": failed!",
        " failed!",
        "...failed.",
        "... failed.",
    ]) {
        Word::Whole(name, false)
    } else if let Some(name) = text.strip_suffix("...").or_else(|| text.strip_suffix(':')) {
        Word::Begins(name.trim_end())
    } else if let Some(name) = text.strip_suffix('.').filter(|name| name.contains(": ")) {
        Word::Whole(name, true)
    } else if let Some((name, _)) = text.split_once("...") {
        // A program that the script calls writes into its line.
        Word::Begins(name.trim_end())
    } else if text.starts_with("Starting ") && text.contains(": ") {
        Word::Begins(text)
    } else {
        return None;
    };
    Some((Manager::Scripts, found))
}

#[cfg(test)]
mod tests {
    use super::{word, Manager, Word};

    fn read(text: &str) -> (Manager, Word<'_>) {
        word(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn start_scripts() {
        let whole = |name, ok| (Manager::Scripts, Word::Whole(name, ok));
        assert_eq!(read("Starting syslogd: OK"), whole("Starting syslogd", true));
        assert_eq!(read("Running sysctl: FAIL"), whole("Running sysctl", false));
        assert_eq!(
            read("Starting the camera: camera."),
            whole("Starting the camera: camera", true)
        );
        assert_eq!(
            read("Starting the camera: camera failed!"),
            whole("Starting the camera: camera", false)
        );
        assert_eq!(
            read("Setting up X socket directories...done."),
            whole("Setting up X socket directories", true)
        );
        assert_eq!(
            read("Starting network:"),
            (Manager::Scripts, Word::Begins("Starting network"))
        );
        assert_eq!(
            read("[ ok ] Starting the camera: camera."),
            whole("Starting the camera: camera", true)
        );
        assert_eq!(
            read("[....] Starting the camera: camera[ ok ."),
            whole("Starting the camera: camera", true)
        );
    }

    #[test]
    fn openrc() {
        assert_eq!(
            read(" * Starting camera ..."),
            (Manager::OpenRc, Word::Begins("Starting camera"))
        );
        assert_eq!(read(" [ ok ]"), (Manager::OpenRc, Word::Ends(None, true)));
        assert_eq!(
            read(" * Starting camera ...   [ !! ]"),
            (Manager::OpenRc, Word::Whole("Starting camera", false))
        );
        assert_eq!(
            read("camera     | * Starting camera ..."),
            (Manager::OpenRc, Word::Begins("Starting camera"))
        );
        assert_eq!(
            read(" * ERROR: camera failed to start"),
            (Manager::OpenRc, Word::Ends(Some("camera"), false))
        );
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
        assert_eq!(read("[  OK  ] camera"), (Manager::Dinit, Word::Whole("camera", true)));
        assert_eq!(read("[FAILED] camera"), (Manager::Dinit, Word::Whole("camera", false)));
        assert_eq!(
            read("[ OK ] Starting camera"),
            (Manager::Finit, Word::Whole("Starting camera", true))
        );
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

    #[test]
    fn what_is_no_service() {
        for text in [
            "",
            "init: wrong",
            "[  OK  ] Started a.service - A.",
            "         Starting a.service - A...",
            "[    1.0] x",
            "Starting kernel",
            "Starting",
            "random: crng init done",
            " * ",
            "[x]",
            "[....]",
            "Welcome to Debian!",
        ] {
            assert_eq!(word(text), None, "{text}");
        }
    }
}

// SPDX-License-Identifier: MIT
//! What one line says of a service, by who prints it.
//!
//! Sources: OpenRC `src/libeinfo/libeinfo.c` and `sh/functions.sh`; Debian's `lsb-base` (`/lib/lsb/init-functions`);
//! Buildroot's `package/*/S*`; dinit `src/dinit-log.cc`; Finit `src/helpers.c`.

use super::manager::{Manager, Word};
use super::named::named;

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
    fn states_in_brackets() {
        assert_eq!(read("[  OK  ] camera"), (Manager::Dinit, Word::Whole("camera", true)));
        assert_eq!(read("[FAILED] camera"), (Manager::Dinit, Word::Whole("camera", false)));
        assert_eq!(
            read("[ OK ] Starting camera"),
            (Manager::Finit, Word::Whole("Starting camera", true))
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

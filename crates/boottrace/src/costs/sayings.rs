// SPDX-License-Identifier: MIT
//! Words in which anybody says that something is waited for, does not answer, is tried again or is slow: English, and no
//! program's own. Whoever prints the line: it names a wait, and says nothing of how long that was.

use super::settings::{holds_alone, is_first, sets_a_time, waits_for_a_setting};

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Saying {
    /// A wait ran out.
    TimedOut,
    /// Nobody answers.
    NoAnswer,
    /// Something is tried again.
    Retried,
    /// Something is called slow, or stuck.
    Slow,
    /// Something is waited for.
    Waited,
    /// systemd says that a start fails.
    Failed,
    /// Something fails, and fails again.
    Repeated,
}

/// Longer lines are no message.
const LONGEST: usize = 600;

const NO_ANSWER: [&str; 31] = [
    "abort task",
    "task abort",
    "aborting command",
    "abort command",
    "command aborted",
    "bus reset request",
    "not responding",
    "no response",
    "not respond",
    "failed to respond",
    "no answer",
    "unable to connect",
    "failed to connect",
    "could not connect",
    "cannot connect",
    "unable to reach",
    "not accepting address",
    "unable to enumerate",
    "lost interrupt",
    "did not appear",
    "didn't appear",
    "does not appear",
    "did not show up",
    "gave up",
    "giving up",
    "unreachable",
    "stops responding",
    "stopped responding",
    "not answer",
    "no link detected",
    "no offers received",
];
const RETRIED: [&str; 9] = [
    "retrying",
    "trying again",
    "try again",
    "tries again",
    "starting again",
    "retry count exceeded",
    "retry limit",
    "still trying",
    "will retry",
];
const SLOW: [&str; 19] = [
    "slow to respond",
    "taking a long time",
    "takes a long time",
    "took a long time",
    "taking long",
    "takes long",
    "taking too long",
    "took too long",
    "takes too long",
    "taking longer",
    "took longer",
    "detected stall",
    "detected stalls",
    "detected expedited stalls",
    "soft lockup",
    "hard lockup",
    "blocked for more than",
    "still busy",
    "hogged cpu",
];
const WAITED: [&str; 10] = [
    "waiting for",
    "waiting up to",
    "waiting until",
    "waiting on",
    "waits for",
    "wait for",
    "waited for",
    "still waiting",
    "waiting to",
    "start job is running for",
];
/// systemd's status of a start that failed, or that waited for one that did.
const FAILED: [&str; 4] = [
    "[failed] failed to start ",
    "[failed] failed to mount ",
    "[depend] dependency failed for ",
    "dependency failed for ",
];
/// One word each, alone.
const TIMED_OUT: [&str; 5] = ["timeout", "timeouted", "time-out", "etimedout", "-110"];
const STUCK: [&str; 4] = ["stuck", "hung", "stalled", "frozen"];
/// Such a line sets or explains a time, or speaks of a feature.
const SETTINGS: [&str; 25] = [
    "s timeout)",
    "enabled",
    "enabling",
    "disabled",
    "disabling",
    "detector",
    "detection",
    "setting",
    "configured",
    "default",
    "support",
    "registered",
    "initialized",
    "initialised",
    "command line:",
    "boot_image=",
    "adjust",
    "press ",
    "hit ",
    "usage",
    "option",
    "console=",
    "root=",
    "--",
    "e.g.",
];
/// Such a line says that it is over.
const OVER: [&str; 14] = [
    "done",
    "ok",
    "ready",
    "complete",
    "completed",
    "finished",
    "succeeded",
    "success",
    "successful",
    "up",
    "found",
    "detected",
    "connected",
    "passed",
];
/// systemd's words about a unit begin so; the name behind them is no wait.
const STATES: [&str; 12] = [
    "[  ok  ]",
    "started ",
    "finished ",
    "reached ",
    "starting ",
    "stopped ",
    "stopping ",
    "mounted ",
    "closed ",
    "removed ",
    "listening ",
    "created ",
];

/// What the words of a line say of a wait; none where they set a time, or say that it is over.
pub(super) fn saying(text: &str) -> Option<Saying> {
    let text = text.trim();
    let long = text.len() > LONGEST || !text.is_ascii() && text.chars().count() > LONGEST / 2;
    // One word of a broken line tells of nothing.
    if long || !text.contains(char::is_whitespace) {
        return None;
    }
    let lower = text.to_ascii_lowercase();
    let found = said(&lower)?;
    (!is_source(text) && !is_setting(&lower, found) && !is_over(&lower, found)).then_some(found)
}

/// What daemons say when they are ready; WPS' registrar comes when somebody presses a button.
const READY: &str = "waiting for events|waiting for connections|waiting for incoming connections|\
    waiting for requests|waiting for commands|waiting for clients|waiting for registrar";
/// Why a connection fails at once: nobody waits for an answer.
const AT_ONCE: [&str; 5] = [
    "no such file or directory",
    "host is down",
    "permission denied",
    "operation not permitted",
    "no medium found",
];
/// What people are told to do.
const ADVICE: [&str; 3] = ["and try again", "please try again", "then try again"];

fn said(lower: &str) -> Option<Saying> {
    // A table's cell names a setting, a fix or a step.
    if lower.starts_with('|') && lower.matches('|').count() > 2 {
        return None;
    }
    let any = |words: &[&str]| words.iter().any(|word| holds_alone(lower, word));
    // That nothing bounds a wait is no limit that ran out.
    let unbounded = ["no timeout", "no time limit", "no limit", "without timeout"];
    let unbounded = unbounded.iter().any(|words| lower.contains(words));
    if unbounded && (any(&WAITED) || lower.contains(" is running")) {
        return Some(Saying::Waited);
    }
    if unbounded {
        return None;
    }
    // Who looks after a test ends its machine so: `frob-system: terminating on signal 15 from pid 77 (timeout)`.
    if lower.contains("terminating on signal ") {
        return None;
    }
    if lower.contains("timed out") || lower.contains("timing out") || any(&TIMED_OUT) {
        return Some(Saying::TimedOut);
    }
    // A daemon that is ready waits for others, and nobody for it.
    if READY.split('|').any(|words| lower.contains(words)) || waits_for_a_setting(lower) {
        return None;
    }
    // A frozen unit is one that the system puts to sleep; advice is no event, and a network without a route is not waited for.
    if lower.contains("unit now frozen") || any(&ADVICE) || lower.contains("network is unreachable") {
        return None;
    }
    if any(&NO_ANSWER) && !(lower.contains(" connect") && AT_ONCE.iter().any(|why| lower.contains(why))) {
        return Some(Saying::NoAnswer);
    }
    if any(&RETRIED) || counts_attempts(lower) {
        return Some(Saying::Retried);
    }
    if any(&SLOW) || any(&STUCK) {
        return Some(Saying::Slow);
    }
    if any(&WAITED) || lower.contains("/start running") || waits_seconds(lower) {
        return Some(Saying::Waited);
    }
    let failed = lower.trim_start_matches("systemd[1]: ");
    FAILED
        .iter()
        .any(|start| failed.starts_with(start))
        .then_some(Saying::Failed)
}

/// `attempt 3 of 9`, `try 2 of 5`, `retry 4/10`; the first attempt tries nothing again.
fn counts_attempts(lower: &str) -> bool {
    let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    ["attempt ", "try ", "retry "].iter().any(|word| {
        lower.match_indices(*word).any(|(at, _)| {
            let mut rest = lower[at + word.len()..].split([' ', ',', ')', ']', '.', ':']);
            let first = rest.next().unwrap_or("");
            let of = first.contains('/') || (rest.next() == Some("of") && rest.next().is_some_and(number));
            let alone = !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
            alone && number(first) && of && (*word == "retry " || !is_first(first))
        })
    })
}

/// `wait 15 seconds`, `sleeping for 5s`: so long nothing goes on.
fn waits_seconds(lower: &str) -> bool {
    ["wait ", "waiting ", "sleeping ", "sleep for ", "pausing "]
        .iter()
        .any(|word| {
            lower.match_indices(word).any(|(at, word)| {
                let rest = lower[at + word.len()..].trim_start_matches("for ");
                let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let unit = rest[digits..].trim_start();
                digits > 0
                    && (unit.starts_with("sec") || unit == "s" || unit.starts_with("s ") || unit.starts_with("s."))
            })
        })
}

/// A program's text, a difference, a command.
fn is_source(text: &str) -> bool {
    const STARTS: [&str; 14] = [
        "+", "- ", "@@", "diff ", "#", "//", "/*", "*", "$ ", "if ", "while ", "for ", "sudo ", "echo ",
    ];
    const PARTS: [&str; 14] = [
        "/*", "*/", "();", ");", "->", " = ", "==", "&&", "||", "printk(", "dev_err(", "echo ", "#define", "sleep ",
    ];
    // A comment names a function's parameters so: `@timeout`.
    let parameter = |word: &str| {
        word.strip_prefix('@')
            .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    STARTS.iter().any(|start| text.starts_with(start))
        || text.split(' ').any(parameter)
        || PARTS.iter().any(|part| text.contains(part))
        || text.ends_with([';', '{', '}', '\\'])
}

fn is_setting(lower: &str, found: Saying) -> bool {
    if SETTINGS.iter().any(|word| lower.contains(word)) {
        return true;
    }
    // `Timeout reduzido de 900s para 300s`: two times, of which one takes the other's place.
    let spans = lower.split([' ', '(', ')', ',']).filter(|word| {
        let digits = word.trim_start_matches(|c: char| c.is_ascii_digit());
        digits.len() < word.len() && matches!(digits, "s" | "ms" | "sec" | "min" | "m")
    });
    if found == Saying::TimedOut && !lower.contains("timed out") && spans.count() > 1 {
        return true;
    }
    // `to timeout after 1 second`, and the same behind a broken line.
    let sets_a_limit = lower.contains(" to timeout") || (lower.starts_with("timeout after ") && lower.ends_with('.'));
    found == Saying::TimedOut && (sets_a_limit && !lower.contains("timed out") || sets_a_time(lower))
}

fn is_over(lower: &str, found: Saying) -> bool {
    let end = lower.trim_end_matches(['.', ' ', '!', ')', ']', '\'', '"']);
    let last = end.rsplit([' ', '.', ':', '[', '(']).next().unwrap_or("");
    let waits = found == Saying::Waited;
    let by_systemd = waits && !lower.contains("start job is running for");
    let said = lower.strip_prefix("systemd[1]: ").unwrap_or(lower);
    (waits && OVER.contains(&last))
        || last == "ok"
        || (by_systemd && STATES.iter().any(|state| said.starts_with(state)))
}

#[cfg(test)]
mod tests;

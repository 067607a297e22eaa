// SPDX-License-Identifier: MIT
//! Words by which a line of user space shows how far the start has come.

use serde::{Deserialize, Serialize};

use super::trouble;
use crate::log::hints::{begins_void, is_login};

/// What a line shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SignKind {
    /// `Started X.service`, `Listening on X.socket`: the unit.
    UnitStarted,
    /// `Starting X.service`: the unit.
    UnitStarting,
    /// `Reached target X.target`: the unit.
    TargetReached,
    /// A status line of systemd, with or without a unit's name.
    UnitStatus,
    /// `poky login:`.
    LoginPrompt,
    /// `Please press Enter to activate this console`.
    EnterPrompt,
    /// A shell's prompt and nothing behind it.
    ShellPrompt,
    /// `Welcome to Debian GNU/Linux 12!`: the first two words.
    Greeting,
    /// `Starting syslogd` and its like: the first two words.
    StartScript,
    /// System V's init.
    SystemV,
    /// `OpenRC`.
    #[serde(rename = "openrc")]
    OpenRc,
    /// runit.
    Runit,
    /// s6-rc.
    S6,
    /// Finit.
    Finit,
    /// A program says that it can be used: the whole line.
    Ready,
    /// A server's answer with a status of success: `HTTP/1.1 200`.
    HttpAnswer,
    /// Something went wrong, was left out, or is looked upon as odd: the whole line.
    Complaint,
    /// The shell or the notice of a system that could not start: `(initramfs)`.
    Rescue,
    /// A question that is no login: a passphrase, a key to press.
    Question,
    /// The system goes down.
    GoesDown,
}

/// A sign and the words that are it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sign {
    /// What it shows.
    pub kind: SignKind,
    /// The part of the line that another boot prints too.
    pub words: String,
}

const ENTER: &str = "Please press Enter to activate this console";
/// Start scripts of BusyBox systems and of initramfs-tools.
const SCRIPTS: [&str; 8] = [
    "syslogd", "klogd", "mdev", "network", "udev", "version", "watchdog", "dropbear",
];

/// Returns everything that a line shows.
pub fn signs(text: &str) -> Vec<Sign> {
    let mut out = Vec::new();
    let mut add = |kind, words: &str| {
        out.push(Sign {
            kind,
            words: words.to_owned(),
        });
    };
    let started = unit(text, "Started ", &[".service", ".socket", ".target"]);
    if let Some(name) = started.or_else(|| unit(text, "Listening on ", &[".service", ".socket", ".target"])) {
        add(SignKind::UnitStarted, name);
    }
    if let Some(name) = unit(text, "Starting ", &[".service"]) {
        add(SignKind::UnitStarting, name);
    }
    if let Some(name) = unit(text, "Reached target ", &[".target"]) {
        add(SignKind::TargetReached, name);
    }
    if is_unit_status(text) {
        add(SignKind::UnitStatus, text.trim());
    }
    if let Some(words) = login(text) {
        add(SignKind::LoginPrompt, words);
    }
    if text.contains(ENTER) {
        add(SignKind::EnterPrompt, ENTER);
    }
    if let Some(words) = shell(text) {
        add(SignKind::ShellPrompt, words);
    }
    let line = text.trim_start();
    if line.starts_with("Welcome to ") && text.ends_with('!') {
        add(SignKind::Greeting, "Welcome to");
    }
    if let Some(words) = script(text) {
        add(SignKind::StartScript, words);
    }
    if let Some(kind) = init(text) {
        add(kind, line);
    }
    if trouble::complains(text) {
        add(SignKind::Complaint, line);
    } else if trouble::says_ready(text) {
        add(SignKind::Ready, line);
    }
    if let Some(words) = trouble::http_answer(text) {
        add(SignKind::HttpAnswer, words);
    }
    if let Some(words) = trouble::rescue(text) {
        add(SignKind::Rescue, words);
    }
    if let Some(words) = trouble::question(text) {
        add(SignKind::Question, words);
    }
    if trouble::goes_down(text) {
        add(SignKind::GoesDown, line);
    }
    out
}

/// The parts of a console line that stand glued together where nobody types: a prompt and what a program printed behind
/// it, or a program's words and the prompt behind them.
pub fn parts(text: &str) -> Vec<&str> {
    let behind = behind_prompt(text).unwrap_or(0);
    let (head, rest) = text.split_at(behind);
    let login = login(rest).map(|words| words.as_ptr() as usize - rest.as_ptr() as usize);
    let cut = rest.find(ENTER).or(login).unwrap_or(0);
    let (middle, tail) = rest.split_at(cut);
    [head, middle, tail]
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .collect()
}

/// Where a shell's prompt at the start of a line ends and other words begin: `/ # app: ready`.
fn behind_prompt(text: &str) -> Option<usize> {
    let end = text.find(" # ").or_else(|| text.find(" $ ")).map(|at| at + 2);
    let end = end.or_else(|| text.find("# ").or_else(|| text.find("$ ")).map(|at| at + 1))?;
    (!text[end..].trim().is_empty() && shell(&text[..end]).is_some()).then_some(end + 1)
}

/// The unit that follows some words.
fn unit<'a>(text: &'a str, words: &str, kinds: &[&str]) -> Option<&'a str> {
    text.match_indices(words).find_map(|(at, _)| {
        if text[..at].ends_with(is_word) {
            return None;
        }
        let name = text[at + words.len()..].split_whitespace().next()?;
        if text[at + words.len()..].starts_with(char::is_whitespace) {
            return None;
        }
        let ends = kinds.iter().flat_map(|kind| {
            let found = name.match_indices(kind).map(|(at, kind)| at + kind.len());
            found.filter(|end| *end > kind.len() && !name[*end..].starts_with(is_word))
        });
        ends.max().map(|end| &name[..end])
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// `[  OK  ]` with and without colours, and nine blanks before `Starting` (src/core/manager.c,
/// `manager_status_printf()`).
fn is_unit_status(text: &str) -> bool {
    if text.starts_with("         Starting ") {
        return true;
    }
    let Some((head, tail)) = text.split_once("  OK  ") else {
        return false;
    };
    let closed = tail
        .split(char::is_whitespace)
        .next()
        .is_some_and(|word| word.contains(']'));
    closed && head.contains('[') && !head.contains(char::is_whitespace)
}

/// `poky login:`, and what was typed behind it; other text may stand before it.
fn login(text: &str) -> Option<&str> {
    let text = text.trim();
    let end = text.find(" login:")? + " login:".len();
    let from = text[..end - " login:".len()]
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + 1);
    let at_end = end == text.len() && from + " login:".len() < end;
    (at_end || (from == 0 && is_login(text))).then(|| &text[from..end])
}

/// `/ # `, `~ $ `, `root@host:~# `, and of the last what was typed behind it.
fn shell(text: &str) -> Option<&str> {
    if let Some(at) = text.find(['#', '$']) {
        let prompt = &text[..=at];
        let (user, place) = prompt.split_once('@').unwrap_or_default();
        let typed = text[at + 1..].is_empty() || text[at + 1..].starts_with(' ');
        if typed && !user.is_empty() && place.contains(':') && !prompt.contains(char::is_whitespace) {
            return Some(prompt);
        }
    }
    let line = text.strip_suffix(' ').unwrap_or(text);
    let line = line.strip_suffix(['#', '$'])?;
    let line = line.strip_suffix(' ').unwrap_or(line);
    let place = |at: &str| at.starts_with(['~', '/']);
    let prompt = !line.contains(char::is_whitespace)
        && (place(line) || line.match_indices(':').any(|(at, _)| at > 0 && place(&line[at + 1..])));
    prompt.then(|| text.trim())
}

fn script(text: &str) -> Option<&str> {
    let (head, rest) = text.split_at_checked("Starting ".len())?;
    if !head.eq_ignore_ascii_case("Starting ") {
        return None;
    }
    let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    let name = &rest[..length];
    let known = SCRIPTS.iter().any(|script| name.eq_ignore_ascii_case(script)) || name.eq_ignore_ascii_case("sshd");
    known.then(|| &text[..head.len() + length])
}

/// The first words of inits that start services by scripts (sysvinit src/init.c, OpenRC src/rc.c, runit src/runit.c, s6-rc,
/// finit).
fn init(text: &str) -> Option<SignKind> {
    let line = text.trim_start();
    if line
        .strip_prefix("INIT: version ")
        .is_some_and(|rest| rest.contains(" booting"))
    {
        return Some(SignKind::SystemV);
    }
    if without_colours(line).starts_with("OpenRC ") && line.contains(" is starting up") {
        return Some(SignKind::OpenRc);
    }
    if text.starts_with("- runit: enter stage: /etc/runit/1") || begins_void(without_colours(line)) {
        return Some(SignKind::Runit);
    }
    if text
        .strip_prefix("s6-rc: info: service ")
        .is_some_and(|rest| rest.contains(": starting"))
    {
        return Some(SignKind::S6);
    }
    let version = text.strip_prefix("Finit ")?;
    let word = version.trim_start().trim_start_matches('v');
    word.starts_with(|c: char| c.is_ascii_digit())
        .then_some(SignKind::Finit)
}

/// A line without the colours before its first word.
fn without_colours(mut line: &str) -> &str {
    while let Some(rest) = line.strip_prefix("\u{1b}[") {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != ';')
            .unwrap_or(rest.len());
        let Some(behind) = rest[end..].strip_prefix('m') else {
            break;
        };
        line = behind;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(SignKind, String)> {
        signs(text).into_iter().map(|sign| (sign.kind, sign.words)).collect()
    }

    #[test]
    fn units_and_targets() {
        let line = "[  OK  ] Started dropbear.service - Dropbear SSH.";
        assert_eq!(
            of(line),
            [
                (SignKind::UnitStarted, "dropbear.service".to_owned()),
                (SignKind::UnitStatus, line.to_owned())
            ]
        );
        assert_eq!(of("systemd[1]: Listening on sshd.socket.")[0].1, "sshd.socket");
        assert_eq!(
            of("[  OK  ] Reached target multi-user.target - Multi-User System.")[0],
            (SignKind::TargetReached, "multi-user.target".to_owned())
        );
        assert_eq!(of("         Starting camera.service...")[0].1, "camera.service");
        assert_eq!(of("Restarted x.service"), []);
        assert_eq!(of("Started Session 1 of user root."), []);
    }

    #[test]
    fn prompts() {
        assert_eq!(of("poky login: "), [(SignKind::LoginPrompt, "poky login:".to_owned())]);
        assert_eq!(
            of("poky login: root"),
            [(SignKind::LoginPrompt, "poky login:".to_owned())]
        );
        assert_eq!(
            of("Debian 12 box login: "),
            [(SignKind::LoginPrompt, "box login:".to_owned())]
        );
        assert_eq!(of(" login:"), []);
        assert_eq!(of("pam: failed login: root")[0].0, SignKind::Complaint);
        for prompt in ["/ # ", "~ $", "root@host:~# ", "/ #"] {
            assert_eq!(of(prompt)[0].0, SignKind::ShellPrompt, "{prompt}");
        }
        for text in ["/ # ls", "# ", "a:b#", "cat /etc/x #", "$", ":/#"] {
            assert_eq!(of(text), [], "{text}");
        }
        assert_eq!(
            of("x Please press Enter to activate this console. ")[0].0,
            SignKind::EnterPrompt
        );
    }

    #[test]
    fn what_stands_glued_on_a_line() {
        assert_eq!(parts("/ # app: ready"), ["/ # ", "app: ready"]);
        assert_eq!(parts("root@box:~# app: ready"), ["root@box:~# ", "app: ready"]);
        assert_eq!(parts("app: ready box login: "), ["app: ready ", "box login: "]);
        assert_eq!(
            parts("app: readyPlease press Enter to activate this console. "),
            ["app: ready", "Please press Enter to activate this console. "]
        );
        for text in [
            "/ # ",
            "box login: ",
            "cost: 3 # per day",
            "app: ready",
            "# x",
            "",
            "ä # ö",
        ] {
            assert_eq!(parts(text).concat(), text.to_owned(), "{text}");
            assert!(parts(text).len() < 2, "{text}");
        }
    }

    #[test]
    fn first_words() {
        for (text, kind) in [
            ("INIT: version 2.88 booting", SignKind::SystemV),
            (
                "   \u{1b}[32;01mOpenRC 0.52 is starting up Gentoo Linux",
                SignKind::OpenRc,
            ),
            ("- runit: enter stage: /etc/runit/1", SignKind::Runit),
            ("s6-rc: info: service mdevd: starting", SignKind::S6),
            ("Finit v4.7", SignKind::Finit),
            ("Welcome to Buildroot!", SignKind::Greeting),
            ("Starting syslogd: OK", SignKind::StartScript),
        ] {
            assert_eq!(of(text).iter().map(|sign| sign.0).collect::<Vec<_>>(), [kind], "{text}");
        }
        assert_eq!(of("Starting syslogdx"), []);
        assert_eq!(of("Starting ünits"), []);
    }
}

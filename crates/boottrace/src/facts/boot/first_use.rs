// SPDX-License-Identifier: MIT
//! The first prompt of a system that somebody can use, and when it came.

use super::axis::Axis;
use crate::log::boot_log::{BootLog, BootStart};
use crate::log::breaks::printing_command;
use crate::log::clock::Clock;
use crate::log::hints::is_login;
use crate::log::line::{HostSource, Line, LineKind};

/// The first prompt in the user-space part of a boot. A prompt with a name wins over a lone `#`, which may be the echo
/// of what a test tool typed.
pub(super) fn first_prompt<'a>(boot: &BootLog, user: &'a [Line]) -> Option<&'a Line> {
    let spoken = || {
        user.iter().filter(|l| {
            matches!(l.kind, LineKind::User | LineKind::Kernel) && !l.has_kernel_prefix() && l.process.is_none()
        })
    };
    let tested = || {
        boot.lines
            .iter()
            .any(|l| matches!(l.kind, LineKind::Harness | LineKind::Typed))
    };
    // The status of the command before: somebody had used the shell already, and when that began is not shown.
    // A piece that begins with the command which prints it: somebody is at work, and no start ended there.
    let at_work = |l: &Line| boot.start == BootStart::MiddleOfLog && printing_command(&l.text).is_some();
    let prompt = spoken().find(|l| is_prompt(&l.text) && !at_work(l));
    if prompt.is_some_and(|l| shows_a_status(&l.text)) {
        return None;
    }
    prompt.or_else(|| {
        spoken()
            .find(|l| matches!(l.text.trim(), "#" | "$"))
            .filter(|line| !tested() && !init_goes_on(user, line.number))
    })
}

/// Android's own word for it: the property that its activity manager sets when it can be used
/// (`frameworks/base/services/core/java/com/android/server/am/ActivityManagerService.java`).
pub(super) fn boot_completed(user: &[Line]) -> Option<&Line> {
    // Where systemd is init, Android runs in a container, when somebody asks for it.
    let contained = user
        .iter()
        .any(|line| line.text.trim_start().starts_with("systemd[1]: "));
    user.iter().filter(|_| !contained).find(|line| {
        let text = line.text.trim_start();
        let said = match line.process.as_deref() {
            Some("init") => Some(text),
            _ => text.strip_prefix("init: "),
        };
        said.is_some_and(|said| said.starts_with("processing action ") && said.contains("sys.boot_completed=1"))
    })
}

/// `130|shell@board:/ $ `: mksh shows the status of a command that failed.
fn shows_a_status(text: &str) -> bool {
    text.trim_start().split_once('|').is_some_and(|(status, _)| {
        !status.is_empty() && status.bytes().all(|b| b.is_ascii_digit()) && status.bytes().any(|b| b != b'0')
    })
}

/// Does init itself fail behind a lone `#`? Then no shell had been there: tools send `#` to see whether one answers.
fn init_goes_on(user: &[Line], from: u32) -> bool {
    let behind = user.iter().skip_while(|line| line.number <= from);
    behind
        .into_iter()
        .any(|line| line.text.contains("Attempted to kill init!"))
}

/// When a prompt came, and whether it may have come earlier. A prompt ends no line: what stands behind it on the line was
/// printed later, and tools that stamp whole lines do so when somebody has typed something.
pub(super) fn prompt_time(boot: &BootLog, line: &Line, axis: &Axis) -> Option<(i64, Clock, bool)> {
    let (ns, clock) = axis.at(line)?;
    let whole_lines = line.host_source == Some(HostSource::Lava);
    let at = boot.lines.partition_point(|l| l.number < line.number);
    let same_line = boot.lines[at..].iter().take_while(|l| l.number == line.number);
    let behind = same_line
        .skip_while(|l| !std::ptr::eq(*l, line))
        .filter_map(|l| axis.place(Clock::Printk, l.printk_ns?))
        .min();
    Some(match behind.filter(|behind| *behind < ns) {
        Some(behind) => (behind, Clock::Printk, true),
        None => (ns, clock, whole_lines),
    })
}

/// Is the text a prompt that waits for somebody?
pub fn is_prompt(text: &str) -> bool {
    let text = text.trim();
    is_login(text)
        || text.starts_with("Please press Enter to activate this console")
        || text.starts_with("Press ENTER to get started")
        || text.starts_with("/ # ")
        || text.starts_with("/# ")
        || matches!(text, "/ #" | "/ $" | "~ #" | "/#")
        || is_shell_prompt(text)
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

/// `root@board:~# `, `shell@rk3368_box:/ $ ` after the exit status of the command before (`130|`), `console:/ $ `,
/// `[root@buildroot ~]# `, `[root@milkv-duo]~# `.
fn is_shell_prompt(text: &str) -> bool {
    let text = match text.split_once('|') {
        Some((status, rest)) if !status.is_empty() && status.bytes().all(|b| b.is_ascii_digit()) => rest,
        _ => text,
    };
    let both = |who: &str| {
        who.split_once('@')
            .is_some_and(|(user, host)| is_name(user) && is_name(host))
    };
    if let Some((who, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        let path = rest.find(['#', '$']).map(|end| &rest[..end]);
        if both(who) && path.is_some_and(|path| path.starts_with(['~', '/']) && !path.contains(' ')) {
            return true;
        }
    }
    if let Some((who, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(' ')) {
        let named = both(who);
        let path = rest.split_once(']').map(|(path, behind)| (path, behind.trim_start()));
        return named && path.is_some_and(|(path, behind)| !path.contains(' ') && behind.starts_with(['#', '$']));
    }
    let Some((who, rest)) = text.split_once(':') else {
        return false;
    };
    let known = match who.split_once('@') {
        Some((user, host)) => is_name(user) && (is_name(host) || host == "(none)"),
        None => matches!(who, "console" | "generic"),
    };
    let Some(end) = rest.find(['#', '$']).filter(|_| known) else {
        return false;
    };
    let path = rest[..end].trim_end();
    let behind = &rest[end + 1..];
    (path.starts_with('/') || path.starts_with('~'))
        && !path.contains(char::is_whitespace)
        && (behind.is_empty() || behind.starts_with(' '))
}

/// Was this printed later behind a prompt that stood on its line: `box login: [   28.349191] frob: ready`?
pub(crate) fn is_behind_a_prompt(boot: &BootLog, at: usize, first_use: Option<u32>) -> bool {
    let number = boot.lines[at].number;
    first_use == Some(number) && at > 0 && boot.lines[at - 1].number == number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_of_shells() {
        for prompt in [
            "shell@rk3368_box:/ $ ",
            "130|shell@rk3368_box:/ $ ^D",
            "root@qemux86-64:~# ",
            "root@imx6qsabresd:/# ls",
            "root@generic:/data/local # ",
            "root@(none):/# ",
            "[root@buildroot ~]# ",
            "[root@milkv-duo]~# uname -a",
            "/# boot",
            "console:/ $ ",
            "poky login:",
            "fvp-base login: root",
            "beaglebone login",
            "(none) login: ",
            "/ # ",
        ] {
            assert!(is_prompt(prompt), "{prompt}");
        }
        for text in [
            "user@host: no such file",
            "mail root@board: #1 failed",
            "init: /sbin # not found",
            "clk:/soc/clk $Id",
            "a b@c:/ # ",
            "usb@1:/#x",
            "root@board:relative $ ",
            "Started User Login Management of the login",
            "sshd: Failed password for invalid user login: from",
            "[ 12.3] x",
            "#",
        ] {
            assert!(!is_prompt(text), "{text}");
        }
    }
}

// SPDX-License-Identifier: MIT
//! Words of user space by which a quiet console is no sign of success: complaints, questions, rescue shells, an end.

/// What a line says went wrong, or is about to end: no such line shows that a system can be used.
pub fn complains(text: &str) -> bool {
    let low = text.to_ascii_lowercase();
    WRONG.iter().any(|words| begins_word(&low, words)) || low.contains("[failed]") || low.contains("[depend]")
}

/// The words of a shell or a notice that a system shows when it could not start.
///
/// Texts: initramfs-tools `scripts/functions` (`panic()`), klibc's and BusyBox's prompt there, dracut
/// `modules.d/*/dracut-lib.sh` (`emergency_shell`), systemd `units/emergency.service.in`, `src/sulogin-shell`, mkinitcpio
/// `init_functions` (`launch_interactive_shell`), Alpine's `initramfs-init`, NixOS `stage-1-init.sh`, genkernel, live-boot.
pub fn rescue(text: &str) -> Option<&str> {
    const WORDS: [&str; 23] = [
        "(initramfs)",
        "dracut:/#",
        "switch_root:/#",
        "initqueue:/#",
        "rdemergency",
        "You are in emergency mode",
        "You are in rescue mode",
        "Entering emergency mode",
        "Generating \"/run/initramfs/rdsosreport.txt\"",
        "Cannot open access to console, the root account is locked",
        "emergency shell",
        "rescue shell",
        "recovery shell",
        "Dropping to a shell",
        "Dropping you to a shell",
        "dropping to debug shell",
        "dropped into a shell",
        "Spawning shell within the initramfs",
        "An error occurred in stage 1 of the boot process",
        "Gave up waiting for root",
        "No root device specified",
        "Unable to find a medium containing a live file system",
        "Give root password for maintenance",
    ];
    let found = WORDS
        .iter()
        .find_map(|words| text.find(words).map(|at| &text[at..at + words.len()]));
    found.or_else(|| maintenance(text))
}

/// util-linux's and BusyBox's `sulogin`.
fn maintenance(text: &str) -> Option<&str> {
    let low = text.trim_start();
    (low.starts_with("Press Enter for maintenance") || low.starts_with("Press enter for maintenance"))
        .then(|| &low[.."Press Enter for maintenance".len()])
}

/// A question that a person must answer before the start goes on; no login.
///
/// Texts: cryptsetup-initramfs, systemd `src/ask-password`, e2fsck, systemd `src/firstboot`, keymap and installer menus.
pub fn question(text: &str) -> Option<&str> {
    const WORDS: [&str; 12] = [
        "Please unlock disk",
        "Enter passphrase for",
        "Enter passphrase:",
        "Please enter passphrase",
        "Please enter recovery key",
        "Please enter LUKS2 token PIN",
        "Press any key to proceed",
        "Press any key to continue",
        "Press Enter to continue",
        "Control-D to continue",
        "(y/n)?",
        "<y>?",
    ];
    WORDS
        .iter()
        .find_map(|words| text.find(words).map(|at| &text[at..at + words.len()]))
}

/// A server's answer or its record of one, with a status that means success: `"GET / HTTP/1.1" 200`, `HTTP/1.1 200 OK`.
pub fn http_answer(text: &str) -> Option<&str> {
    text.match_indices("HTTP/").find_map(|(at, _)| {
        let rest = &text[at + "HTTP/".len()..];
        let version = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let behind = rest[version..].trim_start_matches(['"', '\'', ' ', ':']);
        let status = behind.split(|c: char| !c.is_ascii_digit()).next()?;
        let told = version > 0 && version + behind.len() < rest.len();
        let end = text.len() - behind.len() + status.len();
        (told && status.len() == 3 && status.starts_with('2')).then(|| &text[at..end])
    })
}

/// Words by which programs say that they can be used now.
pub fn says_ready(text: &str) -> bool {
    const WORDS: [&str; 13] = [
        "ready",
        "listening on",
        "listening at",
        "listening for",
        "now listening",
        "serving ",
        "server is running",
        "server running",
        "server started",
        "accepting connections",
        "up and running",
        "waiting for connections",
        "start worker process",
    ];
    let low = text.to_ascii_lowercase();
    let denied = [
        "not ready",
        "n't ready",
        "until ready",
        "be ready",
        "get ready",
        "getting ready",
    ];
    let says = WORDS.iter().any(|words| begins_word(&low, words));
    says && !low.contains("already") && !denied.iter().any(|words| low.contains(words))
}

/// What reports of failure hold, and what a system says when it goes down (BusyBox `init/init.c`, sysvinit, systemd).
const WRONG: [&str; 62] = [
    "abort",
    "alert!",
    "bad ",
    "broken",
    "can not",
    "can't",
    "cannot",
    "corrupt",
    "could not",
    "couldn't",
    "crash",
    "denied",
    "deprecated",
    "disabled",
    "does not exist",
    "doesn't exist",
    "emergency",
    "err:",
    "error",
    "exception",
    "fail",
    "fatal",
    "giving up",
    "gave up",
    "ignor",
    "illegal",
    "inappropriate",
    "incorrect",
    "insecure",
    "interrupted",
    "invalid",
    "killed",
    "missing",
    "mismatch",
    "no such",
    "no space",
    "not a ",
    "not allowed",
    "not available",
    "not configured",
    "not enabled",
    "not exist",
    "not found",
    "not permitted",
    "not running",
    "not supported",
    "out of memory",
    "panic",
    "read-only file system",
    "refused",
    "retry",
    "segmentation",
    "skew",
    "skipp",
    "timed out",
    "timeout",
    "traceback",
    "unable",
    "unknown",
    "unsupported",
    "usage:",
    "warn",
];

/// What a system says when it goes down (BusyBox `init/init.c`, sysvinit `src/shutdown.c`, systemd).
pub fn goes_down(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "The system is going down",
        "Requesting system",
        "Sent SIGTERM",
        "Sent SIGKILL",
        "Sending SIGTERM",
        "Sending SIGKILL",
        "Sending all processes",
        "Rebooting",
        "Restarting system",
        "Powering off",
        "Power down",
        "System halted",
    ];
    WORDS.iter().any(|words| text.contains(words))
}

/// Tells whether some words begin in a text, not in the middle of one of its words.
fn begins_word(text: &str, words: &str) -> bool {
    text.match_indices(words)
        .any(|(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_no_success() {
        for text in [
            "hwclock: clock skew detected",
            "/etc/init.d/rcS: line 3: can't open '/dev/null'",
            "mount: mounting /dev/sda2 on /mnt failed: No such device",
            "WARNING: Device /dev/vdb not initialized",
            "ash: missing ]",
            "fsck: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY. exited with status code 4, error",
            "dhcpcd: eth0: timed out",
            "[FAILED] Failed to start nginx.service",
            "udhcpc: sendto: Network is down, giving up",
        ] {
            assert!(complains(text), "{text}");
        }
        for text in [
            "panel: ready",
            "Starting terrorist-detector: OK",
            "box login: ",
            "Welcome to Forewarned Linux!",
        ] {
            assert!(!complains(text), "{text}");
        }
    }

    #[test]
    fn shells_of_systems_that_could_not_start() {
        for text in [
            "(initramfs) ",
            "dracut:/# ",
            "ALERT!  UUID=1 does not exist.  Dropping to a shell!",
            "You are in emergency mode. After logging in, type \"journalctl -xb\"",
            "initramfs emergency recovery shell launched. Type 'exit' to continue boot",
            "Press Enter for maintenance",
        ] {
            assert!(rescue(text).is_some(), "{text}");
        }
        // A first program may end in a shell on purpose.
        assert_eq!(rescue("sh: can't access tty; job control turned off"), None);
        assert_eq!(rescue("Please press Enter to activate this console."), None);
        assert_eq!(rescue("Press the [f] key and hit [enter] to enter failsafe mode"), None);
    }

    #[test]
    fn questions() {
        assert_eq!(question("Please unlock disk root_crypt: "), Some("Please unlock disk"));
        assert_eq!(question("Clear orphaned inode 17 (y/n)? "), Some("(y/n)?"));
        assert_eq!(question("Please press Enter to activate this console."), None);
    }

    #[test]
    fn answers_of_servers() {
        for text in ["HTTP/1.1 200 OK", "10.0.2.2 - \"GET / HTTP/1.1\" 200 5", "HTTP/2 204"] {
            assert!(http_answer(text).is_some(), "{text}");
        }
        for text in [
            "HTTP/1.1 404 Not Found",
            "HTTP/1.1",
            "speaks HTTP/1.1",
            "HTTP/",
            "HTTP/1.1 20",
            "HTTP/200",
        ] {
            assert_eq!(http_answer(text), None, "{text}");
        }
    }

    #[test]
    fn words_of_readiness() {
        for text in [
            "panel: ready",
            "nginx: Listening on port 80",
            "INFO: server started in 3 s",
        ] {
            assert!(says_ready(text), "{text}");
        }
        for text in ["not ready", "already mounted", "waits to be ready", "a spready thing"] {
            assert!(!says_ready(text), "{text}");
        }
    }
}

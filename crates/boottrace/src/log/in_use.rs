// SPDX-License-Identifier: MIT
//! Lines of a system that somebody uses, or that serves others: its boot is over.

use super::line::Line;

/// Is somebody at work on the system here, or is it there for others?
pub fn is_in_use(line: &Line) -> bool {
    const SAID: [&str; 5] = [
        "New session ",
        "Started Session ",
        "Accepted password",
        "Accepted publickey",
        "session opened for user ",
    ];
    let text = line.text.trim_start();
    let process = line.process.as_deref();
    // Somebody types a password at a greeter or a console.
    let typed = matches!(process, Some("lightdm" | "login" | "gdm" | "sddm-helper" | "kdm"))
        && text.contains("authentication failure; ");
    typed
        || text.starts_with("sysrq: ")
        || text.starts_with("SysRq : ")
        // Who comes in has a journal of his own, and the kernel's audit tells of his password.
        || (text.starts_with("systemd-journald[") && text.contains("/user-"))
        || (text.starts_with("audit: ") && text.contains("op=PAM:authentication"))
        || logs_in(text)
        || is_a_touch(text)
        || SAID.iter().any(|said| text.starts_with(said))
        || matches!(process, Some("sudo" | "su"))
        || process.map_or_else(|| serves_as_text(text), |name| serves(name, text))
        || ends_a_start(line)
}

/// Is somebody at work, or may be: the desktop of a session is there, or somebody has logged in over the network? Whatever the
/// system still starts, what is silent then is the session.
pub fn is_at_work(line: &Line) -> bool {
    const DESKTOP: [&str; 2] = [
        "Reached target Current graphical user session",
        "Reached target graphical-session.target",
    ];
    let text = line.text.trim_start();
    match line.process.as_deref() {
        Some("systemd") => DESKTOP.iter().any(|words| text.starts_with(words)),
        Some("sshd" | "sshd-session") => {
            text.starts_with("Accepted password ") || text.starts_with("Accepted publickey ")
        }
        _ => false,
    }
}

/// Is the start over by the system's own words: the desktop is there, or Android's?
pub fn ends_a_start(line: &Line) -> bool {
    let text = line.text.trim_start();
    // GNOME's daemon of the desktop takes the keys of radios over (net/rfkill/input.c).
    text.starts_with("rfkill: input handler disabled") || is_androids(text)
}

/// Does the kernel's audit give a session to a user of the machine (AUDIT_LOGIN, kernel/audit.c)? Greeters and daemons have
/// lower numbers than the first that a person gets.
fn logs_in(text: &str) -> bool {
    const FIRST_OF_PERSONS: u32 = 1000;
    const UNSET: u32 = u32::MAX;
    let Some((_, said)) = text
        .strip_prefix("audit: type=1006 ")
        .and_then(|said| said.split_once(" auid="))
    else {
        return false;
    };
    let digits = said.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
    digits
        .parse()
        .is_ok_and(|user: u32| (FIRST_OF_PERSONS..UNSET).contains(&user) && user != 65_534)
}

/// A finger on the screen, as drivers of touchscreens report it: FocalTech's, Samsung's.
fn is_a_touch(text: &str) -> bool {
    let focaltech = text.contains("fts_input_report") && text.ends_with("DOWN!");
    let samsung = text.contains("[P] tID:") && (text.contains("sec_ts") || text.contains("[sec_input]"));
    focaltech || samsung
}

/// A client joins the access point, or gets an address from it (hostapd, dnsmasq, ISC's dhcpd, BusyBox' udhcpd).
fn serves(name: &str, text: &str) -> bool {
    match name {
        "hostapd" => text.contains(": STA ") && text.ends_with(": associated"),
        "dnsmasq-dhcp" => text.starts_with("DHCPACK("),
        "dhcpd" => text.starts_with("DHCPACK on "),
        "udhcpd" => text.contains("ending ACK to "),
        _ => false,
    }
}

/// The same, where a console shows the name in the line.
fn serves_as_text(text: &str) -> bool {
    text.strip_prefix("hostapd: ")
        .is_some_and(|said| serves("hostapd", said))
}

/// Android's own words that its start is over (frameworks/native/services/surfaceflinger/SurfaceFlinger.cpp), and what its init
/// does then (system/core/rootdir/init.rc).
fn is_androids(text: &str) -> bool {
    const DONE: [&str; 2] = [
        "processing action (service.bootanim.exit=1)",
        "processing action (sys.boot_completed=1",
    ];
    let done = text
        .strip_prefix("init: ")
        .is_some_and(|acts| DONE.iter().any(|done| acts.starts_with(done)));
    done || text.contains(" name:service.bootanim.exit")
        || text.split_once("Boot is finished (").is_some_and(|(_, rest)| {
            rest.split_once(" ms)")
                .is_some_and(|(ms, _)| ms.bytes().all(|b| b.is_ascii_digit()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(process: Option<&str>, text: &str) -> Line {
        Line {
            process: process.map(str::to_owned),
            ..Line::plain(1, 0, text.to_owned())
        }
    }

    #[test]
    fn who_uses_a_system() {
        for (process, text) in [
            (Some("systemd-logind"), "New session 3 of user frob."),
            (Some("sshd"), "Accepted publickey for frob from 192.0.2.1 port 9"),
            (Some("hostapd"), "wlan7: STA 02:00:00:00:00:01 IEEE 802.11: associated"),
            (Some("dnsmasq-dhcp"), "DHCPACK(wlan7) 192.0.2.9 02:00:00:00:00:01"),
            (Some("dhcpd"), "DHCPACK on 192.0.2.9 to 02:00:00:00:00:01 via eth7"),
            (Some("udhcpd"), "Sending ACK to 192.0.2.9"),
            (
                None,
                "07-07 07:07:07.000   7    7 I SurfaceFlinger: Boot is finished (7654 ms)",
            ),
            (None, "rfkill: input handler disabled"),
            (
                None,
                "audit: type=1006 audit(7.7:7): pid=7 uid=0 old-auid=4294967295 auid=1000 tty=tty1 ses=1 res=1",
            ),
            (None, "sysrq: HELP : loglevel(0-9)"),
            (None, "[FTS_TS]fts_input_report_b:[B]P0[p:7,tm:7] DOWN!"),
            (None, "[sec_input] sec_ts: [P] tID:0.7 x:77 y:77"),
            (
                None,
                "systemd-journald[7]: File /var/log/journal/0/user-1000.journal corrupted",
            ),
            (
                None,
                "audit: type=1100 audit(7.7:7): pid=7 msg='op=PAM:authentication acct=\"frob\"'",
            ),
            (
                None,
                "init: processing action (service.bootanim.exit=1) from (/init.rc:7)",
            ),
        ] {
            assert!(is_in_use(&line(process, text)), "{text}");
        }
        for (process, text) in [
            (Some("dhclient"), "DHCPACK of 192.0.2.9 from 192.0.2.1"),
            (Some("hostapd"), "wlan7: interface state UNINITIALIZED->ENABLED"),
            (Some("CRON"), "pam_unix(cron:session): session opened for user root"),
            (None, "rfkill: input handler enabled"),
            (
                None,
                "audit: type=1006 audit(7.7:7): pid=7 uid=0 old-auid=4294967295 auid=120 tty=(none) ses=1 res=1",
            ),
            (None, "Boot is finished"),
            (None, "[FTS_TS]fts_input_report_b:[B]P0 UP!"),
        ] {
            assert!(!is_in_use(&line(process, text)), "{text}");
        }
    }
}

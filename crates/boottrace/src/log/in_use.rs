// SPDX-License-Identifier: MIT
//! Lines of a system that somebody uses, or that serves others: its boot is over.

use super::line::Line;

/// Is somebody at work on the system here, or is it there for others?
pub fn is_in_use(line: &Line) -> bool {
    const SAID: [&str; 6] = [
        "New session ",
        "Started Session ",
        "Accepted password",
        "Accepted publickey",
        "session opened for user ",
        // GNOME's daemon of the desktop takes the keys of radios over (net/rfkill/input.c).
        "rfkill: input handler disabled",
    ];
    let text = line.text.trim_start();
    let process = line.process.as_deref();
    // Somebody types a password at a greeter or a console.
    let typed = matches!(process, Some("lightdm" | "login" | "gdm" | "sddm-helper" | "kdm"))
        && text.contains("authentication failure; ");
    typed
        || SAID.iter().any(|said| text.starts_with(said))
        || matches!(process, Some("sudo" | "su"))
        || process.map_or_else(|| serves_as_text(text), |name| serves(name, text))
        || is_androids(text)
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

/// Android's own words that its start is over (frameworks/native/services/surfaceflinger/SurfaceFlinger.cpp).
fn is_androids(text: &str) -> bool {
    text.split_once("Boot is finished (").is_some_and(|(_, rest)| {
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
        ] {
            assert!(is_in_use(&line(process, text)), "{text}");
        }
        for (process, text) in [
            (Some("dhclient"), "DHCPACK of 192.0.2.9 from 192.0.2.1"),
            (Some("hostapd"), "wlan7: interface state UNINITIALIZED->ENABLED"),
            (Some("CRON"), "pam_unix(cron:session): session opened for user root"),
            (None, "rfkill: input handler enabled"),
            (None, "Boot is finished"),
        ] {
            assert!(!is_in_use(&line(process, text)), "{text}");
        }
    }
}

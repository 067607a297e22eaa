// SPDX-License-Identifier: MIT
//! The table of causes: a silence is named by the line that ends it, or by the one that it follows.

mod cause;
mod kernel;
mod network;
mod storage;
mod user_space;

pub(super) use cause::{ata_port, before_colon, firmware_file, holds, Words};
pub(crate) use cause::{Cause, Named};

use super::kind::CostKind;
use super::sayings::{saying, Saying};
use super::settings::sets_a_time;
use crate::text::shorten::shorten;

/// All rows; the first that fits names a silence.
const TABLES: [&[Cause]; 4] = [storage::CAUSES, kernel::CAUSES, network::CAUSES, user_space::CAUSES];

/// The cause that the lines around a silence name. `goes_on`: others print at once behind its end.
pub(crate) fn named<'a>(after: &'a str, before: &'a str, goes_on: bool) -> Option<Named<'a>> {
    first_of(&TABLES, after, before, goes_on)
}

/// The same, where nothing is said but that somebody waited too long.
pub(crate) fn timed_out<'a>(after: &'a str, before: &'a str) -> Option<Named<'a>> {
    // The line ends a wait. What is silent behind it is another, unless the same one speaks again.
    let who = |text: &'a str| text.trim().split(' ').next().unwrap_or("");
    first_of(&[kernel::TIMEOUTS], after, before, true)
        .filter(|found| !sets_a_time(&found.line.to_ascii_lowercase()))
        .map(told_by_a_program)
        .filter(|found| found.line == before.trim() || who(after) == who(before))
        .or_else(|| spoken_of(after, before))
}

/// A program that gives up is not who was silent: its words tell, where they do, who that is.
fn told_by_a_program(mut found: Named<'_>) -> Named<'_> {
    let number = found
        .subject
        .split_once('[')
        .and_then(|(_, rest)| rest.strip_suffix(']'));
    if number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit())) {
        let said = found.line.split_once(": ").map_or("", |(_, said)| said);
        found.subject = format!("`{}`", shorten(said.trim()));
    }
    found
}

/// What the lines say of a wait in anybody's words: that it began before the silence, or that it was in vain.
fn spoken_of<'a>(after: &'a str, before: &'a str) -> Option<Named<'a>> {
    let (after, before) = (after.trim(), before.trim());
    let ended = matches!(saying(before), Some(Saying::NoAnswer)).then_some((&SPOKEN[0], before));
    let goes_on = !after.starts_with("Done ") && matches!(saying(after), Some(Saying::Waited | Saying::Retried));
    let begun = || goes_on.then_some((&SPOKEN[1], after));
    let (cause, line) = ended.or_else(begun)?;
    Some(Named {
        cause,
        subject: shorten(line),
        line,
        sure: true,
        by_its_end: false,
    })
}

/// A line without a stamp that stands in a silence, and says what is waited for.
pub(crate) fn meanwhile(line: &str) -> Option<Named<'_>> {
    let line = line.trim();
    if line.starts_with("Press the [f] key ") {
        return Some(Named {
            cause: &FAILSAFE,
            subject: String::new(),
            line,
            sure: true,
            by_its_end: false,
        });
    }
    let told = saying(line).filter(|told| !matches!(told, Saying::Failed | Saying::Repeated))?;
    let cause = if told == Saying::Waited { &SPOKEN[2] } else { &SPOKEN[3] };
    Some(Named {
        cause,
        subject: shorten(line),
        line,
        sure: true,
        by_its_end: false,
    })
}

/// The words around a silence that speak of it.
const SPOKEN_ADVICE: &str =
    "the line says who waits, or for whom: see why it does not come, and whether it is needed before the goal";
static SPOKEN: [Cause; 4] = [
    Cause::spoken(
        "nothing is printed before a line that speaks of a wait: `{}`",
        SPOKEN_ADVICE,
    ),
    Cause::spoken(
        "nothing is printed behind a line that speaks of a wait: `{}`",
        SPOKEN_ADVICE,
    ),
    Cause::spoken("meanwhile a line says what is waited for: `{}`", SPOKEN_ADVICE),
    Cause::spoken(
        "meanwhile a line says that something does not go on: `{}`",
        SPOKEN_ADVICE,
    ),
];

/// OpenWrt asks for a key before it mounts its root (package/base-files/files/lib/preinit/30_failsafe_wait).
static FAILSAFE: Cause = Cause::spoken(
    "OpenWrt waits for the key of its failsafe mode",
    "build the image with a shorter wait, or without one (Preinit configuration options: TARGET_PREINIT_TIMEOUT)",
);

/// A controller that gives up on the device of which the line before the silence speaks: the wait is that device's.
pub(crate) fn of_controller<'a>(after: &'a str, before: &'a str) -> Option<Named<'a>> {
    let (after, before) = (after.trim(), before.trim());
    let gives_up = before.starts_with("xhci_hcd ") && (before.contains("imeout") || before.contains("imed out"));
    let cause = kernel::CAUSES.iter().find(|cause| cause.kind == CostKind::UsbError)?;
    let subject = cause::before_colon(after);
    (gives_up && subject.starts_with("usb ")).then(|| Named {
        cause,
        subject: subject.to_owned(),
        line: after,
        sure: true,
        by_its_end: false,
    })
}

fn first_of<'a>(tables: &[&'static [Cause]], after: &'a str, before: &'a str, goes_on: bool) -> Option<Named<'a>> {
    // A record of AppArmor's names the program that a profile is for: that program does nothing here.
    let profile = |text: &str| text.contains("apparmor=\"") || text.contains("operation=\"profile_");
    let said = |text: &'a str| if profile(text) { "" } else { text.trim() };
    let mut rows = tables.iter().flat_map(|table| table.iter());
    rows.find_map(|cause| cause.named(said(after), said(before), goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_no_timeout() {
        assert!(timed_out("frob 1-1: begins", "frob 1-1: handshake with timeout = 0").is_none());
        assert!(timed_out("frob 1-1: begins", "frob 1-1: watchdog timeout: 60 sec").is_none());
        assert!(timed_out("x", "Watchdog running with a hardware timeout of 30s.").is_none());
        assert!(timed_out("x", "frob 0000:04:00.0: AER:    [12] Timeout").is_none());
        assert!(timed_out("frob 1-1: begins", "frob 1-1: handshake timeout").is_some());
    }

    #[test]
    fn a_profile_of_a_program_is_not_the_program() {
        let profile =
            "audit: type=1400 audit(7.7:7): apparmor=\"STATUS\" operation=\"profile_load\" name=\"/sbin/dhclient\"";
        assert!(named("frob: up", profile, true).is_none() && named(profile, "frob: up", true).is_none());
        // Older kernels say so without its name.
        let profile = "type=1505 audit(7.7:7):  operation=\"profile_load\" pid=7 name=\"/sbin/dhclient7\"";
        assert!(named("frob: up", profile, true).is_none());
        assert!(named("frob: up", "dhclient: DHCPDISCOVER on eth7", true).is_some());
    }

    #[test]
    fn a_line_in_a_silence_names_its_wait() {
        let told = |line: &str| meanwhile(line).map(|found| (found.title(), found.tells_of_a_wait()));
        let (title, waits) = told("Waiting for the quux...").unwrap();
        assert!(waits && title.contains("what is waited for"), "{title}");
        let (title, waits) = told("Press the [f] key and hit [enter] to enter failsafe mode").unwrap();
        assert!(waits && title.contains("failsafe"), "{title}");
        assert!(!told("frob 7: transfer timed out").unwrap().1);
        assert!(told("frob 7: up").is_none());
    }

    #[test]
    fn who_gives_up_is_not_who_is_silent() {
        let found = timed_out("frobd begins", "systemd[1]: quux@a.service: Start operation timed out.").unwrap();
        assert_eq!(found.subject, "`quux@a.service: Start operation timed out.`");
        // What began before it was somebody else's.
        let line = "systemd[1]: quux@a.service: Start operation timed out.";
        assert_eq!(found.title(), format!("nothing is printed before `{line}`"));
    }
}

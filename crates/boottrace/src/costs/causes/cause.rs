// SPDX-License-Identifier: MIT
//! One row of the table of causes, and how it is recognised.

use crate::costs::kind::CostKind;
use crate::text::shorten::shorten;

/// Texts that a line must hold, in this order. A first text that begins with `^` must stand at the line's start.
pub(in crate::costs) type Words = &'static [&'static str];

/// Which of the two lines around a silence names its cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    /// The line that ends it.
    End,
    /// The line that it follows.
    Begin,
    /// One of the two.
    Either,
    /// The line that ends it; or the line that it follows, where the same one speaks again.
    Own,
}

/// What a silence is, told by the lines around it.
pub(crate) struct Cause {
    /// The kind of cost.
    pub kind: CostKind,
    pub(super) at: At,
    /// Any of them will do.
    pub(super) words: &'static [Words],
    /// Who it is about, taken from the line: silences of one subject are one cost. "" where it is about nobody.
    pub(super) subject: fn(&str) -> &str,
    /// The line comes by itself, whoever waits for it: it names a cause only where others go on at once behind it.
    pub(super) asynchronous: bool,
    /// What takes the time; `{}` is the subject.
    pub(super) title: &'static str,
    /// What to do.
    pub advice: &'static str,
}

/// A cause that was recognised, and the line that says so.
pub(crate) struct Named<'a> {
    pub cause: &'static Cause,
    pub subject: String,
    pub line: &'a str,
    /// The lines around the silence carry the row's title: both speak of its subject, or the first says that it begins.
    pub sure: bool,
    /// Only the last of them does, by what it is: where lines may be left out, that is not enough.
    pub by_its_end: bool,
}

impl Named<'_> {
    /// Does a line without a stamp say what is waited for?
    pub fn tells_of_a_wait(&self) -> bool {
        self.cause.title.contains(" what is waited for") || self.cause.title.contains(" waits for the key")
    }

    /// What takes the time, with the subject's name. A line that only ends a silence says nothing of who was silent.
    pub fn title(&self) -> String {
        if !self.sure {
            return format!("nothing is printed before `{}`", shorten(self.line.trim()));
        }
        let title = self.cause.title.replace("{}", &self.subject);
        // About nobody: no hole stays.
        if self.subject.is_empty() {
            title.replace("  ", " ")
        } else {
            title
        }
    }
}

impl Cause {
    /// A cause that no row knows, told by a line's own words.
    pub(super) const fn spoken(title: &'static str, advice: &'static str) -> Self {
        Self {
            kind: CostKind::DeviceTimeout,
            at: At::Either,
            words: &[],
            subject: nobody,
            asynchronous: false,
            title,
            advice,
        }
    }

    /// The line among the two around a silence that names this cause. `goes_on`: others print at once behind its end.
    pub(super) fn named<'a>(&'static self, after: &'a str, before: &'a str, goes_on: bool) -> Option<Named<'a>> {
        let told = |text: &str| !is_no_event(text) && self.words.iter().any(|words| holds(text, words));
        let by_itself = || self.asynchronous && (!goes_on || still_waits(after));
        // What says that it begins tells of no time before it.
        let ended = || told(before) && !before.contains(": Starting recovery");
        let end = || (self.at != At::Begin && ended() && !by_itself()).then_some(before);
        let begins = || match self.at {
            At::End => false,
            At::Own => same_speaker(after, before),
            At::Begin | At::Either => true,
        };
        let begin = || (begins() && !is_over(after) && told(after)).then_some(after);
        let (line, other, ends) = end()
            .map(|line| (line, after, true))
            .or_else(|| Some((begin()?, before, false)))?;
        // init had spoken before, unless it was the initramfs's.
        let spoke = after.contains("systemd[") && !after.contains("witching root");
        if self.kind == CostKind::InitStart && spoke {
            return None;
        }
        let subject = on_port((self.subject)(line));
        let related = is_related(self.kind, &subject, line, other) || (subject.is_empty() && told(other));
        let sure = related
            || if ends {
                self.tells_itself()
            } else {
                self.at == At::Begin || announces(line)
            };
        // What stands behind a word of trouble is another's time, unless the same one speaks again.
        (sure || ends).then_some(Named {
            cause: self,
            subject,
            line,
            sure,
            by_its_end: ends && !related,
        })
    }

    /// Does the line that ends a silence tell by itself what went on? Steps of the kernel's that nothing runs beside, lines that
    /// say who was waited for, and titles that say no more than that nothing is printed.
    fn tells_itself(&self) -> bool {
        use CostKind as Kind;
        let modest = self.title.starts_with("nothing is printed") || self.title.contains(" may ");
        modest
            || matches!(
                self.kind,
                Kind::MemoryInitialisation | Kind::HashTables | Kind::Raid6Benchmark | Kind::UdevSettle
            )
    }
}

/// Do both lines around a silence speak of the same device, or does one speaker say both?
fn is_related(kind: CostKind, subject: &str, line: &str, other: &str) -> bool {
    let named = !subject.is_empty() && holds_name(other, subject);
    let (who, whose) = (before_colon(line), before_colon(other));
    let of_kind = match kind {
        CostKind::UsbEnumeration => of_usb(other),
        // One disk has two names.
        CostKind::DeviceTimeout if line.starts_with("nvme ") => other.starts_with("nvme "),
        CostKind::DisplaySetUp => other.contains("drm") || other.contains("fb"),
        _ => subject.is_empty() && same_speaker(line, other),
    };
    // init and its like speak of everybody.
    let of_all = ["systemd", "init", "audit", "kernel"]
        .iter()
        .any(|name| who.starts_with(name));
    named || (!who.is_empty() && who == whose && !of_all) || of_kind
}

/// Does a text hold a name that does not go on: `ata1` of `ata1.00`, and not of `ata11`?
fn holds_name(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let alone = |c: char| !c.is_ascii_alphanumeric();
        text[..at].chars().next_back().is_none_or(alone) && text[at + name.len()..].chars().next().is_none_or(alone)
    })
}

/// Does the USB core, a hub or a host controller speak?
fn of_usb(text: &str) -> bool {
    let first = text.split([' ', ':']).next().unwrap_or("");
    matches!(first, "usb" | "hub" | "usbcore") || first.contains("hci")
}

/// Does a line say that something begins, or is waited for, so that the silence behind it is that one's?
fn announces(text: &str) -> bool {
    const WORDS: [&str; 22] = [
        "wait",
        "Wait",
        "WAIT",
        "slow to respond",
        "resetting link",
        "pinning up",
        "hecking",
        "tarting",
        "unning",
        "nter passphrase",
        "enerating",
        "egenerate",
        "usb-storage",
        "DISCOVER",
        "DHCPREQUEST",
        "iscover",
        "oliciting",
        "sleeping",
        "not responding",
        "recovery",
        "training",
        "retry",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// Advice, and the list of modules in a kernel's report, are nothing that happens.
fn is_no_event(text: &str) -> bool {
    const ADVICE: [&str; 5] = ["lease run ", "recommended", "Modules linked in:", "onsider ", "hould "];
    ADVICE.iter().any(|words| text.contains(words))
}

/// Does a line hold all the texts, one behind the other?
pub(in crate::costs) fn holds(text: &str, words: Words) -> bool {
    let mut rest = text;
    for (number, word) in words.iter().enumerate() {
        if let Some(start) = word.strip_prefix('^').filter(|_| number == 0) {
            let Some(behind) = rest.strip_prefix(start) else {
                return false;
            };
            rest = behind;
        } else {
            let Some(at) = rest.find(word) else { return false };
            rest = &rest[at + word.len()..];
        }
    }
    true
}

/// Does one driver speak in both lines?
fn same_speaker(a: &str, b: &str) -> bool {
    let who = |text: &str| {
        let first = text.split([' ', ':']).next()?;
        (!first.is_empty()).then(|| first.to_ascii_lowercase())
    };
    who(a).is_some() && who(a) == who(b)
}

/// Does a line speak of a wait of its own? What comes by itself behind it does not end that.
fn still_waits(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "is taking ",
        "imed out",
        "imeout",
        "aiting for",
        "not respond",
        "retry",
        "COMRESET",
        "error -110",
    ];
    WORDS.iter().any(|word| text.contains(word)) && !text.contains("random") && !text.contains("entropy")
}

/// Does a line say that what it speaks of has ended? Then it does not name what follows.
fn is_over(text: &str) -> bool {
    const ENDS: [&str; 7] = ["done", "OK", "finished", "complete", "completed", "ready", "succeeded"];
    const STARTS: [&str; 5] = ["[  OK  ]", "Started ", "Finished ", "Mounted ", "Stopped "];
    let text = text.trim_end_matches(['.', ' ', '!', ')', ']']);
    let said = text.strip_prefix("systemd[1]: ").unwrap_or(text);
    text.contains(": Ending ")
        || ENDS.iter().any(|end| text.ends_with(end))
        || STARTS.iter().any(|start| said.starts_with(start))
}

/// About nobody.
#[allow(
    clippy::unnecessary_literal_bound,
    reason = "it stands in a row beside those that return a part of the line"
)]
pub(super) fn nobody(_: &str) -> &str {
    ""
}

/// What stands in front of the first colon that ends a word: `mmc0`, `usb 1-1`, `r8169 0000:03:00.0 eth0`.
pub(in crate::costs) fn before_colon(text: &str) -> &str {
    let text = text.trim();
    let at = text.find(": ").or_else(|| text.strip_suffix(':').map(str::len));
    match at {
        Some(at) if at <= 48 => text[..at].trim_end_matches(':'),
        _ => "",
    }
}

/// The device on a port of which a hub speaks: `usb 1-1.3.1` of `usb 1-1.3-port1`, `usb 1-2` of `usb usb1-port2`.
pub(super) fn on_port(name: &str) -> String {
    let Some((hub, port)) = name.strip_prefix("usb ").and_then(|name| name.split_once("-port")) else {
        return name.to_owned();
    };
    match hub.strip_prefix("usb") {
        Some(bus) => format!("usb {bus}-{port}"),
        None => format!("usb {hub}.{port}"),
    }
}

/// The task of `INFO: task fsck.ext4:1165 blocked for more than 40 seconds.`
pub(super) fn hung_task(text: &str) -> &str {
    let rest = text.split_once("task ").map_or("", |(_, rest)| rest);
    rest.split_once(" blocked").map_or("", |(task, _)| task)
}

/// A port of libata: `ata1` of `ata1.00: qc timeout`.
pub(in crate::costs) fn ata_port(text: &str) -> &str {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .find(|word| {
            word.strip_prefix("ata")
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
        .unwrap_or("")
}

/// The name in the first pair of parentheses: `sda1` of `EXT4-fs (sda1): recovery complete`.
pub(super) fn in_parentheses(text: &str) -> &str {
    let inside = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
    inside.map_or("", |(name, _)| name).trim()
}

/// The word behind `server`: the address of an NFS server.
pub(super) fn server(text: &str) -> &str {
    let rest = text.split_once("server ").map_or("", |(_, rest)| rest);
    rest.split([' ', ',', ':']).next().unwrap_or("")
}

/// A file of firmware: the first word with a slash or a known ending.
pub(in crate::costs) fn firmware_file(text: &str) -> &str {
    const ENDINGS: [&str; 8] = [".bin", ".fw", ".ucode", ".hcd", ".txt", ".sfi", ".clm_blob", ".mbn"];
    text.split([' ', ',', '\'', '"', '`', '(', ')', '<', '>'])
        .map(|word| word.trim_matches([':', ';', '.']))
        .find(|word| ENDINGS.iter().any(|end| word.ends_with(end)) || (word.contains('/') && word.contains('.')))
        .unwrap_or("")
}

/// The last word in front of a colon that looks like a network interface: `eth0`, `enp3s0`, `wlan0`.
pub(super) fn interface(text: &str) -> &str {
    text.split([' ', ':', ','])
        .find(|word| {
            let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
            ["eth", "en", "wlan", "wl", "usb", "lan", "end"]
                .iter()
                .any(|name| word.starts_with(name))
                && stem.len() < word.len()
                && word.len() <= 15
        })
        .unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_their_order() {
        assert!(holds("ata1: link is slow to respond", &["ata", "slow"]));
        assert!(!holds("slow ata1", &["ata", "slow"]));
        assert!(holds("mmc0: Timeout", &["^mmc", ": Timeout"]));
        assert!(!holds("the mmc0: Timeout", &["^mmc", ": Timeout"]));
    }

    #[test]
    fn a_line_that_says_that_it_is_over_names_nothing() {
        assert!(is_over("Waiting for /dev to be fully populated...done."));
        assert!(is_over("nfs: server 10.0.0.1 OK"));
        assert!(is_over(
            "systemd[1]: Finished Wait for udev To Complete Device Initialization."
        ));
        assert!(is_over("XFS (sdq7): Ending recovery (logdev: internal)"));
        assert!(!is_over("XFS (sdq7): Starting recovery (logdev: internal)"));
        assert!(!is_over("Waiting for /dev to be fully populated..."));
        assert!(!is_over("ata1: COMRESET failed (errno=-16)"));
        assert!(!is_over("IPv6: ADDRCONF(NETDEV_UP): eth0: link is not ready to use"));
    }

    #[test]
    fn one_speaker() {
        assert!(same_speaker("quux hci7: Direct load failed", "Quux: hci7: gives up"));
        assert!(!same_speaker(
            "Quux: hci7: Failed to load (-2)",
            "Adding 1k swap on /dev/x"
        ));
        assert!(!same_speaker("", ""));
    }

    #[test]
    fn subjects() {
        assert_eq!(ata_port("ata12.00: qc timeout (cmd 0xec)"), "ata12");
        assert_eq!(ata_port("data1: no port"), "");
        assert_eq!(
            before_colon("usb 1-1: device descriptor read/64, error -110"),
            "usb 1-1"
        );
        assert_eq!(in_parentheses("EXT4-fs (mmcblk0p2): recovery complete"), "mmcblk0p2");
        assert_eq!(on_port("usb 1-1.3-port1"), "usb 1-1.3.1");
        assert_eq!(on_port("usb usb2-port4"), "usb 2-4");
        assert_eq!(on_port("mmc0"), "mmc0");
        assert_eq!(
            hung_task("INFO: task fsck.ext4:1165 blocked for more than 40 seconds."),
            "fsck.ext4:1165"
        );
        assert_eq!(server("nfs: server 10.0.0.1 not responding, still trying"), "10.0.0.1");
        assert_eq!(
            firmware_file("r8169 0000:03:00.0: eth0: unable to load firmware patch rtl_nic/rtl8168e-2.fw (-2)"),
            "rtl_nic/rtl8168e-2.fw"
        );
        assert_eq!(
            interface("socfpga-dwmac 10830000.ethernet eth0: Link is Up - 1Gbps/Full"),
            "eth0"
        );
    }
}

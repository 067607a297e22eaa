// SPDX-License-Identifier: MIT
//! What lines say of waits in anybody's words, where no rule knows them and nothing has a time: quoted, with what can be
//! said of it and no more. Lines that differ in numbers only are one.

use super::cost::{spell, Basis, Cost};
use super::kind::CostKind;
use super::sayings::{saying, Saying};
use super::start_jobs::{is_device, job, path_of, DEVICE_ADVICE};
use super::units::ADVICE;
use crate::log::any_stamp;
use crate::log::line::{Line, LineKind};
use crate::log::sentence::{is_item, is_sentence};
use crate::text::shorten::shorten;

/// Waits told.
const LISTED: usize = 3;
/// Lines looked at.
const MOST: usize = 20_000;
/// A failure that comes no more often is one of a start's many.
const REPEATED: u32 = 4;
/// Words told apart.
const KNOWN: usize = 200;
/// Words that come again within so long are about one wait.
const AGAIN_NS: i64 = 120_000_000_000;
/// A shorter time between the first and the last of them is not worth a word.
const SHORTEST_NS: i64 = 500_000_000;

/// Lines of the same words.
struct Group<'a> {
    words: String,
    saying: Saying,
    text: String,
    lines: Vec<&'a Line>,
    count: u32,
    /// A job that systemd waits for, and how long by its own count.
    counted: Option<(String, i64)>,
    /// How long the words came again and again, by one clock.
    again_ns: i64,
    since: Option<i64>,
    last: Option<i64>,
}

/// The waits that lines tell of, the surest words first.
pub(super) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut stamped = false;
    for line in lines.take(MOST) {
        stamped |= line.printk_ns.is_some();
        for text in spoken(line) {
            // What systemd waits for may be called anything.
            let waited = job(text).map(|_| Saying::Waited);
            if let Some(saying) = waited.or_else(|| saying(text)).or_else(|| fails(line, text)) {
                add(&mut groups, line, text, saying);
            }
        }
    }
    groups.retain(|group| group.saying != Saying::Repeated || group.count >= REPEATED);
    groups.sort_by_key(|group| {
        let often = std::cmp::Reverse(group.count);
        (std::cmp::Reverse(group.worth_ns()), rank(group.saying), often)
    });
    groups.truncate(LISTED);
    groups.iter().map(|group| group.cost(stamped)).collect()
}

/// Does a line of the kernel's say that something failed? One such line says nothing of a wait, many do.
fn fails(line: &Line, text: &str) -> Option<Saying> {
    let failed = !text.contains(" is expected") && [" failed", " error"].iter().any(|word| text.contains(word));
    (failed && line.printk_ns.is_some()).then_some(Saying::Repeated)
}

/// A log's line is looked at as a whole; of the text of a page and of its headings, what they quote.
fn spoken(line: &Line) -> Vec<&str> {
    // A row of a page's table names settings, fixes and steps.
    let row = line.text.trim();
    if row.starts_with('|') && row.matches('|').count() > 2 {
        return Vec::new();
    }
    let heading = row.starts_with('#') || is_numbered_heading(row);
    let text = line.text.trim().trim_start_matches(['>', '*', '#', '-', ' ']);
    let text = text.trim_end_matches(['*', ' ']);
    if let Some(inner) = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
        if !inner.contains('`') {
            return vec![inner];
        }
    }
    // A suspend is no boot.
    let lower = || line.text.to_ascii_lowercase();
    if line.kind == LineKind::Outside
        && !line.has_kernel_prefix()
        && ["resume ", "_resume", "suspend "]
            .iter()
            .any(|word| lower().contains(word))
    {
        return Vec::new();
    }
    let item = line.kind == LineKind::Outside && is_item(row);
    if heading || item || line.kind == LineKind::Prose || is_sentence(text) || text.matches('`').count() > 1 {
        return quoted(text);
    }
    vec![text]
}

/// `2. **Timeout in the frob**`, `2. **Add the frob** (it times out):`: a list's item that is a heading.
fn is_numbered_heading(row: &str) -> bool {
    row.split_once(". **").is_some_and(|(number, rest)| {
        let digits = matches!(number.len(), 1 | 2) && number.bytes().all(|b| b.is_ascii_digit());
        digits && (rest.ends_with("**") || (rest.contains("** ") && rest.ends_with(':')))
    })
}

/// What stands between two marks of one kind, where it is more than a word.
fn quoted(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for mark in ['`', '"'] {
        let spans = text.split(mark).skip(1).step_by(2);
        out.extend(spans.map(str::trim).filter(|span| span.contains(' ')));
    }
    // systemd's own words, wherever somebody writes them.
    if out.is_empty() && text.contains("start job is running for ") {
        out.push(text);
    }
    out
}

/// The words without their counts and times; names of devices hold digits too, and two devices are two waits.
fn words_of(text: &str) -> String {
    let named = |word: &str| {
        let word = word.trim_matches(['(', ')', '[', ']', ',', ';', '`', '"']);
        let name = word.trim_end_matches(':');
        let letters = name.chars().filter(char::is_ascii_alphabetic).count();
        let digits = name.chars().any(|c| c.is_ascii_digit());
        // A port of USB has no letters: `1-3:`.
        let port = word.ends_with(':') && name.contains('-');
        digits
            && (letters > 0 || port)
            && (word.ends_with(':') || name.contains(['.', '/']))
            && !name.contains(char::is_whitespace)
    };
    let kept = |word: &str| {
        if named(word) && any_stamp::of(text).is_none() {
            return word.to_owned();
        }
        word.chars().filter(|c| !c.is_ascii_digit()).collect()
    };
    text.split(' ').map(kept).collect::<Vec<_>>().join(" ")
}

fn add<'a>(groups: &mut Vec<Group<'a>>, line: &'a Line, text: &str, saying: Saying) {
    let counted = job(text).filter(|(name, _)| !name.trim().is_empty());
    let words = counted.map_or_else(|| words_of(text), |(name, _)| format!("job {name}"));
    let at = line.printk_ns.or(line.host_ns).or(line.firmware_ns);
    let at = at.or_else(|| any_stamp::of(&line.text).map(|(_, ns)| ns));
    if let Some(group) = groups.iter_mut().find(|group| group.words == words) {
        group.count += 1;
        if group.lines.len() < 5 {
            group.lines.push(line);
        }
        if let Some((_, ns)) = counted.filter(|(_, ns)| group.counted.as_ref().is_some_and(|(_, known)| ns > known)) {
            group.counted.iter_mut().for_each(|(_, known)| *known = ns);
        }
        let near = |ns: &i64| {
            group
                .last
                .is_some_and(|last| (0..=AGAIN_NS).contains(&ns.saturating_sub(last)))
        };
        if let Some(ns) = at.filter(near) {
            group.again_ns = group.again_ns.max(ns - group.since.unwrap_or(ns));
        } else {
            group.since = at;
        }
        group.last = at;
    } else if groups.len() < KNOWN {
        groups.push(Group {
            words,
            saying,
            text: any_stamp::said(text).to_owned(),
            lines: vec![line],
            counted: counted.map(|(name, ns)| (name.to_owned(), ns)),
            count: 1,
            again_ns: 0,
            since: at,
            last: at,
        });
    }
}

/// `frobd: no response`: a stamp, or the name of whoever speaks, begins the line.
fn is_of_program(text: &str) -> bool {
    let name = |word: &str| word.ends_with(':') && !word.contains('*');
    any_stamp::of(text).is_some() || text.split(' ').take(3).any(name)
}

/// The surest words first.
fn rank(saying: Saying) -> u8 {
    match saying {
        Saying::TimedOut => 0,
        Saying::NoAnswer => 1,
        Saying::Slow => 2,
        Saying::Retried => 3,
        Saying::Waited => 4,
        Saying::Failed => 5,
        Saying::Repeated => 6,
    }
}

impl Group<'_> {
    fn worth_ns(&self) -> i64 {
        if let Some((_, ns)) = &self.counted {
            return *ns;
        }
        if self.again_ns >= SHORTEST_NS || self.saying == Saying::Repeated {
            self.again_ns
        } else {
            0
        }
    }

    /// A job of systemd's, as units' lines tell of it.
    fn job(&self, name: &str, ns: i64, said: &str) -> Cost {
        let device = is_device(name);
        let (kind, title, advice) = if device {
            let path = shorten(&path_of(name));
            (
                CostKind::DeviceWait,
                format!("systemd waits for the device {path}"),
                DEVICE_ADVICE,
            )
        } else {
            (
                CostKind::UnitStart,
                format!("systemd starts the unit `{}`", shorten(name)),
                ADVICE,
            )
        };
        let line = self.lines.first().map_or(0, |line| line.number);
        let evidence = if ns > 0 {
            format!("{} at the least, since it was asked for, by `{said}`", spell(ns))
        } else {
            format!("`{said}`")
        };
        Cost {
            cost_ns: Some(ns).filter(|ns| *ns > 0),
            basis: Basis::Printed,
            at_least: ns > 0,
            ..Cost::without_time(kind, title, line, evidence, advice)
        }
    }

    /// `stamped`: the kernel stamps its lines, so one without a stamp is none of its own.
    fn cost(&self, stamped: bool) -> Cost {
        let said = shorten(&self.text);
        if let Some((name, ns)) = &self.counted {
            return self.job(name, *ns, &said);
        }
        let of_machine = |line: &&Line| {
            let named = line.has_kernel_prefix() || line.process.is_some() || line.host_ns.is_some();
            named || line.firmware_ns.is_some() || (line.kind != LineKind::Outside && !stamped)
        };
        // Nothing shows that a machine says it: it may be somebody's own words.
        let of_systemd = self.text.contains("/start running");
        let quoted = !self.lines.iter().any(of_machine) && !is_of_program(self.lines[0].text.trim()) && !of_systemd;
        let title = match self.saying {
            Saying::Repeated => format!("the same failure comes again and again: `{said}`"),
            Saying::Failed => format!("a start fails, and others may have waited for it: `{said}`"),
            _ if quoted => format!("the text says `{said}`"),
            Saying::TimedOut => format!("a wait ran out: `{said}`"),
            Saying::NoAnswer => format!("an answer does not come: `{said}`"),
            Saying::Retried => format!("something is tried again: `{said}`"),
            Saying::Slow => format!("something is slow or stuck: `{said}`"),
            Saying::Waited => format!("something is waited for: `{said}`"),
        };
        let ns = Some(self.worth_ns()).filter(|ns| *ns > 0);
        let times = if self.count > 1 {
            format!("it says so {} times", self.count)
        } else {
            "it says so".to_owned()
        };
        let evidence = match ns {
            Some(ns) => format!("{times}, again and again for {}; it may have taken longer", spell(ns)),
            None => times,
        };
        Cost {
            kind: CostKind::DeviceTimeout,
            title,
            cost_ns: ns,
            gain_ns: None,
            basis: Basis::Computed,
            at_most: false,
            at_least: ns.is_some(),
around: Vec::new(),
            lines: self.lines.iter().map(|line| line.number).collect(),
            evidence,
            advice: "the line says who waits, or for whom: see why it does not come, and whether it is needed before the goal"
                .to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[(&str, Option<i64>)]) -> Vec<Cost> {
        let lines: Vec<Line> = texts
            .iter()
            .enumerate()
            .map(|(at, (text, seconds))| {
                let mut line = Line::plain(at as u32 + 1, 0, (*text).to_owned());
                line.printk_ns = seconds.map(|s| s * 1_000_000_000);
                line
            })
            .collect();
        of_lines(lines.iter())
    }

    #[test]
    fn the_surest_words_come_first() {
        let found = of(&[
            ("frob: waiting for the panel", None),
            ("quux0: command timed out", None),
            ("quux0: command timed out", None),
        ]);
        let titles: Vec<&str> = found.iter().map(|cost| cost.title.as_str()).collect();
        assert_eq!(
            titles,
            [
                "a wait ran out: `quux0: command timed out`",
                "something is waited for: `frob: waiting for the panel`"
            ]
        );
        assert_eq!(found[0].lines, [2, 3]);
        assert_eq!(found[0].cost_ns, None);
    }

    #[test]
    fn what_comes_again_takes_at_least_as_long() {
        let found = of(&[
            ("waiting for frob 1", Some(703)),
            ("waiting for frob 2", Some(710)),
            ("waiting for frob 3", Some(731)),
            ("waiting for frob 4", Some(5_000)),
        ]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].cost_ns, found[0].at_least), (Some(28_000_000_000), true));
    }

    #[test]
    fn systemds_own_count_is_the_least() {
        let found = of(&[
            (
                "**A start job is running for dev-disk-by\\x2duuid-12ab.device (44s / 1min 30s)**",
                None,
            ),
            ("> A start job is running for dev-disk-by(...)", None),
        ]);
        assert_eq!(found[0].title, "systemd waits for the device /dev/disk/by-uuid/12ab");
        assert_eq!((found[0].cost_ns, found[0].at_least), (Some(44_000_000_000), true));
        let found = of(&[("stuck at `Job frob-wait.service/start running()`", None)]);
        assert_eq!(
            found[0].title,
            "something is waited for: `Job frob-wait.service/start running()`"
        );
    }

    #[test]
    fn stamps_that_nobody_reads_count_too() {
        let found = of(&[
            ("11:20:01.750 frobd: no response, will retry", None),
            ("11:20:09.750 frobd: no response, will retry", None),
        ]);
        assert_eq!((found[0].cost_ns, found[0].at_least), (Some(8_000_000_000), true));
    }

    #[test]
    fn of_a_sentence_only_what_it_quotes() {
        for text in [
            "# The frob is not responding",
            "2. **Timeout in frobd**",
            "With that gone, a start spends most of its time in the loader waiting for the frob to come up in the end",
            "It shows the time that the frob waited for the panel to be there on a slow bus",
        ] {
            assert!(of(&[(text, None)]).is_empty(), "{text}");
        }
        for text in [
            "1) On start there is an unlimited wait for the frob:",
            "On starting again, the boot fails, sitting at the frob.",
        ] {
            assert!(of(&[(text, None)]).is_empty(), "{text}");
        }
        assert!(!of(&[("Waiting for the frob to appear.", None)]).is_empty());
        let found = of(&[("- Getting a `quux not responding, error -62`.", None)]);
        assert_eq!(found[0].title, "the text says `quux not responding, error -62`");
        let found = of(&[("`quux0: Timeout waiting for hardware`", None)]);
        assert_eq!(found[0].title, "a wait ran out: `quux0: Timeout waiting for hardware`");
        assert!(of(&[("I think my board is waiting for something, but I do not know", None)]).is_empty());
        let found = of(&[("When I boot it says `frob: waiting for panel` and then stops", None)]);
        assert_eq!(found[0].title, "the text says `frob: waiting for panel`");
    }
}

// SPDX-License-Identifier: MIT
//! What lines say of waits in anybody's words, where no rule knows them and nothing has a time: quoted, with what can be
//! said of it and no more. Lines that differ in numbers only are one.

use super::cost::{spell, Basis, Cost, Wording};
use super::kind::CostKind;
use super::sayings::{saying, Saying};
use super::start_jobs::UNIT_ADVICE;
use super::start_jobs::{is_device, job, path_of, DEVICE_ADVICE};
use super::stated_time::took_no_time;
use crate::log::any_stamp;
use crate::log::line::{Line, LineKind};
use crate::log::sentence::{is_item, is_sentence};
use crate::text::shorten::shorten;

/// Waits told.
const LISTED: usize = 3;
/// Lines looked at.
const MOST: usize = 20_000;
/// An answer that is missed so often is not one that a start waits for.
const TOO_OFTEN: u32 = 200;
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
    /// How often the next line said that the wait was over.
    answered: u32,
    latest: &'a Line,
}

/// The waits that lines tell of, the surest words first.
pub(super) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Vec<Cost> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut stamped = false;
    let mut before: Option<&Line> = None;
    let mut failed: Option<&Line> = None;
    for line in lines.take(MOST) {
        stamped |= line.printk_ns.is_some();
        failed = Some(line).filter(|line| fails_to_start(line)).or(failed);
        if let Some(waits) = before.replace(line).filter(|waits| answers(&line.text, &waits.text)) {
            let of_words = |group: &&mut Group<'a>| std::ptr::eq(group.latest, waits);
            groups.iter_mut().find(of_words).into_iter().for_each(Group::answered);
        }
        for text in spoken(line) {
            // What systemd waits for may be called anything.
            let waited = job(text).map(|_| Saying::Waited);
            let saying = waited.or_else(|| saying(text)).or_else(|| fails(line, text));
            if let Some(saying) = saying.filter(|saying| *saying != Saying::Waited || !took_no_time(text)) {
                match failed.filter(|_| depends(text)) {
                    Some(failed) => blame(&mut groups, failed),
                    None => add(&mut groups, line, text, saying),
                }
            }
        }
    }
    groups.retain(|group| group.saying != Saying::Repeated || group.count >= REPEATED);
    groups.retain(|group| group.answered < group.count);
    // No start says it so often: a system that runs does.
    groups.retain(|group| group.saying != Saying::NoAnswer || group.count < TOO_OFTEN);
    groups.sort_by_key(|group| {
        let often = std::cmp::Reverse(group.count);
        (std::cmp::Reverse(group.worth_ns()), rank(group.saying), often)
    });
    groups.truncate(LISTED);
    groups.iter().map(|group| group.cost(stamped)).collect()
}

/// systemd says that a start fails for want of another.
fn depends(text: &str) -> bool {
    text.to_ascii_lowercase().contains("dependency failed for ")
}

/// systemd says that a start itself fails: `Failed to start Frob.`
fn fails_to_start(line: &Line) -> bool {
    let text = line.text.trim();
    let said = text.strip_prefix("systemd[1]: ").unwrap_or(text);
    let by_systemd = said.len() < text.len() || line.process.as_deref() == Some("systemd");
    by_systemd
        && ["Failed to start ", "Failed to mount "]
            .iter()
            .any(|start| said.starts_with(start))
}

/// Others wait for a start that failed: it is told, once for each time that it did.
fn blame<'a>(groups: &mut Vec<Group<'a>>, failed: &'a Line) {
    let text = failed.text.trim();
    let words = words_of(text);
    let known = groups.iter().find(|group| group.words == words);
    if known.is_none_or(|group| !std::ptr::eq(group.latest, failed)) {
        add(groups, failed, text, Saying::Failed);
    }
}

/// Does a line of the kernel's say that something failed? One such line says nothing of a wait, many do.
fn fails(line: &Line, text: &str) -> Option<Saying> {
    let failed = !text.contains(" is expected") && [" failed", " error"].iter().any(|word| text.contains(word));
    (failed && line.printk_ns.is_some()).then_some(Saying::Repeated)
}

/// A log's line is looked at as a whole; of the text of a page and of its headings, what they quote.
fn spoken(line: &Line) -> Vec<&str> {
    const HEAD: [&str; 5] = ["Subject: ", "From: ", "To: ", "Cc: ", "Date: "];
    // A row of a page's table names settings, fixes and steps.
    let row = line.text.trim();
    if row.starts_with('|') && row.matches('|').count() > 2 {
        return Vec::new();
    }
    // The head of a mail names what it is about.
    let said = row.trim_start_matches(['>', '|', ' ']);
    if HEAD.iter().any(|name| said.starts_with(name)) {
        return Vec::new();
    }
    // The title of a change says what it adds.
    if row.contains(" \u{b7} Pull Request #") || said.starts_with("[PATCH") {
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
        group.latest = line;
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
            answered: 0,
            latest: line,
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

/// Does the next line say that what was waited for is there: `frob lock available` behind `Waiting for frob lock`?
fn answers(text: &str, waits: &str) -> bool {
    const THERE: [&str; 7] = [
        "available",
        "acquired",
        "obtained",
        "released",
        "ready",
        "arrived",
        "connected",
    ];
    const LONGEST: usize = 200;
    if text.len() > LONGEST || waits.len() > LONGEST || !waits.to_ascii_lowercase().contains("wait") {
        return false;
    }
    let words = |text: &str| -> Vec<String> {
        let parts = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| word.len() > 2);
        parts.map(str::to_ascii_lowercase).collect()
    };
    let (said, asked) = (words(text), words(waits));
    let last = said.last().is_some_and(|word| THERE.contains(&word.as_str()));
    // What was waited for stands at the end.
    last && asked.last().is_some_and(|subject| said.contains(subject))
}

impl Group<'_> {
    /// This wait was over: words that come again are of another.
    fn answered(&mut self) {
        self.answered += 1;
        (self.since, self.last) = (None, None);
    }

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
                UNIT_ADVICE,
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
            Saying::TimedOut => format!("a line tells of a time-out: `{said}`"),
            Saying::NoAnswer => format!("a line says that an answer does not come: `{said}`"),
            Saying::Retried => format!("a line speaks of tries: `{said}`"),
            Saying::Slow => format!("a line says that something is slow or stuck: `{said}`"),
            Saying::Waited => format!("a line speaks of a wait: `{said}`"),
        };
        let wording = match self.saying {
            Saying::Repeated | Saying::Failed => Wording::Own,
            _ if quoted => Wording::Statement,
            Saying::TimedOut => Wording::TimedOut,
            _ => Wording::Own,
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
            title,
            wording,
            cost_ns: ns,
            at_least: ns.is_some(),
            lines: self.lines.iter().map(|line| line.number).collect(),
            evidence,
            advice: "the line says who waits, or for whom: see why it does not come, and whether it is needed before the goal"
                .to_owned(),
            ..Cost::of(CostKind::DeviceTimeout)
        }
    }
}

#[cfg(test)]
mod tests;

// SPDX-License-Identifier: MIT
//! What persons write of a slow start, where no line of a log shows it: every sentence is weighed by what it names, how long
//! that took, and whether it says why; the best are quoted whole, as the text's own words. Nothing is claimed of them, and no
//! time is taken from them. The words of other languages than English are in `text/languages.txt`.

use super::cost::{Cost, Wording};
use super::kind::CostKind;
use super::persons_causes;
use super::persons_choice::{choice, last_choice};
use super::persons_commands;
use super::persons_guides::is_guide;
use super::persons_lexicon::{BECAUSE, BEGINNING, CAUSES, CONTEXT, EXCUSES, OTHER, SLOW, WAITS};
use super::persons_lists;
use super::persons_machines;
use super::persons_posts::{self, Posts};
use super::persons_said::{Form, Said, LEAST};
use super::persons_title::{front_matter, is_marked, title};
use super::persons_weight::{is_other, weigh};
use super::prose::{around, depth, find, holds, names, paragraphs, sentences, speaks_of_a_start, spoken, Paragraph};
use crate::log::line::Line;
use crate::log::patch;
use crate::text::languages::{says, Kind};
use crate::text::spoken_time::longest_in_words;

/// More lines of prose are a document, and no question ...
const MOST: usize = 120;
/// ... and so are more lines of anything.
const WHOLE: usize = 400;
/// Lines looked at of a mail with a patch.
const PATCHED: usize = 4_000;
/// More text is a document too.
const LARGE: usize = 60_000;
/// More sentences are one.
const SENTENCES: usize = 800;
/// What is quoted is a person's account of a boot ...
const OF_A_PERSON: [&str; 2] = ["the text says", "the text also says"];
/// ... or advice.
const OF_A_GUIDE: [&str; 2] = [
    "a guide says, of no boot in particular,",
    "the guide also says, of no boot in particular,",
];
/// Words of what went wrong.
const WRONG: &str = "fail|panic|hang|crash|error|stuck|bug|broken";
/// So few paragraphs speak of one thing.
const FEW: usize = 12;

/// The sentences that say most of why a start is slow, with the longest time that they name.
#[allow(clippy::struct_excessive_bools)] // independent observations, not states of one machine
pub(crate) struct Told {
    pub cost: Cost,
    /// What else they say of why, and their lists and tables of times.
    pub more: Vec<Cost>,
    pub ns: Option<i64>,
    /// A sentence says why.
    pub why: bool,
    /// The title speaks of a start, or a list or a table tells its times.
    pub titled: bool,
    /// Nothing in it weighs much: it is quoted where nothing else is read.
    pub weak: bool,
    /// What it says is of a time, of a start, or of what goes wrong.
    pub of_start: bool,
    /// It, or the title, speaks of a start, and not of what a machine was restarted for.
    pub speaks: bool,
}

impl Told {
    /// All of them.
    pub fn costs(self) -> impl Iterator<Item = Cost> {
        std::iter::once(self.cost).chain(self.more)
    }
}

/// Is it a page of a manual? It says how something is made, and not what happened.
pub(crate) fn is_manual<'a>(mut lines: impl Iterator<Item = &'a Line>) -> bool {
    lines.any(|line| matches!(line.text.trim(), "NAME" | "SYNOPSIS" | "DESCRIPTION"))
}

/// What persons write in some lines; none where that is a document, or says nothing of a start.
pub(crate) fn of_lines<'a>(lines: impl Iterator<Item = &'a Line>) -> Option<Told> {
    of_lines_near(lines, false)
}

/// The same; `waits`: they stand around a log of a start that shows a wait, and need not speak of one.
pub(crate) fn of_lines_near<'a>(lines: impl Iterator<Item = &'a Line>, waits: bool) -> Option<Told> {
    let lines: Vec<&Line> = lines.take(PATCHED).collect();
    // A patch is a program's text, however long it is.
    let patched = patch::lines_of_patches(lines.iter().copied());
    let of_patch = |line: &&Line| patched.binary_search(&line.number).is_ok();
    let lines: Vec<&Line> = lines.into_iter().filter(|line| !of_patch(line)).collect();
    let bytes = lines.iter().map(|line| line.text.len()).sum::<usize>();
    if lines.len() > WHOLE || bytes > LARGE || is_manual(lines.iter().copied()) {
        return None;
    }
    let mut spoken = spoken(&lines);
    let of_machines = persons_machines::numbers(&lines);
    let record = front_matter(&lines).unwrap_or(0);
    let patched = patch::lines_of_patches(lines.iter().copied());
    let mine = |line: &&Line| {
        [&of_machines, &patched]
            .iter()
            .all(|all| all.binary_search(&line.number).is_err())
    };
    spoken.retain(|line| line.number > record && mine(line));
    let head = title(&lines);
    let heading = head
        .as_ref()
        .map_or(String::new(), |head| head.text.to_lowercase().replace("start menu", ""));
    if is_other(&heading) && !spoken.iter().any(|line| tells_a_starts_time(&line.text)) {
        return None;
    }
    let lasts = || says(&heading, SLOW, Kind::Slow) || longest_in_words(&heading).is_some();
    let begins = || holds(&heading, CONTEXT) || holds(&heading, BEGINNING);
    let tells = speaks_of_a_start(&heading) || begins() && lasts();
    // A mail with what it answers, or a thread, is as long as its posts are many.
    let posts = Posts::of(&lines);
    let answered = spoken.iter().filter(|line| depth(&line.text) > 0).count();
    // The marks of one that quotes most of its lines are gone.
    let quotes = lines.iter().any(|line| line.text.trim_end().ends_with(" wrote:"));
    let long = spoken.len() > MOST && !posts.threaded() && !quotes && answered * 4 < spoken.len();
    if long {
        return of_lists(persons_lists::of(&lines, &[], tells)).filter(|_| tells);
    }
    spoken.retain(|line| head.as_ref().is_none_or(|head| head.number != line.number));
    let mut all: Vec<Paragraph> = paragraphs(&spoken);
    let head_number = head.as_ref().map(|head| head.number);
    all.splice(0..0, head);
    let speaking = all.iter().filter(|one| tells_of_a_start(&one.text)).count();
    // That something ends slowly is told where no start is spoken of.
    let ends = all.iter().any(|one| holds(&one.text.to_lowercase(), OTHER));
    let starts = |one: &Paragraph| speaks_of_a_start(&one.text.to_lowercase().replace("reboot", ""));
    if ends && !waits && !all.iter().any(starts) {
        return None;
    }
    let of_unit = heading.split(' ').any(|word| word.ends_with(".service")) && holds(&heading, SLOW);
    let context = || of_unit || all.iter().any(|one| holds(&one.text.to_lowercase(), CONTEXT));
    let near = waits || speaking > 1 || tells || (speaking == 1 && all.len() <= FEW) || context();
    let mut said: Vec<Said> = Vec::new();
    for (at, one) in all.iter().enumerate() {
        let near = near || speaks_of_a_start(&one.text.to_lowercase());
        for text in sentences(&one.text)
            .into_iter()
            .take(SENTENCES + 1 - said.len().min(SENTENCES))
        {
            // Whoever answers late is no machine that starts late, and `Checking the frob ...` is a program's step.
            let begins = text.split(' ').next().unwrap_or("");
            if holds(&text.to_lowercase(), EXCUSES) || begins.ends_with("ing") && text.ends_with(" ...") {
                continue;
            }
            let (worth, ns, [why, slow]) = weigh(text, near);
            said.push(Said {
                text,
                place: at,
                post: posts.at(one.number).unwrap_or(at),
                number: one.number,
                worth,
                cause: if near { persons_causes::worth(text) } else { 0 },
                form: match (one.text.starts_with('#'), one.listed) {
                    (true, _) => Form::Heading,
                    (_, true) => Form::Item,
                    _ => Form::Text,
                },
                listed: false,
                ns,
                why,
                slow,
                depth: one.depth,
            });
        }
    }
    if said.len() > SENTENCES {
        return None;
    }
    persons_causes::place(&mut said);
    persons_posts::place(&mut said, posts.threaded());
    let titled = tells || names(&heading) > 0 || heading.split(' ').count() > 3;
    let list = persons_lists::of(&lines, &all, near);
    let listed = !list.is_empty();
    let commands = persons_commands::of(&lines).filter(|_| near);
    let marked = head_number.is_some_and(|number| is_marked(&lines, number));
    let sure = choice(&said, titled, tells, posts.change);
    let weak = sure.is_none();
    // What a page is called is told where it says that something is slow, waited for, or wrong.
    let wrong = || holds(&heading, WRONG) || says(&heading, WAITS, Kind::Waits) || !heading.is_ascii();
    let headed = marked && near && (lasts() || tells && wrong());
    let Some(choice) = sure.or_else(|| last_choice(&said, headed).filter(|_| list.is_empty() && !ends)) else {
        let figures = list.iter().any(|cost| cost.title.contains(".service"));
        return of_lists(list.into_iter().chain(commands).collect()).filter(|_| near || figures);
    };
    let timed = choice.first.iter().any(|at| said[*at].ns.is_some() || said[*at].slow);
    let says_why = || choice.first.iter().any(|at| said[*at].why);
    if !(waits || timed || is_of_somebody(&all) && (!weak || says_why())) {
        return of_lists(list.into_iter().chain(commands).collect()).filter(|_| near);
    }
    let of = |places: &[usize]| places.iter().map(|at| &said[*at]).collect::<Vec<_>>();
    let (first, mut further) = (of(&choice.first), of(&choice.further));
    // What stands behind words that ask why answers them.
    let answers = |one: &&Said| {
        first
            .iter()
            .any(|asks| asks.place + 1 == one.place && asks.text.contains("why "))
    };
    further.retain(|one| (tells_of_a_wait(one) || answers(one)) && !is_quick(&said, one));
    let says = first.iter().any(|one| one.why && one.worth >= LEAST);
    let slow = first.iter().any(|one| one.slow);
    let why = says || slow && first.iter().any(|one| one.cause >= persons_causes::PLAIN);
    let [writes, also] = if is_guide(&all) { OF_A_GUIDE } else { OF_A_PERSON };
    let of_start = |one: &&Said| {
        let text = one.text.to_lowercase().replace("chang", "").replace("debug", "");
        !text.is_ascii() || speaks_of_a_start(&text) || WRONG.split('|').any(|word| text.contains(word))
    };
    Some(Told {
        of_start: timed || first.iter().any(of_start),
        speaks: tells
            || first
                .iter()
                .any(|one| speaks_of_a_start(&one.text.to_lowercase().replace("reboot", ""))),
        cost: quoted(writes, &first)?,
        more: list.into_iter().chain(commands).chain(more(also, &further)).collect(),
        ns: first.iter().filter_map(|one| one.ns).max(),
        why,
        titled: !weak && (tells || listed),
        weak,
    })
}

/// Beside what is quoted first, a sentence is told only with a time, or where it says that something is slow, or why.
fn tells_of_a_wait(one: &Said) -> bool {
    /// Words of what somebody sends, tries, has read or does not see, and of how long he looked for it.
    const OF_ASIDES: &str = "attached|attach |duplicate|have not seen|haven't seen|cannot verify|can't verify|could not reproduce|\
        can't reproduce|hours of|days of|weeks of|hours trying|(optional)|isn't really|not really a|in general|seems to be resolved|\
        screenshot|video|imagine|you can safely|black screen removed|just testing|by the way|off topic";
    let told = one.slow && (one.ns.is_some() || one.worth >= LEAST) || one.why || one.cause >= persons_causes::LEAST;
    told && !holds(&one.text.to_lowercase(), OF_ASIDES)
}

/// Does it, or the sentence before it, say that a start is quick, and not what mended it? Its time is no wait.
fn is_quick(said: &[Said], one: &Said) -> bool {
    const QUICK: &str =
        "much more fast|no delay|fantastic|blazing|is very fast|boots fast|starts fast|super fast|really fast|\
        pretty fast|no bug|no problem|boots fine|starts fine|works fine";
    let quick = |text: &str| holds(&text.to_lowercase(), QUICK);
    let at = said.iter().position(|other| std::ptr::eq(other, one));
    let before = at.and_then(|at| said.get(at.checked_sub(1)?));
    let goes_on = before.is_some_and(|before| before.place == one.place && quick(before.text));
    let slow = says(&one.text.to_lowercase(), SLOW, Kind::Slow);
    !slow && names(one.text) == 0 && (quick(one.text) || goes_on)
}

/// What else is quoted, in costs that are short enough to be shown whole.
fn more(who: &str, said: &[&Said]) -> Vec<Cost> {
    /// Longer ones are cut where they are shown.
    const LONGEST: usize = 300;
    /// So many costs of them.
    const GROUPS: usize = 3;
    let mut groups: Vec<Vec<&Said>> = Vec::new();
    let length = |said: &[&Said]| said.iter().map(|one| one.text.chars().count() + 5).sum::<usize>();
    for one in said {
        match groups.last_mut() {
            Some(group) if who.len() + length(group) + length(&[one]) <= LONGEST => group.push(one),
            _ => groups.push(vec![one]),
        }
    }
    let weight = |group: &[&Said]| group.iter().map(|one| one.cause.max(one.worth)).max().unwrap_or(0);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(weight(&groups[*at])));
    order.truncate(GROUPS);
    order.sort_unstable();
    order
        .iter()
        .map(|at| &groups[*at])
        .filter_map(|group| quoted(who, group))
        .collect()
}

/// Lists, tables and commands that stand without a sentence on them.
fn of_lists(costs: Vec<Cost>) -> Option<Told> {
    let mut costs = costs.into_iter();
    let cost = costs.next()?;
    Some(Told {
        cost,
        more: costs.collect(),
        ns: None,
        why: false,
        titled: true,
        weak: false,
        of_start: true,
        speaks: true,
    })
}

/// Does somebody speak for himself or ask, or is the text in a language whose words for that are not known here? Notes and
/// manuals that name no time and no wait tell how something works.
fn is_of_somebody(all: &[Paragraph]) -> bool {
    const SELF: [&str; 14] = [
        "i", "i'm", "i've", "i'd", "i'll", "my", "me", "we", "we're", "we've", "our", "us", "mine", "myself",
    ];
    let ends_word = |c: char| !(c.is_alphanumeric() || c == '\'');
    all.iter().any(|one| {
        let lower = one.text.to_lowercase().replace('\u{2019}', "'");
        lower.split(ends_word).any(|word| SELF.contains(&word)) || lower.contains('?') || !lower.is_ascii()
    })
}

/// Is a start spoken of? A menu is none, and neither is what a system was restarted for, and was mended by.
fn tells_of_a_start(text: &str) -> bool {
    const MENDED_BY: &str = "not happen|doesn't happen|doesn't occur|does not occur|uptime";
    let lower = text.to_lowercase().replace("start menu", "");
    speaks_of_a_start(&lower) && (speaks_of_a_start(&lower.replace("reboot", "")) || !holds(&lower, MENDED_BY))
}

/// Does a line speak of a start, and name a time?
fn tells_a_starts_time(text: &str) -> bool {
    let lower = text.to_lowercase();
    tells_of_a_start(&lower) && longest_in_words(&lower).is_some() && !is_other(&lower)
}

/// The sentences as they are told.
fn quoted(who: &str, said: &[&Said]) -> Option<Cost> {
    let best = said.iter().rev().max_by_key(|one| one.worth)?;
    // One word alone is a name.
    let word = |one: &&Said| one.text.is_ascii() && !one.text.trim().contains(' ');
    if said.iter().all(word) {
        return None;
    }
    let quotes: Vec<String> = said
        .iter()
        .map(|one| format!("`{}`", around(one.text, place(one.text))))
        .collect();
    let quotes = match quotes.as_slice() {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        all => all.concat(),
    };
    let timed = said.iter().any(|one| one.ns.is_some());
    let wording = if who == OF_A_PERSON[0] {
        Wording::Statement
    } else {
        Wording::Listing
    };
    let cost = Cost::without_time(
        if timed {
            CostKind::StatedTime
        } else {
            CostKind::Quotation
        },
        format!("{who} {quotes}"),
        best.number,
        "these are the text's own words".to_owned(),
        "add the log of that boot: the kernel's messages, or systemd-analyze's account of it",
    );
    Some(cost.with(wording))
}

/// Where in a sentence its cause stands.
fn place(sentence: &str) -> usize {
    let lower = sentence.to_lowercase();
    let marks = [CAUSES, BECAUSE, WAITS, SLOW]
        .into_iter()
        .flat_map(|words| words.split('|'));
    let at = marks.filter_map(|word| find(&lower, word)).min().unwrap_or(0);
    at.min(sentence.len())
}

#[cfg(test)]
mod tests;

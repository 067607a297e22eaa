// SPDX-License-Identifier: MIT
//! One finding.

use serde::{Deserialize, Serialize};

use super::kind::CostKind;
use crate::log::line::Line;
use crate::text::shorten::shorten;
use crate::text::spoken_time::longest_in_words;

/// Where an expected gain comes from. None of them is a promise: only a boot decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Basis {
    /// The log prints the number.
    Printed,
    /// Computed from stamps or counts of this log.
    Computed,
    /// Measured by others on another machine.
    Published,
}

/// So the title of what a person writes begins where a log stands beside it.
pub const BESIDE: &str = "beside the log, ";
/// So the evidence of a wait without a time of its own tells how long its lines go on.
pub(crate) const SPAN: &str = "; the stamps of these lines span ";

/// Whose words a title carries. What decides by a title asks this: words are to be read, and may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wording {
    /// bootlab's, of what lines show.
    #[default]
    Own,
    /// bootlab's, of somebody who waits until a limit and gives up.
    GivenUp,
    /// bootlab's, of dates between which no line stands.
    NothingBetween,
    /// bootlab's, of dates between which only one program speaks, or none that shows progress.
    NothingBut,
    /// A line's, that a time-out passed.
    TimedOut,
    /// A mark that a person set at a line of a log.
    Mark,
    /// A text's own statement.
    Statement,
    /// What a text has besides: lists, tables, commands, a guide's sentences.
    Listing,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cost {
    /// What kind of cost it is. What can be done about a kind is not this crate's business.
    pub kind: CostKind,
    /// What was found.
    pub title: String,
    /// Whose words the title carries: for who made it, not for who reads it.
    #[serde(skip)]
    pub wording: Wording,
    /// Time it takes here, if that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_ns: Option<i64>,
    /// Time that may be gained; zero says that it would not help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gain_ns: Option<i64>,
    /// Where `gain_ns` comes from.
    pub basis: Basis,
    /// True when `gain_ns` is an upper bound: the evidence says what is lost again.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_most: bool,
    /// True when `cost_ns` is a lower bound: it was not over by then, or nothing shows when it began.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub at_least: bool,
    /// Physical lines that show it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub lines: Vec<u32>,
    /// Of a silence: the line before it and the line that ends it, in their own words, cut where they are long.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub around: Vec<String>,
    /// The evidence in words, with the numbers behind the computation.
    pub evidence: String,
    /// What to do, with values to use.
    pub advice: String,
}

impl Cost {
    /// A cost of a kind, of which nothing is known yet: for the fields that a finding leaves as they are.
    pub(crate) const fn of(kind: CostKind) -> Self {
        Self {
            kind,
            title: String::new(),
            wording: Wording::Own,
            cost_ns: None,
            gain_ns: None,
            basis: Basis::Computed,
            at_most: false,
            at_least: false,
            lines: Vec::new(),
            around: Vec::new(),
            evidence: String::new(),
            advice: String::new(),
        }
    }

    /// The cost with another's words in its title.
    pub(crate) const fn with(mut self, wording: Wording) -> Self {
        self.wording = wording;
        self
    }

    /// A cost of which nothing tells how long it takes, or what could be gained.
    pub(crate) fn without_time(kind: CostKind, title: String, line: u32, evidence: String, advice: &str) -> Self {
        Self {
            title,
            lines: vec![line],
            evidence,
            advice: advice.to_owned(),
            ..Cost::of(kind)
        }
    }

    /// A cost whose time, where there is one, the log itself prints.
    pub(crate) fn printed(
        kind: CostKind,
        title: String,
        cost_ns: Option<i64>,
        lines: Vec<u32>,
        evidence: String,
        advice: &str,
    ) -> Self {
        Self {
            cost_ns,
            basis: Basis::Printed,
            lines,
            ..Self::without_time(kind, title, 0, evidence, advice)
        }
    }

    /// A cost that a line states. `by`: whose statement the line is ("the table").
    pub(crate) fn stated_by(title: String, ns: i64, line: &Line, by: &str, advice: &str) -> Self {
        let evidence = format!("{} by {by}: `{}`", spell(ns), shorten(line.text.trim()));
        Self::printed(
            CostKind::StatedTime,
            title,
            Some(ns),
            vec![line.number],
            evidence,
            advice,
        )
    }

    /// A silence between two lines. `by`: which of their times tell it.
    pub(crate) fn silence_between(title: String, ns: i64, (from, to): (&Line, &Line), by: &str, advice: &str) -> Self {
        let evidence = format!("{} between lines {} and {}, {by}", spell(ns), from.number, to.number);
        Self {
            cost_ns: Some(ns),
            lines: vec![from.number, to.number],
            ..Self::without_time(CostKind::Silence, title, from.number, evidence, advice)
        }
    }

    /// The line that ends a silence, where it speaks of one device, or says that something failed: then it tells who had
    /// worked.
    pub fn told_by_its_end(&self) -> Option<&str> {
        const FAILS: [&str; 7] = ["ERROR", "ailed", "rror", "imeout", "imed out", "stuck", "nable to"];
        let end = self.around.get(1)?;
        let mut names = end
            .split_ascii_whitespace()
            .take(3)
            .filter_map(|word| word.strip_suffix(':'));
        let device = names.any(|name| name.contains(|c: char| c.is_ascii_digit()));
        (device || end.starts_with('[') || FAILS.iter().any(|word| end.contains(word))).then_some(end)
    }

    /// How long the lines go on that name a wait, where no line says how long it took.
    pub fn stamps_span(&self) -> Option<&str> {
        self.evidence.split_once(SPAN).map(|(_, span)| span)
    }

    /// Does the line that the title quotes state a time itself: `(30 secs)`?
    pub fn quotes_a_time(&self) -> bool {
        let quoted = self.title.split_once('`').map(|(_, quoted)| quoted);
        quoted.is_some_and(|quoted| longest_in_words(&quoted.to_lowercase()).is_some())
    }

    /// What the cost counts for among others: what may be gained; where nothing is known of that, what it takes.
    pub fn weight_ns(&self) -> i64 {
        self.gain_ns.or(self.cost_ns).unwrap_or(1)
    }
}

/// `1.234 s`, `12.345 ms` or `123 us`, for sentences.
pub(crate) fn spell(ns: i64) -> String {
    match ns.unsigned_abs() {
        0..1_000_000 => format!("{} us", ns / 1000),
        1_000_000..1_000_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{:.3} s", ns as f64 / 1e9),
    }
}

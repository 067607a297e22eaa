// SPDX-License-Identifier: MIT
//! Silences of one cause and one subject are one cost.

use super::causes::Named;
use super::cost::{spell, Cost};
use super::kind::CostKind;
use crate::facts::boot::gap::LargeGap;
use crate::text::shorten::shorten;

/// So begins what is said of a silence where little is known of it.
pub(super) const NOTHING: &str = "nothing is printed ";
/// Lines listed of one cost.
const LISTED: usize = 12;

/// What stands between the two lines around a silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meanwhile {
    Nothing,
    /// Words of timers, which say nothing of whether the boot goes on.
    Timers,
    /// Lines without a stamp, of which nobody knows when they came.
    WithoutStamps,
}

impl Meanwhile {
    /// The title of a silence, true of what stands in it.
    fn told(self, title: &str) -> String {
        let more = match self {
            Self::Nothing => return title.to_owned(),
            Self::Timers => "that shows progress ",
            Self::WithoutStamps => "with a stamp ",
        };
        title
            .strip_prefix(NOTHING)
            .map_or_else(|| title.to_owned(), |rest| format!("{NOTHING}{more}{rest}"))
    }
}

/// The silences of one cause and one subject.
pub(super) struct Group<'a> {
    kind: CostKind,
    subject: String,
    sure: bool,
    title: String,
    advice: &'static str,
    words: String,
    gaps: Vec<&'a LargeGap>,
}

impl<'a> Group<'a> {
    /// Adds a silence to the group of its cause and subject.
    pub fn add(groups: &mut Vec<Self>, gap: &'a LargeGap, name: &Named<'_>, meanwhile: Meanwhile) {
        // What the lines carry is not added to what they do not.
        let same = groups
            .iter_mut()
            .find(|group| group.kind == name.cause.kind && group.subject == name.subject && group.sure == name.sure);
        if let Some(group) = same {
            group.gaps.push(gap);
            return;
        }
        groups.push(Self {
            kind: name.cause.kind,
            subject: name.subject.clone(),
            sure: name.sure,
            title: meanwhile.told(name.title().trim_end_matches([':', ' '])),
            advice: name.cause.advice,
            words: shorten(name.line.trim()),
            gaps: vec![gap],
        });
    }

    /// The cost of all of them.
    pub fn cost(mut self) -> Cost {
        self.gaps.sort_by_key(|gap| gap.after_line);
        let ns = self.gaps.iter().map(|gap| gap.duration_ns).fold(0, i64::saturating_add);
        let mut lines: Vec<u32> = self
            .gaps
            .iter()
            .flat_map(|gap| [gap.after_line, gap.before_line])
            .collect();
        lines.dedup();
        lines.truncate(LISTED);
        if !self.sure && self.gaps.len() > 1 {
            self.title.push_str(" and its like");
        }
        let evidence = match self.gaps.as_slice() {
            [gap] => format!("{} between `{}` and `{}`", spell(ns), gap.after, gap.before),
            gaps => format!(
                "{} in {} silences, told by `{}` and its like",
                spell(ns),
                gaps.len(),
                self.words
            ),
        };
        Cost {
            title: self.title,
            cost_ns: Some(ns),
            lines,
            evidence,
            advice: self.advice.to_owned(),
            ..Cost::of(self.kind)
        }
    }
}

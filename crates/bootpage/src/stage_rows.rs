// SPDX-License-Identifier: MIT
//! The table of a boot's stages: what no clock saw is a gap, never nought.

use boottrace::document::boot::Boot;
use boottrace::facts::boot::stage::StageEvent;
use serde::Serialize;

use crate::figures::{grouped_ms, ms, ABSENT};
use crate::names::{end_words, name};
use crate::sureness::{bounded, end_on_axis, sureness};

/// One event, with how long it is to the next one that has a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StageRow {
    /// Its name.
    pub event: String,
    /// Whether the log shows it.
    pub seen: bool,
    /// When, ns; absent where no clock tells.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ns: Option<i64>,
    /// How long, ns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub length_ns: Option<i64>,
    /// When, with the sign of a bound.
    pub at: String,
    /// The same as pages group it.
    pub at_on_page: String,
    /// How long, with the sign of a bound; empty where that is not known.
    pub length: String,
    /// The line that shows it, or why none does.
    pub basis: String,
}

/// Where a boot ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EndRow {
    /// How that end is called.
    pub name: String,
    /// When, ns.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ns: Option<i64>,
    /// Whether it belongs to the boot, so that the axis reaches to it.
    pub on_axis: bool,
    /// When, with the sign of a bound.
    pub at: String,
    /// The same as pages group it.
    pub at_on_page: String,
    /// The last line.
    pub text: String,
}

/// The rows of a boot's events.
pub fn stage_rows(boot: &Boot) -> Vec<StageRow> {
    let end = end_on_axis(boot);
    let row = |(number, stage): (usize, &boottrace::facts::boot::stage::Stage)| {
        let seen = stage.line.is_some();
        let next = boot.stages[number + 1..].iter().find(|later| later.ns.is_some());
        let later = next.and_then(|next| next.ns);
        let later = later.or_else(|| end?.ns.filter(|end| stage.ns.is_some_and(|ns| *end > ns)));
        // Events of one log may come in another order than the classic one: a prompt before the first script.
        let length_ns = stage
            .ns
            .zip(later)
            .and_then(|(ns, later)| later.checked_sub(ns))
            .filter(|ns| *ns >= 0);
        let broke_off = next.is_none() && end.is_some_and(|end| end.at_least);
        let sign = sureness(Some(stage), next, broke_off).sign();
        let at = |text: String| bounded(&text, stage.at_least, stage.at_most);
        let absent = || if seen { "seen" } else { ABSENT }.to_owned();
        StageRow {
            event: name(&stage.event),
            seen,
            ns: stage.ns,
            length_ns,
            at: stage.ns.map_or_else(absent, |ns| at(ms(Some(ns)))),
            at_on_page: stage.ns.map_or_else(absent, |ns| at(grouped_ms(Some(ns)))),
            length: sign
                .zip(length_ns)
                .map_or_else(String::new, |(sign, ns)| format!("{sign}{}", ms(Some(ns)))),
            basis: stage.basis.clone(),
        }
    };
    boot.stages.iter().enumerate().map(row).collect()
}

/// The row of its end.
pub fn end_row(boot: &Boot) -> Option<EndRow> {
    let end = boot.end.as_ref()?;
    let at = |text: String| bounded(&text, end.at_least, end.at_most);
    Some(EndRow {
        name: end_words(end.kind).to_owned(),
        ns: end.ns,
        on_axis: end_on_axis(boot).is_some(),
        at: end.ns.map_or_else(|| ABSENT.to_owned(), |ns| at(ms(Some(ns)))),
        at_on_page: end.ns.map_or_else(|| "seen".to_owned(), |ns| at(grouped_ms(Some(ns)))),
        text: end.text.clone(),
    })
}

/// Whether a row is first use, which a recording that knows its goal stands for.
pub fn is_first_use(row: &StageRow) -> bool {
    row.event == name(&StageEvent::FirstUse)
}

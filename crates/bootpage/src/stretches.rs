// SPDX-License-Identifier: MIT
//! The stages of a boot whose both ends have a time, as a bar draws them.

use boottrace::document::boot::Boot;
use boottrace::document::units::UnitReport;
use boottrace::facts::boot::stage::Stage;
use serde::Serialize;

use crate::boot_words::at;
use crate::names::{end_words, name, stage_of, stage_of_systemd};
use crate::shown::visible;
use crate::sureness::{end_on_axis, sureness, timed, Sureness};

/// One stage: from an event to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Its name, by which pages colour it.
    pub stage: String,
    /// The event that it begins with.
    pub first: String,
    /// The event, or the end of the boot, that it ends with.
    pub last: String,
    /// Where it begins on the axis.
    pub start_ns: i64,
    /// How long it is.
    pub length_ns: i64,
    /// How sure that is.
    pub sure: Sureness,
}

/// An event of a boot that has a time: its name, its time and itself; the end of the boot is none of the stages.
pub struct Mark<'a> {
    /// Its name.
    pub name: String,
    /// Where it is on the axis.
    pub ns: i64,
    stage: Option<&'a Stage>,
    broke_off: bool,
}

/// The events of a boot that have a time, with its end where that is one of them.
pub fn marks(boot: &Boot) -> Vec<Mark<'_>> {
    let mut marks: Vec<Mark> = timed(boot)
        .into_iter()
        .map(|stage| Mark {
            name: name(&stage.event),
            ns: at(stage),
            stage: Some(stage),
            broke_off: false,
        })
        .collect();
    let last = marks.last().map(|mark| mark.ns);
    if let (Some(last), Some((end, ns))) = (last, end_on_axis(boot).and_then(|end| Some((end, end.ns?)))) {
        if ns >= last {
            marks.push(Mark {
                name: end_words(end.kind).to_owned(),
                ns,
                stage: None,
                broke_off: end.at_least,
            });
        }
    }
    marks
}

/// The stages whose both ends have a time. The end of a boot that broke off is such an event too.
pub fn stretches(boot: &Boot) -> Vec<Stretch> {
    let marks = marks(boot);
    let mut out: Vec<(Stretch, &Mark)> = Vec::new();
    for pair in marks.windows(2) {
        let (first, last) = (&pair[0], &pair[1]);
        let sure = sureness(first.stage, last.stage, last.broke_off);
        // Two events of one line are no stage; that a time is not known is.
        if last.ns < first.ns || sure == Sureness::Unknown || last.ns == first.ns && sure == Sureness::Exact {
            continue;
        }
        let stage = stage_of(&first.name).to_owned();
        let joins = out
            .last()
            .is_some_and(|(before, _)| before.stage == stage && before.last == first.name);
        let begin = if joins {
            out.pop().map_or(first, |(_, begin)| begin)
        } else {
            first
        };
        let stretch = Stretch {
            stage,
            first: begin.name.clone(),
            last: last.name.clone(),
            start_ns: begin.ns,
            length_ns: last.ns.saturating_sub(begin.ns),
            sure: sureness(begin.stage, last.stage, last.broke_off),
        };
        out.push((stretch, begin));
    }
    out.into_iter().map(|(stretch, _)| stretch).collect()
}

/// A bar of a page: stage, start, length, from which event to which, and the sign of a bound.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bar(pub String, pub i64, pub i64, pub String, pub &'static str);

/// The bar of a boot's stages.
pub fn boot_bars(boot: &Boot) -> Vec<Bar> {
    stretches(boot)
        .into_iter()
        .filter(|stretch| stretch.length_ns != 0)
        .map(|stretch| {
            let words = format!("{} to {}", stretch.first, stretch.last);
            let sign = stretch.sure.sign().unwrap_or_default();
            Bar(
                visible(&stretch.stage, 80),
                stretch.start_ns,
                stretch.length_ns,
                visible(&words, 80),
                sign,
            )
        })
        .collect()
}

/// The bar of the stages that systemd tells.
pub fn unit_bars(report: &UnitReport) -> Vec<Bar> {
    let mut begin = 0_i64;
    let mut bars = Vec::new();
    for (stage, ns) in report.startup.iter().flat_map(|startup| &startup.parts) {
        let ns = i64::try_from(*ns).unwrap_or(i64::MAX);
        if ns != 0 {
            bars.push(Bar(
                visible(stage_of_systemd(stage), 80),
                begin,
                ns,
                visible(stage, 80),
                "",
            ));
        }
        begin = begin.saturating_add(ns);
    }
    bars
}

/// The sign of a time between two of a boot's events that is known only as a bound.
pub fn sign_between(boot: &Boot, first: &str, last: &str) -> &'static str {
    let marks = marks(boot);
    let named = |wanted: &str| marks.iter().find(|mark| mark.name == wanted);
    let sure = match (named(first), named(last)) {
        (Some(first), Some(last)) => sureness(first.stage, last.stage, last.broke_off),
        _ => return "",
    };
    sure.sign().unwrap_or_default()
}

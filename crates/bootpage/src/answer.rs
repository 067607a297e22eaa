// SPDX-License-Identifier: MIT
//! The figures that a page shows large: how long a boot took, its longest stage, its largest cost.

use boottrace::costs::cost::Cost;
use boottrace::document::boot::Boot;
use boottrace::document::document::{Document, Part};
use boottrace::document::units::UnitReport;
use serde::Serialize;

use crate::boot_words::OWN;
use crate::cost_words::{largest, sure_costs};
use crate::figures::{grouped_ms, percent};
use crate::goal::Goal;
use crate::names::{name, stage_of_systemd};
use crate::shown::visible;
use crate::stretches::stretches;
use crate::unit_words::{is_whole, whole_ns};

/// A figure: its text, its unit, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Figure(pub String, pub String, pub String);

fn figure(text: impl AsRef<str>, unit: &str, what: impl AsRef<str>) -> Figure {
    Figure(
        visible(text.as_ref(), 200),
        unit.to_owned(),
        visible(what.as_ref(), 200),
    )
}

/// What a person asks first: of the last boot, as the terminal does, or of the first report about units that tells it.
/// `goal`: of the last boot, as its recording knows it; then nothing is said that its log alone only bounds.
pub fn answer(document: &Document, wanted: &[&Part], goal: Option<&Goal>) -> Vec<Figure> {
    let boots: Vec<&Boot> = wanted.iter().filter_map(|part| part.boot()).collect();
    let Some(last) = boots.last() else {
        let units = wanted.iter().filter_map(|part| match part {
            Part::Units(report) => Some(of_units(report)),
            _ => None,
        });
        return units.into_iter().find(|told| !told.is_empty()).unwrap_or_default();
    };
    let whole = document.boots().last().is_some_and(|boot| boot.number == last.number);
    if let Some(goal) = goal.filter(|_| whole) {
        let mut told = vec![figure(&goal.figure, "ms", &goal.figure_name)];
        told.extend(largest_cost(&last.costs, &last.costs, silence_ns(last)));
        return told;
    }
    let which = match boots.len() {
        1 => String::new(),
        all => format!("boot {}, the last of {all}: ", last.number),
    };
    of_boot(last, &which)
}

fn of_boot(boot: &Boot, which: &str) -> Vec<Figure> {
    let stages = stretches(boot);
    let mut told = Vec::new();
    if let (Some(first), Some(last)) = (stages.first(), stages.last()) {
        let whole = last
            .start_ns
            .saturating_add(last.length_ns)
            .saturating_sub(first.start_ns);
        let sign = crate::stretches::sign_between(boot, &first.first, &last.last);
        let clock = name(&boot.axis.clock);
        let what = format!("{which}{} to {}, {clock} clock", first.first, last.last);
        told.push(figure(format!("{sign}{}", grouped_ms(Some(whole))), "ms", what));
        let longest = stages.iter().fold(
            first,
            |best, stage| if stage.length_ns > best.length_ns { stage } else { best },
        );
        if stages.len() > 1 {
            let what = format!(
                "of it in the longest stage, {} ({} to {})",
                longest.stage, longest.first, longest.last
            );
            told.push(figure(percent(longest.length_ns, whole), "", what));
        }
    } else {
        let outcome = name(&boot.outcome).replace('-', " ");
        told.push(figure(
            outcome,
            "",
            format!("{which}no two events of this boot have a time"),
        ));
    }
    told.extend(largest_cost(sure_costs(boot), &boot.costs, silence_ns(boot)));
    told
}

fn of_units(report: &UnitReport) -> Vec<Figure> {
    let mut told = Vec::new();
    if let Some(startup) = report.startup.as_ref().filter(|startup| is_whole(startup)) {
        let whole = whole_ns(startup);
        let what = format!("until systemd had started everything, {OWN}");
        told.push(figure(grouped_ms(Some(whole)), "ms", what));
        let mut parts = startup.parts.iter();
        if let Some(first) = parts.next() {
            let (stage, ns) = parts.fold(first, |best, part| if part.1 > best.1 { part } else { best });
            let part = percent(i64::try_from(*ns).unwrap_or(i64::MAX), whole);
            told.push(figure(
                part,
                "",
                format!("of it in the longest stage, {}", stage_of_systemd(stage)),
            ));
        }
    }
    told.extend(largest_cost(&report.costs, &report.costs, 0));
    told
}

fn silence_ns(boot: &Boot) -> i64 {
    boot.longest.as_ref().map_or(0, |stretch| stretch.duration_ns)
}

/// The largest of `costs`. It is called so where none of all that are listed, and no silence, is larger.
fn largest_cost<'a>(costs: impl IntoIterator<Item = &'a Cost>, all: &[Cost], silence_ns: i64) -> Option<Figure> {
    let timed = costs.into_iter().filter(|cost| cost.cost_ns.is_some_and(|ns| ns != 0));
    let cost = largest(timed, |cost| cost.cost_ns.unwrap_or(0))?;
    let text = format!("{}{}", if cost.at_least { "≥ " } else { "" }, grouped_ms(cost.cost_ns));
    let most_ns = all
        .iter()
        .filter_map(|one| one.cost_ns)
        .max()
        .unwrap_or(0)
        .max(silence_ns);
    let of = if cost.cost_ns < Some(most_ns) {
        "one of the costs found"
    } else {
        "the largest cost found"
    };
    Some(figure(text, "ms", format!("{of}: {}", cost.title)))
}

// SPDX-License-Identifier: MIT
//! The data of a page about an input, which the page's script draws. Every text was made visible, every list was cut.

use std::path::Path;

use boottrace::costs::cost::{Basis, Cost};
use boottrace::costs::kind::CostKind;
use boottrace::document::document::{Document, Part};
use boottrace::document::units::UnitReport;
use boottrace::readers::formats::Format;
use boottrace::Packing;
use serde::Serialize;

use crate::answer::{answer, Figure};
use crate::boot_page::boot_page;
use crate::figures::count;
use crate::goal::Goal;
use crate::listing::{on_page, PageCell, PageTable, ROWS_LIMIT};
use crate::plot::Plot;
use crate::shown::show;
use crate::stretches::{unit_bars, Bar};
use crate::unit_tables;

/// Parts that a page shows.
const PARTS_LIMIT: usize = 30;

/// One cost. What helps against its kind is the catalogue's, which the reader of this has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CostRow {
    /// Its kind.
    pub kind: CostKind,
    /// What was found.
    pub title: String,
    /// What it takes, ns.
    pub cost: Option<i64>,
    /// What it may gain, ns.
    pub gain: Option<i64>,
    /// Whether the gain is an upper bound.
    pub at_most: bool,
    /// Whether the cost is a lower bound.
    pub at_least: bool,
    /// Where the gain comes from.
    pub basis: Basis,
    /// The evidence.
    pub evidence: String,
    /// What to do.
    pub advice: String,
}

/// A part of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PagePart {
    /// Its title.
    pub title: String,
    /// What stands below the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
    /// The bar of its stages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bars: Option<Vec<Bar>>,
    /// What went wrong.
    pub alerts: Vec<String>,
    /// Its plot.
    pub plot: Option<Plot>,
    /// Its tables.
    pub tables: Vec<PageTable>,
    /// Its costs.
    pub costs: Vec<CostRow>,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    /// What the page is called.
    pub name: String,
    /// The input.
    pub file: String,
    /// What its bytes were taken for.
    pub detected: Format,
    /// Its lines.
    pub lines: u64,
    /// Its bytes.
    pub bytes: u64,
    /// How it was packed.
    pub packing: String,
    /// What is wrong with it.
    pub problems: Vec<String>,
    /// Its parts; none for a trace and the like, which others draw.
    pub parts: Vec<Option<PagePart>>,
    /// How many more parts there are.
    pub parts_left: usize,
    /// The figures that it shows large.
    pub headline: Vec<Figure>,
    /// What was read as what.
    pub account: Vec<PageTable>,
}

/// Collects everything that a page shows, of one boot only where `boot` names it. `goal`: of the last boot, where a
/// recording knows it.
pub fn page(document: &Document, boot: Option<u32>, goal: Option<&Goal>) -> Page {
    let wanted: Vec<&Part> = match boot {
        None => document.parts.iter().collect(),
        Some(number) => document
            .parts
            .iter()
            .filter(|part| part.boot().is_some_and(|boot| boot.number == number))
            .collect(),
    };
    let last = document.boots().last().map(|boot| boot.number);
    let part = |part: &&Part| match part {
        Part::Boot(boot) => Some(boot_page(boot, goal.filter(|_| last == Some(boot.number)))),
        Part::NotABoot(other) => Some(PagePart {
            title: "Not read as a boot".to_owned(),
            alerts: vec![show(&format!(
                "lines {} to {}: {}: {}",
                other.from_line, other.to_line, other.what, other.why
            ))],
            ..PagePart::default()
        }),
        Part::Units(report) => Some(units_page(report)),
        _ => None,
    };
    let mut problems: Vec<String> = document.input.problems.iter().map(|text| show(text)).collect();
    if let Some(round) = &document.boot_loop {
        problems.push(show(&format!(
            "boot loop: {} boots end with `{}`",
            round.boots, round.ends_with
        )));
    }
    let name = Path::new(&document.name)
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Page {
        name: show(&name.unwrap_or_else(|| document.name.clone())),
        file: show(&document.name),
        detected: document.detected,
        lines: document.lines,
        bytes: document.input.read_bytes,
        packing: document.input.packing.map_or("", Packing::name).to_owned(),
        problems,
        parts: wanted.iter().take(PARTS_LIMIT).map(part).collect(),
        parts_left: wanted.len().saturating_sub(PARTS_LIMIT),
        headline: answer(document, &wanted, goal),
        account: account(document),
    }
}

/// The rows of costs.
pub fn cost_rows(costs: &[Cost]) -> Vec<CostRow> {
    let row = |cost: &Cost| CostRow {
        kind: cost.kind,
        title: show(&cost.title),
        cost: cost.cost_ns,
        gain: cost.gain_ns,
        at_most: cost.at_most,
        at_least: cost.at_least,
        basis: cost.basis,
        evidence: show(&cost.evidence),
        advice: show(&cost.advice),
    };
    costs.iter().map(row).collect()
}

fn units_page(report: &UnitReport) -> PagePart {
    let place = report
        .lines
        .map_or_else(String::new, |(from, to)| format!("Lines {from} to {to}: "));
    let title = show(&format!("{} {}", report.source.name(), report.about));
    PagePart {
        title: format!("{place}{title}"),
        bars: Some(unit_bars(report)),
        plot: unit_tables::units_plot(report),
        tables: on_page(&unit_tables::tables(report)),
        costs: cost_rows(&report.costs),
        ..PagePart::default()
    }
}

/// As what each range of lines was read, and what was left out and why.
fn account(document: &Document) -> Vec<PageTable> {
    let column = |name: &str, right: bool| (name.to_owned(), right);
    let text = |text: String| PageCell::Text(text);
    let number = |value: Option<u64>| {
        let shown = value.map_or_else(|| crate::figures::ABSENT.to_owned(), count);
        PageCell::Number(shown, value.and_then(|value| i64::try_from(value).ok()))
    };
    let read = document.took.iter().map(|took| {
        vec![
            text(format!("{} to {}", took.from_line, took.to_line)),
            text(took.format.clone()),
        ]
    });
    let skipped = document.skipped.iter().map(|skipped| {
        vec![
            number(Some(skipped.count)),
            text(show(&skipped.reason)),
            number(skipped.first_line.map(u64::from)),
        ]
    });
    let table = |caption: &str, columns, rows: Vec<Vec<PageCell>>| PageTable {
        caption: caption.to_owned(),
        lead: String::new(),
        columns,
        left: rows.len().saturating_sub(ROWS_LIMIT),
        rows: rows.into_iter().take(ROWS_LIMIT).collect(),
    };
    vec![
        table(
            "Read as",
            vec![column("lines", false), column("format", false)],
            read.collect(),
        ),
        table(
            "Skipped",
            vec![
                column("count", true),
                column("reason", false),
                column("first line", true),
            ],
            skipped.collect(),
        ),
    ]
}

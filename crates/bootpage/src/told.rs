// SPDX-License-Identifier: MIT
//! What is said of each part of a document, for whoever shows it.

use boottrace::costs::cost::Cost;
use boottrace::document::boot::Boot;
use boottrace::document::document::{Document, Part};
use boottrace::document::units::UnitReport;
use serde::Serialize;

use crate::boot_words::{headline, whole_bound};
use crate::cost_words::CostWords;
use crate::failure_words::{axis_notes, failure_lines};
use crate::listing::TableListing;
use crate::names::boot_name;
use crate::stage_rows::{end_row, stage_rows, EndRow, StageRow};
use crate::unit_words::units_headline;
use crate::{boot_tables, unit_tables};

/// What a document tells, part by part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Told {
    /// Of each part of the document, in its order. Empty for a trace and the like, which others show.
    pub parts: Vec<ToldPart>,
}

/// What one part tells.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToldPart {
    /// What the part is called.
    pub name: String,
    /// The sentences that a person reads first.
    pub headline: Vec<String>,
    /// Those that stand behind the sentence of a recording that knows when the goal came.
    pub beside_goal: Vec<String>,
    /// Its costs, in their order.
    pub costs: Vec<CostWords>,
    /// Its events.
    pub stages: Vec<StageRow>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub end: Option<EndRow>,
    /// How sure the places of clocks on the axis are.
    pub notes: Vec<String>,
    /// What went wrong, one line each.
    pub failures: Vec<String>,
    /// How long the boot was, where its log only bounds that.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bound: Option<String>,
    /// Its tables.
    pub tables: Vec<TableListing>,
}

/// The schema of what this crate writes, by its name.
#[cfg(feature = "schema")]
pub fn schemas() -> Vec<(&'static str, schemars::Schema)> {
    vec![("Told", schemars::schema_for!(Told))]
}

/// Says what a document tells.
pub fn told(document: &Document) -> Told {
    let part = |part: &Part| match part {
        Part::Boot(boot) => of_boot(boot),
        Part::Units(report) => of_units(report),
        _ => ToldPart::default(),
    };
    Told {
        parts: document.parts.iter().map(part).collect(),
    }
}

fn words(costs: &[Cost]) -> Vec<CostWords> {
    costs.iter().map(CostWords::of).collect()
}

fn of_boot(boot: &Boot) -> ToldPart {
    ToldPart {
        name: boot_name(boot),
        headline: headline(boot, None),
        beside_goal: headline(boot, Some("")).split_off(1),
        costs: words(&boot.costs),
        stages: stage_rows(boot),
        end: end_row(boot),
        notes: axis_notes(&boot.axis),
        failures: failure_lines(&boot.failures),
        bound: whole_bound(boot),
        tables: boot_tables::tables(boot),
    }
}

fn of_units(report: &UnitReport) -> ToldPart {
    ToldPart {
        name: report.source.name().to_owned(),
        headline: units_headline(report),
        costs: words(&report.costs),
        tables: unit_tables::tables(report),
        ..ToldPart::default()
    }
}

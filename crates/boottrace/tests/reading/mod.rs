// SPDX-License-Identifier: MIT
//! Short ways to a log's boots, for tests with logs made up in place.

use boottrace::document::units::UnitReport;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::{analyze, Boot, Document, Options, Part};

pub fn read(log: &str) -> Document {
    let options = Options {
        keep_lines: true,
        ..Options::default()
    };
    analyze("log", log.as_bytes(), &options).unwrap()
}

pub fn boots(log: &str) -> Vec<Boot> {
    read(log).boots().cloned().collect()
}

/// When a stage's event came, in whole milliseconds.
#[allow(dead_code)] // not all of the test programs ask for times
pub fn ms(boot: &Boot, event: StageEvent) -> Option<i64> {
    let stage = boot.stages.iter().find(|stage| stage.event == event)?;
    stage.ns.map(|ns| ns / 1_000_000)
}

/// The pasted accounts and lists of units.
#[allow(dead_code)] // few of the test programs ask for them
pub fn unit_reports(document: &Document) -> Vec<&UnitReport> {
    let parts = document.parts.iter();
    parts
        .filter_map(|part| match part {
            Part::Units(report) => Some(report),
            _ => None,
        })
        .collect()
}

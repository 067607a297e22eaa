// SPDX-License-Identifier: MIT
//! The tables and the plot of a report about systemd's units.

use boottrace::document::units::{Unit, UnitReport};

use crate::figures::count;
use crate::listing::{number, time, two_texts, words, Only, TableCell, TableListing};
use crate::names::stage_of_systemd;
use crate::plot::{lane, plot, Plot, Span};

/// Rows of the critical chain that are shown however few are asked for.
const CHAIN_ROWS: u32 = 20;

fn unsigned(ns: Option<u64>) -> Option<i64> {
    ns.map(|ns| i64::try_from(ns).unwrap_or(i64::MAX))
}

fn unit_row(unit: &Unit) -> Vec<TableCell> {
    vec![
        words(unit.unit.as_str()),
        time(unsigned(unit.time_ns)),
        time(unit.start_ns),
        words(unit.result.clone().unwrap_or_default()),
    ]
}

/// All tables, in their order.
pub fn tables(report: &UnitReport) -> Vec<TableListing> {
    let mut parts = Vec::new();
    if let Some(startup) = &report.startup {
        let part = |(name, ns): &(String, u64)| vec![words(name.as_str()), time(unsigned(Some(*ns)))];
        parts.extend(startup.parts.iter().map(part));
        let whole = startup
            .total_ns
            .map(|ns| vec![words("total"), time(unsigned(Some(ns)))]);
        parts.extend(whole);
    }
    let stages: Vec<_> = report
        .stages
        .iter()
        .map(|stage| {
            let length = stage.end_ns.saturating_sub(stage.start_ns);
            vec![
                words(stage.name.as_str()),
                time(Some(stage.start_ns)),
                time(Some(length)),
            ]
        })
        .collect();
    let chain = report.chain.iter().map(|link| {
        let indent = "  ".repeat(link.depth.min(20) as usize);
        vec![
            two_texts(format!("{indent}{}", link.unit), link.unit.clone()),
            number(link.depth.into()),
            time(unsigned(link.at_ns)),
            time(unsigned(link.took_ns)),
        ]
    });
    let columns = vec!["unit", ">ms", ">start, ms", "result"];
    let timed = report.units.iter().filter(|unit| unit.time_ns.is_some());
    vec![
        TableListing {
            title: "Start-up".to_owned(),
            columns: vec!["part", ">ms"],
            rows: parts,
            only: Only::Page,
            ..TableListing::default()
        },
        TableListing {
            title: "Stages".to_owned(),
            columns: vec!["stage", ">start, ms", ">length, ms"],
            least: stages.len() as u32,
            rows: stages,
            only: Only::Terminal,
            ..TableListing::default()
        },
        TableListing {
            title: "Units".to_owned(),
            columns: columns.clone(),
            rows: report.units.iter().map(unit_row).collect(),
            only: Only::Page,
            ..TableListing::default()
        },
        TableListing {
            title: format!("Longest starts of {} units", count(report.units.len() as u64)),
            columns,
            rows: timed.map(unit_row).collect(),
            only: Only::Terminal,
            ..TableListing::default()
        },
        TableListing {
            title: "Critical chain".to_owned(),
            columns: vec!["unit", ">depth", ">active at, ms", ">took, ms"],
            rows: chain.collect(),
            narrow: vec![1],
            least: CHAIN_ROWS,
            ..TableListing::default()
        },
    ]
}

/// The units on the time axis.
pub fn units_plot(report: &UnitReport) -> Option<Plot> {
    let stages = report.stages.iter().map(|stage| {
        let length = stage.end_ns.saturating_sub(stage.start_ns);
        Span(
            stage_of_systemd(&stage.name).to_owned(),
            stage.start_ns,
            length,
            stage.name.clone(),
        )
    });
    let units = report.units.iter().filter_map(|unit| {
        let start = unit.start_ns?;
        let length = unit.end_ns.unwrap_or(start).saturating_sub(start);
        Some(Span(
            unit.unit.clone(),
            start,
            length,
            unit.result.clone().unwrap_or_default(),
        ))
    });
    let lanes = vec![
        lane("stages", stages.collect(), ""),
        lane("units", units.collect(), "user space"),
    ];
    plot("Units", lanes, Vec::new())
}

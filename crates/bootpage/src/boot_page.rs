// SPDX-License-Identifier: MIT
//! One boot as a part of a page.

use std::collections::BTreeMap;

use boottrace::document::boot::Boot;
use boottrace::facts::boot::alignment::Fit;
use boottrace::facts::kernel::probe::{Probe, ProbeResult};

use crate::boot_tables::{remarks, tables};
use crate::boot_words::headline;
use crate::failure_words::{axis_notes, failure_lines};
use crate::figures::grouped_ms;
use crate::goal::Goal;
use crate::listing::{on_page, PageCell, PageTable, TableListing, ROWS_LIMIT};
use crate::names::{boot_name, name, stage_of};
use crate::page::{cost_rows, PagePart};
use crate::plot::{lane, plot, Lane, Plot, PlotMark, Span};
use crate::shown::{show, visible};
use crate::stage_rows::{end_row, is_first_use, stage_rows};
use crate::stretches::{boot_bars, marks};

/// Characters of the sentences that a page says first.
const HEADLINE_LIMIT: usize = 1200;

/// Collects one boot. `goal`: as its recording knows it, which the log's own clock can only bound.
pub fn boot_page(boot: &Boot, goal: Option<&Goal>) -> PagePart {
    let release = boot
        .kernel
        .banner
        .as_ref()
        .map_or("no kernel banner found", |banner| banner.release.as_str());
    let machine = boot.kernel.machine.as_deref().unwrap_or_default();
    let outcome = name(&boot.outcome).replace('-', " ");
    let sentences = headline(boot, goal.map(|goal| goal.sentence.as_str())).join(" ");
    let subtitle = format!("lines {} to {}, {outcome}. {sentences}", boot.from_line, boot.to_line);
    let shown = &boot.failures[..boot.failures.len().min(ROWS_LIMIT)];
    let mut all = vec![stages(boot, goal), blind_spots(boot)];
    all.retain(|table| !table.rows.is_empty());
    let mut told = tables(boot);
    if goal.is_some() {
        told = told.into_iter().map(TableListing::beside_goal).collect();
    }
    all.extend(on_page(&told));
    PagePart {
        title: show(&format!("{}: {release} {machine}", boot_name(boot))),
        subtitle: Some(visible(&subtitle, HEADLINE_LIMIT)),
        bars: Some(boot_bars(boot)),
        alerts: failure_lines(shown).iter().map(|text| show(text)).collect(),
        plot: timeline(boot),
        tables: all,
        costs: cost_rows(&boot.costs),
    }
}

fn table(caption: &str, columns: [(&str, bool); 3], rows: Vec<Vec<PageCell>>, lead: String) -> PageTable {
    PageTable {
        caption: caption.to_owned(),
        lead,
        columns: columns.map(|(name, right)| (name.to_owned(), right)).to_vec(),
        rows,
        left: 0,
    }
}

fn event(event: &str, at: String, ns: Option<i64>, text: &str) -> Vec<PageCell> {
    vec![
        PageCell::Text(event.to_owned()),
        PageCell::Number(at, ns),
        PageCell::Text(show(text)),
    ]
}

fn stages(boot: &Boot, goal: Option<&Goal>) -> PageTable {
    let known = stage_rows(boot);
    let shown = known.into_iter().filter(|row| goal.is_none() || !is_first_use(row));
    let mut rows: Vec<_> = shown
        .map(|row| event(&row.event, row.at_on_page, row.ns, &row.basis))
        .collect();
    rows.extend(end_row(boot).map(|end| event(&end.name, end.at_on_page, end.ns, &end.text)));
    rows.extend(goal.map(|goal| event("goal", goal.at.clone(), goal.at_ns, &goal.evidence)));
    let mut lead = vec![format!(
        "On the {} clock; 0 is {}.",
        name(&boot.axis.clock),
        show(&boot.axis.origin)
    )];
    lead.extend(axis_notes(&boot.axis).iter().map(|note| show(note)));
    table(
        "Stages",
        [("event", false), ("at, ms", true), ("evidence", false)],
        rows,
        lead.join(" "),
    )
}

fn blind_spots(boot: &Boot) -> PageTable {
    let row = |spot: &boottrace::facts::boot::blind_spot::BlindSpot| {
        let length = spot
            .duration_ns
            .map_or_else(|| "unknown".to_owned(), |ns| grouped_ms(Some(ns)));
        event(&name(&spot.kind), length, spot.duration_ns, &spot.why)
    };
    let rows = boot.blind_spots.iter().take(ROWS_LIMIT).map(row).collect();
    table(
        "Gaps that no clock saw",
        [("gap", false), ("length, ms", true), ("why", false)],
        rows,
        String::new(),
    )
}

fn timeline(boot: &Boot) -> Option<Plot> {
    let drawn = |place: &&boottrace::facts::boot::alignment::Alignment| place.fit != Fit::Drifts;
    let places: BTreeMap<String, i64> = boot
        .axis
        .alignments
        .iter()
        .filter(drawn)
        .map(|place| (name(&place.clock), place.offset_ns))
        .collect();
    let offset = places.get(&name(&boot.kernel_clock)).copied();
    let shift = offset.unwrap_or(0);
    let marks = if offset.is_some() { marks(boot) } else { Vec::new() };
    let mut lanes = Vec::new();
    if marks.len() > 1 {
        let pairs = marks.windows(2).filter(|pair| pair[1].ns >= pair[0].ns);
        let span = |pair: &[crate::stretches::Mark]| {
            let (first, last) = (&pair[0], &pair[1]);
            let words = format!("{} to {}", first.name, last.name);
            Span(
                stage_of(&first.name).to_owned(),
                first.ns,
                last.ns.saturating_sub(first.ns),
                words,
            )
        };
        lanes.push(lane("stages", pairs.map(span).collect(), ""));
    }
    if let Some(path) = &boot.critical_path {
        let span = |part: &boottrace::facts::boot::critical_path::PathSegment| {
            Span(
                part.label.clone(),
                part.start_ns.saturating_add(shift),
                part.duration_ns,
                name(&part.kind),
            )
        };
        lanes.push(lane("way to init", path.segments.iter().map(span).collect(), "kernel"));
    }
    lanes.extend(initcalls(boot, shift));
    lanes.extend(probes(boot, shift));
    let clock = if offset.is_some() {
        boot.axis.clock
    } else {
        boot.kernel_clock
    };
    let instant = |mark: &crate::stretches::Mark| PlotMark {
        name: show(&mark.name),
        at: mark.ns,
    };
    let label = format!("Timeline of boot {}, {} clock", boot.number, name(&clock));
    plot(&label, lanes, marks.iter().map(instant).collect())
}

/// One lane for the first task, one for all others: modules are loaded by hundreds of tasks.
fn initcalls(boot: &Boot, shift: i64) -> Vec<Lane> {
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for call in &boot.kernel.initcalls {
        let Some(start) = call.start_ns.or(call.end_ns) else {
            continue;
        };
        let printed = call.printed_us.map(|us| format!("printed {us} us"));
        let words: Vec<String> = printed
            .into_iter()
            .chain([remarks(call)])
            .filter(|text| !text.is_empty())
            .collect();
        let length = call.end_ns.unwrap_or(start).saturating_sub(start);
        let span = Span(call.label(), start.saturating_add(shift), length, words.join("; "));
        if matches!(call.pid, None | Some(0 | 1)) {
            first.push(span);
        } else {
            others.push(span);
        }
    }
    vec![
        lane("initcalls, pid 1", first, "kernel"),
        lane("initcalls, other", others, "kernel"),
    ]
}

fn probes(boot: &Boot, shift: i64) -> Vec<Lane> {
    let lanes = [("probes", false), ("deferred probes", true)];
    let span = |probe: &Probe| {
        let (start, end) = probe.start_ns.zip(probe.end_ns)?;
        let words = format!("returned {}", probe.returned);
        Some(Span(
            probe.device.clone(),
            start.saturating_add(shift),
            end.saturating_sub(start),
            words,
        ))
    };
    let chosen = |deferred: bool| {
        let all = boot.kernel.probes.iter();
        all.filter(move |probe| (probe.result == ProbeResult::Deferred) == deferred)
            .filter_map(span)
            .collect()
    };
    lanes
        .map(|(title, deferred)| lane(title, chosen(deferred), "kernel"))
        .into()
}

// SPDX-License-Identifier: MIT
//! Plots of a page: lanes of spans on one clock.

use serde::Serialize;

use crate::shown::show;

/// Spans of a lane that a page draws.
const SPANS_LIMIT: usize = 4000;

/// A span: name, start, length, detail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Span(pub String, pub i64, pub i64, pub String);

/// A lane of a plot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lane {
    /// Its name.
    pub name: String,
    /// The stage that all spans belong to, whose colour they get.
    pub stage: &'static str,
    /// How many shorter spans were left out.
    pub cut: usize,
    /// The longest spans.
    pub spans: Vec<Span>,
}

/// A named instant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlotMark {
    /// Its name.
    pub name: String,
    /// When.
    pub at: i64,
}

/// A plot of one clock, from `start` to `end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plot {
    /// Its title.
    pub label: String,
    /// Its lanes.
    pub lanes: Vec<Lane>,
    /// Its marks.
    pub marks: Vec<PlotMark>,
    /// Where it begins.
    pub start: i64,
    /// Where it ends.
    pub end: i64,
}

/// A lane of the longest spans.
pub fn lane(name: &str, mut spans: Vec<Span>, stage: &'static str) -> Lane {
    spans.sort_by_key(|span| std::cmp::Reverse(span.2));
    let cut = spans.len().saturating_sub(SPANS_LIMIT);
    spans.truncate(SPANS_LIMIT);
    let safe = |Span(name, start, length, detail): Span| Span(show(&name), start, length.max(0), show(&detail));
    Lane {
        name: show(name),
        stage,
        cut,
        spans: spans.into_iter().map(safe).collect(),
    }
}

/// A plot, if there is anything to draw.
pub fn plot(label: &str, lanes: Vec<Lane>, marks: Vec<PlotMark>) -> Option<Plot> {
    let lanes: Vec<Lane> = lanes.into_iter().filter(|lane| !lane.spans.is_empty()).collect();
    let spans = lanes.iter().flat_map(|lane| &lane.spans);
    let ends = spans.flat_map(|span| [span.1, span.1.saturating_add(span.2)]);
    let times: Vec<i64> = ends.chain(marks.iter().map(|mark| mark.at)).collect();
    let (start, end) = (*times.iter().min()?, *times.iter().max()?);
    (!lanes.is_empty()).then(|| Plot {
        label: show(label),
        lanes,
        marks,
        start,
        end,
    })
}

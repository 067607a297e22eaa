// SPDX-License-Identifier: MIT
//! Lanes of a plot on a page: the longest spans of the tracks that have most, as one JSON list.

use std::io::{self, Write};

use serde::Serialize;

use crate::timeline::tracks::Timeline;

/// Tracks drawn.
pub const MAX_LANES: usize = 12;
/// Spans drawn of one track; shorter ones are counted.
pub const MAX_SPANS: usize = 2000;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Lane<'a> {
    name: &'a str,
    /// Name, start and length in nanoseconds, category.
    spans: Vec<(&'a str, i64, u64, &'a str)>,
    /// Spans that found no room.
    cut: usize,
}

/// Writes the lanes. Open spans have length 0.
///
/// # Errors
/// Those of `out`.
pub fn write(timeline: &Timeline, out: &mut impl Write) -> io::Result<()> {
    let mut lanes: Vec<Lane<'_>> = timeline
        .tracks
        .iter()
        .filter(|track| !track.spans.is_empty())
        .map(|track| {
            let mut spans: Vec<_> = track
                .spans
                .iter()
                .map(|span| {
                    let length = span.duration_ns().unwrap_or(0);
                    (span.name.as_str(), span.start_ns, length, span.category.as_str())
                })
                .collect();
            spans.sort_by_key(|(_, start, length, _)| (std::cmp::Reverse(*length), *start));
            let cut = spans.len().saturating_sub(MAX_SPANS);
            spans.truncate(MAX_SPANS);
            Lane {
                name: &track.name,
                spans,
                cut,
            }
        })
        .collect();
    lanes.sort_by_key(|lane| std::cmp::Reverse(lane.spans.len() + lane.cut));
    lanes.truncate(MAX_LANES);
    serde_json::to_writer(out, &lanes).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::tracks::{Span, Track};

    #[test]
    fn the_longest_spans_are_drawn() {
        let spans = (0..3000)
            .map(|n| Span::new("f", "function", n * 10, n * 10 + n))
            .collect();
        let track = Track {
            name: "task".to_owned(),
            spans,
            ..Track::default()
        };
        let timeline = Timeline {
            tracks: vec![track, Track::default()],
            ..Timeline::default()
        };
        let mut out = Vec::new();
        write(&timeline, &mut out).unwrap();
        let lanes: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(lanes.as_array().unwrap().len(), 1);
        assert_eq!(lanes[0]["cut"], 1000);
        assert_eq!(lanes[0]["spans"][0], serde_json::json!(["f", 29990, 2999, "function"]));
    }
}

// SPDX-License-Identifier: MIT
//! The single calls that were kept, as a timeline.

use super::stacks::Calls;
use crate::timeline::tracks::{Span, Timeline, Track};

impl Calls {
    /// The kept spans, one track a task. Empty without [`SpanLimits`](super::stacks::SpanLimits) or stamps.
    pub fn timeline(&self, title: &str, clock: &str) -> Timeline {
        let mut tracks: Vec<Track> = self
            .tasks
            .iter()
            .map(|task| Track {
                name: task.label.clone(),
                ..Track::default()
            })
            .collect();
        for &(task, name, start_ns, end_ns) in &self.spans {
            let span = Span::new(self.names.text(name), "function", start_ns, end_ns);
            tracks[task as usize].spans.push(span);
        }
        tracks.retain(|track| !track.spans.is_empty());
        Timeline {
            title: title.to_owned(),
            clock: clock.to_owned(),
            args: Vec::new(),
            tracks,
        }
    }
}

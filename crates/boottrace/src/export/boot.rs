// SPDX-License-Identifier: MIT
//! One boot as a timeline for the exporters.

use std::collections::BTreeMap;

use crate::document::analyze::Analyzed;
use crate::document::boot::Boot;
use crate::facts::kernel::probe::ProbeResult;
use crate::timeline::tracks::{Instant, Span, Timeline, Track};

/// The text a value has in JSON.
fn word(value: impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

impl Analyzed {
    /// The timeline of one boot (counted from 1), or of the first thing that has one.
    pub fn timeline(&self, boot: Option<u32>) -> Option<Timeline> {
        let mut boots = self.document.boots();
        if let Some(number) = boot {
            return boots
                .find(|boot| boot.number == number)
                .map(|boot| boot.timeline(&self.document.name));
        }
        let of_boot = || boots.next().map(|boot| boot.timeline(&self.document.name));
        self.timelines.first().cloned().or_else(of_boot)
    }
}

impl Boot {
    /// Stages, critical path, initcalls by task and probes on the boot's axis. What lies on a clock that could not be
    /// placed on the axis is left out when it would share the axis with another clock.
    pub fn timeline(&self, name: &str) -> Timeline {
        let kernel_on_axis = self.axis.alignment(self.kernel_clock).is_some();
        let place = |ns: i64| self.axis.place(self.kernel_clock, ns).unwrap_or(ns);
        let mut tracks = Vec::new();
        if kernel_on_axis {
            tracks.push(self.stage_track());
        }
        tracks.push(self.path_track(&place));
        tracks.extend(self.initcall_tracks(&place));
        tracks.push(self.probe_track(&place));
        tracks.retain(|track| !track.spans.is_empty() || !track.instants.is_empty());
        let clock = if kernel_on_axis {
            self.axis.clock
        } else {
            self.kernel_clock
        };
        let release = self
            .kernel
            .banner
            .as_ref()
            .map(|banner| ("kernel".to_owned(), banner.release.clone()));
        Timeline {
            title: format!("{name}, boot {}", self.number),
            clock: word(clock),
            args: release.into_iter().collect(),
            tracks,
        }
    }

    fn stage_track(&self) -> Track {
        let known: Vec<(String, i64)> = self
            .stages
            .iter()
            .filter_map(|stage| Some((word(stage.event), stage.ns?)))
            .collect();
        let spans = known
            .windows(2)
            .map(|pair| Span::new(format!("{} to {}", pair[0].0, pair[1].0), "stage", pair[0].1, pair[1].1));
        Track {
            name: "stages".into(),
            spans: spans.collect(),
            instants: known
                .iter()
                .map(|(name, at_ns)| Instant {
                    name: name.clone(),
                    category: "stage".into(),
                    at_ns: *at_ns,
                    args: Vec::new(),
                })
                .collect(),
            counters: Vec::new(),
        }
    }

    fn path_track(&self, place: &impl Fn(i64) -> i64) -> Track {
        let segments = self.critical_path.iter().flat_map(|path| &path.segments);
        let spans = segments.map(|segment| {
            let end_ns = segment.start_ns.saturating_add(segment.duration_ns);
            Span::new(
                &segment.label,
                word(segment.kind),
                place(segment.start_ns),
                place(end_ns),
            )
        });
        Track {
            name: "critical path".into(),
            spans: spans.collect(),
            ..Track::default()
        }
    }

    fn initcall_tracks(&self, place: &impl Fn(i64) -> i64) -> Vec<Track> {
        let mut tracks: BTreeMap<u32, Track> = BTreeMap::new();
        for call in &self.kernel.initcalls {
            let Some(start_ns) = call.start_ns.or(call.end_ns) else {
                continue;
            };
            let pid = call.pid.unwrap_or(1);
            let mut span = Span::new(call.label(), "initcall", place(start_ns), 0);
            span.end_ns = call.end_ns.map(place);
            let facts = [
                ("printed_us", call.printed_us.map(|us| us.to_string())),
                ("returned", call.returned.map(|value| value.to_string())),
                ("level", call.level.clone()),
                ("line", call.start_line.map(|line| line.to_string())),
            ];
            span.args.extend(
                facts
                    .into_iter()
                    .filter_map(|(key, value)| Some((key.to_owned(), value?))),
            );
            span.args
                .extend(call.flags.iter().map(|flag| ("flag".to_owned(), word(flag))));
            let track = tracks.entry(pid).or_insert_with(|| Track {
                name: format!("initcalls of pid {pid}"),
                ..Track::default()
            });
            track.spans.push(span);
        }
        tracks.into_values().collect()
    }

    fn probe_track(&self, place: &impl Fn(i64) -> i64) -> Track {
        let spans = self.kernel.probes.iter().filter_map(|probe| {
            let (start_ns, end_ns) = (probe.start_ns?, probe.end_ns?);
            let category = if probe.result == ProbeResult::Deferred {
                "deferred probe"
            } else {
                "probe"
            };
            let mut span = Span::new(&probe.device, category, place(start_ns), place(end_ns));
            span.args = vec![
                ("returned".into(), probe.returned.to_string()),
                ("printed_us".into(), probe.printed_us.to_string()),
            ];
            Some(span)
        });
        Track {
            name: "probes".into(),
            spans: spans.collect(),
            ..Track::default()
        }
    }
}

// SPDX-License-Identifier: MIT
//! The SVG of `systemd-analyze plot`: stages and units, back from pixels to times.
//!
//! Format: `produce_plot_as_svg()` in systemd's `src/analyze/analyze-plot.c`. The scale comes from the picture's own time
//! axis, so pictures with `--scale-svg` are right too. A time is as exact as the picture: a thousandth of a pixel.

use std::io::{self, Read};

use serde::Serialize;

use super::systemd_analyze::StartupTime;
use super::unit::UnitTimes;
use crate::readers::skipped::Skipped;
use crate::text::lines;
use crate::timeline::tracks::{Span, Timeline, Track};

/// Units kept.
pub const MAX_UNITS: usize = 200_000;

/// A stage: `firmware`, `loader`, `kernel`, `initrd`, `systemd`, `security`, `generators`, `unitsload`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stage {
    /// Its name, as the picture's class.
    pub name: String,
    /// Start, nanoseconds since the kernel's start (firmware and loader lie before it).
    pub start_ns: i64,
    /// End.
    pub end_ns: i64,
}

/// A picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Plot {
    /// The text line of `systemd-analyze time`.
    pub time: Option<StartupTime>,
    /// Line about the system and its kernel.
    pub host: String,
    /// Stages.
    pub stages: Vec<Stage>,
    /// Units, in the order drawn.
    pub units: Vec<UnitTimes>,
    /// What was not understood.
    pub skipped: Skipped,
}

impl Plot {
    /// Stages and units on the kernel's clock.
    pub fn timeline(&self, title: &str) -> Timeline {
        let span = |stage: &Stage| Span::new(&stage.name, "stage", stage.start_ns, stage.end_ns);
        let stages = Track {
            name: "stages".into(),
            spans: self.stages.iter().map(span).collect(),
            ..Track::default()
        };
        let tracks = vec![stages, super::unit::track(&self.units)];
        Timeline {
            title: title.to_owned(),
            clock: "monotonic".into(),
            args: Vec::new(),
            tracks,
        }
    }
}

/// What the head of a file says about being such a picture: a confidence from 0 to 1.
pub fn detect(head: &[u8]) -> Option<f32> {
    let svg = memchr::memmem::find(head, b"<svg").is_some();
    let ours = memchr::memmem::find(head, b"systemd-analyze").is_some()
        || memchr::memmem::find(head, b"rect.unitsload").is_some();
    (svg && ours).then_some(1.0)
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    tag[start..].split('"').next()
}

/// Thousandths of a pixel, exactly as printed.
fn milli_pixels(text: &str) -> Option<i64> {
    let value: f64 = text.trim().parse().ok()?;
    (value.abs() < 1e12).then_some((value * 1000.0).round() as i64)
}

fn unescape(text: &str) -> String {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'");
    text.replace("&apos;", "'").replace("&amp;", "&")
}

struct Bar {
    class: String,
    x: i64,
    width: i64,
}

#[derive(Default)]
struct Reader {
    plot: Plot,
    /// Bars since the last name.
    bars: Vec<Bar>,
    rows: Vec<(String, Vec<Bar>)>,
    /// Axis labels: milli-pixels and nanoseconds.
    axis: Vec<(i64, i64)>,
    inside: bool,
    over: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        let mut rest = line;
        while let Some(open) = rest.find('<') {
            let Some(close) = rest[open..].find('>').map(|at| open + at) else {
                break;
            };
            let tag = &rest[open..=close];
            let content = rest[close + 1..].split('<').next().unwrap_or("");
            self.tag(tag, content);
            rest = &rest[close + 1..];
        }
    }

    fn tag(&mut self, tag: &str, content: &str) {
        if tag.starts_with("<g ") {
            self.over |= self.inside;
            self.inside = true;
        } else if tag == "</g>" && self.inside {
            self.over = true;
        } else if tag.starts_with("<rect ") && self.inside && !self.over {
            let place = attribute(tag, "x")
                .and_then(milli_pixels)
                .zip(attribute(tag, "width").and_then(milli_pixels));
            match (attribute(tag, "class"), place) {
                (Some("box" | "background"), _) => {}
                (Some(class), Some((x, width))) if self.bars.len() < 64 => {
                    self.bars.push(Bar {
                        class: class.to_owned(),
                        x,
                        width,
                    });
                }
                _ => self.plot.skipped.note("bar without place", tag.as_bytes()),
            }
        } else if tag.starts_with("<text ") && !self.over {
            self.text(tag, content);
        }
    }

    fn text(&mut self, tag: &str, content: &str) {
        let text = unescape(content);
        if let Some(at) = text.find("Startup finished in ") {
            let target = self.plot.time.take();
            self.plot.time = StartupTime::parse(&text[at + 20..]).or(target);
        } else if attribute(tag, "class").is_some_and(|class| class.contains("sec")) {
            let seconds = text.strip_suffix('s').and_then(|text| text.parse::<f64>().ok());
            let label = attribute(tag, "x").and_then(milli_pixels).zip(seconds);
            if let Some((x, seconds)) = label.filter(|_| self.axis.len() < 10_000) {
                self.axis.push((x, (seconds * 1e9).round() as i64));
            }
        } else if self.inside && !self.bars.is_empty() {
            if self.rows.len() < MAX_UNITS {
                let bars = std::mem::take(&mut self.bars);
                self.rows.push((text, bars));
            } else {
                self.plot.skipped.note("more units than are kept", tag.as_bytes());
                self.bars.clear();
            }
        } else if !self.inside && self.plot.host.is_empty() {
            text.trim().clone_into(&mut self.plot.host);
        }
    }

    fn finish(mut self) -> Plot {
        // 100 pixels a second unless the axis says otherwise.
        let (first, last) = (self.axis.first().copied(), self.axis.last().copied());
        let scale = match (first, last) {
            (Some((x0, t0)), Some((x1, t1))) if x1 != x0 && t1 != t0 => (t1 - t0) as f64 / (x1 - x0) as f64,
            _ => 10_000.0,
        };
        let kernel = self
            .rows
            .iter()
            .flat_map(|(_, bars)| bars)
            .find(|bar| bar.class == "kernel")
            .map_or(0, |b| b.x);
        let ns = |x: i64| ((x - kernel) as f64 * scale).round() as i64;
        for (text, bars) in std::mem::take(&mut self.rows) {
            let stage = |bar: &&Bar| !matches!(bar.class.as_str(), "activating" | "active" | "deactivating");
            let has_stage = bars.iter().any(|bar| stage(&bar));
            if has_stage {
                for bar in &bars {
                    let name = if stage(&bar) { bar.class.clone() } else { text.clone() };
                    self.plot.stages.push(Stage {
                        name,
                        start_ns: ns(bar.x),
                        end_ns: ns(bar.x + bar.width),
                    });
                }
                continue;
            }
            let find = |class: &str| bars.iter().find(|bar| bar.class == class);
            let (name, time) = text.rsplit_once(" (").map_or((text.as_str(), None), |(name, time)| {
                (name, super::duration::parse(time.trim_end_matches(')')))
            });
            let end = bars.iter().map(|bar| bar.x + bar.width).max().unwrap_or(0);
            let stopped = find("deactivating").filter(|bar| bar.x < end || bar.width > 0);
            self.plot.units.push(UnitTimes {
                unit: name.trim().to_owned(),
                activating_ns: find("activating").map(|bar| ns(bar.x)),
                activated_ns: find("active").map(|bar| ns(bar.x)),
                deactivating_ns: stopped.map(|bar| ns(bar.x)),
                deactivated_ns: stopped.map(|bar| ns(bar.x + bar.width)),
                time_ns: time,
                result: None,
            });
        }
        self.plot
    }
}

/// Reads a picture.
///
/// # Errors
/// Those of `reader`.
pub fn parse<R: Read>(reader: R) -> io::Result<Plot> {
    let mut state = Reader::default();
    let mut pending = String::new();
    let read = lines::for_each_line(reader, |bytes| {
        let line = String::from_utf8_lossy(bytes);
        // The title is two lines of one text element.
        if let Some((target, ns)) = line.split('<').next().and_then(StartupTime::parse_target) {
            let time = state.plot.time.get_or_insert_with(StartupTime::default);
            time.target = Some(target);
            time.target_after_ns = Some(ns);
        }
        if pending.is_empty() && line.rfind('<').is_none_or(|open| line[open..].contains('>')) {
            state.line(&line);
        } else if pending.len() + line.len() < 64 * 1024 {
            pending.push_str(&line);
            pending.push('\n');
            if pending.rfind('<').is_none_or(|open| pending[open..].contains('>')) {
                state.line(&pending);
                pending.clear();
            }
        } else {
            state.plot.skipped.note("tag that does not end", bytes);
            pending.clear();
        }
    })?;
    let mut plot = state.finish();
    plot.skipped.add("line cut (too long)", read.cut_lines);
    Ok(plot)
}

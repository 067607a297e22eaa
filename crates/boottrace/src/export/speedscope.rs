// SPDX-License-Identifier: MIT
//! speedscope's file format: one evented profile a lane, or one sampled profile for a merged call tree.
//!
//! Format: `https://www.speedscope.app/file-format-schema.json`.

use std::collections::HashMap;
use std::io::{self, Write};

use super::lanes;
use super::lanes::Edge;
use crate::text::printable as text;
use crate::timeline::tracks::Timeline;
use crate::timeline::tree::Tree;

/// Call paths deeper than this are cut; the schema repeats the whole path for each sample.
pub const MAX_DEPTH: usize = 512;

#[derive(Default)]
struct Frames<'a> {
    index: HashMap<&'a str, usize>,
    names: Vec<&'a str>,
}

impl<'a> Frames<'a> {
    fn get(&mut self, name: &'a str) -> usize {
        *self.index.entry(name).or_insert_with(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"\"shared\":{\"frames\":[")?;
        for (i, name) in self.names.iter().enumerate() {
            write!(
                out,
                "{}{{\"name\":{}}}",
                if i == 0 { "" } else { "," },
                text::json(name)
            )?;
        }
        out.write_all(b"]}")
    }
}

fn head(out: &mut impl Write, title: &str) -> io::Result<()> {
    out.write_all(b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"bootlab\",")?;
    write!(
        out,
        "\"name\":{},\"activeProfileIndex\":0,\"profiles\":[",
        text::json(title)
    )
}

/// Writes each lane of each track as an evented profile. Instants and counters have no place in this format.
///
/// A span that never ended is drawn to the end of the timeline.
///
/// # Errors
/// Those of `out`.
pub fn write<W: Write>(timeline: &Timeline, mut out: W) -> io::Result<()> {
    let (low_ns, high_ns) = timeline.bounds_ns().unwrap_or((0, 0));
    let mut frames = Frames::default();
    head(&mut out, &format!("{} ({})", timeline.title, timeline.clock))?;
    let mut first = true;
    for track in &timeline.tracks {
        for (number, lane) in lanes::assign(&track.spans).lanes.iter().enumerate() {
            let name = if number == 0 {
                track.name.clone()
            } else {
                format!("{} #{}", track.name, number + 1)
            };
            write!(
                out,
                "{}\n{{\"type\":\"evented\",\"name\":{},\"unit\":\"nanoseconds\",\"startValue\":{low_ns},\"endValue\":{high_ns},\"events\":[",
                if first { "" } else { "," },
                text::json(&name)
            )?;
            first = false;
            let mut comma = "";
            let mut open: Vec<usize> = Vec::new();
            for edge in lane {
                let (kind, index, at_ns) = match *edge {
                    Edge::Begin(i) => ("O", i, track.spans[i].start_ns),
                    Edge::End(i) => (
                        "C",
                        i,
                        track.spans[i].end_ns.unwrap_or(high_ns).max(track.spans[i].start_ns),
                    ),
                };
                if kind == "O" {
                    open.push(index);
                } else {
                    open.pop();
                }
                let frame = frames.get(&track.spans[index].name);
                write!(out, "{comma}{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{at_ns}}}")?;
                comma = ",";
            }
            while let Some(index) = open.pop() {
                let frame = frames.get(&track.spans[index].name);
                write!(out, "{comma}{{\"type\":\"C\",\"frame\":{frame},\"at\":{high_ns}}}")?;
            }
            out.write_all(b"]}")?;
        }
    }
    out.write_all(b"\n],")?;
    frames.write(&mut out)?;
    out.write_all(b"}\n")?;
    out.flush()
}

/// Writes a merged call tree as one sampled profile: a sample for each path with weight.
///
/// # Errors
/// Those of `out`.
pub fn write_tree<W: Write>(tree: &Tree, mut out: W) -> io::Result<()> {
    let mut frames = Frames::default();
    head(&mut out, &format!("{} ({})", tree.title, tree.clock))?;
    let weighted: Vec<usize> = (1..tree.nodes.len()).filter(|&i| tree.nodes[i].self_ns > 0).collect();
    let total: u64 = weighted
        .iter()
        .map(|&i| tree.nodes[i].self_ns)
        .fold(0, u64::saturating_add);
    write!(
        out,
        "\n{{\"type\":\"sampled\",\"name\":{},\"unit\":\"nanoseconds\",\"startValue\":0,\"endValue\":{total},\"samples\":[",
        text::json(&tree.title)
    )?;
    for (i, &leaf) in weighted.iter().enumerate() {
        let mut path = Vec::new();
        let mut at = leaf;
        while at != 0 && path.len() < MAX_DEPTH {
            path.push(frames.get(&tree.nodes[at].name).to_string());
            let parent = tree.nodes[at].parent;
            at = if parent < at { parent } else { 0 };
        }
        path.reverse();
        write!(out, "{}[{}]", if i == 0 { "" } else { "," }, path.join(","))?;
    }
    out.write_all(b"],\"weights\":[")?;
    for (i, &leaf) in weighted.iter().enumerate() {
        write!(out, "{}{}", if i == 0 { "" } else { "," }, tree.nodes[leaf].self_ns)?;
    }
    out.write_all(b"]}\n],")?;
    frames.write(&mut out)?;
    out.write_all(b"}\n")?;
    out.flush()
}

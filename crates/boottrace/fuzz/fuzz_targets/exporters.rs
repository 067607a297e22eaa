// SPDX-License-Identifier: MIT
//! Any names and any times through every exporter: what comes out is valid, and nothing leaves its field.
#![no_main]

use boottrace::export::{bootgraph_svg, chrome, csv, folded, perfetto, speedscope};
use boottrace::timeline::tracks::{Counter, Instant, Span, Timeline, Track};
use boottrace::timeline::tree::Tree;
use libfuzzer_sys::fuzz_target;

/// Eight bytes of times and a name for each line.
fn timeline(data: &[u8]) -> (Timeline, Tree) {
    let mut track = Track::default();
    let mut tree = Tree::new("t", "c");
    for line in data.split(|&byte| byte == b'\n') {
        let (numbers, name) = line.split_at(line.len().min(9));
        let mut bytes = [0; 9];
        bytes[..numbers.len()].copy_from_slice(numbers);
        let kind = bytes[8];
        let start = i64::from(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        let length = i64::from(i32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]));
        // The ends of the scale too.
        let start = if kind & 0x10 != 0 { start << 32 } else { start };
        let name = String::from_utf8_lossy(name).into_owned();
        tree.push(usize::from(kind) % tree.nodes.len(), name.clone(), u64::from(bytes[0]), 1);
        match kind % 4 {
            0 | 1 => {
                let mut span = Span::new(name.clone(), name.clone(), start, start.saturating_add(length));
                span.end_ns = span.end_ns.filter(|_| kind & 0x20 == 0);
                span.args.push((name.clone(), name));
                track.spans.push(span);
            }
            2 => track.instants.push(Instant {
                name: name.clone(),
                category: name.clone(),
                at_ns: start,
                args: vec![(name.clone(), name)],
            }),
            _ => track.counters.push(Counter {
                name: name.clone(),
                unit: name,
                points: vec![(start, length as f64), (start, f64::from_bits(length as u64))],
            }),
        }
    }
    track.name = String::from_utf8_lossy(data).into_owned();
    let timeline = Timeline {
        title: track.name.clone(),
        clock: track.name.clone(),
        args: vec![(track.name.clone(), track.name.clone())],
        tracks: vec![track],
    };
    (timeline, tree)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

fuzz_target!(|data: &[u8]| {
    let (timeline, tree) = timeline(data);
    let written = |write: &dyn Fn(&mut Vec<u8>) -> std::io::Result<()>| {
        let mut out = Vec::new();
        write(&mut out).expect("a vector");
        out
    };
    for json in [
        written(&|out| chrome::write(&timeline, out)),
        written(&|out| speedscope::write(&timeline, out)),
        written(&|out| speedscope::write_tree(&tree, out)),
    ] {
        serde_json::from_slice::<serde::de::IgnoredAny>(&json).expect("valid JSON");
        assert!(!text(json).contains('<'), "may stand in HTML");
    }
    let rows = text(written(&|out| csv::write(&timeline, out)));
    let things: usize = timeline
        .tracks
        .iter()
        .map(|track| track.spans.len() + track.instants.len() + 2 * track.counters.len())
        .sum();
    assert_eq!(rows.lines().count(), things + 1, "one row for each thing");
    for line in text(written(&|out| folded::write_tree(&tree, out))).lines() {
        let (_, weight) = line.rsplit_once(' ').expect("a weight");
        weight.parse::<u64>().expect("a number");
    }
    let options = bootgraph_svg::Options::default();
    let svg = text(written(&|out| bootgraph_svg::write(&timeline, &options, out)));
    // Quotes and angle brackets from outside are escaped, so every `<` begins one of our own tags.
    assert!(svg.split('<').skip(1).all(|tag| tag.starts_with(['/', '!', '?']) || OWN.iter().any(|own| tag.starts_with(own))));
    written(&|out| folded::write(&timeline, out));
    written(&|out| perfetto::write(&timeline, out));
});

const OWN: [&str; 9] = ["svg", "g", "rect", "text", "title", "line", "circle", "style", "path"];

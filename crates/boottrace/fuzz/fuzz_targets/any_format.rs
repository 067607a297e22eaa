// SPDX-License-Identifier: MIT
//! The whole way from bytes to JSON and to every exporter, for whatever format the bytes are detected as.
#![no_main]

use boottrace::document::invariants::broken;
use boottrace::export::{bootgraph_svg, chrome, csv, folded, perfetto, speedscope};
use boottrace::{Analyzed, Limits, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let limits = Limits { input_bytes: 64 << 10, lines: 1000, boots: 10, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let Ok(analyzed) = Analyzed::from_bytes("fuzz", data, &options, true) else { return };
    assert_eq!(broken(&analyzed.document), Vec::<String>::new());
    serde_json::to_vec(&analyzed.document).expect("every document has a JSON form");
    let mut sink = Vec::new();
    if let Some(timeline) = analyzed.timeline(None) {
        chrome::write(&timeline, &mut sink).expect("a vector");
        serde_json::from_slice::<serde::de::IgnoredAny>(&sink).expect("valid JSON");
        csv::write(&timeline, &mut sink).expect("a vector");
        perfetto::write(&timeline, &mut sink).expect("a vector");
        speedscope::write(&timeline, &mut sink).expect("a vector");
        folded::write(&timeline, &mut sink).expect("a vector");
        bootgraph_svg::write(&timeline, &bootgraph_svg::Options::default(), &mut sink).expect("a vector");
    }
    for tree in &analyzed.trees {
        speedscope::write_tree(tree, &mut sink).expect("a vector");
        folded::write_tree(tree, &mut sink).expect("a vector");
    }
});

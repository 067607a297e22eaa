// SPDX-License-Identifier: MIT
//! Text of ftrace's function_graph tracer: lines, call tree, tables and flame graph.
#![no_main]

use boottrace::readers::calls::function_graph::{detect, Reader};
use boottrace::text::lines::for_each_line_of;
use boottrace::readers::calls::tables::{call_paths, functions, SortBy};
use boottrace::readers::calls::stacks::SpanLimits;
use boottrace::export::folded;
use libfuzzer_sys::fuzz_target;

const SPANS: SpanLimits = SpanLimits { min_ns: 0, max_count: 50 };

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let mut reader = Reader::new(Some(SPANS));
    let read = for_each_line_of(data, |line| reader.line(line));
    let trace = reader.finish(read);
    assert_eq!(trace.read.bytes, data.len() as u64);
    for row in functions(&trace.calls, SortBy::SelfTime) {
        assert!(row.self_ns <= row.elapsed_ns.saturating_mul(row.count.max(1)));
    }
    call_paths(&trace.calls, 3);
    let mut sink = Vec::new();
    folded::write_tree(&trace.calls.tree.export(&trace.calls.names, "t", "c"), &mut sink).expect("a vector");
});

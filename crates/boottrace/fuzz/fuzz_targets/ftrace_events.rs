// SPDX-License-Identifier: MIT
//! Text of ftrace events, of the function tracer, and of `trace-cmd report`.
#![no_main]

use boottrace::readers::calls::events_text::{detect, parse};
use boottrace::readers::calls::tables::{functions, SortBy};
use boottrace::readers::calls::stacks::SpanLimits;
use libfuzzer_sys::fuzz_target;

const SPANS: SpanLimits = SpanLimits { min_ns: 0, max_count: 50 };

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let trace = parse(data, Some(SPANS)).expect("a slice cannot fail");
    functions(&trace.events.calls, SortBy::Elapsed);
    trace.events.timeline("t");
});

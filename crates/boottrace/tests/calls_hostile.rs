// SPDX-License-Identifier: MIT
//! No reader panics on any bytes, and none loses count of its lines.

use std::io::Cursor;

use boottrace::export;
use boottrace::readers::calls::stacks::SpanLimits;
use boottrace::readers::calls::tables::{call_paths, functions, SortBy};
use boottrace::readers::calls::{events_text, function_graph, kd, kfi, perf_script, show_delta, trace_dat};
use boottrace::readers::userspace::{bootchart, journal, systemd_analyze, systemd_plot, systemd_plot_json};
use proptest::prelude::*;

const SPANS: Option<SpanLimits> = Some(SpanLimits {
    min_ns: 0,
    max_count: 1000,
});

fn every_reader(bytes: &[u8]) {
    let _ = (
        function_graph::detect(bytes),
        events_text::detect(bytes),
        kfi::detect(bytes),
        kd::detect(bytes),
    );
    let _ = (
        show_delta::detect(bytes),
        perf_script::detect(bytes),
        trace_dat::detect(bytes),
        journal::detect(bytes),
    );
    let _ = (
        bootchart::detect(bytes),
        systemd_analyze::detect(bytes),
        systemd_plot::detect(bytes),
    );
    let _ = systemd_plot_json::detect(bytes);
    let graph = function_graph::parse(bytes, SPANS).expect("a slice cannot fail");
    for row in functions(&graph.calls, SortBy::SelfTime) {
        assert!(row.self_ns <= row.elapsed_ns.saturating_mul(row.count.max(1)));
    }
    call_paths(&graph.calls, 10);
    let mut sink = Vec::new();
    export::folded::write_tree(&graph.calls.tree.export(&graph.calls.names, "t", "c"), &mut sink).expect("a vector");
    let timeline = graph.calls.timeline("t", "c");
    export::perfetto::write(&timeline, &mut sink).expect("a vector");
    let mut json = Vec::new();
    export::chrome::write(&timeline, &mut json).expect("a vector");
    serde_json::from_slice::<serde_json::Value>(&json).expect("valid JSON from any input");
    let events = events_text::parse(bytes, SPANS).expect("a slice cannot fail");
    events.events.timeline("t");
    functions(
        &kfi::parse(bytes, SPANS).expect("a slice cannot fail").calls,
        SortBy::Time,
    );
    functions(
        &perf_script::parse(bytes).expect("a slice cannot fail").calls,
        SortBy::Time,
    );
    kd::parse(bytes).expect("a slice cannot fail");
    show_delta::parse(bytes).expect("a slice cannot fail");
    journal::parse(bytes).expect("a slice cannot fail");
    systemd_analyze::parse_text(bytes).expect("a slice cannot fail");
    systemd_plot::parse(bytes).expect("a slice cannot fail");
    let _ = (
        systemd_plot_json::parse(bytes),
        bootchart::parse(bytes),
        trace_dat::parse(Cursor::new(bytes), SPANS),
    );
}

/// Pieces that the readers look for, glued in any order.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 46] = [
        " 0) ",
        "|",
        "  4.221 us ",
        "+ ",
        "! ",
        "f",
        "() {",
        "();",
        "}",
        " /* ",
        " */",
        "\n",
        "\r\n",
        " ",
        "  ",
        "=>",
        "a-1",
        "==========> |",
        "<==========",
        "CPU:1 [LOST 5 EVENTS]",
        "1.000000",
        " [001] ",
        "....",
        ": ",
        "initcall_start: func=",
        "initcall_finish: func=f ret=",
        "sched_switch: ",
        "a:1 [1] R ==> b:2 [1]",
        "18446744073709551615",
        "-",
        "-1",
        "\t",
        "<-",
        "funcgraph_entry: ",
        "#",
        "----- -----",
        "Function  Count  Time",
        " Entry Delta PID Trace",
        "Startup finished in ",
        "1min 3s",
        "(kernel) + ",
        "= ",
        "<rect class=\"active\" x=\"1e300\" width=\"9\"/>",
        "<text class=\"left\">",
        "<g >",
        "MESSAGE\n",
    ];
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..120).prop_map(|parts| parts.concat().into_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        every_reader(&bytes);
    }

    #[test]
    fn likely_pieces(bytes in pieces()) {
        every_reader(&bytes);
    }

    #[test]
    fn exporters_nest_any_spans(spans in prop::collection::vec((any::<i16>(), any::<i16>(), any::<bool>()), 0..60)) {
        let spans: Vec<boottrace::timeline::Span> = spans.into_iter().map(|(start, end, open)| {
            let mut span = boottrace::timeline::Span::new("s", "", i64::from(start), i64::from(end));
            if open { span.end_ns = None; }
            span
        }).collect();
        let lanes = export::lanes::assign(&spans);
        let mut seen = 0;
        for lane in &lanes.lanes {
            let mut stack = Vec::new();
            let mut last = i64::MIN;
            for edge in lane {
                match *edge {
                    export::lanes::Edge::Begin(i) => {
                        seen += 1;
                        prop_assert!(spans[i].start_ns >= last);
                        last = spans[i].start_ns;
                        stack.push(i);
                    }
                    export::lanes::Edge::End(i) => {
                        // Open spans have no end and may lie above.
                        while stack.last().is_some_and(|&top| spans[top].end_ns.is_none()) { stack.pop(); }
                        prop_assert_eq!(stack.pop(), Some(i));
                        let end_ns = spans[i].end_ns.unwrap_or(i64::MAX).max(spans[i].start_ns);
                        prop_assert!(end_ns >= last);
                        last = end_ns;
                    }
                }
            }
        }
        prop_assert_eq!(seen + lanes.overflow.len(), spans.len());
    }
}

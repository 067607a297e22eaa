// SPDX-License-Identifier: MIT
//! Writes a `trace.dat` of function_graph events, for benchmarks: `write_trace_dat FILE CALLS`.

#[allow(dead_code)] // the tests use all of it
#[path = "../tests/calls_trace_dat/writer.rs"]
mod writer;

use std::process::ExitCode;

use writer::{Packing, Writer};

/// Records that fit into a page, whatever they are.
const A_PAGE: usize = 64;
const FUNCTIONS: [u64; 3] = [0xffff_0000_2000, 0xffff_0000_3000, 0xffff_0000_4000];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, calls] = words.as_slice() else {
        eprintln!("usage: write_trace_dat FILE CALLS");
        return ExitCode::from(2);
    };
    let Ok(calls) = calls.parse::<u64>() else {
        eprintln!("write_trace_dat: {calls} is no number of calls");
        return ExitCode::from(2);
    };
    let mut trace = Writer::new(6, Packing::Plain, false, 8);
    trace.a_page = A_PAGE;
    let mut now = 1_000;
    // One call of the first function calls the two others in turn.
    for n in 0..calls / 3 {
        let start = now;
        trace.graph_entry(0, start, 1, FUNCTIONS[0], 0);
        for callee in &FUNCTIONS[1..] {
            trace.graph_entry(0, now + 100, 1, *callee, 1);
            now += 500 + n % 97;
            trace.graph_exit(0, 1, *callee, 1, (now - 300, now));
        }
        now += 100;
        trace.graph_exit(0, 1, FUNCTIONS[0], 0, (start, now));
        now += 100;
    }
    match std::fs::write(file, trace.finish()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("write_trace_dat: cannot write {file}: {error}");
            ExitCode::from(2)
        }
    }
}

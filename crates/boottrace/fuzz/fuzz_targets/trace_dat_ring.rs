// SPDX-License-Identifier: MIT
//! Pages of the ring buffer after a well-formed header of trace.dat: records, time extensions, events' fields.
#![no_main]

#[allow(dead_code)] // the tests use all of it
#[path = "../../tests/calls_trace_dat/writer.rs"]
mod writer;

use std::io::Cursor;
use std::sync::OnceLock;

use boottrace::readers::calls::trace_dat::parse;
use boottrace::readers::calls::stacks::SpanLimits;
use libfuzzer_sys::fuzz_target;
use writer::{Packing, Writer};

const PAGE: usize = 4096;
const SPANS: SpanLimits = SpanLimits { min_ns: 0, max_count: 50 };
static FILES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();

/// One page for each of two processors, in either byte order; the pages are overwritten.
fn files() -> [Vec<u8>; 2] {
    [false, true].map(|big| {
        let mut writer = Writer::new(6, Packing::Plain, big, 8);
        for cpu in 0..2 {
            writer.level(cpu, 1_000, 1, "device");
        }
        writer.finish()
    })
}

fuzz_target!(|data: &[u8]| {
    let Some((choice, records)) = data.split_first() else { return };
    let big = choice & 1 != 0;
    let mut file = FILES.get_or_init(files)[usize::from(big)].clone();
    let first = file.len() - 2 * PAGE;
    let middle = records.len() / 2;
    for (cpu, half) in [&records[..middle], &records[middle..]].into_iter().enumerate() {
        let half = &half[..half.len().min(PAGE - 16)];
        let length = half.len() as u64;
        let page = &mut file[first + cpu * PAGE..][..PAGE];
        page[8..16].copy_from_slice(&if big { length.to_be_bytes() } else { length.to_le_bytes() });
        page[16..].fill(0);
        page[16..16 + half.len()].copy_from_slice(half);
    }
    let trace = parse(Cursor::new(file), Some(SPANS)).expect("the header is good");
    assert!(trace.cpus <= 2);
    trace.events.timeline("t");
});

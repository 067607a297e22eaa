// SPDX-License-Identifier: MIT
//! trace-cmd's file: header, formats, sections, packed pages.
#![no_main]

use std::io::Cursor;

use boottrace::readers::calls::trace_dat::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    if let Ok(trace) = parse(Cursor::new(data), None) {
        assert!(trace.records <= data.len() as u64 * 4096, "records need bytes");
    }
});

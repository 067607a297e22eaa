// SPDX-License-Identifier: MIT
//! Rows of time tables after a report's header.
#![no_main]

use boottrace::{analyze, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let log = [b"U-Boot 2024.01\nTimer summary in microseconds (3 records):\n", data].concat();
    let document = analyze("fuzz", &log, &Options::default()).expect("never empty");
    assert!(document.parts.len() as u64 <= document.lines + 1);
});

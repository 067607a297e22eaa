// SPDX-License-Identifier: MIT
//! Bootchart's archive: tar headers and what lies between them.
#![no_main]

use boottrace::readers::userspace::bootchart::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    if let Ok(chart) = parse(data) {
        chart.timeline("t");
    }
});

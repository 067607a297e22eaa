// SPDX-License-Identifier: MIT
//! Reports of `kd`: tables of any columns, and traces.
#![no_main]

use boottrace::readers::calls::kd::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    parse(data).expect("a slice cannot fail");
});

// SPDX-License-Identifier: MIT
//! Text of `perf script`.
#![no_main]

use boottrace::readers::calls::perf_script::{detect, parse};
use boottrace::readers::calls::tables::{functions, SortBy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let samples = parse(data).expect("a slice cannot fail");
    functions(&samples.calls, SortBy::SelfTime);
});

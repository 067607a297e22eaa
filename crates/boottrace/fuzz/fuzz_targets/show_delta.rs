// SPDX-License-Identifier: MIT
//! Output of `scripts/show_delta`, and the kernel log that is left without the deltas.
#![no_main]

use boottrace::readers::calls::show_delta::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let deltas = parse(data).expect("a slice cannot fail");
    assert!(deltas.kernel_text().lines().count() >= deltas.lines.len());
});

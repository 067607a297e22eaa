// SPDX-License-Identifier: MIT
//! Detection of the format: every detector on every input, and the one that wins.
#![no_main]

use boottrace::readers::formats::{detect, DETECTORS};
use boottrace::Packing;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let best = DETECTORS.iter().filter_map(|detector| (detector.detect)(data)).max();
    assert_eq!(detect(data).map(|(_, confidence)| confidence), best);
    let _ = Packing::detect(data);
});

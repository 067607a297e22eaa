// SPDX-License-Identifier: MIT
//! Output of strace, with and without a goal.
#![no_main]

use boottrace::readers::strace::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    parse(data, None).expect("a slice cannot fail");
    parse(data, Some("ready")).expect("a slice cannot fail");
});

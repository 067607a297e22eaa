// SPDX-License-Identifier: MIT
//! KFI and KFT logs.
#![no_main]

use boottrace::readers::calls::kfi::{detect, parse};
use boottrace::readers::calls::tables::{functions, SortBy};
use boottrace::readers::calls::stacks::SpanLimits;
use libfuzzer_sys::fuzz_target;

const SPANS: SpanLimits = SpanLimits { min_ns: 0, max_count: 50 };

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let log = parse(data, Some(SPANS)).expect("a slice cannot fail");
    functions(&log.calls, SortBy::SelfTime);
});

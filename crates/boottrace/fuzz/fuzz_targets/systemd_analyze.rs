// SPDX-License-Identifier: MIT
//! `systemd-analyze` time, blame and critical-chain, and the durations that systemd prints.
#![no_main]

use boottrace::document::units::UnitReport;
use boottrace::readers::userspace::duration;
use boottrace::readers::userspace::systemd_analyze::{detect, parse_text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let found = parse_text(data).expect("a slice cannot fail");
    UnitReport::of_text(&found);
    let _ = duration::parse(&String::from_utf8_lossy(data));
});

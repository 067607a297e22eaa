// SPDX-License-Identifier: MIT
//! SVG of `systemd-analyze plot`.
#![no_main]

use boottrace::document::units::UnitReport;
use boottrace::readers::userspace::systemd_plot::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let plot = parse(data).expect("a slice cannot fail");
    UnitReport::of_plot(&plot);
    plot.timeline("t");
});

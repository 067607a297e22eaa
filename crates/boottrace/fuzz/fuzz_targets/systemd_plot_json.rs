// SPDX-License-Identifier: MIT
//! JSON of `systemd-analyze plot`.
#![no_main]

use boottrace::document::units::UnitReport;
use boottrace::readers::userspace::systemd_plot_json::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    if let Ok(table) = parse(data) {
        UnitReport::of_table(&table);
    }
});

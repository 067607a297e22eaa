// SPDX-License-Identifier: MIT
//! `journalctl -o export`, with its binary fields.
#![no_main]

use boottrace::document::units::UnitReport;
use boottrace::readers::userspace::journal::{detect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    for boot in &parse(data).expect("a slice cannot fail").boots {
        UnitReport::of_journal(boot);
        boot.timeline();
        boot.text();
    }
});

// SPDX-License-Identifier: MIT
//! `dmesg --json`: a line of text a record, and the reader of boot logs takes the text.
#![no_main]

use boottrace::readers::dmesg_json::{detect, parse};
use boottrace::{analyze, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = detect(data);
    let records = parse(data).expect("a slice cannot fail");
    let lines = records.text.matches('\n').count();
    // A message costs at least its key and two quotes.
    assert!(lines <= data.len() / 8, "more lines than records");
    assert!(records.text.is_empty() || records.text.ends_with('\n'));
    let _ = analyze("fuzz", data, &Options::default());
});

// SPDX-License-Identifier: MIT
//! The whole way from bytes to JSON, for text of any kind.
#![no_main]

use boottrace::document::invariants::broken;
use boottrace::{analyze, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(document) = analyze("fuzz", data, &Options { keep_lines: true, ..Options::default() }) {
        lines_within_input(&document);
        assert_eq!(broken(&document), Vec::<String>::new());
    }
});

/// Numbers of lines stay within the input.
fn lines_within_input(document: &boottrace::Document) {
    for took in &document.took {
        assert!(u64::from(took.to_line) <= document.lines);
    }
}

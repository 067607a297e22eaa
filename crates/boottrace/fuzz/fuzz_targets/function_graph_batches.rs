// SPDX-License-Identifier: MIT
//! The two threads of the function_graph reader against the reader that takes one line after the other.
#![no_main]

use boottrace::readers::calls::function_graph::{parse, Reader};
use boottrace::text::lines::for_each_line_of;
use boottrace::readers::calls::tables::{functions, SortBy};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let batches = parse(data, None).expect("a slice cannot fail");
    let mut reader = Reader::new(None);
    let read = for_each_line_of(data, |line| reader.line(line));
    let lines = reader.finish(read);
    assert_eq!(batches.read, lines.read);
    assert_eq!(batches.skipped, lines.skipped);
    assert_eq!(functions(&batches.calls, SortBy::Count), functions(&lines.calls, SortBy::Count));
});

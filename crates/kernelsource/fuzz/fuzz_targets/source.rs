// SPDX-License-Identifier: MIT
//! C and assembly of a kernel tree, which may be a vendor's.
#![no_main]

use kernelsource::{scan_assembly, scan_c, Definition};
use libfuzzer_sys::fuzz_target;

/// What every definition is, whatever the text.
fn check(found: &[Definition], text: &[u8]) {
    let lines = 1 + text.iter().filter(|&&byte| byte == b'\n').count();
    for definition in found {
        assert!(!definition.name.is_empty());
        assert!((1..=lines).contains(&(definition.line as usize)));
        // Nothing is made up: a name is made of the text's own words and a few prefixes. Bytes that are no UTF-8
        // become one character each at most.
        assert!(definition.name.chars().count() <= text.len() + 64);
    }
}

fuzz_target!(|data: &[u8]| {
    check(&scan_c(data), data);
    check(&scan_assembly(data), data);
});

// SPDX-License-Identifier: MIT
//! LAVA records around any message.
#![no_main]

use boottrace::{analyze, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut log = Vec::new();
    for message in data.split(|b| *b == b'\n') {
        log.extend_from_slice(b"- {\"dt\": \"2026-11-20T10:00:00.5\", \"lvl\": \"target\", \"msg\": \"");
        log.extend_from_slice(message);
        log.extend_from_slice(b"\"}\n");
    }
    let _ = analyze("fuzz", &log, &Options::default());
});

// SPDX-License-Identifier: MIT
//! Messages after a well-formed stamp: initcalls, probes, milestones, faults.
#![no_main]

use boottrace::{analyze, Options};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut log = b"[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n".to_vec();
    for (n, message) in data.split(|b| *b == b'\n').enumerate() {
        log.extend_from_slice(format!("[{:5}.{:06}] ", n / 10, n).as_bytes());
        log.extend_from_slice(message);
        log.push(b'\n');
    }
    let document = analyze("fuzz", &log, &Options::default()).expect("never empty");
    for path in document.boots().filter_map(|boot| boot.critical_path.as_ref()) {
        let sum: i64 = path.segments.iter().map(|s| s.duration_ns).sum();
        assert_eq!(sum, path.to_ns - path.from_ns, "the way to init adds up");
    }
});

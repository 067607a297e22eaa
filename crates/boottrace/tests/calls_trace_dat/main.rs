// SPDX-License-Identifier: MIT
//! `trace.dat`: files made here, read back, and where trace-cmd is installed checked against its own report.

mod writer;

use boottrace::readers::calls::tables::{functions, SortBy};
use boottrace::readers::calls::trace_dat::Error;
use boottrace::readers::calls::trace_dat::{detect, parse, Trace};
use std::io::Cursor;
use writer::{Packing, Writer};

/// An initcall on processor 0 that calls two functions, and a worker on processor 1.
fn boot(packing: Packing, version: u32, big: bool, header_commit: usize) -> Writer {
    let mut w = Writer::new(version, packing, big, header_commit);
    let (init, probe, delay, work) = (0xffff_0000_1000, 0xffff_0000_2000, 0xffff_0000_3000, 0xffff_0000_4000);
    w.level(0, 1_000, 1, "device");
    w.initcall_start(0, 2_000, 1, init);
    w.graph_entry(0, 3_000, 1, probe, 0);
    w.graph_entry(0, 4_000, 1, delay, 1);
    w.graph_exit(0, 1, delay, 1, (4_000, 504_000));
    w.graph_exit(0, 1, probe, 0, (3_000, 600_000));
    w.initcall_finish(0, 700_000, 1, init, -19);
    // Far enough for a time-extend record.
    w.switch(0, 900_000_000, ("swapper/0", 1), ("kworker/0:1", 30));
    w.switch(0, 900_250_000, ("kworker/0:1", 30), ("swapper/0", 1));
    w.print(0, 900_300_000, 1, "hello");
    w.graph_entry(1, 5_000, 30, work, 0);
    w.graph_exit(1, 30, work, 0, (5_000, 45_000));
    w
}

fn check(trace: &Trace, version: u32) {
    assert_eq!(trace.version, version);
    assert_eq!(trace.records, 12);
    assert_eq!(trace.events.skipped.total(), 0, "{:?}", trace.events.skipped);
    let call = &trace.events.initcalls[0];
    assert_eq!(
        (call.function.as_str(), call.level.as_deref()),
        ("demo_init", Some("device"))
    );
    assert_eq!(
        (call.start_ns, call.end_ns, call.returned),
        (2_000, Some(700_000), Some(-19))
    );
    let rows = functions(&trace.events.calls, SortBy::SelfTime);
    let row = |name: &str| rows.iter().find(|row| row.function == name).expect(name).clone();
    assert_eq!(row("demo_delay").self_ns, 500_000);
    assert_eq!(
        (row("demo_probe").elapsed_ns, row("demo_probe").self_ns),
        (597_000, 97_000)
    );
    assert_eq!(
        (row("demo_probe").max_sub.as_str(), row("demo_probe").max_sub_count),
        ("demo_delay", 1)
    );
    assert_eq!(row("demo_work [mod]").self_ns, 40_000);
    assert_eq!(trace.events.tasks[&30].run_ns, 250_000);
    assert_eq!(trace.events.marks[0].text, "hello");
    assert_eq!(trace.events.bounds_ns, Some((1_000, 900_300_000)));
    assert_eq!(trace.cpus, 2);
}

#[test]
fn versions_packings_and_byte_orders_say_the_same() {
    for (version, packing) in [
        (6, Packing::Plain),
        (7, Packing::Plain),
        (7, Packing::Zlib),
        (7, Packing::Zstd),
    ] {
        for (big, commit) in [(false, 8), (true, 8), (false, 4)] {
            let file = boot(packing, version, big, commit).finish();
            assert_eq!(detect(&file), Some(1.0));
            let trace = parse(Cursor::new(file), None).expect("a good file");
            check(&trace, version);
        }
    }
}

#[test]
fn cut_files_are_errors_or_counted_and_never_panic() {
    for (version, packing) in [(6, Packing::Plain), (7, Packing::Zlib), (7, Packing::Zstd)] {
        let file = boot(packing, version, false, 8).finish();
        let mut good = 0;
        for length in (0..file.len()).step_by(7) {
            match parse(Cursor::new(&file[..length]), None) {
                Ok(trace) => {
                    good += 1;
                    assert!(trace.records < 12 || trace.events.skipped.total() > 0 || length + 4096 > file.len());
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
        assert!(good < file.len() / 7);
    }
}

#[test]
fn damaged_bytes_never_panic() {
    for (version, packing) in [(6, Packing::Plain), (7, Packing::Plain), (7, Packing::Zlib)] {
        let file = boot(packing, version, false, 8).finish();
        for at in (0..file.len()).step_by(13) {
            let mut bad = file.clone();
            bad[at] ^= 0x81;
            let _ = parse(Cursor::new(bad), None);
        }
    }
}

#[test]
fn a_bomb_is_refused() {
    let mut file = boot(Packing::Zlib, 7, false, 8).finish();
    // The first packed section says it unpacks to 4 GB.
    let size = writer::first_packed_section(&file) + 4;
    file[size..size + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(parse(Cursor::new(file), None), Err(Error::Damaged { .. })));
}

#[test]
fn foreign_files_get_a_way_out() {
    let error = parse(Cursor::new(b"[    0.000000] Linux version"), None).expect_err("no trace.dat");
    assert!(matches!(error, Error::Magic));
    assert!(detect(b"# tracer: nop").is_none());
}

#[test]
fn trace_cmd_reads_the_same() {
    if std::process::Command::new("trace-cmd")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("skipped: trace-cmd is not installed");
        return;
    }
    // Debian's trace-cmd is built without zlib.
    for (version, packing) in [(6, Packing::Plain), (7, Packing::Plain), (7, Packing::Zstd)] {
        let path = std::env::temp_dir().join(format!("boottrace-{}-{version}-{packing:?}.dat", std::process::id()));
        std::fs::write(&path, boot(packing, version, false, 8).finish()).expect("the folder for temporary files");
        let report = std::process::Command::new("trace-cmd")
            .arg("report")
            .arg("-t")
            .arg("-i")
            .arg(&path)
            .output();
        let report = report.expect("trace-cmd runs");
        std::fs::remove_file(&path).expect("just written");
        let (text, errors) = (
            String::from_utf8_lossy(&report.stdout),
            String::from_utf8_lossy(&report.stderr),
        );
        assert!(report.status.success(), "{version} {packing:?}: {text} {errors}");
        let lines: Vec<&str> = text.lines().filter(|line| line.contains("] ")).collect();
        // It prints the worker's entry and exit as one line.
        assert_eq!(lines.len(), 11, "{version} {packing:?}: {text} {errors}");
        assert!(text.contains("demo_probe() {"), "{text}");
        assert!(text.contains("0.900300000: print:"), "{text}");
        // Its text, read by the reader of texts, gives the same calls as the file itself.
        let trace = boottrace::readers::calls::events_text::parse(text.as_bytes(), None).expect("text");
        let rows = functions(&trace.events.calls, SortBy::SelfTime);
        assert_eq!(rows[0].function, "demo_delay");
        assert_eq!(rows[0].self_ns, 500_000);
        assert_eq!(trace.events.tasks[&30].run_ns, 250_000);
    }
}

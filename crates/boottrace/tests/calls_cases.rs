// SPDX-License-Identifier: MIT
//! Public logs of others, which are not part of this repository. Read from the folder BOOTLAB_CASES, skipped without it.

use std::fs::File;
use std::path::PathBuf;

use boottrace::readers::calls::tables::{functions, FunctionRow, SortBy};
use boottrace::readers::calls::{events_text, function_graph, kd, kfi, show_delta};
use boottrace::readers::userspace::{bootchart, systemd_analyze, systemd_plot};

fn case(name: &str) -> Option<(Vec<u8>, File)> {
    let path = PathBuf::from(std::env::var_os("BOOTLAB_CASES")?).join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!("skipped: no {name} (set BOOTLAB_CASES)");
        return None;
    };
    Some((bytes, File::open(path).expect("just read")))
}

fn row(rows: &[FunctionRow], name: &str) -> FunctionRow {
    rows.iter()
        .find(|row| row.function == name)
        .unwrap_or_else(|| panic!("no {name}"))
        .clone()
}

#[test]
fn kfi_excerpt_agrees_with_the_kd_report() {
    let Some((head, file)) = case("elinux-kfi-kfiboot-9-excerpt.lst") else {
        return;
    };
    assert_eq!(kfi::detect(&head), Some(1.0));
    let log = kfi::parse(file, None).expect("readable");
    assert_eq!(log.header.started_us, Some(6_785_045));
    assert_eq!(log.header.min_time_us, Some(500));
    assert_eq!(log.skipped.total(), 0, "{:?}", log.skipped);
    assert_eq!((log.rows, log.exit_not_seen), (38, 7));
    let rows = functions(&log.calls, SortBy::Time);
    let Some((_, report)) = case("elinux-kd-n30-output.txt") else {
        return;
    };
    let report = kd::parse(report).expect("readable");
    // Only these two of the report are wholly in the excerpt.
    for name in ["time_init", "get_cmos_time"] {
        let (own, theirs) = (
            row(&rows, name),
            report.rows.iter().find(|row| row.function == name).expect(name),
        );
        assert_eq!(Some(own.count), theirs.count);
        assert_eq!(Some(own.time_ns() / 1000), theirs.time_us.map(i64::unsigned_abs));
        if name == "get_cmos_time" {
            assert_eq!(Some(own.self_ns / 1000), theirs.local_us.map(i64::unsigned_abs));
        }
    }
    assert_eq!(row(&rows, "calibrate_delay").max_sub, "__delay");
    assert_eq!(row(&rows, "calibrate_delay").max_sub_count, 3);
    assert_eq!(row(&rows, "setup_arch").self_ns, (8687 - 891 - 7432) * 1000);
}

#[test]
fn kd_reports() {
    let Some((head, file)) = case("elinux-kd-n30-output.txt") else {
        return;
    };
    assert_eq!(kd::detect(&head), Some(0.95));
    let report = kd::parse(file).expect("readable");
    assert_eq!(
        (report.rows.len(), report.skipped.total()),
        (30, 0),
        "{:?}",
        report.skipped
    );
    assert_eq!(report.rows[0].time_us, Some(5_173_790));
    let Some((head, file)) = case("elinux-kd-c-dofork-ppc440g.txt") else {
        return;
    };
    assert_eq!(kd::detect(&head), Some(0.95));
    let report = kd::parse(file).expect("readable");
    assert_eq!(report.skipped.total(), 0, "{:?}", report.skipped);
    assert_eq!(
        (report.trace[0].function.as_str(), report.trace[0].local_us),
        ("do_fork", Some(209))
    );
    assert!(report.trace.iter().any(|row| row.interrupt && row.pid == -1));
}

#[test]
fn show_delta_output() {
    let Some((head, file)) = case("elinux-showdelta-sample1.txt") else {
        return;
    };
    assert_eq!(show_delta::detect(&head), Some(0.95));
    let deltas = show_delta::parse(file).expect("readable");
    assert_eq!(deltas.skipped.total(), 0, "{:?}", deltas.skipped);
    let largest = deltas
        .lines
        .iter()
        .skip(1)
        .max_by_key(|line| line.delta_ns)
        .expect("lines");
    assert!(largest.delta_ns > 0);
}

#[test]
fn suspend_trace_is_called_so() {
    let Some((head, file)) = case("pmgraph-skynet_mem_ftrace.txt") else {
        return;
    };
    assert_eq!(events_text::detect(&head), Some(1.0));
    assert_eq!(function_graph::detect(&head), None);
    let trace = events_text::parse(file, None).expect("readable");
    assert_eq!(trace.events.skipped.total(), 0, "{:?}", trace.events.skipped);
    assert_eq!(
        trace.events.counts.values().sum::<u64>(),
        744,
        "the file's own header says how many"
    );
    assert!(trace.events.suspend_events > 0);
}

#[test]
fn graph_sample_without_stamps() {
    let Some((head, file)) = case("excerpts/function_graph-insmod-doc-sample.txt") else {
        return;
    };
    assert_eq!(function_graph::detect(&head), Some(1.0));
    let trace = function_graph::parse(file, None).expect("readable");
    let rows = functions(&trace.calls, SortBy::SelfTime);
    assert_eq!(row(&rows, "_spin_lock_irqsave").self_ns, 633);
    assert_eq!(trace.calls.mismatches.exits_without_entry, 2);
    assert_eq!(trace.comments, 1);
}

#[test]
fn systemd_pictures_and_texts() {
    let Some((head, file)) = case("bootlin-systemd-analyze-plot.svg") else {
        return;
    };
    assert_eq!(systemd_plot::detect(&head), Some(1.0));
    let plot = systemd_plot::parse(file).expect("readable");
    assert_eq!(plot.skipped.total(), 0, "{:?}", plot.skipped);
    let time = plot.time.clone().expect("a title");
    assert_eq!(
        (time.kernel_ns, time.target_after_ns),
        (Some(4_282_000_000), Some(15_007_000_000))
    );
    assert!(plot.host.contains("mike-laptop"));
    let kernel = &plot.stages[0];
    assert_eq!(
        (kernel.name.as_str(), kernel.start_ns, kernel.end_ns),
        ("kernel", 0, 4_282_890_000)
    );
    assert_eq!(plot.units.len(), 404);
    let journald = plot
        .units
        .iter()
        .find(|unit| unit.unit == "systemd-journald.service")
        .expect("journald");
    assert_eq!(journald.time_ns, Some(148_000_000));
    let drawn = journald
        .activated_ns
        .zip(journald.activating_ns)
        .map(|(up, from)| up - from)
        .expect("times");
    assert!((drawn - 148_000_000).abs() < 1_000_000, "{drawn}");
    let Some((head, file)) = case("excerpts/systemd-analyze-time-rpi4.txt") else {
        return;
    };
    assert!(systemd_analyze::detect(&head).is_some());
    let analyze = systemd_analyze::parse_text(file).expect("readable");
    assert_eq!(analyze.time.expect("time").total_ns, Some(16_050_000_000));
}

#[test]
fn bootchart_of_fedora_11() {
    let Some((head, file)) = case("bootchart-f11.tgz") else {
        return;
    };
    assert_eq!(bootchart::detect(&head), Some(0.95));
    assert_eq!(bootchart::detect(&head[..4096]), Some(0.95));
    let chart = bootchart::parse(file).expect("readable");
    assert_eq!(chart.skipped.total(), 0, "{:?}", chart.skipped);
    assert_eq!(chart.header["version"], "0.8");
    let init = &chart.processes[0];
    assert_eq!(
        (init.pid, init.comm.as_str(), init.start_ns),
        (1, "init", 2_660_000_000)
    );
    assert_eq!(init.end_ns, None);
    assert!(chart.processes.len() > 100 && chart.processes.iter().any(|process| process.end_ns.is_some()));
    assert!(chart.cpu_busy.len() > 100 && chart.cpu_busy.iter().all(|(_, share)| (0.0..=1.0).contains(share)));
    assert!(chart.disk_read.iter().any(|(_, rate)| *rate > 1e6));
}

#[test]
fn kinds_of_all_files() {
    use boottrace::readers::formats::{detect, Format};
    let expected = [
        ("elinux-kfi-kfiboot-9-excerpt.lst", Format::Kfi),
        ("elinux-kd-n30-output.txt", Format::KdReport),
        ("elinux-kd-c-dofork-ppc440g.txt", Format::KdReport),
        ("elinux-showdelta-sample1.txt", Format::ShowDelta),
        ("pmgraph-skynet_mem_ftrace.txt", Format::FtraceEvents),
        ("excerpts/function_graph-insmod-doc-sample.txt", Format::FunctionGraph),
        ("bootlin-systemd-analyze-plot.svg", Format::SystemdPlot),
        ("bootchart-f11.tgz", Format::Bootchart),
        ("excerpts/systemd-analyze-time-rpi4.txt", Format::SystemdAnalyze),
        ("x13s-arm64-6.13-dmesg-initcall_debug.txt", Format::BootLog),
        ("pmgraph-skynet_mem_dmesg.txt", Format::BootLog),
        ("lava-tuxrun-pass-1.yaml", Format::BootLog),
        ("lava-tuxrun-fail-6.yaml", Format::BootLog),
        ("kernelci-linux_boot_002.log", Format::BootLog),
        ("elinux-grabserial-pandaboard-omap4.log", Format::BootLog),
        ("elinux-printktimes-sample4-x86-2.6-jiffieswrap.log", Format::BootLog),
    ];
    for (name, format) in expected {
        let Some((head, _)) = case(name) else { return };
        assert_eq!(detect(&head).map(|found| found.0), Some(format), "{name}");
    }
}

// SPDX-License-Identifier: MIT
//! systemd-analyze, its plots, the journal and bootchart: golden pairs made here.

use std::io::Write as _;

use boottrace::readers::userspace::{bootchart, journal, systemd_analyze, systemd_plot, systemd_plot_json};

#[test]
fn analyze_time_with_and_without_firmware() {
    let full = "Startup finished in 5.123s (firmware) + 1.5s (loader) + 821ms (kernel) + 19.176s (initrd) + 1min 9.608s (userspace) = 1min 36.228s \ngraphical.target reached after 1min 2.5s in userspace.\n";
    assert_eq!(systemd_analyze::detect(full.as_bytes()), Some(0.95));
    let time = systemd_analyze::parse_text(full.as_bytes())
        .expect("a slice")
        .time
        .expect("a time");
    assert_eq!(time.firmware_ns, Some(5_123_000_000));
    assert_eq!(
        (time.loader_ns, time.kernel_ns),
        (Some(1_500_000_000), Some(821_000_000))
    );
    assert_eq!(
        (time.userspace_ns, time.total_ns),
        (Some(69_608_000_000), Some(96_228_000_000))
    );
    assert_eq!(
        (time.target.as_deref(), time.target_after_ns),
        (Some("graphical.target"), Some(62_500_000_000))
    );
    let small = systemd_analyze::parse_text(&b"Startup finished in 296ms (userspace)\n"[..]).expect("a slice");
    let time = small.time.expect("a time");
    assert_eq!(
        (time.kernel_ns, time.userspace_ns, time.total_ns),
        (None, Some(296_000_000), None)
    );
}

#[test]
fn blame_and_chain() {
    let blame = "     1min 2.875s pmlogger.service\n  20.905s a\\x2db.service\n       3ms sys-kernel-config.mount\n2h 1s odd.timer\nlines 1-3/3 (END)\n";
    let found = systemd_analyze::parse_text(blame.as_bytes()).expect("a slice");
    assert_eq!(
        (found.blame[0].unit.as_str(), found.blame[0].ns),
        ("pmlogger.service", 62_875_000_000)
    );
    assert_eq!(
        (found.blame.len(), found.blame[3].ns, found.skipped.total()),
        (4, 7_201_000_000_000, 1)
    );
    let chain = "The time when unit became active or started is printed after the \"@\" character.\n\
        The time the unit took to start is printed after the \"+\" character.\n\nmulti-user.target @47.820s\n\
        \u{2514}\u{2500}pmie.service @35.968s +548ms\n  \u{2514}\u{2500}pmcd.service @33.715s +2.247s\n    \u{2514}\u{2500}-.mount\n";
    assert_eq!(systemd_analyze::detect(chain.as_bytes()), Some(0.95));
    let found = systemd_analyze::parse_text(chain.as_bytes()).expect("a slice");
    let links: Vec<_> = found
        .chain
        .iter()
        .map(|l| (l.unit.as_str(), l.depth, l.at_ns, l.took_ns))
        .collect();
    assert_eq!(
        links,
        [
            ("multi-user.target", 0, Some(47_820_000_000), None),
            ("pmie.service", 1, Some(35_968_000_000), Some(548_000_000)),
            ("pmcd.service", 2, Some(33_715_000_000), Some(2_247_000_000)),
            ("-.mount", 3, None, None)
        ]
    );
    assert_eq!(found.skipped.total(), 0, "{:?}", found.skipped);
    assert!(systemd_analyze::detect(b"[    0.000000] Linux version\n").is_none());
}

/// A picture at twice the usual scale, with firmware before the kernel.
const PLOT: &str = r#"<svg width="800px"><!-- This file is a systemd-analyze SVG file. -->
<text x="20" y="50">Startup finished in 1s (firmware) + 2s (kernel) + 3s (userspace) = 6s
multi-user.target reached after 2.9s in userspace</text><text x="20" y="30">Demo &lt;1&gt; host (Linux 6.12) arm64</text><g transform="translate(20.000,100)">
<rect class="box" x="0" y="0" width="1200.000" height="80.000" />
  <text class="sec" x="0.000" y="-5.000" >0.0s</text>
  <text class="sec" x="200.000" y="-5.000" >1.0s</text>
  <rect class="firmware" x="0.000" y="0.000" width="200.000" height="19.000" />
  <text class="left" x="5.000" y="14.000">firmware</text>
  <rect class="kernel" x="200.000" y="20.000" width="400.000" height="19.000" />
  <text class="left" x="205.000" y="34.000">kernel</text>
  <rect class="activating" x="620.000" y="40.000" width="100.000" height="19.000" />
  <rect class="active" x="720.000" y="40.000" width="80.000" height="19.000" />
  <rect class="deactivating" x="800.000" y="40.000" width="10.000" height="19.000" />
  <text class="left" x="625.000" y="54.000">demo.service (500ms)</text>
</g>
<g transform="translate(20,100)">
  <rect class="activating" x="0.000" y="140.000" width="30.000" height="19.000" />
  <text class="left" x="45.000" y="154.000">Activating</text>
</g></svg>
"#;

#[test]
fn plot_by_its_own_axis() {
    let plot = systemd_plot::parse(PLOT.as_bytes()).expect("a slice");
    assert_eq!(plot.host, "Demo <1> host (Linux 6.12) arm64");
    let stages: Vec<_> = plot
        .stages
        .iter()
        .map(|s| (s.name.as_str(), s.start_ns, s.end_ns))
        .collect();
    assert_eq!(stages, [("firmware", -1_000_000_000, 0), ("kernel", 0, 2_000_000_000)]);
    assert_eq!(plot.units.len(), 1);
    let unit = &plot.units[0];
    assert_eq!(
        (unit.unit.as_str(), unit.activating_ns, unit.activated_ns),
        ("demo.service", Some(2_100_000_000), Some(2_600_000_000))
    );
    assert_eq!(
        (unit.deactivated_ns, unit.time_ns),
        (Some(3_050_000_000), Some(500_000_000))
    );
    assert_eq!(plot.time.as_ref().and_then(|t| t.target_after_ns), Some(2_900_000_000));
    assert_eq!(plot.timeline("t").tracks[1].spans[0].duration_ns(), Some(500_000_000));
}

#[test]
fn plot_as_json() {
    let text = r#"[{"name":"a.service","activated":2600000,"activating":2100000,"time":500000,"deactivated":0,"deactivating":0},{"name":"b.target","activated":"1.5s","activating":null,"time":null},{"no":1}]"#;
    assert_eq!(systemd_plot_json::detect(text.as_bytes()), Some(0.95));
    let table = systemd_plot_json::parse(text.as_bytes()).expect("JSON");
    assert_eq!(
        (table.units[0].activated_ns, table.units[0].time_ns),
        (Some(2_600_000_000), Some(500_000_000))
    );
    assert_eq!(
        (table.units[1].activated_ns, table.units[1].time_ns),
        (Some(1_500_000_000), None)
    );
    assert_eq!(table.skipped.total(), 1);
    assert!(systemd_plot_json::parse(&b"[{"[..])
        .expect_err("cut")
        .to_string()
        .contains("systemd-analyze plot"));
}

#[test]
fn journal_as_json_of_all_kinds() {
    let kernel =
        r#"{"__MONOTONIC_TIMESTAMP":"1500000","_BOOT_ID":"aa","_TRANSPORT":"kernel","MESSAGE":[104,255],"X":null}"#;
    let started = r#"{"__MONOTONIC_TIMESTAMP":"3250000","_BOOT_ID":"aa","MESSAGE_ID":"39f53479d3a045ac8e11786248231fbf","UNIT":["net.service","x"]}"#;
    let pretty = started
        .replace('{', "{\n\t")
        .replace("\",\"", "\",\n\t\"")
        .replace('}', "\n}");
    for text in [
        format!("{kernel}\n{started}\n"),
        format!("\x1e{kernel}\n\x1e{started}\n"),
        format!("data: {kernel}\n\ndata: {started}\n\n"),
        format!("{kernel}\n{pretty}\n"),
    ] {
        assert_eq!(journal::detect(text.as_bytes()), Some(1.0), "{text}");
        let found = journal::parse(text.as_bytes()).expect("a slice");
        assert_eq!((found.boots.len(), found.skipped.total()), (1, 0), "{text}");
        let boot = &found.boots[0];
        assert_eq!(boot.lines[0].text, "h\u{fffd}");
        assert_eq!(boot.units[0].activated_ns, Some(3_250_000_000));
    }
    let cut = journal::parse(&kernel.as_bytes()[..40]).expect("a slice");
    assert_eq!(cut.skipped.reasons["no entry in JSON"], 1);
}

#[test]
fn journal_with_binary_fields_and_two_boots() {
    let mut text = b"__REALTIME_TIMESTAMP=1\n__MONOTONIC_TIMESTAMP=1500000\n_BOOT_ID=aa\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP=250\nMESSAGE\n".to_vec();
    let message = b"two\nlines=\x00 \xff";
    text.extend((message.len() as u64).to_le_bytes());
    text.extend(message);
    text.extend(b"\n\n");
    let unit = |at: u64, id: &str, more: &str| {
        format!("__REALTIME_TIMESTAMP=1\n__MONOTONIC_TIMESTAMP={at}\n_BOOT_ID=aa\n_PID=1\nMESSAGE_ID={id}\nUNIT=net.service\n{more}\n")
    };
    text.extend(unit(2_000_000, "7d4958e842da4a758f6c1cdc7b36dcc5", "").as_bytes());
    text.extend(unit(3_250_000, "39f53479d3a045ac8e11786248231fbf", "JOB_RESULT=done\n").as_bytes());
    text.extend(unit(9_000_000, "7d4958e842da4a758f6c1cdc7b36dcc5", "").as_bytes());
    text.extend(unit(9_500_000, "b07a249cd024414a82dd00cd181378ff", "KERNEL_USEC=1200000\nUSERSPACE_USEC=4000000\nMESSAGE=Startup finished in 1.2s (kernel) + 4s (userspace) = 5.2s.\n").as_bytes());
    text.extend(b"__REALTIME_TIMESTAMP=1\n__MONOTONIC_TIMESTAMP=1\n_BOOT_ID=bb\nMESSAGE=x\n\n_BOOT_ID=bb\nodd field\n");
    assert_eq!(journal::detect(&text), Some(1.0));
    let found = journal::parse(&text[..]).expect("a slice");
    assert_eq!(found.boots.len(), 2);
    let boot = &found.boots[0];
    assert_eq!((boot.lines[0].at_ns, boot.lines[0].from_printk), (250_000, true));
    assert!(boot.lines[0].text.starts_with("two\nlines="));
    assert_eq!(boot.units.len(), 1);
    let net = &boot.units[0];
    assert_eq!(
        (net.activating_ns, net.activated_ns, net.time_ns),
        (Some(2_000_000_000), Some(3_250_000_000), Some(1_250_000_000))
    );
    let startup = boot.startup.as_ref().expect("a start");
    assert_eq!(
        (startup.kernel_ns, startup.total_ns),
        (Some(1_200_000_000), Some(5_200_000_000))
    );
    assert_eq!(found.skipped.reasons["no field of the export format"], 1);
    assert_eq!(found.skipped.reasons["entry without a monotonic stamp"], 1);
    // Cut anywhere, it is read as far as it goes.
    for length in 0..text.len() {
        let _ = journal::parse(&text[..length]).expect("a slice");
    }
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, data) in files {
        let mut head = [0_u8; 512];
        head[..name.len()].copy_from_slice(name.as_bytes());
        head[124..135].copy_from_slice(format!("{:011o}", data.len()).as_bytes());
        head[156] = b'0';
        head[257..262].copy_from_slice(b"ustar");
        head[148..156].fill(b' ');
        let sum: u32 = head.iter().map(|&b| u32::from(b)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        out.extend(head);
        out.extend(*data);
        out.resize(out.len().div_ceil(512) * 512, 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

fn chart() -> Vec<u8> {
    let stat = "100\ncpu  10 0 10 80 0 0 0 0\ncpu0 x\n\n200\ncpu  60 0 20 90 30 0 0 0\n\n";
    let line = |pid: u32, comm: &str, ticks: u32, start: u32| {
        format!("{pid} ({comm}) D 1 1 1 0 -1 0 0 0 0 0 {ticks} 2 0 0 20 0 1 0 {start} 0 0\n")
    };
    let ps = [
        "100\n".into(),
        line(1, "init", 5, 50),
        line(20, "a (b) c", 1, 90),
        "\n200\n".into(),
        line(1, "systemd", 9, 50),
        "\n".into(),
    ]
    .concat();
    let disks = "100\n 8 0 sda 1 0 100 0 1 0 8 0 0 0 0\n 8 1 sda1 1 0 100 0 1 0 8 0 0 0 0\n\n200\n 8 0 sda 1 0 2148 0 1 0 8 0 0 500 0\n 8 1 sda1 1 0 2148 0 1 0 8 0 0 500 0\n\n";
    let mut account = [0_u8; 64];
    account[1] = 3;
    account[16] = 77;
    account[20] = 1;
    account[28..32].copy_from_slice(&12.0_f32.to_le_bytes());
    account[32] = 4;
    account[48..50].copy_from_slice(b"sh");
    tar(&[
        ("./header", b"version = 0.8\ntitle = demo\nbroken\n"),
        ("./proc_stat.log", stat.as_bytes()),
        ("./proc_ps.log", ps.as_bytes()),
        ("./proc_diskstats.log", disks.as_bytes()),
        ("./kernel_pacct", &account),
        ("./dmesg", b"[    0.000000] Linux version\n"),
    ])
}

#[test]
fn bootchart_plain_and_packed() {
    let plain = chart();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&plain).expect("a vector");
    for file in [plain, encoder.finish().expect("a vector")] {
        assert_eq!(bootchart::detect(&file), Some(0.95));
        let chart = bootchart::parse(&file[..]).expect("an archive");
        assert_eq!(chart.header["title"], "demo");
        assert_eq!(chart.skipped.reasons, [("header line without =", 1)].into());
        let [init, short] = &chart.processes[..] else {
            panic!("two processes")
        };
        assert_eq!(
            (init.comm.as_str(), init.start_ns, init.end_ns, init.cpu_ns),
            ("systemd", 500_000_000, None, 110_000_000)
        );
        assert_eq!(
            (short.comm.as_str(), short.end_ns, short.waiting_samples),
            ("a (b) c", Some(1_000_000_000), 1)
        );
        assert_eq!(chart.cpu_busy, [(2_000_000_000, 0.6)]);
        assert_eq!(chart.cpu_wait, [(2_000_000_000, 0.3)]);
        assert_eq!(chart.disk_read, [(2_000_000_000, 2048.0 * 512.0)]);
        assert_eq!(chart.disk_busy, [(2_000_000_000, 0.5)]);
        assert_eq!(
            (
                chart.accounted[0].pid,
                chart.accounted[0].elapsed_ns,
                chart.accounted[0].cpu_ns
            ),
            (77, 120_000_000, 40_000_000)
        );
        assert!(chart.dmesg.is_some());
        assert_eq!(chart.timeline("t").tracks[1].spans.len(), 2);
    }
}

#[test]
fn cut_and_foreign_archives() {
    let whole = chart();
    for length in (512..whole.len() - 1024).step_by(97) {
        if let Ok(chart) = bootchart::parse(&whole[..length]) {
            assert!(chart.skipped.total() > 0 || chart.files.len() < 6 || length > whole.len() - 2048);
        }
    }
    let foreign = tar(&[("etc/passwd", b"root")]);
    assert!(bootchart::parse(&foreign[..])
        .expect_err("foreign")
        .to_string()
        .contains("tar tf"));
    assert_eq!(bootchart::detect(b"\x1f\x8brubbish"), None);
}

#[test]
fn systemd_that_had_not_finished_is_told_from_no_times() {
    let text = "Bootup is not yet finished (org.freedesktop.systemd1.Manager.FinishTimestampMonotonic=0).\n\
                Please try again later.\nHint: Use 'systemctl list-jobs' to see active jobs\n";
    assert!(systemd_analyze::detect(text.as_bytes()).is_some());
    let early = systemd_analyze::parse_text(text.as_bytes()).expect("a slice");
    assert!(early.unfinished && early.time.is_none());
    let noisy = format!("Warning: Permanently added 'vm' (ED25519) to the list of known hosts.\n{text}");
    assert!(systemd_analyze::detect(noisy.as_bytes()).is_some());
}

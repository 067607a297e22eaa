// SPDX-License-Identifier: MIT
//! Whatever the bytes are, a document comes out of them, within the limits.

use std::io::Write as _;

use boottrace::document::budget::Budget;
use boottrace::document::comparison::compare;
use boottrace::document::invariants::broken;
use boottrace::document::threshold::Thresholds;
use boottrace::{analyze, Limits, Options};
use proptest::prelude::*;

/// Pieces of all formats, to be put together wrongly.
const PIECES: [&str; 54] = [
    "[    0.000000] ",
    "[    1.500000][    T1] ",
    "[4294667.296000] ",
    "[      345678] ",
    "[04.634]",
    "[0.000001 0.000001] ",
    "[13.206492 < 0.000013 >]  ",
    "<6>",
    "<999>",
    "6,2,0,-,caller=T0;",
    "Nov 20 10:00:00 h kernel: ",
    "10:00:00.000001  ",
    "2026-11-20T10:00:00+01:00 h kernel: ",
    "[Fri Nov 20 10:00:00 2026] ",
    "kern  :info  : ",
    "\r",
    "\n",
    "\n",
    "\n",
    "\0",
    "\x1b[",
    "^[[0m",
    "\\x1b[",
    "\u{8}",
    "Linux version 6.1 (a (b) c) #1",
    "Booting Linux on physical CPU 0x0",
    "calling  a+0x0/0x1 @ 1",
    "calling  a+0x0/0x1 [m] @ 99999999999999999999",
    "initcall a+0x0/0x1 returned 0 after 1000 usecs",
    "initcall a+0x0/0x1 returned -9223372036854775808 after 18446744073709551615 usecs",
    "initcall a returned 0 after",
    "probe of x returned 517 after 18446744073709551615 usecs",
    "clocksource: Switched to clocksource tsc",
    "Run /init as init process",
    "Timer summary in microseconds (9 records):",
    "9,999,999,999,999,999,999,999  1  x",
    "U-Boot SPL 2024",
    "Starting kernel ...",
    "Calibrating delay loop... ",
    "Kernel panic - not syncing: x",
    "- {\"dt\": \"2026-11-20T10:00:00\", \"lvl\": \"target\", \"msg\": \"",
    "Kernel command line: console=ttyS0,115200 a=\"",
    "  1,000  1,000  board_init_f",
    "  2,000  2,000  board_init_f",
    "supplier y not ready",
    "[9223372036.000000 0.1] ",
    "9999-12-31T23:59:59.999999 ",
    "...",
    "}}}",
    "systemd-shutdown[1]: Rebooting.",
    "udhcpc: no lease, forking to background",
    "quux0: reset failed (-110)",
    "[9223372036.854775] ",
    "1101:jumping to kernel     9,223,372,036,854,775,807",
];

fn run(bytes: &[u8], options: &Options) {
    if let Ok(document) = analyze("hostile", bytes, options) {
        let text = serde_json::to_string(&document).unwrap();
        assert!(text.starts_with("{\"format\":\"bootlab-analysis\",\"version\":1,"));
        assert_eq!(
            broken(&document),
            Vec::<String>::new(),
            "{}",
            String::from_utf8_lossy(bytes)
        );
        let boots: Vec<_> = document.boots().collect();
        let budgets = [Budget::parse("kernel=1s").unwrap()];
        let compared = compare(&[&document], &[&document], &Thresholds::default(), &budgets);
        assert_eq!(compared.base_runs, compared.new_runs);
        assert!(compared.rows.iter().all(|row| row.base == row.new));
        for path in boots.iter().filter_map(|boot| boot.critical_path.as_ref()) {
            let sum: i64 = path.segments.iter().map(|s| s.duration_ns).sum();
            assert_eq!(sum, path.to_ns - path.from_ns);
            assert!(path.segments.iter().all(|s| s.duration_ns >= 0));
        }
        // Every line is in a boot, left out with a reason, or part of another; the account never exceeds the input.
        for took in &document.took {
            assert!(took.from_line <= took.to_line && u64::from(took.to_line) <= document.lines);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 1..2000)) {
        run(&bytes, &Options::default());
    }

    #[test]
    fn pieces_of_all_formats(choice in proptest::collection::vec((0..PIECES.len(), any::<bool>()), 1..120)) {
        let mut text = String::new();
        for (piece, newline) in choice {
            text.push_str(PIECES[piece]);
            if newline { text.push('\n'); }
        }
        run(text.as_bytes(), &Options { keep_lines: true, ..Options::default() });
    }

    #[test]
    fn damaged_archives(seed in any::<u64>(), cut in 0..200_usize, flip in 0..200_usize) {
        let text = format!("[    0.000000] Linux version 6.1 {seed}\n").repeat(20);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(text.as_bytes()).unwrap();
        let mut packed = gzip.finish().unwrap();
        let length = packed.len();
        packed[flip % length] ^= 0x55;
        packed.truncate(length - cut % length);
        run(&packed, &Options::default());
        for magic in [&[0xfd, b'7', b'z', b'X', b'Z', 0][..], &[0x28, 0xb5, 0x2f, 0xfd][..]] {
            let mut bytes = magic.to_vec();
            bytes.extend_from_slice(&packed);
            run(&bytes, &Options::default());
        }
    }
}

#[test]
fn a_bomb_is_stopped_and_reported() {
    let filler = vec![b'x'; 1 << 20];
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(b"[    0.000000] Linux version 6.1.0 (a@b) #1\n")
        .unwrap();
    for _ in 0..64 {
        gzip.write_all(&filler).unwrap();
    }
    let packed = gzip.finish().unwrap();
    let limits = Limits {
        archive_ratio: 100,
        ..Limits::default()
    };
    let document = analyze(
        "bomb.gz",
        &packed,
        &Options {
            limits,
            ..Options::default()
        },
    )
    .unwrap();
    assert!(document.input.problems[0].contains("bomb"), "{:?}", document.input);
    assert!(document.input.read_bytes <= 17 << 20);
    assert_eq!(document.boots().count(), 1);
}

#[test]
fn a_truncated_archive_gives_what_came() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    for n in 0..5000 {
        writeln!(gzip, "[    0.{n:06}] message {n}").unwrap();
    }
    let packed = gzip.finish().unwrap();
    let document = analyze("cut.gz", &packed[..packed.len() / 2], &Options::default()).unwrap();
    assert!(document.input.problems[0].contains("cut off"), "{:?}", document.input);
    assert!(document.lines > 1000);
}

#[test]
fn boots_lines_and_line_lengths_are_bounded() {
    let limits = Limits {
        boots: 10,
        lines: 1000,
        line_bytes: 64,
        text_bytes: 100_000,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let many = "[    0.000000] Linux version 6.1.0 (a@b) #1\n".repeat(5000);
    let document = analyze("loop", many.as_bytes(), &options).unwrap();
    assert_eq!(document.boots().count(), 10);
    let count = |part: &str| {
        document
            .skipped
            .iter()
            .find(|s| s.reason.contains(part))
            .map(|s| s.count)
    };
    assert_eq!(
        (count("limit of boots"), count("limit of lines")),
        (Some(990), Some(4000))
    );
    let long = format!("[    0.000000] Linux version 6.1.0 {}\n", "y".repeat(1 << 20));
    let document = analyze(
        "long",
        long.as_bytes(),
        &Options {
            keep_lines: true,
            ..options
        },
    )
    .unwrap();
    let line = &document.boots().next().unwrap().lines[0];
    assert!(line.text.len() <= 64 && line.cut_bytes as usize + 64 + 1 == long.len());
}

#[test]
fn xz_and_zstd_are_read() {
    // `printf '[    0.000000] Linux version 6.1.0 (a@b) #1\n' | xz`, and the same through zstd.
    const XZ: &[u8] = include_bytes!("data/banner.xz");
    const ZSTD: &[u8] = include_bytes!("data/banner.zst");
    for (packed, name) in [(XZ, "xz"), (ZSTD, "zstd")] {
        let document = analyze(name, packed, &Options::default()).unwrap();
        assert_eq!(
            document.boots().next().unwrap().kernel.banner.as_ref().unwrap().release,
            "6.1.0",
            "{name}"
        );
        assert!(document.input.problems.is_empty(), "{:?}", document.input);
        // Two streams one behind the other, as parallel packers write them.
        let twice = [packed, packed].concat();
        assert_eq!(analyze(name, &twice, &Options::default()).unwrap().lines, 2, "{name}");
        let half = analyze(name, &packed[..packed.len() / 2], &Options::default());
        assert!(half.is_err() || !half.unwrap().input.problems.is_empty(), "{name}");
    }
}

#[test]
fn archives_cut_at_every_byte_give_what_came_before() {
    let text = "[    0.000100] a message of the kernel\n".repeat(200);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(text.as_bytes()).unwrap();
    let zstd = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    let xz = include_bytes!("data/banner.xz").repeat(3);
    for (name, packed) in [("gzip", gzip.finish().unwrap()), ("zstd", zstd), ("xz", xz)] {
        let whole = analyze(name, &packed, &Options::default()).unwrap();
        assert!(whole.input.problems.is_empty(), "{name}: {:?}", whole.input);
        assert_eq!(whole.input.given_bytes, packed.len() as u64);
        for length in 1..packed.len() {
            match analyze(name, &packed[..length], &Options::default()) {
                Ok(document) => assert!(document.lines <= whole.lines, "{name} {length}"),
                Err(error) => assert!(
                    error.to_string().contains("nothing could be unpacked"),
                    "{name} {length}: {error}"
                ),
            }
        }
        // Rubbish behind the end is said, or ignored where the format allows it; what came before is there.
        let longer = [&packed[..], b"rubbish"].concat();
        assert_eq!(
            analyze(name, &longer, &Options::default()).unwrap().lines,
            whole.lines,
            "{name}"
        );
    }
}

/// A reader of zeros, NUL bytes or line ends without an end in sight.
#[test]
fn what_is_kept_is_bounded_and_the_rest_is_said() {
    let limits = Limits {
        input_bytes: 3 << 20,
        lines: 100_000,
        text_bytes: 1 << 20,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let reason = |document: &boottrace::Document, part: &str| {
        let found = document.skipped.iter().find(|skipped| skipped.reason.contains(part));
        found.map_or(0, |skipped| skipped.count)
    };
    let nul = analyze("nul", &vec![0; 4 << 20], &options).unwrap();
    assert_eq!(nul.input.problems, ["only the first 3145728 bytes were read"]);
    assert_eq!(nul.lines, 1);
    let lines = analyze("lines", "word\n".repeat(600_000).as_bytes(), &options).unwrap();
    assert_eq!(lines.lines, 600_000);
    assert_eq!(reason(&lines, "limit of lines and bytes"), 500_000);
    let long = format!("{}\n", "x".repeat(10_000)).repeat(300);
    let long = analyze("long", long.as_bytes(), &options).unwrap();
    assert_eq!(reason(&long, "limit of lines and bytes"), 300 - (1 << 20) / 10_000 - 1);
}

#[test]
fn the_end_of_a_log_that_is_too_long_is_kept() {
    let mut text = "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n".to_owned();
    text.extend((0..5000).map(|n| format!("[    1.{n:06}] a line\n")));
    text.push_str("[    2.000000] Run /sbin/init as init process\n[    3.000000] Kernel panic - not syncing: late\n");
    let options = Options {
        limits: Limits {
            lines: 1000,
            ..Limits::default()
        },
        keep_lines: true,
        ..Options::default()
    };
    let document = analyze("x", text.as_bytes(), &options).unwrap();
    let boot = document.boots().next().unwrap();
    assert_eq!(boot.failures.last().map(|failure| failure.line), Some(5003));
    assert_eq!(boot.kernel.init.as_ref().map(|init| init.line), Some(5002));
    let numbers: Vec<u32> = boot.lines.iter().map(|line| line.number).collect();
    assert_eq!((numbers.len(), numbers[899], numbers[900]), (1000, 900, 4904));
    let left_out = &document.skipped[0];
    assert_eq!((left_out.count, left_out.first_line), (4003, Some(901)));
}

#[test]
fn a_log_behind_a_long_trace_is_a_boot_too() {
    let mut text = "# tracer: function_graph\n".to_owned();
    while text.len() < 100_000 {
        text.push_str(" 0)   1.083 us    |  demo_function();\n");
    }
    text.push_str("[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n[    1.000000] Run /init as init process\n");
    let document = analyze("x", text.as_bytes(), &Options::default()).unwrap();
    assert!(matches!(
        document.parts[0],
        boottrace::document::document::Part::Calls(_)
    ));
    assert!(document.boots().next().unwrap().kernel.init.is_some());
    assert_eq!(document.skipped, []);
}

// SPDX-License-Identifier: MIT
//! `docs/reference/inputs.md` says what is read. Its lists come from the code, and every clock in it is read here from
//! the line that the page shows. `BLESS=1 cargo test --test inputs_page` writes it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use boottrace::log::banner::programs;
use boottrace::readers::firmware_table::table::TableSource;
use boottrace::readers::formats::{Format, DETECTORS};
use boottrace::{analyze, Boot, Clock, Options};

/// Stamps of capturing programs: the program, and a line's begin in which `%` is a digit that grows.
const HOSTS: [(&str, &str); 29] = [
    ("grabserial", "[%.234567 0.001234] "),
    ("grabserial -T", "[10:20:3%.123456 0.001234] "),
    ("grabserial --nodelta", "[%.234567] "),
    ("tio -t (24hour)", "[10:20:3%.123] "),
    ("picocom, screen and others behind `ts`", "Nov 20 10:20:3% "),
    ("`ts '%.s'`", "170000000%.123456 "),
    ("seconds since 1970", "170000000% "),
    ("milliseconds since 1970", "170000000%000 "),
    ("minicom -O timestamp", "[2026-11-20 10:20:3%] "),
    (
        "minicom -O timestamp=ext, SecureCRT, uart-monitor",
        "[2026-11-20 10:20:3%.123] ",
    ),
    ("Tera Term", "[Fri Nov 20 10:20:3%.123 2026] "),
    (
        "minutes and seconds with a point, as at MobaXterm's prompt",
        "[2026-11-20 10:20.3%] ",
    ),
    ("CoolTerm", "2026-11-20 10:20:3%.123\t"),
    ("CuteCom", "[10:20:3%:123] "),
    ("Arduino's monitor, Serial Studio", "10:20:3%.123 -> "),
    ("Docklight", "11/20/2026 10:20:3%.123 [RX] - "),
    ("American dates", "11/20/26 10:20:3% - "),
    ("AM and PM", "[11/20/2026 10:20:3%.123 PM] "),
    ("European dates", "20.11.2026 10:20:3%: "),
    ("compact dates", "20261120-10203%: "),
    ("dates of web servers", "[20/Nov/2026:10:20:3%] "),
    ("dates with slashes and a dash", "[2026/11/20-10:20:3%:123] "),
    ("conserver", "[Fri Nov 20 10:20:3% 2026]"),
    ("LAVA, text", "10:20:3%.123456  "),
    ("containers, CI services", "2026-11-20T10:20:3%.123456Z "),
    ("time of day in parentheses", "(10:20:3%.5) "),
    ("time of day with a bar", "10:20:3%.123 | "),
    ("seconds and a tab", "%.123\t"),
    ("HTerm", "10:20:3%.123: "),
];

/// Stamps of firmware: the program, its first line and another one.
const LOADERS: [(&str, &str, &str); 8] = [
    (
        "U-Boot of Rockchip and others (`BOOTSTAGE_PRINTF_TIMESTAMP`)",
        "[    0.324987] U-Boot 2017.09 (Dec 26 2019 - 14:31:44 +0800)",
        "[    0.332526] DRAM:  2 GiB",
    ),
    (
        "U-Boot of Allwinner",
        "U-Boot 2018.07 (Nov 20 2026 - 10:20:30 +0000)",
        "[04.634]Starting kernel ...",
    ),
    (
        "boot0 of Allwinner",
        "[24]HELLO! BOOT0 is starting!",
        "[530]Jump to second Boot.",
    ),
    ("Little Kernel", "[10] welcome to lk", "[530] target_init()"),
    (
        "start.elf of the Raspberry Pi (`uart_2ndstage=1`)",
        "Raspberry Pi Bootcode",
        "MESS:00:00:02.168557:0: Starting start4.elf",
    ),
    (
        "XBL and ABL of Samsung's phones",
        "** XBL(1, restored from storage) **",
        "{ 4041738 }[ XBL ] Start EBS",
    ),
    (
        "Hostboot of POWER",
        "--== Welcome to Hostboot v2.2 ==--",
        "  5.47338|ISTEP  6. 4",
    ),
    (
        "skiboot",
        "[   75.323720711,5] OPAL v6.0 starting...",
        "[   75.423720711,3] PHB#0000: found",
    ),
];

/// Before each line, without a time.
const LABELS: [(&str, &str); 4] = [
    ("Arm's shrinkwrap", "[ tfa+linux ] "),
    ("docker compose", "board-1  | "),
    ("tbot", "│   │    <> "),
    ("sbt", "[info] "),
];

/// What a format is; a new one does not compile without it.
fn what(format: Format) -> &'static str {
    match format {
        Format::BootLog => "kernel logs and serial captures, LAVA's job logs (YAML and text), syslog, Android's bug reports and `logcat -b kernel`, tables of firmware",
        Format::TraceDat => "binary file of trace-cmd, versions 6 and 7",
        Format::FunctionGraph => "text of ftrace's function_graph tracer",
        Format::FtraceEvents => "text of ftrace events, of the function tracer, of `trace-cmd report`",
        Format::PerfScript => "text of `perf script`",
        Format::Strace => "output of strace with times",
        Format::Kfi => "logs of KFI and KFT",
        Format::KdReport => "tables and call traces of `kd`",
        Format::ShowDelta => "output of the kernel's `scripts/show_delta`",
        Format::SystemdAnalyze => "`systemd-analyze` time, blame, critical-chain",
        Format::SystemdPlot => "SVG of `systemd-analyze plot`",
        Format::SystemdPlotJson => "JSON of `systemd-analyze plot`",
        Format::DmesgJson => "`dmesg --json`",
        Format::JournalExport => "`journalctl -o export`, `-o json` and `-o verbose`",
        Format::Bootchart => "archive of bootchart, bootchart2 or BusyBox's bootchartd",
        Format::Foreign => "no log: bootlab says what it is instead",
    }
}

fn table(source: TableSource) -> (&'static str, &'static str) {
    match source {
        TableSource::Bootstage => ("U-Boot's `bootstage report`", "U-Boot 2024.01 (Jan 01 2024 - 00:00:00 +0000)\nTimer summary in microseconds (3 records):\n       Mark    Elapsed  Stage\n          0          0  reset\n    150,000    150,000  board_init_f\n    900,000    750,000  start_kernel"),
        TableSource::Cbmem => ("coreboot's `cbmem -t` and `-T`", "   0:1st timestamp                                     1,000\n  11:start of bootblock                                1,200 (200)\n  99:selfboot jump                                   900,000 (898,800)"),
        TableSource::SlimBootloader => ("`perf` of Slim Bootloader", " 1000 |       2 ms |       2 ms | Reset vector\n 1010 |       9 ms |       7 ms | Stage1A entry point\n 3000 |     400 ms |     391 ms | Stage2 entry point"),
        TableSource::BootTimeParser => ("TI's boot-time parser", "BOOTSTAGE_AWAKE                =      0 ms (+  0 ms)\nBOOTSTAGE_START_UBOOT_F        =    843 ms (+843 ms)\nBOOTSTAGE_KERNEL_START         =   1843 ms (+1000 ms)"),
        TableSource::QualcommSbl => ("Qualcomm's SBL and XBL", "Format: Log Type - Time(microsec) - Message - Optional Info\nB -      1234 - PBL, Start\nB -     81008 - SBL1, Start\nB -    530608 - SBL1, End"),
    }
}

const TABLES: [TableSource; 5] = [
    TableSource::Bootstage,
    TableSource::Cbmem,
    TableSource::SlimBootloader,
    TableSource::BootTimeParser,
    TableSource::QualcommSbl,
];

fn page() -> String {
    let mut out = String::from(
        "<!-- Written by `BLESS=1 cargo test -p boottrace --test inputs_page`. Do not edit. -->\n\n\
         # What bootlab reads\n\n\
         `bootlab analyze` detects the format of its input. It reports how it read each range of lines and what it skipped. A test reads\n\
         every stamp below in the form shown. [Read a boot log](../how-to/read-a-boot-log.md) explains how to use it.\n\n\
         ## Formats\n\n\
         Input may be a file or standard input, plain or compressed with gzip, xz or zstd. Text may be UTF-8 or UTF-16.\n\n\
         | `detected` | what |\n|---|---|\n",
    );
    for detector in DETECTORS {
        let _ = writeln!(out, "| `{}` | {} |", detector.format.name(), what(detector.format));
    }
    out += "\n## Stamps of capturing programs\n\n\
            bootlab understands any time stamp that begins most lines and increases. These are some that are in use.\n\n\
            | program or form | example |\n|---|---|\n";
    for (name, form) in HOSTS {
        let example = form.replace('%', "1").replace('\t', "⇥").replace('|', "\\|");
        let _ = writeln!(out, "| {name} | `{}` |", example.trim_end());
    }
    out += "\nIf each line begins with the name of a console, without a time, bootlab removes the name:\n\n| program | example |\n|---|---|\n";
    for (name, label) in LABELS {
        let _ = writeln!(out, "| {name} | `{}` |", label.trim_end().replace('|', "\\|"));
    }
    out += "\n## Clocks of firmware and boot loaders\n\n| program | example |\n|---|---|\n";
    for (name, _, line) in LOADERS {
        let _ = writeln!(out, "| {name} | `{}` |", line.trim().replace('|', "\\|"));
    }
    out += "\nTables of times:\n\n| table | a row |\n|---|---|\n";
    for source in TABLES {
        let (name, rows) = table(source);
        let row = rows.lines().last().unwrap_or_default().trim().replace('|', "\\|");
        let _ = writeln!(out, "| {name} | `{row}` |");
    }
    out += "\n## Firmware and boot loaders that are known by name\n\n\
            Output of other firmware belongs to the boot that follows it, without a name.\n\n";
    let names = programs();
    for row in names.chunks(6) {
        let comma = if names.ends_with(row) { "." } else { "," };
        let _ = writeln!(out, "{}{comma}", row.join(", "));
    }
    out
}

#[test]
fn the_page_says_what_the_code_reads() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/inputs.md");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, page()).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page(), "docs/reference/inputs.md is stale: run with BLESS=1");
}

fn only_boot(text: &str) -> Boot {
    let document = analyze("x", text.as_bytes(), &Options::default()).unwrap();
    let boots: Vec<&Boot> = document.boots().collect();
    assert_eq!(boots.len(), 1, "{text}");
    boots[0].clone()
}

fn first_program(boot: &Boot) -> Option<&str> {
    boot.firmware.programs.first().map(|program| program.name.as_str())
}

/// A boot of nine lines, one a second, as a capture would have them behind its stamps.
fn lines(stamp: impl Fn(usize) -> String) -> String {
    let loader = [
        "U-Boot SPL 2024.01 (Jan 01 2024 - 00:00:00 +0000)",
        "DRAM:  512 MiB",
        "Starting kernel ...",
    ];
    let kernel = (0..6).map(|n| match n {
        0 => "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1 SMP".to_owned(),
        5 => "[    5.000000] Run /sbin/init as init process".to_owned(),
        _ => format!("[    {n}.000000] message {n}"),
    });
    let all = loader.iter().map(|line| (*line).to_owned()).chain(kernel);
    all.enumerate()
        .fold(String::new(), |text, (n, line)| text + &stamp(n) + &line + "\n")
}

#[test]
fn every_capture_stamp_of_the_page_is_read() {
    for (name, form) in HOSTS {
        let boot = only_boot(&lines(|n| form.replace('%', &n.to_string())));
        assert_eq!(boot.axis.clock, Clock::Host, "{name}: {form}");
        assert_eq!(first_program(&boot), Some("U-Boot SPL"), "{name}: {form}");
        let start = boot
            .stages
            .iter()
            .find(|stage| stage.line == Some(4))
            .and_then(|stage| stage.ns);
        // The kernel's clock began three seconds after the loader's first line, or up to one more where stamps are whole.
        assert!(
            start.is_some_and(|ns| (3_000_000_000..=4_000_000_000).contains(&ns)),
            "{name}: {start:?}"
        );
    }
}

#[test]
fn every_label_of_the_page_is_taken_off() {
    for (name, label) in LABELS {
        let boot = only_boot(&lines(|_| label.to_owned()));
        assert_eq!(first_program(&boot), Some("U-Boot SPL"), "{name}");
        assert!(boot.kernel.init.is_some(), "{name}");
    }
}

#[test]
fn every_loaders_stamp_of_the_page_is_read() {
    for (name, first, second) in LOADERS {
        let kernel =
            "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1 SMP\n[    1.000000] Run /init as init process\n";
        let boot = only_boot(&format!("{first}\n{second}\n{kernel}"));
        assert_eq!(boot.axis.clock, Clock::Firmware, "{name}");
        assert!(boot.kernel.init.is_some(), "{name}");
    }
}

#[test]
fn every_table_of_the_page_is_read() {
    for source in TABLES {
        let (name, rows) = table(source);
        let boot = only_boot(&format!("{rows}\n"));
        assert_eq!(boot.firmware.tables.len(), 1, "{name}");
        assert_eq!(boot.firmware.tables[0].source, source, "{name}");
        assert!(boot.firmware.tables[0].marks.len() >= 3, "{name}");
    }
}

// SPDX-License-Identifier: MIT
//! Logs of strace in every form of its stamps, and what is no such log.

use boottrace::readers::strace::{detect, parse, ApplicationProfile, WaitFor};
use proptest::prelude::*;

/// The same run in another form: a device that comes after 300 ms of asking, a sleep, a timeout, a child.
const CALLS: &[(&str, f64, &str, f64)] = &[
    (
        "70",
        0.0,
        r#"execve("./app", ["./app", "-v"], 0x7ffc /* 9 vars */) = 0"#,
        0.0005,
    ),
    (
        "70",
        0.001,
        r#"openat(AT_FDCWD, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3"#,
        0.00001,
    ),
    (
        "70",
        0.002,
        r#"openat(AT_FDCWD, "/usr/lib/libx.so.1", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)"#,
        0.00001,
    ),
    (
        "70",
        0.003,
        r#"openat(AT_FDCWD, "/lib/libx.so.1", O_RDONLY|O_CLOEXEC) = 3"#,
        0.00001,
    ),
    ("70", 0.004, r#"read(3, "\177ELF\1\1"..., 512) = 512"#, 0.00001),
    (
        "70",
        0.005,
        r"clone(child_stack=NULL, flags=CLONE_CHILD_SETTID|SIGCHLD) = 71",
        0.0001,
    ),
    (
        "70",
        0.010,
        r#"openat(AT_FDCWD, "/dev/video0", O_RDWR) = -1 ENOENT (No such file or directory)"#,
        0.00001,
    ),
    ("70", 0.011, "nanosleep({tv_sec=0, tv_nsec=100000000}, NULL) = 0", 0.1),
    (
        "70",
        0.111,
        r#"openat(AT_FDCWD, "/dev/video0", O_RDWR) = -1 ENOENT (No such file or directory)"#,
        0.00001,
    ),
    ("70", 0.112, "nanosleep({tv_sec=0, tv_nsec=100000000}, NULL) = 0", 0.1),
    (
        "70",
        0.212,
        r#"openat(AT_FDCWD, "/dev/video0", O_RDWR) = 4</dev/video0>"#,
        0.00001,
    ),
    (
        "71",
        0.213,
        r#"execve("/bin/helper", ["helper"], 0x7ffc /* 9 vars */) = 0"#,
        0.0004,
    ),
    ("70", 0.220, "poll([{fd=4, events=POLLIN}], 1, 250) = 0 (Timeout)", 0.25),
    ("70", 0.471, r#"mount("none", "/run", "tmpfs", 0, NULL) = 0"#, 0.012),
    (
        "70",
        0.490,
        r#"connect(5, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = -1 ECONNREFUSED (Connection refused)"#,
        0.0001,
    ),
    ("70", 0.500, r#"write(1, "app: ready\n", 11) = 11"#, 0.0001),
    ("70", 0.600, "exit_group(0) = ?", -1.0),
    ("70", 0.601, "+++ exited with 0 +++", -1.0),
];

fn of_day(at: f64) -> String {
    let second = 86_399.9 + at;
    let second = if second >= 86_400.0 { second - 86_400.0 } else { second };
    format!(
        "{:02}:{:02}:{:09.6}",
        (second / 3600.0) as u32,
        (second / 60.0) as u32 % 60,
        second % 60.0
    )
}

/// Writes the run as strace does with these options.
fn log(stamps: &str, timed: bool, prefix: &str) -> String {
    let mut before = 0.0;
    let mut out = String::new();
    for (pid, at, call, took) in CALLS {
        let stamp = match stamps {
            "r" => format!("{:>13.6} ", at - before),
            "tt" => format!("{} ", of_day(*at)),
            "ttt" => format!("{:.6} ", 1_763_712_411.0 + at),
            _ => String::new(),
        };
        before = *at;
        let pid = match prefix {
            "file" => format!("{pid:<5} "),
            "terminal" => format!("[pid {pid:>5}] "),
            _ => String::new(),
        };
        let took = if timed && *took >= 0.0 {
            format!(" <{took:.6}>")
        } else {
            String::new()
        };
        out += &[pid.as_str(), &stamp, call, &took, "\n"].concat();
    }
    out
}

fn profile(text: &str) -> ApplicationProfile {
    assert!(detect(text.as_bytes()).is_some(), "{text}");
    let (profile, skipped) = parse(text.as_bytes(), None).expect("a slice cannot fail");
    assert_eq!(skipped.total(), 0, "{skipped:?}");
    profile
}

fn near(found: i64, ms: f64) -> bool {
    (found as f64 - ms * 1e6).abs() < 1.5e6
}

#[test]
fn every_form_of_stamps_tells_the_same() {
    for stamps in ["r", "tt", "ttt"] {
        for timed in [true, false] {
            for prefix in ["file", "terminal"] {
                let found = profile(&log(stamps, timed, prefix));
                let what = format!("-{stamps} {timed} {prefix}: {found:#?}");
                assert_eq!((found.timed, found.calls_total), (timed, 17), "{what}");
                assert!(near(found.length_ns.unwrap_or(0), 601.0), "{what}");
                let polled = &found.polled[0];
                assert_eq!(
                    (polled.path.as_str(), polled.tries, polled.came),
                    ("/dev/video0", 2, true),
                    "{what}"
                );
                assert!(near(polled.took_ns.unwrap_or(0), 202.0), "{what}");
                let sleep = &found.sleeps[0];
                assert_eq!(
                    (sleep.pid, sleep.count, sleep.asked_ns),
                    (70, 2, Some(100_000_000)),
                    "{what}"
                );
                assert!(near(sleep.total_ns, 200.0), "{what}");
                let timeout = found.waits.iter().find(|wait| wait.timed_out).expect("a timeout");
                assert_eq!(
                    (timeout.wait_for, timeout.asked_ns),
                    (WaitFor::Events, Some(250_000_000)),
                    "{what}"
                );
                assert!(near(timeout.took_ns, 250.0) && timeout.estimated != timed, "{what}");
                assert_eq!(found.processes[0].ended, "exited with 0", "{what}");
                assert_eq!(found.processes[1].parent, Some(70), "{what}");
                assert_eq!(found.processes[1].program, "/bin/helper", "{what}");
                assert_eq!((found.libraries.opened, found.libraries.missed), (1, 1), "{what}");
                assert_eq!(
                    (found.execs.len(), found.mounts.len(), found.sockets.len()),
                    (2, 1, 1),
                    "{what}"
                );
                assert_eq!(found.sockets[0].error, "ECONNREFUSED");
                let library = found
                    .files
                    .iter()
                    .find(|file| file.path == "/lib/libx.so.1")
                    .expect("the library");
                assert_eq!((library.read_bytes, library.first_line), (512, 4));
                assert_eq!(found.missing_total, 3, "{what}");
            }
        }
    }
}

#[test]
fn work_that_takes_long_is_listed_with_its_path() {
    let found = profile(&log("tt", true, "file"));
    let mount = found
        .waits
        .iter()
        .find(|wait| wait.wait_for == WaitFor::Work)
        .expect("the mount");
    assert_eq!((mount.call.as_str(), mount.took_ns), ("mount", 12_000_000));
}

#[test]
fn without_stamps_the_lengths_are_those_asked_for() {
    let found = profile(&log("", false, "file"));
    assert_eq!((found.length_ns, found.sleeps[0].total_ns), (None, 200_000_000));
    assert_eq!((found.polled[0].tries, found.polled[0].took_ns), (2, None));
}

#[test]
fn the_goal_ends_the_log() {
    let text = log("tt", true, "file");
    let (found, skipped) = parse(text.as_bytes(), Some("app: ready")).expect("a slice");
    let goal = found.goal.expect("the goal");
    assert_eq!((goal.line, goal.pid), (16, 70));
    assert!(near(goal.at_ns.unwrap_or(0), 500.0));
    assert_eq!(skipped.reasons.get("line behind the goal"), Some(&2));
}

#[test]
fn calls_cut_in_two_are_put_together() {
    let text = r#"10:00:00.000000 execve("./a", ["./a"], 0x1 /* 1 var */) = 0 <0.000100>
10:00:00.001000 openat(AT_FDCWD, "dev0", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000003>
10:00:00.002000 clock_nanosleep(CLOCK_REALTIME, 0, {tv_sec=0, tv_nsec=100000000}, strace: Process 9 attached
 <unfinished ...>
[pid     9] 10:00:00.010000 read(3, "a) = b <unfinished", 20) = 20 <0.000004>
[pid     8] 10:00:00.102000 <... clock_nanosleep resumed>0x7ffe34ac1530) = 0 <0.100116>
[pid     8] 10:00:00.103000 openat(AT_FDCWD, "dev0", O_RDONLY) = 5 <0.000002>
[pid     9] 10:00:00.104000 futex(0x1, FUTEX_WAIT_PRIVATE, 0, NULL <unfinished ...>
[pid     8] 10:00:00.105000 --- SIGCHLD {si_signo=SIGCHLD} ---
[pid     9] +++ killed by SIGKILL +++
10:00:00.200000 +++ exited with 3 +++
"#;
    let found = profile(text);
    let pids: Vec<_> = found
        .processes
        .iter()
        .map(|process| (process.pid, process.ended.as_str()))
        .collect();
    assert_eq!(pids, [(8, "exited with 3"), (9, "killed by SIGKILL")]);
    assert_eq!(
        (found.polled[0].pid, found.polled[0].tries, found.polled[0].came),
        (8, 1, true)
    );
    assert_eq!((found.sleeps[0].pid, found.sleeps[0].total_ns), (8, 100_116_000));
}

#[test]
fn other_logs_are_none_of_strace() {
    for text in [
        "[    0.000000] Linux version 6.1 (gcc (Debian) 12)\n[    0.1] calling  foo+0x0/0x10 @ 1\n",
        "function(void) called\nanother(x) called\n",
        "U-Boot 2024.01\nHit any key\n",
        "",
    ] {
        assert_eq!(detect(text.as_bytes()), None, "{text}");
    }
}

proptest! {
    #[test]
    fn anything_can_be_read(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let _ = detect(&bytes);
        parse(&bytes[..], Some("x")).expect("a slice cannot fail");
    }

    #[test]
    fn a_log_with_damage_can_be_read(at in 0_usize..3000, byte in any::<u8>(), cut in 0_usize..3000) {
        let mut bytes = log("tt", true, "terminal").into_bytes();
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(cut);
        parse(&bytes[..], None).expect("a slice cannot fail");
    }
}

#[test]
fn times_beyond_all_bounds_saturate() {
    let long = "9".repeat(30);
    let day = format!("08:07:{long} brk(NULL) = 0x1000 <{long}>\n");
    let since = format!("1 {long}.5 nanosleep({{tv_sec={long}, tv_nsec=0}}, NULL) = 0 <{long}.9>\n");
    let file = format!("1 {long}.5 openat(AT_FDCWD, \"/lib/libc.so.6\", O_RDONLY) = 3 <{long}.9>\n");
    for text in [day, since, file] {
        let (profile, _) = parse(text.repeat(3).as_bytes(), None).expect("a slice cannot fail");
        assert!(profile.processes.iter().all(|process| process.in_calls_ns >= 0));
    }
}

// SPDX-License-Identifier: MIT
//! Whole logs: where a boot is over, whose lines are whose, and what came again or from another clock. Logs made up for each
//! class of fault.

mod reading;

use std::fmt::Write;

use boottrace::facts::boot::gap::BootPart;
use boottrace::facts::boot::stage::StageEvent;
use boottrace::{Boot, Part};
use reading::{boots, ms, read};

const MS: i64 = 1_000_000;

fn titles(boot: &Boot) -> Vec<&str> {
    boot.costs.iter().map(|cost| cost.title.as_str()).collect()
}

fn longest(boot: &Boot) -> i64 {
    let costs = boot.costs.iter().filter_map(|cost| cost.cost_ns);
    costs.max().unwrap_or(0) / MS
}

fn parts(log: &str) -> Vec<(String, u32, u32)> {
    let parts = read(log).parts.into_iter();
    parts
        .map(|part| match part {
            Part::Boot(boot) => ("boot".to_owned(), boot.from_line, boot.to_line),
            Part::NotABoot(part) => (part.what, part.from_line, part.to_line),
            _ => ("other".to_owned(), 0, 0),
        })
        .collect()
}

/// A start by syslog's dates: kernel, frobd after 3 s, quuxd 4 s later.
fn dated(rest: &str) -> String {
    let kernel = "Mar  4 05:06:00 box kernel: Linux version 9.9.9 (x@y) #1\n\
                  Mar  4 05:06:00 box kernel: Freeing init memory: 100K\n";
    format!(
        "{kernel}Mar  4 05:06:01 box barfd[7]: here\nMar  4 05:06:05 box quuxd[8]: ready\n\
         Mar  4 05:06:06 box hostapd: wlan7: interface state UNINITIALIZED->ENABLED\n{rest}"
    )
}

#[test]
fn a_system_that_serves_others_boots_no_more() {
    let log = dated(
        "Mar  4 05:06:09 box hostapd: wlan7: STA 02:00:00:00:00:01 IEEE 802.11: associated\n\
         Mar  4 05:06:18 box barfd[7]: a\nMar  4 05:06:27 box barfd[7]: b\n",
    );
    assert_eq!(longest(&boots(&log)[0]), 4_000, "{:?}", titles(&boots(&log)[0]));
}

#[test]
fn a_silence_longer_than_the_start_ends_it() {
    let client = "Mar  4 05:08:00 box dhclient: DHCPDISCOVER on wlan7 to 255.255.255.255 port 67 interval 9\n\
                  Mar  4 05:08:09 box dhclient: DHCPDISCOVER on wlan7 to 255.255.255.255 port 67 interval 9\n\
                  Mar  4 05:08:30 box dhclient: No DHCPOFFERS received.\n";
    let later = dated(client);
    assert_eq!(longest(&boots(&later)[0]), 4_000, "{:?}", titles(&boots(&later)[0]));
    let at_once = dated(&client.replace("05:08", "05:06"));
    let at_once = at_once.replace("05:06:00 box dhclient", "05:06:07 box dhclient");
    assert!(longest(&boots(&at_once)[0]) > 20_000);
}

#[test]
fn a_desktop_that_is_there_is_no_boot() {
    let log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n\
               [    1.000000] Run /sbin/init as init process\n\
               [    4.000000] systemd[1]: Started Frob.\n\
               [    9.000000] rfkill: input handler disabled\n\
               [   17.000000] frob 1-1: up\n";
    assert_eq!(longest(&boots(log)[0]), 3_000, "{:?}", titles(&boots(log)[0]));
}

#[test]
fn words_that_come_again_and_again_are_no_waits() {
    let mut log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n[    1.000000] Run /sbin/init as init process\n\
                   [    4.000000] systemd[1]: Started Frob.\n"
        .to_owned();
    for (at, ns) in ["5.5", "9.1", "14.2", "21.3", "30.4"].iter().enumerate() {
        writeln!(log, "[{ns:>12}00000] [frob] wlan7: scan {at}").expect("a string takes all");
    }
    assert_eq!(longest(&boots(&log)[0]), 3_000, "{:?}", titles(&boots(&log)[0]));
    assert!(boots(&log)[0]
        .longest
        .as_ref()
        .is_none_or(|longest| longest.duration_ns < 5_000 * MS));
}

#[test]
fn the_kernels_silences_are_the_kernels() {
    let log = "Mar  4 05:06:00 box kernel: [    0.000000] Linux version 9.9.9 (x@y) #1\n\
               Mar  4 05:06:00 box frobd[7]: here\n\
               Mar  4 05:06:00 box kernel: [    0.300000] frob: begins\n\
               Mar  4 05:06:00 box quuxd[8]: here\n\
               Mar  4 05:06:00 box kernel: [    1.200000] frob: is up\n\
               Mar  4 05:06:00 box kernel: [    1.900000] Freeing unused kernel memory: 100K\n\
               Mar  4 05:06:00 box kernel: [    2.000000] frob: renamed\n";
    let boot = &boots(log)[0];
    assert!(boot.gaps.iter().any(|gap| gap.duration_ns == 900 * MS));
    assert!(boot
        .gaps
        .iter()
        .filter(|gap| gap.start_ns < 1_900 * MS)
        .all(|gap| gap.part == BootPart::Kernel));
}

#[test]
fn another_processors_clock_is_no_silence() {
    let log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n\
               [    0.097000] smp: Bringing up secondary CPUs ...\n\
               [    5.879000] Primary cache\n\
               [   14.264000] CPU7 found\n\
               [    0.230000] smp: Brought up 1 node\n\
               [    0.500000] Run /sbin/init as init process\n";
    let boot = &boots(log)[0];
    assert!(
        boot.gaps.iter().all(|gap| gap.duration_ns < 400 * MS),
        "{:?}",
        boot.gaps
    );
    assert!(boot
        .longest
        .as_ref()
        .is_none_or(|longest| longest.duration_ns < 400 * MS));
}

#[test]
fn a_console_that_says_all_again_is_no_boot() {
    let head = "[    0.000000] Linux version 9.9.9 (x@y) #1\n[    0.000002] time_init\n[    0.000536] clocksource: a\n\
                [    0.001486] clocksource: b\n[    0.002374] Console: colour dummy device 80x25\n";
    let log =
        format!("{head}{head}[    0.041204] console [tty7] enabled\n[    0.051000] frob: a\n[    0.061000] frob: b\n");
    assert_eq!(boots(&log).len(), 1);
    let other = log
        .replacen("0.000002", "0.000007", 1)
        .replacen("0.000536", "0.000537", 1);
    let other = other.replacen("0.001486", "0.001489", 1);
    assert_eq!(boots(&other).len(), 2);
}

#[test]
fn a_kernel_that_saves_a_dump_has_no_other_root() {
    let log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n\
               [    0.000000] Kernel command line: quiet elfcorehdr=0x77 irqpoll\n\
               [    1.000000] Run /init as init process\n\
               [    9.000000] systemd[1]: systemd 999 running in system mode (+A)\n";
    let dump = &boots(log)[0];
    assert_eq!(ms(dump, StageEvent::SwitchRoot), None);
    let whole = log.replace(" elfcorehdr=0x77", "");
    assert_eq!(ms(&boots(&whole)[0], StageEvent::SwitchRoot), Some(9_000));
}

#[test]
fn stage_2_of_nixos_is_behind_the_initramfs() {
    let log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n[    1.000000] Run /init as init process\n\
               <<< NixOS Stage 1 >>>\n\
               An error occurred in stage 1 of the boot process, which must mount the\n\
               [    3.000000] EXT4-fs (frob): mounted filesystem with ordered data mode\n\
               <<< NixOS Stage 2 >>>\n[    4.000000] EXT4-fs (frob): re-mounted. Opts: (null)\n\
               [    9.000000] systemd[1]: systemd 999 running in system mode (+A)\n\
               [    9.100000] systemd[1]: Hostname set to <box>.\n";
    let boot = &boots(log)[0];
    assert_eq!(ms(boot, StageEvent::SwitchRoot), Some(4_000));
    assert!(
        titles(boot).iter().all(|title| !title.contains("fails")),
        "{:?}",
        titles(boot)
    );
}

#[test]
fn a_loader_that_starts_an_image_is_no_user_space() {
    let log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n[    0.000000] Oops[#1]:\n\n\
               Starting application at 0x80770000, dts 0x837d56e0...\n\
               [    0.000000] Linux version 9.9.9-dirty (x@y) #2\n[    0.100000] frob\n";
    assert!(boots(log).iter().all(|boot| !boot.reached_user));
}

#[test]
fn daemons_words_before_the_kernels_are_of_that_boot() {
    let start = "Mar  4 05:06:07 box syslogd 9.9.9#7: restart.\n\
                 Mar  4 05:06:07 box kernel: klogd 9.9.9, log source = /proc/kmsg started.\n\
                 Mar  4 05:06:08 box kernel: Linux version 9.9.9 (x@y) #1\n\
                 Mar  4 05:06:08 box kernel: Freeing init memory: 100K\n\
                 Mar  4 05:06:09 box frobd[7]: ready\n";
    let down = "Mar  4 05:06:01 box quuxd[9]: at work\nMar  4 05:06:02 box rsyslogd: exiting on signal 15.\n";
    let found = parts(&format!("{down}{start}"));
    assert_eq!(found.last(), Some(&("boot".to_owned(), 5, 7)), "{found:?}");
    assert!(
        found
            .iter()
            .any(|(what, from, _)| what == "before-kernel" && *from == 3),
        "{found:?}"
    );
    let second = start.replace("05:06", "05:36");
    let found = parts(&format!("{start}{second}"));
    assert!(found.contains(&("boot".to_owned(), 3, 5)), "{found:?}");
    assert!(found.contains(&("boot".to_owned(), 8, 10)), "{found:?}");
}

#[test]
fn what_a_timer_starts_is_no_cost() {
    let log = "Mar  4 05:06:00 box kernel: [    0.000000] Linux version 9.9.9 (x@y) #1\n\
               Mar  4 05:06:01 box systemd[1]: Starting Daily apt download activities...\n\
               Mar  4 05:06:01 box systemd[1]: Starting Frob...\n\
               Mar  4 05:06:05 box systemd[1]: Started Frob.\n\
               Mar  4 05:06:12 box systemd[1]: Started Daily apt download activities.\n\
               Mar  4 05:06:12 box systemd[1]: Startup finished in 1.0s (kernel) + 12.0s (userspace) = 13.0s.\n";
    let boot = &boots(log)[0];
    assert!(
        titles(boot).iter().all(|title| !title.contains("Daily")),
        "{:?}",
        titles(boot)
    );
    assert!(titles(boot).iter().any(|title| title.contains("Frob")));
}

#[test]
fn androids_own_log_is_no_silence() {
    let mut log = "[    0.000000] Linux version 9.9.9 (x@y) #1\n[    1.000000] Run /init as init process\n\
                   [    2.000000] init: starting service 'frob'...\n"
        .to_owned();
    for second in 10..30 {
        writeln!(log, "07-07 07:07:{second}.000   777   777 I Frob    : at work").expect("a string takes all");
    }
    log += "[   22.000000] frob: done\n";
    let boot = &boots(&log)[0];
    assert!(
        boot.gaps.iter().all(|gap| gap.duration_ns < 10_000 * MS),
        "{:?}",
        boot.gaps
    );
}

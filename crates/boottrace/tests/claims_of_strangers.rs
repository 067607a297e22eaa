// SPDX-License-Identifier: MIT
//! Forms in which people post pieces, and what may be claimed of them.

mod reading;

use std::fmt::Write;

use boottrace::costs::Cost;
use boottrace::{Document, Part};
use reading::{boots, read, unit_reports};

fn no_boots(document: &Document) -> Vec<(String, String)> {
    let other = |part: &Part| match part {
        Part::NotABoot(part) => Some((part.what.clone(), part.why.clone())),
        _ => None,
    };
    document.parts.iter().filter_map(other).collect()
}

fn titles(costs: &[Cost]) -> Vec<String> {
    costs.iter().map(|cost| cost.title.clone()).collect()
}

#[test]
fn a_banner_that_a_mail_broke_is_one() {
    let text = "It works here:\n\n```\nUncompressing Linux... done\n[    0.000000] Linux version \n\
                6.4.0-rc3-0123456789abcdef (somebody@box) \n(ia64-linux-gcc (GCC) 12.2.0) #1 SMP Sun May \n\
                28 09:08:44 2023\n[    0.000000] efi: EFI v2.1\n..\n[   36.600000] Run /init as init process\n```\n";
    let found = boots(text);
    let banner = found[0].kernel.banner.as_ref().unwrap();
    assert_eq!(banner.release, "6.4.0-rc3-0123456789abcdef");
}

#[test]
fn an_account_that_a_mail_broke_behind_a_time_is_whole() {
    let said = "According to the tool the firmware on several systems takes over ten seconds to initialize.\n\n";
    let account = "     $ systemd-analyze\n     Startup finished in 11.193s (firmware) + 1.558s (loader) + 4.155s \n\
                   (kernel) + 2.007s (userspace) = 18.914s\n     graphical.target reached after 1.983s in userspace\n\n";
    let text = &format!(
        "From: a@b\nSubject: fast boot\n\n{}{account}{}",
        said.repeat(4),
        said.repeat(12)
    );
    let document = read(text);
    let startup = unit_reports(&document)[0].startup.clone().unwrap();
    assert_eq!(startup.total_ns, Some(18_914_000_000));
}

#[test]
fn an_account_above_a_whole_log_is_read() {
    let log =
        "[    0.000000] Linux version 6.6.0 (a@b) (gcc 13) #1\n[    0.100000] frob: up\n[    0.200000] quux: up\n\
               [    1.800000] Run /init as init process\n[    3.300000] systemd[1]: Detected architecture x86-64.\n";
    let said =
        "The login comes late. In /var/log/messages:\n\nsystemd[1]: Startup finished in 1.842s (kernel) + 1.466s \
                (initrd) + 29.230s (userspace) = 32.540s.\n\nI attach the log.\n\n";
    let document = read(&format!("{said}{log}"));
    let reports = unit_reports(&document);
    let startup = reports[0].startup.as_ref().unwrap();
    assert_eq!(startup.total_ns, Some(32_540_000_000));
    // Two may be of two boots.
    let twice = read(&format!(
        "{said}{}{log}",
        said.replace("29.230", "9.230").replace("32.540", "12.540")
    ));
    assert!(unit_reports(&twice).iter().all(|report| report.startup.is_none()));
}

#[test]
fn a_run_of_seconds_in_a_page_is_a_clock() {
    let head = "Measuring the boot time\n\nWords of a page.\n\nStep 1: with a host that stamps each line\n\n   3.797 \
                U-Boot 1.0.0 (Oct 29 2003 - 15:42:57)\n";
    let line = |n: i32| format!("   {:.3} frob {n}: ready\n", 3.9 + 0.25 * f64::from(n));
    let text: String = std::iter::once(head.to_owned()).chain((0..12).map(line)).collect();
    let found = boots(&text);
    assert!(!found[0].clocks.is_empty(), "{:?}", found[0].stages);
}

#[test]
fn a_text_about_a_start_without_times_is_called_so() {
    let console = "Starting udev:  [  OK  ]\nSetting hostname box:  [  OK  ]\nMounting local filesystems:  [  OK  ]\n";
    let told = no_boots(&read(console));
    assert_eq!(told[0].0, "untold");
    assert!(told[0].1.starts_with("3 lines of start scripts"), "{told:?}");
    let told = no_boots(&read(
        "Order of the first boot of a box\n\nIt makes keys and grows its disk.\n",
    ));
    assert!(told[0].1.starts_with("line 1 speaks of a start"), "{told:?}");
    assert!(read("A letter to a friend.\n\nIt rains.\n").parts.is_empty());
}

#[test]
fn a_title_that_quotes_a_line_is_no_second_cost() {
    let text =
        "image.ub read by u-boot takes a long time: 286172648 bytes read in 18889 ms (14.4 MiB/s)\n\nThe log says:\n\n\
                **286172648 bytes read in 18889 ms (14.4 MiB/s)**\n";
    let document = read(text);
    let stated: Vec<i64> = unit_reports(&document)[0]
        .costs
        .iter()
        .filter_map(|cost| cost.cost_ns)
        .collect();
    assert_eq!(stated, [18_889_000_000]);
}

#[test]
fn what_fails_after_hours_is_no_boot() {
    let piece = "[71848.072650] WARNING: kernel stack regs at ffffc9001e21f818 has bad 'bp' value 00000000f710950f\n\
                 [71848.073989] unwind stack type:0 next_sp:0000000000000000 mask:0x6 graph_idx:0\n\
                 [71848.073993] Kernel panic - not syncing: frob\n";
    let document = read(&format!("crash 1:\n{piece}\ncrash 2:\n{}", piece.replace("718", "819")));
    assert!(document.boots().next().is_none());
    assert!(no_boots(&document).iter().all(|(what, _)| what == "running-system"));
}

#[test]
fn the_last_line_of_a_silence_names_nobody_who_was_not_asked() {
    let head =
        "[    0.000000] Linux version 6.6.0 (a@b) (gcc 13) #1\n[    1.000000] ata1: SATA link down (SStatus 0)\n";
    let found = boots(&format!(
        "{head}[   90.000000] VFS: Unable to mount root fs via NFS.\n[   90.100000] Kernel panic - not syncing: VFS: x\n"
    ));
    let told = titles(&found[0].costs);
    assert!(
        told[0].starts_with("nothing is printed before `VFS: Unable to mount root fs via NFS.`"),
        "{told:?}"
    );
    // In a piece lines may be left out.
    let piece = "[    1.000000] frob: up\n[    7.000000] PID hash table entries: 2048 (order: 11, 8192 bytes)\n\
                 [    7.100000] quux: up\n";
    let told = titles(&boots(piece)[0].costs);
    assert!(
        !told.iter().any(|title| title.starts_with("hash tables are made")),
        "{told:?}"
    );
}

/// Lines of a daemon that asks for its address anew, as the days go by.
#[test]
fn daemons_that_go_on_for_longer_than_a_start_are_of_a_running_system() {
    let mut log = String::new();
    for n in 0..12 {
        writeln!(
            log,
            "Jul  7 {:02}:{:02}:02 box dhclient[77]: DHCPREQUEST on eth7 to 192.0.2.1 port 67 (xid=0x7)\n\
             Jul  7 {:02}:{:02}:04 box kernel: frobnet: eth7 NIC Link is Up 100 Mbps",
            9 + n / 5,
            n % 5 * 12,
            9 + n / 5,
            n % 5 * 12
        )
        .unwrap();
    }
    let document = read(&log);
    assert_eq!(no_boots(&document)[0].0, "running-system", "{:?}", document.parts);
    assert!(boots(&log).is_empty());
    // Another system's start may be in them.
    let other = log.replacen(
        "kernel: frobnet: eth7",
        "kernel: Copyright (c) 2031 The FrobBSD Project. eth7",
        1,
    );
    assert!(no_boots(&read(&other)).iter().all(|(what, _)| what != "running-system"));
}

/// A phone's memory of messages whose head is gone, and in which nothing starts.
#[test]
fn a_long_memory_without_a_start_is_of_a_running_system() {
    let mut log = String::new();
    for n in 0..1_500 {
        writeln!(
            log,
            "[{:>5}.{:06}] frobd: call {n} of task {}",
            47 + n / 50,
            n % 50 * 20_000,
            n * 7
        )
        .unwrap();
    }
    assert_eq!(no_boots(&read(&log))[0].0, "running-system");
    let shown = log.replacen("frobd: call 700 of task 4900", "Run /sbin/init as init process", 1);
    assert_eq!(boots(&shown).len(), 1);
}

/// Behind Android's own account of its start, what lasts is no part of it.
#[test]
fn what_lasts_behind_androids_own_account_is_not_of_its_start() {
    let line = |at: &str, said: &str| format!("07-07 07:{at}.000   700   701 {said}\n");
    let log = line("01:00", "V SystemServerTiming: StartServices took to complete: 21000ms")
        + &line(
            "01:30",
            "V ActivityManagerTiming: TotalBootTime took to complete: 45000ms",
        )
        + &line(
            "03:30",
            "W Looper  : Slow dispatch took 31000ms frob.bg h=frob.Quux c=null m=7",
        );
    let document = read(&log);
    let told: Vec<_> = unit_reports(&document)[0]
        .costs
        .iter()
        .filter_map(|cost| cost.cost_ns)
        .collect();
    assert_eq!(told, [45_000_000_000, 21_000_000_000]);
}

/// Notes that name no time and no wait, and in which nobody speaks, are not quoted.
#[test]
fn notes_on_how_something_works_are_not_quoted() {
    let notes = "Initcalls\n\nThe frob subsystem calls a probe function for each device at boot, because the device must be \
                 ready before it is used.\n\nThe kernel prints a message for each initcall at boot, because that shows its order.\n";
    assert_eq!(unit_reports(&read(notes)).len(), 0);
}

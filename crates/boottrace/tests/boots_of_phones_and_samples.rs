// SPDX-License-Identifier: MIT
//! Clocks that makers of phones add to the kernel's, loaders that say their name again, and lines in no order. Logs made up
//! for each class of fault.

mod reading;

use std::fmt::Write;

use boottrace::facts::boot::stage::StageEvent;
use reading::{boots, ms, read};

#[test]
fn a_date_stands_behind_the_time() {
    let log = "<5>[    0.000000 / 01-01 00:00:00.000][0] Linux version 3.10.49 (a@b) (gcc) #1 SMP\n\
               <6>[    2.187707 / 01-12 10:20:37.599][0] Freeing unused kernel memory: 80K\n\
               <11>[    2.622147 / 01-12 10:20:38.029][1] init: init started!\n";
    let found = boots(log);
    assert_eq!(found.len(), 1);
    assert_eq!(ms(&found[0], StageEvent::UserSpaceStart), Some(2187));
}

#[test]
fn another_clock_stands_behind_the_stamp() {
    let log = "[    0.479428] [    0.479414]@0 audit: initializing netlink subsys (disabled)\n\
               [    2.359398] [    2.359394]@0 Freeing unused kernel memory: 8192K\n\
               [    2.587588] [    2.587578]@0 init: init first stage started!\n\
               [   12.893514] [20180812_18:15:17.854639]@2 logd: started\n";
    let found = boots(log);
    assert_eq!(found.len(), 1);
    assert_eq!(ms(&found[0], StageEvent::UserSpaceStart), Some(2359));
    let said: Vec<&str> = found[0].lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(said[0], "audit: initializing netlink subsys (disabled)");
    assert_eq!(said[3], "logd: started");
}

#[test]
fn stamps_that_fall_behind_a_panic_are_another_boots() {
    let mut log = String::from("[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1 SMP\n");
    for second in 1..9 {
        writeln!(log, "[    {second}.000000] driver {second}").unwrap();
    }
    log += "[   57.100000] Kernel panic - not syncing: Attempted to kill the idle task!\n";
    // Processors stop a little out of order.
    log += "[   57.099000] CPU1: stopping\n";
    assert_eq!(boots(&log).len(), 1);
    log += "[    0.750784] Kernel panic - not syncing: Attempted to kill init! exitcode=0x00000009\n";
    assert_eq!(boots(&log).len(), 2);
}

#[test]
fn coreboot_that_resets_the_machine_starts_again_and_seabios_on_two_consoles_does_not() {
    let start = "coreboot-4.4-588ccaa Wed Jun 22 23:12:30 UTC 2016 romstage starting...\n\
                 BSP Family_Model: 00610f31\ncpu_init_detectedx = 00000000\nFch OEM config in INIT RESET Done\n\n";
    let bios = "SeaBIOS (version rel-1.9.1-0-gb3ef39f)\nBUILD: gcc: (coreboot toolchain v1.38) 5.2.0\n";
    let log = format!("{start}{start}{start}PCI: 00:14.4 cmd <- 01\n{bios}{bios}Booting from Hard Disk...\n");
    assert_eq!(boots(&log).len(), 3);
}

#[test]
fn a_preloader_says_that_it_starts() {
    let log = "PLL Preloader mode\n[PMIC]Preloader Start\n[PMIC] CHIP Code = 0x3030\n[PMIC]POWER_HOLD :0x1\n";
    assert_eq!(boots(log).len(), 1);
}

#[test]
fn lines_in_no_order_are_no_boots() {
    let said = [
        "Initializing cgroup subsys cpuset",
        "Linux version 5.4.0 (a@b) (gcc) #1",
        "systemd[1]: Started Journal Service.",
    ];
    let line = |hour: usize, n: usize| {
        let stamp = ["0.000000", "0.000000", "3.123456"][n % 3];
        format!("Jul 29 {hour:02}:14:35 localhost [    {stamp}] {}\n", said[n % 3])
    };
    let samples: String = (0..40).map(|n| line(n * 7 % 24, n)).collect();
    let document = read(&samples);
    assert_eq!(document.boots().count(), 0);
    assert!(document
        .input
        .problems
        .iter()
        .any(|problem| problem.contains("no order")));
    // As a log has them, one hour after the other.
    let ordered: String = (0..24).map(|n| line(n, n)).collect();
    assert!(read(&ordered).boots().count() > 0);
}

#[test]
fn the_kernels_buffer_of_logcat_has_no_tags() {
    let log = "--------- beginning of main\n\
               04-16 16:55:35.537   318   318 I SELinux : SELinux: Loaded service_contexts from:\n\
               --------- beginning of kernel\n\
               04-16 16:55:33.222     1     1 D         : calling  a_init+0xb80/0xee0 @ 1\n\
               04-16 16:55:33.685     1     1 I         : Freeing unused kernel memory: 2112K\n\
               04-16 16:55:33.711     1     1 I         : Run /init as init process\n";
    let found = boots(log);
    assert_eq!(found.len(), 1);
    let stage = found[0]
        .stages
        .iter()
        .find(|stage| stage.event == StageEvent::UserSpaceStart);
    assert!(stage.is_some_and(|stage| stage.line.is_some()));
    // A running system's says nothing of a start.
    let running = "--------- beginning of kernel\n\
                   04-16 16:55:33.222     1     1 D         : binder: transaction failed\n\
                   04-16 16:55:34.222     1     1 I         : wlan: beacon lost\n";
    assert_eq!(boots(running).len(), 0);
}

#[test]
fn what_is_silent_a_minute_later_is_the_running_phones() {
    let mut log = String::from(
        "[    0.100000] Linux version 3.4.0 (a@b) (gcc) #1 SMP\n\
         [    2.100000] Freeing unused kernel memory: 804K\n\
         [    2.500000] init: init started!\n\
         [   20.000000] init: starting 'netd'\n",
    );
    // Nine seconds without a word, which nothing ties to the boot, and then each second one, with a break of 15 s after 100 s.
    for second in (29..100).chain(115..300) {
        writeln!(log, "[{second:5}.000000] init: Untracked pid {second} exited").unwrap();
    }
    let found = boots(&log);
    let told: Vec<i64> = found[0].gaps.iter().map(|gap| gap.start_ns / 1_000_000_000).collect();
    assert!(told.contains(&2), "{told:?}");
    assert!(told.iter().all(|start| *start <= 60), "{told:?}");
}

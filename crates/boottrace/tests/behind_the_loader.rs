// SPDX-License-Identifier: MIT
//! Whose time is it behind a loader's last words, when the kernel is quiet and nobody says a name? Logs made up here.

mod reading;

use std::fmt::Write;

use boottrace::facts::boot::{BootPart, Outcome, StageEvent};
use reading::{boots, ms};

/// As grabserial stamps a console: seconds from its start, and from the line before.
fn log(lines: &[(f64, &str)]) -> String {
    let mut before = 0.0;
    let mut out = String::new();
    for (at, text) in lines {
        writeln!(out, "[{at:.6} {:.6}] {text}", at - before).unwrap();
        before = *at;
    }
    out
}

#[test]
fn what_says_no_name_is_not_the_loaders() {
    for words in ["Starting kernel ...", "Booting from ROM..mine: start"] {
        let lines = [
            (0.000_001, "U-Boot SPL 2023.01 (Jan 09 2023 - 10:00:00 +0000)"),
            (0.020_000, words),
            (3.260_000, "mine: scripts"),
            (3.560_000, "mine: frame 1"),
        ];
        let found = boots(&log(&lines));
        let boot = &found[0];
        assert_eq!((found.len(), boot.outcome), (1, Outcome::NotShown), "{words}");
        assert!(boot.failures.is_empty(), "{words}: {:?}", boot.failures);
        assert_eq!(boot.gaps[0].part, BootPart::Unclaimed, "{words}");
        assert_eq!(boot.gaps[0].duration_ns / 1_000_000, 3240, "{words}");
        let kernel = boot.stages.iter().find(|stage| stage.event == StageEvent::KernelStart);
        assert!(kernel.is_some_and(|stage| stage.at_most), "{words}: {kernel:?}");
        assert_eq!(ms(boot, StageEvent::KernelStart), Some(3259), "{words}");
    }
}

#[test]
fn a_loader_that_speaks_again_keeps_its_time() {
    for last in ["resetting ...", "data abort", "=> ", "iPXE initialising devices...ok"] {
        let lines = [
            (0.000_001, "U-Boot 2023.01 (Jan 09 2023 - 10:00:00 +0000)"),
            (0.020_000, "Starting kernel ..."),
            (3.260_000, last),
        ];
        let boot = &boots(&log(&lines))[0];
        assert_eq!(boot.outcome, Outcome::EndsInFirmware, "{last}");
    }
}

#[test]
fn a_kernel_that_speaks_late_is_its_own() {
    let lines = [
        (0.000_001, "SeaBIOS (version 1.16.2-debian-1.16.2-1)"),
        (0.018_560, "Booting from ROM..."),
        (0.020_000, "Probing EDD (edd=off to disable)... ok"),
        (0.300_000, "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1 SMP"),
        (0.310_000, "[    0.010000] Run /init as init process"),
    ];
    let found = boots(&log(&lines));
    assert_eq!((found.len(), found[0].outcome), (1, Outcome::UserSpace));
    assert_eq!(ms(&found[0], StageEvent::KernelStart), Some(299));
}

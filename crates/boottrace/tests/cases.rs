// SPDX-License-Identifier: MIT
//! Real logs that are not part of the repository: read from the folder BOOTLAB_CASES, skipped without it.

use std::path::PathBuf;

use boottrace::facts::boot::failure::{FailureKind, Outcome};
use boottrace::facts::boot::stage::StageEvent;
use boottrace::facts::kernel::calibration::CalibrationForm;
use boottrace::facts::kernel::initcall::CallFlag;
use boottrace::{analyze, Boot, Document, Options, Part};

fn case(name: &str) -> Option<Document> {
    let folder = PathBuf::from(std::env::var_os("BOOTLAB_CASES")?);
    let bytes = std::fs::read(folder.join(name)).ok()?;
    Some(analyze(name, &bytes, &Options::default()).unwrap())
}

fn boots(document: &Document) -> Vec<&Boot> {
    document.boots().collect()
}

fn skipped(document: &Document, part: &str) -> u64 {
    document
        .skipped
        .iter()
        .filter(|s| s.reason.contains(part))
        .map(|s| s.count)
        .sum()
}

#[test]
fn x13s_has_true_durations() {
    let Some(document) = case("x13s-arm64-6.13-dmesg-initcall_debug.txt") else {
        return;
    };
    let [boot] = boots(&document)[..] else {
        panic!("one boot")
    };
    let kernel = &boot.kernel;
    assert_eq!(
        (kernel.initcalls.len(), kernel.probes.len(), kernel.backward_stamps),
        (1332, 807, 4)
    );
    assert_eq!(kernel.flagged(CallFlag::Disagrees), 48);
    let names: std::collections::BTreeSet<_> = kernel.initcalls.iter().map(|c| &c.name).collect();
    assert_eq!(names.len(), 1318);
    assert_eq!(kernel.initcalls.iter().filter(|c| c.module.is_some()).count(), 157);
    let ath11k = kernel.initcalls.iter().find(|c| c.name == "ath11k_pci_init").unwrap();
    assert_eq!(
        (ath11k.duration_ns, ath11k.printed_us),
        (Some(1_022_479_000), Some(9949))
    );
    assert!(ath11k.has(CallFlag::Disagrees) && ath11k.has(CallFlag::SharedStart));
    assert_eq!(
        (
            boot.deferred.devices.len(),
            boot.deferred.deferrals,
            boot.deferred.attempts_us
        ),
        (46, 534, 489_193)
    );
    assert_eq!(skipped(&document, "PCI fixup"), 8);
    let path = boot.critical_path.as_ref().unwrap();
    let sum: i64 = path.segments.iter().map(|s| s.duration_ns).sum();
    assert_eq!((sum, path.to_ns), (690_048_000, 690_048_000));
    assert_eq!(kernel.calibrations[0].form, CalibrationForm::TimerFrequency);
    let absent = boot.costs.iter().find(|c| c.title.contains("found no device")).unwrap();
    assert!(absent.evidence.starts_with("35 of them"), "{}", absent.evidence);
}

#[test]
fn a_serial_log_with_three_boots() {
    let Some(document) = case("kernelci-linux_boot_002.log") else {
        return;
    };
    let boots = boots(&document);
    assert_eq!(boots.iter().map(|b| b.from_line).collect::<Vec<_>>(), [2, 431, 860]);
    assert!(boots
        .iter()
        .all(|b| b.outcome == Outcome::Panic && b.failures[0].kind == FailureKind::NoRoot));
    assert_eq!(document.boot_loop.as_ref().unwrap().boots, 3);
}

#[test]
fn firmware_alone_never_reaches_the_kernel() {
    let Some(document) = case("kernelci-linux_boot_001.log") else {
        return;
    };
    let boots = boots(&document);
    assert!(
        !boots.is_empty()
            && boots
                .iter()
                .all(|b| !b.reached_kernel && b.outcome == Outcome::EndsInFirmware)
    );
}

#[test]
fn chromebook_firmware_and_kernel_are_one_boot() {
    for (name, kernel_line) in [
        ("kernelci-linux_boot_004.log", 526),
        ("kernelci-test_baseline_002.log", 557),
    ] {
        let Some(document) = case(name) else { return };
        let [boot] = boots(&document)[..] else {
            panic!("{name}: one boot")
        };
        let start = boot.stages.iter().find(|s| s.event == StageEvent::KernelStart).unwrap();
        assert_eq!(start.line, Some(kernel_line), "{name}");
        assert_eq!(boot.outcome, Outcome::UserSpace);
        assert!(boot.firmware.programs.iter().any(|p| p.name == "depthcharge"));
        // DRAM training is no delay-loop calibration.
        assert_eq!(boot.kernel.calibrations.len(), 1);
    }
}

#[test]
fn lava_logs_have_one_boot_and_no_echo() {
    for (name, from_line, init_line) in [
        ("lava-tuxrun-pass-1.yaml", 230, 657),
        ("lava-tuxrun-fail-1.yaml", 220, 658),
        ("lava-tuxrun-fail-6.yaml", 240, 367),
    ] {
        let Some(document) = case(name) else { return };
        let [boot] = boots(&document)[..] else {
            panic!("{name}: one boot")
        };
        assert_eq!(
            (boot.from_line, boot.kernel.init.as_ref().unwrap().line),
            (from_line, init_line),
            "{name}"
        );
        assert!(boot.failures.is_empty(), "{name}: {:?}", boot.failures);
        assert!(skipped(&document, "the tool that captured") > 200, "{name}");
    }
}

#[test]
fn a_capture_whose_clock_restarts_stays_on_one_axis() {
    let Some(document) = case("elinux-grabserial-pandaboard-omap4.log") else {
        return;
    };
    let [boot] = boots(&document)[..] else {
        panic!("one boot")
    };
    let at = |event| boot.stages.iter().find(|s| s.event == event).unwrap().ns.unwrap();
    assert_eq!(at(StageEvent::Decompression), 8_379_216_000);
    assert_eq!(at(StageEvent::KernelStart), 9_893_906_000);
    assert!(at(StageEvent::UserSpaceStart) > at(StageEvent::KernelStart));
    assert_eq!(boot.axis.host_restarts.len(), 1);
}

#[test]
fn a_suspend_log_is_called_so() {
    let Some(document) = case("pmgraph-skynet_mem_dmesg.txt") else {
        return;
    };
    let [Part::NotABoot(part)] = &document.parts[..] else {
        panic!("{:?}", document.parts)
    };
    assert_eq!(part.what, "suspend");
    assert_eq!(skipped(&document, "suspend or resume callback"), 556);
}

#[test]
fn old_kernels_and_excerpts() {
    if let Some(document) = case("elinux-printktimes-sample4-x86-2.6-jiffieswrap.log") {
        let boot = boots(&document)[0];
        assert_eq!(boot.kernel.calibrations[0].cost_ns, Some(22_422_000));
        assert!(boot.critical_path.as_ref().unwrap().from_ns > 21_000_000_000);
    }
    if let Some(document) = case("excerpts/arm-mdm9625-hang-in-calibrate.txt") {
        let failures = &boots(&document)[0].failures;
        assert_eq!(failures[0].kind, FailureKind::HangInCalibration);
    }
    if let Some(document) = case("excerpts/x86-2.6.3x-interleaved-partition-scan.txt") {
        let calls = &boots(&document)[0].kernel.initcalls;
        assert_eq!((calls[0].name.as_str(), calls[0].printed_us), ("init_sd", Some(787)));
        assert!(calls[0].has(CallFlag::Rejoined) && calls[0].has(CallFlag::NoStart));
        assert_eq!(calls[1].duration_ns, Some(127_000));
    }
    if let Some(document) = case("excerpts/uboot-bootstage-stm32mp157c-dk2.txt") {
        let boots = boots(&document);
        assert_eq!(boots.len(), 2);
        assert_eq!(
            boots
                .iter()
                .map(|b| b.firmware.tables[0].marks.len())
                .collect::<Vec<_>>(),
            [7, 7]
        );
    }
    if let Some(document) = case("excerpts/rpi4-arm64-6.18-initcall_debug-run10-excerpt.txt") {
        let kernel = &boots(&document)[0].kernel;
        let ethnl = kernel.initcalls.iter().find(|c| c.name == "ethnl_init").unwrap();
        assert_eq!((ethnl.duration_ns, ethnl.printed_us), (Some(120_000), Some(4000)));
        assert!(ethnl.has(CallFlag::JiffiesClock) && !ethnl.has(CallFlag::Disagrees));
    }
}

fn files(folder: &std::path::Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

#[test]
fn no_document_of_a_real_log_says_what_cannot_be() {
    let Some(folder) = std::env::var_os("BOOTLAB_CASES") else {
        return;
    };
    let mut all = Vec::new();
    files(&PathBuf::from(folder), &mut all);
    let options = Options {
        keep_lines: true,
        ..Options::default()
    };
    for path in &all {
        let bytes = std::fs::read(path).unwrap();
        let Ok(document) = analyze("x", &bytes, &options) else {
            continue;
        };
        let told = boottrace::document::invariants::broken(&document);
        assert_eq!(told, Vec::<String>::new(), "{}", path.display());
    }
}

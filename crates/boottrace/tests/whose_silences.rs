// SPDX-License-Identifier: MIT
//! Whose a silence is, and whether it is the boot's at all. Logs made up for each class of fault.

mod reading;

use boottrace::costs::{Cost, CostKind};
use boottrace::facts::boot::stage::StageEvent;
use reading::{boots, ms};

const MS: i64 = 1_000_000;

fn silences(log: &str) -> Vec<(i64, String)> {
    let found = boots(log);
    let costs = found.iter().flat_map(|boot| &boot.costs);
    costs
        .filter(|cost| cost.kind == CostKind::Silence)
        .filter_map(|cost| Some((cost.cost_ns? / MS, whose(cost))))
        .collect()
}

/// Of a piece it is not said who is silent, but what to do is.
fn whose(cost: &Cost) -> String {
    let user = cost.advice.starts_with("look what runs there");
    if user {
        "user space prints nothing"
    } else {
        "the kernel prints nothing"
    }
    .to_owned()
}

#[test]
fn what_a_running_system_prints_ends_no_silence() {
    for last in [
        "hv_balloon: Max. dynamic memory size: 8152 MB",
        "CE: hpet increasing min_delta_ns to 15000 nsec",
        "perf: interrupt took too long (2505 > 2500), lowering kernel.perf_event_max_sample_rate to 79000",
        "eth1: no IPv6 routers present",
    ] {
        let log = format!(
            "[    2.010436] pci 0000:00:00.0: [1af4:1049] type 00 class 0x010000\n\
             [    2.022901] pci 0000:00:00.0: BAR 4: assigned [mem 0xc000-0xcfff 64bit]\n\
             [   49.585672] {last}\n"
        );
        assert_eq!(silences(&log), [], "{last}");
    }
}

#[test]
fn a_boot_that_goes_on_was_not_over() {
    let piece = "[    0.264088] hub 1-0:1.0: USB hub found\n\
        [    0.264111] hub 1-0:1.0: 2 ports detected\n\
        [ 6092.284975] PNP: PS/2 Controller [PNP0303:KBD] at 0x60,0x64 irq 1,12\n\
        [ 6092.286765] serio: i8042 KBD port at 0x60,0x64 irq 1\n";
    assert_eq!(silences(piece)[0].0, 6_092_020);
    let whole = "[    1.121369] Freeing unused kernel memory: 656k freed\n\
        [    1.146159] udev: starting version 151\n\
        [    1.658550] EXT3-fs: mounted filesystem with ordered data mode.\n\
        [   72.265461] udev: starting version 151\n\
        [   72.341338] Adding 4803392k swap on /dev/sda5.  Priority:-1 extents:1 across:4803392k\n";
    let found = silences(whole);
    assert_eq!(found[0].0, 70_606, "{found:?}");
    assert!(found[0].1.starts_with("user space "), "{found:?}");
    let plugged = whole.replace(
        "udev: starting version 151\n[   72.34",
        "usb 1-1: new device\n[   72.34",
    );
    assert!(silences(&plugged).iter().all(|silence| silence.0 < 60_000));
}

#[test]
fn what_user_space_brings_about_is_not_the_kernels() {
    for last in [
        "ADDRCONF(NETDEV_UP): eth0: link is not ready",
        "Bluetooth: BNEP (Ethernet Emulation) ver 1.3",
        "init: ureadahead main process (307) terminated with status 5",
        "EXT4-fs (dm-0): re-mounted. Opts: discard",
    ] {
        let log = format!(
            "[    8.400000] sd 0:0:0:0: [sda] Attached SCSI disk\n\
             [    8.460923] EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null)\n\
             [   21.503622] {last}\n"
        );
        let found = silences(&log);
        assert!(
            found.iter().all(|silence| !silence.1.starts_with("the kernel")),
            "{last}: {found:?}"
        );
    }
    let driver = "[    8.400000] sd 0:0:0:0: [sda] Attached SCSI disk\n\
        [    8.460923] EXT4-fs (sda1): mounted filesystem with ordered data mode. Opts: (null)\n\
        [   21.503622] foo 0000:01:00.0: bar is set up\n";
    assert!(silences(driver)[0].1.starts_with("the kernel"));
}

#[test]
fn two_pieces_with_words_between_them_are_two() {
    let log = "I have this hole:\n\n[    8.460923] EXT4-fs (sda1): mounted filesystem\n\
        [   21.503622] foo: bar\n\nI changed it, now I get two holes:\n\n\
        [    7.999398] EXT4-fs (sda1): mounted filesystem\n\
        [   20.872102] foo: bar\n[   27.500000] foo: baz\n";
    let found = boots(log);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|boot| ms(boot, StageEvent::UserSpaceStart).is_none()));
    // No clock goes back so far and stays there; one stamp that does is another processor's.
    assert_eq!(boots(&log.replace("I changed it, now I get two holes:", "x")).len(), 2);
    let stray = log
        .replace("I changed it, now I get two holes:", "x")
        .replace("20.872102", "21.872102");
    assert_eq!(boots(&stray).len(), 1);
}

#[test]
fn an_arrow_of_the_kernels_is_no_prompt() {
    let log = "[   46.097927] nvme nvme0: pci function 0002:01:00.0\n\
        [   46.098444] nvme 0002:01:00.0: enabling device (0000 -> 0002)\n\
        [  107.508575] nvme nvme0: I/O 12 QID 0 timeout, completion polled\n\
        [  168.958145] nvme nvme0: I/O 8 QID 0 timeout, completion polled\n";
    let found = boots(log);
    let cost = &found[0].costs[0];
    assert_eq!(
        (cost.kind, cost.cost_ns.map(|ns| ns / MS)),
        (CostKind::DeviceTimeout, Some(122_859))
    );
}

#[test]
fn a_step_of_inits_ends_a_wait_of_the_boot() {
    let log = |last: &str| {
        format!(
            "[    4.673766] EXT4-fs (sdb1): mounted filesystem\n\
             [    4.700503] systemd-journald[268]: Received request to flush runtime journal from PID 1\n\
             [    5.991500] EXT4-fs (sdb6): mounted filesystem\n[   17.836097] {last}\n"
        )
    };
    let step = "audit: type=1400 audit(1463414821.669:2): apparmor=\"STATUS\" operation=\"profile_load\" name=\"x\"";
    assert_eq!(silences(&log(step))[0].0, 11_844);
    assert!(silences(&log("usb 1-1: new device"))
        .iter()
        .all(|silence| silence.0 < 10_000));
}

#[test]
fn what_comes_behind_the_disks_mount_is_user_spaces() {
    let log = |last: &str| {
        format!("[   38.100000] kjournald starting.\n[   38.452563] EXT3-fs: mounted filesystem with ordered data mode.\n[  126.366997] {last}\n[  126.400000] shpchp: Standard Hot Plug PCI Controller Driver\n")
    };
    let whose = |last: &str| boots(&log(last))[0].costs.iter().map(whose).collect::<Vec<_>>();
    assert!(whose("pci_hotplug: PCI Hot Plug PCI Core version: 0.5")[0].starts_with("user space prints nothing"));
    assert!(
        !whose("VFS: Mounted root (ext3 filesystem) readonly on device 8:1.")[0].starts_with("user space"),
        "the mount itself"
    );
}

#[test]
fn who_waits_for_a_firmware_file_is_told_by_the_line_before_the_wait() {
    let log = "[    2.000000] frob 1-1: Direct firmware load for a/one.bin failed with error -2\n\
        [    2.000100] frob 1-1: Falling back to sysfs fallback for: a/one.bin\n\
        [   63.000000] frob 1-1: Direct firmware load for a/two.bin failed with error -2\n\
        [   63.000100] frob 1-1: Falling back to user helper\n\
        [  124.000000] frob 1-1: firmware one of three\n[  124.100000] frob 1-1: registered\n";
    let told = boots(log).pop().unwrap().costs;
    let files: Vec<_> = told.iter().filter(|cost| cost.kind == CostKind::FirmwareFile).collect();
    assert_eq!(files.len(), 2);
    assert!(files.iter().any(|cost| cost.title.ends_with("a/one.bin")));
    assert!(
        !files.iter().any(|cost| cost.title.contains("two.bin")),
        "its wait is not told by its line"
    );
}

#[test]
fn two_accounts_under_words_that_announce_them_are_two() {
    let log =
        "Before:\n\n[    2.211722] frob: done\n[    2.226905] init: - preinit -\n[    4.101444] quux: mounted\n\n\
        After:\n\n[    2.104445] frob: done\n[    2.116366] init: - preinit -\n[    2.732007] quux: mounted\n";
    assert_eq!(boots(log).len(), 2);
}

#[test]
fn of_a_piece_it_is_not_said_that_nothing_was_printed() {
    let log = "[    3.029867] frob: version 2\n[    3.100000] frob: one\n[   11.032575] quux: not ready\n";
    let costs = boots(log).pop().unwrap().costs;
    let silence = costs.iter().find(|cost| cost.kind == CostKind::Silence).unwrap();
    assert!(
        silence.title.starts_with("this text shows nothing"),
        "{}",
        silence.title
    );
}

#[test]
fn what_is_stopped_too_late_is_on_the_way_down() {
    let log = "[   57.546705] systemd[1]: Stopped frob.service - Frob.\n\
        [  139.162591] systemd[1]: session-1.scope: Stopping timed out. Killing.\n\
        [  139.190334] systemd[1]: session-1.scope: Failed with result 'timeout'.\n";
    for boot in boots(log) {
        assert!(
            boot.costs.iter().all(|cost| cost.cost_ns.unwrap_or(0) < 1_000 * MS),
            "{:?}",
            boot.costs
        );
    }
}

#[test]
fn a_line_of_a_later_driver_ends_no_search_for_a_controller() {
    let log = |between: &str| {
        format!(
            "[    0.000000] Linux version 6.6.0 (me@here) (gcc 13) #1 SMP\n[    0.700000] i8042: PNP: No PS/2 controller found.\n\
             {between}[    1.900000] mousedev: PS/2 mouse device common for all mice\n"
        )
    };
    let searched = |between: &str| {
        let found = boots(&log(between));
        found[0]
            .costs
            .iter()
            .any(|cost| cost.kind == CostKind::Ps2ControllerSearch)
    };
    assert!(searched(""));
    assert!(!searched("[    0.900000] Run /init as init process\n"));
}

#[test]
fn a_failure_is_charged_with_the_wait_before_it() {
    let log = "[    5.000000] frob 0000:07:00.0: board file read\n[   10.000000] frob 0000:07:00.0: ready event not received\n\
               [   10.060000] frob 0000:07:00.0: could not init core (-110)\n[   10.070000] quux: up\n";
    let found = boots(log);
    let timeout = found[0]
        .costs
        .iter()
        .find(|cost| cost.kind == CostKind::DeviceTimeout)
        .unwrap();
    assert_eq!((timeout.cost_ns, timeout.lines[0]), (Some(5_060 * MS), 1));
}

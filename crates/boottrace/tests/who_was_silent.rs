// SPDX-License-Identifier: MIT
//! A line that ends a silence says that nothing was printed before it, and not who was silent: what a cost says of a silence is
//! carried by both of its lines, by one that says who waits, or it says no more than that.

mod reading;

use boottrace::costs::{Cost, CostKind};
use reading::{boots, read};

const HEAD: &str =
    "[    0.000000] Linux version 6.1.0 (a@b) (gcc) #1\n[    0.100000] frob: begins\n[    0.200000] pci: begins\n";

fn costs(lines: &str) -> Vec<Cost> {
    boots(&format!("{HEAD}{lines}")).remove(0).costs
}

fn of_kind(lines: &str, kind: CostKind) -> Vec<(String, i64)> {
    let told = costs(lines).into_iter().filter(|cost| cost.kind == kind);
    told.map(|cost| (cost.title, cost.cost_ns.unwrap_or(0) / 1_000_000))
        .collect()
}

#[test]
fn the_end_of_a_silence_names_nobody() {
    let ends = [
        (CostKind::UsbEnumeration, "hub 1-0:1.0: USB hub found"),
        (
            CostKind::SataLink,
            "ata7: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
        ),
        (CostKind::SataLink, "ata7: COMRESET failed (errno=-16)"),
        (
            CostKind::DeviceTimeout,
            "quux 4830e000.fb: timeout waiting for framedone",
        ),
        (CostKind::I2cTimeout, "i2c_frob FROB0010:00: controller timed out"),
        (
            CostKind::PcieLink,
            "frob-pcie 1000110000.pcie: link up, 5.0 GT/s PCIe x1",
        ),
        (CostKind::MmcCardSetUp, "mmc0: new HS200 MMC card at address 0001"),
        (
            CostKind::DisplaySetUp,
            "[drm] Initialized frob-gpu 1.1.0 20200716 for frob on minor 0",
        ),
    ];
    for (kind, line) in ends {
        let text =
            format!("[    3.200000] {line}\n[    3.200100] frob: goes on\n[    3.300000] Run /init as init process\n");
        let told = of_kind(&text, kind);
        assert_eq!(told, [(format!("nothing is printed before `{line}`"), 3_000)]);
    }
}

#[test]
fn two_lines_of_one_device_name_it() {
    let both = [
        (
            CostKind::SataLink,
            "ata7: SATA max UDMA/133 abar m2048@0xf0000000 port 0xf0000100 irq 19",
            "ata7: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
            "the kernel waits for the SATA link of ata7",
        ),
        (
            CostKind::UsbEnumeration,
            "usb usb1: SerialNumber: 0000:00:14.0",
            "hub 1-0:1.0: USB hub found",
            "USB hubs and devices are looked for",
        ),
        (
            CostKind::DeviceTimeout,
            "quux 4830e000.fb: begins",
            "quux 4830e000.fb: timeout waiting for framedone",
            "a device or a service does not answer in time: quux 4830e000.fb",
        ),
    ];
    for (kind, from, to, title) in both {
        let text = format!(
            "[    0.210000] {from}\n[    3.210000] {to}\n[    3.210100] frob: goes on\n[    3.300000] Run /init as init process\n"
        );
        assert_eq!(of_kind(&text, kind), [(title.to_owned(), 3_000)]);
    }
}

#[test]
fn time_behind_a_word_of_trouble_is_not_that_ones() {
    let text = "[    1.200000] i2c_frob FROB0010:03: controller timed out\n\
                [    5.200000] hid_quux i2c-QUUX0001:00: failed to reset device: -61\n\
                [    7.300000] i2c_frob FROB0010:03: controller timed out\n\
                [    7.300100] frob: goes on\n[    7.400000] Run /init as init process\n";
    // Four seconds behind its words end with another's.
    let told = of_kind(text, CostKind::I2cTimeout);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].0.starts_with("nothing is printed before `i2c_frob FROB0010:03"),
        "{told:?}"
    );
    assert_eq!(told[0].1, 1_000 + 2_100);
}

#[test]
fn what_is_carried_is_not_added_to_what_is_not() {
    let text = "[    1.200000] ata7: COMRESET failed (errno=-16)\n[    6.200000] ata7: COMRESET failed (errno=-16)\n\
                [    6.200100] frob: goes on\n[    6.300000] Run /init as init process\n";
    let told = of_kind(text, CostKind::SataLink);
    let sure = "the ATA port ata7 does not answer: it is reset and waited for".to_owned();
    assert_eq!(
        told,
        [
            (sure, 5_000),
            (
                "nothing is printed before `ata7: COMRESET failed (errno=-16)`".to_owned(),
                1_000
            )
        ]
    );
}

#[test]
fn advice_and_reports_are_no_events() {
    let text = "[    1.200000] FAT-fs (frob0p1): Volume was not properly unmounted. Some data may be corrupt. Please run fsck.\n\
                [    1.900000] Modules linked in: frob haveged quux\n[    2.900000] CPU: 0 PID: 9 Comm: frobd\n\
                [    3.000000] Run /init as init process\n";
    let told = costs(text);
    let none = [CostKind::FileSystemCheck, CostKind::RandomNumberWait];
    assert!(told.iter().all(|cost| !none.contains(&cost.kind)), "{told:?}");
}

#[test]
fn inits_first_words_are_its_first() {
    let text = "[    0.300000] Run /init as init process\n[    2.300000] systemd[1]: Inserted module 'autofs4'\n\
                [    3.300000] systemd[1]: systemd 257 running in system mode (+PAM)\n[    3.400000] systemd[1]: Queued\n";
    let told = of_kind(text, CostKind::InitStart);
    let title = "nothing is printed before the first words of init (systemd)".to_owned();
    assert_eq!(told, [(title, 2_000)]);
}

#[test]
fn processors_that_do_not_come_are_not_called_started() {
    let text = "[    0.300000] smp: Bringing up secondary CPUs ...\n[    1.300000] CPU1: failed to come online\n\
                [    1.310000] smp: Brought up 1 node, 1 CPU\n[    1.400000] Run /init as init process\n";
    let told = of_kind(text, CostKind::SecondaryProcessors);
    assert_eq!(told[0].0, "secondary CPUs are looked for, and none is started");
}

#[test]
fn what_somebody_plugs_is_no_silence_of_the_boot() {
    let text = "[    4.700000] sd 0:0:0:0: [sdb] Attached SCSI removable disk\n\
                [   64.700000] usb 5-1: USB disconnect, device number 2\n";
    let told = |cost: &Cost| {
        cost.cost_ns
            .is_some_and(|ns| ns >= 10_000_000_000 && ns != 30_000_000_000)
    };
    assert!(!boots(text).iter().any(|boot| boot.costs.iter().any(told)));
}

#[test]
fn two_kernels_that_run_init_in_one_mail_are_two() {
    let text = "before\n[    9.908787] Run /sbin/init as init process\n\nafter\n[   15.085373] Run /sbin/init as init process\n";
    assert_eq!(boots(text).len(), 2);
}

#[test]
fn a_version_that_a_program_prints_is_no_boot() {
    let text = "[    0.600000] Run /init as init process\n[    1.300000] random: dd: uninitialized urandom read (512 bytes read)\n\
                Starting network: OK\nLinux version 5.6.0 (a@b) (gcc version 9.2.0 (GCC)) #1 SMP\n\
                Stopping network: OK\n[    4.400000] reboot: Power down\n";
    assert_eq!(boots(text).len(), 1);
}

#[test]
fn what_a_patch_changes_is_not_waited_for() {
    let text = "Subject: [PATCH] frob\n\n@@ -1,3 +1,2 @@ frob\n a\n- *  to wait for more packets to arrive before frobbing\n b\n--\n";
    let document = read(text);
    assert!(document.parts.is_empty(), "{:?}", document.parts);
}

#[test]
fn a_silence_longer_than_any_drivers_wait_is_not_its() {
    let text = "[    1.200000] quux0: command 0x10 tx timeout\n[   11.200000] quux0: command 0x11 tx timeout\n\
                [  119.200000] quux0: command 0x12 tx timeout\n[  119.200100] frob: goes on\n";
    let told = of_kind(text, CostKind::DeviceTimeout);
    let sure = (
        "a device or a service does not answer in time: quux0".to_owned(),
        10_000,
    );
    assert!(told.contains(&sure), "{told:?}");
    assert!(told.iter().all(|(_, ms)| *ms < 108_000 || *ms == 109_000), "{told:?}");
}

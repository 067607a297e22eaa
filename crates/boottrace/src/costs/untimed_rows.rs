// SPDX-License-Identifier: MIT
//! The rows by which lines name a wait without a time: kind, words, what is waited for, what helps.

use super::causes::{ata_port, before_colon, firmware_file, Words};
use super::kind::CostKind;

/// One kind of wait.
pub(super) struct Wait {
    pub kind: CostKind,
    /// Any of them will do.
    pub words: &'static [Words],
    pub subject: fn(&str) -> &str,
    /// The line tells that a limit passed: the wait ends with it.
    pub limit: bool,
    pub title: &'static str,
    pub advice: &'static str,
}

/// A row of which one line says nothing: initramfs-tools' loop that looks for a device.
pub(super) const AGAIN: &str = "the initramfs looks again and again for a device that does not come";

/// The rows, the surest first.
pub(super) const WAITS: &[Wait] = &[
    Wait {
        kind: CostKind::ResumeDeviceWait,
        words: &[&["aiting for suspend/resume device"]],
        subject: |_| "",
        limit: false,
        title: "the initramfs waits for the device to resume from",
        advice: "name the right device in /etc/initramfs-tools/conf.d/resume, or write RESUME=none there, and make the initramfs \
                 anew (update-initramfs -u); on the command line: noresume",
    },
    Wait {
        kind: CostKind::RootDeviceWait,
        words: &[&["^Root mount waiting for: "], &["^mountroot: waiting for device "]],
        subject: held_by,
        limit: false,
        title: "FreeBSD, which is no Linux, waits for {} before it mounts root",
        advice: "see loader.conf: hw.usb.no_boot_wait, vfs.mountroot.timeout and vfs.root.mountfrom",
    },
    Wait {
        kind: CostKind::RootDeviceWait,
        words: &[&["^Still waiting for root device"]],
        subject: |_| "",
        limit: false,
        title: "the kernel of macOS, which is no Linux, waits for its root device",
        advice: "see the disk's controller and the boot arguments (rd=, boot-uuid)",
    },
    Wait {
        kind: CostKind::DeviceWait,
        words: &[&["Waiting ", " seconds for device "], &["ERROR: device '", "' not found"]],
        subject: named_device,
        limit: false,
        title: "the initramfs (mkinitcpio) waits for a device that does not come: {}",
        advice: "see why the device does not come: root= and its label or UUID, its driver in the initramfs, the medium; rootdelay= \
                 bounds the wait",
    },
    Wait {
        kind: CostKind::DeviceWait,
        words: &[
            &["^Warning: /dev/", " does not exist"],
            &["dracut", "Warning: /dev/", " does not exist"],
            &["hooks/initqueue/finished/devexists-"],
        ],
        subject: hooked_device,
        limit: false,
        title: "the initramfs (dracut) waits for a device that does not come: {}",
        advice: "see why the device does not come: root= and its label or UUID, its driver in the initramfs, the medium; rd.retry= \
                 and rd.timeout= bound the wait",
    },
    Wait {
        kind: CostKind::DeviceWait,
        words: &[
            &["ouldn't find device with uuid "],
            &["WARNING: Device for PV ", " not found"],
            &["WARNING: Couldn't find device "],
        ],
        subject: uuid_of,
        limit: false,
        title: "LVM does not find a disk of a volume group: {}",
        advice: "see whether that disk is there, comes late, or is left out by a filter (lvm.conf, the devices file)",
    },
    Wait {
        kind: CostKind::NetworkConfiguration,
        words: &[&["^ipconfig: no devices to configure"]],
        subject: |_| "",
        limit: false,
        title: "the initramfs asks for an address before a network card is there",
        advice: "load the card's driver earlier in the initramfs, and wait for its link there",
    },
    Wait {
        kind: CostKind::RootDeviceWait,
        words: &[
            &["Waiting for root device /dev/"],
            &["Waiting for root device PARTUUID="],
            &["^Gave up waiting for root"],
        ],
        subject: |_| "",
        limit: false,
        title: "the boot waits for the root device",
        advice: "see why it does not come: root= on the command line, its driver in the kernel or the initramfs, the medium",
    },
    // It waits for every file system that it mounts: not all are the root.
    Wait {
        kind: CostKind::DeviceWait,
        words: &[&["imed out waiting for device /", ", trying to mount anyway"]],
        subject: awaited_device,
        limit: true,
        title: "the initramfs (NixOS' stage 1) waits for the device {} until its limit",
        advice: "see why it does not come: its name in fileSystems, its driver in boot.initrd.availableKernelModules, the medium",
    },
    Wait {
        kind: CostKind::DeviceWait,
        words: &[&["^waiting for device /dev/", " to appear"]],
        subject: awaited_device,
        limit: false,
        title: "the initramfs (NixOS' stage 1) waits for the device {}",
        advice: "see why it does not come: its name in fileSystems, its driver in boot.initrd.availableKernelModules, the medium",
    },
    Wait {
        kind: CostKind::RootDeviceWait,
        words: &[&["n error occurred in stage 1 of the boot process"]],
        subject: |_| "",
        limit: false,
        title: "the initramfs (NixOS' stage 1) fails before the root file system is mounted",
        advice: "see the lines before it: a passphrase, a device that is not there, a file system that is not mounted",
    },
    Wait {
        kind: CostKind::RootDeviceWait,
        words: &[&["Begin: Running /scripts/local-block"], &["Begin: Running /scripts/local/block"]],
        subject: |_| "",
        limit: false,
        title: AGAIN,
        advice: "see which device that is: root= and its UUID, the swap to resume from (/etc/initramfs-tools/conf.d/resume), \
                 an LVM volume or RAID array that is not put together",
    },
    Wait {
        kind: CostKind::SataLink,
        words: &[
            &["^ata", ": link is slow to respond"],
            &["^ata", ": COMRESET failed"],
            &["^ata", ": softreset failed"],
            &["^ata", ": SRST failed"],
            &["^ata", ": qc timeout"],
        ],
        subject: ata_port,
        limit: false,
        title: "the ATA port {} does not answer",
        advice: "look at the disk, its cable and its supply; switch a port off where nothing is connected (libata.force=N:disable)",
    },
    // An error of the bus, a command that ran out of time, or a link that changed.
    Wait {
        kind: CostKind::SataLink,
        words: &[&["^ata", ": exception Emask ", " frozen"]],
        subject: ata_port,
        limit: false,
        title: "the ATA port {} reports an error, and is frozen",
        advice: "look at the disk, its cable and its supply; switch a port off where nothing is connected (libata.force=N:disable)",
    },
    Wait {
        kind: CostKind::UsbError,
        words: &[
            &["^usb ", "device descriptor read/", "error -"],
            &["^usb ", "unable to enumerate USB device"],
        ],
        subject: before_colon,
        limit: false,
        title: "the USB device {} does not answer, or not rightly",
        advice: "look at the device, its cable and its supply; unplug it for one boot",
    },
    // EDK II's DebugAssert.
    Wait {
        kind: CostKind::DeviceTimeout,
        words: &[&["^ASSERT [", ".c("], &["^ASSERT_EFI_ERROR "]],
        subject: in_brackets,
        limit: false,
        title: "the UEFI firmware stops in its driver {}: what it takes for granted is not so",
        advice: "boot once without what was plugged in last; a newer firmware, or one built without assertions, goes on",
    },
    Wait {
        kind: CostKind::I2cTimeout,
        words: &[
            &["^i2c", "timed out"],
            &["^i2c", "timeout"],
            &["^i2c", "error -110"],
            &["^i2c", ": -110"],
        ],
        subject: before_colon,
        limit: false,
        title: "a device on an I2C bus does not answer: {}",
        advice: "take a device that is not there out of the device tree; look at pull-ups, pin settings and the order in which \
                 the controller's suppliers are loaded",
    },
    Wait {
        kind: CostKind::MmcTimeout,
        words: &[
            &["^mmc", ": error -", " whilst initialising"],
            &["^mmc", "imeout waiting for hardware"],
        ],
        subject: before_colon,
        limit: false,
        title: "the card or eMMC on {} does not answer",
        advice: "look at the card, its supply and its bus mode",
    },
    Wait {
        kind: CostKind::FirmwareFile,
        words: &[
            &["irmware file ", " not found"],
            &["icrocode ", " not available or load failed"],
        ],
        subject: firmware_file,
        limit: false,
        title: "a driver does not find its firmware: {}",
        advice: "put the file where the driver looks for it (/lib/firmware, or the initramfs), or leave the driver out",
    },
    Wait {
        kind: CostKind::NetworkLink,
        words: &[&["aiting for PHY auto negotiation to complete", "TIMEOUT"]],
        subject: |_| "",
        limit: false,
        title: "the boot loader waits for the network's PHY in vain",
        advice: "let the loader start the network only where it loads over it; see the PHY's address, reset and mode",
    },
    Wait {
        kind: CostKind::NetworkConfiguration,
        words: &[
            &["^No DHCPOFFERS received"],
            &["ttempting to start the DHCP client"],
            &["dhclient[", "Max retransmission duration exceeded"],
        ],
        subject: |_| "",
        limit: false,
        title: "an address is asked for (DHCP)",
        advice: "give the interface a fixed address, or let only those wait for one who need it",
    },
    Wait {
        kind: CostKind::NetworkConfiguration,
        words: &[
            &["wait-online[", "imed out"],
            &["wait-online[", "Timeout occurred"],
        ],
        subject: |_| "",
        limit: true,
        title: "a program waits until the network is up (wait-online), and gives up",
        advice: "let it wait for the one interface that is needed (--interface=, --any), or take it out where nobody needs it",
    },
    Wait {
        kind: CostKind::DeviceTimeout,
        words: &[&["rcu: INFO: rcu_", "detected stall"], &["^INFO: rcu_", "detected stall"]],
        subject: |_| "",
        limit: false,
        title: "a processor does not go on (RCU stall)",
        advice: "the trace behind the line shows where it is stuck; in a virtual machine, see whether the host runs it",
    },
    Wait {
        kind: CostKind::UnitFailure,
        words: &[&["^Job for ", ".service failed because "]],
        subject: |text| text.split(' ').nth(2).unwrap_or(""),
        limit: false,
        title: "the start of a unit fails: {}",
        advice: "see `systemctl status` of it, and who waits for it (systemd-analyze critical-chain)",
    },
    Wait {
        kind: CostKind::UnitFailure,
        words: &[
            &[".service: ", "peration timed out. "],
            &[".service ", "peration timed out. "],
            &[".service: ", "tart-pre operation timed out."],
            &[".mount", "ounting timed out. "],
            &[".mount", "ount process timed out. "],
            &[".swap", "ctivation timed out. "],
            &[".swap", "ctivating timed out. "],
        ],
        subject: unit_of,
        limit: true,
        title: "systemd waits for the unit {} until its limit, and stops it",
        advice: "see what it does (`systemctl status`, `journalctl -u`) and what it waits for; its limit is 90 s unless set \
                 (TimeoutStartSec=, x-systemd.mount-timeout= in fstab)",
    },
    Wait {
        kind: CostKind::UnitFailure,
        words: &[&["^systemd[1]: Failed to mount "], &["^Failed to mount "]],
        subject: |text| text.split_once("mount ").map_or("", |(_, rest)| rest.trim_end_matches('.')),
        limit: false,
        title: "a mount fails: {}",
        advice: "see `systemctl status` of it; `nofail`, `_netdev` and x-systemd.automount in fstab keep the boot from waiting",
    },
];

/// `Waiting 10 seconds for device /dev/sda3 ...`, `ERROR: device '/dev/sda3' not found.`
fn named_device(text: &str) -> &str {
    let rest = text
        .split_once("device ")
        .map_or("", |(_, rest)| rest)
        .trim_start_matches('\'');
    rest.split([' ', '\'']).next().unwrap_or("")
}

/// `waiting for device /dev/vda to appear...`, `Timed out waiting for device /dev/vda, trying to mount anyway.`
fn awaited_device(text: &str) -> &str {
    let rest = text.split_once("waiting for device ").map_or("", |(_, rest)| rest);
    rest.split([' ', ',']).next().unwrap_or("")
}

/// `ASSERT [XhciDxe] /x/XhciSched.c(3154): ...`
fn in_brackets(text: &str) -> &str {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or("", |(name, _)| name)
}

/// `Root mount waiting for: usbus0`, `mountroot: waiting for device /dev/x ...`: what is waited for.
/// Who holds FreeBSD's mount: `usbus0 CAM`, its first name. Pasted lines may have run into each other.
fn held_by(text: &str) -> &str {
    let rest = text
        .split_once("waiting for: ")
        .or_else(|| text.split_once("waiting for device "));
    let name = rest.map_or("", |(_, rest)| rest.split(' ').next().unwrap_or(""));
    let name = name.split("Root").next().unwrap_or("").trim_end_matches('.');
    if name.is_empty() {
        "a device"
    } else {
        name
    }
}

/// The device of dracut's complaint, or of the name of the hook that looks for it.
fn hooked_device(text: &str) -> &str {
    if let Some((_, rest)) = text.split_once("Warning: /dev/") {
        let from = text.len() - rest.len() - "/dev/".len();
        return text[from..].split(' ').next().unwrap_or("");
    }
    let hook = text.split_once("devexists-").map_or("", |(_, rest)| rest);
    hook.split(".sh").next().unwrap_or("")
}

/// The word that is LVM's name of a disk.
fn uuid_of(text: &str) -> &str {
    let is_uuid = |word: &&str| word.len() > 30 && word.matches('-').count() >= 5;
    let words = text.split(' ').map(|word| word.trim_matches(['.', ',']));
    words.into_iter().find(is_uuid).unwrap_or("")
}

/// The unit that systemd speaks of: `systemd[1]: a.service: start operation timed out.`
fn unit_of(text: &str) -> &str {
    let is_unit = |word: &&str| [".service", ".mount", ".swap"].iter().any(|end| word.ends_with(end));
    let mut words = text.split([' ', ':']);
    words.find(is_unit).unwrap_or("")
}

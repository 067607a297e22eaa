// SPDX-License-Identifier: MIT
//! Disks, cards, file systems. Texts: drivers/ata/libata-core.c and libata-eh.c, drivers/mmc/core/, drivers/scsi/,
//! drivers/nvme/host/, fs/ext4/super.c, fs/jbd2/recovery.c, fs/xfs/xfs_log_recover.c, fs/nfs/.

use super::cause::{ata_port, before_colon, firmware_file, in_parentheses, nobody, server, At, Cause};
use crate::costs::kind::CostKind;

pub(super) const CAUSES: &[Cause] = &[
    Cause {
        kind: CostKind::SataLink,
        at: At::Either,
        words: &[
            &["ata", ": link is slow to respond"],
            &["ata", ": COMRESET failed"],
            &["ata", ": SRST failed"],
            &["ata", ": softreset failed"],
            &["ata", ": hard resetting link"],
            &["ata", ": limiting SATA link speed"],
            &["ata", ": qc timeout"],
            &["ata", ": failed to IDENTIFY"],
        ],
        subject: ata_port,
        asynchronous: false,
        title: "the ATA port {} does not answer: it is reset and waited for",
        advice: "unplug what does not answer, or leave the port out (libata.force=N:disable, N as in ataN); let ports \
                 probe asynchronously (driver_async_probe=)",
    },
    Cause {
        kind: CostKind::SataLink,
        at: At::End,
        words: &[&["ata", ": SATA link up"], &["ata", ": SATA link down"]],
        subject: ata_port,
        asynchronous: false,
        title: "the kernel waits for the SATA link of {}",
        advice: "leave ports out that nothing is plugged into (libata.force=N:disable), and let the others probe \
                 asynchronously; with staggered spin-up try libahci.ignore_sss=1",
    },
    Cause {
        kind: CostKind::DiskSpinUp,
        at: At::Either,
        words: &[&["Spinning up disk"], &["sd ", "Not Ready"], &["to spin up"]],
        subject: nobody,
        asynchronous: false,
        title: "a disk spins up",
        advice: "put what the goal needs on a medium that does not spin",
    },
    Cause {
        kind: CostKind::MmcTimeout,
        at: At::Either,
        words: &[
            &["^mmc", ": Timeout waiting for hardware"],
            &["^mmc", ": Card stuck"],
            &["^mmc", ": card never left busy state"],
            &["^mmc", "timed out"],
            &["^mmc", "error -110"],
            &["^mmc", ": tuning execution failed"],
            &["^mmc", ": cqhci: timeout"],
            &["^mmcblk", "timed out"],
            &["^mmcblk", "error -110"],
        ],
        subject: mmc_host,
        asynchronous: false,
        title: "the card or eMMC on {} does not answer a request in time",
        advice:
            "look at the card, its supply and its bus mode; in the device tree: bus-width, max-frequency, no-1-8-v, \
                 non-removable, and no-sd or no-sdio where only eMMC is there",
    },
    // EILSEQ, EPROTO: it answers, and what it says is broken.
    Cause {
        kind: CostKind::MmcTimeout,
        at: At::Either,
        words: &[&["^mmc", "error -84"], &["^mmc", "error -71"], &["^mmc", "CRC error"]],
        subject: mmc_host,
        asynchronous: false,
        title: "the card or eMMC on {} gives broken answers, and is tried again",
        advice: "look at the card, its supply and its bus mode; in the device tree: bus-width, max-frequency, no-1-8-v",
    },
    Cause {
        kind: CostKind::MmcCardSetUp,
        at: At::End,
        words: &[&["^mmc", ": new "], &["^mmcblk", ": mmc"]],
        subject: mmc_host,
        asynchronous: true,
        title: "the card or eMMC on {} is looked for and set up",
        advice:
            "tell the driver what is there: non-removable, no-sd, no-sdio in the device tree; build the driver in, \
                 and shorten its supply's delays",
    },
    Cause {
        kind: CostKind::DeviceTimeout,
        at: At::Either,
        words: &[
            &["^nvme ", "timeout"],
            &["^nvme", "Device not ready"],
            &["^nvme", ": I/O ", "QID"],
        ],
        subject: before_colon,
        asynchronous: false,
        title: "the NVMe disk {} does not answer in time",
        advice: "look at the disk's firmware and power states (nvme_core.default_ps_max_latency_us=0)",
    },
    Cause {
        kind: CostKind::NfsServer,
        at: At::Either,
        words: &[
            &["nfs: server ", " not responding"],
            &["nfs: server ", " OK"],
            &["rpcbind: server ", " not responding"],
        ],
        subject: server,
        asynchronous: false,
        title: "the NFS server {} does not answer at once",
        advice:
            "look at the link and the server; name the transport and the version (nfsroot=SERVER:PATH,tcp,vers=3), \
                 so that nothing has to be tried out",
    },
    // The kernel tries so too where no interface or no address came up: no server need have been asked.
    Cause {
        kind: CostKind::NfsServer,
        at: At::Either,
        words: &[&["VFS: Unable to mount root fs via NFS"]],
        subject: nobody,
        asynchronous: false,
        title: "mounting root over NFS fails",
        advice:
            "see first that the interface and its address come up before (its driver, ip=), then look at the link and the \
                 server",
    },
    Cause {
        kind: CostKind::NfsServer,
        at: At::End,
        words: &[&["VFS: Mounted root (nfs"]],
        subject: nobody,
        asynchronous: false,
        title: "the root file system is mounted over NFS",
        advice:
            "look at the link and the server; name the transport and the version (nfsroot=SERVER:PATH,tcp,vers=3), \
                 so that nothing has to be tried out",
    },
    Cause {
        kind: CostKind::FileSystemRecovery,
        at: At::Either,
        words: &[
            &["EXT4-fs (", "recovery"],
            &["EXT3-fs (", "recovery"],
            &["EXT4-fs (", "orphan cleanup"],
            &["XFS (", "recovery"],
            &["XFS (", "log replay"],
            &["F2FS-fs (", "recover"],
            &["BTRFS", "log replay"],
            &["UBIFS", "recovery"],
            &["JBD2: ", "recovery"],
            &["write access will be enabled during recovery"],
        ],
        subject: in_parentheses,
        asynchronous: false,
        title: "a file system that was not unmounted is recovered: {}",
        advice:
            "shut the system down cleanly, or mount root read-only; what is written often belongs on a file system \
                 of its own, that is mounted later",
    },
    Cause {
        kind: CostKind::FileSystemCheck,
        at: At::Either,
        words: &[
            &["fsck"],
            &["e2fsck"],
            &[": clean, ", " files, ", " blocks"],
            &["File System Check on"],
            &["has gone ", " without being checked"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "file systems are checked",
        advice: "leave the check to a journal (fsck.mode=skip, pass 0 in fstab), or check after the goal",
    },
    Cause {
        kind: CostKind::ResumeDeviceWait,
        at: At::Either,
        words: &[
            &["aiting for suspend/resume device"],
            &["PM: Image not found"],
            &["PM: hibernation: Image not found"],
            &["PM: Checking hibernation image"],
            &["resume device", "not found"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "nothing is printed around the look for an image to resume from: a wait for that device, for a passphrase or for \
                another",
        advice: "say that there is none: noresume on the command line, or RESUME=none in the initramfs's configuration",
    },
    Cause {
        kind: CostKind::RaidAssembly,
        at: At::Either,
        words: &[
            &["md/raid"],
            &["^md: ", "resync"],
            &["^md: ", "recovery"],
            &["mdadm: "],
            &["md127"],
            &["bitmap initialized from disk"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "RAID arrays are put together or synchronised",
        advice:
            "name the arrays in mdadm.conf; a write-intent bitmap shortens a resync; arrays that the goal does not \
                 need can be started later",
    },
    Cause {
        kind: CostKind::DiskUnlock,
        at: At::Either,
        words: &[
            &["cryptsetup"],
            &["nter passphrase"],
            &["Key slot ", " unlocked"],
            &["systemd-cryptsetup"],
            &["Cryptography Setup for"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "an encrypted disk is unlocked: a passphrase, and a key that is slow to derive by intent",
        advice: "see how long the key's derivation takes (cryptsetup luksDump, iterations); cryptsetup luksChangeKey \
                 --iter-time shortens it, at the price of security; a key in a TPM needs no passphrase",
    },
    Cause {
        kind: CostKind::LogicalVolumes,
        at: At::Either,
        words: &[&["olume group"], &["^lvm"], &[" lvm "], &["ogical volume"], &["LVM2 "]],
        subject: nobody,
        asynchronous: false,
        title: "logical volumes are looked for and activated",
        advice: "limit the scan to the devices that hold them (devices file, filter in lvm.conf), or do without LVM \
                 for root",
    },
    Cause {
        kind: CostKind::UsbStorageDelay,
        at: At::Either,
        words: &[
            &["usb-storage", "waiting for device to settle"],
            &["usb-storage: device found at"],
            &["usb-storage: device scan complete"],
            &["scsi host", ": usb-storage"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "the kernel lets a USB disk settle before it looks at it",
        advice: "boot with usb-storage.delay_use=0",
    },
    // From this line on somebody is waited for. What ends the wait may speak of the next file.
    Cause {
        kind: CostKind::FirmwareFile,
        at: At::Begin,
        words: &[
            &["Falling back to sysfs fallback for"],
            &["Falling back to user helper"],
        ],
        subject: fallback_of,
        asynchronous: false,
        title: "a firmware file does not come, and a program of user space that would bring it is waited for: {}",
        advice: FIRMWARE_ADVICE,
    },
    Cause {
        kind: CostKind::FirmwareFile,
        at: At::Own,
        words: &[
            &["Direct firmware load for ", " failed with error"],
            &["brcmf_fw_alloc_request: using"],
            &["nable to load firmware"],
            &["ailed to load firmware"],
            &["ould not load firmware"],
            &["firmware: failed to load"],
            &["firmware file not found"],
            &["ailed to request firmware"],
            &["firmware", "(-2)"],
            &["firmware", "error -2"],
            &["firmware", "error -110"],
        ],
        subject: firmware_file,
        asynchronous: false,
        title: "a driver waits for a firmware file that does not come: {}",
        advice: FIRMWARE_ADVICE,
    },
];

const FIRMWARE_ADVICE: &str =
    "put the file into the image (or the initramfs, for a driver that is built in), build it into the kernel \
     (EXTRA_FIRMWARE), or build without FW_LOADER_USER_HELPER_FALLBACK, which waits 60 s for somebody to deliver it";

/// The file that is asked for, or the device where the line names none.
fn fallback_of(text: &str) -> &str {
    let file = firmware_file(text);
    if file.is_empty() {
        before_colon(text)
    } else {
        file
    }
}

/// The host of a card: `mmc0` of `mmc0: new ...` and of `mmcblk0: ...`.
fn mmc_host(text: &str) -> &str {
    text.split([':', ' ']).next().unwrap_or("")
}

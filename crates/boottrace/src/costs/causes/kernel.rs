// SPDX-License-Identifier: MIT
//! Places of the kernel, and devices that it waits for. Texts: mm/mm_init.c, fs/dcache.c, fs/inode.c, mm/memblock.c,
//! drivers/usb/core/hub.c, drivers/i2c/, drivers/pci/controller/, drivers/char/tpm/, drivers/gpu/drm/, drivers/base/dd.c.

use super::cause::{before_colon, hung_task, in_parentheses, nobody, At, Cause};
use crate::costs::kind::CostKind;

pub(super) const CAUSES: &[Cause] = &[
    Cause {
        kind: CostKind::DeviceTimeout,
        at: At::End,
        words: &[&["^INFO: task ", " blocked for more than "]],
        subject: hung_task,
        asynchronous: false,
        title: "the task {} does not go on",
        advice: "the trace behind the line shows where it is stuck: mostly a disk or a server that does not answer",
    },
    Cause {
        kind: CostKind::MemoryInitialisation,
        at: At::Begin,
        words: &[
            &["^On node ", " zone "],
            &["^Initmem setup node "],
            &["pages in unavailable ranges"],
            &["^On node ", "totalpages"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "the structures of all pages of memory are initialised",
        advice: "initialise them in parallel, once processors are up (DEFERRED_STRUCT_PAGE_INIT), or bring up part of \
                 the memory first (mem=) and add the rest behind the goal",
    },
    Cause {
        kind: CostKind::MemoryInitialisation,
        at: At::End,
        words: &[
            &["^Memory: ", " available ("],
            &["^mem auto-init"],
            &[" pages in ", "ms"],
        ],
        subject: nobody,
        asynchronous: false,
        title: "memory is handed to the page allocator",
        advice: "initialise page structures in parallel (DEFERRED_STRUCT_PAGE_INIT); init_on_alloc and init_on_free \
                 cost time too",
    },
    Cause {
        kind: CostKind::HashTables,
        at: At::End,
        words: &[&["hash table entries: "]],
        subject: nobody,
        asynchronous: false,
        title: "hash tables are made, as large as the memory suggests",
        advice: "make them smaller: dhash_entries=, ihash_entries=, thash_entries=, uhash_entries=",
    },
    Cause {
        kind: CostKind::MissingSupplier,
        at: At::End,
        words: &[
            &["deferred probe pending"],
            &["deferral timeout"],
            &["deferred probe timeout"],
        ],
        subject: before_colon,
        asynchronous: false,
        title: "a device waits for a supplier that does not come: {}",
        advice:
            "enable the supplier's driver, or boot with deferred_probe_timeout=0 (fw_devlink=permissive) and check \
                 that nothing is missing",
    },
    Cause {
        kind: CostKind::Ps2ControllerSearch,
        at: At::End,
        words: &[&["^input: AT ", "i8042"], &["^input: ", "/i8042/serio"], &["^serio: i8042"], &["^i8042: PNP"], &["^i8042: Detected"], &["^i8042: No controller"], &["^i8042: Can't read"], &["^i8042: Warning"]],
        subject: nobody,
        asynchronous: true,
        title: "the kernel looks for a PS/2 keyboard and mouse",
        advice: "leave SERIO_I8042 out or boot with i8042.noprobe; a virtual machine: i8042.nokbd and i8042.noaux, or a machine \
                 without that controller",
    },
    Cause {
        kind: CostKind::UsbError,
        at: At::End,
        words: &[&["^usb ", ": reset ", "USB device number"], &["^usb ", "device firmware changed"]],
        subject: before_colon,
        asynchronous: true,
        title: "the USB device {} does not answer, and is reset",
        advice: "look at the device, its cable, hub and supply; unplug it for one boot, or take its quirk (usbcore.quirks=, \
                 usb-storage.quirks=)",
    },
    // EPROTO, EILSEQ: it answers, and what it says is broken.
    Cause {
        kind: CostKind::UsbError,
        at: At::Either,
        words: &[&["^usb ", "error -71"], &["^usb ", "error -84"]],
        subject: before_colon,
        asynchronous: false,
        title: "the USB device {} gives broken answers, and is tried again",
        advice: "look at the device, its cable, hub and supply; where nothing is wanted on the port, switch it off in the device tree",
    },
    Cause {
        kind: CostKind::UsbError,
        at: At::Either,
        words: &[
            &["^usb ", "device descriptor read/"],
            &["^usb ", "device not accepting address"],
            &["unable to enumerate USB device"],
            &["^usb ", ": attempt power cycle"],
            &["^usb ", "error -110"],
            &["^usb ", "not responding to setup address"],
            &["^usb ", "Cannot enable"],
        ],
        subject: before_colon,
        asynchronous: false,
        title: "the USB device {} does not answer",
        advice:
            "look at the device, its cable and its supply; where nothing is wanted on the port, switch it off in the \
                 device tree, or load USB behind the goal",
    },
    Cause {
        kind: CostKind::UsbEnumeration,
        at: At::End,
        words: &[
            &["^usb ", ": new ", " USB device number"],
            &["^hub ", ": USB hub found"],
            &["^hub ", " ports detected"],
        ],
        subject: nobody,
        asynchronous: true,
        title: "USB hubs and devices are looked for",
        advice:
            "load USB behind the goal where the goal does not need it; usbcore.initial_descriptor_timeout= shortens \
                 the wait for a device that does not answer",
    },
    Cause {
        kind: CostKind::AbsentDevice,
        at: At::End,
        words: &[
            &["^floppy", "no floppy controllers found"],
            &["^floppy", "no floppy drives"],
            &["^parport", "no device"],
            &["^ide", "no devices found"],
        ],
        subject: before_colon,
        asynchronous: false,
        title: "a driver looks for a device that is not there: {}",
        advice: "leave the driver out, or blacklist its module or initcall",
    },
    Cause {
        kind: CostKind::Raid6Benchmark,
        at: At::End,
        words: &[&["^raid6: ", " MB/s"]],
        subject: nobody,
        asynchronous: false,
        title: "RAID-6 algorithms are measured",
        advice: "build without RAID6_PQ_BENCHMARK, or leave btrfs and RAID out",
    },
    Cause {
        kind: CostKind::I2cTimeout,
        at: At::Either,
        words: &[
            &["i2c", "time out"],
            &["i2c", "imed out"],
            &["i2c", "imeout"],
            &["i2c", "-110"],
            &["i2c", "arbitration"],
        ],
        subject: before_colon,
        asynchronous: false,
        title: "a device on an I2C bus does not answer: {}",
        advice: "take a device that is not there out of the device tree; look at pull-ups, pin settings and the bus's \
                 clock",
    },
    Cause {
        kind: CostKind::PcieLink,
        at: At::Either,
        words: &[
            &["hy link never came up"],
            &["PCIe", "ink never came up"],
            &["pcie", "link down"],
            &["pcie", "link up"],
            &["PCIe", "Link up"],
            &["pcie", "ink training"],
            &["PHB#", "LINK: "],
            &["^PCI: ", "training links"],
            &["^PCIE-", "Link down"],
        ],
        subject: before_colon,
        asynchronous: false,
        title: "a PCIe link is waited for: {}",
        advice: "switch the port off in the device tree where nothing is plugged in, or let its driver probe \
                 asynchronously",
    },
    Cause {
        kind: CostKind::TpmStart,
        at: At::Either,
        words: &[&["^tpm"], &["TPM error"]],
        subject: nobody,
        asynchronous: false,
        title: "a TPM is started",
        advice: "build its driver as a module and load it where it is needed, if nothing before the goal needs it",
    },
    Cause {
        kind: CostKind::DisplaySetUp,
        at: At::End,
        words: &[
            &["Console: switching to ", "frame buffer"],
            &["[drm] Initialized"],
            &["[drm] Cannot find any crtc"],
            &["[drm:", "imed out"],
            &[": fb0: "],
        ],
        subject: nobody,
        asynchronous: false,
        title: "the graphics driver sets up the display",
        advice:
            "keep the picture of the boot loader (simple-framebuffer), load the driver behind the goal, or tell it \
                 the mode (video=), so that no connector has to be asked",
    },
    Cause {
        kind: CostKind::FileSystemMount,
        at: At::End,
        words: &[
            &["EXT4-fs (", ": mounted filesystem"],
            &["EXT3-fs (", ": mounted filesystem"],
            &["XFS (", "Ending clean mount"],
            &["F2FS-fs (", "Mounted with"],
            &["BTRFS ", "checksum algorithm"],
            &["VFS: Mounted root ("],
            &["UBIFS ", ": mounted UBI device"],
        ],
        subject: in_parentheses,
        asynchronous: false,
        title: "nothing is printed before a file system is mounted: {}",
        advice: "see whether the device comes late or the mount takes long; another file system, a cleaner log or a \
                 faster bus mode shortens the mount",
    },
];

/// What holds for anybody: looked at last.
pub(super) const TIMEOUTS: &[Cause] = &[Cause {
    kind: CostKind::DeviceTimeout,
    at: At::Either,
    words: &[
        &["imed out"],
        &["imeout"],
        &["error -110"],
        &["(-110)"],
        &["= -110"],
        &["ETIMEDOUT"],
    ],
    subject: before_colon,
    asynchronous: false,
    title: "a device or a service does not answer in time: {}",
    advice: "the line names who waits for whom: take out what is not there, or mend what does not answer",
}];

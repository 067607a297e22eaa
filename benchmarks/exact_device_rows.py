# SPDX-License-Identifier: MIT
"""The devices that are tried in exact mode: how each gets into the machine, and what the guest does with it.

A row's script runs in a BusyBox shell as the machine's first program, its modules loaded. It must really use the device
and print nothing that may differ by right (random bytes, a date).
"""

from __future__ import annotations

from collections.abc import Callable

from exact_device_row import Files, Row

DISK_MIB = 8
_READ = (
    "wait_for -b {0}; dd if={0} bs=4k count=64 2>/dev/null | md5sum; "
    "dd if={0} bs=64k skip=64 count=4 2>/dev/null | md5sum"
)
_WRITE = "dd if=/bin/busybox of={0} bs=64k seek=64 count=4 conv=fsync 2>/dev/null; sync"
# What the user network answers by itself: ARP, DHCP and TFTP. 56 KB are 112 packets each way.
_NETWORK = (
    "wait_for -e /sys/class/net/{0}; ifconfig lo 127.0.0.1; ifconfig {0} up; "
    "udhcpc -i {0} -n -q -t 20 -T 1 -s /lease; tftp -g -r served -l /got 10.0.2.2; md5sum /got"
)
# Two cards of the guest on one hub inside QEMU, each in a network namespace of its own: nothing leaves the machine.
_PEERS = (
    "wait_for -e /sys/class/net/eth1; unshare -n sleep 1000 & usleep 100000; peer=$(pidof sleep); "
    "ip link set eth1 netns $peer; nsenter -t $peer -n ifconfig eth1 10.0.9.2 up; "
    "ifconfig eth0 10.0.9.1 up; usleep 500000; "
    "nsenter -t $peer -n nc -l -p 99 < /dev/console > /got & usleep 200000; "
    "nc 10.0.9.2 99 < /bin/busybox; usleep 200000; "
    "cmp /got /bin/busybox"
)
_DRAW = (
    "wait_for -e /dev/fb0; dd if=/dev/fb0 bs=64k count=8 2>/dev/null | md5sum; "
    "dd if=/dev/zero of=/dev/fb0 bs=64k count=8"
)
_PRESENT = "wait_for -e {0}"


def _disk(*devices: str) -> Callable[[Files], tuple[str, ...]]:
    words = tuple(word for device in devices for word in ("-device", device))
    return lambda files: ("-drive", f"file={files.disk},format=raw,if=none,id=d,snapshot=on", *words)


def _card(files: Files) -> tuple[str, ...]:
    return ("-drive", f"file={files.disk},format=raw,if=sd,snapshot=on")


def _net(device: str) -> Callable[[Files], tuple[str, ...]]:
    return lambda files: ("-netdev", f"user,id=n,tftp={files.folder}", "-device", f"{device},netdev=n")


def _board_net(files: Files) -> tuple[str, ...]:
    return ("-nic", f"user,tftp={files.folder}")


def _plain(*words: str) -> Callable[[Files], tuple[str, ...]]:
    return lambda _: words


def _read_and_write(device: str) -> str:
    return f"{_READ.format(device)}; {_WRITE.format(device)}; {_READ.format(device)}"


def _block(
    row_id: str, models: tuple[str, ...], modules: tuple[str, ...], device: str, words: tuple[str, ...], **more: str
) -> Row:
    return Row(
        id=row_id,
        models=models,
        use="reads 1 MB, writes 256 KB",
        modules=modules,
        script=_read_and_write(device),
        words=_disk(*words),
        **more,
    )


def _nic(model: str, modules: tuple[str, ...], *, names: tuple[str, ...] = (), before: str = "") -> Row:
    device = f"{model},netdev=n" if not before else model
    extra = ("-device", before) if before else ()
    return Row(
        id=model,
        models=(model, *names),
        use="user network: DHCP, 56 KB by TFTP",
        modules=modules,
        script=_NETWORK.format("eth0"),
        words=lambda files: (
            (*extra, "-netdev", f"user,id=n,tftp={files.folder}", "-device", device)
            if not before
            else (*extra, *_net(model)(files))
        ),
    )


def _peers(model: str, modules: tuple[str, ...]) -> Row:
    words = tuple(
        word
        for name in ("a", "b")
        for word in ("-netdev", f"hubport,id={name},hubid=0", "-device", f"{model},netdev={name}")
    )
    return Row(
        id=f"{model} peers",
        models=(),
        use="two on a hub inside the machine: the BusyBox program by TCP",
        modules=modules,
        script=_PEERS,
        words=_plain(*words),
    )


def _shared_folder(files: Files) -> tuple[str, ...]:
    device = "virtio-9p-pci,fsdev=f,mount_tag=t"
    return ("-fsdev", f"local,id=f,path={files.folder},security_model=none,readonly=on", "-device", device)


def _nvdimm(files: Files) -> tuple[str, ...]:
    memory = f"memory-backend-file,id=m,mem-path={files.disk},size={DISK_MIB}M,share=off"
    return ("-m", "256,slots=2,maxmem=1G", "-object", memory, "-device", "nvdimm,memdev=m")


def _virtio_pmem(files: Files) -> tuple[str, ...]:
    memory = f"memory-backend-file,id=m,mem-path={files.disk},size={DISK_MIB}M,share=off"
    return ("-m", "256,slots=2,maxmem=1G", "-object", memory, "-device", "virtio-pmem-pci,memdev=m")


_PCI = ("virtio_pci",)
_USB = ("xhci-pci",)
_EXT4 = ("ext4", "crc32c_generic")
_MOUNT = "wait_for -b {0}; mount -t ext4 {0} /mnt; md5sum /mnt/file; cp /bin/busybox /mnt/copy; sync; umount /mnt"
_SERIAL = "wait_for -e {0}; dd if=/bin/busybox of={0} bs=4k count=64"
_PFLASH = 0x04000000

ROWS: tuple[Row, ...] = (
    Row(
        id="nothing",
        models=(),
        use="waits and computes only",
        modules=(),
        script="usleep 300000; md5sum /bin/busybox; usleep 300000",
        words=_plain(),
    ),
    Row(
        id="nvdimm",
        models=("nvdimm",),
        use="mounts ext4, reads and writes 1 MB",
        modules=("nfit", "nd_pmem", *_EXT4),
        script=_MOUNT.format("/dev/pmem0"),
        words=_nvdimm,
        options=("nvdimm=on",),
    ),
    Row(
        id="virtio-pmem",
        models=("virtio-pmem-pci", "virtio-pmem"),
        use="mounts ext4, reads and writes 1 MB",
        modules=(*_PCI, "virtio_pmem", "nd_pmem", *_EXT4),
        script=_MOUNT.format("/dev/pmem0"),
        words=_virtio_pmem,
    ),
    _block(
        "sdhci-pci",
        ("sdhci-pci", "sd-card"),
        ("sdhci-pci", "mmc_block"),
        "/dev/mmcblk0",
        ("sdhci-pci", "sd-card,drive=d"),
    ),
    _block(
        "virtio-blk", ("virtio-blk", "virtio-blk-pci"), (*_PCI, "virtio_blk"), "/dev/vda", ("virtio-blk-pci,drive=d",)
    ),
    _block("nvme", ("nvme", "nvme-ns"), ("nvme",), "/dev/nvme0n1", ("nvme,drive=d,serial=1",)),
    _block("ahci", ("ide-hd", "ide-cd", "ahci", "ich9-ahci"), ("ahci", "sd_mod"), "/dev/sda", ("ide-hd,drive=d",)),
    _block("ide", ("piix3-ide", "piix4-ide"), ("ata_piix", "sd_mod"), "/dev/sda", ("ide-hd,drive=d",), machine="pc"),
    _block(
        "usb-storage",
        ("usb-storage", "usb-uas", "usb-bot"),
        (*_USB, "usb-storage", "sd_mod"),
        "/dev/sda",
        ("qemu-xhci", "usb-storage,drive=d"),
    ),
    _block(
        "virtio-scsi",
        ("virtio-scsi-pci", "virtio-scsi", "scsi-hd", "scsi-cd"),
        (*_PCI, "virtio_scsi", "sd_mod"),
        "/dev/sda",
        ("virtio-scsi-pci", "scsi-hd,drive=d"),
    ),
    _block("lsi53c895a", ("lsi53c895a", "lsi"), ("sym53c8xx", "sd_mod"), "/dev/sda", ("lsi53c895a", "scsi-hd,drive=d")),
    _block("am53c974", ("am53c974", "dc390"), ("am53c974", "sd_mod"), "/dev/sda", ("am53c974", "scsi-hd,drive=d")),
    Row(
        id="floppy",
        models=("floppy", "isa-fdc"),
        use="reads 64 KB",
        modules=("floppy",),
        script="wait_for -b /dev/fd0; dd if=/dev/fd0 bs=4k count=16 2>/dev/null | md5sum",
        words=_disk("isa-fdc,id=f", "floppy,drive=d,drive-type=288,bus=f.0"),
        machine="pc",
    ),
    _nic("virtio-net-pci", (*_PCI, "virtio_net"), names=("virtio-net", "virtio")),
    _nic("e1000", ("e1000",), names=("e1000-82540em",)),
    _nic("e1000e", ("e1000e",)),
    _nic("igb", ("igb",)),
    _nic("rtl8139", ("8139cp",)),
    _nic("pcnet", ("pcnet32",)),
    _nic("i82557b", ("e100",), names=("i82550", "i82551", "i82559er", "i82801")),
    _nic("ne2k_pci", ("ne2k-pci",)),
    _nic("vmxnet3", ("vmxnet3",)),
    _nic("usb-net", (*_USB, "rndis_host", "cdc_ether"), before="qemu-xhci"),
    _peers("e1000", ("e1000",)),
    _peers("rtl8139", ("8139cp",)),
    _peers("virtio-net-pci", (*_PCI, "virtio_net")),
    Row(
        id="virtio-rng",
        models=("virtio-rng-pci", "virtio-rng"),
        use="gets 4 KB",
        modules=(*_PCI, "virtio-rng"),
        script="wait_for -e /dev/hwrng; dd if=/dev/hwrng bs=64 count=64 2>/dev/null | wc -c",
        words=_plain("-device", "virtio-rng-pci"),
    ),
    Row(
        id="virtio-gpu",
        models=("virtio-gpu-pci", "virtio-gpu", "virtio-vga"),
        use="draws 512 KB",
        modules=(*_PCI, "virtio-gpu"),
        script=_DRAW,
        words=_plain("-device", "virtio-gpu-pci"),
    ),
    Row(
        id="vga",
        models=("VGA", "bochs-display", "secondary-vga"),
        use="draws 512 KB",
        modules=("bochs",),
        script=_DRAW,
        words=_plain("-device", "VGA"),
    ),
    Row(
        id="cirrus-vga",
        models=("cirrus-vga",),
        use="draws 512 KB",
        modules=("cirrus",),
        script=_DRAW,
        words=_plain("-device", "cirrus-vga"),
    ),
    Row(
        id="virtio-9p",
        models=("virtio-9p-pci", "virtio-9p"),
        use="mounts it, reads 56 KB",
        modules=(*_PCI, "9pnet_virtio", "9p"),
        script="mount -t 9p -o trans=virtio,version=9p2000.L t /mnt; md5sum /mnt/served",
        words=_shared_folder,
    ),
    Row(
        id="virtio-serial",
        models=("virtio-serial-pci", "virtio-serial", "virtserialport", "virtconsole"),
        use="writes 256 KB",
        modules=(*_PCI, "virtio_console"),
        script=_SERIAL.format("/dev/vport0p1"),
        words=_plain(
            "-chardev",
            "file,id=c,path=/dev/null",
            "-device",
            "virtio-serial-pci",
            "-device",
            "virtserialport,chardev=c",
        ),
    ),
    Row(
        id="pci-serial",
        models=("pci-serial", "isa-serial"),
        use="writes 4 KB",
        modules=(),
        script="for p in 1 4; do dd if=/bin/busybox of=/dev/ttyS$p bs=1k count=4; done",
        words=_plain("-chardev", "null,id=c", "-device", "pci-serial,chardev=c"),
    ),
    Row(
        id="i6300esb",
        models=("i6300esb",),
        use="starts it, feeds it, stops it",
        modules=("i6300esb",),
        script="wait_for -c /dev/watchdog; (echo 1; usleep 300000; echo V) > /dev/watchdog",
        words=_plain("-device", "i6300esb"),
    ),
    Row(
        id="usb-kbd",
        models=("usb-kbd", "usb-mouse", "usb-tablet", "qemu-xhci", "nec-usb-xhci"),
        use="is found, its input device made",
        modules=(*_USB, "usbhid", "hid-generic", "evdev"),
        script=_PRESENT.format("/dev/input/event1"),
        words=_plain("-device", "qemu-xhci", "-device", "usb-kbd"),
    ),
    Row(
        id="virtio-keyboard",
        models=("virtio-keyboard-pci", "virtio-mouse-pci", "virtio-tablet-pci"),
        use="is found, its input device made",
        modules=(*_PCI, "virtio_input", "evdev"),
        script=_PRESENT.format("/dev/input/event1"),
        words=_plain("-device", "virtio-keyboard-pci"),
    ),
    Row(
        id="virtio-balloon",
        models=("virtio-balloon-pci", "virtio-balloon"),
        use="is found, its statistics queue started",
        modules=(*_PCI, "virtio_balloon"),
        script="usleep 300000; ls /sys/bus/virtio/drivers/virtio_balloon",
        words=_plain("-device", "virtio-balloon-pci"),
    ),
    Row(
        id="fw_cfg",
        models=("fw_cfg",),
        use="reads a file of 56 KB",
        modules=("qemu_fw_cfg",),
        script="md5sum /sys/firmware/qemu_fw_cfg/by_name/opt/served/raw",
        words=lambda files: ("-fw_cfg", f"name=opt/served,file={files.folder / 'served'}"),
    ),
    Row(
        id="virtio-blk-device",
        models=("virtio-blk-device",),
        use="reads 1 MB, writes 256 KB",
        modules=("virtio_mmio", "virtio_blk"),
        script=_read_and_write("/dev/vda"),
        words=_disk("virtio-blk-device,drive=d"),
        arch="arm64",
        machine="virt",
    ),
    Row(
        id="sdhci-pci (arm64)",
        models=(),
        use="reads 1 MB, writes 256 KB",
        modules=("sdhci-pci", "mmc_block"),
        script=_read_and_write("/dev/mmcblk0"),
        words=_disk("sdhci-pci", "sd-card,drive=d"),
        arch="arm64",
        machine="virt",
    ),
    Row(
        id="pflash",
        models=("pflash", "cfi.pflash01"),
        use="asks it, erases a block, writes a word",
        modules=(),
        script="; ".join(
            f"devmem {_PFLASH + offset:#x} 32" + (f" {value:#x}" if value is not None else "")
            for offset, value in (
                (0x0, None),
                (0x154, 0x00980098),
                (0x40, None),
                (0x0, 0x00FF00FF),
                (0x0, 0x00200020),
                (0x0, 0x00D000D0),
                (0x0, None),
                (0x0, 0x00FF00FF),
                (0x0, 0x00400040),
                (0x0, 0x12345678),
                (0x0, 0x00FF00FF),
                (0x0, None),
            )
        ),
        words=lambda files: ("-drive", f"file={files.folder / 'bank'},format=raw,if=pflash,unit=1,snapshot=on"),
        arch="arm64",
        machine="virt",
    ),
    Row(
        id="vexpress-a9 card",
        models=("pl181",),
        use="reads 1 MB, writes 256 KB",
        modules=("armmmci", "mmc_block"),
        script=_read_and_write("/dev/mmcblk0"),
        words=_card,
        arch="arm",
        machine="vexpress-a9",
        dtb="vexpress-v2p-ca9.dtb",
        console="ttyAMA0",
    ),
    Row(
        id="vexpress-a9 network",
        models=("lan9118",),
        use="user network: DHCP, 56 KB by TFTP",
        modules=("smsc911x",),
        script=_NETWORK.format("eth0"),
        words=_board_net,
        arch="arm",
        machine="vexpress-a9",
        dtb="vexpress-v2p-ca9.dtb",
        console="ttyAMA0",
    ),
)

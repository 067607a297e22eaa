# SPDX-License-Identifier: MIT
"""Half of an eleventh set of layouts that no set before had: boards, routers, updates, archives.

Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
import tempfile
import zipfile
import zlib
from pathlib import Path
from uuid import UUID

from benchmarks.first_contact_disks import Part, environment, gpt, script
from benchmarks.first_contact_distributions import Files
from benchmarks.first_contact_images import Image, card, empty_root, kernel, tree, with_files
from benchmarks.first_contact_ninth import squash
from benchmarks.first_contact_others import packed
from benchmarks.first_contact_seventh import arm, board, header
from tests.mini_boards import mini_board_kernel
from tests.sources import images

from bootlab.model.system import Machine


def stm32mp(at: Path) -> Image:
    """OpenSTLinux on a card: a script that chooses extlinux' folder by the target it was started from."""
    text = 'echo "Executing SCRIPT on target=${target}"\nenv set boot_prefixes "/${boot_device}${boot_instance}_"\nenv set boot_extlinux "run scan_m4fw;${boot_extlinux}"\nenv set boot_targets ${target}\n\n'
    text += 'if test ${target} = mmc0; then\n\tif test -d ${devtype} ${devnum}:${distro_bootpart} /mmc0_extlinux; then\n\t\tenv set boot_prefixes "/mmc0_"\n\tfi\nelif test ${target} = mmc1; then\n\tif test -d ${devtype} ${devnum}:${distro_bootpart} /mmc1_extlinux; then\n\t\tenv set boot_prefixes "/mmc1_"\n\tfi\nfi\n\n'
    text += 'if test -e ${devtype} ${devnum}:${distro_bootpart} ${boot_prefixes}extlinux/${board_name}_extlinux.conf; then\n\tenv set boot_syslinux_conf "extlinux/${board_name}_extlinux.conf"\nfi\nenv delete bootfile\nrun bootcmd_${target}\necho SCRIPT FAILED... ${boot_prefixes}${boot_syslinux_conf} not found !\nenv default boot_targets\n'
    menu = "menu title Select the boot mode\nMENU BACKGROUND /splash.bmp\nTIMEOUT 20\nDEFAULT OpenSTLinux\nLABEL OpenSTLinux\n\tKERNEL /uImage\n\tFDTDIR /\n\tINITRD /uInitrd\n\tAPPEND root=PARTUUID={} rootwait rw earlycon console=ttySTM0,115200\n"
    own = UUID("e91c4e10-16e6-4c0e-bd0e-77becf4a3582")
    files: Files = {
        "boot.scr.uimg": script(text),
        "mmc0_extlinux/extlinux.conf": menu.format(own),
        "uImage": header(arm("taken"), 2, 2),
        "uInitrd": header(packed("early"), 3, 2),
        "made-mp157-dk.dtb": board("Made DK", "made,mp157-dk"),
        "made-mp157-ev.dtb": board("Made EV", "made,mp157-ev"),
    }
    boot = images.ext(at / "boot", with_files(at / "b", files), mib=6)
    parts = {1: Part(b"STM\x32" + bytes(4096), name="fsbl1"), 2: Part(bytes(4096), name="fip"), 3: Part(bytes(4096), name="u-boot-env")}  # fmt: skip
    parts |= {4: Part(boot, name="bootfs", attributes=4), 5: Part(empty_root(at), name="rootfs", own=own)}
    line = f"root=PARTUUID={own} rootwait rw earlycon console=ttySTM0,115200"
    return Image((gpt(at / "card.img", parts),), "taken", "early", line, 5, says=("made-mp157-dk.dtb",))


def amlogic(at: Path) -> Image:
    """A box by Amlogic: scripts of two loaders that read uEnv.txt, whose variables are LINUX, INITRD, FDT, APPEND."""
    old = "setenv env_addr 0x1040000\nif fatload usb 0 ${env_addr} uEnv.txt; then env import -t ${env_addr} ${filesize}; setenv bootargs ${APPEND}; if fatload usb 0 ${kernel_addr} ${LINUX}; then if fatload usb 0 ${initrd_addr} ${INITRD}; then if fatload usb 0 ${dtb_addr} ${FDT}; then run boot_start; fi; fi; fi; fi;\n"
    new = 'setenv l_mmc "0 1 2 3"\nfor devtype in "usb mmc" ; do\n\tfor devnum in ${l_mmc} ; do\n\t\tif test -e ${devtype} ${devnum} uEnv.txt; then\n\t\t\tload ${devtype} ${devnum} ${loadaddr} uEnv.txt\n\t\t\tenv import -t ${loadaddr} ${filesize}\n\t\t\tsetenv bootargs ${APPEND}\n\t\t\tif printenv mac; then\n\t\t\t\tsetenv bootargs ${bootargs} mac=${mac}\n\t\t\tfi\n'
    new += "\t\t\tif load ${devtype} ${devnum} ${kernel_addr_r} ${LINUX}; then\n\t\t\t\tif load ${devtype} ${devnum} ${ramdisk_addr_r} ${INITRD}; then\n\t\t\t\t\tif load ${devtype} ${devnum} ${fdt_addr_r} ${FDT}; then\n\t\t\t\t\t\tfdt addr ${fdt_addr_r}\n\t\t\t\t\t\tbooti ${kernel_addr_r} ${ramdisk_addr_r} ${fdt_addr_r}\n\t\t\t\t\tfi\n\t\t\t\tfi\n\t\t\tfi\n\t\tfi\n\tdone\ndone\n"
    line = "root=LABEL=ROOTFS rootflags=data=writeback rw console=ttyAML0,115200n8 console=tty0 no_console_suspend"
    files: Files = {
        "boot.scr": script(new),
        "s905_autoscript": script(old),
        "aml_autoscript": script("defenv\nsetenv bootcmd 'run start_autoscript'\nsaveenv\nreboot\n"),
        "uEnv.txt": f"LINUX=/zImage\nINITRD=/uInitrd\nFDT=/dtb/made/box-b.dtb\nAPPEND={line}\n",
        "zImage": kernel("taken", "arm64"),
        "uInitrd": header(packed("early"), 3),
        "dtb/made/box-a.dtb": board("Made Box A"),
        "dtb/made/box-b.dtb": board("Made Box B"),
    }
    return Image((card(at, files, empty_root(at, "-L", "ROOTFS")),), "taken", "early", line, 2, tree="Made Box B")


def _fit(parts: dict[str, object], configurations: dict[str, object]) -> bytes:
    return images.device_tree({"description": "made", "images": parts, "configurations": configurations})  # type: ignore[dict-item]


def milkv(at: Path) -> Image:
    """A small RISC-V board: the FIT image `boot.sd` on FAT, the line in U-Boot's program alone."""
    with tempfile.TemporaryDirectory() as scratch:
        data = mini_board_kernel(Path(scratch) / "k", Machine(arch="riscv64", type="virt"), "taken").read_bytes()
    kinds = {
        "kernel-1": {"type": "kernel", "arch": "riscv", "os": "linux", "compression": "lzma", "data": lzma.compress(data, lzma.FORMAT_ALONE)},
        "fdt-made_duo": {"type": "flat_dt", "arch": "riscv", "compression": "none", "data": board("Made Duo")},
    }  # fmt: skip
    sd = _fit(kinds, {"config-made_duo": {"kernel": "kernel-1", "fdt": "fdt-made_duo"}})
    files: Files = {"fip.bin": b"CVBL01\n\0" + bytes(4096), "boot.sd": sd}
    disk = card(at, files, empty_root(at))
    return Image((disk,), refused="boot.sd", way="/boot.sd --from")


def sama5(at: Path) -> Image:
    """A FIT image with overlays: the kept command of U-Boot names a configuration and an overlay's behind `#`."""
    overlay = images.device_tree({"fragment@0": {"target-path": "/", "__overlay__": {"made-panel": "yes"}}})
    kinds = {
        "kernel": {"type": "kernel", "arch": "arm", "os": "linux", "compression": "none", "data": arm("taken")},
        "base_fdt": {"type": "flat_dt", "arch": "arm", "compression": "none", "data": board("Made Som")},
        "fdt_panel": {"type": "flat_dt", "arch": "arm", "compression": "none", "data": overlay},
    }
    fit = _fit(kinds, {"default": "other", "kernel_dtb": {"kernel": "kernel", "fdt": "base_fdt"}, "panel": {"fdt": "fdt_panel"}})  # fmt: skip
    line = "console=ttyS0,115200 root=/dev/mmcblk0p2 rw rootwait rootfstype=ext4"
    kept = {"bootargs": line, "bootcmd": "fatload mmc 0:1 0x24000000 made_som.itb; bootm 0x24000000#kernel_dtb#panel"}
    files: Files = {"boot.bin": bytes(4096), "u-boot.bin": bytes(4096), "uboot.env": environment(kept, 0x4000), "made_som.itb": fit}  # fmt: skip
    disk = card(at, files, empty_root(at))
    return Image((disk,), "taken", "", line, 2, tree="Made Som", says=("panel",))


def netgear(at: Path) -> Image:
    """An arm router's update: Netgear's head, TRX behind it with a packed kernel and its tree, and a SquashFS root."""
    inside = lzma.compress(arm("taken") + board("Made Router"), lzma.FORMAT_ALONE)
    root = squash(at, {}, "xz").read_bytes()
    first = 28
    second = -(-(first + len(inside)) // 4096) * 4096
    body = inside.ljust(second - first, b"\0") + root
    offsets = struct.pack("<III", first, second, 0)
    checked = struct.pack("<HH", 0, 1) + offsets + body
    trx = b"HDR0" + struct.pack("<II", 28 + len(body), ~zlib.crc32(checked) & 0xFFFFFFFF) + checked
    name = b"U12H000T00_MADE"
    chk = b"*#$^" + struct.pack(">I", 40 + len(name)) + b"\1\1\0\0\1\1\0\0" + bytes(24) + name + trx
    place = with_files(at / "out", {"openwrt-made-squashfs.chk": chk}) / "openwrt-made-squashfs.chk"
    return Image((place,), "taken", "", "", any_root=True, tree="Made Router")


def openbmc(at: Path) -> Image:
    """A management controller's whole flash: U-Boot, its variables, a FIT image, a SquashFS root."""
    kinds = {
        "kernel-1": {"type": "kernel", "arch": "arm", "os": "linux", "compression": "none", "data": arm("taken")},
        "fdt-made.dtb": {"type": "flat_dt", "arch": "arm", "compression": "none", "data": board("Made BMC")},
        "ramdisk-1": {"type": "ramdisk", "arch": "arm", "os": "linux", "compression": "none", "data": packed("early")},
    }
    fit = _fit(kinds, {"default": "conf-made.dtb", "conf-made.dtb": {"kernel": "kernel-1", "fdt": "fdt-made.dtb", "ramdisk": "ramdisk-1"}})  # fmt: skip
    line = "console=ttyS4,115200n8 root=/dev/ram rw"
    kept = {"bootargs": line, "bootcmd": "bootm 20080000", "baudrate": "115200"}
    flash = bytearray(b"\xff" * (32 << 20))
    root = squash(at, {}, "xz").read_bytes()
    for place, data in ((0, b"\xea\0\0\xb8U-Boot 2019.04"), (0x60000, environment(kept, 0x10000)), (0x80000, fit), (0x4C0000, root)):  # fmt: skip
        flash[place : place + len(data)] = data
    at_last = with_files(at / "out", {"image-bmc": bytes(flash)}) / "image-bmc"
    return Image((at_last,), "taken", "early", line, any_root=True, tree="Made BMC")


def android_update(at: Path) -> Image:
    """Android's update over the air: a zip archive whose payload holds the partitions."""
    payload = b"CrAU" + struct.pack(">QQI", 2, 40, 0) + bytes(4096)
    with zipfile.ZipFile(at / "lineage-21-made.zip", "w") as archive:
        archive.writestr("META-INF/com/android/metadata", "ota-type=AB\n")
        archive.writestr("payload.bin", payload)
        archive.writestr("payload_properties.txt", "FILE_HASH=x\n")
    return Image((at / "lineage-21-made.zip",), refused="payload.bin", way="boot.img")


def mender(at: Path) -> Image:
    """Mender's artifact: a tar archive with a packed tar of the root image inside."""
    root = images.ext(at / "r.ext4", tree(at / "r", {"boot/bzImage": kernel("taken")}))
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w:gz") as archive:
        archive.add(root, "made-image.ext4")
    head = io.BytesIO()
    with tarfile.open(fileobj=head, mode="w:gz") as archive:
        info = tarfile.TarInfo("header-info")
        archive.addfile(info, io.BytesIO())
    with tarfile.open(at / "release-2.mender", "w") as archive:
        for name, data in (
            ("version", b'{"format":"mender","version":3}'),
            ("manifest", b"0 data/0000/made-image.ext4\n"),
            ("header.tar.gz", head.getvalue()),
            ("data/0000.tar.gz", inner.getvalue()),
        ):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return Image((at / "release-2.mender",), refused="Mender", way="made-image.ext4")


def fwup(at: Path) -> Image:
    """Nerves' update: fwup's zip archive with the parts of the card."""
    with zipfile.ZipFile(at / "made_rpi4.fw", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.conf", 'meta-product="made"\nmeta-platform="rpi4"\n')
        archive.writestr("data/rootfs.img", b"hsqs" + bytes(8192))
        archive.writestr("data/Image", kernel("taken", "arm64"))
    return Image((at / "made_rpi4.fw",), refused="fwup", way="fwup -a")


def alpine_rpi(at: Path) -> Image:
    """Alpine for the Raspberry Pi: a tar of the files of its boot partition."""
    files: Files = {
        "config.txt": "[pi02]\nkernel=boot/vmlinuz-rpi\ninitramfs boot/initramfs-rpi\n[pi3]\nkernel=boot/vmlinuz-rpi\ninitramfs boot/initramfs-rpi\n[pi4]\nenable_gic=1\nkernel=boot/vmlinuz-rpi\ninitramfs boot/initramfs-rpi\n[all]\narm_64bit=1\ninclude usercfg.txt\n",
        "cmdline.txt": "modules=loop,squashfs,sd-mod,usb-storage quiet console=tty1\n",
        "boot/vmlinuz-rpi": gzip.compress(kernel("taken", "arm64"), mtime=0),
        "boot/initramfs-rpi": packed("early"),
        "boot/modloop-rpi": b"hsqs",
        "bcm2711-rpi-4-b.dtb": board("Raspberry Pi 4 Model B", "raspberrypi,4-model-b"),
        "bcm2710-rpi-3-b.dtb": board("Raspberry Pi 3 Model B", "raspberrypi,3-model-b"),
        "start4.elf": b"\x7fELF",
        ".alpine-release": "alpine-rpi 3.20.3\n",
    }
    folder = with_files(at / "files", files)
    with tarfile.open(at / "alpine-rpi-3.20.3-aarch64.tar.gz", "w:gz") as archive:
        for name in sorted(files):
            archive.add(folder / name, f"./{name}")
    return Image((at / "alpine-rpi-3.20.3-aarch64.tar.gz",), refused="tar", way="tar -x")

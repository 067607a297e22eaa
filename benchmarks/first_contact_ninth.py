# SPDX-License-Identifier: MIT
"""Eight of a ninth set of layouts that no set before had: boards' SquashFS slots, trees behind kernels, updates, flash.

Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import struct
import subprocess
import zipfile
import zlib
from pathlib import Path

from benchmarks.first_contact_disks import ESP, Part, environment, gpt, script
from benchmarks.first_contact_distributions import Files
from benchmarks.first_contact_images import Image, card, empty_root, fat, kernel, tree, with_files
from benchmarks.first_contact_others import packed
from benchmarks.first_contact_seventh import arm, board, kept_boot
from tests.sources import images


def squash(at: Path, files: Files, packer: str = "gzip", *, root: bool = True) -> Path:
    """Return a SquashFS: a root tree with files, or the files alone."""
    folder = tree(at / "squashed", files) if root else with_files(at / "squashed", files)
    words = ["mksquashfs", str(folder), str(at / "sq"), "-comp", packer, "-quiet", "-no-progress", "-noappend"]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    return at / "sq"


def rauc_slots(at: Path) -> Image:
    """RAUC's way with U-Boot: BOOT_ORDER in the kept variables, kernel and tree inside the SquashFS of each slot."""
    kept = {
        "BOOT_ORDER": "B A",
        "BOOT_A_LEFT": "3",
        "BOOT_B_LEFT": "3",
        "bootcmd": "load mmc 0:1 ${scriptaddr} boot.scr; source ${scriptaddr}",
    }
    text = 'setenv bootpart\nfor BOOT_SLOT in "${BOOT_ORDER}"; do\n  if test "x${bootpart}" != "x"; then\n  elif test "x${BOOT_SLOT}" = "xA"; then\n    if test ${BOOT_A_LEFT} -gt 0; then\n      setenv bootpart 2\n      setenv raucslot A\n    fi\n'
    text += '  elif test "x${BOOT_SLOT}" = "xB"; then\n    if test ${BOOT_B_LEFT} -gt 0; then\n      setenv bootpart 3\n      setenv raucslot B\n    fi\n  fi\ndone\n'
    text += "setenv bootargs root=/dev/mmcblk0p${bootpart} rauc.slot=${raucslot} rootwait ro\nload mmc 0:${bootpart} ${kernel_addr_r} boot/Image\nload mmc 0:${bootpart} ${fdt_addr_r} boot/unit.dtb\nbooti ${kernel_addr_r} - ${fdt_addr_r}\n"
    parts = [(0x0C, fat(at / "b", {"boot.scr": script(text)}))]
    for number, word, packer in ((2, "older", "gzip"), (3, "taken", "zstd")):
        files: Files = {"boot/Image": kernel(word, "arm64"), "boot/unit.dtb": board(f"Made {word}")}
        parts.append((0x83, squash(at / str(number), files, packer)))
    disk = images.mbr(at / "d.img", parts)
    data = bytearray(disk.read_bytes())
    data[0x80000:0x90000] = environment(kept, 0x10000)
    disk.write_bytes(data)
    return Image((disk,), "taken", "", "root=/dev/mmcblk0p3 rauc.slot=B rootwait ro", 3, tree="Made taken")


def appended(at: Path) -> Image:
    """A bare arm64 Image with its device tree behind it, as some phones' loaders take it."""
    data = kernel("taken", "arm64")
    size = int.from_bytes(data[16:24], "little")
    place = with_files(at, {"Image-dtb": data.ljust(max(size, len(data)), b"\0") + board("Made Behind")}) / "Image-dtb"
    return Image((place,), tree="Made Behind")


def by_soc(at: Path) -> Image:
    """FDTDIR without `fdtfile`: U-Boot puts the name together of its variables soc, board and boardver."""
    menu = "TIMEOUT 10\nDEFAULT one\nLABEL one\n  LINUX /Image\n  FDTDIR /dtbs\n  APPEND root=LABEL=sys rw console=ttymxc1\n"
    files: Files = {
        "extlinux/extlinux.conf": menu,
        "Image": kernel("taken", "arm64"),
        "dtbs/imx8mm-made.dtb": board("Made By Soc"),
        "dtbs/imx8mm-other.dtb": board("Other"),
    }
    kept = {"bootcmd": "sysboot mmc 0:1 any ${scriptaddr} /extlinux/extlinux.conf", "soc": "imx8mm", "board": "made"}
    return Image(
        (kept_boot(at, kept, files, empty_root(at, "-L", "sys")),),
        "taken",
        "",
        "root=LABEL=sys rw console=ttymxc1",
        2,
        tree="Made By Soc",
    )


def petalinux(at: Path) -> Image:
    """PetaLinux on a Zynq's card: a script that goes through the boot targets, the system in `image.ub`."""
    text = 'echo "Boot script loaded from ${boot_target}"\nfor boot_target in ${boot_targets};\ndo\n\tif test "${boot_target}" = "mmc0" || test "${boot_target}" = "mmc1" ; then\n\t\tif test -e ${devtype} ${devnum}:${distro_bootpart} /image.ub; then\n'
    text += "\t\t\tfatload ${devtype} ${devnum}:${distro_bootpart} 0x10000000 image.ub;\n\t\t\tbootm 0x10000000;\n\t\tfi\n\t\tif test -e ${devtype} ${devnum}:${distro_bootpart} /Image; then\n\t\t\tfatload ${devtype} ${devnum}:${distro_bootpart} 0x00200000 Image;\n\t\tfi\n\tfi\ndone\n"
    node = {"description": "U-Boot fitImage for PetaLinux", "images": {
        "kernel-1": {"type": "kernel", "arch": "arm64", "compression": "none", "data": kernel("taken", "arm64")},
        "fdt-system-top.dtb": {"type": "flat_dt", "arch": "arm64", "data": board("Made Zynq")}},
        "configurations": {"default": "conf-system-top.dtb", "conf-system-top.dtb": {"kernel": "kernel-1", "fdt": "fdt-system-top.dtb"}}}  # fmt: skip
    files: Files = {
        "BOOT.BIN": b"\xaa\x99\x55\x66" * 16,
        "boot.scr": script(text),
        "image.ub": images.device_tree(node),
    }
    disk = card(at, files, empty_root(at))
    return Image((disk,), "taken", "", "", 2, tree="Made Zynq", keeps=("root=/dev/",))


def zipped(at: Path) -> Image:
    """An image in a zip archive: refused with its name and the command that unpacks it."""
    inside = images.mbr(at / "card.img", [(0x83, empty_root(at))])
    with zipfile.ZipFile(at / "card-1.2.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(inside, "card.img")
    return Image((at / "card-1.2.zip",), refused="zip", way="unzip")


def devicetree_key(at: Path) -> Image:
    """systemd-boot on an arm64 board: the entry names the device tree and an overlay."""
    entry = "title Made OS\nversion 7.0\nlinux /made/7.0/linux\ninitrd /made/7.0/initrd\ndevicetree /made/7.0/board.dtb\ndevicetree-overlay /made/7.0/cam.dtbo\noptions root=PARTLABEL=root-arm64 rw\n"
    files: Files = {
        "loader/entries/made-7.0.conf": entry,
        "EFI/BOOT/BOOTAA64.EFI": b"MZ",
        "made/7.0/linux": kernel("taken", "arm64"),
        "made/7.0/initrd": packed("early"),
        "made/7.0/board.dtb": board("Made Sdb"),
    }
    parts = {
        1: Part(fat(at / "e", files | {"made/7.0/cam.dtbo": b"x"}), ESP, "esp"),
        2: Part(empty_root(at), ESP.__class__("b921b045-1df0-41c3-af44-4c6f280d3fae"), "root-arm64"),
    }
    return Image(
        (gpt(at / "d.img", parts),),
        "taken",
        "early",
        "root=PARTLABEL=root-arm64 rw",
        2,
        tree="Made Sdb",
        says=("cam.dtbo",),
    )


def raucb(at: Path) -> Image:
    """RAUC's bundle: a SquashFS with a manifest and an image of the root, and a signature behind it."""
    root = images.ext(at / "rootfs.ext4", tree(at / "r", {"boot/bzImage": kernel("taken")}))
    files: Files = {
        "manifest.raucm": "[update]\ncompatible=made\nversion=2\n\n[image.rootfs]\nfilename=rootfs.ext4\n",
        "rootfs.ext4": root.read_bytes(),
    }
    packed_up = squash(at, files, root=False).read_bytes()
    signature = b"\x30\x82\x03\xe8".ljust(1004, b"\5")
    place = (
        with_files(at / "out", {"update-2.raucb": packed_up + signature + struct.pack(">Q", len(signature))})
        / "update-2.raucb"
    )
    return Image((place,), refused="RAUC", way="rootfs.ext4")


def flash_arm(at: Path) -> Image:
    """A dump of flash for a processor that bootlab has: a kernel for U-Boot, a SquashFS root right behind it."""
    data = arm("taken")
    head = bytearray(64)
    struct.pack_into(
        ">7I4B32s",
        head,
        0,
        0x27051956,
        0,
        0,
        len(data),
        0x8000,
        0x8000,
        zlib.crc32(data),
        5,
        2,
        2,
        0,
        b"ARM OpenWrt Linux-5.4",
    )
    struct.pack_into(">I", head, 4, zlib.crc32(bytes(head)))
    flash = bytearray(b"\xff" * (8 << 20))
    both = bytes(head) + data + squash(at, {}, "xz").read_bytes()
    flash[0x180000 : 0x180000 + len(both)] = both
    place = with_files(at, {"mtd.bin": bytes(flash)}) / "mtd.bin"
    return Image((place,), "taken", "", "", 0, says=("at 1,572,864", "command line is not known"))

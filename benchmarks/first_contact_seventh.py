# SPDX-License-Identifier: MIT
"""A seventh set of images that nobody prepared for bootlab: boards, whose loaders are scripts or read no menu at all.

U-Boot's scripts and kept variables, device trees behind a kernel and in other files, flash, the Raspberry Pi's
firmware. Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import gzip
import hashlib
import struct
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_disks import ESP, Part, active, environment, gpt, script
from benchmarks.first_contact_distributions import Files
from benchmarks.first_contact_images import Image, card, empty_root, fat, initrd, kernel, tree, with_files
from benchmarks.first_contact_others import packed, read_only
from tests.mini_boards import mini_board_kernel
from tests.sources import images

from bootlab.model.system import Machine

_UUID = "8c2d4a71-3b1f-4f0e-9a55-1d0c3b6e7f22"
# U-Boot's include/config_distro_bootcmd.h, as boards keep it in their environment.
_DISTRO = {
    "boot_targets": "usb0 mmc1 mmc0",
    "boot_prefixes": "/ /boot/",
    "boot_scripts": "boot.scr.uimg boot.scr",
    "boot_syslinux_conf": "extlinux/extlinux.conf",
    "bootcmd": "run distro_bootcmd",
    "distro_bootcmd": "for target in ${boot_targets}; do run bootcmd_${target}; done",
    "bootcmd_usb0": "devnum=0; run usb_boot",
    "usb_boot": "usb start; if usb dev ${devnum}; then devtype=usb; run scan_dev_for_boot_part; fi",
    "bootcmd_mmc0": "devnum=0; run mmc_boot",
    "bootcmd_mmc1": "devnum=1; run mmc_boot",
    "mmc_boot": "if mmc dev ${devnum}; then devtype=mmc; run scan_dev_for_boot_part; fi",
    "scan_dev_for_boot_part": "part list ${devtype} ${devnum} -bootable devplist; env exists devplist || setenv "
    "devplist 1; for distro_bootpart in ${devplist}; do if fstype ${devtype} ${devnum}:${distro_bootpart} bootfstype; "
    "then run scan_dev_for_boot; fi; done; setenv devplist",
    "scan_dev_for_boot": "echo Scanning ${devtype} ${devnum}:${distro_bootpart}...; for prefix in ${boot_prefixes}; "
    "do run scan_dev_for_extlinux; run scan_dev_for_scripts; done;",
    "scan_dev_for_extlinux": "if test -e ${devtype} ${devnum}:${distro_bootpart} ${prefix}${boot_syslinux_conf}; then "
    "echo Found ${prefix}${boot_syslinux_conf}; run boot_extlinux; echo SCRIPT FAILED: continuing...; fi",
    "boot_extlinux": "sysboot ${devtype} ${devnum}:${distro_bootpart} any ${scriptaddr} ${prefix}${boot_syslinux_conf}",
    "scan_dev_for_scripts": "for script in ${boot_scripts}; do if test -e ${devtype} ${devnum}:${distro_bootpart} "
    "${prefix}${script}; then run boot_a_script; echo SCRIPT FAILED: continuing...; fi; done",
    "boot_a_script": "load ${devtype} ${devnum}:${distro_bootpart} ${scriptaddr} ${prefix}${script}; source ${scriptaddr}",
    "scriptaddr": "0x43100000",
    "kernel_addr_r": "0x40080000",
    "fdt_addr_r": "0x43000000",
    "ramdisk_addr_r": "0x43200000",
}


def board(model: str, *compatible: str) -> bytes:
    """Return the device tree of a board that was made up."""
    return images.device_tree(images.BOARD | {"model": model, "compatible": list(compatible) or ["made,up"]})


def arm(word: str) -> bytes:
    """Return a zImage with a word in it."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "kernel"
        return mini_board_kernel(place, Machine(arch="arm", type="vexpress-a9"), word).read_bytes()


def kept_boot(at: Path, kept: dict[str, str], files: Files, root: Path, *, flag: int = 0) -> Path:
    """Return a card with U-Boot's variables before the first partition, a FAT partition and a root."""
    disk = card(at, files, root)
    data = bytearray(disk.read_bytes())
    data[0x80000:0x90000] = environment(kept, 0x10000)
    disk.write_bytes(data)
    return active(disk, flag) if flag else disk


def odroid(at: Path) -> Image:
    """An Odroid's boot.ini: a packed kernel that `unzip` unpacks, an initrd with U-Boot's header, settings in a file."""
    text = (
        'ODROIDN2-UBOOT-CONFIG\n\nsetenv bootlabel "Made 24.04"\nsetenv condev "console=tty0 console=ttyS0,115200n8"\n'
    )
    text += f'setenv bootargs "root=UUID={_UUID} rootwait rw ${{condev}} net.ifnames=0"\n'
    text += 'load mmc ${devno}:1 ${loadaddr} config.ini && ini generic ${loadaddr} && if test -n "${overlay_profile}"; then ini overlay_${overlay_profile} ${loadaddr}; fi\n'
    text += "load mmc ${devno}:1 ${k_addr} /Image.gz\nload mmc ${devno}:1 ${dtb_loadaddr} /amlogic/n2.dtb\n"
    text += "load mmc ${devno}:1 ${initrd_loadaddr} /uInitrd\nfdt addr ${dtb_loadaddr}\n"
    text += 'if test "x${overlays}" != "x"; then\n  fdt resize 8192\n  for overlay in ${overlays}; do\n'
    text += (
        "    load mmc ${devno}:1 ${loadaddr} /amlogic/overlays/${overlay}.dtbo && fdt apply ${loadaddr}\n  done\nfi\n"
    )
    text += "unzip ${k_addr} ${loadaddr}\nbooti ${loadaddr} ${initrd_loadaddr} ${dtb_loadaddr}\n"
    files: Files = {"boot.ini": text, "config.ini": '[generic]\noverlays=""\n', "uInitrd": header(initrd("early"), 3)}
    files |= {"Image.gz": gzip.compress(kernel("taken", "arm64"), mtime=0), "amlogic/n2.dtb": board("Made N2")}
    root = images.ext(at / "p", tree(at / "root", {"boot/x": ""}), options=("-U", _UUID))
    line = f"root=UUID={_UUID} rootwait rw console=tty0 console=ttyS0,115200n8 net.ifnames=0"
    disk = card(at, files, root)
    return Image((disk,), "taken", "early", line, 2, tree="Made N2")


def header(data: bytes, kind: int, arch: int = 22) -> bytes:
    """Return what `mkimage` makes of a ramdisk (3) or kernel (2), without a compression of its own."""
    head = struct.pack(
        ">IIIIIIIBBBB32s", 0x27051956, 0, 0, len(data), 0, 0, zlib.crc32(data), 5, arch, kind, 0, b"made"
    )
    return head[:4] + struct.pack(">I", zlib.crc32(head)) + head[8:] + data


def distro_boot(at: Path) -> Image:
    """The kept variables are U-Boot's distro boot: by targets to the flagged partition's extlinux.conf; FDTDIR by $fdtfile."""
    menu = "default one\ntimeout 30\nlabel two\n  kernel /boot/Image-1\n  append root=/dev/none\nlabel one\n"
    menu += "  kernel /boot/Image-2\n  initrd /boot/initrd-2\n  fdtdir /boot/dtbs\n  append root=PARTUUID=1234abcd-02 rw rootwait\n"
    files: Files = {"boot/extlinux/extlinux.conf": menu, "boot/Image-1": kernel("older", "arm64")}
    files |= {"boot/Image-2": kernel("taken", "arm64"), "boot/initrd-2": packed("early")}
    files |= {"boot/dtbs/made/one.dtb": board("Made One"), "boot/dtbs/made/two.dtb": board("Made Two")}
    root = images.ext(at / "p", tree(at / "root", files))
    disk = kept_boot(at, _DISTRO | {"fdtfile": "made/two.dtb"}, {"readme": "x"}, root, flag=2)
    return Image((disk,), "taken", "early", "root=PARTUUID=1234abcd-02 rw rootwait", 2, tree="Made Two")


def imx(at: Path) -> Image:
    """NXP's older way, all in kept variables: a script if there is one, else Image, device tree and line by variables."""
    kept = {
        "bootcmd": "mmc dev ${mmcdev}; if mmc rescan; then if run loadbootscript; then run bootscript; else if run "
        "loadimage; then run mmcboot; else run netboot; fi; fi; fi;",
        "loadbootscript": "fatload mmc ${mmcdev}:${mmcpart} ${loadaddr} ${bsp_script};",
        "bootscript": "echo Running bootscript from mmc ...; source",
        "loadimage": "fatload mmc ${mmcdev}:${mmcpart} ${loadaddr} ${image}",
        "loadfdt": "fatload mmc ${mmcdev}:${mmcpart} ${fdt_addr_r} ${fdtfile}",
        "mmcargs": "setenv bootargs ${jh_clk} console=${console} root=${mmcroot}",
        "mmcboot": "echo Booting from mmc ...; run mmcargs; if test ${boot_fit} = yes || test ${boot_fit} = try; then "
        "bootm ${loadaddr}; else if run loadfdt; then booti ${loadaddr} - ${fdt_addr_r}; else echo WARN: Cannot load the DT; fi; fi;",
        "netboot": "dhcp; tftp ${image}",
        "bsp_script": "boot.scr", "image": "Image", "fdtfile": "evk-b.dtb", "boot_fit": "no", "console": "ttymxc1,115200",
        "mmcdev": "1", "mmcpart": "1", "mmcroot": "/dev/mmcblk1p2 rootwait rw", "loadaddr": "0x40480000",
        "fdt_addr_r": "0x43000000", "jh_clk": "",
    }  # fmt: skip
    files: Files = {"Image": kernel("taken", "arm64"), "evk-a.dtb": board("Made A"), "evk-b.dtb": board("Made B")}
    disk = kept_boot(at, kept, files, images.ext(at / "p", tree(at / "root", {"boot/Image": kernel("older", "arm64")})))
    return Image((disk,), "taken", "", "console=ttymxc1,115200 root=/dev/mmcblk1p2 rootwait rw", 2, tree="Made B")


def script_before_entries(at: Path) -> Image:
    """An arm64 card with U-Boot's script and, on its EFI partition, systemd-boot's entries: the script is found first."""
    text = f"setenv bootargs root=UUID={_UUID} ro console=ttyS2,1500000\n"
    text += "for kind in Image zImage; do\n if test -e ${devtype} ${devnum}:${distro_bootpart} /${kind}; then\n"
    text += "  load ${devtype} ${devnum}:${distro_bootpart} ${kernel_addr_r} /${kind}\n fi\ndone\n"
    text += "load ${devtype} ${devnum}:${distro_bootpart} ${fdt_addr_r} /dtb/board.dtb\nbooti ${kernel_addr_r} - ${fdt_addr_r}\n"
    files: Files = {"boot.scr": script(text), "Image": kernel("taken", "arm64"), "dtb/board.dtb": board("Made S")}
    files |= {
        "loader/entries/a.conf": "title A\nlinux /vmlinuz-a\noptions root=/dev/none\n",
        "loader/loader.conf": "default a\n",
    }
    files |= {
        "vmlinuz-a": kernel("older", "arm64"),
        "EFI/BOOT/BOOTAA64.EFI": b"MZ",
        "EFI/systemd/systemd-bootaa64.efi": b"MZ",
    }
    root = empty_root(at, "-U", _UUID)
    disk = gpt(at / "d.raw", {1: Part(fat(at / "efi", files), ESP, attributes=4), 2: Part(root)})
    return Image((disk,), "taken", "", f"root=UUID={_UUID} ro console=ttyS2,1500000", 2, tree="Made S")


def script_of_the_board(at: Path) -> Image:
    """A script whose kernel only the board knows: nothing of it can be taken for certain, and the script is named."""
    text = "i2c dev 0\ni2c read 0x50 0 10 ${loadaddr}\nsetexpr.b rev *${loadaddr}\nif itest ${rev} == 3; then setenv k /k-three\n"
    text += "elif itest ${rev} == 4; then setenv k /k-four\nfi\n"
    text += "load mmc 0:1 ${kernel_addr_r} ${k}/Image\nload mmc 0:1 ${fdt_addr_r} ${k}/board.dtb\nbooti ${kernel_addr_r} - ${fdt_addr_r}\n"
    files: Files = {"boot.scr": script(text)}
    for name in ("k-three", "k-four"):
        files |= {f"{name}/Image": kernel(name, "arm64"), f"{name}/board.dtb": board(name)}
    root = images.ext(at / "p", tree(at / "root", {}))
    return Image(
        (card(at, files, root),),
        refused="boot.scr",
        way="k-four/Image",
    )


def flash_with_fit(at: Path) -> Image:
    """A router's flash as it was read out: a loader, a FIT image at 1 MiB, a squashfs root; no table of partitions."""
    node: images.Node = {
        "description": "made",
        "images": {
            "kernel": {"data": kernel("taken", "arm64"), "type": "kernel", "arch": "arm64", "compression": "none"},
            "fdt": {"data": board("Made Router"), "type": "flat_dt", "arch": "arm64", "compression": "none"},
        },
        "configurations": {"default": "c", "c": {"kernel": "kernel", "fdt": "fdt"}},
    }
    at.mkdir(parents=True, exist_ok=True)
    data = bytearray(b"\xff" * (8 << 20))
    data[:4096] = b"\x5a" * 4096
    fit, root = images.device_tree(node), read_only(at, "squashfs").read_bytes()
    data[1 << 20 : (1 << 20) + len(fit)] = fit
    data[5 << 20 : (5 << 20) + len(root)] = root
    place = at / "flash.bin"
    place.write_bytes(data)
    return Image((place,), "taken", "", "", 0, tree="Made Router", says=("at 1,048,576",))


def appended(at: Path) -> Image:
    """An older ARM board: the device tree stands behind the zImage (CONFIG_ARM_APPENDED_DTB), with U-Boot's header."""
    text = (
        "setenv bootargs console=ttyAMA0 root=/dev/mmcblk0p2 rw\nload mmc 0:1 ${loadaddr} uImage\nbootm ${loadaddr}\n"
    )
    whole = header(arm("taken") + board("Made Appended", "arm,vexpress,v2p-ca9"), 2, 2)
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = images.mbr(at / "d.img", [(0x0C, fat(at / "b", {"boot.scr": script(text), "uImage": whole})), (0x83, root)])
    return Image((disk,), "taken", "", "console=ttyAMA0 root=/dev/mmcblk0p2 rw", 2, tree="Made Appended")


def android(kernel_data: bytes, ramdisk: bytes, line: bytes, *, second: bytes = b"", trees: bytes = b"") -> bytes:
    """Return a boot image of version 0; `trees`: Qualcomm's, whose length stands where the version does later."""
    page = 2048
    head = bytearray(page)
    sizes = (
        len(kernel_data),
        0x80008000,
        len(ramdisk),
        0x81000000,
        len(second),
        0x80F00000,
        0x80000100,
        page,
        len(trees),
    )
    struct.pack_into("<8s9I", head, 0, b"ANDROID!", *sizes)
    head[64 : 64 + len(line)] = line
    parts = (kernel_data, ramdisk, second, trees)
    return bytes(head) + b"".join(part + bytes(-len(part) % page) for part in parts)


def phone(at: Path) -> Image:
    """A phone's boot.img of postmarketOS: Image.gz with the device tree behind it."""
    whole = gzip.compress(kernel("taken", "arm64"), mtime=0) + board("Made Phone", "made,phone", "qcom,msm8916")
    return Image(
        (with_files(at, {"boot.img": android(whole, initrd("early"), b"console=ttyMSM0,115200 pmos")}) / "boot.img",),
        "taken", "early", "console=ttyMSM0,115200 pmos", any_root=True, tree="Made Phone",
    )  # fmt: skip


def rockchip(at: Path) -> Image:
    """Rockchip's boot partition: an Android image whose second part is resource.img, with the device tree and pictures."""
    tree_data, logo = board("Made RK", "made,rk", "rockchip,rk3568"), b"BM" + bytes(600)
    files = {"logo.bmp": logo, "rk-kernel.dtb": tree_data}
    head = bytearray(struct.pack("<4sHHBBBxI", b"RSCE", 0, 0, 1, 1, 1, len(files)).ljust(512, b"\0"))
    table, body, sector = bytearray(), bytearray(), 1 + len(files)
    for name, data in files.items():
        digest = hashlib.sha1(data, usedforsecurity=False).digest()
        table += struct.pack("<4s220s32sIII", b"ENTR", name.encode(), digest, 20, sector, len(data)).ljust(512, b"\0")
        body += data + bytes(-len(data) % 512)
        sector += -(-len(data) // 512)
    line = b"root=PARTLABEL=rootfs rootwait rw console=ttyFIQ0"
    boot = android(kernel("taken", "arm64"), initrd("early"), line, second=bytes(head + table + body))
    root = images.ext(at / "p", tree(at / "root", {}))
    parts = {1: Part(b"\1" * 4096, name="uboot"), 2: Part(boot, name="boot"), 3: Part(root, name="rootfs")}
    return Image((gpt(at / "update.img", parts),), "taken", "early", line.decode(), 3, tree="Made RK")


def qualcomm(at: Path) -> Image:
    """A boot image with a table of device trees (QCDT), one of them: that is the board's."""
    tree_data = board("Made QC", "made,qc", "qcom,msm8974")
    table = struct.pack("<4sII", b"QCDT", 1, 1) + struct.pack("<5I", 126, 8, 0, 2048, len(tree_data))
    trees = table.ljust(2048, b"\0") + tree_data
    whole = (
        with_files(at, {"boot.img": android(arm("taken"), initrd("early"), b"console=none", trees=trees)}) / "boot.img"
    )
    return Image((whole,), "taken", "early", "console=none", any_root=True, tree="Made QC")


def raspberry(at: Path) -> Image:
    """Ubuntu's card for the Raspberry Pi: os_prefix in an included file, two initrds by a comma, a tree by the model."""
    config = "[all]\narm_64bit=1\ninclude usercfg.txt\n\n[pi3]\nkernel=old.img\n[pi4]\nmax_framebuffers=2\n[all]\nkernel=vmlinuz\n"
    own = "os_prefix=current/\ninitramfs initrd.img,extra.img followkernel\ncmdline=line.txt\n"
    files: Files = {"config.txt": config, "usercfg.txt": own, "start4.elf": b"x", "cmdline.txt": "root=/dev/none\n"}
    line = "console=serial0,115200 root=LABEL=writable rootwait"
    files |= {
        "current/line.txt": f"{line}\n",
        "current/vmlinuz": kernel("taken", "arm64"),
        "current/initrd.img": packed("early"),
    }
    files |= {
        "current/extra.img": initrd("more"),
        "old/vmlinuz": kernel("older", "arm64"),
        "current/overlays/x.dtbo": b"x",
    }
    for name in ("bcm2710-rpi-3-b", "bcm2711-rpi-4-b", "bcm2712-rpi-5-b"):
        files |= {f"current/{name}.dtb": board(name, "raspberrypi,4-model-b" if "4" in name else "made,pi")}
    root = empty_root(at, "-L", "writable")
    disk = card(at, files, root)
    return Image((disk,), "taken", "early", line, 2, tree="bcm2711-rpi-4-b")


SEVENTH_BOARDS: dict[str, Callable[[Path], Image]] = {
    "Odroid, boot.ini": odroid,
    "distro boot, kept": distro_boot,
    "i.MX, kept": imx,
    "script before entries": script_before_entries,
    "a script of the board's": script_of_the_board,
    "flash with a FIT image": flash_with_fit,
    "device tree behind a zImage": appended,
    "phone, Image.gz and tree": phone,
    "Rockchip, resource.img": rockchip,
    "Qualcomm, QCDT": qualcomm,
    "Raspberry Pi, comma": raspberry,
}

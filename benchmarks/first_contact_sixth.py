# SPDX-License-Identifier: MIT
"""A sixth set of images that nobody prepared for bootlab, made after the fifth had been mended.

Menus in many files, loaders behind loaders, two systems on a disk, kernels without a file system, slots of Android and
ChromeOS. Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from benchmarks.first_contact_devices import _board
from benchmarks.first_contact_disks import ESP, Part, environment, gpt, own_uuid, priority, script
from benchmarks.first_contact_distributions import Files, _unified, block
from benchmarks.first_contact_images import GRUB, Image, empty_root, fat, initrd, kernel, pair, tree, with_files
from benchmarks.first_contact_others import packed, read_only
from tests.sources import images

_UUID = "6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11"


def vyos(at: Path) -> Image:
    """VyOS: the menu is put together of files by patterns, the default an identifier that one of them sets."""
    menu = (
        "load_env\ninsmod regexp\n\nfor cfgfile in ${prefix}/grub.cfg.d/*-autoload.cfg\ndo\n  source ${cfgfile}\ndone\n"
    )
    options = 'set timeout=5\nset console_type="ttyS"\nset console_num="0"\nset console_speed="115200"\n'
    common = 'function setup_console {\n  if [ "${console_type}" == "ttyS" ]; then\n'
    common += '    set console_opts="console=tty0 console=ttyS${console_num},${console_speed}"\n  fi\n}\n'
    versions = 'for cfgfile in ${prefix}/grub.cfg.d/vyos-versions/*.cfg\ndo\n    source "${cfgfile}"\ndone\n'
    entry = 'menuentry "{0}" --id {1} {{\n  set boot_opts="boot=live rootdelay=5 vyos-union=/boot/{0}"\n'
    entry += '  setup_console\n  linux "/boot/{0}/vmlinuz" ${{boot_opts}} ${{console_opts}}\n'
    entry += '  initrd "/boot/{0}/initrd.img"\n}}\n'
    files: Files = {"boot/grub/grub.cfg": menu, "boot/grub/grubenv": block("")}
    folder = "boot/grub/grub.cfg.d"
    files |= {f"{folder}/20-vyos-defaults-autoload.cfg": 'set default="id-14"\n' + options}
    files |= {f"{folder}/25-vyos-common-autoload.cfg": common, f"{folder}/50-vyos-options.cfg": "set x=y\n"}
    files |= {f"{folder}/60-vyos-versions-autoload.cfg": versions}
    for name, ident, word, early in (("1.4.0", "id-14", "taken", "early"), ("1.5.0", "id-15", "newer", "other")):
        files |= {f"{folder}/vyos-versions/{name}.cfg": entry.format(name, ident)}
        files |= {f"boot/{name}/vmlinuz": kernel(word), f"boot/{name}/initrd.img": packed(early)}
    data = images.ext(at / "p", with_files(at / "root", files), mib=8)
    efi = fat(at / "efi", {"EFI/BOOT/BOOTX64.EFI": b"MZ"})
    line = "boot=live rootdelay=5 vyos-union=/boot/1.4.0 console=tty0 console=ttyS0,115200"
    return Image((gpt(at / "vyos.raw", {2: Part(efi, ESP), 3: Part(data)}),), "taken", "early", line, any_root=True)


def arch_medium(at: Path) -> Image:
    """Arch's medium, unpacked: Syslinux's menu behind CONFIG, systemd-boot's entries; both boot the same."""
    line = "archisobasedir=arch archisosearchuuid=2024-11-01-10-09-22-00"
    entry = f"title Arch install medium\nsort-key 01\nlinux /arch/boot/x86_64/vmlinuz-linux\noptions {line}\n"
    entry += "initrd /arch/boot/x86_64/initramfs-linux.img\n"
    sys = "INCLUDE archiso_head.cfg\nDEFAULT arch64\nTIMEOUT 150\nINCLUDE archiso_sys-linux.cfg\n"
    label = f"LABEL arch64\nMENU LABEL Arch\nLINUX /arch/boot/x86_64/vmlinuz-linux\nAPPEND {line}\n"
    label += "INITRD /arch/boot/x86_64/initramfs-linux.img\n"
    files: Files = {
        "loader/loader.conf": "timeout 15\ndefault 01-archiso-x86_64-linux.conf\nbeep on\n",
        "loader/entries/01-archiso-x86_64-linux.conf": entry,
        "loader/entries/02-archiso-x86_64-speech-linux.conf": entry.replace("sort-key 01", "sort-key 02")
        + "options a\n",
        "boot/syslinux/syslinux.cfg": "DEFAULT select\n\nLABEL select\nCOM32 whichsys.c32\nAPPEND -sys- sys -iso- sys\n"
        "\nLABEL sys\nCONFIG archiso_sys.cfg\n",
        "boot/syslinux/archiso_sys.cfg": sys,
        "boot/syslinux/archiso_head.cfg": "SERIAL 0 115200\nUI vesamenu.c32\n",
        "boot/syslinux/archiso_sys-linux.cfg": label,
        "arch/boot/x86_64/vmlinuz-linux": kernel("taken"),
        "arch/boot/x86_64/initramfs-linux.img": packed("early"),
        "arch/x86_64/airootfs.sfs": read_only(at, "squashfs").read_bytes(),
        "EFI/BOOT/BOOTx64.EFI": b"MZ",
    }
    return Image((with_files(at / "iso", files),), "taken", "early", line, any_root=True)


def config_of_syslinux(at: Path) -> Image:
    """A stick whose syslinux.cfg only leads to another file (CONFIG), in a folder from which its names count."""
    other = "DEFAULT a\nLABEL a\n  LINUX vmlinuz\n  INITRD early.img\n  APPEND quiet a=1\n"
    files: Files = {"syslinux.cfg": "DEFAULT go\nLABEL go\n  CONFIG /live/menu.cfg /live\n", "live/menu.cfg": other}
    stick = fat(at / "f", files | {"live/vmlinuz": kernel("taken"), "live/early.img": initrd("early")})
    return Image((images.mbr(at / "d.img", [(0x0C, stick)]),), "taken", "early", "quiet a=1")


def raspberry_uboot(at: Path) -> Image:
    """A Raspberry Pi whose firmware starts U-Boot: its script boots, and not the kernel8.img that was left there."""
    text = "setenv bootargs root=/dev/mmcblk0p2 rw console=ttyS0\nload mmc 0:2 ${kernel_addr_r} /boot/Image\n"
    text += "load mmc 0:2 ${ramdisk_addr_r} /boot/initrd\nbooti ${kernel_addr_r} ${ramdisk_addr_r}:${filesize} ${fdt_addr}\n"
    files: Files = {"config.txt": "arm_64bit=1\nenable_uart=1\nkernel=u-boot.bin\n", "u-boot.bin": b"\1" * 4096}
    files |= {"start4.elf": b"x", "cmdline.txt": "root=/dev/none\n", "kernel8.img": kernel("older", "arm64")}
    root = tree(at / "root", {"boot/Image": kernel("taken", "arm64"), "boot/initrd": initrd("early")})
    parts = [(0x0C, fat(at / "b", files | {"boot.scr": script(text)})), (0x83, images.ext(at / "p", root))]
    line = "root=/dev/mmcblk0p2 rw console=ttyS0"
    return Image((images.mbr(at / "d.img", parts),), "taken", "early", line, 2)


def two_systems(at: Path) -> Image:
    """Two distributions whose files have the same names: the menu of the first starts the second by default."""
    menu = "set default=1\nmenuentry 'One' {{\n search --fs-uuid --set=root {0}\n linux /boot/vmlinuz {1}\n}}\n"
    menu += (
        "menuentry 'Two' {{\n search --fs-uuid --set=root {2}\n linux /boot/vmlinuz {3}\n initrd /boot/initrd.img\n}}\n"
    )
    uuids = (_UUID, _UUID.replace("6a", "7b"))
    lines = [f"root=UUID={own} ro" for own in uuids]
    text = menu.format(uuids[0], lines[0], uuids[1], lines[1])
    parts = {1: Part(fat(at / "efi", {"EFI/one/grub.cfg": "configfile /boot/grub/grub.cfg\n"}), ESP)}
    for number, (own, word, early) in enumerate(zip(uuids, ("older", "taken"), ("other", "early"), strict=True), 2):
        files: Files = {"boot/vmlinuz": kernel(word), "boot/initrd.img": packed(early)}
        files |= {"boot/grub/grub.cfg": text} if number == 2 else {}
        root = images.ext(at / f"p{number}", tree(at / f"r{number}", files), options=("-U", own))
        parts[number] = Part(root)
    return Image((gpt(at / "two.raw", parts),), "taken", "early", lines[1], 3)


def android_slots(at: Path) -> Image:
    """Android 13 on its disk: slot b is active, kernel, first program and vendor's part in three partitions of it."""
    page, early = 4096, initrd("early")

    def boot(data: bytes, ramdisk: bytes, line: bytes) -> bytes:
        head = bytearray(page)
        struct.pack_into("<8sIIII", head, 0, b"ANDROID!", len(data), len(ramdisk), 0, 1584)
        struct.pack_into("<I", head, 40, 4)
        head[44 : 44 + len(line)] = line
        return bytes(head) + b"".join(part + bytes(-len(part) % page) for part in (data, ramdisk))

    vendor = bytearray(page)
    struct.pack_into("<8sIIIII", vendor, 0, b"VNDRBOOT", 4, page, 0, 0, len(early))
    vendor[28:48] = b"androidboot.hw=mini1"
    struct.pack_into("<I", vendor, 2096, 2128)
    parts = {1: Part(bytes(1 << 20), name="misc")}
    for number, (slot, word, flag) in enumerate((("a", "older", 0), ("b", "taken", 1 << 50 | 3 << 48))):
        made = {
            f"boot_{slot}": boot(kernel(word, "arm64"), b"", b"printk.devkmsg=on"),
            f"init_boot_{slot}": boot(b"", early, b""),
            f"vendor_boot_{slot}": bytes(vendor) + early + bytes(-len(early) % page),
        }
        for index, (name, data) in enumerate(made.items()):
            parts[2 + 3 * number + index] = Part(data, name=name, attributes=flag)
    parts[8] = Part(bytes(4 << 20), name="super")
    line = "androidboot.hw=mini1 printk.devkmsg=on"
    return Image((gpt(at / "phone.img", parts),), "taken", "early", line, any_root=True)


def raw_fit(at: Path) -> Image:
    """OpenWrt's card for an arm64 router: a FIT image in a partition of its own, the root behind it."""
    node: images.Node = {
        "description": "ARM64 OpenWrt FIT",
        "images": {
            "kernel-1": {"data": kernel("taken", "arm64"), "type": "kernel", "arch": "arm64", "compression": "none"},
            "fdt-1": {"data": _board(), "type": "flat_dt", "arch": "arm64", "compression": "none"},
        },
        "configurations": {"default": "config-1", "config-1": {"kernel": "kernel-1", "fdt": "fdt-1"}},
    }
    kept = {"bootargs": "console=ttyS0,115200 root=PARTLABEL=rootfs rootwait", "bootdelay": "3"}
    kept["bootcmd"] = "part start mmc 0 kernel s; part size mmc 0 kernel n; mmc read $loadaddr $s $n; bootm $loadaddr"
    root = images.ext(at / "p", tree(at / "root", {}, systemd=False))
    parts = {1: Part(environment(kept, 0x10000), name="ubootenv"), 2: Part(b"\1" * 4096, name="fip")}
    parts |= {3: Part(images.device_tree(node), name="kernel"), 4: Part(root, name="rootfs")}
    line = kept["bootargs"]
    return Image((gpt(at / "sdcard.img", parts),), "taken", "", line, 4)


def sysboot(at: Path) -> Image:
    """A script that reads another menu (`sysboot`), by the name of the slot."""
    text = "setenv slot b\nsysboot mmc 0:1 any ${scriptaddr} /extlinux/slot-${slot}.conf\n"
    menu = "default l\nlabel l\n  kernel /{0}/Image\n  fdt /board.dtb\n  append root=/dev/mmcblk0p{1} rw\n"
    files: Files = {"boot.scr": script(text), "board.dtb": _board()}
    parts = []
    for slot, number, word in (("a", 2, "older"), ("b", 3, "taken")):
        files |= {f"extlinux/slot-{slot}.conf": menu.format(slot, number), f"{slot}/Image": kernel(word, "arm64")}
        parts.append((0x83, images.ext(at / f"p{slot}", tree(at / f"r{slot}", {}))))
    disk = images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), *parts])
    return Image((disk,), "taken", "", "root=/dev/mmcblk0p3 rw", 3)


def chained(at: Path) -> Image:
    """GRUB that starts a unified image (`chainloader`), as signed systems have it."""
    menu = "set default=0\nset timeout=2\nmenuentry 'Linux' {\n  insmod chain\n  chainloader /EFI/Linux/os-2.efi\n}\n"
    menu += "menuentry 'Old' {\n  chainloader /EFI/Linux/os-1.efi\n}\nmenuentry 'Setup' {\n  fwsetup\n}\n"
    files: Files = {"EFI/BOOT/grub.cfg": menu, "EFI/BOOT/BOOTX64.EFI": b"MZ"}
    files |= {"EFI/Linux/os-1.efi": _unified("older", "other", "root=LABEL=r n=1")}
    efi = fat(at / "efi", files | {"EFI/Linux/os-2.efi": _unified("taken", "early", "root=LABEL=r n=2")}, 16)
    root = empty_root(at, "-L", "r")
    return Image((gpt(at / "d.raw", {1: Part(efi, ESP), 2: Part(root)}),), "taken", "early", "root=LABEL=r n=2", 2)


def xen_program(at: Path) -> Image:
    """Xen as the firmware's program: xen.cfg beside it names Linux, its line and its initrd; Linux alone is booted."""
    text = "[global]\ndefault=new\n\n[old]\nkernel=vmlinuz-1 x\n\n[new]\noptions=console=com1 dom0_mem=1G\n"
    text += "kernel=vmlinuz-2 root=/dev/xvda2 ro console=hvc0\nramdisk=initrd.img-2\n"
    files = {f"EFI/BOOT/{name}": data for name, data in pair("").items()}
    efi = fat(at / "efi", files | {"EFI/BOOT/BOOTX64.cfg": text, "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    root = images.ext(at / "p", tree(at / "root", {}))
    line = "root=/dev/xvda2 ro console=hvc0"
    return Image((gpt(at / "xen.raw", {1: Part(efi, ESP), 2: Part(root)}),), "taken", "early", line, 2)


def ostree_uboot(at: Path) -> Image:
    """OSTree with U-Boot: the deployment writes loader/uEnv.txt, which the board's script imports."""
    line = f"root=UUID={_UUID} rw ostree=/ostree/boot.1/os/bb/0"
    env = "kernel_image=/ostree/os-bb/vmlinuz\nramdisk_image=/ostree/os-bb/initramfs\nfdtfile=board.dtb\n"
    text = "load mmc 0:1 ${loadaddr} /loader/uEnv.txt\nenv import -t ${loadaddr} ${filesize}\n"
    text += "load mmc 0:1 ${kernel_addr_r} ${kernel_image}\nload mmc 0:1 ${ramdisk_addr_r} ${ramdisk_image}\n"
    text += (
        "load mmc 0:1 ${fdt_addr_r} /${fdtfile}\nbooti ${kernel_addr_r} ${ramdisk_addr_r}:${filesize} ${fdt_addr_r}\n"
    )
    files: Files = {"boot.scr": script(text), "loader.1/uEnv.txt": f"{env}bootargs={line}\n", "board.dtb": _board()}
    for digest, word, early in (("aa", "older", "other"), ("bb", "taken", "early")):
        files |= {f"ostree/os-{digest}/vmlinuz": kernel(word, "arm64"), f"ostree/os-{digest}/initramfs": packed(early)}
    folder = with_files(at / "boot", files)
    (folder / "loader").symlink_to("loader.1")
    tree(at / "root/ostree/deploy/os/deploy/bb.0", {})
    root = images.ext(at / "p", at / "root", options=("-U", _UUID), mib=8)
    disk = images.mbr(at / "d.img", [(0x83, images.ext(at / "b", folder)), (0x83, root)])
    return Image((disk,), "taken", "early", line, 2)


def chromium(at: Path) -> Image:
    """ChromiumOS for PCs: GRUB asks the priority of both kernel partitions (`gptpriority`), B has the higher one."""
    menu = "defaultA=0\ndefaultB=1\ngptpriority $grubdisk 2 prioA\ngptpriority $grubdisk 4 prioB\n\n"
    menu += (
        "if [ $prioA -lt $prioB ]; then\n  set default=$defaultB\nelse\n  set default=$defaultA\nfi\nset timeout=2\n"
    )
    menu += 'menuentry "local image A" {{\n  linux /syslinux/vmlinuz.A init=/sbin/init boot=local ro root=PARTUUID={0}\n}}\n'
    menu += 'menuentry "local image B" {{\n  linux /syslinux/vmlinuz.B init=/sbin/init boot=local ro root=PARTUUID={1}\n}}\n'
    files: Files = {"efi/boot/grub.cfg": menu.format(own_uuid(3), own_uuid(5)), "efi/boot/bootx64.efi": b"MZ"}
    efi = fat(at / "efi", files | {"syslinux/vmlinuz.A": kernel("older"), "syslinux/vmlinuz.B": kernel("taken")})
    kind = UUID("fe3a2a5d-4f32-41a7-b725-accc3285a309")
    parts = {12: Part(efi, ESP, "EFI-SYSTEM")}
    for number, letter, rank in ((2, "A", 1), (4, "B", 2)):
        root = images.ext(at / f"p{letter}", tree(at / f"r{letter}", {}))
        parts[number] = Part(b"\1" * 4096, kind, f"KERN-{letter}", attributes=priority(rank))
        parts[number + 1] = Part(root, name=f"ROOT-{letter}")
    line = f"init=/sbin/init boot=local ro root=PARTUUID={own_uuid(5)}"
    return Image((gpt(at / "chromium.bin", parts),), "taken", "", line, 5)


def kairos(at: Path) -> Image:
    """Kairos, Elemental: the system is an image file in the partition of its state (`loopback`): refused by its name."""
    menu = (
        'set default="cos"\nset timeout=5\nsearch --no-floppy --label --set=root COS_STATE\nset img=/cOS/active.img\n'
    )
    menu += "set label=COS_ACTIVE\nloopback loop0 /$img\nset root=($root)\nsource (loop0)/etc/cos/bootargs.cfg\n"
    menu += 'menuentry "Kairos" --id cos {\n  search --no-floppy --label --set=root COS_STATE\n'
    menu += "  loopback loop0 /$img\n  set root=($root)\n  linux (loop0)/boot/vmlinuz cdroot root=LABEL=$label "
    menu += "cos-img/filename=$img\n  initrd (loop0)/boot/initrd\n}\n"
    inside = images.ext(at / "i", tree(at / "inside", {"boot/vmlinuz": kernel("taken")}))
    files: Files = {"grub2/grub.cfg": menu, "cOS/active.img": inside.read_bytes(), "grub_oem_env": block("")}
    state = images.ext(at / "s", with_files(at / "state", files), options=("-L", "COS_STATE"), mib=16)
    efi = fat(at / "efi", {"EFI/BOOT/grub.cfg": "search --label --set=root COS_STATE\nconfigfile /grub2/grub.cfg\n"})
    return Image((gpt(at / "kairos.raw", {1: Part(efi, ESP), 2: Part(state)}),), refused="active.img")


def live_network(at: Path) -> Image:
    """Fedora CoreOS' three files for the network: kernel, initramfs, and the root as another archive."""
    base = "fedora-coreos-41.20241109.3.0-live"
    files: Files = {f"{base}-kernel-x86_64": kernel("taken"), f"{base}-initramfs.x86_64.img": packed("early")}
    files |= {f"{base}-rootfs.x86_64.img": initrd("root")}
    return Image((with_files(at / "pxe", files),), "taken", "early", "", any_root=True)


def menu_of_another(at: Path) -> Image:
    """GRUB's menu asks for a partition's UUID (`probe`), as images made by scripts have it."""
    menu = "probe --set rootuuid --fs-uuid ($root)\nset timeout=0\n" + GRUB.format("/boot", "root=UUID=$rootuuid ro")
    files = pair("boot/") | {"boot/grub/grub.cfg": menu}
    root = images.ext(at / "p", tree(at / "root", files), options=("-U", _UUID))
    return Image((images.mbr(at / "d.img", [(0x83, root)]),), "taken", "early", f"root=UUID={_UUID} ro", 1)


SIXTH: dict[str, Callable[[Path], Image]] = {
    "VyOS, patterns": vyos,
    "Arch's medium, unpacked": arch_medium,
    "Syslinux, CONFIG": config_of_syslinux,
    "Raspberry Pi, U-Boot": raspberry_uboot,
    "two systems, same names": two_systems,
    "Android 13, slot b": android_slots,
    "FIT in a partition": raw_fit,
    "sysboot": sysboot,
    "GRUB, unified image": chained,
    "Xen's program": xen_program,
    "OSTree, U-Boot": ostree_uboot,
    "ChromiumOS, gptpriority": chromium,
    "Kairos": kairos,
    "CoreOS, network": live_network,
    "GRUB, probe": menu_of_another,
}

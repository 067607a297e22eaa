# SPDX-License-Identifier: MIT
"""Ten images of the seventh set's classes and of other members of them, made after that set had been mended.

Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import gzip
import io
import lzma
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_disks import ESP, USR_X86_64, Part, gpt, own_uuid, priority, script
from benchmarks.first_contact_distributions import Files
from benchmarks.first_contact_images import Image, card, empty_root, fat, initrd, kernel, tree, with_files
from benchmarks.first_contact_others import packed
from benchmarks.first_contact_seventh import arm, board
from tests.sources import images


def mint(at: Path) -> Image:
    """A live system's medium, unpacked: Isolinux with an included menu, kernels in a folder of the live system."""
    menu = "default vesamenu.c32\ninclude stdmenu.cfg\ntimeout 100\nlabel live\n  menu label Start\n  kernel /casper/vmlinuz\n"
    line = "boot=casper username=made hostname=made quiet splash --"
    menu += f"  append  file=/cdrom/preseed/made.seed initrd=/casper/initrd.lz {line}\nmenu default\nlabel compat\n  kernel /casper/vmlinuz\n  append noapic\n"
    files: Files = {
        "isolinux/isolinux.cfg": menu,
        "isolinux/stdmenu.cfg": "menu background x\n",
        "casper/vmlinuz": kernel("taken"),
    }
    files |= {"casper/initrd.lz": packed("early"), "casper/filesystem.squashfs": b"hsqs", "dists/x": "y"}
    return Image(
        (with_files(at / "mint", files),), "taken", "early", f"file=/cdrom/preseed/made.seed {line}", any_root=True
    )


def flatcar(at: Path) -> Image:
    """Flatcar: the menu lies in a tar archive on the EFI partition; `gptprio` chooses /usr and the kernel with it."""
    menu = 'set timeout=1\nset default=0\nset linux_console="console=ttyS0,115200n8"\ngptprio.next -d usr_device -u usr_uuid\n'
    menu += f'if [ "$usr_uuid" = "{own_uuid(3)}" ]; then\n  set suf=a\nelse\n  set suf=b\nfi\n'
    menu += 'menuentry "Flatcar default" --id=flatcar {\n  linux /flatcar/vmlinuz-$suf $linux_console mount.usr=PARTUUID=$usr_uuid root=LABEL=ROOT\n}\n'
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("grub.cfg")
        member.size = len(menu)
        archive.addfile(member, io.BytesIO(menu.encode()))
    files: Files = {
        "flatcar/grub/grub.cfg.tar": out.getvalue(),
        "flatcar/vmlinuz-a": kernel("older"),
        "flatcar/vmlinuz-b": kernel("taken"),
    }
    usr_kind = USR_X86_64.__class__("5dfbf5f4-2848-4bac-aa5e-0d9a20b745a6")
    parts = {1: Part(fat(at / "efi", files | {"EFI/BOOT/bootx64.efi": b"MZ"}), ESP, "EFI-SYSTEM")}
    parts |= {
        3: Part(b"\1" * 4096, usr_kind, "USR-A", attributes=priority(1)),
        4: Part(b"\1" * 4096, usr_kind, "USR-B", attributes=priority(2)),
    }
    parts |= {9: Part(images.ext(at / "p", with_files(at / "root", {"x": "y"}), options=("-L", "ROOT")), name="ROOT")}
    line = f"console=ttyS0,115200n8 mount.usr=PARTUUID={own_uuid(4)} root=LABEL=ROOT"
    return Image((gpt(at / "d.bin", parts),), "taken", "", line, any_root=True)


def toradex(at: Path) -> Image:
    """A module's script that puts its commands together from variables, with settings of a file beside it."""
    text = "test -n ${m4boot} || env set m4boot ';'\ntest -n ${boot_part} || env set boot_part ${distro_bootpart}\n"
    text += "test -n ${root_part} || env set root_part 2\ntest -n ${kernel_image} || env set kernel_image Image.gz\n"
    text += "env set load_cmd 'load ${devtype} ${devnum}:${boot_part}'\n"
    text += "env set bootcmd_env 'if ${load_cmd} ${ramdisk_addr_r} uEnv.txt; then env import -t ${ramdisk_addr_r} ${filesize}; fi'\n"
    text += "env set bootcmd_kernel '${load_cmd} ${loadaddr} ${kernel_image} && unzip ${loadaddr} ${kernel_addr_r}'\n"
    text += "env set bootcmd_dtb '${load_cmd} ${fdt_addr_r} ${fdtfile}'\n"
    text += "env set rootfsargs_set 'part uuid ${devtype} ${devnum}:${root_part} uuid && env set rootfsargs root=PARTUUID=${uuid} ro rootwait'\n"
    text += "env set bootcmd_args 'run rootfsargs_set && env set bootargs ${defargs} ${rootfsargs} ${tdxargs}'\n"
    text += "run bootcmd_env; run m4boot; run bootcmd_dtb && run bootcmd_kernel && run bootcmd_args && booti ${kernel_addr_r} - ${fdt_addr_r}\n"
    files: Files = {"boot.scr": script(text), "uEnv.txt": "fdtfile=carrier-b.dtb\ntdxargs=quiet logo.nologo\n"}
    files |= {
        "Image.gz": gzip.compress(kernel("taken", "arm64"), mtime=0),
        "carrier-a.dtb": board("Made CA"),
        "carrier-b.dtb": board("Made CB"),
    }
    disk = images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), (0x83, images.ext(at / "p", tree(at / "root", {})))])
    return Image(
        (disk,),
        "taken",
        "",
        "root=PARTUUID=1234abcd-02 ro rootwait quiet logo.nologo",
        2,
        tree="Made CB",
        says=("$defargs",),
    )


def sunxi(at: Path) -> Image:
    """An older script with addresses in digits and a second try (`||`); the device has no partition's number."""
    text = "setenv bootargs console=ttyS0,115200 root=/dev/mmcblk0p2 rootwait panic=10\n"
    text += "load mmc 0 0x43000000 ${fdtfile} || load mmc 0 0x43000000 boot/${fdtfile} || load mmc 0 0x43000000 dtb/one.dtb\n"
    text += "load mmc 0 0x42000000 zImage || load mmc 0 0x42000000 boot/zImage\nbootz 0x42000000 - 0x43000000\n"
    files: Files = {
        "boot.scr": script(text),
        "zImage": arm("taken"),
        "dtb/one.dtb": board("Made Sun", "xunlong,orangepi-pc"),
    }
    root = images.ext(at / "p", tree(at / "root", {"boot/zImage": arm("older")}))
    disk = card(at, files, root)
    return Image((disk,), "taken", "", "console=ttyS0,115200 root=/dev/mmcblk0p2 rootwait panic=10", 2, tree="Made Sun")


def by_number(at: Path) -> Image:
    """GRUB's entry with devices by number: the kernel of one partition, the initrd of another."""
    menu = "set default=two\nmenuentry 'One' --id one {\n set root='hd0,msdos2'\n linux /boot/k root=/dev/sda2\n}\n"
    menu += "menuentry 'Two' --id two {\n set root='hd0,msdos3'\n linux /boot/k root=/dev/sda3 ro\n initrd (hd0,msdos1)/early.img\n}\n"
    first: Files = {"grub/grub.cfg": menu, "early.img": packed("early")}
    parts = [(0x83, images.ext(at / "b", with_files(at / "boot", first)))]
    for number, word in ((2, "older"), (3, "taken")):
        files: Files = {"boot/k": kernel(word), "early.img": initrd("other")}
        parts.append((0x83, images.ext(at / f"p{number}", tree(at / f"r{number}", files), mib=4 + number)))
    return Image((images.mbr(at / "d.img", parts),), "taken", "early", "root=/dev/sda3 ro", 3)


def two_trees(at: Path) -> Image:
    """Android 10's boot image with two device trees behind each other: the loader chooses, and none is taken."""
    page, data, early = 2048, kernel("taken", "arm64"), initrd("early")
    trees = board("Made V1", "made,v1") + board("Made V2", "made,v2")
    head = bytearray(page)
    struct.pack_into("<8s10I", head, 0, b"ANDROID!", len(data), 0, len(early), 0, 0, 0, 0, page, 2, 0)
    head[64:78] = b"console=ttyX x"
    struct.pack_into("<I", head, 1644, 1660)
    struct.pack_into("<I", head, 1648, len(trees))
    whole = bytes(head) + b"".join(part + bytes(-len(part) % page) for part in (data, early, trees))
    place = with_files(at, {"boot.img": whole}) / "boot.img"
    return Image(
        (place,), "taken", "early", "console=ttyX x", any_root=True, says=("2 device trees",), never=("Made V1 ",)
    )


def fit_outside(at: Path) -> Image:
    """A FIT image whose data lie behind its tree (`mkimage -E`), started by a script with a configuration's name."""
    parts = {
        "k1": kernel("older", "arm64"),
        "k2": kernel("taken", "arm64"),
        "f2": board("Made F2"),
        "r2": initrd("early"),
    }
    kinds = {"k": ("kernel", "arm64"), "f": ("flat_dt", "arm64"), "r": ("ramdisk", "arm64")}
    nodes: dict[str, object] = {}
    body = bytearray()
    for name, data in parts.items():
        kind, arch = kinds[name[0]]
        nodes[name] = {
            "type": kind,
            "arch": arch,
            "compression": "none",
            "data-offset": len(body),
            "data-size": len(data),
        }
        body += data + bytes(-len(data) % 4)
    node: images.Node = {"description": "made", "images": nodes, "configurations": {
        "default": "conf-1", "conf-1": {"kernel": "k1"}, "conf-2": {"kernel": "k2", "fdt": "f2", "ramdisk": "r2"}}}  # fmt: skip
    head = images.device_tree(node)
    whole = head + bytes(-len(head) % 4) + bytes(body)
    text = "setenv bootargs console=ttyLP0 root=/dev/mmcblk0p2\nload mmc 0:1 ${kernel_addr_r} os.itb\nbootm ${kernel_addr_r}#conf-2\n"
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = images.mbr(at / "d.img", [(0x0C, fat(at / "b", {"boot.scr": script(text), "os.itb": whole})), (0x83, root)])
    return Image((disk,), "taken", "early", "console=ttyLP0 root=/dev/mmcblk0p2", 2, tree="Made F2")


def vdi(at: Path) -> Image:
    """VirtualBox's disk packed with xz: refused with both steps."""
    data = b"<<< Oracle VM VirtualBox Disk Image >>>\n" + bytes(4096)
    place = with_files(at, {"vm.vdi.xz": lzma.compress(data)}) / "vm.vdi.xz"
    return Image((place,), refused="VDI", way="vm.vdi disk.img")


def netbsd(at: Path) -> Image:
    """NetBSD's disk with an MBR: refused by its name."""
    at.mkdir(parents=True, exist_ok=True)
    (at / "p").write_bytes(b"\1" * (1 << 20))
    return Image((images.mbr(at / "d.img", [(0xA9, at / "p")]),), refused="NetBSD")


def fdtdir(at: Path) -> Image:
    """extlinux.conf with FDTDIR, and a board that nothing names: its device tree is not taken, and that is said."""
    menu = "DEFAULT main\nLABEL main\n  LINUX ../vmlinuz\n  INITRD ../initrd.img\n  FDTDIR ../dtbs/\n  APPEND root=LABEL=sys rw\n"
    files: Files = {"extlinux/extlinux.conf": menu, "vmlinuz": kernel("taken", "arm64"), "initrd.img": packed("early")}
    files |= {"dtbs/made/one.dtb": board("Made One"), "dtbs/made/two.dtb": board("Made Two")}
    root = empty_root(at, "-L", "sys")
    disk = images.mbr(at / "d.img", [(0x83, images.ext(at / "b", with_files(at / "boot", files))), (0x83, root)])
    return Image((disk,), "taken", "early", "root=LABEL=sys rw", 2, says=("dtbs",))


def raspberry5(at: Path) -> Image:
    """A card for the Raspberry Pi 5 alone: its kernel in its section, auto_initramfs, its device tree."""
    config = "auto_initramfs=1\narm_64bit=1\n[cm4]\notg_mode=1\n[pi5]\nkernel=kernel_2712.img\n[all]\nenable_uart=1\n"
    line = "console=serial0,115200 root=LABEL=rootfs rootwait"
    files: Files = {
        "config.txt": config,
        "cmdline.txt": f"{line}\n",
        "start4.elf": b"x",
        "kernel_2712.img": kernel("taken", "arm64"),
    }
    files |= {"initramfs_2712": packed("early"), "kernel8.img": kernel("older", "arm64"), "initramfs8": initrd("other")}
    files |= {"bcm2712-rpi-5-b.dtb": board("Made Pi 5"), "bcm2711-rpi-4-b.dtb": board("Made Pi 4")}
    root = empty_root(at, "-L", "rootfs")
    disk = card(at, files, root)
    return Image((disk,), "taken", "early", line, 2, tree="Made Pi 5")


EIGHTH: dict[str, Callable[[Path], Image]] = {
    "live medium, Isolinux": mint,
    "Flatcar, menu in a tar": flatcar,
    "script of variables": toradex,
    "script with second tries": sunxi,
    "GRUB, devices by number": by_number,
    "Android, two trees": two_trees,
    "FIT, data outside": fit_outside,
    "VDI, packed": vdi,
    "NetBSD": netbsd,
    "FDTDIR, no board": fdtdir,
    "Raspberry Pi 5": raspberry5,
}

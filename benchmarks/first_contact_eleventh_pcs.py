# SPDX-License-Identifier: MIT
"""The other half of the eleventh set: PCs, disks of virtual machines, sticks; and the table of all twenty.

Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_disks import BIOS_BOOT, DATA, ESP, Part, gpt, own_uuid
from benchmarks.first_contact_distributions import Files, _unified
from benchmarks.first_contact_eleventh import (
    alpine_rpi,
    amlogic,
    android_update,
    fwup,
    mender,
    milkv,
    netgear,
    openbmc,
    sama5,
    stm32mp,
)
from benchmarks.first_contact_images import EFI, GRUB, Image, empty_root, fat, kernel, pair, tree, with_files
from benchmarks.first_contact_others import packed
from tests.sources import images

_UUID = "1f4c7a60-2b3d-4e5f-8a9b-0c1d2e3f4a5b"


def guix(at: Path) -> Image:
    """Guix: GRUB on a BIOS, everything in /gnu/store, `root=` with a bare UUID that its own first program reads."""
    store = "/gnu/store/0a1b2c3d4e5f6g7h8i9j0k1l2m3n4p5q-"
    line = f"root={_UUID} gnu.system={store}system gnu.load={store}system/boot modprobe.blacklist=radeon quiet"
    text = f'insmod part_gpt\nif [ "${{grub_platform}}" = efi ]; then\n  insmod efi_gop\nfi\nsearch --fs-uuid --set {_UUID}\nif loadfont {store}grub/unicode.pf2; then\n  set gfxmode=auto\n  terminal_output gfxterm\nfi\nset default=0\nset timeout=5\n'
    text += f'menuentry "GNU with Linux-Libre 6.10.10" {{\n  search --fs-uuid --set {_UUID}\n  linux {store}linux-libre-6.10.10/bzImage {line}\n  initrd {store}raw-initrd/initrd.cpio.gz\n}}\n\nsubmenu "GNU system, old configurations..." {{\nmenuentry "GNU with Linux-Libre 6.9 (#1)" {{\n  linux {store}linux-libre-6.9/bzImage x\n}}\n}}\n'
    files: Files = {
        "boot/grub/grub.cfg": text,
        f"{store[1:]}linux-libre-6.10.10/bzImage": kernel("taken"),
        f"{store[1:]}linux-libre-6.9/bzImage": kernel("older"),
        f"{store[1:]}raw-initrd/initrd.cpio.gz": packed("early"),
    }
    root = images.ext(at / "p", tree(at / "root", files, systemd=False), options=("-U", _UUID, "-L", "Guix_image"))
    disk = gpt(at / "guix.img", {1: Part(bytes(4096), BIOS_BOOT), 2: Part(root, DATA)})
    return Image((disk,), "taken", "early", line, 2)


def slackware(at: Path) -> Image:
    """Slackware by UEFI: ELILO's own file beside it on the EFI partition."""
    text = 'chooser=simple\ndelay=1\ntimeout=1\n#\nimage=vmlinuz\n\tlabel=vmlinuz\n\tinitrd=initrd.gz\n\tread-only\n\tappend="root=/dev/sda2 vga=normal"\nimage=huge\n\tlabel=huge\n\tread-only\n\tappend="root=/dev/sda2"\n'
    files: Files = {
        "EFI/Slackware/elilo.conf": text,
        "EFI/Slackware/elilo.efi": b"MZ",
        "EFI/Slackware/vmlinuz": kernel("taken"),
        "EFI/Slackware/huge": kernel("older"),
        "EFI/Slackware/initrd.gz": packed("early"),
    }
    disk = gpt(at / "slack.img", {1: Part(fat(at / "e", files), ESP), 2: Part(empty_root(at))})
    return Image((disk,), "taken", "early", "root=/dev/sda2 vga=normal ro", 2)


def _debian_disk(at: Path, name: str) -> tuple[Path, str]:
    line = f"root=UUID={_UUID} ro console=ttyS0"
    root = tree(at / "root", pair("boot/") | {"boot/grub/grub.cfg": GRUB.format("/boot", line)})
    file_system = images.ext(at / "p", root, options=("-U", _UUID))
    return images.gpt(at / name, [(b"r" * 16, "root", file_system), (EFI, "esp", fat(at / "e", {"x": "y"}))]), line


def azure(at: Path) -> Image:
    """Azure's disk: a VHD of fixed size, which is the disk's bytes and a footer."""
    disk, line = _debian_disk(at, "made.vhd")
    raw = disk.read_bytes()
    foot = struct.pack(">8sIIQI4sI4sQQIII", b"conectix", 2, 0x10000, 2**64 - 1, 0, b"wa  ", 0x70000, b"Wi2k", len(raw), len(raw), 0x03E90411, 2, 0)  # fmt: skip
    foot = foot.ljust(512, b"\0")
    disk.write_bytes(raw + foot[:64] + struct.pack(">I", ~sum(foot) & 0xFFFFFFFF) + foot[68:])
    return Image((disk,), "taken", "early", line, 1)


def backing(at: Path) -> Image:
    """A snapshot of a virtual machine: a qcow2 file that holds nothing but the name of the one behind it."""
    disk, _line = _debian_disk(at, "base.img")
    size = disk.stat().st_size
    head = bytearray(3 << 16)
    struct.pack_into(">4sIQIIQIIQQIIQ", head, 0, b"QFI\xfb", 3, 512, 8, 16, size, 0, 1, 1 << 16, 2 << 16, 1, 0, 0)
    struct.pack_into(">QQQII", head, 72, 0, 0, 0, 4, 104)
    head[512:520] = b"base.img"
    place = with_files(at, {"snapshot.qcow2": bytes(head)}) / "snapshot.qcow2"
    return Image((place,), refused="backing file, base.img", way="qemu-img convert -O raw")


def flat_vmdk(at: Path) -> Image:
    """VMware's disk in two files: a text that describes it, and its bytes beside it."""
    disk, _line = _debian_disk(at, "made-flat.vmdk")
    text = f'# Disk DescriptorFile\nversion=1\nencoding="UTF-8"\nCID=fffffffe\nparentCID=ffffffff\ncreateType="vmfs"\n\n# Extent description\nRW {disk.stat().st_size // 512} VMFS "made-flat.vmdk"\n\n# The Disk Data Base\nddb.adapterType = "lsilogic"\n'
    return Image((with_files(at, {"made.vmdk": text}) / "made.vmdk",), refused="VMDK", way="qemu-img convert -O raw")


def vma(at: Path) -> Image:
    """Proxmox' backup of a virtual machine."""
    data = b"VMA\0" + struct.pack(">I", 1) + bytes(12288)
    place = with_files(at, {"vzdump-qemu-100.vma": data}) / "vzdump-qemu-100.vma"
    return Image((place,), refused="Proxmox", way="vma extract")


def tails(at: Path) -> Image:
    """Tails' stick: GRUB in /EFI/debian names the stick by the UUID that it asks for."""
    text = 'if loadfont $prefix/unicode.pf2; then\n  set gfxmode=auto\nfi\nset default=0\nset timeout=4\nprobe --set=rootuuid --fs-uuid $root\n\nmenuentry "Tails" {\n  linux /live/vmlinuz initrd=/live/initrd.img boot=live config live-media=removable nopersistence noprompt splash noautologin module=Tails quiet FSUUID=${rootuuid}\n  initrd /live/initrd.img\n}\nmenuentry "Tails (Troubleshooting Mode)" {\n  linux /live/vmlinuz boot=live nosplash\n  initrd /live/initrd.img\n}\n'
    files: Files = {
        "EFI/debian/grub.cfg": text,
        "EFI/BOOT/BOOTX64.EFI": b"MZ",
        "live/vmlinuz": kernel("taken"),
        "live/initrd.img": packed("early"),
        "live/filesystem.squashfs": b"hsqs",
    }
    stick = fat(at / "e", files)
    serial = stick.read_bytes()[39:43][::-1].hex().upper()
    line = f"initrd=/live/initrd.img boot=live config live-media=removable nopersistence noprompt splash noautologin module=Tails quiet FSUUID={serial[:4]}-{serial[4:]}"
    disk = gpt(at / "tails.img", {1: Part(stick, ESP, "Tails")})
    return Image((disk,), "taken", "early", line, any_root=True)


def zfsbootmenu(at: Path) -> Image:
    """ZFSBootMenu: one program for UEFI that holds its own kernel and line, before a pool that cannot be read."""
    line = "ro quiet loglevel=4 zbm.import_policy=hostid"
    files: Files = {
        "EFI/ZBM/VMLINUZ.EFI": _unified("taken", "early", line),
        "EFI/ZBM/VMLINUZ-BACKUP.EFI": _unified("older", "early", line),
        "EFI/BOOT/BOOTX64.EFI": _unified("taken", "early", line),
    }
    pool = bytearray(4 << 20)
    # A label of ZFS: names and values, packed by XDR (nvlist).
    listed = b"\0\0\0\x04name\0\0\0\x09\0\0\0\x01\0\0\0\x05zroot\0\0\0" + b"pool_guid" + b"vdev_tree"
    pool[0x4000 : 0x4000 + len(listed)] = listed
    parts = {1: Part(fat(at / "e", files), ESP), 2: Part(bytes(pool), DATA.__class__("6a898cc3-1dd2-11b2-99a6-080020736631"), "zroot")}  # fmt: skip
    return Image((gpt(at / "zbm.img", parts),), "taken", "early", line, any_root=True, says=("ZFS",))


def ventoy(at: Path) -> Image:
    """Ventoy's stick: a menu of the ISO images on a file system that cannot be read."""
    exfat = bytearray(4 << 20)
    exfat[:11] = b"\xeb\x76\x90EXFAT   "
    exfat[510:512] = b"\x55\xaa"
    (at / "x").write_bytes(exfat)
    files: Files = {
        "EFI/BOOT/BOOTX64.EFI": b"MZ",
        "grub/grub.cfg": 'function ventoy_power {\n  configfile $prefix/power.cfg\n}\nset VENTOY_VERSION="1.0.99"\nset vtoy_img_count=0\n',
        "ventoy/ventoy.cpio": b"070701",
        "ventoy/ventoy_x64.efi": b"MZ",
    }
    disk = images.mbr(at / "stick.img", [(0x07, at / "x"), (0xEF, fat(at / "v", files))])
    return Image((disk,), refused="Ventoy", way="--from")


def balena(at: Path) -> Image:
    """balenaOS for a PC: a function that asks each partition for its label, the root by the UUID it finds."""
    text = "default=boot\ninsmod regexp\ninsmod probe\ntimeout=0\nresin_root_part=2\nupgrade_available=0\n\nload_env\n\nfunction get_root_uuid {\n regexp -s 1:bdrive -s 2:pscheme '^(hd.*),(msdos|gpt).*' $root\n for part in 1 2 3 4 5 6; do\n  probe --set rlabel --label (${bdrive},${pscheme}${part})\n  if test $rlabel == \"$1\"; then\n   probe --set root_uuid --fs-uuid (${bdrive},${pscheme}${part})\n   search --set root --fs-uuid ${root_uuid}\n   return\n  fi\n done\n}\n\n"
    text += 'menuentry \'boot\'{\nif [ ${resin_root_part} = 2 ] ; then\n get_root_uuid "resin-rootA"\nelse\n get_root_uuid "resin-rootB"\nfi\nlinux /boot/bzImage root=UUID=${root_uuid} rootwait quiet\n}\n\nmenuentry \'manualfallbackA\' {\n  get_root_uuid "resin-rootA"\n  linux /boot/bzImage root=UUID=${root_uuid} rootwait\n}\n'
    block = ("# GRUB Environment Block\nresin_root_part=3\n").ljust(1024, "#")
    files: Files = {"EFI/BOOT/grub.cfg": text, "EFI/BOOT/grubenv": block, "EFI/BOOT/bootx64.efi": b"MZ"}
    boot = fat(at / "e", files)
    # Without a label the unquoted word would vanish, and GRUB's test be true at once.
    subprocess.run(["mlabel", "-i", str(boot), "::resin-boot"], check=True)
    parts = {1: Part(boot, ESP, "resin-boot")}
    for number, letter, word in ((2, "A", "older"), (3, "B", "taken")):
        own = str(own_uuid(number + 40))
        root = tree(at / letter, {"boot/bzImage": kernel(word)})
        place = images.ext(at / f"p{letter}", root, options=("-U", own, "-L", f"resin-root{letter}"))
        parts[number] = Part(place, name=f"resin-root{letter}")
    line = f"root=UUID={own_uuid(43)} rootwait quiet"
    return Image((gpt(at / "balena.img", parts),), "taken", "", line, 3)


ELEVENTH: dict[str, Callable[[Path], Image]] = {
    "Guix": guix,
    "Slackware, ELILO": slackware,
    "Azure, fixed VHD": azure,
    "qcow2 before a base": backing,
    "VMDK in two files": flat_vmdk,
    "Proxmox' backup": vma,
    "Tails": tails,
    "ZFSBootMenu": zfsbootmenu,
    "Ventoy": ventoy,
    "balenaOS, function": balena,
    "STM32MP, script": stm32mp,
    "Amlogic, uEnv.txt": amlogic,
    "RISC-V, boot.sd": milkv,
    "SAMA5, overlay by #": sama5,
    "Netgear, TRX": netgear,
    "OpenBMC, flash": openbmc,
    "Android's update": android_update,
    "Mender's artifact": mender,
    "fwup": fwup,
    "Alpine, Raspberry Pi's tar": alpine_rpi,
}

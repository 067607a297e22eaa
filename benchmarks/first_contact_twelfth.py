# SPDX-License-Identifier: MIT
"""Twelve images of the eleventh set's classes and of others, made after that set had been mended.

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
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from benchmarks.first_contact_disks import DATA, ESP, XBOOTLDR, Part, gpt, own_uuid, script
from benchmarks.first_contact_distributions import Files
from benchmarks.first_contact_images import Image, card, empty_root, fat, kernel, tree, with_files
from benchmarks.first_contact_ninth import squash
from benchmarks.first_contact_others import packed
from benchmarks.first_contact_seventh import arm, board
from tests.mini_boards import mini_board_kernel
from tests.sources import images

from bootlab.model.system import Machine


def tplink(at: Path) -> Image:
    """A MIPS router's update by TP-Link: packed code without a name, and a SquashFS root; refused with its parts."""
    inside = lzma.compress(b"\x3c\x1a\x80\x00" * 4096, lzma.FORMAT_ALONE)
    root = squash(at, {}, "xz").read_bytes()
    head = bytearray(512)
    head[:24] = b"\0\0\0\1TP-LINK Technologies"
    second = -(-(512 + len(inside)) // 4096) * 4096
    struct.pack_into(">IIII", head, 0x80, 512, len(inside), second, len(root))
    data = (bytes(head) + inside).ljust(second, b"\0") + root
    place = with_files(at / "out", {"tl-made-sysupgrade.bin": data}) / "tl-made-sysupgrade.bin"
    return Image((place,), refused="router", way=f"skip={second}")


def clear(at: Path) -> Image:
    """Clear Linux: systemd-boot, the kernels on the boot partition in a folder of the distribution's."""
    name = "Clear-linux-native-6.9.{}"
    line = "root=PARTUUID={} quiet console=tty0 rw rootfstype=ext4,btrfs,xfs"
    entry = "title Clear Linux OS\nlinux /EFI/org.clearlinux/kernel-org.clearlinux.native.6.9.{0}\noptions {1}\n"
    own = own_uuid(2)
    files: Files = {"EFI/BOOT/BOOTX64.EFI": b"MZ", "loader/loader.conf": f"timeout 0\ndefault {name.format('8-1450')}\n"}  # fmt: skip
    for version, word in (("8-1450", "taken"), ("9-1451", "newer")):
        files[f"loader/entries/{name.format(version)}.conf"] = entry.format(version, line.format(own))
        files[f"EFI/org.clearlinux/kernel-org.clearlinux.native.6.9.{version}"] = kernel(word)
    disk = gpt(at / "clear.img", {1: Part(fat(at / "e", files), ESP), 2: Part(empty_root(at), DATA, own=own)})
    return Image((disk,), "taken", "", line.format(own), 2)


def _riscv(word: str) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        return mini_board_kernel(Path(scratch) / "k", Machine(arch="riscv64", type="virt"), word).read_bytes()


def visionfive(at: Path) -> Image:
    """A RISC-V board: SPL and U-Boot in partitions, extlinux with one tree per revision on the third one."""
    menu = "default l0\nmenu title U-Boot menu\nprompt 0\ntimeout 50\n\nlabel l0\n\tmenu label Made 12\n\tlinux /vmlinuz-6.6\n\tinitrd /initrd.img-6.6\n\tfdtdir /dtbs/6.6\n\tappend root=/dev/mmcblk1p4 rw console=tty0 console=ttyS0,115200 earlycon rootwait\n\nlabel l0r\n\tlinux /vmlinuz-6.6\n\tappend root=/dev/mmcblk1p4 single\n"
    files: Files = {
        "extlinux/extlinux.conf": menu,
        "uEnv.txt": "fdt_high=0xffffffffffffffff\nfdtfile=starfive/made-v1.3b.dtb\n",
        "vmlinuz-6.6": _riscv("taken"),
        "initrd.img-6.6": packed("early"),
        "dtbs/6.6/starfive/made-v1.2a.dtb": board("Made A"),
        "dtbs/6.6/starfive/made-v1.3b.dtb": board("Made B"),
    }
    parts = {1: Part(bytes(4096), UUID("2e54b353-1271-4842-806f-e436d6af6985"), "spl"), 2: Part(bytes(4096), UUID("bc13c2ff-59e6-4262-a352-b275fd6f7172"), "uboot")}  # fmt: skip
    parts |= {3: Part(fat(at / "b", files), ESP, "boot", attributes=4), 4: Part(empty_root(at), DATA, "root")}
    line = "root=/dev/mmcblk1p4 rw console=tty0 console=ttyS0,115200 earlycon rootwait"
    return Image((gpt(at / "sd.img", parts),), "taken", "early", line, 4, says=("made-v1",))


def windows(at: Path) -> Image:
    """Windows' disk: refused by its name."""
    ntfs = bytearray(2 << 20)
    ntfs[:11] = b"\xeb\x52\x90NTFS    "
    ntfs[510:512] = b"\x55\xaa"
    efi: Files = {"EFI/Microsoft/Boot/bootmgfw.efi": b"MZ", "EFI/BOOT/bootx64.efi": b"MZ"}
    parts = {1: Part(fat(at / "e", efi), ESP), 2: Part(bytes(1 << 20), UUID("e3c9e316-0b5c-4db8-817d-f92df00215ae")), 3: Part(bytes(ntfs), UUID("ebd0a0a2-b9e5-4433-87c0-68b6b72699c7"))}  # fmt: skip
    return Image((gpt(at / "win.img", parts),), refused="Windows", way="Linux")


def pi_zero(at: Path) -> Image:
    """A Raspberry Pi Zero W's card: sections of config.txt for other models, the kernel of this one."""
    config = "# made\n[pi3]\nkernel=kernel7.img\ninitramfs other followkernel\n[pi4]\nkernel=kernel8.img\n[pi0w]\nkernel=zero.img\ninitramfs rd.gz followkernel\n[all]\nenable_uart=1\ngpu_mem=16\n"
    line = "console=serial0,115200 console=tty1 root=PARTUUID=1234abcd-02 rootwait quiet"
    files: Files = {
        "config.txt": config,
        "cmdline.txt": f"{line}\n",
        "zero.img": arm("taken"),
        "kernel.img": arm("older"),
        "rd.gz": packed("early"),
        "bcm2708-rpi-zero-w.dtb": board("Raspberry Pi Zero W", "raspberrypi,model-zero-w"),
        "bootcode.bin": b"x",
        "start.elf": b"\x7fELF",
    }
    return Image((card(at, files, empty_root(at)),), "taken", "early", line, 2, tree="Raspberry Pi Zero W")


def coreboot(at: Path) -> Image:
    """A firmware's flash with Linux as its payload: refused with its name and the program that takes files out."""
    data = bytearray(b"\xff" * (8 << 20))
    data[0x200000:0x200010] = b"__FMAP__\1\1" + bytes(6)
    for place, name in ((0x210000, b"cbfs master header"), (0x220000, b"fallback/romstage"), (0x300000, b"fallback/payload")):  # fmt: skip
        head = b"LARCHIVE" + struct.pack(">IIII", 4096, 0x20, 0, 64) + name.ljust(40, b"\0")
        data[place : place + len(head)] = head
    place = with_files(at / "out", {"coreboot.rom": bytes(data)}) / "coreboot.rom"
    return Image((place,), refused="coreboot", way="cbfstool")


def batocera(at: Path) -> Image:
    """Batocera for a PC: Syslinux for both kinds of firmware, the system a SquashFS file beside the kernel."""
    menu = "UI menu.c32\n\nTIMEOUT 10\nTOTALTIMEOUT 300\n\nSAY Booting...\n\nLABEL batocera\n\tMENU LABEL Made (^normal)\n\tMENU DEFAULT\n\tLINUX /boot/linux\n\tAPPEND label=MADE console=tty3 quiet loglevel=0 vt.global_cursor_default=0\n\tINITRD /boot/initrd.gz\n\nLABEL verbose\n\tMENU lABEL Made (^verbose)\n\tLINUX /boot/linux\n\tAPPEND label=MADE vt.global_cursor_default=0\n\tINITRD /boot/initrd.gz\n"
    files: Files = {
        "boot/syslinux/syslinux.cfg": menu,
        "EFI/batocera/syslinux.cfg": menu,
        "EFI/BOOT/BOOTX64.EFI": b"MZ",
        "boot/linux": kernel("taken"),
        "boot/initrd.gz": packed("early"),
        "boot/batocera": b"hsqs",
        "batocera-boot.conf": "sharedevice=INTERNAL\n",
    }
    disk = images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), (0x83, images.ext(at / "p", with_files(at / "s", {"x": "y"})))])  # fmt: skip
    line = "label=MADE console=tty3 quiet loglevel=0 vt.global_cursor_default=0"
    return Image((disk,), "taken", "early", line, any_root=True)


def layerscape(at: Path) -> Image:
    """NXP's boards with ARM's cores: the script has the board's name in front of `_boot.scr`."""
    text = "part uuid $devtype $devnum:2 partuuid2\nsetenv bootargs console=ttyS0,115200 root=PARTUUID=$partuuid2 rw rootwait $othbootargs\nload $devtype $devnum:$distro_bootpart $kernel_addr_r /Image\nload $devtype $devnum:$distro_bootpart $fdt_addr_r /made-ls-rdb.dtb\nbooti $kernel_addr_r - $fdt_addr_r\n"
    files: Files = {
        "made_ls_rdb_boot.scr": script(text),
        "Image": kernel("taken", "arm64"),
        "made-ls-rdb.dtb": board("Made LS RDB"),
        "made-ls-qds.dtb": board("Made LS QDS"),
    }
    boot = images.ext(at / "boot", with_files(at / "b", files))
    disk = images.mbr(at / "sd.img", [(0x83, boot), (0x83, empty_root(at))])
    line = "console=ttyS0,115200 root=PARTUUID=1234abcd-02 rw rootwait"
    return Image((disk,), "taken", "", line, 2, tree="Made LS RDB")


def sitara(at: Path) -> Image:
    """TI's AM6: only loaders on FAT; U-Boot's program takes kernel and tree out of the root's /boot."""
    files: Files = {
        "boot/Image": kernel("taken", "arm64"),
        "boot/dtb/ti/k3-made-sk.dtb": board("Made SK"),
        "boot/dtb/ti/k3-made-evm.dtb": board("Made EVM"),
    }
    root = images.ext(at / "p", tree(at / "root", files))
    boot: Files = {"tiboot3.bin": bytes(4096), "tispl.bin": bytes(4096), "u-boot.img": bytes(4096), "uEnv.txt": "# This uEnv.txt file can contain additional environment settings\npsu_init=0\n"}  # fmt: skip
    disk = card(at, boot, root)
    return Image((disk,), "taken", "", "", 2, says=("k3-made-sk.dtb", "command line is not known"))


def onie(at: Path) -> Image:
    """A switch's installer: a shell script with a tar archive behind its last line."""
    inner = io.BytesIO()
    with tarfile.open(fileobj=inner, mode="w") as archive:
        info = tarfile.TarInfo("installer/install.sh")
        archive.addfile(info, io.BytesIO())
    text = "#!/bin/sh\n# Made ONIE installer\necho -n \"Verifying image checksum ...\"\nsha1=$(sed -e '1,/^exit_marker$/d' \"$0\" | sha1sum | awk '{ print $1 }')\ntmp_dir=$(mktemp -d)\nsed -e '1,/^exit_marker$/d' $0 | tar xf - -C $tmp_dir\n$tmp_dir/installer/install.sh\nexit $rc\nexit_marker\n"
    place = with_files(at / "out", {"onie-installer-x86_64-made-r0.bin": text.encode() + inner.getvalue()}) / "onie-installer-x86_64-made-r0.bin"  # fmt: skip
    return Image((place,), refused="installer", way="tar -x")


def zboot(at: Path) -> Image:
    """Fedora on arm64: the kernel is an EFI program that unpacks itself (zboot), named by an entry on /boot."""
    inside = gzip.compress(kernel("taken", "arm64"), mtime=0)
    head = bytearray(0x1000)
    head[:8] = b"MZ\0\0zimg"
    struct.pack_into("<II", head, 8, 0x1000, len(inside))
    head[24:28] = b"gzip"
    head[60:64] = (64).to_bytes(4, "little")
    head[64:70] = b"PE\0\0" + struct.pack("<H", 0xAA64)
    entry = "title Made (6.11)\nversion 6.11\nlinux /vmlinuz-6.11\ninitrd /initramfs-6.11.img\noptions root=UUID=7b ro rhgb $tuned_params\ngrub_users $grub_users\n"
    files: Files = {
        "grub2/grub.cfg": 'set default="0"\nset tuned_params=""\ninsmod blscfg\nblscfg\n',
        "loader/entries/0a-6.11.conf": entry,
        "vmlinuz-6.11": bytes(head) + inside,
        "initramfs-6.11.img": packed("early"),
    }
    stub = "search --no-floppy --fs-uuid --set=dev 5c\nset prefix=($dev)/grub2\nexport $prefix\nconfigfile $prefix/grub.cfg\n"
    efi: Files = {"EFI/fedora/grub.cfg": stub, "EFI/BOOT/BOOTAA64.EFI": b"MZ"}
    boot = images.ext(at / "boot", with_files(at / "b", files))
    parts = {1: Part(fat(at / "e", efi), ESP), 2: Part(boot, XBOOTLDR), 3: Part(empty_root(at))}
    return Image((gpt(at / "f.raw", parts),), "taken", "early", "root=UUID=7b ro rhgb", any_root=True)


def packed_qcow2(at: Path) -> Image:
    """A cloud image as it is downloaded: a qcow2 file, packed with xz."""
    line = "root=LABEL=cloud ro console=ttyS0"
    menu = f"set timeout=0\nmenuentry 'Cloud' {{\n linux /boot/vmlinuz {line}\n initrd /boot/initrd.img\n}}\n"
    files: Files = {"boot/grub/grub.cfg": menu, "boot/vmlinuz": kernel("taken"), "boot/initrd.img": packed("early")}
    root = images.ext(at / "p", tree(at / "root", files), options=("-L", "cloud"))
    disk = images.qcow2(at / "c.qcow2", images.mbr(at / "d.img", [(0x83, root)]).read_bytes())
    place = with_files(at / "out", {"cloud.qcow2.xz": lzma.compress(disk.read_bytes())}) / "cloud.qcow2.xz"
    return Image((place,), "taken", "early", line, 1)


TWELFTH: dict[str, Callable[[Path], Image]] = {
    "TP-Link, MIPS": tplink,
    "Clear Linux": clear,
    "RISC-V, extlinux": visionfive,
    "Windows": windows,
    "Raspberry Pi Zero W": pi_zero,
    "coreboot": coreboot,
    "Batocera": batocera,
    "Layerscape": layerscape,
    "TI, AM6": sitara,
    "ONIE's installer": onie,
    "zboot by an entry": zboot,
    "qcow2.xz": packed_qcow2,
}

# SPDX-License-Identifier: MIT
"""Ten images of the ninth set's classes and of other members of them, made after that set had been mended.

Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_disks import script
from benchmarks.first_contact_distributions import Files
from benchmarks.first_contact_images import Image, fat, initrd, kernel, with_files
from benchmarks.first_contact_ninth import squash
from benchmarks.first_contact_others import packed
from benchmarks.first_contact_seventh import arm, board
from tests.sources import images
from tests.sources.iso_images import iso


def ubuntu_server(at: Path) -> Image:
    """Ubuntu's server ISO: GRUB alone, for both kinds of firmware; the line is `---`."""
    menu = 'set timeout=30\n\nloadfont unicode\n\nset menu_color_normal=white/black\n\nmenuentry "Try or Install Ubuntu Server" {\n\tset gfxpayload=keep\n\tlinux\t/casper/vmlinuz  ---\n\tinitrd\t/casper/initrd\n}\n'
    menu += "grub_platform\nif [ \"$grub_platform\" = \"efi\" ]; then\nmenuentry 'Boot from next volume' {\n\texit 1\n}\nelse\nmenuentry 'Test memory' {\n\tlinux16 /boot/memtest86+x64.bin\n}\nfi\n"
    files: Files = {
        "boot/grub/grub.cfg": menu,
        "casper/vmlinuz": kernel("taken"),
        "casper/initrd": packed("early"),
        "casper/filesystem.squashfs": b"hsqs",
    }
    return Image((iso(at / "u.iso", files, "Ubuntu-Server 24.04 LTS amd64"),), "taken", "early", "---", any_root=True)


def opensuse(at: Path) -> Image:
    """openSUSE's installation ISO: isolinux in a folder deep down, paths relative to it; GRUB's line for UEFI is alike."""
    bios = "default linux\n\nlabel linux\n  kernel linux\n  append initrd=initrd splash=silent showopts\n\nlabel rescue\n  kernel linux\n  append initrd=initrd splash=silent rescue=1 showopts\n\nlabel harddisk\n  localboot 0x80\nui gfxboot bootlogo message\nimplicit 1\nprompt 1\ntimeout 600\n"
    efi = "set default=1\nmenuentry 'Boot from Hard Disk' {\n  exit\n}\nmenuentry 'Installation' --class opensuse {\n  set gfxpayload=keep\n  linux /boot/x86_64/loader/linux splash=silent\n  initrd /boot/x86_64/loader/initrd\n}\n"
    files: Files = {
        "boot/x86_64/loader/isolinux.cfg": bios,
        "EFI/BOOT/grub.cfg": efi,
        "boot/x86_64/loader/linux": kernel("taken"),
        "boot/x86_64/loader/initrd": initrd("early"),
    }
    return Image(
        (iso(at / "o.iso", files, "openSUSE-Leap-15.6-DVD"),),
        "taken",
        "early",
        "splash=silent showopts",
        any_root=True,
        says=("grub.cfg",),
    )


def alpine_iso(at: Path) -> Image:
    """Alpine's ISO: Syslinux for a BIOS, GRUB for UEFI, the same line."""
    line = "modules=loop,squashfs,sd-mod,usb-storage quiet"
    files: Files = {
        "boot/syslinux/syslinux.cfg": f"TIMEOUT 10\nPROMPT 1\nDEFAULT lts\n\nLABEL lts\nMENU LABEL Linux lts\nKERNEL /boot/vmlinuz-lts\nINITRD /boot/initramfs-lts\nFDTDIR /boot/dtbs-lts\nAPPEND {line}\n"
    }
    files["boot/grub/grub.cfg"] = (
        f'set timeout=1\n\nmenuentry "Linux lts" {{\nlinux\t/boot/vmlinuz-lts {line}\ninitrd\t/boot/initramfs-lts\n}}\n'
    )
    files |= {
        "boot/vmlinuz-lts": kernel("taken"),
        "boot/initramfs-lts": initrd("early"),
        "boot/modloop-lts": b"hsqs",
        ".alpine-release": "alpine-standard 3.20\n",
    }
    return Image(
        (iso(at / "a.iso", files, "alpine-std 3.20.3 x86_64"),),
        "taken",
        "early",
        line,
        any_root=True,
        says=("grub.cfg",),
        never=("takes the device tree",),
    )


def sunxi(at: Path) -> Image:
    """OpenWrt for Allwinner's boards: a script that asks for the root's UUID, a SquashFS root on the card."""
    text = "setenv fdt_high ffffffff\nsetenv mmc_rootpart 2\npart uuid mmc ${mmc_bootdev}:${mmc_rootpart} uuid\nsetenv loadkernel fatload mmc \\$mmc_bootdev \\$kernel_addr_r uImage\nsetenv loaddtb fatload mmc \\$mmc_bootdev \\$fdt_addr_r dtb\n"
    text += "setenv bootargs console=ttyS0,115200 earlyprintk root=PARTUUID=${uuid} rootwait\nsetenv uenvcmd run loadkernel \\&\\& run loaddtb \\&\\& bootm \\$kernel_addr_r - \\$fdt_addr_r\nrun uenvcmd\n"
    data = arm("taken")
    head = struct.pack(
        ">7I4B32s", 0x27051956, 0, 0, len(data), 0x40008000, 0x40008000, 0, 5, 2, 2, 0, b"ARM OpenWrt Linux-6.6"
    )
    files: Files = {"boot.scr": script(text), "uImage": head + data, "dtb": board("Made H3")}
    disk = images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), (0x83, squash(at, {}, "xz"))])
    return Image(
        (disk,), "taken", "", "console=ttyS0,115200 earlyprintk root=PARTUUID=1234abcd-02 rootwait", 2, tree="Made H3"
    )


def squash_alone(at: Path) -> Image:
    """A SquashFS root as a file of its own, and its kernel: the root is the whole medium, and no line is known."""
    place = with_files(at, {"bzImage": kernel("taken")}) / "bzImage"
    return Image(
        (place, squash(at, {}, "zstd")),
        "taken",
        "",
        "",
        0,
        says=("command line is not known",),
        keeps=("root=/dev/vda",),
    )


def core(at: Path) -> Image:
    """Tiny Core's ISO with bare names: isolinux in /boot/isolinux."""
    text = "display boot.msg\ndefault microcore\nlabel microcore\n\tkernel /boot/vmlinuz\n\tinitrd /boot/core.gz\n\tappend loglevel=3 cde\n\nlabel mc\n\tkernel /boot/vmlinuz\n\tappend initrd=/boot/core.gz loglevel=3\nimplicit 0\nprompt 1\ntimeout 300\n"
    files: Files = {
        "boot/isolinux/isolinux.cfg": text,
        "boot/vmlinuz": kernel("taken"),
        "boot/core.gz": initrd("early"),
    }
    return Image((iso(at / "c.iso", files, "Core", names="bare"),), "taken", "early", "loglevel=3 cde", any_root=True)


def swu(at: Path) -> Image:
    """SWUpdate's archive: refused, with the command that unpacks it and the image that its description names."""
    text = 'software =\n{\n\tversion = "1.2";\n\timages: (\n\t\t{\n\t\t\tfilename = "made-rootfs.ext4.gz";\n\t\t\ttype = "raw";\n\t\t\tcompressed = "zlib";\n\t\t\tdevice = "/dev/mmcblk0p3";\n\t\t}\n\t);\n}\n'
    body = b""
    for name, data in (
        ("sw-description", text.encode()),
        ("made-rootfs.ext4.gz", gzip.compress(bytes(4096), mtime=0)),
        ("TRAILER!!!", b""),
    ):
        fields = [0, 0o100644, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070702" + b"".join(b"%08X" % value for value in fields) + name.encode() + b"\0"
        body += head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)
    return Image((with_files(at, {"u.swu": body}) / "u.swu",), refused="SWUpdate", way="--from made-rootfs.ext4.gz")


def hybrid(at: Path) -> Image:
    """An ISO image with a partition table for sticks: the EFI partition's own menu goes over to the one on the ISO."""
    line = "boot=live live-media-path=/made quiet"
    menu = f"set default=one\nmenuentry 'Other' --id other {{\n linux /made/vmlinuz boot=live other\n initrd /made/initrd\n}}\nmenuentry 'One' --id one {{\n linux /made/vmlinuz {line}\n initrd /made/initrd\n}}\n"
    files: Files = {
        "boot/grub/grub.cfg": menu,
        ".disk/info": "Made 1",
        "made/vmlinuz": kernel("taken"),
        "made/initrd": initrd("early"),
    }
    image = iso(at / "h.iso", files, "MADE_1")
    own = "search --file --set=root /.disk/info\nset prefix=($root)/boot/grub\nconfigfile ($root)/boot/grub/grub.cfg\n"
    efi = fat(at / "e", {"EFI/BOOT/grub.cfg": own, "EFI/BOOT/bootx64.efi": b"MZ"}, 4).read_bytes()
    data = bytearray(image.read_bytes())
    data += bytes(-len(data) % (1 << 20))
    start, whole = len(data) // 512, (len(data) + len(efi)) // 512
    struct.pack_into("<BxxxBxxxII", data, 446, 0x80, 0, 0, whole)
    struct.pack_into("<BxxxBxxxII", data, 462, 0, 0xEF, start, len(efi) // 512)
    data[510:512] = b"\x55\xaa"
    image.write_bytes(bytes(data) + efi)
    return Image((image,), "taken", "early", line, any_root=True, never=("no kind that is known",))


def inside_squash(at: Path) -> Image:
    """A card whose only partition is a SquashFS with extlinux' menu, kernel and trees in it."""
    menu = "timeout 1\ndefault l0\nlabel l0\n\tmenu label Made\n\tlinux /boot/Image\n\tfdt /boot/dtbs/made.dtb\n\tappend root=/dev/mmcblk1p1 ro rootwait console=ttyS2,1500000\n"
    files: Files = {
        "boot/extlinux/extlinux.conf": menu,
        "boot/Image": kernel("taken", "arm64"),
        "boot/dtbs/made.dtb": board("Made Sq"),
    }
    return Image(
        (images.mbr(at / "d.img", [(0x83, squash(at, files, "lzo"))]),),
        "taken",
        "",
        "root=/dev/mmcblk1p1 ro rootwait console=ttyS2,1500000",
        1,
        tree="Made Sq",
    )


def boot_stick(at: Path) -> Image:
    """A stick with a kernel whose root lies on another disk: GRUB on FAT, and no root on the stick."""
    line = "root=UUID=5d0c1f9e-aaaa-4bbb-8ccc-0123456789ab ro quiet"
    files: Files = {
        "boot/grub/grub.cfg": f"menuentry 'Made' {{\n linux /vmlinuz {line}\n initrd /initrd.img\n}}\n",
        "vmlinuz": kernel("taken"),
        "initrd.img": initrd("early"),
        "EFI/BOOT/BOOTX64.EFI": b"MZ",
    }
    disk = images.mbr(at / "d.img", [(0xEF, fat(at / "b", files))])
    return Image((disk,), "taken", "early", line, any_root=True, keeps=("root=UUID=5d0c1f9e",), says=("--from DISK",))


TENTH: dict[str, Callable[[Path], Image]] = {
    "Ubuntu server, ISO": ubuntu_server,
    "openSUSE, ISO": opensuse,
    "Alpine, ISO": alpine_iso,
    "OpenWrt, sunxi": sunxi,
    "SquashFS alone": squash_alone,
    "Tiny Core, bare names": core,
    "SWUpdate": swu,
    "hybrid ISO, EFI's menu": hybrid,
    "extlinux in SquashFS": inside_squash,
    "stick for another disk": boot_stick,
}

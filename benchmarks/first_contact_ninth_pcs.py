# SPDX-License-Identifier: MIT
"""Twelve of the ninth set: ISO images, SquashFS roots and floppies for PCs; and the table of all twenty.

Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_disks import ESP, ROOT_X86_64, Part, gpt, own_uuid
from benchmarks.first_contact_distributions import Files, _unified
from benchmarks.first_contact_images import Image, fat, initrd, kernel, with_files
from benchmarks.first_contact_ninth import (
    appended,
    by_soc,
    devicetree_key,
    flash_arm,
    petalinux,
    rauc_slots,
    raucb,
    squash,
    zipped,
)
from benchmarks.first_contact_others import packed
from tests.sources import images
from tests.sources.iso_images import iso


def debian_live(at: Path) -> Image:
    """Debian's live ISO: isolinux for a BIOS with an included menu, GRUB for UEFI, with another line."""
    line = "boot=live components quiet splash findiso=${iso_path}"
    bios = "label live-amd64\n\tmenu label ^Live system (amd64)\n\tmenu default\n\tlinux /live/vmlinuz-6.1\n\tinitrd /live/initrd.img-6.1\n\tappend boot=live components quiet splash\n"
    files: Files = {
        "isolinux/isolinux.cfg": "include menu.cfg\ndefault vesamenu.c32\nprompt 0\ntimeout 0\n",
        "isolinux/menu.cfg": "menu hshift 0\ninclude live.cfg\n",
    }
    files |= {
        "isolinux/live.cfg": bios,
        "live/vmlinuz-6.1": kernel("taken"),
        "live/initrd.img-6.1": packed("early"),
        "live/filesystem.squashfs": b"hsqs",
    }
    files["boot/grub/grub.cfg"] = (
        f'menuentry "Live system (amd64)" {{\n  linux  /live/vmlinuz-6.1 {line}\n  initrd /live/initrd.img-6.1\n}}\n'
    )
    image = iso(at / "live.iso", files, "d-live 12.5.0")
    return Image(
        (image,),
        "taken",
        "early",
        "boot=live components quiet splash",
        any_root=True,
        says=("/boot/grub/grub.cfg",),
        never=("no root= was added: none",),
    )


def arch_iso(at: Path) -> Image:
    """Arch's ISO: entries of systemd-boot for UEFI, Syslinux for a BIOS; one line, and the medium found by its UUID."""
    line = "archisobasedir=arch archisosearchuuid=2024-08-01-10-00-00-00"
    entry = "title {}\nsort-key {}\nlinux /arch/boot/x86_64/vmlinuz-linux\ninitrd /arch/boot/x86_64/initramfs-linux.img\noptions {} {}\n"
    files: Files = {
        "loader/loader.conf": "timeout 15\ndefault 01-archiso-linux.conf\n",
        "loader/entries/01-archiso-linux.conf": entry.format("Arch Linux install medium", "01", line, ""),
    }
    files["loader/entries/02-archiso-speech-linux.conf"] = entry.format(
        "Arch Linux with speech", "02", line, "accessibility=on"
    )
    files["boot/syslinux/archiso_sys-linux.cfg"] = (
        f"LABEL arch\nMENU LABEL Arch Linux install medium (BIOS)\nLINUX /arch/boot/x86_64/vmlinuz-linux\nINITRD /arch/boot/x86_64/initramfs-linux.img\nAPPEND {line}\n"
    )
    files["boot/syslinux/syslinux.cfg"] = "DEFAULT arch\nINCLUDE archiso_sys-linux.cfg\n"
    files |= {
        "arch/boot/x86_64/vmlinuz-linux": kernel("taken"),
        "arch/boot/x86_64/initramfs-linux.img": initrd("early"),
    }
    return Image(
        (iso(at / "arch.iso", files, "ARCH_202408"),), "taken", "early", line, any_root=True, says=("syslinux.cfg",)
    )


def anaconda(at: Path) -> Image:
    """Fedora's installation ISO: only GRUB's menu in EFI/BOOT; stage 2 by the medium's label; Joliet's names."""
    line = "inst.stage2=hd:LABEL=Fedora-S-dvd-x86_64-40 rd.live.check quiet"
    menu = "set default=\"1\"\nfunction load_video {\n  insmod all_video\n}\nsearch --no-floppy --set=root -l 'Fedora-S-dvd-x86_64-40'\n"
    menu += f"menuentry 'Install' --class fedora {{\n\tlinuxefi /images/pxeboot/vmlinuz {line.replace(' rd.live.check', '')}\n\tinitrdefi /images/pxeboot/initrd.img\n}}\n"
    menu += f"menuentry 'Test this media & install' --class fedora {{\n\tlinuxefi /images/pxeboot/vmlinuz {line}\n\tinitrdefi /images/pxeboot/initrd.img\n}}\n"
    files: Files = {
        "EFI/BOOT/grub.cfg": menu,
        "images/pxeboot/vmlinuz": kernel("taken"),
        "images/pxeboot/initrd.img": initrd("early"),
    }
    return Image(
        (iso(at / "f.iso", files, "Fedora-S-dvd-x86_64-40", names="joliet"),), "taken", "early", line, any_root=True
    )


def no_linux(at: Path) -> Image:
    """An ISO image without a kernel (drivers for a virtual machine): refused by its name."""
    return Image(
        (iso(at / "tools.iso", {"NetKVM/w10/netkvm.sys": b"MZ", "readme.txt": "x"}, "virtio-win"),),
        refused="ISO image",
        way="disk image",
        never=("live system",),
    )


def openwrt_squashfs(at: Path) -> Image:
    """OpenWrt for PCs, `squashfs-combined`: GRUB on ext4, the root a SquashFS partition, xz."""
    line = "root=PARTUUID=1234abcd-02 rootwait console=tty0 console=ttyS0,115200n8 noinitrd"
    menu = 'serial --unit=0 --speed=115200\nset default="0"\nset timeout="5"\nset root=\'(hd0,msdos1)\'\n'
    menu += f'menuentry "OpenWrt" {{\n\tlinux /boot/vmlinuz {line}\n}}\nmenuentry "OpenWrt (failsafe)" {{\n\tlinux /boot/vmlinuz failsafe=true {line}\n}}\n'
    boot = images.ext(at / "b", with_files(at / "boot", {"boot/grub/grub.cfg": menu, "boot/vmlinuz": kernel("taken")}))
    disk = images.mbr(at / "d.img", [(0x83, boot), (0x83, squash(at, {}, "xz"))])
    return Image((disk,), "taken", "", line, 2, never=("does not read the files", "nothing that is known"))


def vyos(at: Path) -> Image:
    """VyOS: GRUB's menu in pieces that a loop sources, a version's folder on one partition, no root= on the line."""
    top = 'load_env\ninsmod regexp\n\nfor cfgfile in ${prefix}/grub.cfg.d/*-autoload.cfg\ndo\n    source ${cfgfile}\ndone\n\nfor cfgfile in ${prefix}/grub.cfg.d/vyos-versions/*.cfg\ndo\n    source "${cfgfile}"\ndone\n'
    own = "set default=aaaa\nset timeout=5\nset console_type=ttyS\nset console_num=0\nset console_speed=115200\nset bootmode=normal\n"
    version = 'menuentry "{0}" --id {1} {{\n    set boot_opts="boot=live rootdelay=5 noautologin net.ifnames=0 biosdevname=0 vyos-union=/boot/{0}"\n    if [ "${{console_type}}" == "ttyS" ]; then\n        set boot_opts="${{boot_opts}} console=tty0 console=ttyS${{console_num}},${{console_speed}}"\n    fi\n    linux "/boot/{0}/vmlinuz" ${{boot_opts}}\n    initrd "/boot/{0}/initrd.img"\n}}\n'
    files: Files = {"boot/grub/grub.cfg": top, "boot/grub/grub.cfg.d/10-vyos-defaults-autoload.cfg": own}
    for name, ident, word in (("1.4.0", "bbbb", "older"), ("1.5.2", "aaaa", "taken")):
        files |= {
            f"boot/grub/grub.cfg.d/vyos-versions/{name}.cfg": version.format(name, ident),
            f"boot/{name}/vmlinuz": kernel(word),
        }
        files |= {
            f"boot/{name}/initrd.img": initrd("early" if word == "taken" else "other"),
            f"boot/{name}/{name}.squashfs": b"hsqs",
        }
    parts = {
        1: Part(b"\0" * 4096, ESP.__class__("21686148-6449-6e6f-744e-656564454649")),
        2: Part(fat(at / "e", {"EFI/debian/grubx64.efi": b"MZ"}), ESP),
    }
    parts[3] = Part(images.ext(at / "p", with_files(at / "root", files), options=("-L", "persistence")))
    line = "boot=live rootdelay=5 noautologin net.ifnames=0 biosdevname=0 vyos-union=/boot/1.5.2 console=tty0 console=ttyS0,115200"
    return Image((gpt(at / "d.img", parts),), "taken", "early", line, any_root=True)


def proxmox(at: Path) -> Image:
    """Proxmox VE on ZFS: kernels on the EFI partition by proxmox-boot-tool, the root a pool that is not read."""
    entry = "title Proxmox Virtual Environment\nversion {0}\noptions root=ZFS=rpool/ROOT/pve-1 boot=zfs\nlinux /EFI/proxmox/{0}/vmlinuz-{0}\ninitrd /EFI/proxmox/{0}/initrd.img-{0}\n"
    files: Files = {"loader/loader.conf": "timeout 3\ndefault proxmox-*\n"}
    for version, word in (("6.5.13-5-pve", "older"), ("6.8.4-2-pve", "taken")):
        files |= {
            f"loader/entries/proxmox-{version}.conf": entry.format(version),
            f"EFI/proxmox/{version}/vmlinuz-{version}": kernel(word),
        }
        files[f"EFI/proxmox/{version}/initrd.img-{version}"] = packed("early" if word == "taken" else "other")
    pool = b"rpool"
    label = struct.pack(">I", 4) + b"name" + struct.pack(">III", 9, 1, len(pool)) + pool + bytes(3)
    data = (
        bytes(0x4000)
        + b"\1\1\0\0"
        + label
        + b"".join(struct.pack(">I", 9) + key.ljust(12, b"\0") for key in (b"pool_guid", b"vdev_tree"))
    )
    parts = {
        1: Part(b"\0" * 4096, ESP.__class__("21686148-6449-6e6f-744e-656564454649")),
        2: Part(fat(at / "e", files, 16), ESP),
        3: Part(data.ljust(6 << 20, b"\0"), ESP.__class__("6a898cc3-1dd2-11b2-99a6-080020736631")),
    }
    return Image(
        (gpt(at / "d.img", parts),),
        "taken",
        "early",
        "root=ZFS=rpool/ROOT/pve-1 boot=zfs",
        3,
        keeps=("root=ZFS=rpool/ROOT/pve-1",),
    )


def talos(at: Path) -> Image:
    """Talos Linux with GRUB: menu and both slots on the XFS-like BOOT partition (ext4 here); the default by its title."""
    line = "talos.platform=metal console=tty0 init_on_alloc=1 slab_nomerge pti=on ima_hash=sha512"
    menu = 'set default="B - Talos v1.7.1"\nset fallback="A - Talos v1.6.4"\nset timeout=3\ninsmod all_video\nterminal_input console\n'
    for slot, version, extra in (("A", "v1.6.4", " old=1"), ("B", "v1.7.1", "")):
        menu += f'menuentry "{slot} - Talos {version}" {{\n  set gfxmode=auto\n  linux /{slot}/vmlinuz {line}{extra}\n  initrd /{slot}/initramfs.xz\n}}\n'
    menu += 'menuentry "Reset Talos installation and return to maintenance mode" {\n  linux /B/vmlinuz talos.experimental.wipe=system\n  initrd /B/initramfs.xz\n}\n'
    files: Files = {
        "grub/grub.cfg": menu,
        "A/vmlinuz": kernel("older"),
        "A/initramfs.xz": initrd("other"),
        "B/vmlinuz": kernel("taken"),
        "B/initramfs.xz": packed("early"),
    }
    parts = {
        1: Part(fat(at / "e", {"EFI/boot/BOOTX64.EFI": b"MZ"}), ESP, "EFI"),
        2: Part(b"\0" * 4096, ESP.__class__("21686148-6449-6e6f-744e-656564454649"), "BIOS"),
    }
    parts |= {
        3: Part(images.ext(at / "p", with_files(at / "boot", files), options=("-L", "BOOT")), name="BOOT"),
        4: Part(b"\0" * (1 << 20), name="META"),
        5: Part(b"\0" * (1 << 20), name="STATE"),
    }
    return Image((gpt(at / "d.img", parts),), "taken", "early", line, any_root=True)


def libreelec(at: Path) -> Image:
    """LibreELEC for PCs: Syslinux in the root folder, the initramfs inside KERNEL, the root a file (SYSTEM)."""
    line = "boot=UUID=1203-2847 disk=UUID=9f0b quiet"
    files: Files = {
        "syslinux.cfg": f"SAY Press tab\nDEFAULT linux\nPROMPT 0\nLABEL linux\n KERNEL /KERNEL\n APPEND {line}\n",
        "KERNEL": kernel("taken"),
        "SYSTEM": b"hsqs".ljust(4096, b"\1"),
    }
    data = images.ext(at / "s", with_files(at / "storage", {"x": "y"}), options=("-L", "STORAGE"))
    return Image(
        (images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), (0x83, data)]),),
        "taken",
        "",
        line,
        any_root=True,
        loses=("root=",),
    )


def esp_alone(at: Path) -> Image:
    """mkosi's EFI partition as a file of its own (`--split-artifacts`): a unified image by its default name."""
    line = "root=PARTLABEL=root rw"
    return Image(
        (
            fat(
                at / "image.esp.raw",
                {
                    "EFI/BOOT/BOOTX64.EFI": b"MZ",
                    "EFI/Linux/made_1.2.efi": _unified("taken", "early", line),
                    "loader/loader.conf": "timeout 3\n",
                },
            ),
        ),
        "taken",
        "early",
        line,
        any_root=True,
    )


def floppy(at: Path) -> Image:
    """A floppy without a partition table: Syslinux, a kernel, an initramfs."""
    files: Files = {
        "syslinux.cfg": "DEFAULT floppinux\nLABEL floppinux\nSAY [ BOOTING ]\nKERNEL bzImage\nINITRD rootfs.gz\nAPPEND root=/dev/ram rdinit=/etc/init.d/rc console=tty0 tsc=unstable\n",
        "bzImage": kernel("taken"),
        "rootfs.gz": initrd("early"),
    }
    return Image(
        (fat(at / "f.img", files, 3),),
        "taken",
        "early",
        "root=/dev/ram rdinit=/etc/init.d/rc console=tty0 tsc=unstable",
        any_root=True,
        keeps=("root=/dev/ram",),
    )


def squash_root_pc(at: Path) -> Image:
    """A read-only Yocto image for PCs: GRUB on the EFI partition, kernel beside it, a SquashFS root by /dev/sda2."""
    menu = "default=boot\ntimeout=10\nmenuentry 'boot'{\nlinux /bzImage root=/dev/sda2 rootwait console=ttyS0,115200 rootfstype=squashfs ro\n}\n"
    parts = {
        1: Part(
            fat(at / "e", {"EFI/BOOT/grub.cfg": menu, "EFI/BOOT/bootx64.efi": b"MZ", "bzImage": kernel("taken")}), ESP
        ),
        2: Part(squash(at, {}, "lz4"), ROOT_X86_64, own=own_uuid(2)),
    }
    line = "root=/dev/sda2 rootwait console=ttyS0,115200 rootfstype=squashfs ro"
    return Image((gpt(at / "d.img", parts),), "taken", "", line, 2, keeps=("root=/dev/vda2",))


NINTH: dict[str, Callable[[Path], Image]] = {
    "Debian live, ISO": debian_live,
    "Arch, ISO": arch_iso,
    "Fedora's installer, Joliet": anaconda,
    "OpenWrt, squashfs": openwrt_squashfs,
    "RAUC, SquashFS slots": rauc_slots,
    "Image with a tree behind": appended,
    "FDTDIR by soc and board": by_soc,
    "VyOS": vyos,
    "Proxmox, ZFS": proxmox,
    "Talos": talos,
    "LibreELEC": libreelec,
    "PetaLinux": petalinux,
    "zip archive": zipped,
    "EFI partition alone": esp_alone,
    "floppy": floppy,
    "devicetree of an entry": devicetree_key,
    "ISO without Linux": no_linux,
    "RAUC's bundle": raucb,
    "flash of an arm router": flash_arm,
    "Yocto, SquashFS root": squash_root_pc,
}

# SPDX-License-Identifier: MIT
"""The seventh set's PCs: live media with menus of their own places, loaders behind loaders, what no loader here boots.

Truth by the loaders' manuals and sources, written before bootlab read one of them.
"""

# ruff: noqa: E501 - menus and scripts stand as their loaders have them

from __future__ import annotations

import io
import struct
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

from benchmarks.first_contact_disks import BIOS_BOOT, ESP, Part, active, gpt, own_uuid, program
from benchmarks.first_contact_distributions import Files, block
from benchmarks.first_contact_images import Image, empty_root, fat, initrd, kernel, tree, with_files
from benchmarks.first_contact_others import packed
from benchmarks.first_contact_seventh import SEVENTH_BOARDS
from tests.sources import images

_UUID = "2f9c7be4-65a0-4c55-8b0e-3f1d5a7c9e33"
_OTHER = "91b4d2c8-0d5e-47b7-b1a7-62c8e0f4a555"


def slax(at: Path) -> Image:
    """Slax on a stick: Syslinux' menu in the folder of the system, beside its kernel."""
    menu = "PROMPT 0\nTIMEOUT 40\nUI /slax/boot/vesamenu.c32\n\nLABEL default\nMENU LABEL Run Slax\nKERNEL /slax/boot/vmlinuz\n"
    line = "vga=normal load_ramdisk=1 prompt_ramdisk=0 rw printk.time=0 slax.flags=perch,xmode"
    menu += f"APPEND initrd=/slax/boot/initrfs.img {line}\n\nLABEL live\nKERNEL /slax/boot/vmlinuz\nAPPEND initrd=/slax/boot/initrfs.img x=y\n"
    files: Files = {
        "slax/boot/syslinux.cfg": menu,
        "slax/boot/vmlinuz": kernel("taken"),
        "slax/boot/initrfs.img": packed("early"),
    }
    files |= {"slax/01-core.sb": b"hsqs" + bytes(4096), "readme.txt": "x"}
    return Image(
        (active(images.mbr(at / "slax.img", [(0x0C, fat(at / "p", files))]), 1),), "taken", "early", line, any_root=True
    )


def porteus(at: Path) -> Image:
    """Porteus, unpacked: the menu that Syslinux reads goes over to another one, with names relative to its folder."""
    menu = (
        "DEFAULT /boot/syslinux/vesamenu.c32\nPROMPT 0\nTIMEOUT 90\n\nLABEL live\nMENU LABEL Graphics\nKERNEL vmlinuz\n"
    )
    menu += "INITRD initrd.xz\nAPPEND changes=/porteus\n\nLABEL text\nKERNEL vmlinuz\nINITRD initrd.xz\nAPPEND 3\n"
    files: Files = {
        "boot/syslinux/isolinux.cfg": "INCLUDE /boot/syslinux/porteus.cfg\n",
        "boot/syslinux/porteus.cfg": menu,
    }
    files |= {
        "boot/syslinux/vmlinuz": kernel("taken"),
        "boot/syslinux/initrd.xz": packed("early"),
        "porteus/base/000.xzm": b"hsqs",
    }
    return Image((with_files(at / "porteus", files),), "taken", "early", "changes=/porteus", any_root=True)


def puppy(at: Path) -> Image:
    """Puppy, frugal, on a partition of Linux: GRUB4DOS' menu.lst at its top finds the partition by a file."""
    menu = "timeout 10\ndefault 1\n\ntitle Find other systems\n  configfile /menu-other.lst\n\n"
    menu += "title Puppy fossa\n  find --set-root --ignore-floppies /fossa/initrd.gz\n  kernel /fossa/vmlinuz psubdir=fossa pmedia=atahd pfix=fsck\n  initrd /fossa/initrd.gz\n"
    files: Files = {
        "menu.lst": menu,
        "fossa/vmlinuz": kernel("taken"),
        "fossa/initrd.gz": packed("early"),
        "fossa/puppy.sfs": b"hsqs" + bytes(99),
    }
    data = images.ext(at / "p", with_files(at / "data", files))
    line = "psubdir=fossa pmedia=atahd pfix=fsck"
    return Image((images.mbr(at / "puppy.img", [(0x83, data)]),), "taken", "early", line, any_root=True)


def rescue(at: Path) -> Image:
    """A rescue stick of SystemRescue's kind: GRUB's menu and Syslinux' pieces lie in folders of the system's own."""
    sys = "DEFAULT sysresccd\nINCLUDE sysresccd_head.cfg\nINCLUDE sysresccd_sys.cfg\n"
    line = "archisobasedir=sysresccd archisolabel=RESCUE iomem=relaxed"
    label = f"LABEL sysresccd\nMENU LABEL Boot\nLINUX boot/x86_64/vmlinuz\nINITRD boot/intel_ucode.img,boot/x86_64/sysresccd.img\nAPPEND {line}\n"
    base = "sysresccd/boot/syslinux"
    files: Files = {
        f"{base}/syslinux.cfg": "DEFAULT l\nLABEL l\nCONFIG sysresccd.cfg\nAPPEND /sysresccd/\n",
        f"{base}/sysresccd.cfg": "INCLUDE boot/syslinux/sysresccd_sys.cfg\n",
    }
    files |= {
        f"{base}/sysresccd_sys.cfg": label,
        "sysresccd/boot/x86_64/vmlinuz": kernel("taken"),
        f"{base}/unused.cfg": sys,
    }
    files |= {"sysresccd/boot/x86_64/sysresccd.img": packed("early"), "sysresccd/boot/intel_ucode.img": initrd("more")}
    stick = images.mbr(at / "rescue.img", [(0x0C, fat(at / "p", files))])
    return Image((active(stick, 1),), "taken", "early", line, any_root=True)


def sonic(at: Path) -> Image:
    """SONiC on a switch: the loader on the EFI partition goes to the menu at the top of the system's partition."""
    line = f"root=UUID={_UUID} rw console=tty0 console=ttyS0,115200n8 net.ifnames=0 loop=image-m.7/fs.squashfs loopfstype=squashfs"
    menu = "set timeout=5\nmenuentry 'SONiC-OS-m.7' {\n        search --no-floppy --label --set=root SONiC-OS\n        echo 'Loading kernel ...'\n"
    menu += "        insmod gzio\n        if [ x$grub_platform = xxen ]; then insmod xzio; insmod lzopio; fi\n        insmod part_msdos\n        insmod ext2\n"
    menu += f"        linux   /image-m.7/boot/vmlinuz-6.1.0-2-amd64 {line}\n        initrd  /image-m.7/boot/initrd.img-6.1.0-2-amd64\n}}\n"
    menu += "menuentry ONIE {\n        search --no-floppy --label --set=root ONIE-BOOT\n        configfile /grub/grub.cfg\n}\n"
    onie = "set default=0\nmenuentry 'ONIE: Install OS' --class onie {\n  linux /onie/vmlinuz-5-onie console=ttyS0 boot_reason=install\n  initrd /onie/initrd.img-5-onie\n}\n"
    own: Files = {
        "grub/grub.cfg": menu,
        "image-m.7/boot/vmlinuz-6.1.0-2-amd64": kernel("taken"),
        "image-m.7/boot/initrd.img-6.1.0-2-amd64": packed("early"),
    }
    own |= {"image-m.7/fs.squashfs": b"hsqs" + bytes(4096), "machine.conf": "onie_version=1\n"}
    installer: Files = {
        "grub/grub.cfg": onie,
        "onie/vmlinuz-5-onie": kernel("older"),
        "onie/initrd.img-5-onie": initrd("other"),
    }
    efi = fat(
        at / "efi",
        {
            "EFI/SONiC-OS/grub.cfg": "search --no-floppy --label --set=root SONiC-OS\nset prefix=($root)/grub\nconfigfile $prefix/grub.cfg\n",
            "EFI/SONiC-OS/grubx64.efi": b"MZ",
        },
    )
    parts = {
        1: Part(efi, ESP),
        2: Part(
            images.ext(at / "o", with_files(at / "onie", installer), options=("-L", "ONIE-BOOT")), name="ONIE-BOOT"
        ),
    }
    parts |= {
        3: Part(
            images.ext(at / "s", with_files(at / "sonic", own), options=("-L", "SONiC-OS", "-U", _UUID)),
            name="SONiC-OS",
        )
    }
    return Image(
        (gpt(at / "sonic.raw", parts),), "taken", "early", line, any_root=True, never=("ONIE: Install OS', which",)
    )


def ubuntu_core(at: Path) -> Image:
    """Ubuntu Core: GRUB on ubuntu-seed starts GRUB on ubuntu-boot, which starts a unified image with a line of its own."""
    seed = "set default=0\nset timeout=3\nif [ -e /EFI/ubuntu/grubenv ]; then\n   load_env --file /EFI/ubuntu/grubenv snapd_recovery_mode snapd_recovery_system\nfi\n"
    seed += "set snapd_static_cmdline_args='console=ttyS0 panic=-1'\nif [ -z \"$snapd_recovery_mode\" ]; then\n    set snapd_recovery_mode=install\nfi\n"
    seed += 'if [ "$snapd_recovery_mode" = "run" ]; then\n    default="run"\nelif [ -n "$snapd_recovery_system" ]; then\n    default=$snapd_recovery_mode-$snapd_recovery_system\nfi\n'
    seed += 'search --no-floppy --set=boot_fs --label ubuntu-boot\nif [ -n "$boot_fs" ]; then\n    menuentry "Continue to run mode" --hotkey=n --id=run {\n        chainloader ($boot_fs)/EFI/boot/grubx64.efi\n    }\nfi\n'
    seed += 'for label in /systems/*; do\n    regexp --set 1:label "/([0-9]*)\\$" "$label"\n    if [ -z "$label" ]; then\n        continue\n    fi\n    load_env --file /systems/$label/grubenv snapd_recovery_kernel\n'
    seed += '    menuentry "Recover using $label" --hotkey=r --id=recover-$label $snapd_recovery_mode $label {\n        loopback loop $snapd_recovery_kernel\n        chainloader (loop)/kernel.efi snapd_recovery_mode=recover snapd_recovery_system=$3 $snapd_static_cmdline_args\n    }\ndone\n'
    boot = "set default=0\nset timeout=0\nload_env --file /EFI/ubuntu/grubenv kernel_status snapd_extra_cmdline_args\nset snapd_static_cmdline_args='console=ttyS0 panic=-1'\nset cmdline_args=\"$snapd_static_cmdline_args $snapd_extra_cmdline_args\"\n"
    boot += 'set kernel=kernel.efi\nif [ "$kernel_status" = "try" ]; then\n    set kernel_status=trying\n    save_env kernel_status\n    if [ -e $prefix/try-kernel.efi ]; then\n        set kernel=try-kernel.efi\n    fi\nfi\n'
    boot += 'if [ -e $prefix/$kernel ]; then\nmenuentry "Run Ubuntu Core" {\n    chainloader $prefix/$kernel snapd_recovery_mode=run $cmdline_args\n}\nelse\n  echo missing kernel\nfi\n'
    unified = program([(".osrel", b"ID=ubuntu-core\n"), (".linux", kernel("taken")), (".initrd", initrd("early"))])
    seeds: Files = {
        "EFI/ubuntu/grub.cfg": seed,
        "EFI/ubuntu/grubenv": block("snapd_recovery_mode=run\n"),
        "EFI/boot/bootx64.efi": b"MZ",
    }
    seeds |= {
        "EFI/boot/grubx64.efi": b"MZ",
        "systems/20240101/grubenv": block("snapd_recovery_kernel=/snaps/pc-kernel.snap\n"),
        "snaps/pc-kernel.snap": b"hsqs" + bytes(4096),
    }
    boots: Files = {
        "EFI/ubuntu/grub.cfg": boot,
        "EFI/ubuntu/grubenv": block("kernel_status=\nsnapd_extra_cmdline_args=quiet\n"),
        "EFI/boot/grubx64.efi": b"MZ",
        "EFI/ubuntu/kernel.efi": unified,
    }
    parts = {1: Part(b"\1" * 512, BIOS_BOOT, "BIOS Boot"), 2: Part(fat(at / "seed", seeds), ESP, "ubuntu-seed")}
    parts |= {
        3: Part(images.ext(at / "b", with_files(at / "boot", boots), options=("-L", "ubuntu-boot")), name="ubuntu-boot")
    }
    parts |= {
        4: Part(
            images.ext(at / "d", with_files(at / "data", {"system-data/x": "y"}), options=("-L", "ubuntu-data")),
            name="ubuntu-data",
        )
    }
    return Image(
        (gpt(at / "core.img", parts),),
        "taken",
        "early",
        "snapd_recovery_mode=run console=ttyS0 panic=-1 quiet",
        any_root=True,
    )


def by_marker(at: Path) -> Image:
    """GRUB finds the partition of its entry by a file (`search --file`); another partition has the same names."""
    menu = "set default=0\nmenuentry 'B' {\n search --no-floppy --set=root --file /.second\n linux /vmlinuz root=LABEL=sys ro\n initrd /initrd\n}\n"
    first: Files = {"grub/grub.cfg": menu, "vmlinuz": kernel("older"), "initrd": initrd("other")}
    second: Files = {".second": "", "vmlinuz": kernel("taken"), "initrd": packed("early")}
    parts = [
        (0x83, images.ext(at / "a", with_files(at / "x", first))),
        (0x83, images.ext(at / "b", with_files(at / "y", second))),
    ]
    parts += [(0x83, empty_root(at, "-L", "sys"))]
    return Image((images.mbr(at / "d.img", parts),), "taken", "early", "root=LABEL=sys ro", 3)


def unset(at: Path) -> Image:
    """GRUB's entry names a variable that nothing sets: the kernel gets it empty, which is said."""
    menu = "set default=0\nmenuentry 'one' {\n linux /boot/vmlinuz root=$rootdev ro $extra\n initrd /boot/initrd\n}\n"
    files: Files = {"boot/grub/grub.cfg": menu, "boot/vmlinuz": kernel("taken"), "boot/initrd": packed("early")}
    disk = images.mbr(at / "d.img", [(0x83, images.ext(at / "p", tree(at / "root", files)))])
    return Image((disk,), "taken", "early", "root= ro", 1, says=("$rootdev",))


def handoff(at: Path) -> Image:
    """Ubuntu's menu on a disk that only EFI boots: the platform is efi, so the console is handed over."""
    menu = 'function gfxmode {\n  set gfxpayload="${1}"\n  if [ "${1}" = "keep" ]; then\n    set vt_handoff=vt.handoff=7\n  else\n    set vt_handoff=\n  fi\n}\n'
    menu += 'if [ "${recordfail}" != 1 ]; then\n  if [ -e ${prefix}/gfxblacklist.txt ]; then\n    if [ ${grub_platform} != pc ]; then\n      set linux_gfx_mode=keep\n'
    menu += "    elif hwmatch ${prefix}/gfxblacklist.txt 3; then\n      if [ ${match} = 0 ]; then\n        set linux_gfx_mode=keep\n      else\n        set linux_gfx_mode=text\n      fi\n    else\n      set linux_gfx_mode=text\n    fi\n"
    menu += "  else\n    set linux_gfx_mode=keep\n  fi\nelse\n  set linux_gfx_mode=text\nfi\nexport linux_gfx_mode\n"
    menu += f"menuentry 'Ubuntu' {{\n  gfxmode $linux_gfx_mode\n  linux /boot/vmlinuz root=UUID={_UUID} ro quiet splash $vt_handoff\n  initrd /boot/initrd.img\n}}\n"
    files: Files = {
        "boot/grub/grub.cfg": menu,
        "boot/grub/gfxblacklist.txt": "v1002d\n",
        "boot/vmlinuz": kernel("taken"),
        "boot/initrd.img": packed("early"),
    }
    efi = fat(
        at / "efi",
        {
            "EFI/ubuntu/grub.cfg": f"search.fs_uuid {_UUID} root\nset prefix=($root)'/boot/grub'\nconfigfile $prefix/grub.cfg\n",
            "EFI/ubuntu/shimx64.efi": b"MZ",
        },
    )
    root = images.ext(at / "p", tree(at / "root", files), options=("-U", _UUID))
    line = f"root=UUID={_UUID} ro quiet splash vt.handoff=7"
    return Image(
        (gpt(at / "d.raw", {1: Part(efi, ESP), 2: Part(root)}),),
        "taken",
        "early",
        line,
        2,
        never=("not used: /boot/vmlinuz",),
    )


def kernels_alone(at: Path) -> Image:
    """A partition with a live system's kernels and no menu: none is taken, and they are listed with the way."""
    files: Files = {
        "live/vmlinuz-6.1.0-9-amd64": kernel("one"),
        "live/initrd.img-6.1.0-9-amd64": initrd("two"),
        "live/filesystem.squashfs": b"hsqs" + bytes(99),
    }
    data = images.ext(at / "p", with_files(at / "data", files))
    return Image((images.mbr(at / "d.img", [(0x83, data)]),), refused="no kernel", way="/live/vmlinuz-6.1.0-9-amd64")


def rauc(at: Path) -> Image:
    """An update of RAUC's (Home Assistant's .raucb): a squashfs with a signature behind it; refused by its name."""
    inside = with_files(
        at / "bundle",
        {
            "manifest.raucm": "[update]\ncompatible=made\n",
            "kernel.img": b"hsqs" + bytes(999),
            "rootfs.img": b"hsqs" + bytes(999),
        },
    )
    place = at / "haos.raucb"
    subprocess.run(
        ["mksquashfs", str(inside), str(place), "-quiet", "-no-progress"], check=True, stdout=subprocess.DEVNULL
    )
    signature = b"\x30\x82\x04\x00" + bytes(1024)
    place.write_bytes(place.read_bytes() + signature + struct.pack(">Q", len(signature)))
    return Image((place,), refused="RAUC", way="unsquashfs")


def freebsd(at: Path) -> Image:
    """FreeBSD's disk: no Linux lies on it, which is said by its name."""
    efi = fat(at / "efi", {"EFI/BOOT/BOOTX64.EFI": b"MZ", "efi/freebsd/loader.efi": b"MZ"})
    ufs = bytearray(1 << 20)
    struct.pack_into("<I", ufs, 65536 + 1372, 0x19540119)
    parts = {
        1: Part(efi, ESP, "efiboot0"),
        2: Part(b"\1" * 4096, UUID("83bd6b9d-7f41-11dc-be0b-001560b84f0f"), "gptboot0"),
    }
    parts |= {3: Part(bytes(ufs), UUID("516e7cb6-6ecf-11d6-8ff8-00022d09712b"), "rootfs")}
    return Image((gpt(at / "freebsd.raw", parts),), refused="FreeBSD")


def encrypted_boot(at: Path) -> Image:
    """An encrypted disk whose loader opens /boot too: its kernels are behind the passphrase, which is said."""
    menu = f"cryptomount -u {_UUID.replace('-', '')}\nset root='cryptouuid/{_UUID.replace('-', '')}'\nset prefix=($root)/boot/grub\nconfigfile $prefix/grub.cfg\n"
    luks = b"LUKS\xba\xbe\0\1" + bytes(160) + _UUID.encode() + bytes((1 << 20) - 204)
    parts = {1: Part(fat(at / "efi", {"EFI/arch/grub.cfg": menu, "EFI/arch/grubx64.efi": b"MZ"}), ESP), 2: Part(luks)}
    return Image((gpt(at / "d.raw", parts),), refused="encrypted", way="cryptsetup")


def wrapped(at: Path) -> Image:
    """A VMDK in a tar archive that xz packed: refused with both steps."""
    at.mkdir(parents=True, exist_ok=True)
    place = at / "vm.tar.xz"
    with tarfile.open(place, "w:xz") as archive:
        data = b"KDMV\1\0\0\0" + bytes(4096)
        member = tarfile.TarInfo("vm/disk.vmdk")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return Image((place,), refused="vmdk", way="qemu-img convert")


def two_boots(at: Path) -> Image:
    """An enterprise system, installed anew beside an older one: the loader's stub says by UUID which /boot it reads."""
    entry = "title {0}\nlinux /vmlinuz-5\ninitrd /initramfs-5.img\noptions root=PARTUUID={1} ro {0}\n"
    stub = f"search --no-floppy --fs-uuid --set=dev {_OTHER}\nset prefix=($dev)/grub2\nexport $prefix\nconfigfile $prefix/grub.cfg\n"
    parts = {1: Part(fat(at / "efi", {"EFI/made/grub.cfg": stub, "EFI/made/grubx64.efi": b"MZ"}), ESP)}
    for number, (own, word, early) in enumerate(((_UUID, "older", "other"), (_OTHER, "taken", "early")), 2):
        files: Files = {
            "grub2/grub.cfg": "set default=0\ninsmod blscfg\nblscfg\n",
            "vmlinuz-5": kernel(word),
            "initramfs-5.img": packed(early),
        }
        files |= {"loader/entries/m-5.conf": entry.format(word, own_uuid(4)), "grub2/grubenv": block("")}
        parts[number] = Part(
            images.ext(at / f"b{number}", with_files(at / f"boot{number}", files), options=("-U", own))
        )
    parts[4] = Part(images.ext(at / "p", tree(at / "root", {"etc/fstab": f"UUID={_OTHER} /boot ext4 defaults 0 0\n"})))
    line = f"root=PARTUUID={own_uuid(4)} ro taken"
    return Image((gpt(at / "d.raw", parts),), "taken", "early", line, 4)


SEVENTH: dict[str, Callable[[Path], Image]] = SEVENTH_BOARDS | {
    "Slax": slax,
    "Porteus, unpacked": porteus,
    "Puppy, GRUB4DOS": puppy,
    "rescue stick": rescue,
    "SONiC": sonic,
    "Ubuntu Core": ubuntu_core,
    "GRUB, search by a file": by_marker,
    "GRUB, unset variable": unset,
    "Ubuntu, EFI only": handoff,
    "kernels without a menu": kernels_alone,
    "RAUC's update": rauc,
    "FreeBSD": freebsd,
    "encrypted /boot": encrypted_boot,
    "VMDK in tar.xz": wrapped,
    "two of /boot": two_boots,
}

# SPDX-License-Identifier: MIT
"""A third set of images that nobody prepared for bootlab: other loaders' menus, boards' own files, packed images.

Written before bootlab read one of them. What is true is what the loaders' manuals say: Syslinux, GRUB legacy, LILO,
rEFInd, the UEFI shell, systemd-boot, BeagleBoard's and Odroid's scripts, Raspberry Pi's `autoboot.txt`, L4T's extlinux.
"""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_images import BOOT, EFI, GRUB, ROOT, Image, fat, initrd, kernel, pair, tree, with_files
from benchmarks.first_contact_others import packed, read_only
from tests.sources import images
from tests.sources.test_look_further import unified
from tests.sources.test_menus import generated_head

_UUID = "6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11"


def _one_partition(at: Path, files: dict[str, str | bytes], line: str, **rest: str) -> Image:
    root = images.ext(at / "p", tree(at / "root", files), mib=8)
    disk = images.mbr(at / "d.img", [(0x83, root)])
    return Image((disk,), rest.get("kernel", "taken"), rest.get("early", "early"), line, 1)


def syslinux_stick(at: Path) -> Image:
    """A rescue stick: Syslinux on FAT, a menu in an included file, no root at all."""
    main = "UI vesamenu.c32\nTIMEOUT 50\nINCLUDE live.cfg\n"
    menu = "DEFAULT rescue\nLABEL old\n  KERNEL /live/vmlinuz1\n  APPEND x\n"
    menu += (
        "LABEL rescue\n  MENU LABEL Rescue\n  LINUX /live/vmlinuz2\n  INITRD /live/initrd2.img\n  APPEND toram quiet\n"
    )
    files: dict[str, str | bytes] = {"syslinux/syslinux.cfg": main, "syslinux/live.cfg": menu}
    files |= {"live/vmlinuz1": kernel("older"), "live/vmlinuz2": kernel("taken"), "live/initrd2.img": initrd("early")}
    disk = images.mbr(at / "stick.img", [(0x0C, fat(at / "f", files))])
    return Image((disk,), "taken", "early", "toram quiet")


def alpine_stick(at: Path) -> Image:
    """Alpine, run from memory: Syslinux on FAT, modules in a squashfs image, no root."""
    line = "modules=loop,squashfs,sd-mod,usb-storage quiet"
    menu = "TIMEOUT 10\nPROMPT 1\nDEFAULT lts\n\nLABEL lts\nMENU LABEL Linux lts\nKERNEL /boot/vmlinuz-lts\n"
    menu += f"INITRD /boot/initramfs-lts\nAPPEND {line}\n"
    files: dict[str, str | bytes] = {"boot/syslinux/syslinux.cfg": menu, "boot/vmlinuz-lts": kernel("taken")}
    files |= {"boot/initramfs-lts": packed("early"), "boot/modloop-lts": read_only(at, "squashfs").read_bytes()}
    files |= {"apks/x86_64/APKINDEX.tar.gz": b"x", ".alpine-release": "alpine-lts 3.20\n"}
    return Image((images.mbr(at / "stick.img", [(0x0C, fat(at / "f", files))]),), "taken", "early", line)


def _debian_menu(line: str, head: str) -> str:
    """Return what grub-mkconfig writes: a plain entry, and those of each kernel in a submenu, all with ids."""
    plain = f"menuentry 'Debian' --class debian $menuentry_id_option 'gnulinux-simple-{_UUID}' {{\n"
    plain += f"\tlinux\t/boot/vmlinuz-2 {line}\n\tinitrd\t/boot/initrd.img-2\n}}\n"
    inner = "".join(
        f"\tmenuentry 'Debian, with Linux {n}' $menuentry_id_option 'gnulinux-{n}-advanced-{_UUID}' {{\n"
        f"\t\tlinux\t/boot/vmlinuz-{n} {line} n={n}\n{early}\t}}\n"
        for n, early in ((2, "\t\tinitrd\t/boot/initrd.img-2\n"), (1, ""))
    )
    outer = f"submenu 'Advanced options' $menuentry_id_option 'gnulinux-advanced-{_UUID}' {{\n{inner}}}\n"
    options = 'if [ x"${feature_menuentry_id}" = xy ]; then\n  menuentry_id_option="--id"\n'
    return f'{head}{options}else\n  menuentry_id_option=""\nfi\nexport menuentry_id_option\n{plain}{outer}'


_SAVED = generated_head("${saved_entry}")


def grub_submenu(at: Path) -> Image:
    """Debian with GRUB_DEFAULT=saved: the saved entry is a path of ids into the submenu."""
    line = f"root=UUID={_UUID} ro"
    env = f"# GRUB Environment Block\nsaved_entry=gnulinux-advanced-{_UUID}>gnulinux-1-advanced-{_UUID}\n".ljust(
        1024, "#"
    )
    files = pair("boot/") | {"boot/grub/grub.cfg": _debian_menu(line, _SAVED), "boot/grub/grubenv": env}
    return _one_partition(at, files, f"{line} n=1", kernel="older", early="")


def grub_next(at: Path) -> Image:
    """The same after `grub-reboot '1>1'`: once, by numbers, the older kernel."""
    line = f"root=UUID={_UUID} ro"
    env = "# GRUB Environment Block\nsaved_entry=0\nnext_entry=1>1\n".ljust(1024, "#")
    files = pair("boot/") | {"boot/grub/grub.cfg": _debian_menu(line, _SAVED), "boot/grub/grubenv": env}
    return _one_partition(at, files, f"{line} n=1", kernel="older", early="")


def talos(at: Path) -> Image:
    """Two systems in folders of a boot partition, the default by its title, as Talos writes it."""
    menu = 'set default="B - v1.7"\nset fallback="A - v1.6"\nset timeout=3\ninsmod all_video\nterminal_input console\n'
    entry = 'menuentry "{0} - v1.{1}" {{\n  set gfxmode=auto\n  linux /{0}/vmlinuz console=ttyS0 slot={0}\n'
    entry += "  initrd /{0}/initramfs.xz\n}}\n"
    files: dict[str, str | bytes] = {"grub/grub.cfg": menu + entry.format("A", 6) + entry.format("B", 7)}
    for name, word, early in (("A", "older", "other"), ("B", "taken", "early")):
        files |= {
            f"{name}/vmlinuz": kernel(word),
            f"{name}/initramfs.xz": lzma.compress(gzip.decompress(initrd(early))),
        }
    boot = images.ext(at / "b", with_files(at / "boot", files))
    efi = fat(at / "efi", {"EFI/boot/BOOTX64.EFI": b"MZ"})
    disk = images.gpt(at / "d.img", [(EFI, "EFI", efi), (BOOT, "BOOT", boot)])
    return Image((disk,), "taken", "early", "console=ttyS0 slot=B")


def openwrt(at: Path) -> Image:
    """OpenWrt's combined image for a PC: kernel and menu in a small FAT partition, a squashfs root."""
    line = "root=PARTUUID=1234abcd-02 rootwait console=tty0 console=ttyS0,115200n8 noinitrd"
    menu = "serial --unit=0 --speed=115200\nterminal_input console serial; terminal_output console serial\n"
    menu += f'set default="0"\nset timeout="5"\n\nmenuentry "OpenWrt" {{\n\tlinux /boot/vmlinuz {line}\n}}\n'
    menu += f'menuentry "OpenWrt (failsafe)" {{\n\tlinux /boot/vmlinuz failsafe=true {line}\n}}\n'
    boot = fat(at / "b", {"boot/grub/grub.cfg": menu, "boot/vmlinuz": kernel("taken")})
    return Image((images.mbr(at / "d.img", [(0x83, boot), (0x83, read_only(at, "squashfs"))]),), "taken", "", line, 2)


def grub_legacy(at: Path) -> Image:
    """GRUB of before 2009: menu.lst, entries counted from 0, paths that name the partition."""
    line = "root=/dev/hda1 ro console=ttyS0"
    text = "default 1\ntimeout 5\n\ntitle Old\nroot (hd0,0)\nkernel /boot/vmlinuz-1 x\n\ntitle New\n"
    text += f"kernel (hd0,0)/boot/vmlinuz-2 {line}\ninitrd (hd0,0)/boot/initrd.img-2\n"
    return _one_partition(at, pair("boot/") | {"boot/grub/menu.lst": text}, line)


def lilo(at: Path) -> Image:
    """Slackware: LILO's configuration, the default by its label."""
    text = (
        'boot = /dev/sda\nappend = "vt.default_utf8=0"\nprompt\ntimeout = 50\ndefault = new\nimage = /boot/vmlinuz-1\n'
    )
    text += "  root = /dev/sda1\n  label = old\n  read-only\nimage = /boot/vmlinuz-2\n  root = /dev/sda1\n"
    text += "  initrd = /boot/initrd.img-2\n  label = new\n  read-only\n"
    # LILO's map writes root as a device number and puts `ro` before what is appended (lilo.conf(5)).
    return _one_partition(at, pair("boot/") | {"etc/lilo.conf": text}, "root=/dev/sda1 ro vt.default_utf8=0")


def refind(at: Path) -> Image:
    """rEFInd: kernels are found, their options stand in refind_linux.conf beside them."""
    line = f"root=UUID={_UUID} rw quiet"
    text = f'"Boot with standard options" "{line}"\n"Boot to single-user mode" "{line} single"\n'
    files: dict[str, str | bytes] = {"boot/refind_linux.conf": text, "boot/vmlinuz-linux": kernel("taken")}
    root = images.ext(at / "p", tree(at / "root", files | {"boot/initramfs-linux.img": packed("early")}), mib=8)
    efi = fat(
        at / "efi",
        {"EFI/refind/refind_x64.efi": b"MZ", "EFI/refind/refind.conf": "timeout 5\nscan_all_linux_kernels\n"},
    )
    disk = images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "r", root)])
    return Image((disk,), "taken", "early", line, 2)


def shell_script(at: Path) -> Image:
    """No loader: the UEFI shell's startup.nsh starts the kernel itself."""
    line = "root=/dev/vda2 rw console=ttyS0"
    text = f"@echo -off\r\nfs0:\r\n\\EFI\\Linux\\bzImage.efi {line} initrd=\\EFI\\Linux\\initrd.img\r\n"
    files: dict[str, str | bytes] = {"startup.nsh": text, "EFI/Linux/bzImage.efi": kernel("taken")}
    efi = fat(at / "efi", files | {"EFI/Linux/initrd.img": initrd("early")})
    disk = images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "r", images.ext(at / "p", tree(at / "root", {})))])
    return Image((disk,), "taken", "early", line, 2)


def sorted_entries(at: Path) -> Image:
    """systemd-boot: the newest by version (6.1.0-10 after 6.1.0-9), loader.conf's default a pattern."""
    entry = "title Debian\nversion 6.1.0-{0}\nmachine-id {2}\nsort-key debian\nlinux /{2}/{0}/linux\n"
    entry += "initrd /{2}/{0}/initrd\noptions root=UUID={1} n={0}\n"
    machine = "0123456789abcdef0123456789abcdef"
    files: dict[str, str | bytes] = {"loader/loader.conf": f"timeout 3\ndefault {machine}-*\n"}
    for number, word, early in ((9, "older", "other"), (10, "taken", "early")):
        files[f"loader/entries/{machine}-6.1.0-{number}.conf"] = entry.format(number, _UUID, machine)
        files |= {f"{machine}/{number}/linux": kernel(word), f"{machine}/{number}/initrd": initrd(early)}
    efi = fat(at / "efi", files | {"EFI/BOOT/BOOTX64.EFI": b"MZ", "EFI/systemd/systemd-bootx64.efi": b"MZ"})
    disk = images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "r", images.ext(at / "p", tree(at / "root", {})))])
    return Image((disk,), "taken", "early", f"root=UUID={_UUID} n=10", 2)


def counted_images(at: Path) -> Image:
    """Unified images with tries in their names: the newer one has none left."""
    files: dict[str, str | bytes] = {"EFI/BOOT/BOOTX64.EFI": b"MZ", "EFI/systemd/systemd-bootx64.efi": b"MZ"}
    for name, word, line in (
        ("os_1.efi", "older", "root=PARTUUID=7 v=1"),
        ("os_2+0-3.efi", "taken", "root=PARTUUID=7 v=2"),
    ):
        release = f"ID=os\nVERSION_ID={name[3]}\nPRETTY_NAME=os\n".encode()
        files[f"EFI/Linux/{name}"] = unified(
            {".osrel": release, ".cmdline": line.encode(), ".linux": kernel(word), ".initrd": initrd(word)}
        )
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = images.gpt(at / "d.img", [(EFI, "e", fat(at / "efi", files)), (ROOT, "r", root)])
    return Image((disk,), "older", "older", "root=PARTUUID=7 v=1", 2)


def beagle(at: Path) -> Image:
    """BeagleBoard.org's card: /boot/uEnv.txt names the kernel's version and the rest of the line."""
    text = "uname_r=5.10.168-ti-r72\n#dtb=\nenable_uboot_overlays=1\nconsole=ttyS0,115200n8\n"
    text += "cmdline=coherent_pool=1M net.ifnames=0 lpj=1990656 rng_core.default_quality=100 quiet\n"
    files: dict[str, str | bytes] = {"boot/uEnv.txt": text}
    for version, word in (("5.10.168-ti-r71", "older"), ("5.10.168-ti-r72", "taken")):
        files |= {f"boot/vmlinuz-{version}": kernel(word, "arm64"), f"boot/initrd.img-{version}": initrd(word)}
    files["boot/dtbs/5.10.168-ti-r72/am335x-boneblack.dtb"] = images.device_tree(images.BOARD)
    root = images.ext(at / "p", tree(at / "root", files), mib=8)
    # The script in the board's U-Boot adds root=, ro, rootfstype and rootwait: the image does not have them.
    line = "console=ttyS0,115200n8 coherent_pool=1M net.ifnames=0 lpj=1990656 rng_core.default_quality=100 quiet"
    return Image((images.mbr(at / "d.img", [(0x83, root)]),), "taken", "taken", line, 1)


def odroid(at: Path) -> Image:
    """Hardkernel's boot.ini: a script in plain text behind a first line of its own."""
    line = "console=ttyS0,115200n8 root=/dev/mmcblk0p2 rootwait"
    text = f'ODROIDN2-UBOOT-CONFIG\n\nsetenv bootargs "{line}"\nsetenv loadaddr "0x1080000"\n'
    text += "fatload mmc ${devno}:1 ${loadaddr} Image\nfatload mmc ${devno}:1 ${dtb} b.dtb\n"
    text += "fatload mmc ${devno}:1 ${initrd} uInitrd\nbooti ${loadaddr} - ${dtb}\n"
    files: dict[str, str | bytes] = {"boot.ini": text, "Image": kernel("taken", "arm64")}
    boot = fat(at / "b", files | {"b.dtb": images.device_tree(images.BOARD)})
    disk = images.mbr(at / "d.img", [(0x0C, boot), (0x83, images.ext(at / "p", tree(at / "root", {})))])
    return Image((disk,), "taken", "", line, 2)


def raspberry_slots(at: Path) -> Image:
    """A Raspberry Pi with two boot partitions: autoboot.txt names the second; os_prefix and an included file there."""
    line = "console=serial0,115200 root=/dev/mmcblk0p4 rootwait"
    config = "include usercfg.txt\n[all]\narm_64bit=1\nos_prefix=current/\n"
    other: dict[str, str | bytes] = {
        "config.txt": "arm_64bit=1\n",
        "kernel8.img": kernel("older", "arm64"),
        "cmdline.txt": "x\n",
    }
    files: dict[str, str | bytes] = {
        "config.txt": config,
        "usercfg.txt": "kernel=vmlinuz\ninitramfs initrd.img followkernel\n",
    }
    files |= {"current/vmlinuz": kernel("taken", "arm64"), "current/initrd.img": initrd("early")}
    files |= {"current/cmdline.txt": f"{line}\n", "start4.elf": b"x"}
    first = fat(at / "a", {"autoboot.txt": "[all]\ntryboot_a_b=1\nboot_partition=3\n[tryboot]\nboot_partition=2\n"})
    root = images.ext(at / "p", tree(at / "root", {}))
    parts = [(0x0C, first), (0x0C, fat(at / "b", other)), (0x0C, fat(at / "c", files)), (0x83, root)]
    return Image((images.mbr(at / "d.img", parts),), "taken", "early", line, 4)


def jetson(at: Path) -> Image:
    """NVIDIA's L4T: extlinux whose line begins with a variable of the loader."""
    text = "TIMEOUT 30\nDEFAULT primary\nLABEL primary\n  MENU LABEL primary kernel\n  LINUX /boot/Image\n"
    text += "  INITRD /boot/initrd\n  APPEND ${cbootargs} root=/dev/mmcblk0p1 rw rootwait console=ttyTCU0,115200n8\n"
    files: dict[str, str | bytes] = {"boot/extlinux/extlinux.conf": text, "boot/Image": kernel("taken", "arm64")}
    root = images.ext(at / "p", tree(at / "root", files | {"boot/initrd": initrd("early")}))
    line = "root=/dev/mmcblk0p1 rw rootwait console=ttyTCU0,115200n8"
    return Image((images.mbr(at / "d.img", [(0x83, root)]),), "taken", "early", line, 1, loses=("cbootargs",))


def gentoo_names(at: Path) -> Image:
    """A root without a menu, kernels with a distribution's own names: the newest by version."""
    files: dict[str, str | bytes] = {"boot/kernel-6.9.1-gentoo-x86_64": kernel("older")}
    files |= {
        "boot/kernel-6.12.3-gentoo-x86_64": kernel("taken"),
        "boot/System.map-6.12.3-gentoo-x86_64": "0 T _text\n",
    }
    files |= {
        "boot/initramfs-6.12.3-gentoo-x86_64.img": packed("early"),
        "boot/initramfs-6.9.1-gentoo-x86_64.img": initrd("other"),
    }
    root = images.ext(at / "p", tree(at / "root", files), mib=8)
    return Image((images.mbr(at / "d.img", [(0x83, root)]),), "taken", "early", "", 1)


def _small_disk(at: Path) -> tuple[Path, str]:
    line = f"root=UUID={_UUID} ro"
    root = tree(at / "root", pair("boot/") | {"boot/grub/grub.cfg": GRUB.format("/boot", line)})
    return images.mbr(at / "disk.raw", [(0x83, images.ext(at / "p", root))]), line


def packed_disk(at: Path) -> Image:
    """A raw image packed with xz, as distributions publish them."""
    disk, line = _small_disk(at)
    given = at / "distribution-12.raw.xz"
    given.write_bytes(lzma.compress(disk.read_bytes(), preset=1))
    disk.unlink()
    return Image((given,), "taken", "early", line, 1)


def cloud_archive(at: Path) -> Image:
    """A cloud's archive: disk.raw alone in a tar.gz, as Google's and Debian's are."""
    disk, line = _small_disk(at)
    given = at / "disk.tar.gz"
    with tarfile.open(given, "w:gz") as archive:
        archive.add(disk, "disk.raw")
    disk.unlink()
    return Image((given,), "taken", "early", line, 1)


def vagrant_box(at: Path) -> Image:
    """A Vagrant box for libvirt: a qcow2 image and a description of it in a tar.gz."""
    disk, line = _small_disk(at)
    image = images.qcow2(at / "box.img", disk.read_bytes(), packed=True)
    disk.unlink()
    given = at / "debian.box"
    with tarfile.open(given, "w:gz") as archive:
        text = b'{"provider":"libvirt","format":"qcow2","virtual_size":20}'
        note = tarfile.TarInfo("metadata.json")
        note.size = len(text)
        archive.addfile(note, io.BytesIO(text))
        archive.add(image, "box.img")
    image.unlink()
    return Image((given,), "taken", "early", line, 1)


LOADERS: dict[str, Callable[[Path], Image]] = {
    "Syslinux stick, INCLUDE": syslinux_stick,
    "Alpine stick": alpine_stick,
    "GRUB, saved path of ids": grub_submenu,
    "GRUB, next_entry": grub_next,
    "GRUB, default by title": talos,
    "OpenWrt for a PC": openwrt,
    "GRUB legacy": grub_legacy,
    "LILO": lilo,
    "rEFInd": refind,
    "startup.nsh": shell_script,
    "systemd-boot, pattern, version": sorted_entries,
    "unified images, spent tries": counted_images,
    "BeagleBoard, uEnv.txt": beagle,
    "Odroid, boot.ini": odroid,
    "Raspberry Pi, autoboot.txt": raspberry_slots,
    "Jetson, ${cbootargs}": jetson,
    "Gentoo's names, no menu": gentoo_names,
    "raw.xz": packed_disk,
    "tar.gz of disk.raw": cloud_archive,
    "Vagrant box": vagrant_box,
}

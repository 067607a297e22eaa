# SPDX-License-Identifier: MIT
"""A fourth set of images that nobody prepared for bootlab, made after the third had been mended.

Network loaders' scripts, entries of enterprise and appliance systems, arm64 PCs, logical partitions, FIT images, roots
that name themselves by their partition's type. Truth by the loaders' manuals, written before bootlab read one of them.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_images import BOOT, EFI, ROOT, Image, fat, initrd, kernel, pair, tree, with_files
from benchmarks.first_contact_others import packed, read_only
from tests.sources import images
from tests.sources.test_look_further import unified

from bootlab.sources import confined

_UUID = "6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11"
_MACHINE = "0123456789abcdef0123456789abcdef"
_X86_ROOT = bytes.fromhex("e3bc684fcde8b14d96e7fbcaf984b709")


def ipxe(at: Path) -> Image:
    """A folder that iPXE boots from: its script names kernel, line and initrd."""
    text = "#!ipxe\nset base http://boot.example/debian\n:retry\ndhcp || goto retry\n"
    text += "kernel vmlinuz initrd=initrd.img root=/dev/nfs nfsroot=10.0.0.1:/srv ip=dhcp\ninitrd initrd.img\nboot\n"
    files: dict[str, str | bytes] = {"boot.ipxe": text, "vmlinuz": kernel("taken"), "initrd.img": initrd("early")}
    line = "root=/dev/nfs nfsroot=10.0.0.1:/srv ip=dhcp"
    return Image((with_files(at / "tftp", files),), "taken", "early", line, any_root=True)


def grub_network(at: Path) -> Image:
    """A folder for GRUB over the network, as Debian's installer for arm64 has it."""
    base = "debian-installer/arm64"
    menu = "set default=0\nmenuentry 'Install' {\n    set background_color=black\n"
    menu += f"    linux    /{base}/linux --- quiet\n    initrd   /{base}/initrd.gz\n}}\n"
    files: dict[str, str | bytes] = {f"{base}/linux": kernel("taken", "arm64"), f"{base}/initrd.gz": initrd("early")}
    files |= {f"{base}/grub/grub.cfg": menu, f"{base}/bootnetaa64.efi": b"MZ"}
    return Image((with_files(at / "netboot", files),), "taken", "early", "--- quiet", any_root=True)


def enterprise(at: Path) -> Image:
    """Rocky, Alma, Oracle: blscfg, a rescue entry, the saved entry is the older kernel; variables in the options."""
    entry = "title R ({0}) 9\nversion {0}\nlinux /vmlinuz-{0}\ninitrd /initramfs-{0}.img{2}\noptions {1}\n"
    entry += "grub_users $grub_users\ngrub_arg --unrestricted\ngrub_class rocky\n"
    line = "root=UUID=77 ro crashkernel=1G-4G:192M,4G-64G:256M"
    old, new = "5.14.0-427.el9.x86_64", "5.14.0-503.el9.x86_64"
    files: dict[str, str | bytes] = {}
    for version, word in ((old, "taken"), (new, "newer"), (f"0-rescue-{_MACHINE}", "rescue")):
        name = f"{_MACHINE}-{'0-rescue' if 'rescue' in version else version}"
        tuned = "" if "rescue" in version else " $tuned_initrd"
        options = line if "rescue" in version else f"{line} $tuned_params"
        files[f"loader/entries/{name}.conf"] = entry.format(version, options, tuned)
        files |= {f"vmlinuz-{version}": kernel(word), f"initramfs-{version}.img": initrd(word)}
    menu = 'load_env -f ${config_directory}/grubenv\nset default="${saved_entry}"\ninsmod part_gpt\nblscfg\n'
    env = f"# GRUB Environment Block\nsaved_entry={_MACHINE}-{old}\nboot_success=0\n".ljust(1024, "#")
    files |= {"grub2/grub.cfg": menu, "grub2/grubenv": env}
    boot = images.ext(at / "b", with_files(at / "boot", files))
    efi = fat(
        at / "efi",
        {"EFI/rocky/grub.cfg": "search --fs-uuid --set=dev 7\nset prefix=($dev)/grub2\nconfigfile $prefix/grub.cfg\n"},
    )
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = images.gpt(at / "d.img", [(EFI, "e", efi), (BOOT, "b", boot), (ROOT, "r", root)])
    return Image((disk,), "taken", "taken", line, 3)


def proxmox(at: Path) -> Image:
    """Proxmox on ZFS: systemd-boot's entries on the EFI partition, a root that bootlab does not read."""
    line = "root=ZFS=rpool/ROOT/pve-1 boot=zfs"
    entry = "title Proxmox\nversion {0}\noptions {1}\nlinux /EFI/proxmox/{0}/vmlinuz-{0}\n"
    entry += "initrd /EFI/proxmox/{0}/initrd.img-{0}\n"
    files: dict[str, str | bytes] = {
        "loader/loader.conf": "timeout 3\ndefault proxmox-*\n",
        "EFI/systemd/systemd-bootx64.efi": b"MZ",
    }
    for version, word, early in (("6.8.4-2-pve", "older", "other"), ("6.8.12-9-pve", "taken", "early")):
        files[f"loader/entries/proxmox-{version}.conf"] = entry.format(version, line)
        files |= {
            f"EFI/proxmox/{version}/vmlinuz-{version}": kernel(word),
            f"EFI/proxmox/{version}/initrd.img-{version}": initrd(early),
        }
    (at / "zfs").write_bytes((bytes(0x20000) + (0x00BAB10C).to_bytes(8, "little")).ljust(4 << 20, b"\1"))
    zfs = bytes.fromhex("ba13 6a89 2d3b 8e47 9c6b 7e9f 4f5a 1c33".replace(" ", ""))
    disk = images.gpt(at / "d.img", [(EFI, "e", fat(at / "efi", files)), (zfs, "zfs", at / "zfs")])
    return Image((disk,), "taken", "early", line, any_root=True)


def appliance(at: Path) -> Image:
    """LibreELEC on a PC: Syslinux, a kernel without an ending, the root in a squashfs file."""
    line = "boot=UUID=1234-5678 disk=UUID=77 quiet"
    menu = f"SAY Wait\nDEFAULT linux\nTIMEOUT 0\nPROMPT 0\n\nLABEL linux\n  KERNEL /KERNEL\n  APPEND {line}\n"
    files: dict[str, str | bytes] = {
        "syslinux.cfg": menu,
        "KERNEL": kernel("taken"),
        "SYSTEM": read_only(at, "squashfs").read_bytes(),
    }
    storage = images.ext(at / "s", with_files(at / "storage", {".kodi/x": ""}))
    return Image(
        (images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), (0x83, storage)]),), "taken", "", line, any_root=True
    )


def appliance_pi(at: Path) -> Image:
    """LibreELEC on a Raspberry Pi: kernel.img is what config.txt names, for arm64."""
    line = "boot=LABEL=LIBREELEC disk=LABEL=STORAGE quiet console=tty0"
    config = "[all]\nboot_delay=0\narm_64bit=1\nkernel=kernel.img\ndisable_overscan=1\ninclude distroconfig.txt\n"
    files: dict[str, str | bytes] = {
        "config.txt": config,
        "distroconfig.txt": "gpu_mem=76\n",
        "cmdline.txt": line,
        "start4.elf": b"x",
    }
    files |= {"kernel.img": kernel("taken", "arm64"), "SYSTEM": read_only(at, "squashfs").read_bytes()}
    storage = images.ext(at / "s", with_files(at / "storage", {".kodi/x": ""}))
    return Image(
        (images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), (0x83, storage)]),), "taken", "", line, any_root=True
    )


def arm_laptop(at: Path) -> Image:
    """An arm64 laptop: systemd-boot's entry with a device tree."""
    line = f"root=UUID={_UUID} rw clk_ignore_unused pd_ignore_unused"
    entry = f"title D\nlinux /vmlinuz-2\ninitrd /initrd.img-2\ndevicetree /dtbs/sc8280xp-x13s.dtb\noptions {line}\n"
    files = pair("", "arm64") | {
        "loader/entries/d.conf": entry,
        "dtbs/sc8280xp-x13s.dtb": images.device_tree(images.BOARD),
    }
    efi = fat(at / "efi", files | {"EFI/BOOT/BOOTAA64.EFI": b"MZ", "EFI/systemd/systemd-bootaa64.efi": b"MZ"})
    root = images.ext(at / "p", tree(at / "root", {}))
    return Image((images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "r", root)]),), "taken", "early", line, 2)


def arm_grub(at: Path) -> Image:
    """An arm64 board with UEFI: GRUB's entry names a device tree, the root is found by its label."""
    line = "root=LABEL=rootfs rw rootwait console=ttyAMA0"
    menu = "search --no-floppy --set=root --label rootfs\nset timeout=2\nmenuentry 'Linux' --unrestricted {\n"
    menu += f"  devicetree /boot/board.dtb\n  linux /boot/vmlinuz-2 {line}\n  initrd /boot/initrd.img-2\n}}\n"
    files = pair("boot/", "arm64") | {"boot/board.dtb": images.device_tree(images.BOARD)}
    efi = fat(at / "efi", {"EFI/BOOT/grub.cfg": menu, "EFI/BOOT/BOOTAA64.EFI": b"MZ"})
    root = images.ext(at / "p", tree(at / "root", files), mib=8)
    return Image((images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "r", root)]),), "taken", "early", line, 2)


def separate_boot(at: Path) -> Image:
    """Void and others: /boot of its own, the menu searches it by its UUID and sets root."""
    line = f"root=UUID={_UUID} ro loglevel=4"
    menu = "set default=0\nmenuentry 'Void' --class void {\n  load_video\n  set gfxpayload=keep\n  insmod ext2\n"
    menu += "  set root='hd0,gpt2'\n  if [ x$feature_platform_search_hint = xy ]; then\n"
    menu += "    search --no-floppy --fs-uuid --set=root --hint-bios=hd0,gpt2 aa\n  else\n"
    menu += "    search --no-floppy --fs-uuid --set=root aa\n  fi\n  echo 'Loading ...'\n"
    menu += f"  linux /vmlinuz-2 {line}\n  initrd /initrd.img-2\n}}\n"
    boot = images.ext(at / "b", with_files(at / "boot", pair("") | {"grub/grub.cfg": menu}))
    root = images.ext(
        at / "p",
        tree(at / "root", {"etc/fstab": f"UUID={_UUID} / ext4 defaults 0 1\nUUID=aa /boot ext4 defaults 0 2\n"}),
    )
    efi = fat(at / "efi", {"EFI/void/grubx64.efi": b"MZ"})
    disk = images.gpt(at / "d.img", [(EFI, "e", efi), (BOOT, "b", boot), (ROOT, "r", root)])
    return Image((disk,), "taken", "early", line, 3)


def fit_by_script(at: Path) -> Image:
    """A board whose script boots the second configuration of a FIT image."""
    node: images.Node = {
        "description": "x",
        "images": {
            "kernel-1": {"data": kernel("older", "arm64"), "type": "kernel", "arch": "arm64", "compression": "none"},
            "kernel-2": {"data": kernel("taken", "arm64"), "type": "kernel", "arch": "arm64", "compression": "none"},
            "fdt-1": {
                "data": images.device_tree(images.BOARD),
                "type": "flat_dt",
                "arch": "arm64",
                "compression": "none",
            },
        },
        "configurations": {
            "default": "conf-1",
            "conf-1": {"kernel": "kernel-1", "fdt": "fdt-1"},
            "conf-2": {"kernel": "kernel-2", "fdt": "fdt-1"},
        },
    }
    line = "console=ttymxc0,115200 root=/dev/mmcblk0p2 rootwait ro"
    text = (
        f"setenv bootargs {line}\nload ${{devtype}} ${{devnum}}:1 ${{loadaddr}} fitImage\nbootm ${{loadaddr}}#conf-2\n"
    )
    boot = fat(at / "b", {"boot.cmd": text, "fitImage": images.device_tree(node)})
    root = images.ext(at / "p", tree(at / "root", {}))
    return Image((images.mbr(at / "d.img", [(0x0C, boot), (0x83, root)]),), "taken", "", line, 2)


def discoverable(at: Path) -> Image:
    """A unified image without root=: systemd in its initrd finds the root by its partition's type."""
    line = "console=ttyS0 quiet"
    image = unified(
        {".osrel": b"ID=os\n", ".cmdline": line.encode(), ".linux": kernel("taken"), ".initrd": initrd("early")}
    )
    efi = fat(
        at / "efi", {"EFI/Linux/os.efi": image, "EFI/systemd/systemd-bootx64.efi": b"MZ", "EFI/BOOT/BOOTX64.EFI": b"MZ"}
    )
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = images.gpt(at / "d.img", [(EFI, "esp", efi), (_X86_ROOT, "root-x86-64", root)])
    return Image((disk,), "taken", "early", line, 2)


def snapshots(at: Path) -> Image:
    """Everything on btrfs, which btrfs-progs read in one folder where the kernel can hold them there."""
    root = tree(at / "root", pair("boot/"))
    (at / "p").write_bytes(bytes(128 << 20))
    subprocess.run(["mkfs.btrfs", "-q", "--rootdir", str(root), str(at / "p")], check=True, stdout=subprocess.DEVNULL)
    disk = images.gpt(at / "d.img", [(ROOT, "r", at / "p")])
    return Image((disk,), "taken", "early", root=1) if confined.is_possible() else Image((disk,), refused="btrfs")


def microvm(at: Path) -> Image:
    """A guest for a microVM: a kernel and an ext4 root, two files."""
    (at / "vmlinux.bin").write_bytes(kernel("taken"))
    root = images.ext(at / "rootfs.ext4", tree(at / "root", {}))
    return Image((at / "vmlinux.bin", root), "taken", "", "", any_root=True)


def packed_zstd(at: Path) -> Image:
    """A card's image packed with zstd, as NixOS and postmarketOS publish them."""
    line = "root=/dev/mmcblk0p1 rw"
    text = f"DEFAULT a\nLABEL a\n  LINUX ../vmlinuz-2\n  INITRD ../initrd.img-2\n  APPEND {line}\n"
    root = images.ext(
        at / "p", tree(at / "root", pair("boot/", "arm64") | {"boot/extlinux/extlinux.conf": text}), mib=8
    )
    disk = images.mbr(at / "card.img", [(0x83, root)])
    subprocess.run(["zstd", "-q", "--rm", str(disk)], check=True)
    return Image((at / "card.img.zst",), "taken", "early", line, 1)


def antix(at: Path) -> Image:
    """A live stick of antiX: GRUB in the stick's root, the squashfs file beside the kernel."""
    menu = "set default=0\nmenuentry 'antiX' {\n  linux /antiX/vmlinuz quiet splasht disable=lx\n"
    menu += "  initrd /antiX/initrd.gz\n}\n"
    files: dict[str, str | bytes] = {
        "boot/grub/grub.cfg": menu,
        "antiX/vmlinuz": kernel("taken"),
        "antiX/initrd.gz": initrd("early"),
    }
    files |= {"antiX/linuxfs": read_only(at, "squashfs").read_bytes(), "version": "antiX-23\n"}
    stick = images.ext(at / "s", with_files(at / "stick", files), mib=16)
    return Image(
        (images.mbr(at / "d.img", [(0x83, stick)]),), "taken", "early", "quiet splasht disable=lx", any_root=True
    )


def plymouth_entry(at: Path) -> Image:
    """Pop!_OS: kernelstub's entry, kernel and initrd in a folder named by the root, `loader.conf` without an ending."""
    line = f"root=UUID={_UUID} ro quiet loglevel=0 systemd.show_status=false splash"
    folder = f"EFI/Pop_OS-{_UUID}"
    entry = "title Pop!_OS\nlinux /{0}/vmlinuz{2}.efi\ninitrd /{0}/initrd.img{2}\noptions {1}\n"
    files: dict[str, str | bytes] = {"loader/loader.conf": "default Pop_OS-current\ntimeout 0\n"}
    for name, end, word, early in (("current", "", "taken", "early"), ("oldkern", "-previous", "older", "other")):
        files[f"loader/entries/Pop_OS-{name}.conf"] = entry.format(folder, line, end)
        files |= {f"{folder}/vmlinuz{end}.efi": kernel(word), f"{folder}/initrd.img{end}": packed(early)}
    efi = fat(at / "efi", files | {"EFI/systemd/systemd-bootx64.efi": b"MZ"})
    root = images.ext(at / "p", tree(at / "root", {}))
    return Image((images.gpt(at / "d.img", [(EFI, "e", efi), (ROOT, "r", root)]),), "taken", "early", line, 2)


FURTHER: dict[str, Callable[[Path], Image]] = {
    "iPXE folder": ipxe,
    "GRUB, network folder": grub_network,
    "Rocky, saved entry, rescue": enterprise,
    "Proxmox, ZFS": proxmox,
    "LibreELEC, PC": appliance,
    "LibreELEC, Raspberry Pi": appliance_pi,
    "arm64 laptop, systemd-boot": arm_laptop,
    "arm64, GRUB, devicetree": arm_grub,
    "/boot by search": separate_boot,
    "FIT, second configuration": fit_by_script,
    "root by its type": discoverable,
    "btrfs alone": snapshots,
    "microVM, two files": microvm,
    "card.img.zst": packed_zstd,
    "antiX stick": antix,
    "Pop!_OS": plymouth_entry,
}

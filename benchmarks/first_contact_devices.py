# SPDX-License-Identifier: MIT
"""The other half of the fifth set: boards, appliances, media and folders that nobody prepared for bootlab.

Their files have the shape of those that the projects publish; truth by the manuals and sources of U-Boot, barebox, EFI
Boot Guard, Android, Syslinux, iPXE, LinuxKit and of the distributions' own scripts, written before bootlab read one.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

from benchmarks.first_contact_disks import DATA, ESP, Part, active, environment, gpt, script
from benchmarks.first_contact_distributions import Files, _unified, block
from benchmarks.first_contact_images import Image, card, empty_root, fat, initrd, kernel, pair, tree, with_files
from benchmarks.first_contact_others import packed, read_only
from tests.sources import images

_UUID = "6a1f3c52-9a3e-4b8e-8a52-0c2b6f4f1d11"
_RAUC = """
test -n "${BOOT_ORDER}" || setenv BOOT_ORDER "A B"
test -n "${BOOT_A_LEFT}" || setenv BOOT_A_LEFT 3
test -n "${BOOT_B_LEFT}" || setenv BOOT_B_LEFT 3
setenv bootargs
for BOOT_SLOT in "${BOOT_ORDER}"; do
  if test "x${bootargs}" != "x"; then
    # skip remaining slots
  elif test "x${BOOT_SLOT}" = "xA"; then
    if test ${BOOT_A_LEFT} -gt 0; then
      setexpr BOOT_A_LEFT ${BOOT_A_LEFT} - 1
      echo "Found valid slot A, ${BOOT_A_LEFT} attempts remaining"
      setenv load_kernel "load mmc 0:2 ${kernel_addr_r} boot/Image"
      setenv bootargs "${default_bootargs} root=/dev/mmcblk0p2 rauc.slot=A"
    fi
  elif test "x${BOOT_SLOT}" = "xB"; then
    if test ${BOOT_B_LEFT} -gt 0; then
      setexpr BOOT_B_LEFT ${BOOT_B_LEFT} - 1
      echo "Found valid slot B, ${BOOT_B_LEFT} attempts remaining"
      setenv load_kernel "load mmc 0:3 ${kernel_addr_r} boot/Image"
      setenv bootargs "${default_bootargs} root=/dev/mmcblk0p3 rauc.slot=B"
    fi
  fi
done
if test -n "${bootargs}"; then
  saveenv
else
  echo "No valid slot found, resetting tries to 3"
  setenv BOOT_A_LEFT 3
  setenv BOOT_B_LEFT 3
  saveenv
  reset
fi
echo "Loading kernel"
run load_kernel
load mmc 0:1 ${fdt_addr_r} board.dtb
booti ${kernel_addr_r} - ${fdt_addr_r}
"""
_SLOTS = {"default_bootargs": "console=ttymxc0,115200 rootwait", "kernel_addr_r": "0x40480000", "BOOT_A_LEFT": "3",
          "bootcmd": "load mmc 0:1 ${scriptaddr} boot.scr; source ${scriptaddr}", "scriptaddr": "0x50000000",
          "fdt_addr_r": "0x43000000", "BOOT_B_LEFT": "2", "BOOT_ORDER": "A B"}  # fmt: skip


def _board() -> bytes:
    return images.device_tree(images.BOARD)


def _two_roots(at: Path, boot: Files, more: Files) -> list[tuple[int, Path]]:
    parts = [(0x0C, fat(at / "b", boot | {"boot.scr": script(_RAUC), "board.dtb": _board()}))]
    for name, word in (("a", "older"), ("b", "taken")):
        root = tree(at / f"root-{name}", {"boot/Image": kernel(word, "arm64")} | more)
        parts.append((0x83, images.ext(at / f"p-{name}", root)))
    return parts


def rauc_redundant(at: Path) -> Image:
    """RAUC on U-Boot: two copies of the environment on FAT; the newer one, by its flag, puts B first."""
    old, new = environment(_SLOTS, 0x4000, flag=1), environment(_SLOTS | {"BOOT_ORDER": "B A"}, 0x4000, flag=2)
    parts = _two_roots(at, {"uboot.env": old, "uboot-redund.env": new}, {})
    line = "console=ttymxc0,115200 rootwait root=/dev/mmcblk0p3 rauc.slot=B"
    return Image((images.mbr(at / "d.img", parts),), "taken", "", line, 3)


def rauc_raw(at: Path) -> Image:
    """The same with the environment at an offset of the card, which /etc/fw_env.config of the roots names."""
    parts = _two_roots(at, {}, {"etc/fw_env.config": "# device offset size\n/dev/mmcblk0\t0x80000\t0x4000\n"})
    disk = images.mbr(at / "d.img", parts)
    data = bytearray(disk.read_bytes())
    data[0x80000:0x84000] = environment(_SLOTS | {"BOOT_A_LEFT": "0"}, 0x4000)
    disk.write_bytes(data)
    line = "console=ttymxc0,115200 rootwait root=/dev/mmcblk0p3 rauc.slot=B"
    return Image((disk,), "taken", "", line, 3)


def part_uuid(at: Path) -> Image:
    """A script that asks for the partition's UUID (`part uuid`), as Buildroot's boards have it."""
    text = "part uuid mmc 0:2 uuid\nsetenv bootargs console=ttyS2,115200 root=PARTUUID=${uuid} rootwait\n"
    text += "load mmc 0:1 ${kernel_addr_r} /Image\nload mmc 0:1 ${fdt_addr_r} /k3-am625-sk.dtb\n"
    text += "booti ${kernel_addr_r} - ${fdt_addr_r}\n"
    boot = fat(at / "b", {"boot.scr": script(text), "Image": kernel("taken", "arm64"), "k3-am625-sk.dtb": _board()})
    root = images.ext(at / "p", tree(at / "root", {}, systemd=False))
    line = "console=ttyS2,115200 root=PARTUUID=1234abcd-02 rootwait"
    return Image((images.mbr(at / "sdcard.img", [(0x0C, boot), (0x83, root)]),), "taken", "", line, 2)


def flash_kernel(at: Path) -> Image:
    """Debian's flash-kernel: `fk_kvers`, a loop over places, what fails falls through (`&& \\`)."""
    text = "setenv fk_kvers '6.1.0-9-arm64'\nif test -n \"${console}\"; then\n"
    text += '  setenv bootargs "${bootargs} console=${console}"\nfi\n'
    text += "setenv bootargs quiet ${bootargs} root=/dev/mmcblk0p1\n"
    text += 'if test -z "${fk_image_locations}"; then\n  setenv fk_image_locations ${prefix}\nfi\n'
    text += "for pathprefix in ${fk_image_locations}\ndo\n"
    text += "  load ${devtype} ${devnum}:${distro_bootpart} ${kernel_addr_r} ${pathprefix}vmlinuz-${fk_kvers} \\\n"
    text += "  && load ${devtype} ${devnum}:${distro_bootpart} ${fdt_addr_r} ${pathprefix}dtb-${fk_kvers} \\\n"
    text += "  && load ${devtype} ${devnum}:${distro_bootpart} ${ramdisk_addr_r} "
    text += "${pathprefix}initrd.img-${fk_kvers} \\\n"
    text += '  && echo "Booting Debian ${fk_kvers} from ${devtype} ${devnum}:${distro_bootpart}..." \\\n'
    text += "  && booti ${kernel_addr_r} ${ramdisk_addr_r}:${filesize} ${fdt_addr_r}\ndone\n"
    files: Files = {"boot/boot.scr": script(text), "boot/vmlinuz-6.1.0-9-arm64": kernel("taken", "arm64")}
    files |= {"boot/initrd.img-6.1.0-9-arm64": packed("early"), "boot/dtb-6.1.0-9-arm64": _board()}
    root = images.ext(at / "p", tree(at / "root", files))
    return Image((images.mbr(at / "d.img", [(0x83, root)]),), "taken", "early", "quiet root=/dev/mmcblk0p1", 1)


def bootable_flag(at: Path) -> Image:
    """U-Boot's standard boot takes the partition that is flagged (legacy_boot), not the first one with a menu."""
    text = "default l\nlabel l\n  kernel /Image\n  fdt /board.dtb\n  append {0}\n"
    parts = {}
    for number, word, line, flag in ((1, "older", "root=/dev/mmcblk0p1", 0), (2, "taken", "root=/dev/mmcblk0p2 rw", 4)):
        files: Files = {"extlinux/extlinux.conf": text.format(line), "Image": kernel(word, "arm64")}
        root = tree(at / f"root{number}", files | {"board.dtb": _board()})
        parts[number] = Part(images.ext(at / f"p{number}", root), DATA, f"os{number}", attributes=flag)
    return Image((gpt(at / "emmc.img", parts),), "taken", "", "root=/dev/mmcblk0p2 rw", 2)


def active_partition(at: Path) -> Image:
    """Two systems with Syslinux in an MBR: the BIOS starts the one in the active partition."""
    text = "DEFAULT l\nLABEL l\n  KERNEL ../vmlinuz\n  APPEND {0}\n"
    parts = []
    for number, word, line in ((1, "older", "root=/dev/sda1"), (2, "taken", "root=/dev/sda2 ro")):
        files: Files = {"boot/syslinux/syslinux.cfg": text.format(line), "boot/vmlinuz": kernel(word)}
        parts.append((0x83, images.ext(at / f"p{number}", tree(at / f"root{number}", files))))
    disk = active(images.mbr(at / "cf.img", parts), 2)
    return Image((disk,), "taken", "", "root=/dev/sda2 ro", 2)


def barebox(at: Path) -> Image:
    """barebox's bootspec: /loader/entries in the root itself, `devicetree`, the loader appends the root."""
    entry = "title Board {0}\nversion {0}\noptions console=ttymxc0,115200 rootwait\nlinux /boot/Image-{0}\n"
    entry += "devicetree /boot/board.dtb\nlinux-appendroot true\n"
    files: Files = {"boot/board.dtb": _board(), "boot/Image-6.6.9": kernel("older", "arm64")}
    files |= {f"loader/entries/{n}.conf": entry.format(n) for n in ("6.6.9", "6.6.10")}
    root = images.ext(at / "p", tree(at / "root", files | {"boot/Image-6.6.10": kernel("taken", "arm64")}))
    disk = images.mbr(at / "d.img", [(0x83, root)])
    line = "root=PARTUUID=1234abcd-01 console=ttymxc0,115200 rootwait"
    return Image((disk,), "taken", "", line, 1, keeps=("root=",))


def boot_guard(at: Path) -> Image:
    """EFI Boot Guard (Isar, CIP): two FAT partitions with BGENV.DAT; the newer one was tried once and failed."""

    def config(revision: int, state: int, label: str) -> bytes:
        name, line = (text.encode("utf-16-le").ljust(510, b"\0") for text in (f"C:{label}:linux.efi", ""))
        data = name + line + struct.pack("<BBHI", 0, state, 60, revision) + bytes(131072)
        return data + struct.pack("<I", zlib.crc32(data))

    parts = {1: Part(fat(at / "efi", {"EFI/BOOT/BOOTX64.EFI": b"MZ"}), ESP, "efi")}
    for number, label, revision, state, word in ((2, "BOOT0", 3, 0, "taken"), (3, "BOOT1", 4, 2, "newer")):
        image = _unified(word, "early" if word == "taken" else "other", f"root=PARTLABEL=sys{number - 2} rw")
        files: Files = {"linux.efi": image, "BGENV.DAT": config(revision, state, label)}
        files["EFILABEL"] = label.encode("utf-16-le")
        parts[number] = Part(fat(at / label, files), name=label)
        parts[number + 2] = Part(images.ext(at / f"p{number}", tree(at / f"r{number}", {})), name=f"sys{number - 2}")
    return Image((gpt(at / "isar.wic", parts),), "taken", "early", "root=PARTLABEL=sys0 rw", 4)


def android_disk(at: Path) -> Image:
    """postmarketOS on a phone: the whole eMMC, Android's boot image in `boot_a`, the root in `userdata`."""
    page, data, early = 2048, kernel("taken", "arm64"), initrd("early")
    line = f"console=ttyMSM0,115200 pmos_root_uuid={_UUID}"
    head = bytearray(page)
    struct.pack_into("<8sIIIIIIIII", head, 0, b"ANDROID!", len(data), 0, len(early), 0, 0, 0, 0, page, 0)
    head[64 : 64 + len(line)] = line.encode()
    body = b"".join(part + bytes(-len(part) % page) for part in (data, early))
    root = empty_root(at, "-U", _UUID)
    parts = {1: Part(b"\1" * 4096, name="xbl_a"), 2: Part(bytes(4096), name="misc")}
    parts |= {3: Part(bytes(head) + body, name="boot_a"), 4: Part(bytes(1 << 20), name="boot_b")}
    disk = gpt(at / "emmc.img", parts | {5: Part(root, name="userdata")})
    return Image((disk,), "taken", "early", line, 5, loses=("root=/dev",))


def postmarketos(at: Path) -> Image:
    """postmarketOS with extlinux on a boot partition: words in small letters, the root named in its own way."""
    line = f"init=/init.sh rw console=tty0 console=ttyS0,115200 pmos_boot_uuid=aa pmos_root_uuid={_UUID}"
    text = "timeout 1\ndefault postmarketOS\nmenu title boot prev kernel\n\nlabel postmarketOS\n\tkernel /vmlinuz\n"
    text += f"\tfdt /sun50i-a64-pinephone-1.2.dtb\n\tinitrd /initramfs\n\tappend {line}\n"
    files: Files = {"extlinux/extlinux.conf": text, "vmlinuz": kernel("taken", "arm64"), "initramfs": packed("early")}
    boot = with_files(at / "boot", files | {"sun50i-a64-pinephone-1.2.dtb": _board()})
    root = tree(at / "root", {}, systemd=False)
    parts = {1: Part(images.ext(at / "b", boot, kind="ext2"), ESP, "pmOS_boot")}
    parts[2] = Part(images.ext(at / "p", root, options=("-U", _UUID)), name="pmOS_root")
    disk = gpt(at / "pine64-pinephone.img", parts)
    return Image((disk,), "taken", "early", line, 2, loses=("root=/dev",))


def ubuntu_raspberry(at: Path) -> Image:
    """Ubuntu on a Raspberry Pi: `cmdline=`, `initramfs … followkernel`, the root by its label."""
    line = "console=serial0,115200 multipath=off dwc_otg.lpm_enable=0 console=tty1 root=LABEL=writable rootfstype=ext4"
    config = "[all]\nkernel=vmlinuz\ncmdline=cmdline.txt\ninitramfs initrd.img followkernel\n\n[pi4]\n"
    config += "max_framebuffers=2\narm_boost=1\n\n[all]\ndtparam=audio=on\ndisable_overscan=1\n\n[cm4]\n"
    config += "dtoverlay=dwc2,dr_mode=host\n\n[all]\narm_64bit=1\n"
    files: Files = {"config.txt": config, "cmdline.txt": f"{line} rootwait fixrtc\n", "start4.elf": b"x"}
    files |= {"vmlinuz": kernel("taken", "arm64"), "initrd.img": packed("early"), "bcm2711-rpi-4-b.dtb": _board()}
    files |= {"vmlinuz.bak": kernel("older", "arm64"), "initrd.img.bak": packed("other")}
    files |= {"user-data": "#cloud-config\n"}
    root = empty_root(at, "-L", "writable")
    disk = card(at, files, root)
    return Image((disk,), "taken", "early", f"{line} rootwait fixrtc", 2)


def ubuntu_core(at: Path) -> Image:
    """Ubuntu Core before its installation: the kernel lies in a snap below the seed, reached by `loopback`: refused."""
    menu = "set default=0\nset timeout=3\nif [ -e /EFI/ubuntu/grubenv ]; then\n"
    menu += "   load_env --file /EFI/ubuntu/grubenv snapd_recovery_mode snapd_recovery_system\nfi\n"
    menu += "set snapd_static_cmdline_args='console=ttyS0 console=tty1 panic=-1'\n"
    menu += 'if [ -z "$snapd_recovery_mode" ]; then\n    set snapd_recovery_mode=install\nfi\n'
    menu += 'for label in /systems/*; do\n    regexp --set 1:label "/([0-9]*)\\$" "$label"\n'
    menu += '    if [ -z "$label" ]; then\n        continue\n    fi\n    default=$snapd_recovery_mode-$label\n'
    menu += "    load_env --file /systems/$label/grubenv snapd_recovery_kernel\n"
    menu += '    menuentry "Install using $label" --id=install-$label $snapd_recovery_kernel install $label {\n'
    menu += "        loopback loop $2\n        chainloader (loop)/kernel.efi snapd_recovery_mode=$3 "
    menu += "snapd_recovery_system=$4 $snapd_static_cmdline_args\n    }\ndone\n"
    files: Files = {"EFI/ubuntu/grub.cfg": menu, "EFI/boot/bootx64.efi": b"MZ", "EFI/ubuntu/grubenv": block("")}
    files |= {"systems/20240601/grubenv": block("snapd_recovery_kernel=/snaps/pc-kernel_1.snap\n"),
              "snaps/pc-kernel_1.snap": read_only(at, "squashfs").read_bytes()}  # fmt: skip
    disk = gpt(at / "core.img", {2: Part(fat(at / "efi", files), ESP, "ubuntu-seed")})
    return Image((disk,), refused="snap")


def debian_live_folder(at: Path) -> Image:
    """A Debian live ISO that was unpacked: GRUB's menu in pieces, `findiso=` stays empty."""
    menu = "source /boot/grub/config.cfg\n\n# Live boot\n"
    menu += 'menuentry "Live system (amd64)" --hotkey=l {\n\tlinux\t/live/vmlinuz-2 boot=live components quiet splash '
    menu += 'findiso=${iso_path}\n\tinitrd\t/live/initrd.img-2\n}\nmenuentry "Live system (fail-safe)" {\n'
    menu += "\tlinux\t/live/vmlinuz-2 boot=live memtest noapic\n\tinitrd\t/live/initrd.img-2\n}\n"
    config = "set default=0\n\nif [ x$feature_default_font_path = xy ] ; then\n\tfont=unicode\nfi\n"
    config += "if loadfont $font ; then\n\tset gfxmode=800x600\n\tinsmod all_video\n\tterminal_output gfxterm\nfi\n"
    menu_32 = "INCLUDE stdmenu.cfg\nINCLUDE live.cfg\nDEFAULT live-amd64\nTIMEOUT 0\n"
    live = 'LABEL live-amd64\n\tSAY "Booting..."\n\tlinux /live/vmlinuz-2\n\tinitrd /live/initrd.img-2\n'
    live += "\tAPPEND boot=live components quiet splash findiso=\n"
    files = pair("live/") | {"boot/grub/grub.cfg": menu, "boot/grub/config.cfg": config, "isolinux/live.cfg": live}
    files |= {"isolinux/isolinux.cfg": "include menu.cfg\ndefault vesamenu.c32\nprompt 0\ntimeout 0\n",
              "isolinux/menu.cfg": menu_32, "isolinux/stdmenu.cfg": "menu background splash.png\n",
              "EFI/boot/bootx64.efi": b"MZ", "live/filesystem.squashfs": read_only(at, "squashfs").read_bytes(),
              ".disk/info": "Debian GNU/Linux 12 live\n"}  # fmt: skip
    line = "boot=live components quiet splash findiso="
    return Image((with_files(at / "iso", files),), "taken", "early", line, any_root=True)


def fedora_live_folder(at: Path) -> Image:
    """Fedora's live ISO, unpacked: the second entry, which checks the medium, is the default."""
    menu = 'set default="1"\n\nfunction load_video {\n  insmod all_video\n}\n\nload_video\nset gfxpayload=keep\n'
    menu += "set timeout=60\nsearch --no-floppy --set=root -l 'Fedora-WS-Live-41'\n\n"
    for title, more in (("Start", ""), ("Test this media & start", " rd.live.check")):
        menu += f"menuentry '{title} Fedora' --class fedora --class os {{\n\tlinux /images/pxeboot/vmlinuz "
        menu += f"quiet rhgb  root=live:CDLABEL=Fedora-WS-Live-41 rd.live.image{more}\n"
        menu += "\tinitrd /images/pxeboot/initrd.img\n}\n"
    files: Files = {"EFI/BOOT/grub.cfg": menu, "boot/grub2/grub.cfg": menu, "EFI/BOOT/BOOTX64.EFI": b"MZ"}
    files |= {"images/pxeboot/vmlinuz": kernel("taken"), "images/pxeboot/initrd.img": packed("early")}
    files["LiveOS/squashfs.img"] = read_only(at, "squashfs").read_bytes()
    line = "quiet rhgb root=live:CDLABEL=Fedora-WS-Live-41 rd.live.image rd.live.check"
    return Image((with_files(at / "iso", files),), "taken", "early", line, any_root=True)


def installer_tree(at: Path) -> Image:
    """Debian's graphical netboot tree: PXELINUX's menu in nested includes, the default said by the menu."""
    base = "debian-installer/amd64"
    text = f"path {base}/boot-screens/\ninclude {base}/boot-screens/menu.cfg\n"
    text += f"default {base}/boot-screens/vesamenu.c32\nprompt 0\ntimeout 0\n"
    menu = f"menu title Debian\ninclude {base}/boot-screens/stdmenu.cfg\ninclude {base}/boot-screens/gtk.cfg\n"
    menu += f"include {base}/boot-screens/txt.cfg\n"
    label = "label {0}\n\tmenu label {1}\n{2}\tkernel {3}/linux\n\tappend {4} initrd={3}/{5}initrd.gz --- quiet\n"
    files: Files = {"pxelinux.cfg/default": text, f"{base}/boot-screens/menu.cfg": menu, "pxelinux.0": b"\xfa" * 99}
    files |= {
        f"{base}/boot-screens/gtk.cfg": label.format(
            "installgui", "^Graphical", "\tmenu default\n", base, "vga=788", "gtk/"
        ),
        f"{base}/boot-screens/txt.cfg": label.format("install", "^Install", "", base, "vga=normal", ""),
        f"{base}/boot-screens/stdmenu.cfg": "menu background splash.png\n",
        f"{base}/linux": kernel("taken"),
        f"{base}/initrd.gz": initrd("other"),
        f"{base}/gtk/initrd.gz": initrd("early"),
    }
    return Image((with_files(at / "netboot", files),), "taken", "early", "vga=788 --- quiet", any_root=True)


def linuxkit(at: Path) -> Image:
    """LinuxKit's `kernel+initrd`: three files of one name, the line in the third."""
    line = "console=ttyS0 page_poison=1"
    files: Files = {"linuxkit-kernel": kernel("taken"), "linuxkit-initrd.img": initrd("early")}
    return Image((with_files(at / "out", files | {"linuxkit-cmdline": line}),), "taken", "early", line, any_root=True)


def nixos_netboot(at: Path) -> Image:
    """NixOS for the network: an iPXE script with a variable that nobody sets, names of Nix."""
    line = "init=/nix/store/aa-nixos-system-nixos-24.11/init nohibernate loglevel=4"
    text = "#!ipxe\n# Use the cmdline variable to allow the user to specify custom kernel params\n"
    text += f"kernel bzImage {line.replace(' nohib', ' initrd=initrd nohib')} ${{cmdline}}\ninitrd initrd\nboot\n"
    files: Files = {"netboot.ipxe": text, "bzImage": kernel("taken"), "initrd": packed("early")}
    return Image((with_files(at / "netboot", files),), "taken", "early", line, any_root=True)


def firmware_kernel(at: Path) -> Image:
    """A PC without any loader: the kernel itself stands where the firmware looks, its line is compiled in."""
    efi = fat(at / "efi", {"EFI/BOOT/BOOTX64.EFI": kernel("taken")})
    root = images.ext(at / "p", tree(at / "root", {}, systemd=False))
    return Image((gpt(at / "d.img", {1: Part(efi, ESP), 2: Part(root)}),), "taken", "", "", 2)


DEVICES: dict[str, Callable[[Path], Image]] = {
    "RAUC, redundant environment": rauc_redundant,
    "RAUC, environment on the card": rauc_raw,
    "script, part uuid": part_uuid,
    "flash-kernel": flash_kernel,
    "U-Boot, flagged partition": bootable_flag,
    "Syslinux, active partition": active_partition,
    "barebox, bootspec": barebox,
    "EFI Boot Guard": boot_guard,
    "Android's eMMC": android_disk,
    "postmarketOS, extlinux": postmarketos,
    "Ubuntu, Raspberry Pi": ubuntu_raspberry,
    "Ubuntu Core, seed": ubuntu_core,
    "Debian live, unpacked": debian_live_folder,
    "Fedora live, unpacked": fedora_live_folder,
    "Debian netboot, includes": installer_tree,
    "LinuxKit": linuxkit,
    "NixOS netboot": nixos_netboot,
    "the kernel as firmware's program": firmware_kernel,
}

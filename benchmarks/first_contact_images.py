# SPDX-License-Identifier: MIT
"""Images of systems that nobody prepared for bootlab, made by script: small, with what a boot loader's files say.

Each has kernels that differ by a word, so that a table can say which of them was taken. They have the layouts and files
of the images of distributions and build systems, and need packages of Debian's only (e2fsprogs, mtools).
"""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from tests.mini_boards import mini_board_kernel  # noqa: E402
from tests.mini_kernel import mini_kernel  # noqa: E402
from tests.sources import images  # noqa: E402
from tests.sources.test_menus import ARMBIAN, SLOTS  # noqa: E402

from bootlab.builders import cpio  # noqa: E402
from bootlab.model.system import Machine  # noqa: E402
from bootlab.model.tree import Entry, FileTree  # noqa: E402


class Image(NamedTuple):
    """What is given, and what the firmware would boot of it: a word of the kernel, of the initrd, its command line.

    `root`: the number of the partition with the root; None where there is none, `any_root` where the format does not
    say. `refused`: a word of the refusal. `never`: words that would be false. `keeps`: words that must stand in
    the command line for QEMU's machine; `loses`: those that must not. `tree`: a word of the device tree's model, ""
    where it does not count. `says`: words that must be said. `way`: words of the next command after a refusal.
    """

    given: tuple[Path, ...]
    kernel: str = "taken"
    initrd: str = ""
    cmdline: str = ""
    root: int | None = None
    any_root: bool = False
    refused: str = ""
    never: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    tree: str = ""
    says: tuple[str, ...] = ()
    way: str = ""


def kernel(word: str, arch: str = "x86_64") -> bytes:
    """Return a kernel with a word in it."""
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch) / "kernel"
        made = (
            mini_kernel(place, word)
            if arch == "x86_64"
            else mini_board_kernel(place, Machine(arch="arm64", type="virt"), word)
        )
        return made.read_bytes()


def initrd(word: str) -> bytes:
    """Return an initramfs with a word in it."""
    out = io.BytesIO()
    cpio.write(
        FileTree.of({"/init": Entry(kind="file", text="x", mode=0o755), f"/{word}": Entry(kind="file", text="")}), out
    )
    return gzip.compress(out.getvalue(), mtime=0)


def tree(folder: Path, files: dict[str, str | bytes], *, systemd: bool = True) -> Path:
    """Return a root tree with some files, and without those that tests have."""
    root = images.root_tree(folder, systemd=systemd)
    for path in (*(root / "boot").rglob("grub.cfg"), *(root / "boot").glob("vmlinuz*"), root / "etc/fstab"):
        path.unlink()
    return with_files(root, files)


def with_files(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, data in files.items():
        at = folder / name
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


def fat(path: Path, files: dict[str, str | bytes], mib: int = 8) -> Path:
    """Return a FAT file system with files in folders."""
    folder = with_files(path.with_suffix(".d"), files)
    path.write_bytes(bytes(mib << 20))
    subprocess.run(["mformat", "-i", str(path), "-h", "64", "-s", "32", "-t", str(mib), "-c", "1", "::"], check=True)
    names = sorted(str(item) for item in folder.iterdir())
    subprocess.run(["mcopy", "-s", "-i", str(path), *names, "::/"], check=True)
    return path


def empty_root(at: Path, *options: str) -> Path:
    """Return an ext4 root with no files but a root's own; `options` of mke2fs name it."""
    return images.ext(at / "p", tree(at / "root", {}), options=options)


def card(at: Path, files: dict[str, str | bytes], root: Path) -> Path:
    """Return a board's card: a FAT partition with files, and the root."""
    return images.mbr(at / "d.img", [(0x0C, fat(at / "b", files)), (0x83, root)])


ROOT, EFI, BOOT = b"r" * 16, bytes.fromhex("28732ac11ff8d211ba4b00a0c93ec93b"), b"b" * 16
GRUB = "set default=0\nmenuentry 'one' {{\n linux {0}/vmlinuz-2 {1}\n initrd {0}/initrd.img-2\n}}\n"
OLD = "menuentry 'old' {{\n linux {0}/vmlinuz-1 {1}\n}}\n"


def pair(folder: str, arch: str = "x86_64") -> dict[str, str | bytes]:
    return {
        f"{folder}vmlinuz-1": kernel("older", arch),
        f"{folder}vmlinuz-2": kernel("taken", arch),
        f"{folder}initrd.img-2": initrd("early"),
    }


def installer(at: Path) -> Image:
    """The folder of Debian's installer."""
    folder = with_files(
        at / "amd64", {"linux": kernel("taken"), "initrd.gz": initrd("early"), "pxelinux.0": b"\xfa" * 99}
    )
    return Image((folder,), initrd="early")


def debian(at: Path) -> Image:
    """Debian on an MBR disk, GRUB in /boot."""
    line = "root=UUID=77 ro quiet"
    root = tree(at / "root", pair("boot/") | {"boot/grub/grub.cfg": (GRUB + OLD).format("/boot", line)})
    return Image((images.mbr(at / "d.img", [(0x83, images.ext(at / "p", root))]),), "taken", "early", line, 1)


def debian_efi(at: Path) -> Image:
    """Debian on GPT: a stub on the EFI partition leads to the menu, the environment block to an older kernel."""
    line = "root=UUID=77 ro"
    stub = "search.fs_uuid 77 root\nset prefix=($root)'/boot/grub'\nconfigfile $prefix/grub.cfg\n"
    menu = GRUB.format("/boot", "x") + OLD.format("/boot", line) + 'load_env\nset default="${saved_entry}"\n'
    files = {"boot/grub/grub.cfg": menu, "boot/grub/grubenv": "saved_entry=old\n"}
    root = images.ext(at / "p", tree(at / "root", pair("boot/") | files))
    efi = fat(at / "efi", {"EFI/debian/grub.cfg": stub, "EFI/BOOT/BOOTX64.EFI": b"MZ"})
    return Image((images.gpt(at / "d.img", [(EFI, "efi", efi), (ROOT, "root", root)]),), "older", "", line, 2)


def fedora(at: Path) -> Image:
    """Fedora: `blscfg`, /boot of its own, a btrfs root that cannot be read."""
    entry = "title F {0}\nversion {0}\nlinux /vmlinuz-{0}\ninitrd /initrd.img-2\noptions root=UUID=5 $kernelopts\n"
    files = pair("") | {f"loader/entries/f-{n}.conf": entry.format(n) for n in (1, 2)}
    files |= {"grub2/grub.cfg": "load_env\nset default=0\nblscfg\n", "grub2/grubenv": "kernelopts=ro rhgb\n"}
    boot = images.ext(at / "boot", with_files(at / "b", files))
    btrfs = bytearray(4 << 20)
    btrfs[0x10040:0x10048] = b"_BHRfS_M"
    (at / "root").write_bytes(btrfs)
    disk = images.gpt(at / "d.img", [(BOOT, "boot", boot), (ROOT, "root", at / "root")])
    return Image((disk,), "taken", "early", "root=UUID=5 ro rhgb", 2)


def encrypted(at: Path) -> Image:
    """LUKS: an ext4 /boot with GRUB beside it."""
    line = "root=/dev/mapper/vg-root ro"
    boot = images.ext(at / "boot", with_files(at / "b", pair("") | {"grub/grub.cfg": GRUB.format("", line)}))
    (at / "root").write_bytes(b"LUKS\xba\xbe".ljust(4 << 20, b"\0"))
    return Image((images.mbr(at / "d.img", [(0x83, boot), (0x83, at / "root")]),), "taken", "early", line, 2)


def volume_group(at: Path) -> Image:
    """LVM: the same."""
    line = "root=/dev/mapper/vg-root ro"
    boot = images.ext(at / "boot", with_files(at / "b", pair("") | {"grub/grub.cfg": GRUB.format("", line)}))
    (at / "root").write_bytes((bytes(512) + b"LABELONE").ljust(4 << 20, b"\0"))
    return Image((images.mbr(at / "d.img", [(0x83, boot), (0x8E, at / "root")]),), "taken", "early", line, 2)


def no_menu(at: Path) -> Image:
    """A root whose boot loader bootlab does not know: the newest kernel, and the command line is said to be unknown."""
    root = tree(at / "root", pair("boot/"))
    return Image((images.mbr(at / "d.img", [(0x83, images.ext(at / "p", root))]),), "taken", "early", "", 1)


def systemd_boot(at: Path) -> Image:
    """systemd-boot: entries on the EFI partition; the newest has no tries left."""
    entry = "title {0}\nlinux /vmlinuz-{0}\noptions root=PARTUUID=7 n={0}\n"
    files = {"loader/entries/a-1.conf": entry.format(1), "loader/entries/a-2+0-3.conf": entry.format(2)}
    efi = fat(at / "efi", pair("") | files | {"EFI/systemd/systemd-bootx64.efi": b"MZ"})
    root = images.ext(at / "p", tree(at / "root", {}))
    disk = images.gpt(at / "d.img", [(EFI, "efi", efi), (ROOT, "root", root)])
    return Image((disk,), "older", "", "root=PARTUUID=7 n=1", 2)


def slots(at: Path) -> Image:
    """RAUC: two roots, GRUB's environment on the EFI partition says B."""
    efi = fat(at / "efi", {"EFI/BOOT/grub.cfg": SLOTS, "EFI/BOOT/grubenv": "A_OK=0\nB_OK=1\nB_TRY=0\n"})
    parts = []
    for name, word in (("a", "older"), ("b", "taken")):
        parts.append(images.ext(at / name, tree(at / f"root-{name}", {"vmlinuz": kernel(word)})))
    disk = images.gpt(at / "d.img", [(EFI, "efi", efi), (ROOT, "a", parts[0]), (ROOT, "b", parts[1])])
    return Image((disk,), "taken", "", "root=/dev/sda3 panic=60 quiet rauc.slot=B", 3)


def yocto_efi(at: Path) -> Image:
    """Yocto's grub-efi: menu and kernel on the EFI partition."""
    line = "root=PARTUUID=5 rootwait console=ttyS0"
    menu = f"serial --unit=0\ndefault=boot\ntimeout=1\nmenuentry 'boot'{{\nlinux /bzImage {line}\n}}\n"
    efi = fat(at / "efi", {"EFI/BOOT/grub.cfg": menu, "bzImage": kernel("taken"), "EFI/BOOT/bootx64.efi": b"MZ"})
    root = images.ext(at / "p", tree(at / "root", {}))
    return Image((images.mbr(at / "d.wic", [(0xEF, efi), (0x83, root)]),), "taken", "", line, 2)


def raspberry(at: Path, model: str) -> Image:
    """A Raspberry Pi's card."""
    line = "console=serial0,115200 root=PARTUUID=1-02 rootwait"
    files: dict[str, str | bytes] = {"cmdline.txt": f"{line}\n", "start4.elf": b"x", "initramfs8": initrd("other")}
    files |= {"kernel8.img": kernel("older" if model == "5" else "taken", "arm64")}
    config = "auto_initramfs=1\n[pi4]\narm_boost=1\n"
    if model == "5":
        files |= {"kernel_2712.img": kernel("taken", "arm64"), "initramfs_2712": initrd("early")}
        config += "[pi5]\nkernel=kernel_2712.img\n"
    boot = fat(at / "boot", files | {"config.txt": config + "[all]\n"})
    root = images.ext(at / "p", tree(at / "root", {}))
    early = "early" if model == "5" else "other"
    return Image((images.mbr(at / "d.img", [(0x0C, boot), (0x83, root)]),), "taken", early, line, 2)


def extlinux(at: Path) -> Image:
    """A card of an AM62 board: U-Boot's standard boot."""
    line = "console=ttyS2,115200n8 earlycon=ns16550a,mmio32,0x02800000 root=/dev/mmcblk1p1 rootwait"
    text = "default l0\nlabel l0\n  linux /boot/vmlinuz-2\n  initrd /boot/initrd.img-2\n  fdtdir /boot/dtbs\n"
    text += f"  append {line}\n"
    files = pair("boot/", "arm64") | {"boot/extlinux/extlinux.conf": text, "boot/dtbs/ti/k3-am625-sk.dtb": b"x"}
    root = images.ext(at / "p", tree(at / "root", files))
    return Image((images.mbr(at / "d.img", [(0x83, root)]),), "taken", "early", line, 1)


def armbian(at: Path) -> Image:
    """Armbian: boot.scr and its environment file."""
    script = b"\x27\x05\x19\x56" + bytes(60) + len(ARMBIAN).to_bytes(4, "big") + bytes(4) + ARMBIAN.encode()
    env = "verbosity=1\nconsole=both\nfdtfile=r/x.dtb\nrootdev=UUID=77\nrootfstype=ext4\noverlays=o\n"
    early = initrd("early")
    head = b"\x27\x05\x19\x56" + bytes(8) + len(early).to_bytes(4, "big") + bytes(8)
    wrapped = head + zlib.crc32(early).to_bytes(4, "big") + bytes([5, 22, 3, 0]) + bytes(32) + early
    files: dict[str, str | bytes] = {"boot/boot.scr": script, "boot/armbianEnv.txt": env, "boot/uInitrd": wrapped}
    files |= {"boot/Image": kernel("taken", "arm64"), "boot/dtb/r/x.dtb": images.device_tree(images.BOARD)}
    root = images.ext(at / "p", tree(at / "root", files))
    line = "root=UUID=77 rootwait rootfstype=ext4 console=ttyS0,115200 loglevel=1"
    return Image((images.mbr(at / "d.img", [(0x83, root)]),), "taken", "early", line, 1)


def script(at: Path) -> Image:
    """An i.MX8MP's card: boot.cmd on a FAT partition, kernel there, root on the second."""
    text = (
        "setenv bootargs console=ttymxc1,115200 root=/dev/mmcblk${devnum}p2 rootwait\n"
        "if load mmc ${devnum}:1 ${kernel_addr_r} Image.old; then true\n"
        "else load mmc ${devnum}:1 ${kernel_addr_r} Image; fi\n"
        "load mmc ${devnum}:1 ${fdt_addr_r} imx8mp-evk.dtb\nbooti ${kernel_addr_r} - ${fdt_addr_r}\n"
    )
    files: dict[str, str | bytes] = {"boot.cmd": text, "Image": kernel("taken", "arm64")}
    boot = fat(at / "boot", files | {"imx8mp-evk.dtb": images.device_tree(images.BOARD)})
    root = images.ext(at / "p", tree(at / "root", {}))
    line = "console=ttymxc1,115200 root=/dev/mmcblk0p2 rootwait"
    return Image((images.mbr(at / "d.img", [(0x0C, boot), (0x83, root)]),), "taken", "", line, 2)


def android(at: Path) -> Image:
    """Android's boot.img, version 2."""
    page, data, early = 2048, kernel("taken"), initrd("early")
    head = bytearray(page)
    head[:8] = b"ANDROID!"
    head[8:12], head[16:20] = len(data).to_bytes(4, "little"), len(early).to_bytes(4, "little")
    head[36:40], head[40:44], head[64:76] = page.to_bytes(4, "little"), (2).to_bytes(4, "little"), b"androidboot="
    body = b"".join(part + bytes(-len(part) % page) for part in (data, early))
    (at / "boot.img").write_bytes(bytes(head) + body)
    return Image((at / "boot.img",), "taken", "early", "androidboot=")


def init_of(at: Path, name: str) -> Image:
    """A root of another init, extlinux on a PC."""
    line = "root=/dev/sda1 rw"
    text = f"DEFAULT x\nLABEL x\n  KERNEL ../vmlinuz-2\n  APPEND initrd=../initrd.img-2 {line}\n"
    root = tree(at / "root", pair("boot/") | {"boot/extlinux/extlinux.conf": text}, systemd=False)
    link = root / "usr/sbin/init"
    link.unlink()
    (root / f"usr/sbin/{name}").write_bytes((root / "usr/bin/busybox").read_bytes())
    link.symlink_to(name)
    return Image((images.mbr(at / "d.img", [(0x83, images.ext(at / "p", root))]),), "taken", "early", line, 1)


def root_alone(at: Path) -> Image:
    """A root without a kernel: refused, with the way."""
    return Image((images.ext(at / "p.ext4", tree(at / "root", {})),), refused="no kernel")


def installer_iso(at: Path) -> Image:
    """An ISO image: refused, with the way."""
    (at / "d.iso").write_bytes((bytes(0x8001) + b"CD001").ljust(1 << 20, b"\0"))
    return Image((at / "d.iso",), refused="ISO")


MAKERS: dict[str, Callable[[Path], Image]] = {
    "installer folder": installer,
    "Debian, GRUB": debian,
    "Debian, EFI, saved entry": debian_efi,
    "Fedora, blscfg, btrfs": fedora,
    "LUKS beside /boot": encrypted,
    "LVM beside /boot": volume_group,
    "no menu": no_menu,
    "systemd-boot, spent entry": systemd_boot,
    "RAUC, slot B": slots,
    "Yocto grub-efi": yocto_efi,
    "Raspberry Pi 5": lambda at: raspberry(at, "5"),
    "Raspberry Pi 4": lambda at: raspberry(at, "4"),
    "AM62, extlinux": extlinux,
    "i.MX8MP, boot.cmd": script,
    "Armbian": armbian,
    "Android boot.img": android,
    "finit": lambda at: init_of(at, "finit"),
    "runit": lambda at: init_of(at, "runit-init"),
    "s6": lambda at: init_of(at, "s6-init"),
    "dinit": lambda at: init_of(at, "dinit"),
    "OpenRC": lambda at: init_of(at, "openrc-init"),
    "a root alone": root_alone,
    "ISO image": installer_iso,
}

# SPDX-License-Identifier: MIT
"""Folders as Buildroot and Yocto leave them, for boards that QEMU has: Debian's kernel, device tree and BusyBox inside.

The kernel is Debian's for many boards, so the drivers of cards and of ext4 are modules: the Yocto-shaped folder has an
initramfs that loads them and goes on with the card's root, as its own do.
"""

from __future__ import annotations

import gzip
import io
import shutil
from dataclasses import dataclass
from pathlib import Path

from bootlab.builders import cpio
from bootlab.model.tree import Entry, FileTree
from tests.sources import images

_INITTAB = """\
::sysinit:/bin/mount -t proc proc /proc
::sysinit:/bin/mount -t devtmpfs dev /dev
::sysinit:/bin/hostname -F /etc/hostname
::sysinit:/etc/init.d/rcS
{port}::respawn:/sbin/getty -L {port} 115200 vt100
"""
_RCS = """\
#!/bin/sh
echo "Starting network: OK"
for script in /etc/init.d/S??*; do $script start; done
"""
_APP = '#!/bin/sh\necho "panel: first picture ready"\n'
_EARLY = """\
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t proc proc /proc
for module in {modules}; do /bin/busybox insmod /modules/$module.ko; done
for word in $(/bin/busybox cat /proc/cmdline); do case $word in root=*) root=${{word#root=}};; esac; done
n=0
while [ ! -b "$root" ]; do n=$((n+1)); [ $n -gt 200 ] && echo "ALERT! $root does not exist" && break; /bin/busybox usleep 20000; done
/bin/busybox mount -t ext4 "$root" /mnt
exec /bin/busybox switch_root /mnt /sbin/init
"""  # noqa: E501 - a shell script's line
_LINKS = ("sh", "mount", "hostname", "login", "ls", "cat", "echo")


@dataclass(frozen=True)
class BoardCase:
    """A board: QEMU's machine, its device tree in Debian's package, its port, the modules of its card.

    `arch`: Debian's name of the architecture whose kernel it boots.
    """

    machine: str
    tree: str
    port: str
    modules: tuple[str, ...]
    arch: str = "armhf"

    @property
    def image(self) -> str:
        """The name of the kernel's image."""
        return "Image" if self.arch == "arm64" else "zImage"


BOARDS = (
    BoardCase("vexpress-a9", "vexpress-v2p-ca9.dtb", "ttyAMA0", ("fixed", "armmmci")),
    BoardCase("mcimx6ul-evk", "imx6ul-14x14-evk.dtb", "ttymxc0", ("fixed", "gpio_mxc", "sdhci_esdhc_imx")),
    BoardCase("sabrelite", "imx6q-sabrelite.dtb", "ttymxc1", ("fixed", "gpio_mxc", "sdhci_esdhc_imx")),
    BoardCase("orangepi-pc", "sun8i-h3-orangepi-pc.dtb", "ttyS0", ("fixed", "sunxi_mmc")),
    BoardCase("raspi0", "bcm2835-rpi-zero.dtb", "ttyAMA0", ("bcm2835", "sdhci_iproc"), "armel"),
    BoardCase("raspi2b", "bcm2836-rpi-2-b.dtb", "ttyAMA0", ("bcm2835", "sdhci_iproc")),
    BoardCase("raspi3b", "bcm2837-rpi-3-b.dtb", "ttyS1", ("bcm2835", "sdhci_iproc"), "arm64"),
)


def user_space(packages: Path, case: BoardCase) -> FileTree:
    """Return a small root: BusyBox, its init table with a login, two start scripts."""
    entries = {
        "/bin/busybox": Entry(kind="file", source=str(packages / "bin/busybox"), mode=0o755),
        "/sbin/init": Entry(kind="symlink", target="../bin/busybox"),
        "/sbin/getty": Entry(kind="symlink", target="../bin/busybox"),
        "/init": Entry(kind="symlink", target="sbin/init"),
        "/etc/inittab": Entry(kind="file", text=_INITTAB.format(port=case.port), mode=0o644),
        "/etc/init.d/rcS": Entry(kind="file", text=_RCS),
        "/etc/init.d/S50panel": Entry(kind="file", text=_APP),
        "/etc/passwd": Entry(kind="file", text="root::0:0:root:/root:/bin/sh\n", mode=0o644),
        "/etc/hostname": Entry(kind="file", text="panel\n", mode=0o644),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        **{f"/{name}": Entry(kind="dir") for name in ("proc", "sys", "tmp", "root", "mnt")},
        **{f"/bin/{name}": Entry(kind="symlink", target="busybox") for name in _LINKS},
    }
    return FileTree.of(entries)


def modules_of(packages: Path, names: tuple[str, ...]) -> list[Path]:
    """Return the modules' files, each after those that it needs."""
    files = {path.stem.replace("-", "_"): path for path in packages.glob("lib/modules/*/kernel/**/*.ko")}
    order: list[Path] = []

    def add(name: str) -> None:
        path = files.get(name)
        if path is None or path in order:
            return
        facts = path.read_bytes()
        at = facts.find(b"\0depends=")
        for needed in facts[at + 9 : facts.index(b"\0", at + 1)].decode().split(","):
            add(needed.replace("-", "_"))
        order.append(path)

    for name in names:
        add(name)
    return order


def _packed(tree: FileTree) -> bytes:
    out = io.BytesIO()
    cpio.write(tree, out)
    return gzip.compress(out.getvalue(), mtime=0)


def _on_disk(tree: FileTree, folder: Path) -> Path:
    for path, entry in tree.entries:
        place = folder / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind == "dir":
            place.mkdir(exist_ok=True)
        elif entry.kind == "symlink":
            place.symlink_to(entry.target or "")
        elif entry.kind == "file":
            if entry.source:
                shutil.copyfile(entry.source, place)
            else:
                place.write_text(entry.text or "")
            place.chmod(entry.mode)
    return folder


def _blob(packages: Path, case: BoardCase) -> Path:
    return next(packages.glob(f"usr/lib/linux-image-*/**/{case.tree}"))


def _kernel(packages: Path) -> Path:
    return next(packages.glob("boot/vmlinuz-*"))


def buildroot(packages: Path, case: BoardCase, folder: Path) -> Path:
    """Make an `output/` folder with an initramfs as the root."""
    output = folder / "output"
    (output / "images").mkdir(parents=True)
    shutil.copyfile(_kernel(packages), output / f"images/{case.image}")
    shutil.copyfile(_blob(packages, case), output / f"images/{case.tree}")
    config = next(packages.glob("boot/config-*"))
    (output / "build/linux-6.1").mkdir(parents=True)
    shutil.copyfile(config, output / "build/linux-6.1/.config")
    tree = user_space(packages, case)
    (output / "images/rootfs.cpio.gz").write_bytes(_packed(tree))
    _on_disk(tree, output / "target")
    (output / ".config").write_text(
        f"BR2_{'aarch64' if case.arch == 'arm64' else 'arm'}=y\n"
        f'BR2_LINUX_KERNEL_INTREE_DTS_NAME="{case.tree.removesuffix(".dtb")}"\n'
        f'BR2_TARGET_GENERIC_GETTY_PORT="{case.port}"\n'
    )
    return output


def yocto(packages: Path, case: BoardCase, folder: Path) -> Path:
    """Make a deploy folder: kernel, device tree, an initramfs with the card's modules, a `.wic` of two partitions."""
    deploy = folder / "deploy"
    deploy.mkdir(parents=True)
    kernel, blob = _kernel(packages), _blob(packages, case)
    shutil.copyfile(kernel, deploy / f"{case.image}--6.1-r0-board.bin")
    (deploy / case.image).symlink_to(f"{case.image}--6.1-r0-board.bin")
    shutil.copyfile(next(packages.glob("boot/config-*")), deploy / "kernel-config-6.1")
    shutil.copyfile(blob, deploy / case.tree)
    (deploy / "core-image-minimal-board.manifest").write_text("busybox armv7 1.36\n")
    boot = images.fat16(folder / "boot.vfat", {case.image: kernel.read_bytes(), case.tree: blob.read_bytes()},
                        clusters=64_900)  # fmt: skip
    root = images.ext(folder / "root.ext4", _on_disk(user_space(packages, case), folder / "root"), mib=8)
    images.mbr(deploy / "core-image-minimal-board.wic", [(0x0C, boot), (0x83, root)])
    modules = modules_of(packages, (*case.modules, "crc32c_generic", "ext4"))
    early = {
        "/init": Entry(kind="file", text=_EARLY.format(modules=" ".join(path.stem for path in modules))),
        "/bin/busybox": Entry(kind="file", source=str(packages / "bin/busybox"), mode=0o755),
        "/dev/console": Entry(kind="char", mode=0o600, major=5, minor=1),
        **{f"/{name}": Entry(kind="dir") for name in ("proc", "mnt", "dev")},
        **{f"/modules/{path.name}": Entry(kind="file", source=str(path)) for path in modules},
    }
    (deploy / "core-image-minimal-initramfs-board.cpio.gz").write_bytes(_packed(FileTree.of(early)))
    return deploy

# SPDX-License-Identifier: MIT
"""What the systems of first_contact_boots.py are made of: Debian packages, small root trees, file systems, disks.

A base root is made once by mmdebstrap. Kernel and initrds are taken from it, and small trees of a few packages' files.
Needs root (loop devices, chroot), mmdebstrap, e2fsprogs, mtools, fdisk.
"""

# ruff: noqa: E501 - menus, scripts and command lines stand as their loaders have them

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

# What the base holds: a kernel, the tools that make initrds and file systems, and init systems.
PACKAGES = [
    "linux-image-cloud-amd64",
    "initramfs-tools",
    "zstd",
    "busybox-static",
    "mdadm",
    "lvm2",
    "btrfs-progs",
    "kexec-tools",
    "runit",
    "s6",
    "openrc",
    "finit",
    "cryptsetup-bin",
    "cryptsetup-initramfs",
    "live-boot",
    "live-boot-initramfs-tools",
    "udev",
    "kmod",
    "iproute2",
    "xorriso",
    "isolinux",
    "syslinux-common",
    "mkbootimg",
    "vboot-kernel-utils",
    "tiny-initramfs-core",
    "dracut-core",
]
MODULES = "raid1\nbtrfs\nsquashfs\nerofs\noverlay\nisofs\nloop\nvfat\n"
EFI, LINUX, XBOOT = "uefi", "linux", "bc13c2ff-59e6-4262-a352-b275fd6f7172"
_LEFT_OUT = ("/usr/share/doc", "/usr/share/man", "/usr/share/locale", "/usr/share/bash-completion")


class Built(NamedTuple):
    """A system, and what its firmware would boot.

    `given`: the files that are given to bootlab. `kernel`, `initrds`: the files that are taken, in their order;
    `cmdline`: of the loader's entry; `root`: the number of the root's partition, None where no partition is the root.
    `goals`: lines of the console of which the goal must match one; `not_goal`: one that it must not. `refused`: a word that a
    refusal must have, where nothing of it boots under bootlab. `never`: words that would be false. `says`: words
    that must be said. `keeps`, `loses`: words of the command line in QEMU's machine.
    """

    given: tuple[Path, ...]
    kernel: Path | None = None
    initrds: tuple[Path, ...] = ()
    cmdline: str = ""
    root: int | None = None
    goals: tuple[str, ...] = ()
    not_goal: str = ""
    refused: str = ""
    never: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    arch: str = "x86_64"


def run(*words: str | Path, stdin: bytes | None = None) -> bytes:
    """Run a program; return what it prints. Raise CalledProcessError with its words where it fails."""
    done = subprocess.run([str(word) for word in words], input=stdin, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr.decode(errors='replace')}{done.stdout.decode(errors='replace')}")
    return done.stdout


class Base:
    """A Debian root with a kernel, and what is taken from it."""

    def __init__(self, folder: Path) -> None:
        """`folder`: where the base is made when it is first asked for, or stands already."""
        self.folder = folder

    @functools.cached_property
    def root(self) -> Path:
        """The root tree."""
        root = self.folder / "base"
        if not (root / "done").exists():
            shutil.rmtree(root, ignore_errors=True)
            run("mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", "bookworm", root)
            (root / "done").touch()
        return root

    @property
    def kernel(self) -> Path:
        """The kernel's file."""
        return next((self.root / "boot").glob("vmlinuz-*"))

    @property
    def version(self) -> str:
        """The kernel's version."""
        return self.kernel.name.partition("-")[2]

    def initrd(self, name: str, *, files: dict[str, str] | None = None) -> Path:
        """Return an initrd by initramfs-tools with the modules of all roots here, and files of its configuration."""
        at = self.root / "boot" / f"{name}.img"
        if not at.exists():
            folder = self.root / "etc" / f"initramfs-{name}"
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.root / "etc/initramfs-tools", folder)
            (folder / "modules").write_text(MODULES)
            for path, text in (files or {}).items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_text(text)
                (folder / path).chmod(0o755)
            self.chroot("mkinitramfs", "-d", f"/etc/{folder.name}", "-o", f"/boot/{at.name}", self.version)
        return at

    def chroot(self, *words: str | Path) -> bytes:
        """Run a program in the base, with /proc."""
        return run(
            "unshare", "--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"', self.root, *words
        )

    def tree(self, at: Path, packages: str, files: dict[str, str]) -> Path:
        """Return a root tree with the files of some packages, BusyBox's applets, and own files (scripts: executable)."""
        for name in (
            "usr/bin",
            "usr/sbin",
            "usr/lib",
            "usr/lib64",
            "etc",
            "proc",
            "sys",
            "dev",
            "run",
            "tmp",
            "root",
            "var",
        ):
            (at / name).mkdir(parents=True, exist_ok=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            (at / name).symlink_to(f"usr/{name}")
        for package in ("busybox-static", *packages.split()):
            for line in self.chroot("dpkg", "-L", package).decode().split():
                self._copy(Path(line), at)
        self._copy_libraries(at)
        for applet in run(self.root / "bin/busybox", "--list-full").decode().split():
            place = at / (applet if applet.startswith("usr/") else f"usr/{applet}")
            if not place.exists() and not place.is_symlink() and place.name != "busybox":
                place.symlink_to("/usr/bin/busybox")
        own = {
            "etc/os-release": 'ID=made\nPRETTY_NAME="Made"\n',
            "etc/passwd": "root::0:0:root:/root:/bin/sh\n",
            "etc/group": "root:x:0:\n",
        }
        for name, text in (own | files).items():
            place = at / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.is_symlink():
                place.unlink()
            place.write_text(text)
            place.chmod(0o755 if text.startswith("#!") else 0o644)
        return at

    def _copy_libraries(self, at: Path) -> None:
        """Copy the libraries that the programs of a tree need."""
        programs = [
            item
            for folder in ("usr/bin", "usr/sbin")
            for item in (at / folder).iterdir()
            if item.is_file() and not item.is_symlink()
        ]
        names = [f"/{item.relative_to(at)}" for item in programs if item.read_bytes()[:4] == b"\x7fELF"]
        if not names:
            return
        listed = self.chroot("sh", "-c", 'ldd "$@" || true', "ldd", *names).decode()
        for name in sorted(set(re.findall(r"(?:=> )?(/\S+) \(0x", listed))):
            path = Path(name)
            self._copy(path, at)
            while (self.root / str(path)[1:]).is_symlink():
                path = path.parent / (self.root / str(path)[1:]).readlink()
                self._copy(Path(os.path.normpath(path)), at)

    def _copy(self, name: Path, at: Path) -> None:
        source = self.root / name.relative_to("/")
        if str(name).startswith(_LEFT_OUT) or not (source.is_symlink() or source.is_file()):
            return
        place = at / name.relative_to("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.is_symlink() and not place.exists():
            shutil.copy2(source, place, follow_symlinks=False)


def ext4(path: Path, tree: Path, *, mib: int = 0, uuid: str = "", label: str = "") -> Path:
    """Return an ext4 file system with a tree."""
    mib = mib or used(tree) * 5 // 4 + 16
    words = ["-U", uuid] if uuid else []
    run("mke2fs", "-q", "-F", "-t", "ext4", *words, *(["-L", label] if label else []), "-d", tree, path, f"{mib}m")
    return path


def used(tree: Path) -> int:
    """Return the size of a tree in MiB."""
    return (
        sum(
            1 + (item.lstat().st_size >> 20) if not item.is_dir() and item.lstat().st_size > 1 << 19 else 0
            for item in tree.rglob("*")
        )
        + 8
    )


def fat(path: Path, files: dict[str, str | Path | bytes], *, mib: int = 0) -> Path:
    """Return a FAT file system with files."""
    folder = put(path.with_suffix(".d"), files)
    mib = mib or used(folder) * 5 // 4 + 8
    path.write_bytes(b"")
    os.truncate(path, mib << 20)
    run("mformat", "-i", path, "-h", "64", "-s", "32", "-t", str(mib), "-c", "4", "-N", "12345678", "::")
    run("mcopy", "-s", "-i", path, *sorted(str(item) for item in folder.iterdir()), "::/")
    return path


def put(folder: Path, files: dict[str, str | Path | bytes]) -> Path:
    """Write files below a folder: text, bytes, or another file's contents."""
    for name, data in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, Path):
            shutil.copyfile(data, place)
        else:
            place.write_bytes(data.encode() if isinstance(data, str) else data)
    return folder


def disk(path: Path, parts: list[tuple[str, Path]], *, label: str = "gpt", names: tuple[str, ...] = ()) -> Path:
    """Return a disk with partitions of (type, contents), made by sfdisk."""
    script, at, body = f"label: {label}\nlabel-id: {'0x5a5a1234' if label == 'dos' else DISK}\n", 2048, []
    for number, (kind, content) in enumerate(parts, 1):
        sectors = -(-content.stat().st_size // 512)
        extra = f", uuid={part_uuid(number)}" if label == "gpt" else ""
        extra += f', name="{names[number - 1]}"' if len(names) >= number and names[number - 1] else ""
        script += f"start={at}, size={sectors}, type={kind}{extra}\n"
        body.append((at, content))
        at += -(-sectors // 2048) * 2048
    path.write_bytes(b"")
    os.truncate(path, (at + 2048) * 512)
    run("sfdisk", "-q", path, stdin=script.encode())
    for start, content in body:
        run("dd", f"if={content}", f"of={path}", "bs=512", f"seek={start}", "conv=notrunc,sparse", "status=none")
    return path


DISK = "5b7c1a10-0000-4000-8000-000000000000"


def part_uuid(number: int) -> str:
    """Return the UUID that a partition of `disk` has."""
    return f"5b7c1a10-0000-4000-8000-{number:012d}"


def digest(path: Path) -> str:
    """Return a file's SHA-256."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def bootlab(folder: Path, *words: str, limit_s: float) -> subprocess.CompletedProcess[str]:
    """Run a command of bootlab as a user would, and keep what it printed as `VERB.txt`. Raise TimeoutExpired."""
    done = subprocess.run(
        [sys.executable, "-m", "bootlab.cli", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    (folder / f"{words[0]}.txt").write_text(done.stdout + done.stderr)
    return done

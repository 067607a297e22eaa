# SPDX-License-Identifier: MIT
"""Kernel source trees and what identifies them: Debian's, unpacked once, or a user's own, never written into."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bootlab.builders.cache import Cache, key_of
from bootlab.builders.kbuild.tar import tar
from bootlab.errors import EnvironmentFault, ToolMissing, UserError
from bootlab.kernelsource.version import version_in
from bootlab.model.system import debian_version
from bootlab.recordings import sealed

DEBIAN_ARCHIVES = Path("/usr/src")
_PARTS = ("Makefile", "Kconfig", "scripts/Kconfig.include", "arch", "init/Kconfig")
# Left by a build inside the tree; the kernel's own Makefile refuses such a tree too (`outputmakefile`).
_LEFTOVERS = (".config", "include/config", "arch/{folder}/include/generated")
_READ_BYTES = 1 << 20
_ARCHIVE = re.compile(r"linux-source-(\d+(?:\.\d+)*)\.tar\.xz")


class SourceTree(msgspec.Struct, frozen=True, kw_only=True):
    """A tree as it is: where, what identifies its contents, and the kernel's version as its Makefile says it."""

    path: Path
    identity: str
    version: str


class _Seen(msgspec.Struct, frozen=True):
    """What was found when a tree was read: the digest of names, sizes and times, and that of the contents."""

    look: str
    contents: str


def find(source: str, cache: Cache, *, arch_folder: str) -> SourceTree:
    """Return a checked tree. Raise UserError for a folder that is none or that was built in; ToolMissing."""
    if (version := debian_version(source)) is not None:
        tree, identity = _debian(version, cache)
        return SourceTree(path=tree, identity=identity, version=version_of(tree))
    tree = Path(source)
    _check(tree, arch_folder)
    return SourceTree(path=tree.resolve(), identity=identity_of(tree, cache), version=version_of(tree))


def debian_archive(version: str) -> Path:
    """Return where Debian's package linux-source-VERSION puts its archive."""
    return DEBIAN_ARCHIVES / f"linux-source-{version}.tar.xz"


def _debian(version: str, cache: Cache) -> tuple[Path, str]:
    archive = debian_archive(version)
    if not archive.is_file():
        raise _no_archive(version, archive)
    identity = cache.digest(archive)
    return unpacked(archive, identity, cache), identity


def _no_archive(version: str, archive: Path) -> ToolMissing:
    """Return the error. A release of Debian has one version of its own, so the package may not exist there."""
    fault = ToolMissing(
        f"Debian's kernel source ({archive})", package=f"linux-source-{version}", needed_for="by [kernel] source"
    )
    if others := debian_versions():
        named = " or ".join(f'"debian-{other}"' for other in others)
        fault.hint += f"; what is here already is source = {named}"
    else:
        fault.hint += "; another version that this release has: apt-cache search '^linux-source-'"
    return fault


def debian_versions() -> tuple[str, ...]:
    """Return the versions whose archives lie where Debian's packages put them, oldest first."""
    found = (_ARCHIVE.fullmatch(path.name) for path in DEBIAN_ARCHIVES.glob("linux-source-*.tar.xz"))
    return tuple(sorted((m[1] for m in found if m), key=lambda v: [int(part) for part in v.split(".")]))


def unpacked_place(sha256: str, cache: Cache) -> Path:
    """Return the folder that the archive of a digest is unpacked into; it may not be there yet."""
    return cache.root / "kernels" / "sources" / sha256[:16]


def unpacked(archive: Path, sha256: str, cache: Cache) -> Path:
    """Return the tree in an archive, unpacked once. Raise EnvironmentFault."""
    tree = unpacked_place(sha256, cache)
    if tree.is_dir():
        return tree
    store = tree.parent
    try:
        store.mkdir(parents=True, exist_ok=True)
        with (store / f"{tree.name}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not tree.is_dir():
                _unpack(archive, store, tree)
    except OSError as error:
        raise EnvironmentFault(
            f"{archive} cannot be unpacked below {store}: {error.strerror}",
            hint=f"it needs 1.5 GB: df -h {store}   (BOOTLAB_CACHE names another folder)",
        ) from error
    return tree


def _unpack(archive: Path, store: Path, tree: Path) -> None:
    # Of this archive only, whose lock is held: another one may be unpacked at the same time.
    own = f".new-{tree.name}-"
    for left in store.glob(f"{own}*"):
        shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=own, dir=store))
    try:
        complaint = tar("-xf", str(archive), "-C", str(work), "--strip-components=1", "--no-same-owner")
        if complaint:
            # tar goes on after the first file that does not fit, and says so of each.
            said = [line for line in complaint.splitlines() if line.strip()]
            full = next((line for line in said if "No space left on device" in line), "")
            raise EnvironmentFault(
                f"the disk is full: {full[-300:]}"
                if full
                else f"{archive} cannot be unpacked: {' '.join(said)[-300:]}",
                hint=f"it needs xz-utils and 1.5 GB: df -h {store}",
            )
        work.chmod(0o755)
        work.rename(tree)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _check(tree: Path, arch_folder: str) -> None:
    if not tree.is_dir():
        raise UserError(f"there is no folder {tree}", hint='kernel.source names a kernel source tree, or "debian"')
    missing = next((part for part in _PARTS if not (tree / part).exists()), None)
    if missing is not None:
        raise UserError(
            f"{tree} is not a kernel source tree: it has no {missing}",
            hint='name the folder that holds the kernel\'s Makefile, or take source = "debian"',
        )
    left = next((name for part in _LEFTOVERS if (tree / (name := part.format(folder=arch_folder))).exists()), None)
    if left is not None:
        raise UserError(
            f"{tree} contains a build ({left}), so the kernel cannot be built from it in another folder",
            hint=f"save its .config, then: make -C {tree} mrproper",
        )


def version_of(tree: Path) -> str:
    """Return the version that a tree's Makefile states (U-Boot's is written alike). Raise UserError without one."""
    number, _ = version_in(tree / "Makefile")
    if not number:
        raise UserError(f"{tree}/Makefile does not name a version", hint="is it the source's top folder?")
    return number


def identity_of(tree: Path, cache: Cache) -> str:
    """Identify the contents: by the commit when git says that all is as committed, else by reading every file once."""
    commit = _git(tree, "rev-parse", "HEAD") if (tree / ".git").exists() else None
    if commit and _git(tree, "status", "--porcelain") == "":
        return key_of("git", commit)
    look = hashlib.sha256()
    for name, status in _files(tree):
        look.update(b"%s\0%d %d %o\n" % (os.fsencode(name), status.st_size, status.st_mtime_ns, status.st_mode))
    place = cache.root / "kernels" / "sources" / f"{key_of(str(tree.resolve()))[:16]}.seen"
    seen = sealed.kept(place, _Seen)
    if seen is None or seen.look != look.hexdigest():
        seen = _Seen(look.hexdigest(), _contents(tree))
        place.parent.mkdir(parents=True, exist_ok=True)
        sealed.keep(place, seen)
    return key_of("contents", seen.contents)


def _git(tree: Path, *arguments: str) -> str | None:
    if shutil.which("git") is None:
        return None
    done = subprocess.run(
        ["git", "-C", str(tree), *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        env=os.environ | {"GIT_OPTIONAL_LOCKS": "0"},
    )
    return done.stdout.strip() if done.returncode == 0 else None


def _files(tree: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Walk in a fixed order; names are relative. git's own folder is not a part of the source."""
    folders = [""]
    while folders:
        folder = folders.pop()
        with os.scandir(tree / folder) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                name = f"{folder}/{entry.name}" if folder else entry.name
                if name == ".git":
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name)
                else:
                    yield name, entry.stat(follow_symlinks=False)


def _contents(tree: Path) -> str:
    whole = hashlib.sha256()
    for name, status in _files(tree):
        path = tree / name
        digest = hashlib.sha256()
        if path.is_symlink():
            digest.update(os.fsencode(path.readlink()))
        elif path.is_file():
            with path.open("rb") as file:
                while chunk := file.read(_READ_BYTES):
                    digest.update(chunk)
        whole.update(b"%s\0%o %s\n" % (os.fsencode(name), status.st_mode & 0o111, digest.hexdigest().encode()))
    return whole.hexdigest()

# SPDX-License-Identifier: MIT
"""Kernels that no menu names: the newest in /boot, or beside its modules, with the initramfs of its version."""

from __future__ import annotations

import re

from bootlab.formats.file_view import FileView
from bootlab.sources.facts import BootEntry
from bootlab.sources.menus.versions import version_of

_KERNEL = re.compile(r"(?:vmlinu[xz]|[zu]?Image|bzImage|kernel)(?:$|[-.])")


def is_kernel(name: str) -> bool:
    """Tell whether a file's name is one that kernels have."""
    return _KERNEL.match(name) is not None


def newest(view: FileView) -> tuple[BootEntry, ...]:
    """Return an entry made of the newest kernel in /boot, or of the newest beside its modules; none without one."""
    for folder in ("/boot", ""):
        if (entry := newest_in(view, folder, f"{folder}/ (a kernel by its name)")) is not None:
            return (entry,)
    return _of_modules(view)


def newest_in(view: FileView, folder: str, source: str) -> BootEntry | None:
    """Return an entry of a folder's newest kernel and the initramfs of its version; None without a kernel."""
    kernels = [name for name in view.names(folder or "/") if is_kernel(name)]
    kernels = [name for name in kernels if view.kind(f"{folder}/{name}") == "file" and not name.endswith(".old")]
    if not kernels:
        return None
    kernel = max(kernels, key=version_of)
    version = kernel.partition("-")[2]
    initrds = (f"initrd.img-{version}", f"initramfs-{version}.img", f"initrd-{version}", "initrd.img", "initrd.gz")
    initrd = next((f"{folder}/{name}" for name in initrds if view.kind(f"{folder}/{name}") == "file"), "")
    found = (initrd,) if initrd else ()
    return BootEntry(kernel=f"{folder}/{kernel}", initrds=found, source=source, default=True)


def _of_modules(view: FileView) -> tuple[BootEntry, ...]:
    """Return an entry of the newest kernel that lies beside its modules, as Debian 14 and Fedora have it."""
    releases = [name for name in view.names("/lib/modules") if view.kind(f"/lib/modules/{name}/vmlinuz") == "file"]
    if not releases:
        return ()
    release = max(releases, key=version_of)
    folder = f"/lib/modules/{release}"
    tried = (
        f"/boot/initrd.img-{release}",
        f"/boot/initramfs-{release}.img",
        f"{folder}/initramfs.img",
        f"{folder}/initrd",
    )
    initrds = tuple(path for path in tried if view.kind(path) == "file")[:1]
    where = f"{folder}/ (a kernel by its name)"
    return (BootEntry(kernel=f"{folder}/vmlinuz", initrds=initrds, source=where, default=True),)

# SPDX-License-Identifier: MIT
"""The UEFI shell's startup.nsh: a kernel started as a program (Linux: Documentation/admin-guide/efi-stub.rst)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from bootlab.sources.facts import BootEntry

_VOLUME = re.compile(r"^[A-Za-z]\w*:(?=$|[\\/])")
_COMMENT = "#"


def parse_shell_script(text: str, source: str, root: str, is_kernel: Callable[[str], bool]) -> BootEntry | None:
    """Return the first kernel that a script starts; None where it starts another program, or none.

    `root`: the folder of the EFI partition. `is_kernel`: tells whether a file is a kernel: loaders are programs too.
    """
    folder = root
    for raw in text.splitlines():
        words = raw.strip().lstrip("@").split()
        if not words or words[0].startswith(_COMMENT):
            continue
        if words[0].lower() == "cd" and len(words) > 1:
            folder = _place(words[1], root, folder)
            continue
        program = _place(words[0], root, folder)
        tried = [program, f"{program}.efi"]
        kernel = next((path for path in tried if is_kernel(path)), None)
        if kernel is not None:
            initrds = [word.partition("=")[2] for word in words[1:] if word.startswith("initrd=")]
            return BootEntry(
                title="startup.nsh",
                kernel=kernel,
                # The kernel's own stub takes initrd= from the root of the volume that it lies on.
                initrds=tuple(_place(path, root, root) for path in initrds),
                cmdline=" ".join(word for word in words[1:] if not word.startswith("initrd=")),
                source=source,
                default=True,
            )
    return None


def _place(path: str, root: str, folder: str) -> str:
    """Return where a path of the shell's leads: `fs0:` is the script's volume, backslashes part folders."""
    own = _VOLUME.sub("", path).replace("\\", "/")
    base = root if own.startswith("/") or own != path.replace("\\", "/") else folder
    return posixpath.normpath(f"{base}/{own.lstrip('/')}")

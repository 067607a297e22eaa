# SPDX-License-Identifier: MIT
"""Files in which others lie where no table says so: a firmware's flash by coreboot, a script with an archive behind it.

Both are refused with the program, or the script's own command, that takes the files out; nothing is run.
"""

from __future__ import annotations

import mmap
import re
from pathlib import Path

from bootlab.errors import UserError

# Each file of coreboot's begins so, at a multiple of 64 bytes (commonlib/cbfs_serialized.h).
_CBFS, _CBFS_STEP_BYTES = b"LARCHIVE", 64
_SEARCHED_BYTES, _SCRIPT_BYTES = 64 << 20, 1 << 17
_NAME_AT, _NAMES_SHOWN = 24, 6
# How such scripts cut themselves off: by a line of their own, or with Makeself's options.
_MARKER = re.compile(r"""sed\s+(?:-e\s+)?['"]1,/\^?(?P<marker>[\w-]+)\$?/\s*d['"]""")
_MAKESELF = re.compile(r"[Mm]akeself")


def refusal(path: Path) -> UserError | None:
    """Return what is said of such a file; None for another one."""
    with path.open("rb") as file:
        head = file.read(_SCRIPT_BYTES)
        if head.startswith(b"#!"):
            return _script(path, head)
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (ValueError, OSError):
            return None
        with data:
            names = _names(data)
    if not names:
        return None
    listed = ", ".join(names[:_NAMES_SHOWN])
    return UserError(
        f"{path} is a firmware's flash, made by coreboot, with the files {listed}",
        hint=f"cbfstool {path} print lists them; cbfstool {path} extract -n NAME -f FILE takes one out; where the "
        "payload is Linux, give the kernel and the initrd that it was made of",
    )


def _names(data: mmap.mmap) -> list[str]:
    names: list[str] = []
    at = data.find(_CBFS)
    while 0 <= at < _SEARCHED_BYTES and len(names) <= _NAMES_SHOWN:
        name = data[at + _NAME_AT : at + _NAME_AT + 64].split(b"\0")[0]
        if at % _CBFS_STEP_BYTES == 0 and name and name.isascii() and name.decode().isprintable():
            names.append(name.decode())
        at = data.find(_CBFS, at + 1)
    return names


def _script(path: Path, head: bytes) -> UserError | None:
    if b"\0" not in head:
        return None
    text = head.split(b"\0")[0].decode("utf-8", "replace")
    what = f"{path} is a script with an archive behind it"
    what += ", an installer for switches (ONIE)" if re.search(r"\bonie\b", text, re.IGNORECASE) else ", an installer"
    marker = _MARKER.search(text)
    give = "then give the kernel and the initrd, or the root, that lie in it"
    if marker is not None:
        unpack = f"mkdir files; sed -e '1,/^{marker['marker']}$/d' {path} | tar -xf - -C files"
        return UserError(what, hint=f"unpack it as the script does: {unpack}; {give}")
    if _MAKESELF.search(text):
        return UserError(
            what, hint=f"unpack it without running what is inside: sh {path} --noexec --target files; {give}"
        )
    return UserError(what, hint=f"look how it finds its archive: strings {path} | head -n 100; {give}")

# SPDX-License-Identifier: MIT
"""A program that reads an image of unknown origin: it writes in one folder only, and ends in time.

An image may name files `../../x`, have a link where it has a folder, or never end. The kernel's Landlock holds the
program in its folder, without any right of root (Documentation/userspace-api/landlock.rst).
"""

from __future__ import annotations

import ctypes
import functools
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path

from bootlab.errors import UserError

TIME_MAX_S = 600.0
"""How long one program may run."""
FILE_MAX_BYTES = 4 << 30
"""How long one file that it writes may be."""
PRINTED_MAX_BYTES = 1 << 30
"""How much a program may print."""
ROOM_KEPT_BYTES = 1 << 30
"""What must stay free on the disk that it writes to."""

# include/uapi/asm-generic/unistd.h: the same numbers on every architecture; include/uapi/linux/landlock.h.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_ASKED, _PATH_BENEATH = 1, 1
# Write, remove and make files of any kind: all but to run, to read and to list.
_WRITES = 0x1FF2
_TRUNCATE, _TRUNCATE_SINCE = 1 << 14, 3
_NO_NEW_PRIVILEGES = 38
_LOOK_AGAIN_S = 0.02
_SAID_BYTES = 300


class _Rules(ctypes.Structure):
    _fields_ = (("handled", ctypes.c_uint64),)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


@functools.cache
def _version() -> int:
    """Return the version of the kernel's Landlock; 0 or less where there is none."""
    found = ctypes.CDLL(None, use_errno=True).syscall(_CREATE_RULESET, None, 0, _VERSION_ASKED)
    return int(found)


def is_possible() -> bool:
    """Tell whether this kernel holds a program in a folder."""
    return _version() > 0


def _hold_in(folder: int, writes: int) -> None:
    """Let this process, and what it starts, write below an open folder only. Raise OSError."""
    library = ctypes.CDLL(None, use_errno=True)
    rules = _Rules(writes)
    ruleset = library.syscall(_CREATE_RULESET, ctypes.byref(rules), ctypes.sizeof(rules), 0)
    own = _Beneath(writes, folder)
    done = (
        ruleset >= 0
        and library.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, ctypes.byref(own), 0) == 0
        and library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0
        and library.syscall(_RESTRICT_SELF, ruleset, 0) == 0
    )
    if not done:
        raise OSError(ctypes.get_errno(), "the program cannot be held in its folder")


def run(command: list[str], folder: Path, time_max_s: float = TIME_MAX_S) -> bytes:
    """Run a program that may write below a folder only; return what it printed.

    Raise UserError when it fails, does not end in time, or fills the disk.
    """
    name = Path(command[0]).name
    writes = _WRITES | (_TRUNCATE if _version() >= _TRUNCATE_SINCE else 0)
    said, printed = folder / "said", folder / "printed"
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY)

    def prepare() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX_BYTES, FILE_MAX_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _hold_in(place, writes)

    try:
        with printed.open("wb") as out, said.open("wb") as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                cwd=folder,
                env={"LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ.get("PATH", os.defpath)},
                start_new_session=True,
                preexec_fn=prepare,  # noqa: PLW1509 - it calls the kernel only
            )
            ended_by = _watched(process, folder, time_max_s)
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"{name} could not be started: {error}", hint=f"its version: {name} --version") from error
    finally:
        os.close(place)
    if ended_by:
        raise UserError(f"{name} was stopped: {ended_by}", hint="is the image damaged?")
    if process.returncode:
        words = " ".join(_end_of(said).decode(errors="replace").split()) or f"code {process.returncode}"
        raise UserError(f"{name} cannot read it: {words}", hint="is the image damaged, or newer than the program?")
    if printed.stat().st_size > PRINTED_MAX_BYTES:
        raise UserError(f"{name} printed more than {PRINTED_MAX_BYTES:,} bytes", hint="is the image damaged?")
    return printed.read_bytes()


def _end_of(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _SAID_BYTES))
        return file.read()


def _watched(process: subprocess.Popen[bytes], folder: Path, time_max_s: float) -> str:
    """Wait for the end of a program; return why it was ended, "" where it ended by itself."""
    begun = time.monotonic()
    wait_s = _LOOK_AGAIN_S / 10
    try:
        while True:
            try:
                process.wait(wait_s)
            except subprocess.TimeoutExpired:
                wait_s = min(2 * wait_s, 10 * _LOOK_AGAIN_S)
            else:
                return ""
            if time.monotonic() - begun > time_max_s:
                return f"it did not end within {time_max_s:g} s"
            if shutil.disk_usage(folder).free < ROOM_KEPT_BYTES:
                return f"the disk of {folder.parent} is nearly full"
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

# SPDX-License-Identifier: MIT
"""The one tree of errors. Each says what happened, where, and the next command to try.

Exit codes of the command line: 1 a bug (an exception that is none of these), 2 the user's input, 3 the environment (a
tool is missing, KVM does not work), 4 the target (the family; each way a boot fails has its own code, see
:class:`bootlab.model.recording.Outcome`), 5 the measurement cannot be trusted.
"""

from __future__ import annotations

import enum
import errno
from typing import Self

from bootlab import host_packages


class BootlabError(Exception):
    """Root of everything bootlab raises on purpose."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        """Keep what happened (with its place) and the way out."""
        super().__init__(message)
        self.message = message
        self.hint = hint


class UserError(BootlabError):
    """The input is wrong: a system file, an option, a name."""

    exit_code = 2


class SystemFileError(UserError):
    """A system file does not say what it must. Carries the file and the key or line."""

    def __init__(self, message: str, *, path: str, where: str = "", hint: str = "") -> None:
        """Name the file and the key (`machine.memory_mib`) or line (`line 7`)."""
        place = f"{path}: {where}" if where else path
        super().__init__(f"{place}: {message}", hint=hint)
        self.path = path
        self.where = where


class BuildError(UserError):
    """What a system boots from cannot be built. Of a variant, this is a result.

    `missing`: functions and data that the linker did not find. `log`: the file with what the build said, or "".
    """

    def __init__(self, message: str, *, hint: str = "", missing: frozenset[str] = frozenset(), log: str = "") -> None:
        """Keep what is missing, and where it is said."""
        super().__init__(message, hint=hint)
        self.missing = missing
        self.log = log


class ProgramBuildError(BuildError):
    """A program's build command or its compiler refuses what was asked for."""


class KernelBuildError(BuildError):
    """The kernel's configuration or its compiler refuses what was asked for."""


class LoaderBuildError(BuildError):
    """A boot loader cannot be configured, patched or compiled as it was asked for."""


class EnvironmentFault(BootlabError):
    """Something outside the input is missing or broken on this machine."""

    exit_code = 3


class ToolMissing(EnvironmentFault):
    """A program that this step needs is not installed."""

    def __init__(self, tool: str, *, package: str, needed_for: str) -> None:
        """Name the program, Debian's package of it, and what needs it."""
        super().__init__(
            f"{tool} is not installed; it is needed {needed_for}",
            hint=f"install it: {host_packages.install(package)}   (then check with: bootlab doctor)",
        )
        self.tool = tool
        self.package = package


class SourceMissing(EnvironmentFault):
    """Source, or a library, that a variant is built from is not on this machine."""


class TargetError(BootlabError):
    """The thing that boots misbehaved."""

    exit_code = 4


class MeasurementError(BootlabError):
    """A measurement was made but must not be believed."""

    exit_code = 5


_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})
_SQLITE_FULL, _SQLITE_READ_ONLY, _SQLITE_NOT_A_DATABASE = 13, 8, 26


def of_writing(fault: OSError) -> bool:
    """Tell whether an error that came while one file was copied to another can only be the written one's."""
    return fault.errno in {*_FULL, errno.EROFS}


def is_lasting(fault: BaseException) -> bool:
    """Tell whether the system's error behind a fault stays until somebody acts: a read-only disk, a missing right."""
    return getattr(fault.__cause__, "errno", None) in {*_FORBIDDEN, errno.EROFS}


def write_hint(fault: Exception, folder: object, *, besides: str = "") -> str:
    """Return the next step for what could not be written below `folder`: no room, a read-only disk, or no right.

    `fault`: an OSError or a sqlite3.Error. `besides`: another way out, put behind it in brackets.
    """
    number, of_sqlite = getattr(fault, "errno", None), getattr(fault, "sqlite_errorcode", None)
    if number in _FULL or of_sqlite == _SQLITE_FULL:
        hint = f"is there room? df -h {folder}"
    elif of_sqlite == _SQLITE_NOT_A_DATABASE:
        hint = "it is some other file: name another one, or move it away"
    elif number == errno.EROFS or of_sqlite == _SQLITE_READ_ONLY:
        hint = f"the file system is mounted read-only: findmnt -T {folder}"
    elif number == errno.ENOENT:
        hint = f"the folder does not exist: mkdir -p {folder}"
    elif number in _FORBIDDEN:
        hint = f"may you write there? ls -ld {folder}"
    else:
        hint = f"is there room, and may you write there? df -h {folder}; ls -ld {folder}"
    return f"{hint}   ({besides})" if besides else hint


def cannot_write(message: str, fault: Exception, folder: object, *, besides: str = "") -> EnvironmentFault:
    """Return the error for what could not be written below `folder`, with the system's words and :func:`write_hint`."""
    said = getattr(fault, "strerror", None) or str(fault)[:200]
    return EnvironmentFault(f"{message}: {said}", hint=write_hint(fault, folder, besides=besides))


_NAMES = frozenset({errno.ENAMETOOLONG, errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, *_FORBIDDEN})
_SHOWN_NAME = 80


def of_a_file(fault: OSError) -> BootlabError | None:
    """Return the error for what the system said of a file or folder, None where it named none.

    A name that is none, or a right that is missing, is the user's; a file that went away meanwhile too.
    """
    if fault.filename is None or fault.errno is None:
        return None
    name = fault.filename.decode("utf-8", "replace") if isinstance(fault.filename, bytes) else str(fault.filename)
    shown = name if len(name) <= _SHOWN_NAME else f"{name[: _SHOWN_NAME // 2]}...{name[-_SHOWN_NAME // 2 :]}"
    message = f"{shown}: {fault.strerror}"
    if fault.errno == errno.ENAMETOOLONG:
        return UserError(message, hint="no file can have this name: is a text given where a file is meant?")
    if fault.errno == errno.ENOENT:
        return UserError(message, hint=f"is it there, and does nothing remove it meanwhile? ls -ld {shown}")
    if fault.errno in _NAMES:
        return UserError(message, hint=f"ls -ld {shown}")
    return EnvironmentFault(message, hint=write_hint(fault, shown))


class Found(enum.IntEnum):
    """What a verb found that did its work: no error, and never 1, so that a script can tell a regression from a crash.

    Documented in docs/reference/exit-codes.md, which is made from this.
    """

    APPLIES = 10, "`check`: at least one technique applies"
    REGRESSION = 11, "`analyze`, `gate`, `boot --budget`: a budget is exceeded, or something became slower"
    NOT_SO = (
        12,
        "`lpj test`: failed; `lpj validate`: the value does not fit; `verify`: one is missing; `board health`: ill",
    )
    CANNOT_RUN = 13, "`rootfs check`: programs other than the first one cannot start"
    UNDECIDED = (
        14,
        "`gate`, `boot --budget`, `verify`: undecided, never a pass; `bisect`: no revision can be blamed",
    )

    meaning: str

    def __new__(cls, code: int, meaning: str) -> Self:
        """Keep what the code means beside it."""
        found = int.__new__(cls, code)
        found._value_ = code
        found.meaning = meaning
        return found

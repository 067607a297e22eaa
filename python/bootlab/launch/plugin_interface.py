# SPDX-License-Identifier: MIT
"""Which versions of the TCG plugin interface a QEMU takes: asked of that QEMU, never told from its version."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import subprocess
from pathlib import Path

import msgspec

from bootlab.launch.emulator import ELF, Emulator
from bootlab.launch.plugin_build import built
from bootlab.recordings import sealed

NEWEST = 7
"""The newest version that bootlab's plugins can be compiled for (BOOTLAB_NEWEST_API of plugin-api.h)."""

# A QEMU tells its versions to a plugin of a version that it takes: those of QEMU 11.1, 7.2 and 10.0 first.
_TRIED = (7, 1, 4, 3, 2, 5, 6)
_SOURCES = ("ask-qemu.c", "plugin-api.h")
_LIMIT_S = 60


class Interface(msgspec.Struct, frozen=True, kw_only=True):
    """What a QEMU said. `reason`: why it cannot be used, or an empty text.

    `build` is the identity of the QEMU program (its ELF note NT_GNU_BUILD_ID), an empty text when it has none.
    """

    minimum: int = 0
    newest: int = 0
    target: str = ""
    build: str = ""
    reason: str = ""

    @property
    def version(self) -> int:
        """The version to compile for. Only where there is no `reason`."""
        return min(self.newest, NEWEST)


def ask(emulator: Emulator, cache_folder: Path) -> Interface:
    """Return what this QEMU says; it is started once, and its answer kept.

    Raise EnvironmentFault without the sources of the plugin that asks, OSError where nothing can be kept.
    """
    try:
        status = Path(emulator.path).stat()
        with Path(emulator.path).open("rb") as file:
            is_program = file.read(len(ELF)) == ELF
    except OSError as fault:
        return Interface(reason=f"{emulator.path} cannot be read: {fault.strerror}")
    facts = (emulator.path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
    return _ask(facts, cache_folder, is_program)


@functools.lru_cache(maxsize=16)
def _ask(facts: tuple[str, int, int, int, int], cache_folder: Path, is_program: bool) -> Interface:
    key = hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
    kept = cache_folder / "plugin" / f"interface-{key}.json"
    # A script may start another program tomorrow.
    if is_program and (known := sealed.kept(kept, Interface)) is not None:
        return known
    probe = built(_SOURCES, NEWEST, cache_folder)
    if probe.path is None:
        return Interface(reason=probe.reason)
    found = _answer(facts[0], probe.path)
    if is_program and not found.reason:
        _keep(kept, found)
    return found


def _answer(path: str, probe: str) -> Interface:
    words = [path, "-machine", "none", "-nodefaults", "-display", "none", "-plugin", probe.replace(",", ",,")]
    said = ""
    for version in _TRIED:
        try:
            done = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_LIMIT_S,
                check=False,
                env=os.environ | {"BOOTLAB_ASK_API": str(version)},
            )
        except subprocess.TimeoutExpired:
            return Interface(reason=f"{path} did not say within {_LIMIT_S} s which plugin interface it has")
        except OSError as fault:
            return Interface(reason=f"{path} does not run: {fault.strerror}")
        said = said or _first_line(done.stderr)
        parts = done.stdout.split()
        if done.returncode == 0 and len(parts) == 4 and parts[0].isdecimal() and parts[1].isdecimal():
            build = "" if parts[3] == "-" else parts[3]
            return Interface(minimum=int(parts[0]), newest=int(parts[1]), target=parts[2], build=build)
    return Interface(reason=f"{path} takes no plugin for the interface's versions 1 to {NEWEST}: {said}")


def _first_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[0][:300] if lines else "without a message"


def _keep(kept: Path, found: Interface) -> None:
    with contextlib.suppress(OSError):
        sealed.keep(kept, found)

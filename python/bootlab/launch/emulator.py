# SPDX-License-Identifier: MIT
"""Which QEMU is here, and what it can do."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault, ToolMissing, UserError
from bootlab.model.system import Machine
from bootlab.recordings import sealed

ELF = b"\x7fELF"


class Emulator(msgspec.Struct, frozen=True):
    """A QEMU binary: where it is, its version text (`7.2.22 (Debian …)`) and version numbers."""

    path: str
    version: str
    numbers: tuple[int, ...]

    @property
    def wants_audio(self) -> bool:
        """Whether a board with sound on it (vexpress-a9) starts only when a default audio driver is named: from 8.2."""
        return self.numbers >= (8, 2)


class _Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a program answers to `--version`."""

    text: str


def find(machine: Machine, cache_folder: Path | None = None) -> Emulator:
    """Return the emulator for a machine. Raise ToolMissing or UserError.

    `cache_folder`: what a program says of its version is kept there, since starting QEMU takes a while.
    """
    if machine.emulator:
        path = shutil.which(machine.emulator)
        if path is None:
            raise UserError(
                f"machine.emulator: there is no program {machine.emulator!r}",
                hint="give the path of a qemu-system-… binary, or leave the key out",
            )
    else:
        facts = machine.architecture
        path = shutil.which(facts.emulator)
        if path is None:
            raise ToolMissing(
                facts.emulator, package=facts.emulator_package, needed_for=f"to boot {machine.arch} systems"
            )
    status = Path(path).stat()
    return _inspect((path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns), cache_folder)


@functools.lru_cache(maxsize=16)
def _inspect(facts: tuple[str, int, int, int, int], cache_folder: Path | None) -> Emulator:
    path = facts[0]
    kept = None
    # A script may start another program tomorrow.
    if cache_folder is not None and _is_program(path):
        key = hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
        kept = cache_folder / "emulators" / f"version-{key}.json"
    known = sealed.kept(kept, _Said) if kept is not None else None
    said = known.text if known is not None else _asked(path)
    match = re.search(r"version (\d+)\.(\d+)\.?(\d*)(.*)", said)
    if not match:
        raise EnvironmentFault(f"{path} does not say its version", hint=f"try: {path} --version")
    numbers = tuple(int(n) for n in match.groups()[:3] if n)
    if kept is not None and known is None:
        with contextlib.suppress(OSError):
            kept.parent.mkdir(parents=True, exist_ok=True)
            sealed.keep(kept, _Said(text=said))
    return Emulator(path=path, version=match.group(0).removeprefix("version ").strip(), numbers=numbers)


def _is_program(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            return file.read(len(ELF)) == ELF
    except OSError:
        return False


def _asked(path: str) -> str:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise EnvironmentFault(f"{path} does not run: {fault}", hint="bootlab doctor") from fault
    return done.stdout

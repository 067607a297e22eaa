"""Which QEMU is here, and what it can do."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault, ToolMissing, UserError
from bootlab.model.system import Machine


class Emulator(msgspec.Struct, frozen=True):
    """A QEMU binary: where it is, its version text (`7.2.22 (Debian …)`) and version numbers."""

    path: str
    version: str
    numbers: tuple[int, ...]

    @property
    def plugin_api(self) -> int:
        """The TCG plugin interface it wants: 1 up to 8.2, 2 for 9.0, 3 from 9.1 (QEMU's qemu-plugin.h, comments)."""
        if self.numbers < (9, 0):
            return 1
        return 2 if self.numbers < (9, 1) else 3

    @property
    def wants_audio(self) -> bool:
        """Whether a board with sound on it (vexpress-a9) starts only when a default audio driver is named: from 8.2."""
        return self.numbers >= (8, 2)


def find(machine: Machine) -> Emulator:
    """Return the emulator for a machine. Raise ToolMissing or UserError."""
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
    return _inspect(path, Path(path).stat().st_mtime_ns)


@functools.lru_cache(maxsize=16)
def _inspect(path: str, _mtime_ns: int) -> Emulator:
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired) as fault:
        raise EnvironmentFault(f"{path} does not run: {fault}", hint="bootlab doctor") from fault
    match = re.search(r"version (\d+)\.(\d+)\.?(\d*)(.*)", done.stdout)
    if not match:
        raise EnvironmentFault(f"{path} does not say its version", hint=f"try: {path} --version")
    numbers = tuple(int(n) for n in match.groups()[:3] if n)
    return Emulator(path=path, version=match.group(0).removeprefix("version ").strip(), numbers=numbers)

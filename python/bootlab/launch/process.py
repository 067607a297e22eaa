# SPDX-License-Identifier: MIT
"""One emulator process that never outlives bootlab."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from bootlab.errors import EnvironmentFault

# bootlab may be killed after the fork and before the signal is set: then nobody would send it.
_IF_CHILD_OF = ("sh", "-c", '[ "$PPID" = "$1" ] || exit 1; shift; exec "$@"', "sh")


class EmulatorProcess:
    """A started emulator. Killed when the block is left, by whatever way.

    SIGKILL of bootlab runs no code of ours: `setpriv --pdeathsig KILL` (util-linux) has the kernel kill the child
    when its parent goes. The child's session is its own, so that Ctrl-C reaches bootlab alone.
    """

    def __init__(
        self, command: list[str], *, folder: Path, log: Path, stdout: int | None = None, preload: Path | None = None
    ) -> None:
        """Keep the command; `log` takes what the emulator itself says, `stdout` (a descriptor) its standard output.

        `preload`: a library whose functions the emulator calls in the place of the system's.
        """
        self._name = command[0]
        self._command = [*_preloading(preload), *command]
        self._folder = folder
        self._log = log
        self._stdout = stdout
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it. Raise EnvironmentFault when that fails."""
        setpriv = shutil.which("setpriv")
        guard = [setpriv, "--pdeathsig", "KILL", "--", *_IF_CHILD_OF, str(os.getpid())] if setpriv else []
        with self._log.open("wb") as log:
            try:
                self._process = subprocess.Popen(
                    [*guard, *self._command],
                    cwd=self._folder,
                    stdin=subprocess.DEVNULL,
                    stdout=log if self._stdout is None else self._stdout,
                    stderr=log,
                    start_new_session=True,
                )
            except OSError as fault:
                raise EnvironmentFault(
                    f"cannot start {self._name}: {fault}", hint="bootlab doctor shows what is missing"
                ) from fault
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill the whole session and reap it."""
        self.kill()

    @property
    def exit_code(self) -> int | None:
        """None while it runs; minus the signal's number when a signal ended it."""
        return self._process.poll() if self._process else None

    def kill(self) -> None:
        """End it at once. Nothing is lost: the console and the stamps are in files already."""
        if self._process is None:
            return
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def thread_states(self) -> str:
        """A letter a thread, "" when it is gone; proc(5): R runs, S sleeps, D waits for the disk, T is stopped."""
        states = []
        for stat in Path(f"/proc/{self._process.pid if self._process else 0}/task").glob("*/stat"):
            with contextlib.suppress(OSError):
                # The name before it stands in brackets and may hold any character.
                states.append(stat.read_text(errors="replace").rpartition(") ")[2][:1])
        return "".join(states)

    @property
    def cpu_s(self) -> float:
        """Seconds of processor time that it took, in hundredths; 0 when it is gone (proc(5), utime and stime)."""
        try:
            fields = Path(f"/proc/{self._process.pid if self._process else 0}/stat").read_text(errors="replace")
        except OSError:
            return 0.0
        utime, stime = fields.rpartition(") ")[2].split()[11:13]
        return (int(utime) + int(stime)) / os.sysconf("SC_CLK_TCK")

    def words(self) -> str:
        """Return what the emulator said, at most its last 4000 characters."""
        try:
            return self._log.read_text(encoding="utf-8", errors="replace").strip()[-4000:]
        except OSError:
            return ""


def _preloading(library: Path | None) -> list[str]:
    """Return the words in front of a command that preload a library into it, and into nothing before it.

    The library goes by its name, and its folder by itself: a space or a colon in a path would end it. A folder with a
    colon has no such way.
    """
    if library is None or ":" in str(library.parent) or ";" in str(library.parent):
        return []
    folders = ":".join(filter(None, (str(library.parent), os.environ.get("LD_LIBRARY_PATH"))))
    libraries = " ".join(filter(None, (library.name, os.environ.get("LD_PRELOAD"))))
    return ["env", f"LD_LIBRARY_PATH={folders}", f"LD_PRELOAD={libraries}"]

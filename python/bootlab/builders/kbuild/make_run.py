"""Running the kernel's make: its environment, its output as it comes, its end, also when bootlab is stopped."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from bootlab.errors import cannot_write

_KEPT = (
    "PATH",
    "HOME",
    "TMPDIR",
    "CCACHE_DIR",
    "CCACHE_MAXSIZE",
    "CCACHE_DISABLE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
)
_GRACE_S = 10.0
# Everything in an image that would tell one build from another (Documentation/kbuild/reproducible-builds.rst).
_SAME = {
    "LC_ALL": "C",
    "TZ": "UTC",
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 2026",
    "KBUILD_BUILD_USER": "bootlab",
    "KBUILD_BUILD_HOST": "bootlab",
    "KBUILD_BUILD_VERSION": "1",
    "LOCALVERSION": "",
}


class Make(msgspec.Struct, frozen=True, kw_only=True):
    """How make is called: `tree/obj` takes the objects; variables are those of the build."""

    tree: Path
    variables: dict[str, str]
    jobs: int = 1

    def command(self, *targets: str) -> list[str]:
        """Return the command."""
        words = [f"{name}={value}" for name, value in self.variables.items()]
        return ["make", "-C", str(self.tree), "O=obj", f"-j{self.jobs}", *words, *targets]


def run(
    make: Make, targets: tuple[str, ...], log: Path, *, line: Callable[[str], None], extra: Mapping[str, str]
) -> int:
    """Run make, append what it says to a log and hand it on line by line; return its exit code.

    Whatever ends the wait (Ctrl-C too) first ends make and its children: then make removes what is half-written.
    Raise EnvironmentFault when the log cannot be written or make not be started.
    """
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | _SAME | dict(extra)
    command = make.command(*targets)
    try:
        with (
            # Not buffered: whoever follows the log sees each line when it comes.
            log.open("ab", buffering=0) as out,
            subprocess.Popen(
                dies_with_us(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            ) as process,
        ):
            out.write(f"$ {' '.join(command)}\n".encode())
            try:
                for raw in process.stdout or ():
                    out.write(raw)
                    line(raw.decode("utf-8", "replace").rstrip("\n"))
                return process.wait()
            except BaseException:
                end(process)
                raise
    except OSError as error:
        what = "the disk is full" if error.errno == errno.ENOSPC else "the kernel build cannot run"
        raise cannot_write(what, error, log.parent, besides="the next run continues from there") from error


def dies_with_us(command: list[str]) -> list[str]:
    """Return the command that ends when bootlab does. make and a shell pass SIGTERM on, so that no child is left."""
    return ["setpriv", "--pdeathsig", "TERM", *command]


def end(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads a session of its own, with its children; by force when it takes too long."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(_GRACE_S)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

# SPDX-License-Identifier: MIT
"""Running the kernel's make: its environment, its output as it comes, its end, also when bootlab is stopped."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from bootlab.errors import BootlabError, cannot_write

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
_LOOK_EVERY_S = 0.2
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
    shares: bool = False
    """Others build on this machine too: no further compiler is started while it has no core to spare."""
    stop: threading.Event | None = None
    """Ends make when it is set."""

    def command(self, *targets: str) -> list[str]:
        """Return the command."""
        words = [f"{name}={value}" for name, value in self.variables.items()]
        load = [f"-l{self.jobs}"] if self.shares else []
        return ["make", "-C", str(self.tree), "O=obj", f"-j{self.jobs}", *load, *words, *targets]


class BuildStopped(BootlabError):
    """A build was stopped from outside; the next one continues from the finished objects."""

    exit_code = 130


def run(
    make: Make, targets: tuple[str, ...], log: Path, *, line: Callable[[str], None], extra: Mapping[str, str]
) -> int:
    """Run make, append what it says to a log and hand it on line by line; return its exit code.

    Whatever ends the wait (Ctrl-C too) first ends make and its children: then make removes what is half-written.
    Raise EnvironmentFault when the log cannot be written or make not be started, BuildStopped when `make.stop` was set.
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
                with _ended_by(make.stop, process):
                    for raw in process.stdout or ():
                        out.write(raw)
                        line(raw.decode("utf-8", "replace").rstrip("\n"))
                    code = process.wait()
            except BaseException:
                end(process)
                raise
            if code and make.stop is not None and make.stop.is_set():
                raise BuildStopped(
                    "the build was stopped", hint="run the same command again: it continues from the finished objects"
                )
            return code
    except OSError as error:
        what = "the disk is full" if error.errno == errno.ENOSPC else "the kernel build cannot run"
        raise cannot_write(what, error, log.parent, besides="the next run continues from there") from error


@contextlib.contextmanager
def _ended_by(stop: threading.Event | None, process: subprocess.Popen[bytes]) -> Iterator[None]:
    """End a process when an event is set, while the caller reads what it says."""
    if stop is None:
        yield
        return
    over = threading.Event()

    def watch() -> None:
        while not over.wait(_LOOK_EVERY_S):
            if stop.is_set():
                end(process)
                return

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        over.set()
        watching.join()


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

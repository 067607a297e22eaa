# SPDX-License-Identifier: MIT
"""QEMU as a board: its serial port a TCP socket that always listens, its power switch QMP (`cont`, `system_reset`)."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self


def free_port() -> int:
    """Return a TCP port that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def qmp(path: str, *commands: str) -> None:
    """Send commands to QEMU's monitor; raise OSError when it is not there."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(10)
        line.connect(path)
        stream = line.makefile("rw", encoding="utf-8")
        stream.readline()
        for command in ("qmp_capabilities", *commands):
            stream.write(json.dumps({"execute": command}) + "\n")
            stream.flush()
            while "return" not in (answer := json.loads(stream.readline())):
                if "error" in answer:
                    raise OSError(answer["error"]["desc"])


class QemuBoard:
    """A stopped QEMU that a switch lets go."""

    def __init__(self, folder: Path, words: list[str]) -> None:
        self.folder = folder
        self.words = words
        self.port = free_port()
        self.monitor = str(folder / "qmp")

    def __enter__(self) -> Self:
        serial = f"tcp:127.0.0.1:{self.port},server=on,wait=off,nodelay=on"
        with (self.folder / "qemu.log").open("wb") as log:
            self.process = subprocess.Popen(
                [*self.words, "-S", "-serial", serial, "-qmp", f"unix:{self.monitor},server=on,wait=off"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        until = time.monotonic() + 20
        while not Path(self.monitor).exists():
            assert self.process.poll() is None, (self.folder / "qemu.log").read_text()
            assert time.monotonic() < until
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def command(self, verb: str) -> str:
        """Return the shell command that switches it."""
        return f"{sys.executable} -I -S {Path(__file__)} {self.monitor} {verb}"


if __name__ == "__main__":
    qmp(sys.argv[1], *{"on": ("cont",), "off": ("stop", "system_reset")}[sys.argv[2]])

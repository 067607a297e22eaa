# SPDX-License-Identifier: MIT
"""A made-up VMM: `on` starts a machine whose console it makes, `off` ends it. Its guest prints three lines."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import socket
import sys
import time
from pathlib import Path

LINES = b"vmm: started\r\n[    0.000000] Linux version 6.1.0\r\n[    0.100000] guest: ready\r\n"


def console(kind: str, path: Path) -> int:
    """Make the console and wait until somebody reads it; return where the guest writes."""
    if kind == "unix":
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen(1)
            line, _ = server.accept()
        return line.detach()
    if kind == "pipe":
        if not path.exists():
            os.mkfifo(path)
        return os.open(path, os.O_WRONLY)
    master, slave = pty.openpty()
    path.symlink_to(os.ttyname(slave))
    # What is printed before the reader has flushed the terminal is lost, as with any VMM's.
    time.sleep(0.5)
    return master


def machine(kind: str, path: Path, how: str) -> None:
    """Run a guest: `ready` reaches its end and waits, `ends` is gone after a line, `silent` makes no console."""
    if how == "silent":
        signal.pause()
    fd = console(kind, path)
    os.write(fd, LINES if how == "ready" else LINES[:14])
    if how == "ready":
        signal.pause()


def main() -> None:
    """`on KIND PATH HOW`, `off KIND PATH HOW`."""
    verb, kind, name, how = sys.argv[1:]
    path = Path(name)
    running = path.with_name("vmm.pid")
    if verb == "off":
        with contextlib.suppress(OSError, ValueError):
            os.kill(int(running.read_text()), signal.SIGKILL)
        running.unlink(missing_ok=True)
        if kind != "pipe":
            path.unlink(missing_ok=True)
        return
    child = os.fork()
    if child:
        running.write_text(str(child))
        return
    os.setsid()
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    machine(kind, path, how)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""What a virtual board's console comes out of: a pseudo-terminal, or a port as a serial server has it."""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import socket
import termios
from pathlib import Path
from typing import Protocol

_RATES = {getattr(termios, name): int(name[1:]) for name in dir(termios) if name[0] == "B" and name[1:].isdigit()}
_TYPED_BYTES = 4096


class Wire(Protocol):
    """The board's end of its console. `plug` makes the other end anew, and whoever read there has lost it."""

    @property
    def device(self) -> str:
        """What a reader opens: a path, or `tcp://HOST:PORT`."""

    def plug(self) -> None:
        """Make the console's device (anew)."""

    def ends(self) -> tuple[socket.socket | int, ...]:
        """Return what to wait for: keys, readers."""

    def take(self, ready: list[socket.socket | int]) -> None:
        """Swallow what was typed: nothing of a virtual board waits for keys. Let readers come and go."""

    def rate(self) -> int:
        """Return the rate at which the console is read; 0: one without a constant in termios."""

    def write(self, data: bytes) -> int:
        """Send bytes. Return how many went out: nobody keeps the others."""

    def close(self) -> None:
        """Pull the plug for good."""


class Terminal:
    """A pseudo-terminal behind a link. It is held open, so that a reader may come and go."""

    def __init__(self, link: Path) -> None:
        """Make it. Raise OSError where that fails."""
        self._link, self._master, self._slave = link, -1, -1
        self.device = str(link)
        self.plug()

    def plug(self) -> None:
        """Make a pseudo-terminal, and have the link show it."""
        if self._master >= 0:
            os.close(self._master)
        self._master, slave = pty.openpty()
        os.set_blocking(self._master, False)
        modes = termios.tcgetattr(slave)
        modes[0], modes[1], modes[3] = 0, 0, 0
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        name = os.ttyname(slave)
        if self._slave >= 0:
            os.close(self._slave)
        self._slave = slave
        fresh = self._link.with_name(f".{self._link.name}.new")
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(name)
        fresh.replace(self._link)

    def ends(self) -> tuple[socket.socket | int, ...]:
        """Return the board's end."""
        return (self._master,)

    def take(self, ready: list[socket.socket | int]) -> None:
        """Swallow what was typed."""
        if self._master in ready:
            with contextlib.suppress(OSError):
                os.read(self._master, _TYPED_BYTES)

    def rate(self) -> int:
        """Return the rate that the reader has set."""
        return _RATES.get(termios.tcgetattr(self._master)[5], 0)

    def write(self, data: bytes) -> int:
        """Send bytes; what a terminal that nobody reads cannot hold is lost."""
        try:
            return os.write(self._master, data)
        except OSError as fault:
            if fault.errno != errno.EAGAIN:
                raise
            return 0

    def close(self) -> None:
        """Remove the link."""
        self._link.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)


class SerialServer:
    """A TCP port on loopback. It reads at one rate, keeps nothing for later, and has one reader at a time."""

    def __init__(self, address: Path, port: int, baud: int) -> None:
        """Listen; 0: at any free port. The file says where: `tcp://127.0.0.1:PORT`. Raise OSError where that fails."""
        self._address, self._baud = address, baud
        self._server = socket.create_server(("127.0.0.1", port))
        self._reader: socket.socket | None = None
        fresh = address.with_name(f".{address.name}.new")
        self.device = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        fresh.write_text(self.device, encoding="ascii")
        fresh.replace(address)

    def plug(self) -> None:
        """Hang up."""
        if self._reader is not None:
            self._reader.close()
        self._reader = None

    def ends(self) -> tuple[socket.socket | int, ...]:
        """Return the port, and the reader that is there."""
        return (self._server,) if self._reader is None else (self._server, self._reader)

    def take(self, ready: list[socket.socket | int]) -> None:
        """Swallow what was typed; take a new reader in place of the old one."""
        if self._reader in ready and self._reader is not None:
            typed = b""
            with contextlib.suppress(OSError):
                typed = self._reader.recv(_TYPED_BYTES)
            if not typed:
                self.plug()
        if self._server in ready:
            self.plug()
            self._reader, _ = self._server.accept()
            self._reader.setblocking(False)
            self._reader.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def rate(self) -> int:
        """Return the rate that the serial server is set to."""
        return self._baud

    def write(self, data: bytes) -> int:
        """Send bytes to the reader."""
        if self._reader is None:
            return 0
        try:
            return self._reader.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self.plug()
            return 0

    def close(self) -> None:
        """Hang up, listen no more, and remove the address."""
        self.plug()
        self._server.close()
        self._address.unlink(missing_ok=True)

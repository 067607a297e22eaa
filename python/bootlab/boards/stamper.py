# SPDX-License-Identifier: MIT
"""Reads a board's console in a process of its own and stamps every piece at its arrival.

A program of the standard library alone, started as a file: nothing of bootlab's is loaded, no other thread holds the
interpreter, and it runs before others where that is allowed (SCHED_FIFO, else a lower nice value). Words: the device,
the baud rate, and the folder; `with-power` where the device is there only once the board is switched on.

Into the folder go `console.raw`, `stamps.raw` (pairs of 64-bit numbers: how many bytes there were after a piece, and
CLOCK_MONOTONIC_RAW in nanoseconds when it came; written before the piece), `reader.json` (how it runs) and, if it
cannot go on, `reader.error`; without room for that it ends with :data:`NO_ROOM`. Standard input takes lines: `baud N`,
`send HEX`, `quit`, and `open`: look for the device that comes with the power, until it is there. It ends with standard
input; the guard (guard.py) switches the board off when bootlab is gone.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import json
import os
import select
import socket
import stat
import struct
import sys
import termios
import time
from pathlib import Path

_PIECE_BYTES = 65536
_PRIORITY = 10
_NICE = -10
# include/uapi/asm-generic/ioctls.h, termbits.h: any rate, not only those that have a constant.
_TCGETS2, _TCSETS2 = 0x802C542A, 0x402C542B
_BOTHER, _CBAUD = 0o010000, 0o010017
_TERMIOS2 = struct.Struct("<4IB19s2I")
# include/uapi/linux/serial.h, tty_flags.h: a driver that hands bytes on at once.
_TIOCGSERIAL, _TIOCSSERIAL, _LOW_LATENCY, _FLAGS_AT = 0x541E, 0x541F, 1 << 13, 16
_SERIAL_STRUCT_BYTES = 72
_CONNECT_S = 10.0
_LOOK_MS = 1
_PAIR = struct.Struct("<2Q")
NO_ROOM = 4
"""The exit code where the console or its stamps could not be written."""
# RFC 854; 0: binary (RFC 856), 3: no go-aheads (RFC 858).
_IAC, _DONT, _DO, _WONT, _WILL, _SB, _SE = 255, 254, 253, 252, 251, 250, 240
_AGREED = frozenset({0, 3})


class Telnet:
    """Takes telnet's commands out of a stream, and agrees to nothing but bytes as they are."""

    def __init__(self) -> None:
        """Begin between commands."""
        self._kept = b""

    def strip(self, piece: bytes) -> tuple[bytes, bytes]:
        """Return the data of a piece, and what has to be answered. A command that is cut off waits for its rest."""
        piece, self._kept = self._kept + piece, b""
        data, answer, at = bytearray(), bytearray(), 0
        while at < len(piece):
            found = piece.find(_IAC, at)
            if found < 0:
                data += piece[at:]
                break
            data += piece[at:found]
            at = self._command(piece, found, data, answer)
            if at < 0:
                self._kept = piece[found:]
                break
        return bytes(data), bytes(answer)

    def _command(self, piece: bytes, at: int, data: bytearray, answer: bytearray) -> int:
        """Take one command. Return where it ends; -1: it is not whole yet."""
        if len(piece) < at + 2:
            return -1
        verb = piece[at + 1]
        if verb == _IAC:
            data.append(_IAC)
            return at + 2
        if verb == _SB:
            end = piece.find(bytes([_IAC, _SE]), at)
            return -1 if end < 0 else end + 2
        if verb not in {_DO, _DONT, _WILL, _WONT}:
            return at + 2
        if len(piece) < at + 3:
            return -1
        option = piece[at + 2]
        if verb == _DO:
            answer += bytes([_IAC, _WILL if option in _AGREED else _WONT, option])
        elif verb == _WILL:
            answer += bytes([_IAC, _DO if option in _AGREED else _DONT, option])
        return at + 3


class ConsoleLink:
    """The open console: a tty, a socket, or a named pipe, which carries nothing back to the board."""

    def __init__(self, device: str, baud: int) -> None:
        """Open it. Raise OSError where that fails."""
        self.telnet = Telnet() if device.startswith("telnet://") else None
        self._socket: socket.socket | None = None
        self.tty = self.low_latency = self.pipe = False
        if "://" not in device:
            # Open for both: a named pipe then has no end when its writer closes it, and a writer need not wait.
            self.fd = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
            self.pipe = stat.S_ISFIFO(os.fstat(self.fd).st_mode)
            self.tty = not self.pipe
            try:
                self._prepare(baud)
            except termios.error:
                os.close(self.fd)
                raise
        else:
            self._socket = _connected(device)
            self._socket.setblocking(False)
            self.fd = self._socket.fileno()

    def _prepare(self, baud: int) -> None:
        if not self.tty:
            return
        self.set_raw(baud)
        self.low_latency = self._ask_low_latency()
        termios.tcflush(self.fd, termios.TCIOFLUSH)

    def close(self) -> None:
        """Let go of it."""
        if self._socket is not None:
            self._socket.close()
        else:
            os.close(self.fd)

    def set_raw(self, baud: int) -> None:
        """Make a tty hand on every byte as it is, at a rate."""
        if not self.tty:
            return
        modes = termios.tcgetattr(self.fd)
        modes[0], modes[1], modes[3] = 0, 0, 0
        modes[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
        modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
        named = getattr(termios, f"B{baud}", None)
        if named is not None:
            modes[4] = modes[5] = named
        termios.tcsetattr(self.fd, termios.TCSANOW, modes)
        if named is None:
            held = bytearray(_TERMIOS2.size)
            fcntl.ioctl(self.fd, _TCGETS2, held)
            fields = list(_TERMIOS2.unpack(held))
            fields[2] = (fields[2] & ~_CBAUD) | _BOTHER
            fields[6] = fields[7] = baud
            fcntl.ioctl(self.fd, _TCSETS2, _TERMIOS2.pack(*fields))

    def _ask_low_latency(self) -> bool:
        held = bytearray(_SERIAL_STRUCT_BYTES)
        try:
            fcntl.ioctl(self.fd, _TIOCGSERIAL, held)
            flags = struct.unpack_from("<i", held, _FLAGS_AT)[0]
            struct.pack_into("<i", held, _FLAGS_AT, flags | _LOW_LATENCY)
            fcntl.ioctl(self.fd, _TIOCSSERIAL, held)
        except OSError:
            return False
        return True

    def read(self) -> tuple[bytes, bool]:
        """Return what is there, and whether the line is gone."""
        try:
            piece = os.read(self.fd, _PIECE_BYTES)
        except BlockingIOError:
            return b"", False
        except OSError:
            # A USB adapter that was pulled, a pseudo-terminal whose other end closed.
            return b"", True
        if not piece:
            return b"", True
        if self.telnet is not None:
            piece, answer = self.telnet.strip(piece)
            if answer:
                self.write(answer)
        return piece, False

    def write(self, data: bytes) -> None:
        """Send bytes to the board; what the line does not take is lost, as on a wire."""
        if self.pipe:
            return
        with contextlib.suppress(OSError):
            os.write(self.fd, data)


def hasten() -> str:
    """Run before others. Return by which means: `fifo`, `nice`, or `usual` where neither is allowed."""
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(_PRIORITY))
        return "fifo"
    with contextlib.suppress(OSError):
        os.nice(_NICE)
        return "nice"
    return "usual"


def _connected(device: str) -> socket.socket:
    """Connect to `unix://PATH`, `tcp://HOST:PORT` or `telnet://HOST:PORT`. Raise OSError."""
    kind, _, where = device.partition("://")
    if kind == "unix":
        line = socket.socket(socket.AF_UNIX)
        try:
            line.connect(where)
        except OSError:
            line.close()
            raise
        return line
    host, _, port = where.rpartition(":")
    line = socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_S)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


class Device:
    """A console's device, which may not be there yet; says in `reader.json` how it is read."""

    def __init__(self, device: str, baud: int, folder: Path) -> None:
        """Take its name; nothing is opened yet."""
        self._device = device
        self._baud = baud
        self._folder = folder
        self._scheduling = hasten()
        self._said = ""

    def opened(self) -> ConsoleLink:
        """Open it, and say so. Raise OSError, ValueError or termios.error."""
        line = ConsoleLink(self._device, self._baud)
        self.say(low_latency=line.low_latency, tty=line.tty)
        return line

    def looked_for(self) -> ConsoleLink | None:
        """Open it if it is there; else say what is in the way."""
        try:
            return self.opened()
        except (OSError, ValueError, termios.error) as fault:
            if (said := because(fault)) != self._said:
                self._said = said
                self.say(opened=False, tty=False, missing=f"{self._device}: {said}")
            return None

    def say(self, **how: bool | str) -> None:
        """Write how the console is read. The file is never half written."""
        fresh = self._folder / "reader.json.new"
        fresh.write_text(json.dumps({"scheduling": self._scheduling, **how}), encoding="utf-8")
        fresh.rename(self._folder / "reader.json")


def because(fault: Exception) -> str:
    """Return why a device cannot be opened."""
    return fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)


class ConsoleFollower:
    """Reads a console until told to quit, or standard input ends."""

    def __init__(self, line: ConsoleLink | None, device: Device, folder: Path) -> None:
        """Read `line`; where there is none yet, the device is looked for once that is asked."""
        self._line = line
        self._device = device
        self._folder = folder
        self._console = os.open(folder / "console.raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._stamps = os.open(folder / "stamps.raw", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._poll = select.poll()
        self._poll.register(0, select.POLLIN | select.POLLHUP)
        if line is not None:
            self._poll.register(line.fd, select.POLLIN)
        self._total = 0
        self._asked = b""
        self._looks = False

    def run(self) -> None:
        """Take what comes. Raise OSError when it cannot be written."""
        clock, now = time.clock_gettime_ns, time.CLOCK_MONOTONIC_RAW
        while True:
            events = self._poll.poll(_LOOK_MS if self._looks else None)
            ns = clock(now)
            for fd, _ in events:
                if fd == 0:
                    if not self._told():
                        return
                elif self._line is not None:
                    self._take(self._line, ns)
            if self._looks and (line := self._device.looked_for()) is not None:
                self._poll.register(line.fd, select.POLLIN)
                self._line, self._looks = line, False

    def _take(self, line: ConsoleLink, ns: int) -> None:
        data, gone = line.read()
        if data:
            self._total += len(data)
            put(self._stamps, _PAIR.pack(self._total, ns))
            put(self._console, data)
        if gone:
            (self._folder / "reader.error").write_text("the console's device is gone\n", encoding="utf-8")
            self._let_go()

    def _told(self) -> bool:
        """Do what standard input asks; return False when that is to end."""
        self._asked += (piece := os.read(0, 4096))
        *whole, self._asked = self._asked.split(b"\n")
        for words in whole:
            if words == b"quit":
                return False
            if words == b"open":
                self._let_go()
                self._looks = True
            elif self._line is not None:
                obey(self._line, words.split())
        return bool(piece)

    def _let_go(self) -> None:
        if self._line is not None:
            self._poll.unregister(self._line.fd)
            self._line.close()
            self._line = None


def put(fd: int, data: bytes) -> None:
    """Write all of it. Raise OSError: a disk that is nearly full takes a part, and refuses the next one."""
    while data:
        data = data[os.write(fd, data) :]


def obey(line: ConsoleLink, words: list[bytes]) -> None:
    """Do what one line of standard input asks."""
    if len(words) != 2:
        return
    if words[0] == b"baud":
        with contextlib.suppress(OSError, termios.error):
            line.set_raw(int(words[1]))
    elif words[0] == b"send":
        line.write(bytes.fromhex(words[1].decode("ascii")))


def main(words: list[str]) -> int:
    """Read a console until told to quit; return the exit code."""
    name, baud, folder, *more = words
    gc.disable()
    device = Device(name, int(baud), Path(folder))
    line = None
    try:
        if "with-power" in more:
            device.say(opened=False, tty=False, missing=f"{name}: it was not looked for yet")
        else:
            line = device.opened()
    except (OSError, ValueError, termios.error) as fault:
        (Path(folder) / "reader.error").write_text(f"{name}: {because(fault)}\n", encoding="utf-8")
        return 3
    try:
        ConsoleFollower(line, device, Path(folder)).run()
    except OSError:
        # There may be no room to say it in a file.
        return NO_ROOM
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: MIT
"""bootlab's side of the console's reader: starts the process that stamps, and looks at its files."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec

from bootlab.boards import stamper
from bootlab.errors import TargetError
from bootlab.recordings.stamps import Stamps, Written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CONSOLE_FILE = "console.raw"
STAMPS_FILE = "stamps.raw"
_STATUS_FILE = "reader.json"
_ERROR_FILE = "reader.error"
_PAIR = struct.Struct("<2Q")
_START_S = 60.0
_TRIES = 3
_PAUSE_S = 1.0
_STOP_S = 5.0
_POLL_S = 0.005


class NoConsoleDevice(TargetError):
    """The board's console cannot be opened."""


class HowRead(msgspec.Struct, frozen=True, kw_only=True):
    """How the console is read. `scheduling`: `fifo`, `nice` or `usual`; `low_latency`: the tty's driver was asked.

    `opened`: false where the device comes with the power and is not there yet; `missing` then says why.
    """

    scheduling: str = "usual"
    low_latency: bool = False
    tty: bool = True
    opened: bool = True
    missing: str = ""


class ConsoleReader:
    """The process that reads the console. Leaving the block ends it."""

    def __init__(self, device: str, baud: int, folder: Path, *, with_power: bool = False) -> None:
        """Read `device` into files in `folder`. `with_power`: it is there only after :meth:`power_comes`."""
        self._words = [device, str(baud), str(folder)]
        self._with_power = with_power
        self._device = device
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start it, and wait until it reads. Raise NoConsoleDevice where the device cannot be opened, three times."""
        for attempt in range(1, _TRIES + 1):
            try:
                return self._started()
            except NoConsoleDevice:
                if attempt == _TRIES:
                    raise
                # An adapter that was plugged in a moment ago, a server that still closes its last connection.
                (self._folder / _ERROR_FILE).unlink(missing_ok=True)
                time.sleep(_PAUSE_S)
        raise AssertionError

    def _started(self) -> Self:
        program = str(Path(__file__).with_name("stamper.py"))
        with (self._folder / "reader.log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", program, *self._words, *(["with-power"] if self._with_power else [])],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                start_new_session=True,
            )
        status, until = self._folder / _STATUS_FILE, time.monotonic() + _START_S
        while not status.exists():
            if self._process.poll() is not None or time.monotonic() > until:
                said = self.error or "the reader did not start"
                self.__exit__(None, None, None)
                raise NoConsoleDevice(f"the console cannot be opened: {said}", hint=_device_hint(self._device, said))
            time.sleep(_POLL_S)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the process. The board is switched off by whoever switched it on."""
        process = self._process
        if process is None:
            return
        self._ask("quit")
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        try:
            process.wait(timeout=_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    @property
    def how(self) -> HowRead:
        """How it reads now."""
        return msgspec.json.decode((self._folder / _STATUS_FILE).read_bytes(), type=HowRead)

    @property
    def console(self) -> Path:
        """The file that holds every byte that came."""
        return self._folder / CONSOLE_FILE

    @property
    def error(self) -> str:
        """Why it cannot go on; "" while it can."""
        if self._process is not None and self._process.poll() == stamper.NO_ROOM:
            return "the disk takes no more of the console"
        try:
            return (self._folder / _ERROR_FILE).read_text(encoding="utf-8", errors="replace").strip()
        except OSError:
            return ""

    @property
    def alive(self) -> bool:
        """Tell whether the process runs."""
        return self._process is not None and self._process.poll() is None

    @property
    def size_bytes(self) -> int:
        """How many bytes have come."""
        try:
            return self.console.stat().st_size
        except OSError:
            return 0

    def set_baud(self, baud: int) -> None:
        """Read at another rate from now on."""
        self._ask(f"baud {baud}")

    def power_comes(self) -> None:
        """Look for a device that comes with the power, from now until it is there."""
        if self._with_power:
            self._ask("open")

    def send(self, data: bytes) -> None:
        """Send bytes to the board."""
        self._ask(f"send {data.hex()}")

    def _ask(self, words: str) -> None:
        process = self._process
        if process is None or process.stdin is None or process.stdin.closed:
            return
        with contextlib.suppress(OSError):
            os.write(process.stdin.fileno(), words.encode() + b"\n")


class Arrivals(msgspec.Struct, frozen=True):
    """When the pieces of a console came: `ends[i]` bytes were there at `raw_ns[i]` of CLOCK_MONOTONIC_RAW."""

    ends: NDArray[np.int64]
    raw_ns: NDArray[np.int64]

    def from_zero(self, zero_ns: int, skip_bytes: int) -> Stamps:
        """Return stamps that count from an instant, for a console without its first bytes."""
        import numpy as np  # noqa: PLC0415 - loaded when the board is switched off again

        kept = self.ends > skip_bytes
        ends, ns = self.ends[kept] - skip_bytes, np.maximum(self.raw_ns[kept] - zero_ns, 0)
        # Nothing counts a board's instructions.
        return Stamps(ends=ends, ns=ns, insns=np.full(len(ends), -1, dtype=np.int64), marks={})

    def bytes_before(self, instant_ns: int) -> int:
        """Return how many bytes had come before an instant."""
        index = int(self.raw_ns.searchsorted(instant_ns, side="left"))
        return int(self.ends[index - 1]) if index else 0


def arrivals(folder: Path) -> Arrivals:
    """Read the stamps of a folder; a last one that is cut off is left out."""
    import numpy as np  # noqa: PLC0415 - see above

    path = folder / STAMPS_FILE
    raw = path.read_bytes() if path.exists() else b""
    table = np.frombuffer(raw[: len(raw) // _PAIR.size * _PAIR.size], dtype="<i8").reshape(-1, 2)
    return Arrivals(np.ascontiguousarray(table[:, 0]), np.ascontiguousarray(table[:, 1]))


def written(folder: Path) -> Written:
    """Return how much of the console came, as the stamps say."""
    came = arrivals(folder)
    taken = int(came.ends[-1]) if len(came.ends) else 0
    return Written(taken=taken, begun=taken, failed=0)


def bytes_before(folder: Path, instant_ns: int) -> int:
    """Return how many bytes of a console came before an instant of CLOCK_MONOTONIC_RAW."""
    return arrivals(folder).bytes_before(instant_ns)


def _device_hint(device: str, said: str) -> str:
    if device.startswith("unix://"):
        return "does something listen on this socket? Where power.on makes it: [serial] with_power = true"
    if "://" in device:
        return "does the server (ser2net, a terminal server) listen there, and is nobody else connected?"
    if "ermission" in said:
        return f"may you read and write it? ls -l {device}   (on Debian: adduser $USER dialout, then log in again)"
    if "busy" in said:
        return f"who has it open? fuser -v {device}"
    by_power = "" if device.startswith("/dev/") else "   (one that power.on makes: [serial] with_power = true)"
    return f"is the adapter plugged in? ls -l {device} /dev/serial/by-id/{by_power}"

# SPDX-License-Identifier: MIT
"""A serial line of a certain baud rate: bootlab takes no more from the emulator's port than the line would carry.

QEMU's serial ports send at once, whatever rate the guest has set. A port whose pipe is full waits, though, as hardware
does: a 16550 reports its transmitter as busy, a PL011 holds the processor.

The pipe is in packet mode (pipe(2): O_DIRECT), in which each character takes a slot, and a slot that is free lets the
port go on. Nothing else would do. A usual pipe holds 4096 characters, more than four seconds at 9600 baud. A socket
wakes its writer only when it is nearly empty, and Linux waits no more than 10 ms for a 16550 before it writes all the
same, and loses what it writes (wait_for_lsr()).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import threading
import time
from collections.abc import Callable
from functools import partial
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Self

from bootlab.errors import EnvironmentFault
from bootlab.recordings.stamps import Written

BITS_PER_CHARACTER = 10
"""Start bit, eight data bits, stop bit."""

_LEAST_AHEAD = 16
"""What a 16550 takes ahead of the line."""

_MOST_AHEAD = 256
"""A user without privileges gets pipes of no more pages (/proc/sys/fs/pipe-max-size)."""

_SLACK_S = 0.005
"""The host wakes the reader late: what the line carries meanwhile must be there."""

_NAP_S = 0.0005
_LOOK_S = 0.1
_PACKET_BYTES = 4096


class PacedConsole:
    """The reader of one paced console. Use as a context manager; `fd` is what the emulator's port writes to.

    `ahead`: how many characters the guest can write before the line holds it.
    """

    def __init__(self, path: Path, baud: int) -> None:
        """Write what comes to `path`, at `baud` bits a second. Raise EnvironmentFault without pipes of packets."""
        self._path = path
        self._character_s = BITS_PER_CHARACTER / baud
        try:
            self._reader, self.fd = os.pipe2(os.O_DIRECT | os.O_CLOEXEC)
            wanted = max(_LEAST_AHEAD, min(_MOST_AHEAD, round(_SLACK_S / self._character_s)))
            pages = 1 << (wanted - 1).bit_length()
            got = fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ, pages * os.sysconf("SC_PAGE_SIZE"))
        except OSError as error:
            raise EnvironmentFault(
                f"the console cannot be paced: {error.strerror}",
                hint="leave machine.console_baud out; cat /proc/sys/fs/pipe-user-pages-soft",
            ) from error
        os.set_blocking(self._reader, False)
        self.ahead = got // os.sysconf("SC_PAGE_SIZE")
        self._taken = self._failed = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, name="console", daemon=True)

    def __enter__(self) -> Self:
        """Begin to read."""
        self._path.touch()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop reading. What the line has not carried by then is lost, as on a board that is switched off."""
        self._stop.set()
        os.close(self.fd)
        self._thread.join()
        os.close(self._reader)

    @property
    def written(self) -> Written:
        """What of the line the file took, and what it did not take; to be asked once it is no longer read."""
        return Written(taken=self._taken, begun=self._taken, failed=self._failed)

    def _read(self) -> None:
        # With a full disk the line stands still, and so does the guest: the boot is then ended for that.
        with contextlib.suppress(OSError), self._path.open("ab", buffering=0) as file:
            while not self._stop.is_set():
                if select.select([self._reader], [], [], _LOOK_S)[0] and not self._carry(partial(self._put, file)):
                    return

    def _put(self, file: FileIO, data: bytes) -> None:
        self._failed = len(data)
        while data:
            # A disk that is nearly full takes a part, and refuses the next one.
            done = file.write(data)
            self._taken += done
            self._failed -= done
            data = data[done:]

    def _carry(self, put: Callable[[bytes], object]) -> bool:
        """Carry characters from now on, each in its time, until the line has run dry; False at the port's end."""
        free_at = time.monotonic()
        while not self._stop.is_set():
            time.sleep(max(_NAP_S, free_at + self._character_s - time.monotonic()))
            due = int((time.monotonic() - free_at) / self._character_s)
            taken: list[bytes] = []
            dry = False
            while due > 0:
                try:
                    packet = os.read(self._reader, _PACKET_BYTES)
                except BlockingIOError:
                    dry = True
                    break
                if not packet:
                    return False
                taken.append(packet)
                due -= len(packet)
                free_at += len(packet) * self._character_s
            if taken:
                put(b"".join(taken))
            if dry:
                break
        return True

# SPDX-License-Identifier: MIT
"""Asks the emulator itself where a kernel's address lies in physical memory, in a boot of its own.

QEMU's human monitor walks the page tables of the stopped processor (`gva2gpa`, monitor/misc.c). What the guest prints
is not asked. The monitor changes when the machine stops, so nothing is timed in this boot.
"""

from __future__ import annotations

import contextlib
import re
import socket
import tempfile
import threading
import time
from pathlib import Path

import msgspec

from bootlab.errors import MeasurementError
from bootlab.launch import qemu_launch
from bootlab.launch.boot_plan import BootPlan
from bootlab.launch.process import EmulatorProcess
from bootlab.launch.qemu_command import words
from bootlab.launch.watch import ConsoleWatch

_POLL_S = 0.02
_ANSWER_S = 20.0
_ANSWER = re.compile(rb"gpa: (?:0x)?([0-9a-f]+)\r?\n")
_UNMAPPED = b"Unmapped"
_ANSWER_BYTES = 1 << 16
_SOCKET = "monitor"


def physical_address(plan: BootPlan, address: int, *, stop: threading.Event) -> int:
    """Boot to the goal, stop the machine, translate a kernel address. Raise MeasurementError without an answer."""
    if plan.launch is None:
        raise MeasurementError("a recording that is played has no monitor", hint='boot it: target = "qemu"')
    asked = msgspec.structs.replace(plan.launch, monitor=_SOCKET, plugins=())
    # A socket's path must be short (108 bytes), whatever the store's is.
    with tempfile.TemporaryDirectory(prefix="bootlab-") as name:
        folder = Path(name)
        with EmulatorProcess(list(words(asked)), folder=folder, log=folder / "emulator.log") as process:
            watch = ConsoleWatch(folder / qemu_launch.CONSOLE_FILE, plan.system)
            until = time.monotonic() + plan.system.limits.wall_s
            while watch.goal is None:
                if stop.is_set() or process.exit_code is not None or time.monotonic() > until:
                    raise MeasurementError(
                        f"the machine did not reach its goal with the monitor on: {process.words() or 'no words'}",
                        hint="does `bootlab boot` reach it? raise limits.wall_s if the machine is slow",
                    )
                if not watch.poll():
                    time.sleep(_POLL_S)
            return _ask(folder / _SOCKET, address)


def _ask(path: Path, address: int) -> int:
    said = b""
    until = time.monotonic() + _ANSWER_S
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_ANSWER_S)
        line.connect(str(path))
        # A processor that is stopped in user space may not look at the kernel's pages: then it goes on for a while.
        while time.monotonic() < until:
            said = _command_answer(line, f"stop\ngva2gpa {address:#x}\n")
            if (found := _ANSWER.search(said)) is not None:
                return int(found[1], 16)
            if _UNMAPPED not in said:
                break
            line.sendall(b"cont\n")
            time.sleep(_POLL_S)
    raise MeasurementError(
        f"the emulator does not say where {address:#x} lies: {said[-200:].decode('ascii', 'replace')!r}",
        hint="the address may not be mapped; does the kernel's System.map belong to it?",
    )


def _command_answer(line: socket.socket, text: str) -> bytes:
    line.sendall(text.encode())
    said = b""
    while _UNMAPPED not in said and not _ANSWER.search(said) and len(said) < _ANSWER_BYTES:
        more = line.recv(4096)
        if not more:
            break
        said += more
    return said

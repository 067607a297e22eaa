# SPDX-License-Identifier: MIT
"""The virtual board's process: obeys the power switch, prints on its console, and writes down the truth."""

from __future__ import annotations

import contextlib
import gc
import json
import random
import select
import socket
import time
from pathlib import Path

import msgspec

from bootlab.boards.stamper import hasten
from bootlab.boards.virtual import script as scripts
from bootlab.boards.virtual.script import BootScript, ScriptStep
from bootlab.boards.virtual.uart import BITS_A_BYTE, received
from bootlab.boards.virtual.wire import SerialServer, Terminal, Wire

_UART_FIFO_BYTES = 16
_NOT_OURS_S = 0.2
_AGAIN_S = 0.05


class Wiring(msgspec.Struct, frozen=True, kw_only=True):
    """A virtual board. `tty`: the link to its console; `control`: the switch's socket; `truth`: its diary.

    `faults`: a fault's name and how likely each boot has it; `power_fails`: how likely the switch fails. `cmdline`: a
    file with the kernel's command line, read at power-on. `paced`: bytes leave at the console's rate, a UART's FIFO at
    a time; else each line at once. `log`: boot this log instead of one made up. `port`: serve the console on this TCP
    port (0: any free one), as a serial server does; `tty` is a file that holds its address then.
    """

    tty: Path
    control: Path
    truth: Path
    seed: int = 1
    baud: int = 115_200
    jitter: float = 0.01
    speed: float = 1.0
    faults: tuple[tuple[str, float], ...] = ()
    power_fails: float = 0.0
    cmdline: Path | None = None
    log: Path | None = None
    goal: str = "camera: ready"
    paced: bool = True
    port: int | None = None


class VirtualBoard:
    """One board. `run` serves it until the switch says `quit`."""

    def __init__(self, wiring: Wiring) -> None:
        """Wire it up: console, switch, diary. Raise OSError where that fails."""
        self._wiring = wiring
        self._boots = 0
        self._switches = 0
        self._powered = False
        self._forced = ""
        self._queue: list[ScriptStep] = []
        self._script = BootScript()
        self._due_ns = 0
        self._rest = b""
        self._wire: Wire
        with contextlib.ExitStack() as opened:
            self._truth = opened.enter_context(wiring.truth.open("a", encoding="utf-8"))
            if wiring.port is None:
                self._wire = Terminal(wiring.tty)
            else:
                self._wire = SerialServer(wiring.tty, wiring.port, wiring.baud)
            opened.callback(self._wire.close)
            wiring.control.unlink(missing_ok=True)
            self._server = opened.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            self._server.bind(str(wiring.control))
            self._server.listen(4)
            self._opened = opened.pop_all()
        self._running = True

    @property
    def device(self) -> str:
        """What a reader of the console opens: a path, or `tcp://HOST:PORT`."""
        return self._wire.device

    def run(self) -> None:
        """Serve until told to quit."""
        gc.disable()
        # A board has a processor of its own.
        hasten()
        with self._opened:
            self._opened.callback(self._wiring.control.unlink, missing_ok=True)
            while self._running:
                self._serve(self._wait_s())
                self._print()

    def _wait_s(self) -> float:
        if not self._powered or not (self._queue or self._rest):
            return _NOT_OURS_S
        left = (self._due_ns - _now()) / 1e9
        return max(0.0, left)

    def _serve(self, wait_s: float) -> None:
        ready, _, _ = select.select([self._server, *self._wire.ends()], [], [], wait_s)
        self._wire.take(ready)
        if self._server not in ready:
            return
        line, _ = self._server.accept()
        with line:
            line.settimeout(1.0)
            with contextlib.suppress(OSError):
                words = line.recv(4096).decode("utf-8", "replace").split()
                line.sendall(self._obey(words).encode() + b"\n")

    def _obey(self, words: list[str]) -> str:
        verb = words[0] if words else ""
        if verb in {"on", "off", "cycle"}:
            self._switches += 1
            dice = random.Random(f"switch {self._wiring.seed}:{self._switches}")  # noqa: S311
            if verb == "on" and dice.random() < self._wiring.power_fails:
                self._note(event="power-failed", at_ns=_now())
                return "error: the relay does not answer"
            if verb != "on":
                self._off()
            if verb != "off":
                self._on()
            return f"ok {verb}"
        if verb == "fault" and len(words) == 2 and words[1] in {*scripts.FAULTS, "none"}:
            self._forced = words[1]
            return "ok fault"
        if verb == "status":
            return f"ok {'on' if self._powered else 'off'} {self._boots}"
        if verb == "quit":
            self._running = False
            return "ok quit"
        return f"error: unknown: {' '.join(words)}"

    def _on(self) -> None:
        if self._powered:
            return
        self._powered = True
        self._boots += 1
        at_ns = _now()
        self._script = self._next_script()
        self._queue, self._rest = list(self._script.steps), b""
        self._schedule(at_ns)
        self._note(event="on", at_ns=at_ns, boot=self._boots, fault=self._script.fault, baud=self._speaks)

    def _off(self) -> None:
        if self._powered:
            self._note(event="off", at_ns=_now(), boot=self._boots)
        self._powered, self._queue, self._rest = False, [], b""
        self._truth.flush()

    def _next_script(self) -> BootScript:
        wiring = self._wiring
        dice = random.Random(f"boot {wiring.seed}:{self._boots}")  # noqa: S311 - repeatable, no secret
        fault, self._forced = self._forced, ""
        if self._script.other_baud and self._wire.rate() not in {0, wiring.baud}:
            # Somebody looks for the right rate: the board keeps it.
            return self._script
        if not fault:
            thrown, fault = dice.random(), ""
            for name, share in wiring.faults:
                if thrown < share:
                    fault = name
                    break
                thrown -= share
        cmdline = ""
        if wiring.cmdline is not None and wiring.cmdline.exists():
            cmdline = wiring.cmdline.read_text(encoding="utf-8").strip()
        if wiring.log is not None:
            steps = scripts.recorded_boot(wiring.log, speed=wiring.speed)
        else:
            steps = scripts.good_boot(wiring.seed, cmdline=cmdline, speed=wiring.speed, goal=wiring.goal)
        steps = scripts.with_jitter(steps, dice, wiring.jitter)
        return scripts.with_fault("" if fault == "none" else fault, steps, dice, baud=wiring.baud)

    @property
    def _speaks(self) -> int:
        return self._script.other_baud or self._wiring.baud

    def _schedule(self, from_ns: int) -> None:
        """Set when the next step's first byte is due."""
        if self._queue:
            self._due_ns = from_ns + round(self._queue[0].work_s * 1e9)

    def _print(self) -> None:
        """Send what is due: a line, or as much of it as the UART's FIFO holds."""
        if not self._powered:
            return
        while (self._rest or self._queue) and self._due_ns <= _now():
            if not self._rest:
                self._rest = self._queue.pop(0).data
            size = _UART_FIFO_BYTES if self._wiring.paced else len(self._rest)
            piece, self._rest = self._rest[:size], self._rest[size:]
            self._send(piece)
            spent_ns = len(piece) * BITS_A_BYTE * 1_000_000_000 // self._speaks if self._wiring.paced else 0
            if self._rest:
                self._due_ns += spent_ns
            elif self._queue:
                self._schedule(max(self._due_ns + spent_ns, _now()))
            else:
                self._finished()

    def _finished(self) -> None:
        if self._script.then == "again":
            self._queue = list(self._script.steps)
            self._schedule(_now() + round(_AGAIN_S * 1e9))
        elif self._script.then == "unplug":
            self._note(event="unplugged", at_ns=_now(), boot=self._boots)
            self._wire.plug()

    def _send(self, piece: bytes) -> None:
        """Write a piece on the wire, as the reader's rate makes it look, and note when."""
        read_baud = self._wire.rate()
        seen = received(piece, self._speaks, read_baud) if read_baud and read_baud != self._speaks else piece
        from_ns = _now()
        sent = self._wire.write(seen) if seen else 0
        to_ns = _now()
        self._note(event="sent", boot=self._boots, from_ns=from_ns, to_ns=to_ns, bytes=sent, lost=len(seen) - sent)

    def _note(self, **what: object) -> None:
        self._truth.write(json.dumps(what) + "\n")


def _now() -> int:
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)

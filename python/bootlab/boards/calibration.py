# SPDX-License-Identifier: MIT
"""Runs the program that measures a board: on this machine, over ssh, or over a console that shows a shell."""

from __future__ import annotations

import base64
import gzip
import platform
import shlex
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bootlab.boards.lock import BoardLock
from bootlab.boards.reader import ConsoleReader
from bootlab.builders.calibrate_program import calibrate_program
from bootlab.errors import TargetError, UserError
from bootlab.model.architecture import ARCHITECTURES, Arch
from bootlab.model.real_board import Board, RemoteHost

_LIMIT_S = 300.0
"""What the slowest board may take; a Cortex-A7 at 500 MHz takes some 20 s."""
_ANSWER_S = 15.0
_PLACE = "/tmp/bootlab-calibrate"  # noqa: S108 - on the board
_POLL_S = 0.05
_LINE_BYTES = 76
_PIECE_LINES = 8
_NO_SHELL = "the console must show a shell of root or a user: log in by hand, then try again"

Told = Callable[[str], None]


def arch_of(machine: str) -> Arch:
    """Return the architecture that `uname -m` names. Raise UserError."""
    for facts in ARCHITECTURES.values():
        if machine in facts.host_names:
            return facts.name
    raise UserError(f"the board is a {machine[:40]!r}, for which there is no program", hint=", ".join(ARCHITECTURES))


def run_here(words: tuple[str, ...]) -> bytes:
    """Measure this machine. Raise TargetError where the program does not end well."""
    program = calibrate_program(arch_of(platform.machine()))
    return _output([str(program), *words], "the program")


def run_over_ssh(remote: RemoteHost, words: tuple[str, ...], told: Told) -> bytes:
    """Measure a host: the program goes there on standard input, and nothing stays."""
    ssh = [*remote.ssh, remote.host]
    arch = arch_of(_output([*ssh, "uname -m"], remote.host).decode("utf-8", "replace").strip())
    told(f"{remote.host} is {arch}; it measures for about ten seconds")
    place = f"{_PLACE}-$$"
    # In a folder that refuses to execute, the home folder is the other place.
    script = (
        f"f={place}; cat > $f && chmod 700 $f && $f --nothing 2>/dev/null || "
        f"{{ mv $f ~/.bootlab-calibrate-$$ && f=~/.bootlab-calibrate-$$; }}; "
        f"$f {' '.join(shlex.quote(word) for word in words)}; c=$?; rm -f $f; exit $c"
    )
    return _output([*ssh, script], remote.host, given=calibrate_program(arch).read_bytes())


def run_on_console(board: Board, words: tuple[str, ...], told: Told, *, stop: threading.Event | None = None) -> bytes:
    """Measure a board that runs and shows a shell on its console. The line is in the measurement.

    Raise UserError for a board without a serial console, TargetError where no shell answers.
    """
    if board.serial is None:
        raise UserError(
            f"{board.name} has neither [serial] nor [ssh]",
            hint="run the program by hand: bootlab board calibrate --print-program",
        )
    with tempfile.TemporaryDirectory() as made, BoardLock(board, stop or threading.Event(), told):
        folder = Path(made)
        with ConsoleReader(board.serial.device, board.serial.baud, folder) as reader:
            return ShellOnConsole(reader).measured(words, told)


class ShellOnConsole:
    """A shell at the other end of a serial line, which may echo what it is sent; others may print between its words."""

    def __init__(self, reader: ConsoleReader) -> None:
        """Speak through a reader that is open."""
        self._reader = reader
        self._asked = 0

    def measured(self, words: tuple[str, ...], told: Told) -> bytes:
        """Bring the program over the line, run it, and return what came. Raise TargetError."""
        arch = arch_of(self._answer("uname -m"))
        packed = base64.b64encode(gzip.compress(calibrate_program(arch).read_bytes(), mtime=0))
        told(f"{arch}; {len(packed):,} characters go over the line, then it measures for about ten seconds")
        self._send(f"stty -echo 2>/dev/null; cat > {_PLACE}.b64 <<'END'\n")
        for piece in _pieces(packed):
            self._send(piece)
            time.sleep(_POLL_S)
        self._send("END\n")
        unpacked = self._answer(
            f"stty echo 2>/dev/null; base64 -d {_PLACE}.b64 | gzip -dc > {_PLACE} && chmod 700 {_PLACE} && echo whole; "
            f"rm -f {_PLACE}.b64",
            _LIMIT_S,
        )
        if unpacked != "whole":
            raise TargetError(
                f"the program did not arrive whole: {unpacked[:120] or 'the board said nothing'}",
                hint="the board needs base64 and gzip; or bring the program by hand: --print-program",
            )
        before = self._reader.size_bytes
        self._answer(f"{_PLACE} {' '.join(shlex.quote(word) for word in words)}; rm -f {_PLACE}", _LIMIT_S)
        with self._reader.console.open("rb") as console:
            console.seek(before)
            return console.read()

    def _send(self, text: str) -> None:
        self._reader.send(text.encode())

    def _answer(self, command: str, limit_s: float | None = None) -> str:
        """Run a command and return the last line that it printed. Raise TargetError where no shell answers."""
        self._asked += 1
        limit_s = _ANSWER_S if limit_s is None else limit_s
        before, until = self._reader.size_bytes, time.monotonic() + limit_s
        # The shell joins the words: what it echoes of the command is not the mark.
        mark = f"bootlab-answer-{self._asked}-ends"
        self._send(f"\n{command}; echo; echo bootlab-'answer'-{self._asked}-ends\n")
        while time.monotonic() < until:
            if not self._reader.alive:
                raise TargetError(f"the console is lost: {self._reader.error}", hint=_NO_SHELL)
            with self._reader.console.open("rb") as console:
                console.seek(before)
                heard = console.read().decode("utf-8", "replace")
            if mark in heard:
                lines = [line.strip() for line in heard.partition(mark)[0].splitlines()]
                return next((line for line in reversed(lines) if line), "")
            time.sleep(_POLL_S)
        raise TargetError(f"no shell answered on the console within {limit_s:g} s", hint=_NO_SHELL)


def _pieces(packed: bytes) -> Iterator[str]:
    step = _LINE_BYTES * _PIECE_LINES
    for at in range(0, len(packed), step):
        piece = packed[at : at + step].decode("ascii")
        yield "".join(f"{piece[k : k + _LINE_BYTES]}\n" for k in range(0, len(piece), _LINE_BYTES))


def _output(command: list[str], what: str, *, given: bytes | None = None) -> bytes:
    try:
        done = subprocess.run(command, input=given or b"", capture_output=True, timeout=_LIMIT_S, check=False)
    except subprocess.TimeoutExpired as fault:
        raise TargetError(f"{what} did not answer within {_LIMIT_S:g} s", hint="run it by hand") from fault
    except OSError as fault:
        raise TargetError(f"{command[0]} cannot be run: {fault.strerror}", hint="run it by hand") from fault
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()[-200:]
        raise TargetError(f"{what} ended with {done.returncode}: {said or 'without a word'}", hint="run it by hand")
    return done.stdout

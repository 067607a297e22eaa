# SPDX-License-Identifier: MIT
"""Boots that a command tells: `ssh vm systemd-analyze`, run again after each start of the machine."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from bootlab.errors import EnvironmentFault, TargetError, UserError
from bootlab.history.boot_times import TOTAL, BootTimes, Side
from bootlab.history.of_log import MOST_BYTES, of_text

_PAUSE_S = 2.0
_STAY = (TOTAL, "kernel", "initrd", "userspace")
_NOT_RUN = frozenset({126, 127})
"""A shell's exit codes for a program that it cannot run, or find: waiting does not help."""


class MeasuredCommand(msgspec.Struct, frozen=True, kw_only=True):
    """What is run, how often, and what starts the machine again in between; `waiting` hears what is waited for."""

    text: str
    repeat: int = 1
    reboot: str | None = None
    wait_s: float = 300.0
    keep: Path | None = None
    waiting: Callable[[str], None] = lambda _: None


class _Answer(msgspec.Struct, frozen=True):
    """What one run printed on standard output, how it ended, and the last line that it said beside it."""

    raw: bytes
    code: int | None
    complaint: str


def told(command: MeasuredCommand, application: str | None = None, goal: str | None = None) -> Side:
    """Return the boots that a command tells. Raise BootlabError.

    Only its standard output is read. An answer counts when it holds a boot that had finished, and after a reboot only
    when that boot is another than those before it: a machine may answer once more before it goes down.
    """
    boots: list[BootTimes] = []
    seen: set[frozenset[tuple[str, int]]] = set()
    for number in range(1, command.repeat + 1):
        if number > 1 and command.reboot is not None:
            _run(command.reboot, command.wait_s)
        answer, found = _first_answer(command, seen, number, application, goal)
        seen |= {_identity(boot) for boot in found}
        boots += found
        if command.keep is not None:
            _keep(command.keep, number, answer.raw)
    return Side(name=command.text, boots=tuple(boots))


def _first_answer(
    command: MeasuredCommand,
    seen: set[frozenset[tuple[str, int]]],
    number: int,
    application: str | None,
    goal: str | None,
) -> tuple[_Answer, tuple[BootTimes, ...]]:
    until = time.monotonic() + command.wait_s
    waits = False
    comes_back = number > 1 and command.reboot is not None
    while True:
        answer = _run(command.text, max(1.0, until - time.monotonic()))
        boots = _boots(answer.raw, application, goal)
        unfinished = any(boot.unfinished for boot in boots)
        known = bool(boots) and all(_identity(boot) in seen for boot in boots)
        if boots and not unfinished and not known:
            return answer, boots
        if known and not comes_back:
            raise UserError(
                f"run {number} of {command.text!r} tells the same boot as one before it",
                hint="--reboot CMD starts the machine again in between: --reboot 'ssh vm sudo systemctl reboot'",
            )
        if answer.code in _NOT_RUN or not (comes_back or unfinished or answer.code != 0):
            raise _no_boot(command, answer)
        if not waits:
            command.waiting(f"run {number}: waiting up to {command.wait_s:g} s: {answer.complaint or 'no boot yet'}")
            waits = True
        if time.monotonic() + _PAUSE_S > until:
            raise _waited(command, answer, number, unfinished=unfinished, known=known)
        time.sleep(_PAUSE_S)


def _boots(raw: bytes, application: str | None, goal: str | None) -> tuple[BootTimes, ...]:
    return of_text(raw, "the command's output", application=application, goal=goal) if raw.strip() else ()


def _no_boot(command: MeasuredCommand, answer: _Answer) -> EnvironmentFault | UserError:
    if answer.code:
        said = f": {answer.complaint}" if answer.complaint else ""
        return EnvironmentFault(
            f"{command.text!r} ended with code {answer.code}{said}", hint="run it by hand: it must print boot times"
        )
    return UserError(
        f"{command.text!r} printed no boot",
        hint="it must print what `systemd-analyze`, `journalctl -b -o json` or `dmesg` print",
    )


def _waited(command: MeasuredCommand, answer: _Answer, number: int, *, unfinished: bool, known: bool) -> TargetError:
    if unfinished:
        why = "systemd had not finished starting; on the system `systemctl list-jobs` shows what it waits for"
    elif known:
        why = "the machine still tells the boot before: it did not start again"
    else:
        why = answer.complaint or "it told no boot"
    return TargetError(
        f"run {number} of {command.text!r}: nothing came in {command.wait_s:g} s: {why}",
        hint="--wait SECONDS gives it longer",
    )


def _identity(boot: BootTimes) -> frozenset[tuple[str, int]]:
    """Return what tells a boot from another: its stages to the last digit; a log may grow, but these stay."""
    return frozenset((name, boot.values[name]) for name in _STAY if name in boot.values) or frozenset(
        boot.values.items()
    )


def _run(text: str, limit_s: float) -> _Answer:
    """Run a shell's command; end it and all that it started at its limit. `code` None: it was ended."""
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "SYSTEMD_PAGER": "cat", "SYSTEMD_COLORS": "0"}
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(  # noqa: S602 - the user's own command, as in a job's script
            text,
            shell=True,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=complaints,
            env=environment,
            start_new_session=True,
        )
        code: int | None = None
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(process)
        out.seek(0)
        raw = out.read(MOST_BYTES + 1)
        complaints.seek(0)
        said = complaints.read(1 << 16).decode("utf-8", "replace").split("\n")
    if len(raw) > MOST_BYTES:
        raise UserError(f"{text!r} printed more than {MOST_BYTES >> 20} MiB", hint="let it print less")
    return _Answer(raw, code, next((line.strip()[:200] for line in reversed(said) if line.strip()), ""))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what a command left running: it has a session of its own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _keep(folder: Path, number: int, raw: bytes) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"run_{number}.txt").write_bytes(raw)
    except OSError as fault:
        raise UserError(f"cannot write to {folder}: {fault.strerror}", hint="--keep another folder") from fault

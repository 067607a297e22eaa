# SPDX-License-Identifier: MIT
"""Waits beside bootlab, and switches the board off when bootlab is gone without a word.

A program of the standard library alone, started as a file before the board is touched. Standard input takes lines: a
JSON object with what is to be done (each replaces the one before), and `quit`, after which nothing is. When it ends
without `quit`, bootlab was killed. Then every process ends that bootlab started for this board (all carry its mark in
their environment: a late `on` would switch the board on again), the board is switched off, and what was taken is given
back. The lock of the board is held until that is done. What cannot be done is said in the system's log.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import syslog
import time
from typing import Any

MARK = "BOOTLAB_COMMAND"
"""The variable in the environment of everything that bootlab starts for a board."""

_ROUNDS = 50
_ROUND_S = 0.1
_EXEC_TRIES = 10
_EXEC_S = 0.001
_PAUSES_S = (0.5, 1.0, 2.0, 4.0)
LATE_S = 3.0
"""A switch that did not answer in time may do until then what it was asked for."""
_COMMAND_S = 60.0


def _environment(number: int) -> list[bytes]:
    """Return a process's environment; [] when it has none that can be read."""
    try:
        for _ in range(_EXEC_TRIES):
            with open(f"/proc/{number}/environ", "rb") as file:  # noqa: PTH123 - the standard library's smallest part
                words = file.read(1 << 20)
            if words:
                return words.split(b"\0")
            # In the middle of execve a process shows none (fs/exec.c, begin_new_exec); a kernel thread and a process
            # that has ended show no program either.
            os.readlink(f"/proc/{number}/exe")  # noqa: PTH115 - the same
            time.sleep(_EXEC_S)
    except OSError:
        pass
    return []


def marked(mark: str) -> list[int]:
    """Return the processes that carry a mark, or one below it (`MARK.7`). Those of other users cannot be seen."""
    wanted = f"{MARK}={mark}".encode()
    numbers = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 - the same
    return [
        number
        for number in numbers
        if number != os.getpid()
        and any(word == wanted or word.startswith(wanted + b".") for word in _environment(number))
    ]


def end_marked(mark: str) -> list[int]:
    """Kill every process that carries a mark, and those that they start meanwhile. Return those that live on."""
    left: list[int] = []
    for _ in range(_ROUNDS):
        # Twice: a process may start another and end while the first look is under way.
        left = marked(mark) or marked(mark)
        if not left:
            break
        for number in left:
            with contextlib.suppress(OSError):
                os.kill(number, signal.SIGKILL)
        time.sleep(_ROUND_S)
    return left


def run(command: list[str], timeout_s: float) -> str:
    """Run a command. Return why it failed, or ""."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as fault:
        return f"{command[0]}: {fault.strerror}"
    try:
        code = process.wait(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return f"it did not end within {timeout_s:g} s"
    return f"it ended with {code}" if code else ""


def switched_off(command: list[str], timeout_s: float) -> str:
    """Switch off until it succeeds, and once more for a switch that answers late. Return why it failed, or ""."""
    said = ""
    for pause_s in (*_PAUSES_S, 0.0):
        said = run(command, timeout_s)
        if not said:
            time.sleep(LATE_S)
            return run(command, timeout_s)
        time.sleep(pause_s)
    return said


def clean_up(plan: dict[str, Any]) -> None:
    """Do what bootlab would have done at its end."""
    name = plan.get("board", "")
    os.environ.update(plan.get("environment", {}))
    left = end_marked(plan["mark"]) if plan.get("mark") else []
    if left:
        syslog.syslog(syslog.LOG_ERR, f"{name}: processes {left} of a bootlab that was killed cannot be ended")
    if plan.get("off"):
        said = switched_off(plan["off"], _COMMAND_S)
        if said:
            syslog.syslog(
                syslog.LOG_CRIT, f"THE BOARD {name} MAY STILL BE ON: bootlab was killed, and off failed: {said}"
            )
        else:
            syslog.syslog(syslog.LOG_NOTICE, f"{name}: bootlab was killed; the board was switched off")
    for command in plan.get("then", []):
        said = run(command, _COMMAND_S)
        if said:
            syslog.syslog(syslog.LOG_ERR, f"{name}: `{' '.join(command)[:200]}` after bootlab was killed: {said}")


def main() -> int:
    """Wait for the end of standard input."""
    # A terminal that is closed, and Ctrl-C at it, are bootlab's to deal with.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    syslog.openlog("bootlab")
    plan: dict[str, Any] = {}
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in sys.stdin:
        if line == "quit\n":
            return 0
        # A line that was cut off by the end says less than the one before it.
        with contextlib.suppress(ValueError):
            plan = json.loads(line)
    clean_up(plan)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A boot log that somebody kept: command line, machine, console, and what user space said last."""

from __future__ import annotations

import re
from pathlib import Path

from bootlab import _core
from bootlab.errors import UserError
from bootlab.model.terminal import without_control
from bootlab.sources.facts import LogFacts

_SIZE_MAX_BYTES = 64 << 20
_LINES_KEPT = 400


def look(path: Path) -> LogFacts:
    """Return what the last boot of a log says. Raise UserError when there is none in it."""
    try:
        with path.open("rb") as file:
            data = file.read(_SIZE_MAX_BYTES)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}", hint=f"ls -l {path}") from error
    lines = [without_control(line).rstrip("\r") for line in data.decode("utf-8", "replace").split("\n")]
    starts = [i for i, line in enumerate(lines) if "Linux version " in line]
    if not starts:
        raise UserError(
            f"{path} contains no boot of Linux",
            hint="give a serial capture or dmesg output from the kernel's first line",
        )
    boot = lines[starts[-1] :]
    plain = [_core.kernel_message(line) for line in boot]
    user = [i for i, line in enumerate(plain) if re.search(r"Run \S+ as init process", line)]
    after = [line for line in plain[(user[0] + 1 if user else 0) :] if line.strip()]
    return LogFacts(
        path=path,
        release=_first(plain, r"Linux version (\S+)"),
        cmdline=_first(plain, r"(?:Kernel command line|Command line): (.*)"),
        machine=_first(plain, r"(?:Machine model|OF: fdt: Machine model|DMI): (.*)"),
        memory_mib=int(_first(plain, r"Memory: \d+K/(\d+)K available") or 0) >> 10,
        processors=int(_first(plain, r"(?:smp: )?Brought up \d+ nodes?, (\d+) CPU") or 0),
        console=_first(plain, r"printk: (?:legacy )?console \[(\w+)\] enabled"),
        lines=tuple(line[:300] for line in after[-_LINES_KEPT:]),
    )


def _first(lines: list[str], pattern: str) -> str:
    compiled = re.compile(pattern)
    return next((found[1].strip() for line in lines if (found := compiled.search(line[:5000]))), "")

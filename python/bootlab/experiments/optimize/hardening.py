# SPDX-License-Identifier: MIT
"""What kernel-hardening-checker says of two kernels and command lines: a program of its own, run where it is there.

It is free software (GPL-3.0) that bootlab does not contain: it is started as any other program, and its JSON is read.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import msgspec

from bootlab.builders.kernelinfo import KernelInfo
from bootlab.kernelsource.configuration import write_config
from bootlab.launch.boot_plan import BootPlan
from bootlab.model.contrast import Contrast

PROGRAM = "kernel-hardening-checker"
INSTALL = "pipx install git+https://github.com/a13xp0p0v/kernel-hardening-checker"
_TIMEOUT_S = 60
_PLAIN = re.compile(r"[ymn]|-?\d+|0x[0-9a-fA-F]+|\".*\"", re.DOTALL)
"""Values that a configuration has without quotes, or has them already."""

_ARCHES = {"x86_64": "x86", "i386": "x86"}


class Hardening(msgspec.Struct, frozen=True, kw_only=True):
    """The rows that differ, or why there is none."""

    contrasts: tuple[Contrast, ...] = ()
    unchecked: tuple[str, ...] = ()


class _Row(msgspec.Struct, frozen=True):
    """One row of the program's JSON."""

    option_name: str
    type: str
    check_result: str
    check_result_bool: bool


def hardening(before: BootPlan, after: BootPlan) -> Hardening:
    """Run the program on both and return what it says differently, what is lost first."""
    changed = before.info.config != after.info.config or _line(before) != _line(after)
    if not changed:
        return Hardening()
    if shutil.which(PROGRAM) is None:
        return _unchecked(f"{PROGRAM} is not installed ({INSTALL})")
    if not (before.info.config and after.info.config):
        return _unchecked("the kernel's configuration is not known")
    try:
        old, new = _checked(before), _checked(after)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as fault:
        return _unchecked(f"{PROGRAM} failed: {_said(fault)}")
    rows = [(key, old.get(key), new.get(key)) for key in dict.fromkeys((*old, *new)) if old.get(key) != new.get(key)]
    rows.sort(key=lambda row: not (row[1] is not None and row[1].check_result_bool))
    return Hardening(
        contrasts=tuple(
            Contrast(
                kind="hardening",
                subject=key[1] if key[0] == "kconfig" else f"{key[1]} ({key[0]})",
                before=one.check_result if one is not None else "",
                after=other.check_result if other is not None else "",
            )
            for key, one, other in rows
        )
    )


def _unchecked(why: str) -> Hardening:
    return Hardening(unchecked=(f"the kernel's hardening was not checked: {why}",))


def _said(fault: Exception) -> str:
    words = fault.stdout if isinstance(fault, subprocess.CalledProcessError) else ""
    last = next((line for line in reversed((words or "").splitlines()) if line.strip()), "")
    return (last or str(fault))[:300]


def _line(plan: BootPlan) -> str:
    return str(plan.system.cmdline_to_pass)


def _checked(plan: BootPlan) -> dict[tuple[str, str], _Row]:
    with tempfile.TemporaryDirectory(prefix="bootlab-") as name:
        config, cmdline = Path(name) / "config", Path(name) / "cmdline"
        config.write_text(_config(plan.info), encoding="utf-8")
        cmdline.write_text(f"{_line(plan)}\n", encoding="utf-8")
        words = [PROGRAM, "-m", "json", "-c", str(config), "-l", str(cmdline)]
        # Its errors come on either stream.
        done = subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True, timeout=_TIMEOUT_S
        )
    # What is checked of several options has the name of the first, and may stand there twice.
    found: dict[tuple[str, str], _Row] = {}
    # It warns before its answer, which is one line.
    answer = done.stdout.rstrip().rpartition("\n")[2]
    for row in msgspec.json.decode(answer, type=list[_Row]):
        found.setdefault((row.type, row.option_name), row)
    return found


def _config(info: KernelInfo) -> str:
    """Write a configuration as the kernel's own tools do: its head tells the program the version."""
    version = ".".join(str(number) for number in (*info.numbers, 0, 0, 0)[:3])
    head = f"#\n# Linux/{_ARCHES.get(info.arch, info.arch)} {version} Kernel Configuration\n#\n"
    quoted = {name: value if _PLAIN.fullmatch(value) else f'"{value}"' for name, value in info.config.items()}
    return head + write_config({name.removeprefix("CONFIG_"): value for name, value in quoted.items()})

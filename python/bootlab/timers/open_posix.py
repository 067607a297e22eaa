# SPDX-License-Identifier: MIT
"""The Open POSIX Test Suite beside our checks: its timer, clock and sleep tests built and run on this machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import msgspec

from bootlab.errors import ToolMissing, UserError
from bootlab.timers.conform import AssertionCheck, ConformResult

# clock_settime is left out: its tests set the machine's clock.
FUNCTIONS = (
    "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun", "timer_delete",
    "clock_getres", "clock_gettime", "clock_getcpuclockid", "clock_nanosleep", "nanosleep",
)  # fmt: skip
PATIENCE_S = 200
_CODES: dict[int, Result] = {0: "pass", 1: "fail", 2: "unresolved", 4: "unsupported", 5: "untested"}
_FLAGS = ("-D_POSIX_C_SOURCE=200112L", "-D_XOPEN_SOURCE=600", "-w")

# Read in the suite's source (1.5.2).
_KNOWN = {
    "timer_create/10-1": "the suite sleeps while it waits for a CPU-time timer, whose clock then stops",
    "timer_create/11-1": "the suite sleeps while it waits for a CPU-time timer, whose clock then stops",
    "clock_getres/6-2": "the suite takes clock numbers for unknown that Linux uses: negative ones are CPU-time clocks",
    "clock_getcpuclockid/2-1": "the suite sets a CPU-time clock, which Linux does not allow",
}

Result = Literal["pass", "fail", "unresolved", "unsupported", "untested", "not built", "hung", "crashed"]


class SuiteTest(msgspec.Struct, frozen=True, kw_only=True):
    """One program of the suite: `assertion` is its number there, `name` as in `timer_create/8-1`."""

    name: str
    function: str
    assertion: int
    result: Result


class SuiteComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One of our checks and the suite's tests of the same assertion. `difference`: why, "" if they agree."""

    check: AssertionCheck
    tests: tuple[SuiteTest, ...]
    difference: str


def check_folder(folder: Path) -> None:
    """Raise UserError when the folder is not the suite's source."""
    if not (folder / "conformance" / "interfaces").is_dir() or not (folder / "include" / "posixtest.h").is_file():
        raise UserError(
            f"{folder} is not the source of the Open POSIX Test Suite: no conformance/interfaces, include/posixtest.h",
            hint="apt-get source posixtestsuite   (its folder contains both)",
        )


def run(folder: Path) -> tuple[SuiteTest, ...]:
    """Build and run the tests, some at a time. Raise UserError when the folder is not the suite's source."""
    check_folder(folder)
    interfaces = folder / "conformance" / "interfaces"
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise ToolMissing("cc", package="gcc libc6-dev", needed_for="to build the Open POSIX Test Suite")
    sources = [p for f in FUNCTIONS for p in sorted((interfaces / f).glob("*.c"))]
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(6) as pool:
        jobs = [
            pool.submit(_one, compiler, folder / "include", source, Path(work) / str(number))
            for number, source in enumerate(sources)
            if re.fullmatch(r"\d+-\d+", source.stem)
        ]
        return tuple(job.result() for job in jobs)


def _one(compiler: str, include: Path, source: Path, program: Path) -> SuiteTest:
    command = [compiler, *_FLAGS, f"-I{include}", "-o", str(program), str(source), "-lrt", "-lpthread"]
    built = subprocess.run(command, capture_output=True, check=False)
    return SuiteTest(
        name=f"{source.parent.name}/{source.stem}",
        function=source.parent.name,
        assertion=int(source.stem.split("-")[0]),
        result=_ended(program) if built.returncode == 0 else "not built",
    )


def _ended(program: Path) -> Result:
    try:
        done = subprocess.run(
            [str(program)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
            cwd=program.parent,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return "hung"
    return _CODES.get(done.returncode, "crashed")


def assertions_of(check: AssertionCheck) -> tuple[str, frozenset[int]]:
    """Return the function and the numbers that a check has in the suite."""
    words = re.match(r"(?:([a-z_]+) )?(.*)", check.opts)
    function = (words[1] if words else None) or check.function
    numbers: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:-(\d+))?", words[2] if words else ""):
        numbers |= set(range(int(first), int(last or first) + 1))
    return function, frozenset(numbers)


def beside(result: ConformResult, tests: Sequence[SuiteTest]) -> tuple[SuiteComparison, ...]:
    """Put each of our checks beside the suite's tests of it; checks that it has no test for are left out."""
    rows = []
    for check in result.checks:
        function, numbers = assertions_of(check)
        same = tuple(t for t in tests if t.function == function and t.assertion in numbers)
        if same:
            rows.append(SuiteComparison(check=check, tests=same, difference=_difference(check, same)))
    return tuple(rows)


def _difference(check: AssertionCheck, tests: Sequence[SuiteTest]) -> str:
    other = {t.result for t in tests} - {"pass"}
    if not other and check.verdict in {"pass", "deviation"}:
        return ""
    if "hung" in other:
        return f"a test of the suite takes longer than {PATIENCE_S} s"
    if "crashed" in other:
        return "the suite hands a made-up ID to libc, which takes it for a pointer; ours asks the kernel"
    if other <= {"untested", "unsupported", "unresolved", "not built"} and other:
        return "the suite does not test it here"
    said = {_KNOWN.get(t.name, "") for t in tests if t.result == "fail"}
    if said and all(said) and check.verdict == "pass":
        return "; ".join(sorted(said))
    return f"ours: {check.verdict}: {check.evidence}"

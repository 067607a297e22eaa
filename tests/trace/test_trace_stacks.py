# SPDX-License-Identifier: MIT
"""Shadow stacks of the trace plugin (qemu-plugin/trace-stack.c), driven without QEMU."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bootlab.data import source_folder

_PARTS = ("trace-stack.c", "trace-tree.c", "trace-symbols.c")
SWITCH, ENDS, EXCEPTION, NEW_TASK = range(4)


@pytest.fixture(scope="module")
def lines(tmp_path_factory) -> list[tuple[str, int, int, int]]:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    made = tmp_path_factory.mktemp("stacks") / "reused-task"
    folder = source_folder("", _PARTS[0], top="qemu-plugin")
    command = [compiler, "-O1", "-Wall", "-Werror", f"-I{folder}", "-o", made]
    command += [Path(__file__).with_name("reused_task.c"), *(folder / part for part in _PARTS)]
    subprocess.run(command, check=True)
    said = subprocess.run([made], check=True, capture_output=True, text=True).stdout.splitlines()
    return [(kind, int(function), int(a), int(b)) for kind, function, a, b in (line.split() for line in said)]


def test_what_a_dead_task_left_open_ends_when_it_last_ran(lines) -> None:
    assert ("span", ENDS, 200, 300) in lines
    assert ("node", ENDS, 100, 100) in lines


def test_no_span_ends_before_it_starts(lines) -> None:
    spans = [(start, end) for kind, _, start, end in lines if kind == "span"]
    assert spans
    assert all(start <= end for start, end in spans)


def test_an_exception_before_the_new_task_is_recognised_takes_no_time(lines) -> None:
    assert ("node", EXCEPTION, 0, 0) in lines
    assert ("span", NEW_TASK, 1100, 2000) in lines

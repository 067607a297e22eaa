# SPDX-License-Identifier: MIT
"""The programs of benchmarks/ say what they are when asked: `--help` is no system file, and boots nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "benchmarks"
PROGRAMS = sorted(
    path for path in FOLDER.rglob("*.py") if 'if __name__ == "__main__"' in path.read_text(encoding="utf-8")
)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: str(path.relative_to(FOLDER)))
def test_help(program, tmp_path):
    done = subprocess.run(
        [sys.executable, str(program), "--help"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")
    assert program.name in done.stdout
    assert list(tmp_path.iterdir()) == []

# SPDX-License-Identifier: MIT
"""A script can tell what was found from what failed, and both from a bug."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bootlab.errors import Found
from bootlab.model.recording import Outcome
from tests.conftest import REPOSITORY

PAGE = (REPOSITORY / "docs/reference/exit-codes.md").read_text()


def test_no_code_means_two_things():
    codes = [found.value for found in Found] + [outcome.exit_code for outcome in Outcome] + [1, 2, 3, 4, 5]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("found", list(Found))
def test_every_finding_is_documented(found):
    assert f"| `{found.value}` | {found.meaning} |" in PAGE


def test_a_bug_is_no_finding():
    script = (
        "import sys; from bootlab.cli import __main__ as m\n"
        "def bug(_args): raise RuntimeError('a bug')\n"
        "m._run = bug\n"
        "m.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "RuntimeError: a bug" in done.stderr

# SPDX-License-Identifier: MIT
"""The page about many machines shows what its simulation prints."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import REPOSITORY


def test_the_pages_table_is_the_simulations():
    command = [sys.executable, str(REPOSITORY / "benchmarks/many_machines.py")]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert table.count("\n") == 20
    assert table in (REPOSITORY / "benchmarks/two-workers.md").read_text(encoding="utf-8")

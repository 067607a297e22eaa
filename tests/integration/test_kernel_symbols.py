# SPDX-License-Identifier: MIT
"""What is read out of a kernel's image is what that kernel lists when it runs (benchmarks/kernel_symbols.py)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from kernel_symbols import compared, fnv

pytestmark = pytest.mark.qemu


def test_every_symbol_is_the_kernel_s_own(debian_kernel, tmp_path):
    row = compared(debian_kernel, "amd64", tmp_path)
    assert row["outcome"] == "goal", row
    assert row["equal"], row
    assert row["listed"] == row["read"] > row["functions"] > 10_000


def test_the_hash_is_fnv_1a():
    """Known answers of the 64-bit FNV-1a (draft-eastlake-fnv): the guest's own is the same loop in C."""
    assert fnv("") == "cbf29ce484222325"
    assert fnv("foobar") == "85944171f73967e8"

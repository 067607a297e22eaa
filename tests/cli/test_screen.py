# SPDX-License-Identifier: MIT
"""How wide the terminal is taken to be."""

from __future__ import annotations

from bootlab.cli import screen


def test_columns_set_the_width_of_a_pipe(monkeypatch):
    monkeypatch.setenv("COLUMNS", "90")
    assert screen.out().width == 90
    monkeypatch.delenv("COLUMNS")
    assert screen.out().width == 100

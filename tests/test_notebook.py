# SPDX-License-Identifier: MIT
"""The example notebook: its cells run one after the other, and it is kept without what they printed."""

from __future__ import annotations

import json

import pytest

from tests.conftest import REPOSITORY

NOTEBOOK = json.loads((REPOSITORY / "examples" / "notebook" / "boot-times.ipynb").read_text(encoding="utf-8"))
CELLS = ["".join(cell["source"]) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def test_it_is_kept_clean():
    assert (NOTEBOOK["nbformat"], len(CELLS) > 3) == (4, True)
    for number, cell in enumerate(CELLS):
        compile(cell, f"cell {number}", "exec")
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in NOTEBOOK["cells"])


def test_its_cells_run(monkeypatch):
    pytest.importorskip("polars", reason="polars is not installed (pip install polars)")
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed (pip install matplotlib)")
    matplotlib.use("agg")
    monkeypatch.chdir(REPOSITORY)
    names: dict[str, object] = {"__name__": "notebook"}
    for number, cell in enumerate(CELLS):
        exec(compile(cell, f"cell {number}", "exec"), names)
    assert names["stages"].height == 8  # type: ignore[attr-defined]
    assert len(names["whole"].points) == 1  # type: ignore[attr-defined]

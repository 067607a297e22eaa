# SPDX-License-Identifier: MIT
"""The kept measurement of a history's load (benchmarks/history_load.py) is what the documentation says of it."""

from __future__ import annotations

import json

from tests.conftest import REPOSITORY

KEPT = json.loads((REPOSITORY / "benchmarks" / "history-load.json").read_text(encoding="utf-8"))


def test_nothing_was_lost_with_eight_writers() -> None:
    assert {(row["database"], row["writers"]) for row in KEPT["rows"]} == {
        (database, writers) for database in ("sqlite", "postgresql") for writers in (1, 8)
    }
    assert all(row["lost"] == 0 and row["boots"] > 100 for row in KEPT["rows"])


def test_the_page_says_what_was_measured() -> None:
    page = (REPOSITORY / "docs" / "how-to" / "run-a-lab-of-boards.md").read_text(encoding="utf-8")
    for row in KEPT["rows"]:
        sizes = [row[f"{what}_bytes_per_1000_boots"] / 1e6 for what in ("database", "recording")]
        cells = [row["database"], row["writers"], row["boots"], row["lost"], row["boots_per_s"], row["rows_per_s"]]
        shown = [*map(str, cells), f"{row['cpu_ms_per_boot']:.1f}", *(f"{size:.1f}" for size in sizes)]
        assert f"| {' | '.join(shown)} |" in page
    assert f"a load of {KEPT['load_before']:.0f} to {KEPT['load_after']:.0f}" in page
    lowest = min(row["boots_per_s"] for row in KEPT["rows"])
    assert f"the lowest rate here is {lowest}." in page

# SPDX-License-Identifier: MIT
"""The simulated lab (benchmarks/lab_simulation.py) gives what it kept, and the documentation says that."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from tests.conftest import REPOSITORY

BENCHMARKS = REPOSITORY / "benchmarks"
KEPT = json.loads((BENCHMARKS / "lab" / "simulation.json").read_text(encoding="utf-8"))
PAGE = (REPOSITORY / "docs" / "how-to" / "run-a-lab-of-boards.md").read_text(encoding="utf-8")


def test_the_simulation_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = importlib.util.spec_from_file_location("lab_simulation", BENCHMARKS / "lab_simulation.py")
    assert spec is not None
    assert spec.loader is not None
    lab = importlib.util.module_from_spec(spec)
    # Its dataclasses look for their module.
    monkeypatch.setitem(sys.modules, "lab_simulation", lab)
    spec.loader.exec_module(lab)
    first = KEPT["rows"][0]
    assert lab.row(first["boards"], first["boots_a_day"], days=KEPT["days"], seed=KEPT["seed"]) == first


def test_the_page_says_what_was_simulated() -> None:
    for row in KEPT["rows"]:
        cells = (
            f"{row['boards']} | {row['boots_a_day']:,} | {100 * row['busy']:.1f} % | "
            f"{row['wait_min_median']:.1f} min | {row['wait_min_95']:.1f} min | {row['wait_min_longest']:.0f} min | "
            f"{row['history_boots_per_s_busiest_hour']:.2f} boots/s | {row['database_mb_a_day']:.1f} MB | "
            f"{row['recordings_mb_a_day']:.1f} MB"
        )
        assert f"| {cells} |" in PAGE
        assert row["history_boots_per_s_busiest_hour"] < row["history_boots_per_s_measured"]


def test_the_page_says_what_the_virtual_board_took() -> None:
    kept = json.loads((BENCHMARKS / "board" / "faults.json").read_text(encoding="utf-8"))["summary"]
    assert f"took {kept['median_boot_s']:.2f} s each (median)" in PAGE
    assert f"took {kept['median_recording_bytes'] / 1000:.1f} kB (median" in PAGE
    assert f"took\n  {KEPT['besides_ms_median'] / 1000:.2f} s longer" in PAGE
    assert kept["told_right"] == kept["boots"] == 200
    assert kept["left_on"] == 0


def test_the_page_says_what_many_boards_at_once_took() -> None:
    load = json.loads((BENCHMARKS / "lab" / "load.json").read_text(encoding="utf-8"))
    assert load["reached_goal"] == load["boots"]
    said = f"all {load['boots']} boots of {load['boards']} virtual boards"
    assert said in PAGE
    assert f"took {load['cpu_s_median']:.1f} s of processor time and at most {load['peak_mib_most']:.0f} MiB" in PAGE

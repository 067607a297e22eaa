# SPDX-License-Identifier: MIT
"""The kept simulation (benchmarks/noisy_clocks.py) shows what the documentation says of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "benchmarks" / "noisy-clocks"


def kept(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found


def test_ten_thousand_null_experiments_err_no_more_than_the_nominal_rate() -> None:
    nulls = kept("nulls")
    assert nulls["experiments"] >= 10_000
    counted = sum(row["verdicts"]["faster"] + row["verdicts"]["slower"] for row in nulls["rows"])
    assert counted == nulls["called_different"]
    assert counted / nulls["experiments"] <= nulls["nominal_rate"]


@pytest.mark.parametrize("noise", ["normal", "tails", "heavy", "grid", "drift", "wander"])
def test_no_gate_fails_more_often_than_the_nominal_rate(noise: str) -> None:
    gates = kept("gates")
    row = next(r for r in gates["rows"] if r["noise"] == noise and r["planted"] == 0)
    assert row["experiments"] >= 1000
    assert row["verdicts"]["slower"] / row["experiments"] <= gates["nominal_rate_of_slower"]


def test_a_planted_regression_of_two_percent_is_found_within_thirty_boots() -> None:
    row = next(r for r in kept("gates")["rows"] if r["noise"] == "normal" and r["planted"] == 0.02)
    assert row["boots_most"] <= 30
    assert row["verdicts"]["slower"] / row["experiments"] >= 0.98
    assert row["verdicts"]["faster"] == 0


def test_the_documentation_says_what_is_kept() -> None:
    page = (REPOSITORY / "benchmarks" / "noisy-clocks.md").read_text(encoding="utf-8")
    gates = {(row["noise"], row["planted"]): row for row in kept("gates")["rows"]}
    for noise in ("normal", "tails", "heavy", "grid", "drift", "wander"):
        wrong, found = gates[noise, 0.0]["verdicts"]["slower"], gates[noise, 0.02]["verdicts"]["slower"]
        assert f"| {noise} | {wrong} | {found} | {gates[noise, 0.02]['boots_mean']:.1f} |" in page
    assert f"{kept('nulls')['called_different']} of 10,002 experiments" in " ".join(page.split())


def test_the_power_is_what_was_computed() -> None:
    for row in kept("power")["rows"]:
        assert row["seen"] >= row["promised"]
        # A promise that is always kept by far would be of no use.
        assert row["seen"] <= row["promised"] + 0.2


def test_intervals_hold_the_true_difference() -> None:
    page = (REPOSITORY / "benchmarks" / "noisy-clocks.md").read_text(encoding="utf-8")
    by_noise: dict[str, list[dict[str, Any]]] = {}
    for row in kept("intervals")["rows"]:
        by_noise.setdefault(row["noise"], []).append(row)
        assert row["pairs_holds"] >= (0.94 if row["boots_each"] >= 10 else 0.91)
        assert row["apart_holds"] >= 0.95
    for noise, rows in by_noise.items():
        shares = [row[f"{kind}_holds"] for kind in ("pairs", "apart") for row in rows]
        assert f"| {noise} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |" in page

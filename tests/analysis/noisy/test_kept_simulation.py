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


def test_boots_made_apart_err_no_more_than_the_nominal_rate() -> None:
    apart = kept("apart")
    assert apart["called_different"] / apart["experiments"] <= apart["nominal_rate"]


@pytest.mark.parametrize("noise", ["normal", "heavy", "grid", "drift"])
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


def test_the_power_is_what_was_computed() -> None:
    for row in kept("power")["rows"]:
        # Three standard errors of 1000 experiments at most below; more is no harm.
        assert row["seen"] >= row["promised"] - 0.05

# SPDX-License-Identifier: MIT
"""Boot times that others published (benchmarks/published) give what docs/explanation/published-boards.md says."""

from __future__ import annotations

import importlib.util
import json
import re
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import REPOSITORY

FOLDER = REPOSITORY / "benchmarks" / "published"
KEPT: dict[str, Any] = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
PAGE = (REPOSITORY / "docs" / "explanation" / "published-boards.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("published_boards", REPOSITORY / "benchmarks" / "published_boards.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_code_of_today_gives_the_kept_figures(benchmark: ModuleType) -> None:
    def plain(found: Any) -> Any:
        return json.loads(json.dumps(found))

    assert plain(benchmark.verdicts(benchmark.series())) == KEPT["verdicts"]
    # Least squares may differ in the last digits from machine to machine.
    for one, other in zip(benchmark.models(), KEPT["models"], strict=True):
        assert (one["table"], list(one["used"])) == (other["table"], other["used"])
        assert one["left_out"] == pytest.approx(other["left_out"], abs=1e-6)
    assert benchmark.other_card()["errors"] == pytest.approx(KEPT["other_card"]["errors"], abs=1e-6)


def test_the_page_says_the_verdicts() -> None:
    told = {(r["base_ms"], r["new_ms"], r["quantity"]): r for r in KEPT["verdicts"]}
    names = {"whole boot": "total", "kernel": "kernel", "userspace": "userspace"}
    rows = re.findall(r"^\| .+? \| ([\w ]+) \| ([\d.]+) \| ([\d.]+) \| (.+?) \| (.+?) … (.+?) \| (\w+) \|$", PAGE, re.M)
    assert len(rows) == 12
    for quantity, before, after, change, low, high, verdict in rows:
        row = told[float(before), float(after), names[quantity]]
        assert _signed(row["change_ms"]) == change
        assert [_signed(end) for end in row["interval_ms"]] == [low, high]
        assert row["verdict"] == verdict


def _signed(value: float) -> str:
    return f"{value:+.1f}".replace("-", "\N{MINUS SIGN}")


def test_halves_of_one_series_are_called_different_no_more_often_than_the_nominal_rate() -> None:
    nulls = KEPT["nulls"]
    assert nulls["called_different"] / nulls["experiments"] <= nulls["nominal_rate"]
    assert f"{nulls['called_different']} of {nulls['experiments']} comparisons" in PAGE
    assert f"{100 * nulls['called_different'] / nulls['experiments']:.1f} %" in PAGE


def test_the_page_says_the_forecasts_errors() -> None:
    worst = [f"{100 * row['worst_error']:.1f} %" for row in KEPT["models"]]
    said = re.findall(r"^\| .+ \| \d \| [\w, ]+ \| ([\d.]+ %) \|$", PAGE, re.M)
    assert said == worst
    assert f"within {100 * KEPT['other_card']['worst_error']:.1f} %" in PAGE.replace("\n", " ")

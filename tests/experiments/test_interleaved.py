# SPDX-License-Identifier: MIT
"""Two noisy systems in blocks: what is booted in which order, when it stops, and what comes out of it."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bootlab.analysis.noisy.blocks import orders
from bootlab.analysis.noisy.power import Forecast
from bootlab.errors import TargetError
from bootlab.experiments.bench import Bench
from bootlab.experiments.interleaved import BlockPlan, Interleaved, interleave
from bootlab.model.recording import Outcome
from bootlab.model.verdict import Verdict
from tests.experiments.fake_bench import MS, FakeTarget, system

BASE, NEW = system(), system("new")


class Board:
    """Takes a second, a little more or less each time; the new system `late_ms` longer. `drift_ms`: more each boot."""

    def __init__(self, late_ms: float = 0.0, *, drift_ms: float = 0.0, broken: frozenset[int] = frozenset()) -> None:
        self.late_ms, self.drift_ms, self.broken, self.boots = late_ms, drift_ms, broken, 0

    def __call__(self, params: frozenset[str]) -> float | Outcome:
        self.boots += 1
        if self.boots in self.broken:
            return Outcome.HANG
        jitter = (self.boots * 7919 % 13) / 13
        return 1000 + jitter + self.drift_ms * self.boots + (self.late_ms if "new" in params else 0)


def run(folder: Path, board: Board, **plan: object) -> tuple[Interleaved, list[str], list[Forecast]]:
    """Return what was found, what was booted in its order, and what was told before the blocks."""
    told: list[Forecast] = []
    target = FakeTarget(board)
    with Bench(target, folder, jobs=1) as bench:
        found = interleave(
            bench,
            BASE,
            NEW,
            BlockPlan(**plan),
            smallest_of=lambda pilot: 10 * MS,
            told=told.append,  # type: ignore[arg-type]
        )
    return found, target.booted, told


@pytest.mark.parametrize(
    ("late_ms", "verdict"),
    [(30, Verdict.SLOWER), (-30, Verdict.FASTER), (0, Verdict.SAME), (4, Verdict.SAME)],
)
def test_verdicts_and_stopping(tmp_path: Path, late_ms: float, verdict: Verdict) -> None:
    found, booted, _ = run(tmp_path, Board(late_ms))
    assert found.judged.verdict is verdict
    assert abs(found.judged.saved_ns + late_ms * MS) < 2 * MS
    assert len(found.base) == len(found.new) < 15
    assert len(booted) == 6 + 2 * len(found.base)


def test_blocks_come_in_the_drawn_order_behind_the_pilot(tmp_path: Path) -> None:
    found, booted, told = run(tmp_path, Board(30), seed=5)
    assert booted[:6] == ["base"] * 6
    wanted = [
        ("base", "base new")[side] for order in itertools.islice(orders(2, seed=5), len(found.base)) for side in order
    ]
    assert booted[6:] == wanted
    assert {booted[6::2][n] for n in range(len(found.base))} == {"base", "base new"}, "both orders come"
    (foretold,) = told
    assert foretold == found.forecast
    assert foretold.pilot_boots == 6


def test_every_boot_is_made_anew_and_on_its_own_side(tmp_path: Path) -> None:
    found, booted, _ = run(tmp_path, Board(30))
    recordings = [*found.base, *found.new]
    assert len({recording.path for recording in recordings}) == len(recordings)
    assert all("new" not in recording.meta.cmdline for recording in found.base)
    assert all("new" in recording.meta.cmdline for recording in found.new)
    _, again, _ = run(tmp_path, Board(30))
    assert len(again) == len(booted), "no boot of the run before is taken for one of this"


def test_a_drift_far_above_the_difference_is_no_difference(tmp_path: Path) -> None:
    """Every boot is 3 ms later than the one before: 45 ms over the run, and both sides alike."""
    found, _, _ = run(tmp_path, Board(0, drift_ms=3), blocks=15)
    assert found.judged.verdict in {Verdict.SAME, Verdict.UNKNOWN}
    assert abs(found.judged.saved_ns) < 3 * MS


def test_no_more_blocks_than_planned(tmp_path: Path) -> None:
    found, booted, _ = run(tmp_path, Board(9.9), blocks=6, pilot=0)
    assert len(found.base) == len(found.new) <= 6
    assert len(booted) <= 12
    assert found.forecast is None


def test_a_boot_that_fails_ends_it_with_its_outcome(tmp_path: Path) -> None:
    for boot, label in ((3, "pilot 3"), (9, "block 2")):
        with pytest.raises(TargetError, match=f"{label}.*hang"):
            run(tmp_path / str(boot), Board(broken=frozenset({boot})))
